"""The marking room: texts that are not plainly right, one at a time, under names that say nothing of their writers."""

from __future__ import annotations

from collections import Counter

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import SEE_DATA, person, study_for
from study.accounts.models import Study
from study.benchmark.tasks import task_label
from study.fieldwork import marking
from study.fieldwork.grades import outdated
from study.fieldwork.models import Verdict
from study.results.access import text_to_mark

KEYS = (("1", Verdict.RIGHT), ("2", Verdict.PARTLY), ("3", Verdict.WRONG))


@require_GET
def marking_room(request: HttpRequest, code: str) -> HttpResponse:
    """All texts of the study with their state for the person who asks, in the order of the seed."""
    study = study_for(request, code, *SEE_DATA)
    items = marking.queue(study, person(request))
    context = {
        "study": study,
        "tab": "marking",
        "items": [(number, item, task_label(item.attempt.place.task)) for number, item in enumerate(items, 1)],
        "counts": Counter(item.state for item in items),
        "next": marking.next_open(items),
        "markers": marking.plan_of(study).markers,
        "outdated": outdated(study),
    }
    return render(request, "results/marking.html", context)


@require_GET
def marking_text(request: HttpRequest, code: str, token: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    return _text(request, study, token)


@require_POST
def marking_mark(request: HttpRequest, code: str, token: str) -> HttpResponse:
    """Store a mark and go on to the next open text; a mark that cannot be taken leads back with what was typed."""
    study = study_for(request, code, *SEE_DATA)
    me, item = person(request), text_to_mark(request, study, token)
    verdict, note = request.POST.get("verdict", ""), request.POST.get("note", "")
    try:
        marking.mark(study, item, verdict, note, by=me)
    except marking.MarkRefused as error:
        return _text(request, study, token, problem=str(error), typed={"verdict": verdict, "note": note}, status=422)
    following = marking.next_open(marking.queue(study, me), after=token)
    return redirect("marking_text", study.code, following.token) if following else redirect("marking", study.code)


@require_POST
def marking_undo(request: HttpRequest, code: str, token: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    marking.undo(study, text_to_mark(request, study, token), by=person(request))
    return redirect("marking_text", study.code, token)


@require_POST
def marking_markers(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    chosen = request.POST.get("markers", "")
    if chosen in ("1", "2"):
        marking.set_markers(study, int(chosen), by=person(request))
    return redirect("marking", study.code)


def _text(
    request: HttpRequest,
    study: Study,
    token: str,
    *,
    problem: str = "",
    typed: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    items = marking.queue(study, person(request))
    place = next((n for n, item in enumerate(items) if item.token == token), None)
    if place is None:
        raise Http404
    item = items[place]
    own = {"verdict": item.own.verdict, "note": item.own.note} if item.own else {"verdict": "", "note": ""}
    context = {
        "study": study,
        "tab": "marking",
        "item": item,
        "label": task_label(item.attempt.place.task),
        "instance": item.attempt.place.instance,
        "keys": [text or _("No record fits") for text in item.attempt.place.instance.answer],
        "choices": [(key, verdict.value, verdict.label) for key, verdict in KEYS],
        "typed": typed or own,
        "problem": problem,
        "number": place + 1,
        "total": len(items),
        "before": items[place - 1] if place else None,
        "after": items[place + 1] if place + 1 < len(items) else None,
        "longest": marking.LONGEST_NOTE,
    }
    return render(request, "results/marking_text.html", context, status=status)
