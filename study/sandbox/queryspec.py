"""One frozen value for every question asked of an Org.

List views, related lists, reports, search and answer rules all build a QuerySpec,
so what a person can find is what the answer key computed. The canonical JSON form
is what the trace stores and what a query is hashed by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeAlias

from study.sandbox.daterange import DateRange
from study.sandbox.errors import MALFORMED_QUERY, QueryError
from study.sandbox.folding import clean_text

__all__ = [
    "And", "Compare", "Condition", "DateRange", "Difference", "Group", "Having", "Measure", "Not", "Or",
    "Order", "QuerySpec", "Related", "Scalar", "from_json", "spec_hash",
]  # fmt: skip

Scalar: TypeAlias = str | int | float | bool | date | datetime | DateRange | None
Value: TypeAlias = Scalar | tuple[Scalar, ...]

OPERATORS = frozenset(["eq", "ne", "lt", "le", "gt", "ge", "contains", "starts", "in", "not_in", "null", "not_null"])
FUNCTIONS = frozenset(["count", "count_distinct", "avg", "sum", "min", "max"])
PERIODS = frozenset(["year", "quarter", "month", "month_name", "week", "day"])
UNITS = {"days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1_000}
"""Units of a difference, in milliseconds."""


def _need(condition: bool, message: str, place: str = "") -> None:
    if not condition:
        raise QueryError(MALFORMED_QUERY, message, place)


def _clean(value: Any) -> Any:
    """Texts as they may be stored: a query goes into the trace as it is (P-15)."""
    return clean_text(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Compare:
    """A field (or path) against a value; ``in`` and ``not_in`` take a tuple, ``null`` and ``not_null`` nothing."""

    field: str
    op: str
    value: Value = None

    def __post_init__(self) -> None:
        _need(self.op in OPERATORS, f"{self.op!r} is not an operator.", self.field)
        if self.op in {"in", "not_in"}:
            listed = isinstance(self.value, Iterable) and not isinstance(self.value, str)
            _need(listed, f"The operator {self.op} needs a list of values.", self.field)
            object.__setattr__(self, "value", tuple(_clean(item) for item in self.value))  # type: ignore[union-attr]
        else:
            single = not isinstance(self.value, tuple | list)
            _need(single, f"The operator {self.op} takes one value.", self.field)
            object.__setattr__(self, "value", _clean(self.value))


@dataclass(frozen=True, init=False)
class And:
    """All of these; with none, everything."""

    items: tuple[Condition, ...]

    def __init__(self, *items: Condition) -> None:
        object.__setattr__(self, "items", items)


@dataclass(frozen=True, init=False)
class Or:
    """Any of these; with none, nothing."""

    items: tuple[Condition, ...]

    def __init__(self, *items: Condition) -> None:
        object.__setattr__(self, "items", items)


@dataclass(frozen=True)
class Not:
    """Everything the item does not hold for, records with an empty field among them."""

    item: Condition


@dataclass(frozen=True)
class Related:
    """Exactly, or at least, n records of ``child_object`` point here with ``child_field`` and fit ``where``."""

    child_object: str
    child_field: str
    op: str
    n: int
    where: Condition | None = None

    def __post_init__(self) -> None:
        place = f"{self.child_object}.{self.child_field}"
        _need(self.op in {"exactly", "at_least"}, f"{self.op!r} is not a way to count related records.", place)
        whole = isinstance(self.n, int) and not isinstance(self.n, bool) and self.n >= 0
        _need(whole, "The number of related records is a whole number of 0 or more.", place)


Condition: TypeAlias = Compare | And | Or | Not | Related


@dataclass(frozen=True)
class Difference:
    """``end`` minus ``start``, two dates or datetimes of one row, in days, hours, minutes or seconds."""

    end: str
    start: str
    unit: str = "days"
    alias: str = ""

    def __post_init__(self) -> None:
        _need(self.unit in UNITS, f"{self.unit!r} is not a unit of time here.", self.end)

    @property
    def column(self) -> str:
        return self.alias or f"{self.end} - {self.start}"


@dataclass(frozen=True)
class Measure:
    """A number over rows. ``count`` without a field counts rows; a difference takes the place of a field."""

    fn: str
    field: str | None = None
    alias: str = ""
    difference: Difference | None = None

    def __post_init__(self) -> None:
        place = self.field or self.fn
        _need(self.fn in FUNCTIONS, f"{self.fn!r} is not a measure.", place)
        _need(self.field is None or self.difference is None, "A measure is over a field or a difference.", place)
        named = self.fn == "count" or self.field is not None or self.difference is not None
        _need(named, f"The measure {self.fn} needs a field.", place)

    @property
    def column(self) -> str:
        over = self.difference.column if self.difference else self.field
        return self.alias or (f"{self.fn}({over})" if over else self.fn)


@dataclass(frozen=True)
class Group:
    """Rows with the same value of a field, or whose date lies in the same period."""

    field: str
    by: str | None = None
    alias: str = ""

    def __post_init__(self) -> None:
        _need(self.by is None or self.by in PERIODS, f"{self.by!r} is not a period to group by.", self.field)

    @property
    def column(self) -> str:
        return self.alias or (f"{self.by}({self.field})" if self.by else self.field)


@dataclass(frozen=True)
class Having:
    """A condition on a group's measure, by the measure's alias (or its column name)."""

    alias: str
    op: str
    value: Value = None

    def __post_init__(self) -> None:
        _need(self.op in {"eq", "ne", "lt", "le", "gt", "ge"}, f"{self.op!r} cannot compare a measure.", self.alias)


@dataclass(frozen=True)
class Order:
    """A sort key: field path, or alias of a group or measure. Empty values come first unless said otherwise."""

    key: str
    descending: bool = False
    nulls: str = "first"

    def __post_init__(self) -> None:
        _need(self.nulls in {"first", "last"}, "Empty values come first or last.", self.key)


@dataclass(frozen=True)
class QuerySpec:
    """A question. Rows are ordered by ``order``, then by Id (or group), so paging is stable.

    ``match`` keeps records whose texts hold all of its words (see search.py).
    """

    object: str
    select: tuple[str | Difference, ...] = ()
    where: Condition | None = None
    groups: tuple[Group, ...] = ()
    measures: tuple[Measure, ...] = ()
    having: tuple[Having, ...] | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    match: str | None = None

    def __post_init__(self) -> None:
        for name in ("select", "groups", "measures", "order"):
            object.__setattr__(self, name, tuple(getattr(self, name) or ()))
        object.__setattr__(self, "match", _clean(self.match))
        object.__setattr__(self, "having", tuple(self.having) if self.having else None)
        for name, number in (("limit", self.limit), ("offset", self.offset)):
            whole = number is None or (isinstance(number, int) and not isinstance(number, bool))
            _need(whole and (number is None or 0 <= number < 2**53), f"The {name} is a whole number of 0 or more.")
        if self.grouped:
            _need(not self.select, "A grouped query shows its groups and measures, no other columns.", "select")
        else:
            _need(not self.having, "Only grouped queries have conditions on measures.", "having")

    @property
    def grouped(self) -> bool:
        return bool(self.groups or self.measures)

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no blanks, defaults left out."""
        from study.sandbox.queryspec_json import dumps

        return dumps(self)


def from_json(text: str | dict[str, Any]) -> QuerySpec:
    """The query of a JSON text (or the mapping it stands for). QueryError where it is not one."""
    from study.sandbox.queryspec_json import loads

    return loads(text)


def spec_hash(spec: QuerySpec) -> str:
    """sha256 of the canonical JSON, in hex."""
    return hashlib.sha256(spec.to_json().encode("utf-8", "replace")).hexdigest()
