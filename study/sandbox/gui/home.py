"""The home page of a desk: key numbers, what is due, what came last, what one looked at and kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import UnknownField
from study.sandbox.engine.folding import fold
from study.sandbox.engine.queryspec import Group, Measure, QuerySpec
from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.gui.fieldpaths import field_path
from study.sandbox.gui.listing import ListView, newest
from study.sandbox.gui.presenting import number_words
from study.sandbox.gui.recent import Recent, recent_records
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.saved import favourites_of
from study.sandbox.gui.terms import SEPARATOR

LATEST = 8
SHOWN = 6
MOST_NUMBERS = 4
# Objects whose work goes through states, with the field that says which.
FLOWS = (("Case", "Status"), ("Opportunity", "StageName"), ("Lead", "Status"), ("Quote", "Status"), ("Order", "Status"))
_DONE = ("closed", "completed", "accepted", "rejected", "denied", "activated", "converted", "qualified", "unqualified")
_CURRENCY = "CurrencyIsoCode"


@dataclass(frozen=True)
class KeyNumber:
    """How many records are in some state, and the list of them."""

    item: ObjectDef
    words: str
    n: int
    url: str


@dataclass(frozen=True)
class Stage:
    """One step of a flow: how many records stand there, what they add up to, the list of them, its bar in percent."""

    name: str
    n: int
    amount: str
    url: str
    bar: float


@dataclass(frozen=True)
class Flow:
    item: ObjectDef
    field: FieldDef
    stages: tuple[Stage, ...]


def flow_field(item: ObjectDef) -> FieldDef | None:
    """The field that says where a record stands on its way, else the object's first picklist."""
    named = dict(FLOWS).get(item.name)
    if named and item.has(named):
        return item.field(named)
    return next((field for field in item.fields if field.type == "picklist"), None)


@dataclass(frozen=True)
class Home:
    """Everything the home page shows."""

    room: Room

    def _list(self, name: str, pairs: list[tuple[str, str]]) -> ListView | None:
        """A list of an object, or None where the Org has no such object or field, or no record of it."""
        if not self.room.registry.has(name) or not self.room.count_of(name):
            return None
        try:
            return ListView(self.room, self.room.registry.object(name), QueryDict(urlencode(pairs)))
        except UnknownField:
            return None

    @cached_property
    def numbers(self) -> list[KeyNumber]:
        """What is open, object by object."""
        found = []
        for name, field in FLOWS:
            view = self._list(name, self._open(name, field))
            if view is not None and view.criteria.size:
                words = _("Open %(plural)s") % {"plural": view.item.plural}
                found.append(KeyNumber(view.item, words, view.total, view.address()))
        return found[:MOST_NUMBERS]

    def _open(self, name: str, field: str) -> list[tuple[str, str]]:
        """The condition that a record is not done: none of the states that end its way."""
        if not self.room.registry.has(name) or not self.room.registry.object(name).has(field):
            return []
        values = self.room.registry.object(name).field(field).values
        done = [value for value in values if any(fold(value).startswith(word) for word in _DONE)]
        return [("c", field), ("o", "not_in"), ("v", SEPARATOR.join(done))] if done else []

    @cached_property
    def due(self) -> ListView | None:
        """Open tasks up to today, the latest first."""
        today = self.room.desk.today.isoformat()
        pairs = [("c", "Status"), ("o", "ne"), ("v", "Completed"), ("c", "ActivityDate"), ("o", "le"), ("v", today)]
        view = self._list("Task", [*pairs, ("sort", "-ActivityDate")])
        return self._short(view, ("Subject", "WhatId", "Priority", "ActivityDate"), SHOWN) if view else None

    @cached_property
    def newest(self) -> ListView | None:
        return newest(self.room, LATEST)

    def _short(self, view: ListView, columns: tuple[str, ...], n: int) -> ListView:
        view.columns = tuple(field_path(self.room.registry, view.item, c) for c in columns if view.item.has(c))
        view.spec = replace(view.spec, limit=n)
        return view

    @cached_property
    def flow(self) -> Flow | None:
        """Opportunities by stage where the Org has them, else cases by status."""
        for name in ("Opportunity", "Case", "Lead"):
            if self.room.registry.has(name) and self.room.count_of(name):
                item = self.room.registry.object(name)
                field = flow_field(item)
                return self._flow(item, field) if field else None
        return None

    def _flow(self, item: ObjectDef, field: FieldDef) -> Flow:
        # Sums of several currencies say nothing (P-50).
        summed = item.has("Amount") and not item.has(_CURRENCY)
        measures = [Measure("count", alias="n"), *([Measure("sum", "Amount", alias="amount")] if summed else [])]
        spec = QuerySpec(item.name, groups=(Group(field.name, alias="stage"),), measures=tuple(measures))
        spelled = {fold(value): value for value in field.values}
        rows = {spelled.get(fold(row[0] or ""), row[0] or ""): row[1:] for row in self.room.run(spec).rows}
        known = [value for value in field.values if value in rows]
        order = [*known, *(value for value in rows if value not in known)]
        most = max((int(numbers[0]) for numbers in rows.values()), default=0) or 1
        stages = []
        for value in order:
            n, *amount = rows[value]
            url = self.room.address(self.room.list_url(item.name), [(f"s.{field.name}", value)])
            said = number_words(amount[0]) if amount and amount[0] is not None else ""
            stages.append(Stage(value or _("Empty"), int(n), said, url, int(n) / most * 100))
        return Flow(item, field, tuple(stages))

    @cached_property
    def recent(self) -> list[Recent]:
        return recent_records(self.room)

    @cached_property
    def favourites(self) -> list[Recent]:
        return favourites_of(self.room, LATEST)
