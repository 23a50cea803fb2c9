"""Row formulas: a value worked out of the fields of one row, to show, measure or compare.

A product or quotient takes field paths of numbers, or plain numbers; it is empty
where a part is empty, a quotient also where it would divide by nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, TypeAlias

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError

UNITS = {"days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1_000}
"""Units of a difference, in milliseconds."""

PERIODS = frozenset(["year", "quarter", "month", "month_name", "week", "day"])
"""Calendar periods; ``month_name`` joins the months of all years."""

PARTS = frozenset(
    {"hour_of_day", "day_of_week", "day_of_month", "day_of_year", "week_of_month", "week_of_year", "month_of_year"}
    | {"quarter_of_year", "fiscal_year", "fiscal_quarter_of_year", "fiscal_month_of_year"}
)
"""Whole numbers read off a date in the Org's zone, as SOQL's date functions do; Sunday is day 1, weeks of a
month or year are counted in sevens from its first day."""

Part: TypeAlias = str | int | float


def need(condition: bool, message: str, place: str = "") -> None:
    """QueryError with this message and place unless the condition holds."""
    if not condition:
        raise QueryError(MALFORMED_QUERY, message, place)


@dataclass(frozen=True)
class Difference:
    """``end`` minus ``start``, two dates or datetimes of one row, in days, hours, minutes or seconds."""

    end: str
    start: str
    unit: str = "days"
    alias: str = ""

    def __post_init__(self) -> None:
        known = isinstance(self.unit, str) and self.unit in UNITS
        need(known, f"{self.unit!r} is not a unit of time here.", str(self.end))

    @property
    def column(self) -> str:
        return self.alias or f"{self.end} - {self.start}"


@dataclass(frozen=True)
class _OfTwo:
    """What a product and a quotient share: two paths of numbers, or numbers, one path at least."""

    left: Part
    right: Part
    alias: str = ""
    sign: ClassVar[str]

    def __post_init__(self) -> None:
        _check_parts(self.left, self.right)

    @property
    def column(self) -> str:
        return self.alias or f"{self.left} {self.sign} {self.right}"


@dataclass(frozen=True)
class Product(_OfTwo):
    """``left`` times ``right``: paths of numbers, or numbers."""

    sign: ClassVar[str] = "*"


@dataclass(frozen=True)
class Quotient(_OfTwo):
    """``left`` divided by ``right``: paths of numbers, or numbers. Empty where ``right`` is zero."""

    sign: ClassVar[str] = "/"


@dataclass(frozen=True)
class Period:
    """The period, or part of the calendar, that a date lies in (PERIODS and PARTS)."""

    field: str
    by: str
    alias: str = ""

    def __post_init__(self) -> None:
        known = isinstance(self.by, str) and self.by in PERIODS | PARTS
        need(known, f"{self.by!r} is not a period.", str(self.field))

    @property
    def column(self) -> str:
        return self.alias or f"{self.by}({self.field})"


Formula: TypeAlias = Difference | Product | Quotient | Period
FORMULAS = (Difference, Product, Quotient, Period)


def _check_parts(*parts: Part) -> None:
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, str | int | float):
            raise QueryError(MALFORMED_QUERY, f"A formula takes fields and numbers, not {part!r}.")
        if not isinstance(part, str):
            need(abs(part) < 2**63 and isfinite(part), f"{str(part)[:40]} is not a number a formula can take.")
    need(any(isinstance(part, str) for part in parts), "A formula needs at least one field.")
