"""A card of a rating as a page draws it and as it comes back: on a page of its own, or as a row of the matrix."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from study.accounts.typed_text import left_out
from study.fieldwork import evidence, looks, ratings, saving, typing_facts
from study.fieldwork.answers import BadValue
from study.fieldwork.evidence import Chip, Offer
from study.fieldwork.hinting import Hit, hits
from study.fieldwork.models import Rating, Rationale
from study.fieldwork.slots import Closed
from study.people.protocol import file_of
from study.protocols.design import ObjectText
from study.protocols.hour import ScaleOption
from study.protocols.parts import RATHER_NOT, Choice


@dataclass(frozen=True)
class CardForm:
    """The fields of one card in what was posted; in the matrix their names begin with the target."""

    data: QueryDict
    prefix: str = ""

    def get(self, name: str, default: str = "") -> str:
        return str(self.data.get(self.prefix + name, default))

    def all(self, name: str) -> list[str]:
        return self.data.getlist(self.prefix + name)

    def has(self, name: str) -> bool:
        return self.prefix + name in self.data


@dataclass(frozen=True)
class Box:
    """One text box with what belongs to it."""

    side: str
    label: str
    text: str
    version: int
    tags: list[str]
    has_tags: bool
    facts: str
    chips: list[Chip]
    offers: list[Offer]
    names: list[Hit]
    save_id: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True)
class Scale:
    """A question on the five points: the card's own, or a short one after it."""

    name: str
    text: str
    choice: str
    version: int
    save_id: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True)
class CardPage:
    rating: Rating
    prefix: str
    name: str
    words: ObjectText | None
    stem: str
    options: list[tuple[str, ScaleOption]]
    reasons: tuple[Choice, ...]
    may_rate: bool
    scale: Scale
    reason: str
    dimensions: list[Scale]
    boxes: list[Box]
    missing: list[ratings.Missing]
    measured: bool
    problem: str = ""
    hint: str = ""

    @property
    def evidence(self) -> bool:
        return evidence.is_on(self.rating.visit)


def card_page(row: Rating, form: CardForm | None = None, *, prefix: str = "", names: Names | None = None,
              **more: str) -> CardPage:  # fmt: skip
    """The card as it stands; ``form`` is what was just typed, ``names`` what in the texts may name somebody."""
    choice, reason = row.final, row.cannot_judge_reason
    if form is not None:
        choice, reason = form.get("choice", choice), form.get("reason", reason)
    return CardPage(
        rating=row, prefix=prefix, name=ratings.name_of(row), words=ratings.texts_of(row), stem=ratings.stem_of(row),
        options=list(zip(ratings.POINTS, ratings.card_of(row).options, strict=True)), reasons=ratings.reasons_of(row),
        may_rate=looks.may_rate(row), scale=Scale("choice", "", choice, row.version), reason=reason,
        dimensions=_dimensions(row, form), boxes=_boxes(row, form, names or {}), missing=ratings.missing(row),
        measured=typing_facts.measured(row.visit), **more,
    )  # fmt: skip


def _boxes(row: Rating, form: CardForm | None, names: Names) -> list[Box]:
    kept = {box.side: box for box in row.rationales.all()}
    with_evidence = evidence.is_on(row.visit)
    chips = evidence.chips_of(row) if with_evidence else {}
    offers = evidence.offers_for(row) if with_evidence else []
    return [
        Box(
            side, ratings.box_label(row.visit, side), *_typed(kept.get(side), form, side),
            has_tags=side == "off" and ratings.has_tags(row.visit), facts=typing_facts.stored(kept.get(side)),
            chips=chips.get(side, []), offers=offers, names=names.get(side, []),
        )
        for side in ratings.sides_of(row.visit)
    ]  # fmt: skip


def box_of(row: Rating, side: str) -> Box:
    """One box as stored."""
    return next(box for box in _boxes(row, None, {}) if box.side == side)


def _typed(stored: Rationale | None, form: CardForm | None, side: str) -> tuple[str, int, list[str]]:
    """Text, version and tags of a box: what was just typed, else what is stored."""
    text, version, tags = (stored.text, stored.version, stored.tags) if stored else ("", 0, [])
    if form is None:
        return text, version, tags
    return form.get(side, text), version, form.all("tags") if side == "off" else tags


