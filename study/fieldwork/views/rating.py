"""The ratings: one card per target, the look before it, and the lock after the last."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.assignment.models import Visit
from study.fieldwork import card_pages, evidence, locking, looks, ratings, saving, working
from study.fieldwork.answers import BadValue
from study.fieldwork.card_pages import CardForm
from study.fieldwork.models import Rating
from study.fieldwork.slots import Closed
from study.fieldwork.visits import frame, visit_page
from study.people.models import Stage
from study.people.protocol import file_of
from study.sandbox.models import Purpose


def rating_of(visit: Visit, target: str) -> Rating:
    """One of the visit's own cards; 404 for a target it does not have."""
    row = next((row for row in ratings.prepare(visit) if row.target == target), None)
    if row is None:
        raise Http404
    return row


@require_GET
@visit_page(Stage.RATING)
def overview(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Leads to the first card that still needs something, or to the lock."""
    following = next((line for line in ratings.progress(visit) if not line.whole), None)
    return redirect(following.url) if following else redirect("lock", visit.participant.code)


def late(request: HttpRequest, visit: Visit, target: str) -> None:
    """What a card held when the ratings were locked."""
    if "version" in request.POST and (row := next((r for r in ratings.cards_of(visit) if r.target == target), None)):
        card_pages.keep(row, CardForm(request.POST))


@require_http_methods(["GET", "POST"])
@visit_page(Stage.RATING, late=late)
def rate(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    lines = ratings.progress(visit)
    line = next((line for line in lines if line.rating.target == target), None)
    if line is None:
        raise Http404
    row = line.rating
    if ratings.is_matrix(visit):
        return redirect(line.url)
    if line.shut:
        return redirect("rate", visit.participant.code, ratings.ORG)
    if request.method == "POST":
        return take(request, row)
    ratings.show([row])
    return card(request, row, lines=lines)


def card(request: HttpRequest, row: Rating, status: int = 200, typed: CardForm | None = None, names: Any = None,
         lines: list[ratings.Progress] | None = None, **more: Any) -> HttpResponse:  # fmt: skip
    visit, file = row.visit, file_of(row.visit.protocol)
    lines = lines or ratings.progress(visit)
    here = next(n for n, line in enumerate(lines) if line.rating.pk == row.pk)
    row = lines[here].rating
    has_look = row.target != ratings.ORG and file.rating.look is not None
    fillable = ratings.filled(row)
    context = frame(
        visit,
        card=card_pages.card_page(row, typed, names=names), rating=row, lines=lines, number=here + 1,
        look=looks.look_records(row) if has_look else [], looks=has_look,
        look_intro=fillable(file.rating.look.intro) if file.rating.look else "",
        look_unfamiliar=fillable(file.rating.look.unfamiliar) if file.rating.look else "",
        tags=ratings.OFF_TAGS, following=next(iter(lines[here + 1 :]), None), notes=evidence.notes_for(row),
        words_of_page=words_of_page(), desk=working.desk_for_part(visit, Purpose.RATING),
    )  # fmt: skip
    return render(request, "fieldwork/card.html", context | more, status=status)


def words_of_page() -> dict[str, Any]:
    """What the scripts of the rating pages say."""
    return {
        "missing": {part: [one.text, one.hint] for part, one in ratings.missing_words().items()},
        "left_out": _("Characters that can't be seen were left out of this text. Nothing else was changed."),
        "still": _("Still missing"),
        "attached": _("Attached."),
        "removed": _("Removed."),
        "copied": _("Copied into the box."),
    }


def take(request: HttpRequest, row: Rating) -> HttpResponse:
    """Save a posted card; then on to the next, or say what is missing, or ask once."""
    form = CardForm(request.POST)
    try:
        card_pages.keep(row, form)
    except (BadValue, saving.Stale, Closed) as refused:
        return card(request, row, typed=form, **explained(row, refused))
    say_left_out(request, card_pages.unseen_in(row, form))
    row = rating_of(row.visit, row.target)
    if request.POST.get("act") == "later":
        return onward(row)
    if ratings.missing(row):
        return card(request, row, 422, problem=_("Something is still missing here; the list says what."), pressed=True)
    names = card_pages.names_to_ask(row)
    hint = "" if request.POST.get("hinted") else card_pages.short_hint(row)
    return card(request, row, hint=hint, names=names) if hint or names else onward(row)


def explained(row: Rating, refused: Exception) -> dict[str, Any]:
    """A refusal as the page says it."""
    if isinstance(refused, saving.Stale):
        words = _("Another tab has saved something else since. Yours stands in the fields; send it again to keep it.")
        return {"status": 409, "problem": words, "stored": card_pages.in_words(row, refused.stored.value)}
    return {"status": 409 if isinstance(refused, Closed) else 422, "problem": str(refused)}


def say_left_out(request: HttpRequest, count: int) -> None:
    if count:
        words = ngettext(
            "%(n)d character that can't be seen was left out of your text. Nothing else was changed.",
            "%(n)d characters that can't be seen were left out of your text. Nothing else was changed.",
            count,
        )
        messages.info(request, words % {"n": count})


def onward(row: Rating) -> HttpResponse:
    """The card after this one; after the last, the lock."""
    after = next((one for one in ratings.cards_of(row.visit) if one.position > row.position), None)
    code = row.visit.participant.code
    return redirect("rate", code, after.target) if after else redirect("lock", code)


@require_POST
@visit_page(Stage.RATING)
def unfamiliar(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """ "I don't know this kind of record": the options open without a look (M3)."""
    looks.do_not_know(rating_of(visit, target))
    return redirect("rate", visit.participant.code, target)


@require_GET
@visit_page(Stage.RATING)
def seen(request: HttpRequest, visit: Visit, target: str) -> HttpResponse:
    """Whether the options are open by now, for a card that has a record open in another tab."""
    row = rating_of(visit, target)
    opened = [one.id for one in looks.look_records(row) if one.opened] if row.target != ratings.ORG else []
    return JsonResponse({"may_rate": looks.may_rate(row), "opened": opened})


@require_http_methods(["GET", "POST"])
@visit_page(Stage.RATING)
def lock(request: HttpRequest, visit: Visit) -> HttpResponse:
    lines = ratings.progress(visit)
    still = [line for line in lines if not line.whole]
    posted = request.method == "POST"
    if posted and (not still or request.POST.get("leave_open") == "yes"):
        locking.lock(visit)
        return redirect("closing", visit.participant.code)
    # Whoever left a card by another way than its button is asked here.
    names = [(line, found) for line in lines if (found := card_pages.names_to_ask(line.rating))]
    context = frame(visit, lines=lines, still=still, pressed=posted, names=names, matrix=ratings.is_matrix(visit))
    return render(request, "fieldwork/lock.html", context, status=422 if posted else 200)
