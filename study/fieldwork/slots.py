"""The places a save can go to: each knows its row, its version, what it takes and when it is closed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from study.accounts.typed_text import visible_text
from study.assignment.models import Visit
from study.fieldwork import looks, modules, ratings, typing_facts
from study.fieldwork.answers import BadValue, TooLong, draft_from, typed
from study.fieldwork.models import Attempt, ClosingAnswer, Rating, RatingKind, Rationale
from study.people.items import read_items
from study.people.models import Stage
from study.people.protocol import file_of
from study.protocols.parts import RATHER_NOT, Item

Stored = tuple[int, Any, datetime | None]


class UnknownField(LookupError):
    """The visit has no field of this name."""


class Closed(Exception):
    """The part of the hour this field belongs to is over, or has not begun; the text says so."""


class Slot:
    """One saved thing of a visit. ``stored()`` is (version, value, when); version 0 is never saved."""

    stage: ClassVar[str]

    def __init__(self, visit: Visit, field: str) -> None:
        self.visit, self.field = visit, field

    def check_open(self) -> None:
        self.visit.participant.refresh_from_db(fields=["stage", "end"])
        self.visit.refresh_from_db(fields=["done_at"])
        over = self.visit.participant.end or self.visit.done_at
        if over or self.visit.participant.stage != self.stage:
            raise Closed(_("This part is closed. What had arrived before is kept as it was."))

    def stored(self) -> Stored:
        raise NotImplementedError

    def clean(self, value: Any) -> Any:
        raise NotImplementedError

    def write(self, value: Any, base: int, now: datetime) -> bool:
        """``UPDATE … WHERE version = base``; False when the version has moved on."""
        raise NotImplementedError


class AttemptSlot(Slot):
    stage = Stage.WORKING

    def __init__(self, visit: Visit, field: str, attempt: Attempt) -> None:
        super().__init__(visit, field)
        self.attempt = attempt

    def check_open(self) -> None:
        super().check_open()
        if self.attempt.outcome or not self.attempt.started_at:
            raise Closed(_("This question is closed. What had arrived before is kept as it was."))

    def stored(self) -> Stored:
        row = Attempt.objects.get(pk=self.attempt.pk)
        return row.version, row.draft or None, None

    def clean(self, value: Any) -> Any:
        draft = draft_from(value, self.attempt.place.instance.answer_type)
        if draft.withheld and not file_of(self.visit.protocol).work.confidentiality:
            raise BadValue(_("This is not an answer."))
        return draft.to_json()

    def write(self, value: Any, base: int, now: datetime) -> bool:
        rows = Attempt.objects.filter(pk=self.attempt.pk, version=base, outcome="")
        return bool(rows.update(draft=value, version=base + 1))


class RatingSlot(Slot):
    stage = Stage.RATING

    def __init__(self, visit: Visit, field: str, rating: Rating) -> None:
        super().__init__(visit, field)
        self.rating = rating

    def stored(self) -> Stored:
        row = Rating.objects.get(pk=self.rating.pk)
        return row.version, {"choice": row.final, "reason": row.cannot_judge_reason}, row.final_at

    def clean(self, value: Any) -> Any:
        given = value if isinstance(value, dict) else {}
        choice, reason = str(given.get("choice") or ""), str(given.get("reason") or "")
        if choice not in (*ratings.POINTS, ratings.CANNOT_JUDGE, RATHER_NOT):
            raise BadValue(_("Choose one of the options."))
        if self.rating.kind != RatingKind.ORG and ratings.org_comes_first(self.visit):
            raise BadValue(_("The CRM as a whole comes first."))
        if choice in ratings.POINTS and not looks.may_rate(ratings.overall_of(self.rating)):
            raise BadValue(_("Open one of the records first; then the options open."))
        if choice != ratings.CANNOT_JUDGE:
            return {"choice": choice, "reason": ""}
        if reason and reason not in {r.code for r in ratings.reasons_of(self.rating)}:
            raise BadValue(_("Choose one of the reasons."))
        return {"choice": choice, "reason": reason}

    def write(self, value: Any, base: int, now: datetime) -> bool:
        row = Rating.objects.get(pk=self.rating.pk)
        changes: dict[str, Any] = {
            "final": value["choice"],
            "cannot_judge_reason": value["reason"],
            "final_at": now,
            "version": base + 1,
        }
        if not row.first:
            changes |= {"first": value["choice"], "first_at": now}
        elif row.final != value["choice"]:
            changes["changes"] = F("changes") + 1
        return bool(Rating.objects.filter(pk=row.pk, version=base, locked_at__isnull=True).update(**changes))


class CardSlot(RatingSlot):
    """The choice on a card shown after the lock: a point, or for a pair the first or the second of both."""

    stage = Stage.LOCKED

    def clean(self, value: Any) -> Any:
        choice = str((value if isinstance(value, dict) else {}).get("choice") or "")
        points = ratings.POINTS[:2] if self.rating.kind == RatingKind.PAIR else ratings.POINTS
        if choice not in (*points, ratings.CANNOT_JUDGE, RATHER_NOT):
            raise BadValue(_("Choose one of the options."))
        return {"choice": choice, "reason": ""}


class RationaleSlot(Slot):
    stage = Stage.RATING

    def __init__(self, visit: Visit, field: str, rating: Rating, side: str) -> None:
        super().__init__(visit, field)
        self.rating, self.side = rating, side
        self.facts: Any = None

    def stored(self) -> Stored:
        row = Rationale.objects.filter(rating=self.rating, side=self.side).first()
        return (row.version, {"text": row.text, "tags": row.tags}, row.changed_at) if row else (0, None, None)

    def clean(self, value: Any) -> Any:
        given = value if isinstance(value, dict) else {}
        tags = given.get("tags") or []
        if not isinstance(tags, list) or any(not isinstance(tag, str) or tag not in ratings.OFF_TAGS for tag in tags):
            raise BadValue(_("Choose from the list."))
        self.facts = given.get("facts")
        allowed = self.side == "off" and ratings.has_tags(self.visit)
        return {"text": typed(given.get("text") or ""), "tags": [t for t in ratings.OFF_TAGS if t in tags and allowed]}

    def write(self, value: Any, base: int, now: datetime) -> bool:
        changes = {"text": value["text"], "tags": value["tags"], "changed_at": now, "version": base + 1}
        changes |= typing_facts.columns_for(self.visit, self.facts, value["text"])
        if base:
            rows = Rationale.objects.filter(rating=self.rating, side=self.side, version=base)
            return bool(rows.update(**changes))
        try:
            with transaction.atomic():
                Rationale.objects.create(rating=self.rating, side=self.side, **changes)
        except IntegrityError:
            return False
        return True


class ClosingSlot(Slot):
    """An item after the ratings. Its value is what the form held: {field name: [values]}, see ``people.items``."""

    stage = Stage.LOCKED

    def __init__(self, visit: Visit, field: str, item: Item) -> None:
        super().__init__(visit, field)
        self.item = item

    def stored(self) -> Stored:
        row = ClosingAnswer.objects.filter(visit=self.visit, item=self.item.id).first()
        return (row.version, row.value, row.saved_at) if row and row.version else (0, None, None)

    def clean(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise BadValue(_("This is not an answer."))
        form: MultiValueDict[str, str] = MultiValueDict()
        for name, many in value.items():
            form.setlist(str(name), [typed(one) for one in (many if isinstance(many, list) else [many])])
        filled = read_items([self.item], form)
        if filled.too_long:
            raise TooLong(_("This text is longer than fits. Nothing was cut; make it shorter."))
        if filled.refused:
            raise BadValue(_("Choose one of the options."))
        asked = {key: text for key, text in filled.answers.items() if key != self.item.id}
        answer = filled.answers.get(self.item.id)
        return {"choice": answer, "asked": asked} if asked else answer

    def write(self, value: Any, base: int, now: datetime) -> bool:
        changes = {"value": value, "saved_at": now, "version": base + 1}
        row, _made = ClosingAnswer.objects.get_or_create(visit=self.visit, item=self.item.id)
        return bool(ClosingAnswer.objects.filter(pk=row.pk, version=base).update(**changes))


def is_position(text: str) -> bool:
    """A number as it is written in a field's name: one name for one place."""
    return text.isascii() and text.isdecimal() and len(text) < 4 and text == str(int(text))