def _dimensions(row: Rating, form: CardForm | None) -> list[Scale]:
    asked = file_of(row.visit.protocol).rating.dimensions
    if not asked:
        return []
    of_target = row.visit.ratings.filter(kind=row.kind, target=row.target).exclude(dimension=ratings.OVERALL)
    stored = {one.dimension: one for one in of_target}
    fill = ratings.filled(row)
    return [
        Scale(name, fill(one.text), form.get(name, made.final) if form else made.final, made.version)
        for one in asked
        if (made := stored.get(one.code)) and (name := f"dimension_{one.code}")
    ]


def keep(row: Rating, form: CardForm) -> None:
    """Save a posted card, each part with the version it began from. One that is refused keeps none of the others
    from being saved; the first refusal is raised then: BadValue, Stale or Closed.
    """
    refused: list[Exception] = []
    for part in _parts(row, form):
        try:
            saving.save(row.visit, **part, form=True)
        except (BadValue, saving.Stale, Closed) as one:
            refused.append(one)
    for side in ratings.sides_of(row.visit):
        facts = typing_facts.columns_for(row.visit, form.get(f"facts_{side}"), form.get(side))
        if facts:
            Rationale.objects.filter(rating=row, side=side, rating__locked_at=None).update(**facts)
    if refused:
        raise refused[0]


def _parts(row: Rating, form: CardForm) -> list[dict[str, Any]]:
    """What a posted card holds, as saves."""
    parts = []
    if form.get("choice"):
        value: dict[str, Any] = {"choice": form.get("choice"), "reason": form.get("reason")}
        parts.append(_part(form, "", f"rating/{row.target}", value, row.version))
    for scale in _dimensions(row, None):
        if form.get(scale.name):
            name = f"rating/{row.target}/{scale.name.removeprefix('dimension_')}"
            parts.append(_part(form, f"_{scale.name}", name, {"choice": form.get(scale.name)}, scale.version))
    for side in ratings.sides_of(row.visit):
        stored = row.rationales.filter(side=side).first()
        tags = form.all("tags") if side == "off" else []
        if form.has(side) and (form.get(side).strip() or tags or stored is not None):
            value = {"text": form.get(side), "tags": tags, "facts": form.get(f"facts_{side}")}
            version = stored.version if stored else 0
            parts.append(_part(form, f"_{side}", f"rationale/{row.target}/{side}", value, version))
    return parts


def _part(form: CardForm, suffix: str, name: str, value: Any, version: int) -> dict[str, Any]:
    base = saving.version_in(form.get(f"version{suffix}") or None, version)
    return {"field": name, "value": value, "base": base, "save_id": form.get(f"save_id{suffix}") or uuid.uuid4().hex}


def unseen_in(row: Rating, form: CardForm) -> int:
    """Characters of the posted texts that were left out, since nobody can see them."""
    return sum(left_out(form.get(side)) for side in ratings.sides_of(row.visit))


Names = dict[str, list[Hit]]


def names_to_ask(row: Rating) -> Names:
    """What in the texts of a card may name somebody, by side. Each text is asked about once (M20)."""
    found: Names = {}
    for box in row.rationales.filter(hinted=False).exclude(text=""):
        if seen := hits(box.text):
            found[box.side] = seen
            Rationale.objects.filter(pk=box.pk).update(hinted=True)
    return found


def short_hint(row: Rating) -> str:
    """A kind line where little was said (M16); empty where it was enough, or nothing is asked for."""
    part = file_of(row.visit.protocol).rating.rationale
    short = row.final in ratings.POINTS and ratings.said(row) < part.hint_below
    return part.hint if short and not ratings.missing(row) else ""


def in_words(row: Rating, value: Any) -> str:
    """A stored text or choice as the person read it."""
    if not isinstance(value, dict):
        return ""
    labels = {point: option.label for point, option in zip(ratings.POINTS, ratings.card_of(row).options, strict=True)}
    file = file_of(row.visit.protocol)
    labels |= {ratings.CANNOT_JUDGE: file.rating.cannot_judge.label, RATHER_NOT: file.wording.rather_not}
    return str(value.get("text") or labels.get(value.get("choice", ""), ""))
