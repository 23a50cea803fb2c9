"""The coordinator's pages: cohorts, inviting, one participant's timeline. Opening a cohort stands in assignment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.models import Study
from study.people import board, flows, invitations
from study.people import cohorts as acts
from study.people.access import cohort_for, person_of_study
from study.people.models import Cohort, CohortState
from study.people.protocol import file_of, newest_frozen


def arms_of(study: Study) -> list[tuple[str, str]]:
    """Code and label of each arm of the newest frozen protocol; empty while there is none."""
    frozen = newest_frozen(study.pk)
    return [(arm.code, arm.label) for arm in file_of(frozen).arms] if frozen else []


def typed_cohort(form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the cohort form, with a target of 0 for a text that is no number."""
    target = form.get("target", "").strip()
    return {
        "name": form.get("name", ""),
        "channel": form.get("channel", ""),
        "target": int(target) if target.isdecimal() and len(target) < 9 else 0,
        "contact_email": form.get("contact_email", ""),
        "open_link": bool(form.get("open_link")),
        "pilot": bool(form.get("pilot")),
    }


@require_GET
def cohorts(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    rows = board.board(study)
    context = {
        "study": study,
        "tab": "cohorts",
        "rows": rows,
        "completed": sum(row.completed for row in rows if not row.cohort.pilot),
        "target": sum(row.cohort.target for row in rows if not row.cohort.pilot),
        "going": sum(row.going for row in rows),
    }
    return render(request, "people/cohorts.html", context)


@require_http_methods(["GET", "POST"])
def cohort_new(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    arms = [code for typed in request.POST.getlist("arm") for code in typed.split(",")]
    context: dict[str, Any] = {"study": study, "tab": "cohorts", "arms": arms_of(study), "typed": request.POST}
    context |= {"chosen": arms, "may_pilot": True}
    if request.method == "POST":
        try:
            row = acts.create_cohort(
                study,
                code=request.POST.get("code", ""),
                arms=arms,
                by=person(request),
                **typed_cohort(request.POST.dict()),
            )
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            return redirect("cohort", study.code, row.code)
    return render(request, "people/cohort_form.html", context, status=422 if "problems" in context else 200)


@require_http_methods(["GET", "POST"])
def cohort_change(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    context: dict[str, Any] = {"study": row.study, "tab": "cohorts", "cohort": row, "typed": request.POST or row}
    context["may_pilot"] = acts.may_become_pilot(row)
    if request.method == "POST":
        try:
            typed = typed_cohort(request.POST.dict())
            # A box that cannot be ticked any more is not sent, and says nothing.
            typed["pilot"] = typed["pilot"] if context["may_pilot"] else None
            acts.change_cohort(row, by=person(request), **typed)
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            return redirect("cohort", row.study.code, row.code)
    return render(request, "people/cohort_form.html", context, status=422 if "problems" in context else 200)


def cohort_context(request: HttpRequest, row: Cohort) -> dict[str, Any]:
    people = [(one, [board.letter_words(letter) for letter in one.letters.all()]) for one in board.people_of(row)]
    link = request.build_absolute_uri(f"/j/{row.open_link}/") if row.open_link else ""
    return {
        "study": row.study,
        "tab": "cohorts",
        "cohort": row,
        "row": board.funnel(row),
        "people": people,
        "link": link,
    }


@require_GET
def cohort(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    return render(request, "people/cohort.html", cohort_context(request, cohort_for(request, code, cohort)))


@require_POST
def cohort_pause(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    acts.set_state(row, CohortState.PAUSED, by=person(request))
    return redirect("cohort", row.study.code, row.code)


@require_POST
def cohort_close(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    acts.set_state(row, CohortState.CLOSED, by=person(request))
    return redirect("cohort", row.study.code, row.code)


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
