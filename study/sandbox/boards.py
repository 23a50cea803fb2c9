"""A list as a board: a lane for each step of the records' way, with its count, its sum and the first records in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox.errors import INVALID_FIELD, QueryError
from study.sandbox.fieldpaths import FieldPath
from study.sandbox.frozen_today import written_at
from study.sandbox.home import flow_field
from study.sandbox.listing import ListView, sort_key
from study.sandbox.presenting import Shower, number_words
from study.sandbox.queryspec import And, Compare, Condition, Group, Measure, Order, QuerySpec
from study.sandbox.registry import FieldDef

CARDS = 25
MOST_LANES = 20
AMOUNT, CURRENCY = "Amount", "CurrencyIsoCode"


@dataclass(frozen=True)
class Card:
    """A record in a lane: what it is called, two more facts about it."""

    url: str
    name: SafeString
    facts: tuple[SafeString, ...]


@dataclass(frozen=True)
class Lane:
    """One step: its name, its exact count, its sum where there is one, its first records, the list of all."""

    name: str
    n: int
    sum: str
    cards: tuple[Card, ...]
    url: str


@dataclass(frozen=True)
class Board:
    """The records of a list, step by step."""

    view: ListView

    @cached_property
    def field(self) -> FieldDef:
        found = flow_field(self.view.item)
        if found is None:
            message = _("%(plural)s have no steps to make a board of.") % {"plural": self.view.item.plural}
            raise QueryError(INVALID_FIELD, message, "view")
        return found

    @property
    def summed(self) -> bool:
        """Whether lanes have a sum; amounts of several currencies are not added up (P-50)."""
        return self.view.item.has(AMOUNT) and not self.view.item.has(CURRENCY)

    @cached_property
    def lanes(self) -> list[Lane]:
        """Steps in their order, those without records among them; then values that are no known step."""
        measures = [Measure("count", alias="n"), *([Measure("sum", AMOUNT, alias="sum")] if self.summed else [])]
        spec = QuerySpec(
            self.view.item.name,
            where=self.view.criteria.where(),
            match=self.view.criteria.match,
            groups=(Group(self.field.name, alias="step"),),
            measures=tuple(measures),
        )
        counted = {row[0] or "": row[1:] for row in self.view.room.run(spec).rows}
        steps = list(dict.fromkeys([*self.field.values, *counted]))[:MOST_LANES]
        return [self._lane(step, counted.get(step, (0, None))) for step in steps]

    def _lane(self, step: str, numbers: tuple[object, ...]) -> Lane:
        n, *total = numbers
        added = total[0] if total else None
        said = number_words(added) if isinstance(added, int | float) else ""
        cards = tuple(self._cards(step)) if n else ()
        pairs = [pair for pair in self.view.pairs(layout="") if pair[0] != f"s.{self.field.name}"]
        url = self.view.room.address(
            self.view.room.list_url(self.view.item.name), [(f"s.{self.field.name}", step), *pairs]
        )
        return Lane(step or _("Empty"), int(str(n)), said, cards, url)

    @cached_property
    def _facts(self) -> list[FieldPath]:
        """What a card says besides its name: the first columns that are neither the name nor the step."""
        shown = [p for p in self.view.columns if p.path != self.field.name and p.filterable]
        named = [p for p in shown if p.path != self.view.item.name_field]
        lookups = [p for p in named if p.field.type == "reference"][:1]
        numbers = [p for p in named if p.path == AMOUNT]
        dated = [p for p in named if p.dated][:1]
        return (lookups + numbers + dated) or named[:2]

    def _cards(self, step: str) -> list[Card]:
        item, room = self.view.item, self.view.room
        here = Compare(self.field.name, "eq", step) if step else Compare(self.field.name, "null")
        where: Condition | None = self.view.criteria.where()
        order = self.view.sort
        dated = written_at(item)
        names = ["Id", item.name_field, *(p.path for p in self._facts if p.formula is None)]
        spec = QuerySpec(
            item.name,
            select=tuple(dict.fromkeys([*names, *([dated.name] if dated else [])])),
            where=here if where is None else And(where, here),
            match=self.view.criteria.match,
            order=(Order(sort_key(room, order[0]), order[1]),) if order and order[0].formula is None else (),
            limit=CARDS,
        )
        found = room.run(spec)
        shower = Shower(room, (value for row in found.rows for value in row))
        return [self._card(shower, dict(zip(found.columns, row, strict=True))) for row in found.rows]

    def _card(self, shower: Shower, values: dict[str, object]) -> Card:
        record_id = str(values["Id"])
        facts = [shower.html(p.field, values[p.path], days=True) for p in self._facts if p.formula is None]
        name = shower.link(record_id, str(values[self.view.item.name_field] or ""))
        return Card(self.view.room.record_url(record_id), name, tuple(fact for fact in facts if fact))
