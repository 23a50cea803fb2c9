"""The work: which question is next, its page, sending an answer, and the short lines after it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.assignment.models import Visit
from study.fieldwork import answering, answers, clock, requesting, working
from study.fieldwork.dock import question_of
from study.fieldwork.models import Attempt
from study.fieldwork.saving import Stale
from study.fieldwork.slots import Closed
from study.fieldwork.visits import frame, visit_page
from study.people.items import Filled, draw_orders, read_items, show_items
from study.people.models import Stage
from study.people.protocol import file_of
from study.sandbox.opened import snapshot_of


def attempt_of(visit: Visit, number: int) -> Attempt:
    """One of the visit's own attempts; 404 for a number it does not have."""
    attempt = visit.attempts.select_related("place__instance", "desk").filter(position=number).first()
    if attempt is None:
        raise Http404
    attempt.visit = visit
    return attempt


def wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def lead_on(visit: Visit, *, to_desk: bool = True) -> HttpResponse:
    """To whatever comes next; the ratings begin when nothing does."""
    code = visit.participant.code
    following = working.what_next(visit)
    if following.attempt is None:
        working.begin_ratings(visit)
        return redirect("ratings", code)
    if following.what == "after":
        return redirect("attempt_after", code, following.attempt.position)
    if following.attempt.desk is not None or to_desk:
        return redirect("crm_home", working.open_attempt(following.attempt).code)
    return redirect("work", code)


@require_GET
@visit_page(Stage.WORKING)
def work(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Leads to the open question; one that was never opened waits behind a button, so a GET opens nothing."""
    following = working.what_next(visit)
    attempt = following.attempt
    if attempt is None or following.what == "after" or attempt.desk is not None:
        return lead_on(visit)
    context = frame(visit, attempt=attempt, total=visit.attempts.count(), minutes=minutes_left(visit))
    return render(request, "fieldwork/work.html", context)


def minutes_left(visit: Visit) -> int:
    return clock.minutes_left(clock.active_seconds(visit, "work"), file_of(visit.protocol).clocks.work)


@require_POST
@visit_page(Stage.WORKING)
def work_open(request: HttpRequest, visit: Visit) -> HttpResponse:
    return lead_on(visit)


@require_GET
@visit_page(Stage.WORKING)
def attempt(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """The question on a page of its own; a question that is over can be read, not changed."""
    row = attempt_of(visit, number)
    if row.desk is None:
        return redirect("work", visit.participant.code)
    return attempt_page(request, row)


def attempt_page(request: HttpRequest, row: Attempt, status: int = 200, **more: object) -> HttpResponse:
    visit = row.visit
    if row.desk is None:
        raise Http404
    question = more.pop("question", None) or question_of(row, row.desk)
    context = frame(visit, attempt=row, question=question, minutes=minutes_left(visit), **more)
    return render(request, "fieldwork/attempt.html", context, status=status)


def late(request: HttpRequest, visit: Visit, number: int, *_more: object, **_names: object) -> None:
    """What a form of the work held when its question was over: note, draft and pad, each kept by itself."""
    row = attempt_of(visit, number)
    if "version" in request.POST:
        answering.keep_late(row, answering.read_form(row, request.POST))


@require_POST
@visit_page(Stage.WORKING, late=late)
def attempt_answer(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """One form, one button pressed: ``act`` is next, keep or skip; ``use`` and ``remove`` name a record."""
    row = attempt_of(visit, number)
    if row.desk is None:
        return redirect("work", visit.participant.code)
    act = "use" if request.POST.get("use") or request.POST.get("remove") else request.POST.get("act", "next")
    try:
        sent = answering.read_form(row, request.POST)
        answering.send(row, sent, act)
    except answers.BadValue as bad:
        return refuse(request, row, str(bad), 422)
    except Stale as stale:
        words = _(
            "Another tab has saved a different answer since. Yours stands in the fields; send it again to keep it."
        )
        pad = stale.stored.field.startswith("scratch/")
        return refuse(request, row, words, 409, **{"stored_pad" if pad else "stored": stale.stored.value})
    except Closed:
        when = row.ended_at.strftime("%H:%M") if row.ended_at else ""
        messages.info(request, _("We already have this answer, from %(time)s. You can read it here.") % {"time": when})
    return answered(request, row, act)


def answered(request: HttpRequest, row: Attempt, act: str) -> HttpResponse:
    back = request.POST.get("back", "")
    inside = back.startswith("/crm/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    response = lead_on(row.visit) if act not in ("keep", "use") else None
    if response is None:
        response = redirect(back) if inside else redirect("attempt", row.visit.participant.code, row.position)
    return JsonResponse({"next": response["Location"]}) if wants_json(request) else response


def refuse(request: HttpRequest, row: Attempt, words: str, status: int, **more: Any) -> HttpResponse:
    row.refresh_from_db(fields=["version", "scratch_version"])
    if wants_json(request):
        kind = "value" if status == 422 else "stale"
        return JsonResponse({"error": kind, "message": words, "version": row.version, **more}, status=status)
    return typed_page(request, row, status, words, **more)


def typed_page(
    request: HttpRequest, row: Attempt, status: int, words: str = "", asking: str = "", **more: Any
) -> HttpResponse:
    """The page with everything the form held, and what is wrong: with the answer, or with what was asked."""
    typed = answering.as_typed(request.POST, row)
    if row.desk is None:
        raise Http404
    question = question_of(row, row.desk, draft=typed, scratch=request.POST.get("scratch"), problem=words)
    if question.chat is not None:
        question.chat.typed, question.chat.problem = request.POST.get("question", ""), asking
    kept = {one.note.text for one in question.notes}
    note = request.POST.get("note", "")
    # A note that could not be kept stands in its box; a kept one stands in the list.
    return attempt_page(request, row, status, question=question, note="" if note.strip() in kept else note, **more)


@require_http_methods(["GET", "POST"])
@visit_page(Stage.WORKING)
def attempt_after(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    row = attempt_of(visit, number)
    items = working.items_after(visit, row)
    if not items:
        return lead_on(visit)
    filled = read_items(items, request.POST) if request.method == "POST" else Filled()
    if request.method == "POST" and filled.complete:
        working.keep_lines(visit, row, filled.answers)
        return lead_on(visit)
    form = request.POST if request.method == "POST" else None
    shown = show_items(items, draw_orders(items, f"{visit.seed}"), form, filled)
    more = {"items": shown, "problems": [one for one in shown if one.problem], "attempt": row}
    more["asked"] = requesting.question_text(row)
    context = frame(visit, **more, total=visit.attempts.count(), minutes=minutes_left(visit))
    return render(request, "fieldwork/after.html", context, status=422 if form else 200)


@require_GET
@visit_page(Stage.WORKING)
def attempt_resolve(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """The name behind a typed Id, or what is wrong with it; never whether it is the answer (M8)."""
    attempt_of(visit, number)
    snapshot = snapshot_of(visit.org)
    found = []
    for one in answers.ids_in(request.GET.get("id", ""))[: answers.MOST_RECORDS]:
        known = snapshot.names([one]).get(one)
        problem = answers.id_problem(one, lambda _id, known=known: known is not None)  # type: ignore[misc]
        label = snapshot.registry.object(known[0]).label if known else ""
        found.append({"id": one, "name": known[1] if known else "", "object": label, "problem": problem})
    return JsonResponse({"records": found})
