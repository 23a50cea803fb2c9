"""What the functions of a query mean: parts of the calendar, aggregates, and those that only dress a value."""

from __future__ import annotations

from dataclasses import dataclass

from study.sandbox.engine.errors import INVALID_FIELD
from study.sandbox.engine.formulas import Period
from study.sandbox.engine.registry import FOLDED
from study.sandbox.soql.errors import fault, suggestion
from study.sandbox.soql.names import Named, Names
from study.sandbox.soql.nodes import Call, Operand, Path

DATES = {
    "CALENDAR_YEAR": "year", "CALENDAR_QUARTER": "quarter_of_year", "CALENDAR_MONTH": "month_of_year",
    "DAY_IN_MONTH": "day_of_month", "DAY_IN_WEEK": "day_of_week", "DAY_IN_YEAR": "day_of_year", "DAY_ONLY": "day",
    "FISCAL_YEAR": "fiscal_year", "FISCAL_QUARTER": "fiscal_quarter_of_year",
    "FISCAL_MONTH": "fiscal_month_of_year", "HOUR_IN_DAY": "hour_of_day", "WEEK_IN_MONTH": "week_of_month",
    "WEEK_IN_YEAR": "week_of_year",
}  # fmt: skip
AGGREGATES = {
    "COUNT": "count", "COUNT_DISTINCT": "count_distinct", "SUM": "sum", "AVG": "avg", "MIN": "min", "MAX": "max"
}  # fmt: skip
DRESS = frozenset({"TOLABEL", "FORMAT", "CONVERTTIMEZONE", "CONVERTCURRENCY"})
"""Functions that show the same value in other clothes; values are shown here as they are."""
REFUSED = {
    "ROLLUP": "GROUP BY ROLLUP gives no subtotals here: group by the fields, one after the other.",
    "CUBE": "GROUP BY CUBE gives no subtotals here: group by the fields, one after the other.",
    "GROUPING": "GROUPING belongs to ROLLUP and CUBE, which are not spoken here.",
    "DISTANCE": "There are no places on a map in this Org.",
    "GEOLOCATION": "There are no places on a map in this Org.",
}
_NUMBERS = frozenset({"number", "integer"})


@dataclass(frozen=True)
class Aggregate:
    """An aggregate over a field, or over rows where there is none (``COUNT()``)."""

    fn: str
    field: Named | None
    name: str
    at: int

    @property
    def type(self) -> str:
        if self.fn in {"count", "count_distinct"} or self.field is None:
            return "integer"
        return "number" if self.fn == "avg" else self.field.type


@dataclass(frozen=True)
class Part:
    """A date function: the part of the calendar a date lies in."""

    field: Named
    by: str
    at: int

    @property
    def type(self) -> str:
        return "date" if self.by == "day" else "integer"

    @property
    def formula(self) -> Period:
        return Period(self.field.path, self.by)


Meant = Named | Part | Aggregate


def meaning(names: Names, operand: Operand) -> Meant:
    """What a field or function stands for. SoqlError for one that is not there or does not fit its field."""
    if isinstance(operand, Path):
        return names.field(operand)
    name = operand.name.upper()
    if name in REFUSED:
        raise fault(REFUSED[name], operand.at)
    if name in AGGREGATES:
        return _aggregate(names, operand, name)
    if name in DATES or name in DRESS:
        return _of_field(names, operand, name)
    known = [*DATES, *AGGREGATES, "toLabel", "FORMAT"]
    if name == "FIELDS":
        raise fault(
            "FIELDS stands alone among the columns of a query: SELECT FIELDS(ALL) FROM Case LIMIT 200.", operand.at
        )
    raise fault(f"There is no function called {operand.name}.{suggestion(operand.name, known)}", operand.at)


def _inner(names: Names, call: Call) -> Meant:
    if len(call.arguments) != 1 or call.other:
        raise fault(f"{call.name} takes one field.", call.at)
    return meaning(names, call.arguments[0])


def _of_field(names: Names, call: Call, name: str) -> Meant:
    inner = _inner(names, call)
    if name in DRESS:
        return inner
    if not isinstance(inner, Named) or inner.type not in {"date", "datetime"}:
        raise fault(f"{name} takes a field that holds dates.", call.at, INVALID_FIELD)
    if name == "HOUR_IN_DAY" and inner.type == "date":
        raise fault(f"{name} takes a field that holds times; {inner.path} holds days.", call.at, INVALID_FIELD)
    return Part(inner, DATES[name], call.at)


def _aggregate(names: Names, call: Call, name: str) -> Aggregate:
    if name == "COUNT" and not call.arguments and not call.other:
        return Aggregate("count", None, name, call.at)
    inner = _inner(names, call)
    if not isinstance(inner, Named):
        raise fault(f"{name} takes a field.", call.at)
    kind = inner.type
    numeric = name in {"SUM", "AVG"}
    if kind == "text" or (numeric and kind not in _NUMBERS) or (name in {"MIN", "MAX"} and kind == "boolean"):
        wanted = "; it needs numbers" if numeric else ""
        raise fault(f"{name} cannot be taken of {inner.path}{wanted}.", call.at)
    return Aggregate(AGGREGATES[name], inner, name, call.at)


def comparable(meant: Named | Part, verb: str, code: str) -> Named | Part:
    """Itself, unless it is a long text: those are found by FIND only."""
    if isinstance(meant, Named) and meant.type == "text":
        raise fault(f"{meant.path} is a long text: it cannot be {verb}. FIND searches in it.", meant.at, code)
    return meant


def is_short_text(meant: Meant) -> bool:
    return meant.type in FOLDED
