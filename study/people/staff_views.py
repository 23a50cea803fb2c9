"""The coordinator's pages: inviting, one participant's timeline. Those of cohorts stand in cohort_views."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import person
from study.people import board, flows, invitations
from study.people.access import cohort_for, person_of_study
from study.people.models import CohortState


@require_http_methods(["GET", "POST"])
def cohort_invite(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """Paste, then see what would go out. Nothing is sent or stored here."""
    row = cohort_for(request, code, cohort)
    text = request.POST.get("addresses", "")
    context: dict[str, Any] = {"study": row.study, "tab": "cohorts", "cohort": row, "text": text}
    if request.method == "POST":
        context["preview"] = invitations.preview(row, text)
    return render(request, "people/invite.html", context)


@require_POST
def cohort_invite_send(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    text = request.POST.get("addresses", "")
    try:
        n = len(invitations.invite(row, text, by=person(request)))
    except ValidationError as error:
        context = {"study": row.study, "tab": "cohorts", "cohort": row, "text": text, "problems": error.messages}
        return render(request, "people/invite.html", context, status=422)
    said = ngettext("%d person is invited.", "%d people are invited.", n) % n
    if n and row.state != CohortState.OPEN:
        said += " " + _("The letters wait until the cohort is open.")
    messages.success(request, said)
    return redirect("cohort", row.study.code, row.code)


@require_GET
def participant(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    context = {"study": row.study, "tab": "cohorts", "one": row, "moments": board.timeline(row)}
    context["failed"] = row.letters.filter(state="failed").exists()
    return render(request, "people/participant.html", context)


@require_POST
def participant_take_out(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """Asked for by letter; the code typed once more says that it is meant."""
    row = person_of_study(request, code, participant)
    try:
        if request.POST.get("again", "").strip().upper() != row.code:
            raise ValidationError(_("Type %(code)s to say that you mean it. Nothing was removed.") % {"code": row.code})
        flows.take_out_on_request(row, by=person(request))
    except ValidationError as error:
        context = {"study": row.study, "tab": "cohorts", "one": row, "moments": board.timeline(row)}
        return render(request, "people/participant.html", context | {"problems": error.messages}, status=422)
    messages.success(request, _("The answers of %(code)s are taken out. Counts stay.") % {"code": row.code})
    return redirect("participant", row.study.code, row.code)


@require_POST
def letter_again(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    invitations.send_again(row, by=person(request))
    return redirect("participant", row.study.code, row.code)


@require_POST
def participant_revoke(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    invitations.revoke(row, by=person(request))
    return redirect("participant", row.study.code, row.code)
