"""What a coordinator decides about one person's place: another cohort, left out or in again, a fresh invitation."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from study.accounts.access import person
from study.people.access import person_of_study
from study.people.models import Cohort, Participant
from study.people.sample import excluding, moving
from study.people.ways import inviting_again


def page(request: HttpRequest, template: str, row: Participant, **context: Any) -> HttpResponse:
    context |= {"study": row.study, "tab": "people", "one": row}
    return render(request, template, context, status=422 if context.get("problems") else 200)


@require_http_methods(["GET", "POST"])
def participant_move(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    problems: list[str] = []
    if request.method == "POST":
        to = Cohort.objects.filter(study=row.study, code=request.POST.get("to", "")).first()
        try:
            if to is None:
                raise ValidationError(_("Choose the cohort to move %(code)s to.") % {"code": row.code})
            moving.move(row, to, by=person(request))
        except ValidationError as error:
            problems = error.messages
        else:
            messages.success(request, _("%(code)s is in “%(name)s” now.") % {"code": row.code, "name": to.name})
            return redirect("participant", row.study.code, row.code)
    options = moving.cohorts_for(row)
    possible = any(not why for _cohort, why in options)
    return page(request, "people/move.html", row, options=options, possible=possible, problems=problems)


@require_http_methods(["GET", "POST"])
def participant_exclude(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """Leave somebody out, for one of the protocol's reasons; for somebody who is left out, the way back."""
    row = person_of_study(request, code, participant)
    problems: list[str] = []
    typed = {"reason": request.POST.get("reason", ""), "note": request.POST.get("note", "")}
    if request.method == "POST":
        try:
            excluding.exclude(row, typed["reason"], note=typed["note"], by=person(request))
        except ValidationError as error:
            problems = error.messages
        else:
            messages.success(request, _("%(code)s is left out. Their data and their pay stay.") % {"code": row.code})
            return redirect("participant", row.study.code, row.code)
    reasons = excluding.reasons(row)
    return page(request, "people/exclude.html", row, reasons=reasons, typed=typed, problems=problems)


@require_POST
def participant_include(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    try:
        changed = excluding.include(row, note=request.POST.get("note", ""), by=person(request))
    except ValidationError as error:
        reasons = excluding.reasons(row)
        return page(request, "people/exclude.html", row, reasons=reasons, typed=request.POST, problems=error.messages)
    if changed:
        messages.success(request, _("%(code)s is in again.") % {"code": row.code})
    return redirect("participant", row.study.code, row.code)


@require_http_methods(["GET", "POST"])
def participant_invite_again(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    problems: list[str] = []
    if request.method == "POST":
        try:
            inviting_again.invite_again(row, asked=bool(request.POST.get("asked")), by=person(request))
        except ValidationError as error:
            problems = error.messages
        else:
            messages.success(request, _("%(code)s gets a fresh invitation.") % {"code": row.code})
            return redirect("participant", row.study.code, row.code)
    why = inviting_again.why_not(row)
    asks = inviting_again.needs_consent_to_be_asked(row)
    return page(request, "people/invite_again.html", row, why=why, asks=asks, problems=problems)