def slot_for(visit: Visit, field: str) -> Slot:
    """The slot a field names. Raises UnknownField for anything this visit does not have."""
    from study.fieldwork.slots_work import scratch_slot

    # No database takes NUL or half a character as a name; no page sends them.
    if not isinstance(field, str) or visible_text(field) != field:
        raise UnknownField(field)
    kind, *rest = field.split("/")
    if kind == "attempt" and len(rest) == 1 and is_position(rest[0]):
        attempt = visit.attempts.select_related("place__instance").filter(position=int(rest[0])).first()
        if attempt is not None:
            return AttemptSlot(visit, field, attempt)
    if kind == "scratch" and len(rest) == 1 and (pad := scratch_slot(visit, field, rest[0])):
        return pad
    if kind == "rating" and len(rest) in (1, 2) and (rating := _rating(visit, *rest)):
        return RatingSlot(visit, field, rating)
    if (
        kind == "rationale"
        and len(rest) == 2
        and rest[1] in ratings.sides_of(visit)
        and (rating := _rating(visit, rest[0]))
    ):
        return RationaleSlot(visit, field, rating, rest[1])
    if kind == "card" and len(rest) == 1:
        card = visit.ratings.filter(kind__in=[RatingKind.RECORD, RatingKind.PAIR], target=rest[0]).first()
        if card is not None:
            return CardSlot(visit, field, card)
    if kind == "closing" and len(rest) == 1 and (item := modules.items_of(visit).get(rest[0])) is not None:
        return ClosingSlot(visit, field, item)
    raise UnknownField(field)


def _rating(visit: Visit, target: str, dimension: str = ratings.OVERALL) -> Rating | None:
    row = visit.ratings.filter(target=target, dimension=dimension, kind__in=ratings.RATED).first()
    if row is not None:
        row.visit = visit
    return row
