"""A report as its address asks for it: groups, measures, conditions on rows, order, page, chart.

=================  ==============================================================================
``m mf u``         measure: function, what is measured (measuring.py), unit of time
``mc mo mv``       only records where: field path, comparison or date word, value
``m2 mf2 …``       the second to fourth measure
``g by``           what the rows are, and the period or part of the calendar for dates
``g2 by2``         rows within rows; ``x xby`` columns
``hm ho hv``       only rows whose count (``n``) or measure (``value``, ``value2``, …) compares so;
                   ``hm2 ho2 hv2`` and so on, all of which must hold
``sort``           ``group``, ``group2``, ``n``, ``value``, ``value2``, …; ``-`` before it: highest first
``cell sub page chart``  what cells of a matrix show, subtotals (0: none), page of rows, chart
=================  ==============================================================================

A form may send a formula in pieces (``mk`` sign, ``ms`` second field or ``mn`` number); addresses join them.
What cannot be understood is kept with its message, so that the form can show both beside the control.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError
from study.sandbox.engine.queryspec import Group, Having
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.gui.criteria import Criteria, Pairs, Sifted
from study.sandbox.gui.facets import facet_paths
from study.sandbox.gui.fieldpaths import FieldPath, field_path
from study.sandbox.gui.measuring import (
    BETWEEN,
    FUNCTIONS,
    MOST_MEASURES,
    SIGNS,
    UNITS,
    MeasureChoice,
    Over,
    default_over,
    numbered,
    read_number,
    read_over,
)
from study.sandbox.gui.report_periods import COMPARISONS, GROUPINGS, fits
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.rowformulas import any_path
from study.sandbox.gui.terms import Term

MOST_HAVING = 4
MOST_PAGES = 100_000
LONGEST = 255
_VALUES = tuple(numbered("value", place) for place in range(1, MOST_MEASURES + 1))
_GONE = re.compile(r"value[2-4]?|group2?|column")
CHARTS = ("auto", "bar", "line", "donut", "none")
Read = TypeVar("Read")


@dataclass(frozen=True)
class GroupChoice:
    """What the rows (or columns) of a report are: a field, and for dates a period or part of the calendar."""

    path: FieldPath
    by: str
    alias: str
    across: bool = False

    @property
    def group(self) -> Group:
        return Group(self.path.path, self.by or None, self.alias, self.across)

    @property
    def label(self) -> str:
        return f"{self.path.label}, {GROUPINGS[self.by]}" if self.by else self.path.label

    @property
    def in_title(self) -> str:
        """The group inside a title: "Created month"."""
        return f"{self.path.label} {str(GROUPINGS[self.by]).removeprefix(_('by '))}" if self.by else self.path.label

    @property
    def with_ids(self) -> bool:
        """Groups that are records show their Id, so that it can be copied."""
        return self.path.field.type in {"reference", "id"}


@dataclass(frozen=True)
class HavingChoice:
    """A condition on the rows of a report."""

    place: int
    of: str
    op: str
    number: float

    @property
    def having(self) -> Having:
        return Having(self.of, self.op, self.number)

    @property
    def pairs(self) -> Pairs:
        values = (("hm", self.of), ("ho", self.op), ("hv", f"{self.number!r}"))
        return [(numbered(name, self.place), value) for name, value in values]


@dataclass
class Asked:
    """One report's address, read. ``errors``: parameter -> what is wrong with it."""

    room: Room
    item: ObjectDef
    given: QueryDict
    errors: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Every part is read at once, so that all errors are known together.
        for part in (self.criteria, self.rows, self.across, self.measures, self.having, self.sort, self.page):
            del part
        self.chart, self.cell, self.subtotals  # noqa: B018

    @property
    def registry(self) -> Registry:
        return self.room.registry

    def value(self, name: str) -> str:
        return (self.given.get(name, "") or "").strip()

    def _try(self, name: str, read: Callable[[], Read], default: Read) -> Read:
        try:
            return read()
        except QueryError as error:
            self.errors.setdefault(name, error.message)
            return default

    def _one_of(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        asked = self.value(name) or default
        if asked in allowed:
            return asked
        self.errors.setdefault(
            name, _("“%(asked)s” is not offered here. Choose from the menu.") % {"asked": asked[:60]}
        )
        return default

    @cached_property
    def criteria(self) -> Criteria:
        try:
            return Criteria.of(self.room, self.item, self.given)
        except QueryError as error:
            self.errors["c"] = error.message
            self.sifted = Sifted.of(self.registry, self.item, self.given, str(error.place or ""))
            return self.sifted.criteria(self.room, self.item, self.given)

    sifted = Sifted([], ())

    @cached_property
    def rows(self) -> tuple[GroupChoice, ...]:
        """Up to two row groups: the object's first picklist where nothing was asked, none where "all together" was."""
        asked = self.given.get("g")
        if asked is None and not self.value("g2"):
            path = next(iter(facet_paths(self.registry, self.item)), None)
            return (GroupChoice(path, "", "group"),) if path else ()
        first = self._group("g", "by", "group")
        second = self._group("g2", "by2", "group2")
        if first is None and second is not None:
            return (GroupChoice(second.path, second.by, "group"),)
        if first and second and (first.path.path, first.by) == (second.path.path, second.by):
            self.errors["g2"] = _("The rows are already those of %(field)s. Choose another field.") % {
                "field": first.label
            }
            second = None
        return tuple(choice for choice in (first, second) if choice)

    @cached_property
    def across(self) -> GroupChoice | None:
        found = self._group("x", "xby", "column", across=True)
        if found and any((found.path.path, found.by) == (row.path.path, row.by) for row in self.rows):
            self.errors["x"] = _("The rows are already those of %(field)s. Choose another field.") % {
                "field": found.label
            }
            return None
        if found and not self.rows:
            # Columns alone are rows: a matrix needs both.
            self.errors.setdefault("x", _("Columns need rows. Choose what the rows are."))
            return None
        return found

    def _group(self, name: str, by: str, alias: str, *, across: bool = False) -> GroupChoice | None:
        asked = self.value(name)[:LONGEST]
        path = self._try(name, lambda: self._grouped(asked), None) if asked else None
        if path is None:
            return None
        period = self._one_of(by, tuple(GROUPINGS), "month") if path.dated else ""
        if path.dated and not fits(period, path.field.type):
            self.errors[by] = _("%(field)s holds days without a time.") % {"field": path.label}
        return GroupChoice(path, period, alias, across)

    def _grouped(self, asked: str) -> FieldPath:
        path = field_path(self.registry, self.item, asked)
        if not path.filterable:
            message = _("%(field)s is a long text; records cannot be grouped by it.") % {"field": path.label}
            raise QueryError(INVALID_FIELD, message, asked)
        return path

    @cached_property
    def measures(self) -> tuple[MeasureChoice, ...]:
        """The measures beside the number of records, in their places."""
        found = []
        for place in range(1, MOST_MEASURES + 1):
            fn = self._one_of(numbered("m", place), ("count", *FUNCTIONS), "count")
            choice = self._measure(place, fn)
            if choice is not None:
                found.append(choice)
        beyond = numbered("m", MOST_MEASURES + 1)
        if self.value(beyond):
            self.errors[beyond] = _("A report takes at most %(most)s measures.") % {"most": MOST_MEASURES}
        return tuple(found)

    def _measure(self, place: int, fn: str) -> MeasureChoice | None:
        at = {name: numbered(name, place) for name in ("mf", "u", "mc", "ms", "m")}
        text = self._formula_text(place)
        if text and fn == "share":
            text = ""
        unit = self._one_of(at["u"], tuple(UNITS), "days")
        if text.count(BETWEEN) == 2:
            # As conditions and columns write it: ClosedDate~CreatedDate~hours.
            text, _sign, written = text.rpartition(BETWEEN)
            unit = written if written in UNITS else unit
        over = self._try(at["ms" if self.value(at["ms"]) else "mf"], lambda: self._over(text, fn), None)
        term = self._try(at["mc"], lambda: self._measure_term(place), None)
        if fn == "share" and term is None:
            self.errors.setdefault(at["mc"], _("Choose the condition the share is of."))
            return None
        if fn == "count" and over is None and term is None:
            return None
        if over is None and fn not in {"count", "share"}:
            return None
        return MeasureChoice(place, fn, over, unit, term)

    def _formula_text(self, place: int) -> str:
        """``mf``, joined with the second part where the form sent it in pieces."""
        text = self.value(numbered("mf", place))[:LONGEST]
        sign = self.value(numbered("mk", place))
        if not text or sign not in SIGNS or any(known in text for known in SIGNS):
            return text
        second = self.value(numbered("ms", place)) or (self.value(numbered("mn", place)) if sign != BETWEEN else "")
        return f"{text}{sign}{second}"

    def _over(self, text: str, fn: str) -> Over | None:
        return read_over(self.registry, self.item, text, fn) if text else default_over(self.registry, self.item, fn)

    def _measure_term(self, place: int) -> Term | None:
        path, op, value = (self.value(numbered(name, place)) for name in ("mc", "mo", "mv"))
        if not path:
            return None
        return Term.read(self.registry, any_path(self.registry, self.item, path[:LONGEST]), op, value[:LONGEST])

    @cached_property
    def having(self) -> tuple[HavingChoice, ...]:
        offered = tuple(self.offered)
        found = []
        for place in range(1, MOST_HAVING + 1):
            number = self.value(numbered("hv", place))
            if not number:
                continue
            of = self._one_of(numbered("hm", place), (*offered, *_VALUES), "n")
            op = self._one_of(numbered("ho", place), tuple(COMPARISONS), "gt")
            value = self._try(numbered("hv", place), lambda number=number: read_number(number), None)  # type: ignore[misc]
            if value is not None:
                found.append(HavingChoice(place, of if of in offered else "n", op, value))
        return tuple(found)

    @cached_property
    def offered(self) -> dict[str, str]:
        """The numbers of a row, by alias: what rows can be limited and sorted by."""
        return {"n": _("number of %(plural)s") % {"plural": self.item.plural}} | {
            choice.alias: choice.words(self.item) for choice in self.measures
        }

    @property
    def first_number(self) -> str:
        """What is meant by "value" and drawn in the chart: the first measure, else the number of records."""
        return self.measures[0].alias if self.measures else "n"

    @cached_property
    def sort(self) -> tuple[str, bool]:
        asked = self.value("sort") or self.usual_sort
        key, down = asked.removeprefix("-"), asked.startswith("-")
        if key == "value":
            key = self.first_number
        known = {*self.offered, *(row.alias for row in self.rows)}
        if key == "group" and not self.rows:
            key = "n"
        if key not in known and _GONE.fullmatch(key):
            # The measure or group it was sorted by has been taken away since.
            key, down = "n", True
        if key not in known:
            self.errors["sort"] = _("Sort by the rows, the number of records or a measure.")
            key = "n"
        return key, down

    @property
    def usual_sort(self) -> str:
        """Dates in their order, everything else the highest first."""
        return "group" if self.rows and self.rows[0].by else "-value"

    def _unsaid(self, name: str, value: str) -> bool:
        """Whether a parameter says no more than leaving it out would."""
        usual = {"sort": self.usual_sort, "sub": "1", "chart": "auto", "page": "1"}.get(name, "")
        first = self.first_number
        if name == "sort" and usual == "-value":
            return value in {"", "-value", f"-{first}"}
        return value in {"", usual} or (name == "cell" and value not in self.offered)

    @cached_property
    def page(self) -> int:
        asked = self.value("page") or "1"
        if not asked.isdecimal() or not 1 <= int(asked[:7]) <= MOST_PAGES or len(asked) > 7:
            self.errors["page"] = _("A page is a whole number of 1 or more.")
            return 1
        return int(asked)

    @cached_property
    def chart(self) -> str:
        return self._one_of("chart", CHARTS, "auto")

    @cached_property
    def cell(self) -> str:
        """What the cells of a matrix show."""
        asked = self._one_of("cell", (*self.offered, *_VALUES), "value")
        return asked if asked in self.offered else self.first_number

    @cached_property
    def subtotals(self) -> bool:
        return self._one_of("sub", ("0", "1"), "1") == "1"

    def check(self) -> None:
        """QueryError for a report that cannot be run at all."""
        if self.errors:
            raise QueryError(MALFORMED_QUERY, next(iter(self.errors.values())))

    def pairs(self, *, drop: str = "", **changes: str) -> Pairs:
        """The parameters of the report but for its conditions, some changed, an empty change leaving one out.

        ``drop`` leaves out a measure, by its alias, and what is said of it."""
        found: Pairs = [pair for choice in self.measures if choice.alias != drop for pair in choice.pairs]
        found += self._group_pairs()
        for having in self.having:
            found += having.pairs if having.of != drop else []
        for name in ("sort", "cell", "sub", "chart", "page"):
            value = changes.get(name, self.value(name) if name != "page" else "")
            if value and value.removeprefix("-") != drop and not self._unsaid(name, value):
                found.append((name, value))
        return found

    def _group_pairs(self) -> Pairs:
        found: Pairs = []
        if self.given.get("g") is not None or self.value("g2"):
            first = self.rows[0] if self.rows else None
            found.append(("g", first.path.path if first else ""))
        names = (("by", self.rows[:1]), ("by2", self.rows[1:]))
        for name, choices in names:
            for choice in choices:
                if name == "by2":
                    found.append(("g2", choice.path.path))
                if choice.by and choice.by != "month":
                    found.append((name, choice.by))
        if self.across:
            found.append(("x", self.across.path.path))
            if self.across.by and self.across.by != "month":
                found.append(("xby", self.across.by))
        return found
