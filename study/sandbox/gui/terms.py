"""One condition: how an address writes it, how people read it, what it asks."""

from __future__ import annotations

import calendar
import math
import re
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.sandbox.engine.daterange import WORDS, DateRange, add_months
from study.sandbox.engine.errors import INVALID_OPERATOR, INVALID_VALUE, QueryError
from study.sandbox.engine.formulas import PARTS
from study.sandbox.engine.queryspec import And, Compare, CompareFormula, Condition, Or, Period
from study.sandbox.engine.registry import Registry
from study.sandbox.frozen_today import day_words
from study.sandbox.gui.fieldpaths import FieldPath, name_paths
from study.sandbox.gui.naming import looks_like_id
from study.sandbox.gui.typed_values import as_typed, shown

SEPARATOR = ";"
DURING = "during"
IN_PERIOD = gettext_lazy("in the year, quarter or month")
OPERATORS = {
    "eq": gettext_lazy("is"),
    "ne": gettext_lazy("is not"),
    "in": gettext_lazy("is any of"),
    "not_in": gettext_lazy("is none of"),
    "contains": gettext_lazy("contains"),
    "starts": gettext_lazy("starts with"),
    "lt": gettext_lazy("is less than, before"),
    "le": gettext_lazy("is at most, up to"),
    "gt": gettext_lazy("is more than, after"),
    "ge": gettext_lazy("is at least, from"),
    "null": gettext_lazy("is empty"),
    "not_null": gettext_lazy("is not empty"),
}
COMPARED_NUMBERS = {
    "lt": gettext_lazy("is less than"),
    "le": gettext_lazy("is at most"),
    "gt": gettext_lazy("is more than"),
    "ge": gettext_lazy("is at least"),
}
COMPARED_DATES = {
    "lt": gettext_lazy("is before"),
    "le": gettext_lazy("is up to"),
    "gt": gettext_lazy("is after"),
    "ge": gettext_lazy("is from"),
}
_ORDERED = ("eq", "ne", "lt", "le", "gt", "ge", "null", "not_null")
_TEXT = ("eq", "ne", "in", "not_in", "contains", "starts", "null", "not_null")
BY_TYPE: dict[str, tuple[str, ...]] = {
    "string": _TEXT,
    "picklist": _TEXT,
    "reference": ("eq", "ne", "in", "not_in", "contains", "starts", "null", "not_null"),
    "id": ("eq", "ne", "in", "not_in", "null", "not_null"),
    "boolean": ("eq", "ne", "null", "not_null"),
    "number": _ORDERED,
    "integer": _ORDERED,
    "date": _ORDERED,
    "datetime": _ORDERED,
    "text": ("null", "not_null"),
}
DATE_WORDS = {
    "past_months": gettext_lazy("in the past N months, up to today"),
    "past_quarters": gettext_lazy("in the past N quarters, up to today"),
    "past_weeks": gettext_lazy("in the past N weeks, up to today"),
    "past_days": gettext_lazy("in the past N days, up to today"),
    "past_years": gettext_lazy("in the past N years, up to today"),
    "today": gettext_lazy("today"),
    "yesterday": gettext_lazy("yesterday"),
    "this_week": gettext_lazy("this week"),
    "last_week": gettext_lazy("last week"),
    "this_month": gettext_lazy("this month"),
    "last_month": gettext_lazy("last month"),
    "last_n_months": gettext_lazy("in the N calendar months before this one"),
    "this_quarter": gettext_lazy("this quarter"),
    "last_quarter": gettext_lazy("last quarter"),
    "last_n_quarters": gettext_lazy("in the N quarters before this one"),
    "this_year": gettext_lazy("this year"),
    "last_year": gettext_lazy("last year"),
    "last_n_days": gettext_lazy("in the last N days and today"),
}
_PERIOD = re.compile(r"(\d{4})(?:-(?:Q([1-4])|(\d{2})(?:-(\d{2})(/7)?)?))?")
_MONTHS = {name: number for number, name in enumerate(calendar.month_name) if name}
_MONTH_OF_YEARS = re.compile(r"([A-Z][a-z]+)/(\d{4})-(\d{4})")
_MOST_YEARS = 200
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_WHOLE = re.compile(r"[+-]?\d{1,25}", re.ASCII)
_PART_OF = re.compile(r"([a-z_]+)/(\d{1,4})")


