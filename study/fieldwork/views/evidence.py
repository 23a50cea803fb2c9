"""Evidence on a card: what can be attached, attaching, removing, narrowing to a field. Each works by posting alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from study.assignment.models import Visit
from study.fieldwork import card_pages, evidence, ratings, saving, working
from study.fieldwork.answers import BadValue
from study.fieldwork.card_pages import CardForm
from study.fieldwork.models import Rating
from study.fieldwork.slots import Closed
from study.fieldwork.views import rating as cards
from study.fieldwork.visits import frame, visit_page
from study.people.models import Stage
from study.sandbox.models import Purpose


@require_GET
@visit_page(Stage.RATING)
def offered(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """The evidence of one box as it stands now, for a card whose person comes back from a record."""
    return fragment(request, row_with_evidence(visit, target), request.GET.get("side", ""))


@require_POST
@visit_page(Stage.RATING, late=cards.late)
def attach(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """``attach`` is ``side:record:field``, the field empty for the whole record."""
    side, _colon, what = request.POST.get("attach", "").partition(":")
    record, _colon, name = what.partition(":")
    row = row_with_evidence(visit, target)
    if side not in ratings.sides_of(visit):
        raise Http404
    return done(request, row, lambda: evidence.attach(row, side, record, name))


@require_POST
@visit_page(Stage.RATING, late=cards.late)
def detach(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """``detach`` is the number of a chip."""
    row = row_with_evidence(visit, target)
    return done(request, row, lambda: evidence.remove(row, number(request.POST.get("detach", ""))))


@require_POST
@visit_page(Stage.RATING, late=cards.late)
def narrow(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """``narrow`` is ``chip:field``, the field empty for the whole record."""
    chip, _colon, name = request.POST.get("narrow", "").partition(":")
    row = row_with_evidence(visit, target)
    return done(request, row, lambda: evidence.narrow(row, number(chip), name))


def number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else 0


def row_with_evidence(visit: Visit, target: str) -> Rating:
    row = cards.rating_of(visit, target)
    if not evidence.is_on(visit):
        raise Http404
    return row


def done(request: HttpRequest, row: Rating, act: Callable[[], str]) -> HttpResponse:
    """Do it and show the box again: alone for the script, else the whole card, whose texts are saved on the way."""
    alone = request.headers.get("X-Part") == "box"
    try:
        if not alone and "version" in request.POST:
            card_pages.keep(row, CardForm(request.POST))
        side = act()
    except evidence.NotOpen:
        return redirect("closing", row.visit.participant.code)
    except (BadValue, saving.Stale, Closed) as refused:
        if alone:
            return HttpResponse(str(refused), status=422, content_type="text/plain; charset=utf-8")
        return cards.card(request, row, typed=CardForm(request.POST), **cards.explained(row, refused))
    if alone:
        return fragment(request, row, side)
    there = f"#box-{side}" if side else ""
    return redirect(f"{ratings.Progress(row, '', [], False).url}{there}")


def fragment(request: HttpRequest, row: Rating, side: str) -> HttpResponse:
    if side not in ratings.sides_of(row.visit):
        raise Http404
    context: dict[str, Any] = frame(
        row.visit, rating=row, box=card_pages.box_of(row, side), desk=working.desk_for_part(row.visit, Purpose.RATING)
    )
    return render(request, "fieldwork/_evidence.html", context)
