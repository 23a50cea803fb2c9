"""The published matrix: every rating on one page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from study.assignment.models import Visit
from study.fieldwork import evidence, matrix, ratings
from study.fieldwork.views.rating import say_left_out, words_of_page
from study.fieldwork.visits import frame, visit_page
from study.people.models import Stage


def late(request: HttpRequest, visit: Visit) -> None:
    """What the form held when the ratings were locked."""
    if ratings.is_matrix(visit) and ratings.cards_of(visit):
        matrix.take(visit, request.POST)


@require_http_methods(["GET", "POST"])
@visit_page(Stage.RATING, late=late)
def rate_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    if not ratings.is_matrix(visit):
        return redirect("ratings", visit.participant.code)
    if request.method == "GET":
        ratings.show(ratings.prepare(visit))
        return page(request, visit)
    done = matrix.take(visit, request.POST)
    say_left_out(request, done.left_out)
    if done.problems:
        words = _("Something could not be saved; it stands beside its row.")
        return page(request, visit, 422, posted=done, data=request.POST, problem=words)
    later = request.POST.get("act") == "later"
    if not later and any(not line.whole for line in ratings.progress(visit)):
        return page(request, visit, 422, posted=done, problem=_("Something is still missing; the list says what."))
    if not later and matrix.ask(visit, done, bool(request.POST.get("hinted"))).asks:
        return page(request, visit, posted=done, hinted=True)
    return redirect("lock", visit.participant.code)


def page(request: HttpRequest, visit: Visit, status: int = 200, *, posted: Any = None, data: Any = None,
         **more: Any) -> HttpResponse:  # fmt: skip
    lines = ratings.progress(visit)
    context = frame(
        visit, blocks=matrix.blocks(visit, data, posted), lines=lines, still=[one for one in lines if not one.whole],
        tags=ratings.OFF_TAGS, notes=evidence.notes_for(lines[0].rating), words_of_page=words_of_page(),
    )  # fmt: skip
    return render(request, "fieldwork/matrix.html", context | more, status=status)
