"""Asking the requester from the dock: one question, one reply."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from study.assignment.models import Visit
from study.fieldwork import answering, requesting
from study.fieldwork.answers import BadValue
from study.fieldwork.models import Attempt
from study.fieldwork.saving import Stale
from study.fieldwork.slots import Closed
from study.fieldwork.views.work import answered, attempt_of, late, typed_page, wants_json
from study.fieldwork.visits import visit_page
from study.people.models import Stage


@require_POST
@visit_page(Stage.WORKING, late=late)
def attempt_ask(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """Without scripts the whole form of the dock comes along: the answer typed so far is kept first."""
    row = attempt_of(visit, number)
    if row.desk is None or not requesting.hides(row):
        raise Http404
    typed, save_id = request.POST.get("question", ""), request.POST.get("question_id", "")
    try:
        if not wants_json(request):
            answering.send(row, answering.read_form(row, request.POST), "keep")
        turn = requesting.ask(row, typed, save_id, form=not wants_json(request))
    except (BadValue, Closed) as bad:
        return not_asked(request, row, typed, str(bad))
    except Stale as stale:
        pad = stale.stored.field.startswith("scratch/")
        words = _("Another tab has saved something else since. Yours stands in the fields; send it again to keep it.")
        return not_asked(request, row, typed, words, **{"stored_pad" if pad else "stored": stale.stored.value})
    if wants_json(request):
        return JsonResponse({"number": turn.number, "asked": turn.asked, "reply": turn.reply})
    return answered(request, row, "keep")


def not_asked(request: HttpRequest, row: Attempt, typed: str, words: str, **more: Any) -> HttpResponse:
    """Nothing typed is lost: question and answer stand in their fields again."""
    status = 409 if more else 422
    if wants_json(request):
        return JsonResponse({"error": "value", "message": words}, status=status)
    row.refresh_from_db(fields=["version", "scratch_version", "outcome"])
    if row.outcome:
        return answered(request, row, "keep")
    return typed_page(request, row, status, asking=words, **more)
