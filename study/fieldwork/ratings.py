"""Ratings: the rows of a visit, what a card needs to be whole, and what is still missing (M3, M16, P-18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.typed_text import seen_length
from study.assignment.models import Visit
from study.fieldwork.looks import look_for, offer_again
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
WHY = "why"
OVERALL = "overall"
RATED = (RatingKind.ORG, RatingKind.OBJECT)
"""What is rated before the lock; records and pairs come on cards after it."""
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
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def reasons_of(rating: Rating) -> tuple[Choice, ...]:
    """Reasons why someone can't judge. Where records are shown first, "not seen" is none (M3)."""
    looked = rating.kind == RatingKind.OBJECT and file_of(rating.visit.protocol).rating.look is not None
    reasons = card_of(rating).cannot_judge_reasons
    return tuple(r for r in reasons if r.code != UNSEEN_REASON) if looked else reasons


def sides_of(visit: Visit) -> list[str]:
    """The text boxes of this person's cards in their order: two, or the single one of the protocol (M16)."""
    if file_of(visit.protocol).rating.rationale.boxes == "one":
        return [WHY]
    return [side for side in visit.box_order if side in SIDES] or list(SIDES)


def box_label(visit: Visit, side: str) -> str:
    part = file_of(visit.protocol).rating.rationale
    return {"right": part.right, "off": part.off}.get(side) or part.why or _("Why?")


def is_matrix(visit: Visit) -> bool:
    return file_of(visit.protocol).rating.layout == "matrix"


def cards_of(visit: Visit) -> list[Rating]:
    """The Org and the objects in their stored order: the overall rows, one for each target."""
    rows = visit.ratings.filter(kind__in=RATED, dimension=OVERALL)
    found = list(rows.prefetch_related("rationales").order_by("position"))
    for row in found:
        row.visit = visit
    return found


def has_tags(visit: Visit) -> bool:
    """A strict replication asks nothing the published study did not ask."""
    return file_of(visit.protocol).meta.kind != "replication"


def overall_of(rating: Rating) -> Rating:
    """The overall row of a card; a short question on it stands and falls with that one."""
    if rating.dimension == OVERALL:
        return rating
    row = rating.visit.ratings.get(kind=rating.kind, target=rating.target, dimension=OVERALL)
    row.visit = rating.visit
    return row


def prepare(visit: Visit) -> list[Rating]:
    """The visit's ratings in their stored order, made at the first call: the Org, then the objects (M16)."""
    if rows := cards_of(visit):
        return rows
    with transaction.atomic():
        Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
        if not cards_of(visit):
            _make(visit)
    return cards_of(visit)


def _make(visit: Visit) -> None:
    """Only what was drawn for this person is rated; what an arm has beyond that is missing by design (M15)."""
    file = file_of(visit.protocol)
    drawn = [api for api in visit.object_order if api != ORG]
    dimensions = [one.code for one in file.rating.dimensions]
    Rating.objects.create(visit=visit, kind=RatingKind.ORG, target=ORG, position=0)
    for position, api in enumerate(drawn or [text.api for text in file.rated(visit.arm, visit.condition)], start=1):
        row = {"visit": visit, "kind": RatingKind.OBJECT, "target": api, "position": position}
        Rating.objects.create(**row, look_ids=look_for(visit, api))
        Rating.objects.bulk_create(Rating(**row, dimension=code) for code in dimensions)


def show(rows: Iterable[Rating]) -> None:
    """Remember when cards, and with the first one the rating part, were first on a screen."""
    now = timezone.now()
    for rating in rows:
        same = Rating.objects.filter(visit=rating.visit, kind=rating.kind, target=rating.target, shown_at__isnull=True)
        same.update(shown_at=now)
        if rating.visit.rating_started_at is None:
            Visit.objects.filter(pk=rating.visit.pk, rating_started_at__isnull=True).update(rating_started_at=now)
        offer_again(rating.visit, now)


def visible_length(text: str) -> int:
    """Characters as the eye counts them, blanks not counted."""
    return seen_length("".join(text.split()))


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

    @property
    def url(self) -> str:
        code = self.rating.visit.participant.code
        if is_matrix(self.rating.visit):
            return f"{reverse('rate_all', args=[code])}#row-{self.rating.target}"
        return reverse("rate", args=[code, self.rating.target])


def progress(visit: Visit) -> list[Progress]:
    """All cards in order with what each still needs; objects stay shut until the Org is rated."""
    rows = prepare(visit)
    shut = not is_matrix(visit) and any(row.kind == RatingKind.ORG and not row.final for row in rows)
    return [Progress(row, name_of(row), missing(row), shut and row.kind != RatingKind.ORG) for row in rows]


def org_comes_first(visit: Visit) -> bool:
    """Whether the objects wait for the Org. In the published form all stood on one page."""
    return not is_matrix(visit) and visit.ratings.filter(kind=RatingKind.ORG, final="").exists()
