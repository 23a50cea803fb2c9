"""Ratings: the rows of a visit, what a card needs to be whole, and what is still missing (M3, M16, P-18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.assignment.models import Visit
from study.fieldwork.looks import look_for
from study.fieldwork.models import Rating, RatingKind
from study.people.protocol import file_of
from study.protocols.design import ObjectText
from study.protocols.hour import Card
from study.protocols.markup import fill
from study.protocols.parts import RATHER_NOT, Choice

ORG = "Org"
CANNOT_JUDGE = "cannot_judge"
POINTS = ("1", "2", "3", "4", "5")
SIDES = ("right", "off")
UNSEEN_REASON = "not_seen"
# What looked off is sorted by the participant, so that software is told from data (M10).
OFF_TAGS: Mapping[str, Promise] = {
    "values": gettext_lazy("values"),
    "texts": gettext_lazy("texts"),
    "links": gettext_lazy("links between records"),
    "amount": gettext_lazy("amount or history"),
    "fields": gettext_lazy("set-up of fields"),
    "software": gettext_lazy("screens and software"),
    "other": gettext_lazy("something else"),
}


@dataclass(frozen=True)
class Missing:
    """Something a card still needs: which part of the page, and in words."""

    part: str
    text: str
    hint: str = ""


def texts_of(rating: Rating) -> ObjectText | None:
    """How the rated object is called; None for the Org."""
    return None if rating.kind == RatingKind.ORG else file_of(rating.visit.protocol).object_text(rating.target)


def name_of(rating: Rating) -> str:
    words = texts_of(rating)
    return words.label if words else _("The CRM as a whole")


def card_of(rating: Rating) -> Card:
    part = file_of(rating.visit.protocol).rating
    return part.org if rating.kind == RatingKind.ORG else part.object


def stem_of(rating: Rating) -> str:
    """The question of a card with the object's own words in it, in the middle of a sentence."""
    return filled(rating)(card_of(rating).stem)


def filled(rating: Rating) -> Callable[[str], str]:
    """Fills ``{object}`` and ``{objects}`` in a text of this card; texts of the Org stay as they are."""
    words = texts_of(rating)
    if words is None:
        return str
    return partial(fill, object=inner(words.label), objects=inner(words.plural))


def inner(label: str) -> str:
    """A label inside a sentence: "Knowledge articles" becomes "knowledge articles", "E-mails" "e-mails"."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def reasons_of(rating: Rating) -> tuple[Choice, ...]:
    """Reasons why someone can't judge. Where records are shown first, "not seen" is none (M3)."""
    looked = rating.kind == RatingKind.OBJECT and file_of(rating.visit.protocol).rating.look is not None
    reasons = card_of(rating).cannot_judge_reasons
    return tuple(r for r in reasons if r.code != UNSEEN_REASON) if looked else reasons


def sides_of(visit: Visit) -> list[str]:
    """The text boxes in this person's order."""
    return [side for side in visit.box_order if side in (*SIDES, "why")] or list(SIDES)


def has_tags(visit: Visit) -> bool:
    """A strict replication asks nothing the published study did not ask."""
    return file_of(visit.protocol).meta.kind != "replication"


@transaction.atomic
def prepare(visit: Visit) -> list[Rating]:
    """The visit's ratings in their stored order, made at the first call: the Org, then the objects (M16)."""
    rows = list(visit.ratings.order_by("position"))
    if not rows:
        Visit.objects.select_for_update().get(pk=visit.pk)
        rows = list(visit.ratings.order_by("position")) or _make(visit)
    for row in rows:
        row.visit = visit
    return rows


def _make(visit: Visit) -> list[Rating]:
    order = [api for api in visit.object_order if api != ORG]
    for api in file_of(visit.protocol).arm(visit.arm).rate:
        if api not in order:
            order.append(api)
    Rating.objects.create(visit=visit, kind=RatingKind.ORG, target=ORG, position=0)
    for position, api in enumerate(order, start=1):
        Rating.objects.create(
            visit=visit, kind=RatingKind.OBJECT, target=api, position=position, look_ids=look_for(visit, api)
        )
    return list(visit.ratings.order_by("position"))


def show(rating: Rating) -> None:
    """Remember when a card, and with the first one the rating part, was first on a screen."""
    now = timezone.now()
    if rating.shown_at is None:
        Rating.objects.filter(pk=rating.pk, shown_at__isnull=True).update(shown_at=now)
    visit = rating.visit
    if visit.rating_started_at is None:
        allowed = file_of(visit.protocol).clocks.split_after * 60
        pause = (now - visit.work_ended_at).total_seconds() if visit.work_ended_at else 0
        Visit.objects.filter(pk=visit.pk, rating_started_at__isnull=True).update(
            rating_started_at=now, split=pause > allowed
        )


def visible_length(text: str) -> int:
    """Characters that can be seen, blanks not counted."""
    return sum(1 for c in text if not c.isspace())


def said(rating: Rating) -> int:
    """Visible characters over all boxes of a card."""
    return sum(visible_length(box.text) for box in rating.rationales.all())


def missing_words() -> dict[str, Missing]:
    """What a card can still need, by the part of the page."""
    words = (
        Missing("choice", _("A rating"), _("“I can't judge” counts too.")),
        Missing("reason", _("Why you can't judge"), _("One click.")),
        Missing("why", _("A sentence of why"), _("One of the boxes is enough.")),
    )
    return {one.part: one for one in words}


def missing(rating: Rating) -> list[Missing]:
    """What the card still needs. "I'd rather not say" counts as answered and costs nothing (M16)."""
    if not rating.final:
        part = "choice"
    elif rating.final == CANNOT_JUDGE:
        part = "" if rating.cannot_judge_reason else "reason"
    else:
        part = "" if rating.final == RATHER_NOT or said(rating) else "why"
    return [missing_words()[part]] if part else []


@dataclass(frozen=True)
class Progress:
    """One line of the list of cards."""

    rating: Rating
    name: str
    missing: list[Missing]
    shut: bool

    @property
    def whole(self) -> bool:
        return not self.missing


def progress(visit: Visit) -> list[Progress]:
    """All cards in order with what each still needs; objects stay shut until the Org is rated."""
    prepare(visit)
    rows = list(visit.ratings.prefetch_related("rationales").order_by("position"))
    for row in rows:
        row.visit = visit
    org_open = bool(rows) and rows[0].kind == RatingKind.ORG and not rows[0].final
    return [Progress(row, name_of(row), missing(row), org_open and row.kind != RatingKind.ORG) for row in rows]
