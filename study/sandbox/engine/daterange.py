"""Date words as half-open ranges of days, counted from a given today (P-46).

Weeks start on Sunday. ``last_n_months`` and its like are whole calendar units
before the current one; ``last_n_days`` also holds today; ``past_months`` runs from
the same day n months ago (the last of the month where that day does not exist) to
the end of today, ``past_quarters`` three times as far. Fiscal years start in the Org's fiscal month.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from study.sandbox.engine.errors import INVALID_VALUE, QueryError

Span = tuple[date, date]


@dataclass(frozen=True)
class DateRange:
    """A date word, with its number where the word needs one: ``DateRange("last_n_months", 4)``."""

    word: str
    n: int | None = None


def add_months(day: date, months: int) -> date:
    """The same day ``months`` later (or earlier), or the last of that month where it does not exist."""
    total = day.year * 12 + day.month - 1 + months
    year, month = divmod(total, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def week_start(day: date) -> date:
    """The Sunday on or before a day."""
    return day - timedelta(days=(day.weekday() + 1) % 7)


def _month(day: date) -> date:
    return day.replace(day=1)


def _fiscal(day: date, start: int, months: int) -> date:
    """The first day of the quarter (3) or year (12) that holds ``day``, for years starting in month ``start``."""
    return add_months(_month(day), -((day.month - start) % 12 % months))


@dataclass(frozen=True)
class _Unit:
    """A calendar unit: the start of the one holding a day, and a step of n units from a start."""

    start: Callable[[date, int], date]
    step: Callable[[date, int], date]


_UNITS = {
    "day": _Unit(lambda day, _: day, lambda start, n: start + timedelta(days=n)),
    "week": _Unit(lambda day, _: week_start(day), lambda start, n: start + timedelta(weeks=n)),
    "month": _Unit(lambda day, _: _month(day), add_months),
    "quarter": _Unit(lambda day, _: _fiscal(day, 1, 3), lambda start, n: add_months(start, 3 * n)),
    "year": _Unit(lambda day, _: _fiscal(day, 1, 12), lambda start, n: add_months(start, 12 * n)),
    "fiscal_quarter": _Unit(lambda day, first: _fiscal(day, first, 3), lambda start, n: add_months(start, 3 * n)),
    "fiscal_year": _Unit(lambda day, first: _fiscal(day, first, 12), lambda start, n: add_months(start, 12 * n)),
}


def _words() -> dict[str, tuple[str, int, int, bool]]:
    """Word -> (unit, first unit, end unit, needs n); with n, the two are multiplied by it."""
    words = {"today": ("day", 0, 1, False), "yesterday": ("day", -1, 0, False), "tomorrow": ("day", 1, 2, False)}
    for unit in _UNITS:
        if unit != "day":
            words |= {f"last_{unit}": (unit, -1, 0, False), f"next_{unit}": (unit, 1, 2, False)}
            words[f"this_{unit}"] = (unit, 0, 1, False)
        words[f"last_n_{unit}s"] = (unit, -1, 0, True)
        words[f"next_n_{unit}s"] = (unit, 0, 1, True)
        words[f"n_{unit}s_ago"] = (unit, -1, -1, True)
    return words


_CALENDAR = _words()
# Months of those units that roll with today.
_ROLLING_MONTHS = {"past_months": 1, "past_quarters": 3, "past_years": 12}
_ROLLING = ("past_days", "past_weeks", *_ROLLING_MONTHS)
_FIXED = {"last_90_days": ("last_n_days", 90), "next_90_days": ("next_n_days", 90)}

WORDS: dict[str, bool] = {word: rule[3] for word, rule in _CALENDAR.items()}
WORDS |= dict.fromkeys(_ROLLING, True) | dict.fromkeys(_FIXED, False)
"""Every date word, and whether it needs a number."""


def resolve(item: DateRange, today: date, fiscal_start: int = 1) -> Span:
    """First day and the day after the last. QueryError for an unknown word, a missing or impossible number."""
    if item.word not in WORDS:
        raise QueryError(INVALID_VALUE, f"{item.word!r} is not a date word.", item.word)
    needs = WORDS[item.word]
    if needs != (item.n is not None) or (item.n is not None and item.n < 1):
        remedy = "needs a number of 1 or more" if needs else "takes no number"
        raise QueryError(INVALID_VALUE, f"The date word {item.word} {remedy}.", item.word)
    try:
        return _span(item.word, item.n or 0, today, fiscal_start)
    except (OverflowError, ValueError):
        message = f"{item.word} {item.n} reaches beyond the years a calendar holds."
        raise QueryError(INVALID_VALUE, message, item.word) from None


def _span(word: str, n: int, today: date, fiscal_start: int) -> Span:
    if word in _FIXED:
        word, n = _FIXED[word]
    tomorrow = today + timedelta(days=1)
    if word in _ROLLING:
        return _rolling_start(word, n, today), tomorrow
    unit_name, first, end, needs = _CALENDAR[word]
    unit = _UNITS[unit_name]
    start = unit.start(today, fiscal_start)
    if not needs:
        return unit.step(start, first), unit.step(start, end)
    if word.endswith("_ago"):
        return unit.step(start, -n), unit.step(start, 1 - n)
    if word.startswith("next_n_"):
        return unit.step(start, 1), unit.step(start, 1 + n)
    # Days alone count the current unit as well: "the last 7 days" hold today.
    return unit.step(start, -n), tomorrow if unit_name == "day" else start


def _rolling_start(word: str, n: int, today: date) -> date:
    if word == "past_days":
        return today - timedelta(days=n)
    if word == "past_weeks":
        return today - timedelta(weeks=n)
    return add_months(today, -n * _ROLLING_MONTHS[word])
