"""Periods as people say them, and as rules take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from study.benchmark.rules.windows import Window, window
from study.generator.groundwork.draw import Draw

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
QUARTERS = {1: "first", 2: "second", 3: "third", 4: "fourth"}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
SEASONS = ("spring", "summer", "autumn", "winter")
SAID_PAST = ("in the past", "over the past", "in the last", "over the last", "during the past", "within the last")


@dataclass(frozen=True)
class Period:
    """A window parameter, read from one today."""

    kind: str
    value: int | str
    today: date

    @property
    def params(self) -> dict[str, Any]:
        return {"window": {self.kind: self.value}}

    @property
    def window(self) -> Window:
        return _window(self)

    @property
    def relative(self) -> bool:
        return self.kind.startswith("past_")

    def words(self, draw: Draw) -> str:
        """ "over the past four months", "in the third quarter of 2024"."""
        if self.relative:
            return f"{draw.pick(SAID_PAST)} {number(int(self.value))} {self.kind.removeprefix('past_')}"
        if self.kind == "quarter":
            year, place = str(self.value).split("-Q")
            return draw.pick((f"in the {QUARTERS[int(place)]} quarter of {year}", f"in Q{place} of {year}"))
        if self.kind == "season":
            year, name = str(self.value).split("-")
            if name == "winter":
                return f"in the winter of {year} to {int(year) + 1}"
            said = "fall" if name == "autumn" else name
            return draw.pick((f"in the {said} of {year}", f"in {said} {year}"))
        if self.kind == "month":
            year, place = str(self.value).split("-")
            return f"in {MONTHS[int(place) - 1]} {year}"
        return draw.pick((f"in {self.value}", f"in the year {self.value}"))

    @property
    def meaning(self) -> str:
        """First and last day for the definitions; by numbers, so that no month is named."""
        found = self.window
        last = found.end - timedelta(days=1)
        ends = f"today, {last.isoformat()}" if last == self.today else last.isoformat()
        return f"The period runs from {found.first.isoformat()} to {ends}; both days count."


@lru_cache(maxsize=20_000)
def _window(period: Period) -> Window:
    return window(period.params, period.today)


def number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def past(today: date) -> Iterator[Period]:
    """Periods that end with today, short ones first; none of one month: "the last month" may be one of the calendar."""
    yield from (Period("past_weeks", n, today) for n in (3, 4, 6, 8, 10))
    yield from (Period("past_months", n, today) for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 20))
    yield from (Period("past_quarters", n, today) for n in (2, 3, 4, 5, 6, 7, 8))


def more(first: date, today: date) -> Iterator[Period]:
    """Periods for tasks of which the usual ones leave too few questions: odd numbers of weeks and months, months."""
    yield from (Period("past_weeks", n, today) for n in range(2, 27) if n not in (3, 4, 6, 8, 10))
    yield from (Period("past_months", n, today) for n in (13, 17, 19, 21, 22, 23, 24, 26, 28, 30, 32, 34, 36))
    yield from (Period("past_quarters", n, today) for n in (9, 10, 11, 12))
    yield from months(first, today)


def named(first: date, today: date) -> Iterator[Period]:
    """Quarters, seasons and years of the calendar between two days, whole ones only."""
    for year in range(first.year, today.year + 1):
        one = [Period("quarter", f"{year}-Q{n}", today) for n in (1, 2, 3, 4)]
        one += [Period("season", f"{year}-{name}", today) for name in SEASONS]
        one += [Period("year", year, today)]
        for period in one:
            found = period.window
            if found.first >= first and found.end <= today:
                yield period


def months(first: date, today: date) -> Iterator[Period]:
    """Calendar months between two days, whole ones only."""
    for year in range(first.year, today.year + 1):
        for n in range(1, 13):
            period = Period("month", f"{year}-{n:02d}", today)
            if period.window.first >= first and period.window.end <= today:
                yield period


def before(first: date, today: date) -> list[Period]:
    """Periods that end at least a month before the first day of the data."""
    found = [Period("year", first.year - n, today) for n in (1, 2)]
    for year in (first.year - 1, first.year - 2):
        found += [Period("quarter", f"{year}-Q{n}", today) for n in (1, 2, 3, 4)]
        found += [Period("season", f"{year}-{name}", today) for name in SEASONS]
    return [period for period in found if period.window.end < first - timedelta(days=31)]


def spoken_days(n: int) -> str:
    """ "three weeks ago", "nine days ago"."""
    if n % 7 == 0:
        weeks = n // 7
        return "a week ago" if weeks == 1 else f"{number(weeks)} weeks ago"
    return f"{number(n)} days ago"


def sayable(days: int) -> bool:
    """Whether people would count so many days back."""
    return 2 <= days <= 60 or (days % 7 == 0 and 60 < days <= 78 * 7)
