"""What a condition may be compared with, while its value is typed: records, values of a picklist, Yes and No."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.folding import fold
from study.sandbox.engine.queryspec import Group, Measure, Order, QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.search import Hit, described
from study.sandbox.engine.typing_ahead import type_ahead
from study.sandbox.engine.words import MAX_LENGTH
from study.sandbox.gui.fieldpaths import FieldPath, targets_of
from study.sandbox.gui.naming import names_of
from study.sandbox.gui.rooms import Room

MOST = 6
MOST_VALUES = 60
SECONDS = 0.25


@dataclass(frozen=True)
class ValueChoice:
    """A value for the address, its words, and for records what tells two of one name apart."""

    value: str
    words: str
    second: str = ""


def value_choices(room: Room, path: FieldPath, text: str) -> list[ValueChoice]:
    """The first values that fit what was typed so far; nothing for numbers, dates and plain texts."""
    text = text.strip()[:MAX_LENGTH]
    if path.field.type == "reference":
        return _records(room, path, text)
    if path.field.type == "boolean":
        return _fitting([_("Yes"), _("No")], text)
    if path.field.type == "picklist" and path.formula is None:
        return _fitting(list(path.field.values) or _values_held(room, path), text)
    return []


def _fitting(words: list[str], text: str) -> list[ValueChoice]:
    """Those that begin with the text first, then those that hold it."""
    typed = fold(text)
    held = [one for one in words if typed in fold(one)]
    held.sort(key=lambda one: not fold(one).startswith(typed))
    return [ValueChoice(one, one) for one in held[: MOST * 2]]


def _values_held(room: Room, path: FieldPath) -> list[str]:
    name = path.field.name
    counted = (Measure("count", alias="n"),)
    order = (Order("n", descending=True),)
    spec = QuerySpec(
        path.owner.name, groups=(Group(name, alias="value"),), measures=counted, order=order, limit=MOST_VALUES
    )
    return [str(row[0]) for row in _soon(room, spec) if row[0] not in {None, ""}]


def _soon(room: Room, spec: QuerySpec) -> list[tuple[Any, ...]]:
    """The rows, or none where they take longer than somebody who types waits."""
    try:
        return list(room.snapshot.kept(spec, room.desk.today, SECONDS).rows)
    except QueryTimeout:
        return []


def _records(room: Room, path: FieldPath, text: str) -> list[ValueChoice]:
    hits: list[Hit] = []
    for target in targets_of(room.registry, path.field):
        left = MOST - len(hits)
        if left and room.count_of(target.name):
            hits += type_ahead(room.snapshot, text, target.name, left) if text else _first(room, target, left)
    known = {target.name for target in targets_of(room.registry, path.field)}
    hits = [hit for hit in dict.fromkeys(hits) if hit.object in known]
    names = names_of(room.snapshot, [hit.id for hit in hits])
    return [ValueChoice(hit.id, names.get(hit.id, hit.name), _second(hit, names)) for hit in hits]


def _second(hit: Hit, names: dict[str, str]) -> str:
    return hit.second if hit.second != names.get(hit.id) else ""


def _first(room: Room, target: ObjectDef, limit: int) -> list[Hit]:
    """Before anything is typed: the first by name."""
    spec = QuerySpec(target.name, select=("Id",), order=(Order(target.name_field),), limit=limit)
    return described(room.snapshot, target, [row[0] for row in _soon(room, spec)])
