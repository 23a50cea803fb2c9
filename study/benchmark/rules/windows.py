"""The periods of the questions: "the past four months", "the third quarter of 2020", "winter of 2021".

A past period of n months begins n months before today, on the same day of the month or the month's last where it is
shorter, and ends with the end of today: both days count. A quarter is three months. A named period is the calendar's:
from its first day to its last, both included. Winter is December of the stated year to the end of February.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from study.benchmark.rules.answer import RuleError
from study.sandbox.engine.daterange import DateRange, add_months
from study.sandbox.engine.queryspec import And, Compare

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
US_ZONES = (
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage",
    "Pacific/Honolulu",
)  # fmt: skip
PAST = ("past_months", "past_quarters", "past_weeks", "past_days")


@dataclass(frozen=True)
class Window:
    """Whole days: ``first`` is in, ``end`` is the first day after. ``relative`` is the date word of a past period.

    ``zone`` is set where the days are read in another zone than the Org's, to see whether an answer would change.
    """

    first: datetime.date
    end: datetime.date
    relative: DateRange | None = None
    zone: str = ""

    def condition(self, field: str, zone: str = "UTC") -> Compare | And:
        """That a date and time ``field`` lies in the window, as the screens would ask it."""
        if self.relative is not None:
            return Compare(field, "eq", self.relative)
        zone = self.zone or zone
        return And(Compare(field, "ge", _midnight(self.first, zone)), Compare(field, "lt", _midnight(self.end, zone)))

    def dated(self, field: str) -> Compare | And:
        """That a ``field`` of dates without a time lies in the window. A date is the same day in every zone."""
        if self.relative is not None:
            return Compare(field, "eq", self.relative)
        return And(Compare(field, "ge", self.first), Compare(field, "lt", self.end))

    def readings(self) -> Iterator[tuple[str, Window]]:
        """The window as somebody else might read it, each with its name: an end left out, or another zone's days."""
        day = datetime.timedelta(days=1)
        yield "first day left out", Window(self.first + day, self.end)
        yield "last day left out", Window(self.first, self.end - day)
        yield "both ends left out", Window(self.first + day, self.end - day)
        for zone in US_ZONES:
            yield zone, Window(self.first, self.end, zone=zone)

    @property
    def text(self) -> str:
        return _("%(first)s to %(last)s, both days included") % {
            "first": self.first.isoformat(),
            "last": (self.end - datetime.timedelta(days=1)).isoformat(),
        }


def window(params: Mapping[str, Any], today: datetime.date) -> Window:
    """The window of ``params["window"]``: one of {"past_months": 4}, {"past_quarters": 2}, {"past_weeks": 6},
    {"past_days": 10}, {"month": "2021-11"}, {"quarter": "2020-Q3"}, {"season": "2022-autumn"}, {"year": 2021}.

    A Window in its place is taken as it is. Raises RuleError for anything else.
    """
    given = params.get("window")
    if isinstance(given, Window):
        return given
    if not isinstance(given, Mapping) or len(given) != 1:
        raise RuleError(_("The rule needs the parameter window with one period in it."))
    ((kind, value),) = given.items()
    try:
        made = _past(kind, value, today) if kind in PAST else _named(kind, str(value))
    except (ValueError, OverflowError):  # outside the years a calendar holds
        made = None
    if made is None:
        raise RuleError(_("The window %(kind)s: %(value)s is not known.") % {"kind": kind, "value": value})
    return made


def _past(kind: str, n: Any, today: datetime.date) -> Window | None:
    if not isinstance(n, int) or isinstance(n, bool) or not 0 < n <= 1200:
        return None
    end = today + datetime.timedelta(days=1)
    if kind in ("past_months", "past_quarters"):
        months = n if kind == "past_months" else 3 * n
        return Window(add_months(today, -months), end, DateRange("past_months", months))
    return Window(today - datetime.timedelta(days=n if kind == "past_days" else 7 * n), end, DateRange(kind, n))


def _named(kind: str, value: str) -> Window | None:
    if kind == "year" and re.fullmatch(r"\d{4}", value):
        return _months(int(value), 1, 12)
    if kind == "month" and (found := re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", value)):
        return _months(int(found[1]), int(found[2]), 1)
    if kind == "quarter" and (found := re.fullmatch(r"(\d{4})-Q([1-4])", value)):
        return _months(int(found[1]), 3 * int(found[2]) - 2, 3)
    if kind == "season" and (found := re.fullmatch(r"(\d{4})-([a-z]+)", value.lower())) and found[2] in SEASONS:
        return _months(int(found[1]), SEASONS[found[2]], 3)
    return None


def _months(year: int, month: int, n: int) -> Window:
    return Window(_month_start(year, month), _month_start(year, month + n))


def _month_start(year: int, month: int) -> datetime.date:
    """The first of a month; month 13 is January of the next year."""
    return datetime.date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def _midnight(day: datetime.date, zone: str) -> datetime.datetime:
    return datetime.datetime.combine(day, datetime.time(), ZoneInfo(zone)).astimezone(datetime.UTC)
