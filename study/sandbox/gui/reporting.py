"""Grouped reports: a sentence of menus becomes one query; every number leads to the rows behind it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.sandbox.engine.daterange import resolve
from study.sandbox.engine.queryspec import And, Compare, Group, Measure, Order, QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.frozen_today import span_words
from study.sandbox.gui.criteria import Criteria, Pairs
from study.sandbox.gui.drilling import Drill
from study.sandbox.gui.fieldpaths import field_path
from study.sandbox.gui.long_addresses import LONGEST
from study.sandbox.gui.report_address import Asked, GroupChoice
from study.sandbox.gui.report_rows import SUBTOTAL, TOTAL, Row, Shown, group_key, levelled
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.terms import DATE_WORDS

MOST_GROUPS = 200
MOST_IN_BLOCKS = 5_000
"""Up to so many rows within rows stand in blocks with subtotals; beyond that they are one long list."""


@dataclass
class Report:
    """One report as its address asks for it."""

    room: Room
    item: ObjectDef
    given: QueryDict
    asked: Asked = field(init=False)

    def __post_init__(self) -> None:
        self.asked = Asked(self.room, self.item, self.given)

    @property
    def criteria(self) -> Criteria:
        return self.asked.criteria

    @property
    def first_group(self) -> GroupChoice | None:
        return self.asked.rows[0] if self.asked.rows else None

    # -- currencies (P-50) ---------------------------------------------------------------------------------------

    @cached_property
    def currencies(self) -> dict[str, list[str | None]]:
        """Path to a currency -> the currencies of what is measured in these records."""
        paths: dict[str, str] = {}
        for choice in self.asked.measures:
            money = choice.money()
            if money and choice.over:
                paths.setdefault(money, choice.over.left.path)
        return {path: self._currencies(path, measured) for path, measured in paths.items()}

    def _currencies(self, path: str, measured: str) -> list[str | None]:
        where = And(*self._conditions(), Compare(measured, "not_null"))
        spec = replace(self._plain, where=where, groups=(Group(path, alias="currency"),), measures=(_COUNT,))
        return [currency for currency, _n in self.room.run(spec).rows]

    @cached_property
    def splits(self) -> tuple[GroupChoice, ...]:
        """The currencies as groups of their own, where there is more than one: they are never added up."""
        mixed = [path for path, found in self.currencies.items() if len(found) > 1]
        own = {choice.path.path for choice in (*self.asked.rows, self.asked.across) if choice}
        registry, item = self.room.registry, self.item
        aliases = ("currency", "currency2", "currency3", "currency4")
        listed = zip((path for path in mixed if path not in own), aliases, strict=False)
        return tuple(GroupChoice(field_path(registry, item, path), "", alias) for path, alias in listed)

    def unit(self, alias: str) -> str:
        """The one currency of a measure, named in its head."""
        choice = next((choice for choice in self.asked.measures if choice.alias == alias), None)
        found = self.currencies.get(choice.money(), []) if choice else []
        return str(found[0]) if len(found) == 1 and found[0] else ""

    # -- queries -------------------------------------------------------------------------------------------------

    def _conditions(self) -> tuple[Any, ...]:
        where = self.criteria.where()
        return () if where is None else (where,)

    @cached_property
    def _plain(self) -> QuerySpec:
        return QuerySpec(self.item.name, where=self.criteria.where(), match=self.criteria.match)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return (_COUNT, *(choice.measure for choice in self.asked.measures))

    @cached_property
    def groups_of_rows(self) -> tuple[GroupChoice, ...]:
        return (*self.splits, *self.asked.rows)

    def grouped(self, choices: Iterable[GroupChoice], **changes: Any) -> QuerySpec:
        """The report's numbers over these groups."""
        groups = tuple(choice.group for choice in choices)
        return replace(self._plain, groups=groups, measures=self.measures, **changes)

    @cached_property
    def order(self) -> tuple[Order, ...]:
        key, down = self.asked.sort
        # Amounts of two currencies are not compared: the rows of each stand together.
        first = tuple(Order(choice.alias) for choice in self.splits)
        nulls = "last" if down or key in self.asked.offered else "first"
        return (*first, Order(key, down, nulls=nulls))

    @cached_property
    def rows_spec(self) -> QuerySpec:
        having = tuple(choice.having for choice in self.asked.having) or None
        order = self.order if self.groups_of_rows else ()
        return self.grouped(self.groups_of_rows, having=having, order=order)

    @cached_property
    def spec(self) -> QuerySpec:
        """The query as the trace keeps it: all groups, the page that is shown."""
        across = (self.asked.across.group,) if self.asked.across else ()
        offset = (self.asked.page - 1) * MOST_GROUPS
        return replace(self.rows_spec, groups=(*self.rows_spec.groups, *across), limit=MOST_GROUPS, offset=offset)

    @property
    def query(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.spec.to_json())
        return found

    # -- rows ----------------------------------------------------------------------------------------------------

    @cached_property
    def drill(self) -> Drill:
        return Drill(self.room, self.room.list_url(self.item.name), self.criteria)

    @cached_property
    def shown(self) -> Shown:
        return Shown(self.room, self.groups_of_rows, self.asked.measures, self.drill)

    @cached_property
    def groups(self) -> int:
        """How many rows there are, on this page or not."""
        if self.in_blocks:
            return len(self._all)
        page, shown = self.asked.page, len(self._page.rows)
        if not self._page.truncated and (shown or page == 1):
            return (page - 1) * MOST_GROUPS + shown
        return self.room.count(self.rows_spec)

    @cached_property
    def _page(self) -> Any:
        return self.room.run(replace(self.rows_spec, limit=MOST_GROUPS, offset=(self.asked.page - 1) * MOST_GROUPS))

    @cached_property
    def _all_found(self) -> Any:
        return self.room.run(replace(self.rows_spec, limit=MOST_IN_BLOCKS))

    @property
    def wants_blocks(self) -> bool:
        return len(self.asked.rows) == 2 and self.asked.subtotals and self.asked.across is None

    @cached_property
    def in_blocks(self) -> bool:
        return self.wants_blocks and not self._all_found.truncated

    @cached_property
    def _blocks(self) -> dict[tuple[object, ...], tuple[Any, ...]]:
        """The first groups in their order, with their numbers: subtotals of the rows within."""
        choices = self.groups_of_rows[:-1]
        order = tuple(replace(item, key="group") if item.key == "group2" else item for item in self.order)
        rows = self.room.run(self.grouped(choices, order=order)).rows
        return {self._block_key(row): row for row in rows}

    def _block_key(self, row: tuple[Any, ...]) -> tuple[object, ...]:
        choices = self.groups_of_rows[:-1]
        return tuple(group_key(choice, value) for choice, value in zip(choices, row, strict=False))

    @cached_property
    def _all(self) -> list[tuple[Any, ...]]:
        """All rows within rows, block after block; inside a block they keep the order of the query."""
        places = {key: place for place, key in enumerate(self._blocks)}
        return sorted(self._all_found.rows, key=lambda row: places.get(self._block_key(row), len(places)))

    @cached_property
    def found(self) -> list[tuple[Any, ...]]:
        """The results of this page, groups first."""
        if not self.in_blocks:
            return list(self._page.rows)
        first = (self.asked.page - 1) * MOST_GROUPS
        return self._all[first : first + MOST_GROUPS]

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of this page, without subtotals."""
        shown, depth = self.shown, len(self.groups_of_rows)
        shown.learn(value for row in self.found for value in row[:depth])
        rows: list[Row] = []
        before: tuple[object, ...] = ()
        for values in self.found:
            same = _same(before, self._block_key(values)) if depth > 1 else 0
            rows.append(shown.row(values, same=same))
            before = self._block_key(values)
        place = self.sorted_place
        return rows if place is None or self.in_blocks else levelled(rows, depth + place)

    @property
    def sorted_place(self) -> int | None:
        """Which number the rows are sorted by: 0 the count, 1 the first measure; None if by their groups."""
        listed = list(self.asked.offered)
        key = self.asked.sort[0]
        return listed.index(key) if key in listed else None

    @cached_property
    def body(self) -> list[Row]:
        """The rows with the subtotal of a block behind its last row."""
        if not self.in_blocks:
            return self.rows
        found: list[Row] = []
        last = len(self.rows) - 1
        for place, row in enumerate(self.rows):
            found.append(row)
            key = self._block_key(row.raw)
            following = self._all[(self.asked.page - 1) * MOST_GROUPS + place + 1 :][:1]
            if (place == last or self._block_key(self.rows[place + 1].raw) != key) and (
                not following or self._block_key(following[0]) != key
            ):
                found.append(self.shown.row(self._blocks[key], SUBTOTAL, depth=len(self.groups_of_rows) - 1))
        return found

    @cached_property
    def totals(self) -> list[Row]:
        """All records together, per currency where there are several; rows that "only rows with" left out as well."""
        order = tuple(Order(choice.alias) for choice in self.splits)
        found = self.room.run(self.grouped(self.splits, order=order)).rows
        return [self.shown.row(values, TOTAL, depth=len(self.splits)) for values in found]

    @cached_property
    def total(self) -> int:
        """How many records the conditions leave."""
        return sum(row.n for row in self.totals)

    # -- addresses -----------------------------------------------------------------------------------------------

    def pairs(self, *, without: Any = None, text: bool = True, **changes: str) -> Pairs:
        """All parameters of this report, some of them changed."""
        return [*self.criteria.pairs(without=without, text=text), *self.asked.pairs(**changes)]

    def address(self, **changes: Any) -> str:
        pairs = self.pairs(**changes)
        base, query = self.room.report_url(self.item.name), urlencode(pairs, safe="*/:")
        if len(query) > LONGEST:
            return self.room.address(base, pairs)
        return f"{base}?{query}" if query else base

    @property
    def list_address(self) -> str:
        """The records all groups stand for."""
        return self.drill.url()

    @property
    def part_window(self) -> str:
        """The days of a window on the grouped date that cut its first and last row short."""
        choices = [choice for choice in (*self.asked.rows, self.asked.across) if choice]
        for choice in choices:
            for term in self.criteria.terms:
                if term.path.path == choice.path.path and term.op in DATE_WORDS:
                    first, end = resolve(term.date_range(), self.room.desk.today, self.room.registry.fiscal_start)
                    if choice.by in {"month", "quarter", "year"} and (first.day, end.day) != (1, 1):
                        return span_words(first, end)
        return ""

    @property
    def dated(self) -> bool:
        """Whether days matter here, so that their zone is said."""
        choices = [choice for choice in (*self.asked.rows, self.asked.across) if choice]
        return any(choice.by for choice in choices) or any(choice.timed for choice in self.asked.measures)

    @property
    def heading(self) -> str:
        """What is drawn: "Average of Closed minus Created, days"."""
        offered = self.asked.offered
        said = offered[self.asked.first_number]
        return said[:1].upper() + said[1:]

    def head(self, alias: str) -> str:
        """A measure's head with its unit."""
        said, unit = self.asked.offered[alias], self.unit(alias)
        return _("%(measure)s, %(unit)s") % {"measure": said, "unit": unit} if unit else said


_COUNT = Measure("count", alias="n")


def _same(before: tuple[object, ...], now: tuple[object, ...]) -> int:
    """How many groups from the left two rows have in common."""
    for place, (one, other) in enumerate(zip(before, now, strict=False)):
        if one != other:
            return place
    return min(len(before), len(now))
