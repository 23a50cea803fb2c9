"""Pins and notes of the question under way: each act keeps what the form beside it holds, then does its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.assignment.models import Visit
from study.fieldwork import answering, answers, noting, pinning
from study.fieldwork.dock import question_of
from study.fieldwork.models import Attempt
from study.fieldwork.saving import Stale
from study.fieldwork.slots import Closed
from study.fieldwork.views.work import attempt_of, late, refuse, wants_json
from study.fieldwork.visits import visit_page
from study.people.models import Stage

Act = Callable[[Attempt], object]


def open_attempt_of(visit: Visit, number: int, offered: Callable[[Visit], bool]) -> Attempt:
    """The visit's attempt at its desk; 404 where the protocol does not offer this."""
    row = attempt_of(visit, number)
    if row.desk is None or not offered(visit):
        raise Http404
    return row


def do(request: HttpRequest, row: Attempt, act: Act, *, over: bool = False) -> HttpResponse:
    """Keep the form, do the act, and go back to the page the form stood on.

    A closed question changes nothing, unless the act may come when it is ``over``.
    """
    try:
        if "version" in request.POST and not wants_json(request):
            keep_form(request, row)
        if over or not row.outcome:
            act(row)
    except answers.BadValue as bad:
        return refuse(request, row, str(bad), 422)
    except Stale as stale:
        pad = stale.stored.field.startswith("scratch/")
        words = _("Another tab has saved something else since. Yours stands in the fields; send it again to keep it.")
        return refuse(request, row, words, 409, **{"stored_pad" if pad else "stored": stale.stored.value})
    if wants_json(request):
        return JsonResponse({"kept": True})
    back = request.POST.get("back", "")
    if back.startswith("/crm/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return redirect(back)
    return redirect("attempt", row.visit.participant.code, row.position)


def keep_form(request: HttpRequest, row: Attempt) -> None:
    with suppress(Closed):
        answering.keep(row, answering.read_form(row, request.POST))


@require_POST
@visit_page(Stage.WORKING, late=late)
def pin(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """Pin the record that stands open, or one field of it."""
    row = open_attempt_of(visit, number, pinning.offered)
    record, field = request.POST.get("pin", ""), request.POST.get("pin_field", "")
    return do(request, row, lambda attempt: pinning.pin(attempt, record, field))


@require_POST
@visit_page(Stage.WORKING, late=late)
def unpin(request: HttpRequest, visit: Visit, number: int, pk: int) -> HttpResponse:
    row = open_attempt_of(visit, number, pinning.offered)
    return do(request, row, lambda attempt: pinning.unpin(attempt, pk))


@require_POST
@visit_page(Stage.WORKING, Stage.RATING, late=late)
def note(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """Keep a note, also one sent just after its question or the time ended: it comes back at the ratings."""
    row = open_attempt_of(visit, number, noting.offered)
    words, record = request.POST.get("note", ""), request.POST.get("note_record", "")
    # The form's words are kept with the rest of it; the same words again are the same note.
    return do(request, row, lambda attempt: noting.take_note(attempt, words, record), over=True)


@require_POST
@visit_page(Stage.WORKING, late=late)
def note_delete(request: HttpRequest, visit: Visit, number: int, pk: int) -> HttpResponse:
    row = open_attempt_of(visit, number, noting.offered)
    return do(request, row, lambda attempt: noting.delete_note(visit, pk))


@require_GET
@visit_page(Stage.WORKING)
def kept(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """Pins and notes as they stand now, for the tabs that show them."""
    row = attempt_of(visit, number)
    if row.desk is None:
        raise Http404
    context: dict[str, Any] = {"question": question_of(row, row.desk), "participant": visit.participant}
    return render(request, "fieldwork/_kept.html", context)
