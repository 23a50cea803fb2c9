"""One frozen value for every question asked of an Org.

List views, related lists, reports, search and answer rules all build a QuerySpec,
so what a person can find is what the answer key computed. The canonical JSON form
is what the trace stores and what a query is hashed by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeAlias

from study.sandbox.engine.daterange import DateRange
from study.sandbox.engine.folding import clean_text
from study.sandbox.engine.formulas import (
    FORMULAS,
    PARTS,
    PERIODS,
    UNITS,
    Difference,
    Formula,
    Period,
    Product,
    Quotient,
)
from study.sandbox.engine.formulas import need as _need

__all__ = [
    "FORMULAS", "PERIODS", "UNITS",
    "And", "ChildRows", "Compare", "CompareFormula", "Condition", "DateRange", "Difference", "Formula", "Group",
    "Having", "HavingCondition", "InQuery", "Matches", "Measure", "Not", "Or", "Order", "Period", "Product",
    "QuerySpec", "Quotient", "Related", "Scalar", "Selected", "from_json", "spec_hash",
]  # fmt: skip

Scalar: TypeAlias = str | int | float | bool | date | datetime | DateRange | None
Value: TypeAlias = Scalar | tuple[Scalar, ...]

OPERATORS = frozenset(
    ["eq", "ne", "lt", "le", "gt", "ge", "contains", "starts", "like", "in", "not_in", "null", "not_null"]
)
FUNCTIONS = frozenset(["count", "count_distinct", "avg", "sum", "min", "max", "share"])


def _clean(value: Any) -> Any:
    """Texts as they may be stored: a query goes into the trace as it is (P-15)."""
    return clean_text(value) if isinstance(value, str) else value


def _one_of(value: object, allowed: Set[str]) -> bool:
    return isinstance(value, str) and value in allowed


def _checked(op: str, value: Any, place: str) -> Any:
    """The value of a comparison, cleaned. QueryError for an unknown operator or the wrong number of values."""
    _need(_one_of(op, OPERATORS), f"{op!r} is not an operator.", place)
    if op in {"in", "not_in"}:
        listed = isinstance(value, Iterable) and not isinstance(value, str | dict)
        _need(listed, f"The operator {op} needs a list of values.", place)
        return tuple(_clean(item) for item in value)
    _need(not isinstance(value, tuple | list), f"The operator {op} takes one value.", place)
    return _clean(value)


@dataclass(frozen=True)
class Compare:
    """A field (or path) against a value; ``in`` and ``not_in`` take a tuple, ``null`` and ``not_null`` nothing.

    ``like`` takes a pattern for the whole of a short text: ``%`` any characters, ``_``
    one, and a backslash before either (or before itself) takes it as it is.
    """

    field: str
    op: str
    value: Value = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _checked(self.op, self.value, self.field))


@dataclass(frozen=True)
class CompareFormula:
    """A row formula against a value, with the operators of a number (or of what a period gives)."""

    formula: Formula
    op: str
    value: Value = None

    def __post_init__(self) -> None:
        _need(isinstance(self.formula, FORMULAS), f"{self.formula!r} is not a formula.")
        object.__setattr__(self, "value", _checked(self.op, self.value, self.formula.column))


@dataclass(frozen=True)
class InQuery:
    """Whether ``field`` is among the values of ``select`` in the records of ``object`` that fit ``where``.

    Empty values in that list count for nothing. ``negated`` keeps records whose
    field is empty, as every "is not" here does (P-52). No limit cuts the list.
    """

    field: str
    object: str
    select: str
    where: Condition | None = None
    negated: bool = False


@dataclass(frozen=True)
class Matches:
    """Whether the texts of a record, or those of some fields, hold ``words``: see sought.py for what they may say."""

    words: str
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", _clean(self.words))
        object.__setattr__(self, "fields", tuple(self.fields))


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
    """Exactly, at least or at most n records of ``child_object`` point here with ``child_field`` and fit ``where``."""

    child_object: str
    child_field: str
    op: str
    n: int
    where: Condition | None = None

    def __post_init__(self) -> None:
        place = f"{self.child_object}.{self.child_field}"
        known = _one_of(self.op, {"exactly", "at_least", "at_most"})
        _need(known, f"{self.op!r} is not a way to count related records.", place)
        whole = isinstance(self.n, int) and not isinstance(self.n, bool) and 0 <= self.n < 2**53
        _need(whole, "The number of related records is a whole number of 0 or more.", place)


@dataclass(frozen=True)
class Having:
    """A condition on a group, by the alias (or column name) of a measure or of a group."""

    alias: str
    op: str
    value: Value = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _checked(self.op, self.value, self.alias))


Condition: TypeAlias = Compare | CompareFormula | And | Or | Not | Related | InQuery | Matches | Having
"""A tree of conditions. ``Having`` stands in trees of groups only, all other leaves in trees of rows only."""
HavingCondition: TypeAlias = Having | And | Or | Not


@dataclass(frozen=True)
class Measure:
    """A number over the rows of a group. ``count`` without a field counts rows; a formula takes the place of a field.

    ``where`` keeps some of the group's rows for this measure alone. ``share`` is the
    part of the group's rows, 0 to 1, that ``where`` holds for.
    """

    fn: str
    field: str | None = None
    alias: str = ""
    formula: Formula | None = None
    where: Condition | None = None

    def __post_init__(self) -> None:
        place = self.field or self.fn
        _need(_one_of(self.fn, FUNCTIONS), f"{self.fn!r} is not a measure.", place)
        _need(self.field is None or self.formula is None, "A measure is over a field or a formula.", place)
        _need(self.formula is None or isinstance(self.formula, FORMULAS), f"{self.formula!r} is not a formula.", place)
        if self.fn == "share":
            _need(self.field is None and self.formula is None, "A share is of rows, not of a field.", place)
            _need(self.where is not None, "A share needs the condition it is a share of.", place)
        named = self.fn in {"count", "share"} or self.field is not None or self.formula is not None
        _need(named, f"The measure {self.fn} needs a field.", place)

    @property
    def column(self) -> str:
        over = self.formula.column if self.formula else self.field
        return self.alias or (f"{self.fn}({over})" if over else self.fn)


@dataclass(frozen=True)
class Group:
    """Rows with the same value of a field, or whose date lies in the same period (PERIODS and PARTS).

    The values of a group that runs ``across`` are the columns of a matrix (see matrix.py).
    """

    field: str
    by: str | None = None
    alias: str = ""
    across: bool = False

    def __post_init__(self) -> None:
        known = self.by is None or _one_of(self.by, PERIODS | PARTS)
        _need(known, f"{self.by!r} is not a period to group by.", self.field)

    @property
    def column(self) -> str:
        return self.alias or (f"{self.by}({self.field})" if self.by else self.field)


@dataclass(frozen=True)
class Order:
    """A sort key: field path, or alias of a group or measure. Empty values come first unless said otherwise."""

    key: str
    descending: bool = False
    nulls: str = "first"

    def __post_init__(self) -> None:
        _need(_one_of(self.nulls, {"first", "last"}), "Empty values come first or last.", self.key)


@dataclass(frozen=True)
class ChildRows:
    """The records of ``child_object`` that point to each row with ``child_field``, as rows inside the row.

    ``limit`` is per row. The cell of the result is a tuple of tuples in the order of ``select``.
    """

    child_object: str
    child_field: str
    select: tuple[str | Formula, ...]
    where: Condition | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    alias: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "select", tuple(self.select))
        object.__setattr__(self, "order", tuple(self.order))
        _need(bool(self.select), "Child rows need a field to show.", self.column)
        _whole("limit", self.limit)

    @property
    def column(self) -> str:
        return self.alias or f"{self.child_object}.{self.child_field}"


Selected: TypeAlias = str | Formula | ChildRows
Stored: TypeAlias = str | int | float | None


def _whole(name: str, number: object) -> None:
    whole = number is None or (isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**53)
    _need(whole, f"The {name} is a whole number of 0 or more.", name)


@dataclass(frozen=True)
class QuerySpec:
    """A question. Rows are ordered by ``order``, then by Id (or group), so paging is stable.

    ``match`` keeps records whose texts hold all of its words (see search.py).
    ``having`` holds if all of its conditions do. ``after`` continues behind a row: the
    stored values of its sort keys and its Id, as ``Result.after`` gives them.
    """

    object: str
    select: tuple[Selected, ...] = ()
    where: Condition | None = None
    groups: tuple[Group, ...] = ()
    measures: tuple[Measure, ...] = ()
    having: tuple[HavingCondition, ...] | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    match: str | None = None
    after: tuple[Stored, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("select", "groups", "measures", "order"):
            object.__setattr__(self, name, tuple(getattr(self, name) or ()))
        object.__setattr__(self, "match", _clean(self.match))
        object.__setattr__(self, "having", tuple(self.having) if self.having else None)
        object.__setattr__(self, "after", None if self.after is None else tuple(self.after))
        _whole("limit", self.limit)
        _whole("offset", self.offset)
        _need(self.after is None or not self.offset, "A page begins behind a row or at an offset, not both.", "after")
        if self.grouped:
            _need(not self.select, "A grouped query shows its groups and measures, no other columns.", "select")
        else:
            _need(not self.having, "Only grouped queries have conditions on measures.", "having")
        across = sum(group.across for group in self.groups)
        _need(across <= 1, "One group runs across, not more.", "groups")

    @property
    def grouped(self) -> bool:
        return bool(self.groups or self.measures)

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no blanks, defaults left out."""
        from study.sandbox.engine.queryspec_json import dumps

        return dumps(self)


def from_json(text: str | dict[str, Any]) -> QuerySpec:
    """The query of a JSON text (or the mapping it stands for). QueryError where it is not one."""
    from study.sandbox.engine.queryspec_json import loads

    return loads(text)


def spec_hash(spec: QuerySpec) -> str:
    """sha256 of the canonical JSON, in hex."""
    return hashlib.sha256(spec.to_json().encode("utf-8", "replace")).hexdigest()
