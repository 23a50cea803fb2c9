"""One participant as a coordinator meets them: contact, facts, everything that happened, and the acts."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import person
from study.accounts.audit import viewed
from study.accounts.reauth import dangerous
from study.people import flows
from study.people.access import person_of_study
from study.people.coordinating import person_acts, roster
from study.people.coordinating.timeline import timeline
from study.people.models import Participant
from study.people.sample import excluding
from study.people.ways import invitations


def page(request: HttpRequest, row: Participant, status: int = 200, **more: Any) -> HttpResponse:
    """The participant's page. It shows a contact, so each opening is in the audit log."""
    contact = getattr(row, "contact", None)
    if contact is not None and not row.erased_at:
        viewed("participant", by=person(request), study=row.study, target=row.code)
    notes = contact.notes if contact else ""
    context = {
        "study": row.study,
        "tab": "people",
        "one": row,
        "contact": contact,
        "notes": notes,
        "typed_notes": notes,
        "opened_on": person_acts.mark_of(notes),
        "moments": timeline(row),
        "links": person_acts.links(row),
        "flags": roster.flags_of(row),
        "left_out": next((one.text for one in excluding.reasons(row) if one.code == row.exclusion), row.exclusion),
        "cell": roster.cell_words(row),
        "failed": row.letters.filter(state="failed").exists(),
    }
    return render(request, "people/participant.html", context | more, status=status)


@require_GET
def participant(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    return page(request, person_of_study(request, code, participant))


@require_POST
def participant_note(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    text = request.POST.get("notes", "")
    try:
        kept = person_acts.write_notes(row, text, opened_on=request.POST.get("opened_on", ""), by=person(request))
    except ValidationError as error:
        return page(request, row, 409, note_problems=error.messages, typed_notes=text)
    if kept:
        messages.success(request, _("Noted about %(code)s.") % {"code": row.code})
    return redirect("participant", row.study.code, row.code)


@require_POST
@dangerous
def participant_take_out(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """Asked for by letter; the code typed once more says that it is meant."""
    row = person_of_study(request, code, participant)
    try:
        if request.POST.get("again", "").strip().upper() != row.code:
            raise ValidationError(_("Type %(code)s to say that you mean it. Nothing was removed.") % {"code": row.code})
        flows.take_out_on_request(row, by=person(request))
    except ValidationError as error:
        return page(request, row, 422, problems=error.messages)
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