@dataclass(frozen=True)
class Term:
    """A field path, an operator (or date word) and values as typed. ``kind``: c, s or w, as in the address."""

    registry: Registry
    path: FieldPath
    op: str
    values: tuple[str, ...] = ()
    kind: str = "c"

    @classmethod
    def read(cls, registry: Registry, path: FieldPath, op: str, value: str, *, kind: str = "c") -> Term:
        """A checked term. QueryError if the operator does not fit the field or the value cannot be read."""
        op, value = op or "eq", value.strip()
        value = as_period(value) if op == DURING else value
        values = tuple(part.strip() for part in value.split(SEPARATOR)) if op in {"in", "not_in"} else (value,)
        if op in BY_TYPE[path.field.type] and op not in {"null", "not_null"}:
            values = tuple(as_typed(path, one, registry.zone, op) for one in values)
        term = cls(registry, path, op, () if op in {"null", "not_null"} else values, kind)
        term.condition()
        return term

    def pairs(self) -> list[tuple[str, str]]:
        if self.kind == "s":
            return [(f"s.{self.path.path}", value) for value in self.values]
        if self.kind == "w":
            number = f":{self.values[0]}" if self.values and self.values[0] else ""
            return [(f"w.{self.path.path}", self.op + number)]
        return [("c", self.path.path), ("o", self.op), ("v", SEPARATOR.join(self.values))]

    def condition(self) -> Condition:
        if self.kind == "s":
            return Compare(self.path.path, "in", self.values)
        if self.op in WORDS or self.op == DURING:
            return self._dated()
        if self.op not in BY_TYPE[self.path.field.type]:
            raise QueryError(INVALID_OPERATOR, _no_fit(self.path, self.op), self.path.path)
        if self.path.formula is not None:
            plain = self.op in {"null", "not_null"}
            return CompareFormula(self.path.formula, self.op, None if plain else self._number())
        if self.op in {"null", "not_null"}:
            return Compare(self.path.path, self.op)
        if self.path.field.type in {"number", "integer"}:
            return Compare(self.path.path, self.op, self._number())
        if self.path.field.type == "reference":
            return self._reference()
        return Compare(self.path.path, self.op, self.values if self.op in {"in", "not_in"} else self.values[0])

    def _dated(self) -> Condition:
        if not self.path.dated:
            message = _("%(field)s is not a date.") % {"field": self.path.label}
            raise QueryError(INVALID_OPERATOR, message, self.path.path)
        if self.op == DURING:
            return during(self.path.path, self.values[0] if self.values else "")
        return Compare(self.path.path, "eq", self.date_range())

    def date_range(self) -> DateRange:
        """The date word with its number."""
        if not WORDS[self.op]:
            return DateRange(self.op)
        number = self.values[0] if self.values else ""
        if not number.isdecimal() or not 0 < int(number[:6]) <= 9_999 or len(number) > 4:
            message = _("Give a whole number of 1 or more for %(field)s.") % {"field": self.path.label}
            raise QueryError(INVALID_VALUE, message, self.path.path)
        return DateRange(self.op, int(number))

    def _number(self) -> float:
        """A whole number stays one, so that none is lost beyond 2**53; commas may stand between thousands only."""
        typed = self.values[0].strip() if self.values else ""
        try:
            plain = typed.replace(",", "") if _THOUSANDS.fullmatch(typed) else typed
            number: float = int(plain) if _WHOLE.fullmatch(plain) else float(plain)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            message = _("%(field)s holds numbers. Write one, such as 25 or 99.50.") % {"field": self.path.label}
            raise QueryError(INVALID_VALUE, message, self.path.path)
        return number

    def _reference(self) -> Condition:
        """By Id; anything else that is typed is taken as the name of the record."""
        several = self.op in {"in", "not_in"}
        value = self.values if several else self.values[0]
        named = [given for given in self.values if given and not looks_like_id(given)]
        if not named and self.op not in {"contains", "starts"}:
            return Compare(self.path.path, self.op, value)
        by_name = [Compare(path, self.op, value) for path in name_paths(self.registry, self.path)]
        if not by_name:
            message = _("%(field)s takes an Id of 15 or 18 characters.") % {"field": self.path.label}
            raise QueryError(INVALID_VALUE, message, self.path.path)
        if len(by_name) == 1:
            return by_name[0]
        # Of several objects one has the name; "is not" must hold for each of them.
        return And(*by_name) if self.op in {"ne", "not_in"} else Or(*by_name)

    def words(self, names: dict[str, str] | None = None) -> str:
        """The condition without its field: "is any of New, Closed", "in the past 4 months"."""
        if self.op in DATE_WORDS:
            return date_words(self.op, self.values[0] if self.values else "")
        said = [
            (names or {}).get(value) or shown(self.path, value, self.registry.zone) or _("(empty)")
            for value in self.values
        ]
        if self.kind == "s":
            return ", ".join(said) if len(said) < 4 else _("%(n)s values") % {"n": len(said)}
        if self.op == DURING:
            return _("in %(period)s") % {"period": period_words(self.values[0] if self.values else "")}
        compared = COMPARED_DATES if self.path.dated else COMPARED_NUMBERS
        known = compared.get(self.op) or OPERATORS.get(self.op)
        word = str(known) if known else self.op.replace("_", " ")
        return f"{word} {', '.join(said)}".strip()


