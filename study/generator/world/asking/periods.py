"""Periods as people say them, and as rules take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from study.benchmark.rules.windows import Window, window

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
QUARTERS = {1: "first", 2: "second", 3: "third", 4: "fourth"}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip


@dataclass(frozen=True)
class Period:
    """A window parameter with its words, such as "in the past four months"."""

    given: tuple[str, Any]
    words: str
    today: date

    @property
    def params(self) -> dict[str, Any]:
        return {"window": {self.given[0]: self.given[1]}}

    @property
    def window(self) -> Window:
        return window(self.params, self.today)

    @property
    def meaning(self) -> str:
        """The first and last day in plain words, for the definitions."""
        found = self.window
        last = found.end - timedelta(days=1)
        ends = f"today, {_said(last)}" if last == self.today else _said(last)
        subject = self.words.removeprefix("in ")
        return f"{subject[0].upper()}{subject[1:]} means {_said(found.first)} to {ends}, both days included."

    def variants(self) -> Iterator[tuple[date, date]]:
        """First day and day after the last, with each end taken in or left out."""
        found = self.window
        for first in (found.first, found.first + timedelta(days=1)):
            for end in (found.end - timedelta(days=1), found.end):
                yield first, end


def _said(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def past_months(n: int, today: date) -> Period:
    return Period(("past_months", n), f"in the past {NUMBERS[n]} months", today)


def past_quarters(n: int, today: date) -> Period:
    return Period(("past_quarters", n), f"in the past {NUMBERS[n]} quarters", today)


def quarter(year: int, n: int, today: date) -> Period:
    return Period(("quarter", f"{year}-Q{n}"), f"in the {QUARTERS[n]} quarter of {year}", today)


def season(year: int, name: str, today: date) -> Period:
    return Period(("season", f"{year}-{name}"), f"in {name} {year}", today)


def whole_year(year: int, today: date) -> Period:
    return Period(("year", year), f"in {year}", today)


def usual_periods(today: date) -> list[Period]:
    """What people ask about: from two months to two years back, or a quarter, season or year by name."""
    found = [past_months(n, today) for n in range(2, 13)] + [past_quarters(n, today) for n in range(2, 7)]
    named = [(year, n) for year in (2023, 2024, 2025) for n in (1, 2, 3, 4)]
    found += [quarter(year, n, today) for year, n in named if (2023, 3) <= (year, n) <= (2025, 3)]
    found += [season(year, name, today) for year in (2024, 2025) for name in ("spring", "summer")]
    return [*found, season(2023, "autumn", today), season(2024, "autumn", today), whole_year(2024, today)]


def before_the_data(today: date) -> list[Period]:
    """Periods from before the first record of the Org."""
    return [quarter(2023, 1, today), season(2022, "autumn", today), whole_year(2022, today), quarter(2022, 4, today)]
