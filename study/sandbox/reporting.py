"""Grouped reports: a sentence of menus becomes one query; every number leads to the rows behind it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.sandbox.criteria import Criteria, Pairs, Reading
from study.sandbox.daterange import resolve
from study.sandbox.errors import INVALID_FIELD, QueryError
from study.sandbox.facets import facet_paths
from study.sandbox.fieldpaths import FieldPath, field_path
from study.sandbox.frozen_today import span_words
from study.sandbox.measuring import FUNCTIONS, UNITS, choices, measure
from study.sandbox.presenting import Shower, copied_id, number_words
from study.sandbox.queryspec import Group, Having, Measure, Order, QuerySpec
from study.sandbox.registry import FieldDef, ObjectDef
from study.sandbox.rooms import Room
from study.sandbox.terms import DATE_WORDS, DURING, period_words

MOST_GROUPS = 200
BARS = 20
PERIODS = {
    "month": gettext_lazy("by month"),
    "month_name": gettext_lazy("by month of any year"),
    "quarter": gettext_lazy("by quarter"),
    "year": gettext_lazy("by year"),
    "week": gettext_lazy("by week"),
    "day": gettext_lazy("by day"),
}
SORTS = {
    "-value": gettext_lazy("highest first"),
    "value": gettext_lazy("lowest first"),
    "-n": gettext_lazy("most records first"),
    "n": gettext_lazy("fewest records first"),
    "group": gettext_lazy("in order of the rows"),
}
COMPARISONS = {
    "gt": gettext_lazy("more than"),
    "ge": gettext_lazy("at least"),
    "eq": gettext_lazy("exactly"),
    "le": gettext_lazy("at most"),
    "lt": gettext_lazy("less than"),
}
_NUMBER = FieldDef("value", "number", "")


@dataclass(frozen=True)
class GroupRow:
    """One group: its name, its Id where it is a record, its numbers, the rows behind it, its bar in percent."""

    label: SafeString
    plain: str
    ident: SafeString
    n: int
    value: SafeString
    url: str
    bar: float


@dataclass
class Report:
    """One report as its address asks for it."""

    room: Room
    item: ObjectDef
    given: QueryDict
    criteria: Criteria = field(init=False)

    def __post_init__(self) -> None:
        self.criteria = Reading(self.room.registry, self.item, self.given).criteria()

    def _one_of(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        asked = self.given.get(name, "") or default
        if asked not in allowed:
            message = _("“%(asked)s” is not offered here. Choose from the menu.") % {"asked": asked[:60]}
            raise QueryError(INVALID_FIELD, message, name)
        return asked

    @cached_property
    def fn(self) -> str:
        return self._one_of("m", tuple(FUNCTIONS), "count")

    @cached_property
    def unit(self) -> str:
        return self._one_of("u", tuple(UNITS), "days")

    @cached_property
    def over(self) -> str:
        """The field (or two dates) that is measured; the first that fits where nothing was chosen."""
        asked = self.given.get("mf", "") or ""
        if asked or self.fn == "count":
            return asked
        offered = [value for _head, options in choices(self.room.registry, self.item, self.fn) for value, _ in options]
        if not offered:
            message = _("%(plural)s have nothing to measure this way.") % {"plural": self.item.plural}
            raise QueryError(INVALID_FIELD, message)
        return offered[0]

    @cached_property
    def group(self) -> FieldPath | None:
        """What the rows are; the object's first picklist where nothing was asked, none where "all together" was."""
        asked = self.given.get("g")
        if asked is None:
            return next(iter(facet_paths(self.room.registry, self.item)), None)
        return field_path(self.room.registry, self.item, asked) if asked else None

    @cached_property
    def by(self) -> str:
        return self._one_of("by", tuple(PERIODS), "month") if self.group and self.group.dated else ""

    @cached_property
    def measure(self) -> Measure | None:
        """The measure beside the number of rows, if one is asked for."""
        return measure(self.fn, self.over, self.unit) if self.fn != "count" else None

    @cached_property
    def having(self) -> Having | None:
        number = (self.given.get("hv", "") or "").strip()
        if not number:
            return None
        of = self._one_of("hm", ("n", "value"), "n")
        return Having(of if self.measure else "n", self._one_of("ho", tuple(COMPARISONS), "gt"), number)

    @cached_property
    def sort(self) -> tuple[str, bool]:
        asked = self.given.get("sort", "") or ("group" if self.by else "-value")
        key = asked.removeprefix("-")
        if key not in {"group", "n", "value"}:
            raise QueryError(INVALID_FIELD, _("Sort by the group, the number of rows or the measure."), "sort")
        return ("n" if key == "value" and not self.measure else key), asked.startswith("-")

    @cached_property
    def spec(self) -> QuerySpec:
        key, down = self.sort
        if key == "group" and self.group is None:
            key = "n"
        # Equal measures stand in the order of their groups, so the table is the same each time.
        order = Order(key, down, nulls="last" if down else "first")
        return QuerySpec(
            self.item.name,
            where=self.criteria.where(),
            match=self.criteria.match,
            groups=(Group(self.group.path, by=self.by or None, alias="group"),) if self.group else (),
            measures=(Measure("count", alias="n"), *((self.measure,) if self.measure else ())),
            having=(self.having,) if self.having else None,
            order=(order,),
            limit=MOST_GROUPS,
        )

    @cached_property
    def groups(self) -> int:
        """How many groups there are, shown or not."""
        return self.room.count(self.spec)

    @cached_property
    def total(self) -> int:
        """How many records the conditions leave."""
        return self.room.count(QuerySpec(self.item.name, where=self.criteria.where(), match=self.criteria.match))

    @cached_property
    def rows(self) -> list[GroupRow]:
        result = self.room.run(self.spec)
        places = {name: place for place, name in enumerate(result.columns)}
        shower = Shower(self.room, (row[places["group"]] for row in result.rows) if self.group else ())
        shown = places["value"] if self.measure else places["n"]
        heights = [float(row[shown]) for row in result.rows if isinstance(row[shown], int | float)]
        most = max([*heights, 0.0]) or 1.0
        return [self._row(shower, places, row, shown, most) for row in result.rows]

    def _row(self, shower: Shower, places: dict[str, int], row: tuple[Any, ...], shown: int, most: float) -> GroupRow:
        group = row[places["group"]] if self.group else None
        value = row[shown]
        bar = max(0.0, float(value)) / most * 100 if isinstance(value, int | float) else 0.0
        label = self._label(shower, group)
        record_id = group if isinstance(group, str) and self.with_ids else ""
        plain = shower.names.get(record_id, "") if record_id else str(label)
        return GroupRow(
            label,
            plain,
            copied_id(record_id, plain) if record_id else SafeString(""),
            int(row[places["n"]]),
            self._value(shower, value),
            self._rows_behind(group),
            round(bar, 2),
        )

    @property
    def with_ids(self) -> bool:
        """Groups that are records show their Id, so that it can be copied."""
        return self.group is not None and self.group.field.type in {"reference", "id"}

    def _label(self, shower: Shower, group: object) -> SafeString:
        if self.group is None:
            return SafeString(_("All together"))
        if group is None:
            return shower.html(self.group.field, None, full=True)
        if self.by and not isinstance(group, date):
            return SafeString(period_words(str(group)))
        if self.with_ids and isinstance(group, str):
            return shower.link(group)
        return shower.html(self.group.field, group)

    def _value(self, shower: Shower, value: object) -> SafeString:
        if value is None:
            return SafeString("–")
        return SafeString(number_words(value)) if isinstance(value, int | float) else shower.html(_NUMBER, value)

    def _rows_behind(self, group: object) -> str:
        pairs = [pair for pair in self.criteria.pairs() if pair[0] != "q"]
        if self.group is not None:
            added = self._group_pairs(group)
            # A group lies inside the values ticked for its own field: it takes their place.
            pairs = [pair for pair in pairs if pair[0] != added[0][0] or pair[0] == "c"] + added
        if self.criteria.text:
            pairs.append(("q", self.criteria.text))
        return f"{self.room.list_url(self.item.name)}?{urlencode(pairs)}"

    def _group_pairs(self, group: object) -> Pairs:
        path = self.group.path if self.group else ""
        if group is None:
            return [(f"s.{path}", "")]
        if not self.by:
            # A tick-box value is taken as it stands, blanks and semicolons too.
            return [(f"s.{path}", str(group).lower() if isinstance(group, bool) else str(group))]
        period = group.isoformat() if isinstance(group, date) else str(group)
        if self.by == "week":
            period += "/7"
        if self.by == "month_name":
            period += "/{}-{}".format(*self.years)
        return [("c", path), ("o", DURING), ("v", period)]

    @cached_property
    def years(self) -> tuple[int, int]:
        """The first and last year of the grouped date among the rows of this report."""
        path = self.group.path if self.group else ""
        spec = QuerySpec(
            self.item.name,
            where=self.criteria.where(),
            match=self.criteria.match,
            groups=(Group(path, by="year", alias="year"),),
            measures=(Measure("count", alias="n"),),
        )
        found = [int(year) for year, _n in self.room.run(spec).rows if year is not None]
        return (min(found), max(found)) if found else (1, 1)

    def pairs(self, *, without: object = None, text: bool = True, sort: str | None = None) -> Pairs:
        """All parameters of this report, some of them changed."""
        kept = self.criteria.pairs(without=without, text=text)  # type: ignore[arg-type]
        for name in ("m", "mf", "u", "by", "hm", "ho", "hv"):
            if value := self.given.get(name, ""):
                kept.append((name, value))
        if (group := self.given.get("g")) is not None:
            kept.append(("g", group))
        if order := sort if sort is not None else self.given.get("sort", ""):
            kept.append(("sort", order))
        return kept

    def address(self, **changes: Any) -> str:
        pairs = self.pairs(**changes)
        return self.room.report_url(self.item.name) + (f"?{urlencode(pairs)}" if pairs else "")

    @property
    def part_window(self) -> str:
        """The days of a window on the grouped date that cut its first and last row short."""
        for term in self.criteria.terms:
            if self.by and self.group and term.path.path == self.group.path and term.op in DATE_WORDS:
                first, end = resolve(term.date_range(), self.room.desk.today, self.room.registry.fiscal_start)
                if self.by in {"month", "quarter", "year"} and (first.day, end.day) != (1, 1):
                    return span_words(first, end)
        return ""

    @property
    def sort_key(self) -> str:
        """The order as the menu of the sentence knows it."""
        key, down = self.sort
        if key == "group":
            return "group"
        said = "n" if key == "n" and self.measure else "value"
        return f"-{said}" if down else said

    def _sorted_by(self, key: str) -> str:
        now, down = self.sort
        return self.address(sort=key if now == key and down else f"-{key}")

    @property
    def sort_group(self) -> str:
        return self.address(sort="-group" if self.sort == ("group", False) else "group")

    @property
    def sort_n(self) -> str:
        return self._sorted_by("n")

    @property
    def sort_value(self) -> str:
        return self._sorted_by("value")

    @property
    def list_address(self) -> str:
        """The records all groups stand for."""
        pairs = self.criteria.pairs()
        return self.room.list_url(self.item.name) + (f"?{urlencode(pairs)}" if pairs else "")

    @property
    def query(self) -> dict[str, Any]:
        """The query as the trace keeps it."""
        found: dict[str, Any] = json.loads(self.spec.to_json())
        return found