def date_words(op: str, number: str) -> str:
    text = str(DATE_WORDS[op])
    if WORDS[op] and number == "1":
        return re.sub(r"N (.*?(?:month|week|day|year|quarter))s\b", r"1 \1", text)
    return text.replace("N ", f"{number} ") if WORDS[op] else text


def _no_fit(path: FieldPath, op: str) -> str:
    if path.field.type == "text":
        return _("%(field)s is a long text: search finds it, filters do not.") % {"field": path.label}
    word = str(OPERATORS.get(op, op))
    return _("“%(word)s” does not fit %(field)s. Choose another comparison.") % {"word": word, "field": path.label}


def during(path: str, period: str) -> Condition:
    """Inside a year, quarter, month, day or week (``2023``, ``2023-Q2``, ``2023-04``, ``2023-04-17``,
    ``2023-04-16/7``), a month of several years (``April/2020-2023``), or a part of the calendar in any year
    (``hour_of_day/14``, ``month_of_year/4``)."""
    if (named := _MONTH_OF_YEARS.fullmatch(period)) and (number := _MONTHS.get(named[1])):
        years = range(max(int(named[2]), 1), min(int(named[3]), 9_998) + 1)[:_MOST_YEARS]
        firsts = [date(year, number, 1) for year in years]
        return Or(*(_between(path, first, add_months(first, 1)) for first in firsts))
    if (part := _PART_OF.fullmatch(period)) and part[1] in PARTS:
        return CompareFormula(Period(path, part[1]), "eq", int(part[2]))
    first, end = _span(period)
    return _between(path, first, end)


def as_period(text: str) -> str:
    """A period as people type it, the way addresses write it: "Q2 2023" is 2023-Q2, "april 2023" is 2023-04."""
    first, _blank, year = text.partition(" ")
    if year.isdecimal() and re.fullmatch(r"[Qq][1-4]", first):
        return f"{year}-{first.upper()}"
    if year.isdecimal() and (number := _MONTHS.get(first.capitalize())):
        return f"{year}-{number:02d}"
    return re.sub(r"-q([1-4])$", r"-Q\1", text)


def _between(path: str, first: date, end: date) -> Condition:
    return And(Compare(path, "ge", first), Compare(path, "lt", end))


def _span(period: str) -> tuple[date, date]:
    match = _PERIOD.fullmatch(period)
    try:
        if match is None:
            raise ValueError
        year, quarter, month, day, week = match.groups()
        if day:
            first = date(int(year), int(month), int(day))
            return first, first + timedelta(days=7 if week else 1)
        first = date(int(year), int(month or (int(quarter) * 3 - 2 if quarter else 1)), 1)
        return first, add_months(first, 1 if month else 3 if quarter else 12)
    except (ValueError, OverflowError):
        message = _("“%(period)s” is not a period. Write 2023, 2023-Q2, 2023-04 or 2023-04-17.") % {"period": period}
        raise QueryError(INVALID_VALUE, message, period) from None


def period_words(period: str) -> str:
    """A period as people write it: November 2024, Q2 2023, the week of 16 Apr 2023, April of 2020 to 2023."""
    if named := _MONTH_OF_YEARS.fullmatch(period):
        if named[2] == named[3]:
            return f"{named[1]} {named[2]}"
        return _("%(month)s of %(first)s to %(last)s") % {"month": named[1], "first": named[2], "last": named[3]}
    if part := _PART_OF.fullmatch(period):
        return part_words(part[1], int(part[2]))
    match = _PERIOD.fullmatch(period)
    if match is None:
        return period
    year, quarter, month, day, week = match.groups()
    if day:
        said = day_words(_span(period)[0])
        return _("the week of %(day)s") % {"day": said} if week else said
    if month:
        return f"{calendar.month_name[int(month)]} {year}"
    return f"Q{quarter} {year}" if quarter else year


def part_words(part: str, number: int) -> str:
    """One part of the calendar in words: Sunday, 14:00 to 15:00, April of any year."""
    match part:
        case "hour_of_day":
            return f"{number:02d}:00 to {(number + 1) % 24:02d}:00"
        case "day_of_week":
            # Sunday is day 1.
            return calendar.day_name[(number + 5) % 7]
        case "month_of_year" if number in range(1, 13):
            return _("%(month)s of any year") % {"month": calendar.month_name[number]}
        case "week_of_year":
            return _("week %(n)s") % {"n": number}
        case "day_of_month":
            return _("day %(n)s") % {"n": number}
        case "quarter_of_year" | "fiscal_quarter_of_year":
            return f"Q{number}"
        case "fiscal_year":
            return _("fiscal year %(n)s") % {"n": number}
    return str(number)
