"""A list as a board: a lane for each step of the records' way, with its count, its sum and the first records in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import INVALID_FIELD, QueryError
from study.sandbox.engine.folding import fold
from study.sandbox.engine.queryspec import And, Compare, Condition, Group, Measure, Order, QuerySpec
from study.sandbox.engine.registry import FieldDef
from study.sandbox.frozen_today import written_at
from study.sandbox.gui.fieldpaths import FieldPath
from study.sandbox.gui.home import flow_field
from study.sandbox.gui.listing import ListView, sort_key
from study.sandbox.gui.presenting import Shower, number_words

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
        return self.view.item.has(AMOUNT)

    @property
    def in_currencies(self) -> bool:
        """Whether each amount says its currency: then lanes have a sum for each of them, never one of all (P-50)."""
        return self.view.item.has(CURRENCY)

    @cached_property
    def lanes(self) -> list[Lane]:
        """Steps in their order, those without records among them; then values that are no known step."""
        return [self._lane(step, numbers) for step, numbers in list(self._steps.items())[:MOST_LANES]]

    @property
    def left(self) -> int:
        """How many values have no lane."""
        return max(0, len(self._steps) - MOST_LANES)

    @cached_property
    def _steps(self) -> dict[str, list[dict[str, Any]]]:
        """Value -> its numbers, one for each currency."""
        measures = [Measure("count", alias="n"), *([Measure("sum", AMOUNT, alias="sum")] if self.summed else [])]
        groups = [Group(self.field.name, alias="step"), *([Group(CURRENCY)] if self.in_currencies else [])]
        spec = QuerySpec(
            self.view.item.name,
            where=self.view.criteria.where(),
            match=self.view.criteria.match,
            groups=tuple(groups),
            measures=tuple(measures),
        )
        found = self.view.room.run(spec)
        # Capitals and accents do not count (P-51): the field's own spelling names the lane.
        spelled = {fold(step): step for step in self.field.values}
        counted: dict[str, list[dict[str, Any]]] = {step: [] for step in self.field.values}
        for row in found.rows:
            values = dict(zip(found.columns, row, strict=True))
            step = values["step"] or ""
            counted.setdefault(spelled.get(fold(step), step), []).append(values)
        return counted

    def _lane(self, step: str, numbers: list[dict[str, Any]]) -> Lane:
        n = sum(int(one["n"]) for one in numbers)
        sums = [(one.get(CURRENCY) or "", one["sum"]) for one in numbers if one.get("sum") is not None]
        said = " · ".join(f"{currency} {number_words(amount)}".strip() for currency, amount in sums)
        cards = tuple(self._cards(step)) if n else ()
        pairs = [pair for pair in self.view.pairs(layout="") if pair[0] != f"s.{self.field.name}"]
        there = [(f"s.{self.field.name}", step), *pairs]
        url = self.view.room.address(self.view.room.list_url(self.view.item.name), there)
        return Lane(step or _("Empty"), n, said, cards, url)

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
        names += [CURRENCY] if self.in_currencies else []
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
        facts = [self._fact(shower, path, values) for path in self._facts if path.formula is None]
        name = shower.link(record_id, str(values[self.view.item.name_field] or ""))
        return Card(self.view.room.record_url(record_id), name, tuple(fact for fact in facts if fact))

    def _fact(self, shower: Shower, path: FieldPath, values: dict[str, object]) -> SafeString:
        said = shower.html(path.field, values[path.path], days=True)
        currency = values.get(CURRENCY) if path.path == AMOUNT and said else None
        return format_html("{} {}", currency, said) if currency else said
