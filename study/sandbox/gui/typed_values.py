"""Values of conditions as people type them, the way addresses write them: Yes is true, 1 Jul 2023 is 2023-07-01."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from study.sandbox.engine.errors import INVALID_VALUE, QueryError
from study.sandbox.frozen_today import day_words, moment_words
from study.sandbox.gui.fieldpaths import FieldPath

_YES_NO = {"yes": "true", "true": "true", "1": "true", "no": "false", "false": "false", "0": "false"}
_MONTHS = {name.casefold(): n for names in (calendar.month_name, calendar.month_abbr) for n, name in enumerate(names)}
_MONTHS |= {"sept": 9}
_DAYS = {name.casefold() for names in (calendar.day_name, calendar.day_abbr) for name in names}
_TIME = re.compile(r"[, ]\s*(\d{1,2}):(\d{2})$")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_IN_FIGURES = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})")


def as_typed(path: FieldPath, value: str, zone: str, op: str = "") -> str:
    """One value of a condition, read by the type of its field. QueryError with an example for what cannot be one."""
    if path.field.type == "boolean":
        return _yes_no(path, value)
    if not path.dated:
        return value
    found = _day(path, value, zone)
    if op in {"eq", "ne"} and "T" in found and found != " ".join(value.split()):
        # Pages leave out seconds: no record is of that very moment.
        message = _("Compare %(field)s with a whole day, or say from when and up to when.") % {"field": path.label}
        raise QueryError(INVALID_VALUE, message, path.path)
    return found


def shown(path: FieldPath, value: str, zone: str) -> str:
    """A value of an address as pages write it."""
    if path.field.type == "boolean":
        return {"true": _("Yes"), "false": _("No")}.get(value.casefold(), value)
    if not path.dated or not value:
        return value
    try:
        return (
            moment_words(datetime.fromisoformat(value), zone)
            if _moment(value)
            else day_words(date.fromisoformat(value))
        )
    except (ValueError, OverflowError):
        return value


def _yes_no(path: FieldPath, value: str) -> str:
    known = _YES_NO.get(value.strip().casefold())
    if known is None:
        message = _("%(field)s is Yes or No. Write one of them.") % {"field": path.label}
        raise QueryError(INVALID_VALUE, message, path.path)
    return known


def _day(path: FieldPath, value: str, zone: str) -> str:
    """A day as 2023-07-01; a moment with its zone. Months in figures that might be days are refused."""
    typed = " ".join(value.split())
    if not typed:
        message = _("Give a day for %(field)s, such as 1 Jul 2023.") % {"field": path.label}
        raise QueryError(INVALID_VALUE, message, path.path)
    if _moment(typed):
        return typed
    clock = _TIME.search(typed) if path.field.type == "datetime" else None
    found = _named(typed[: clock.start()] if clock else typed)
    if found is None and _IN_FIGURES.fullmatch(typed):
        words = _("%(field)s: in “%(day)s” day and month cannot be told apart. Write 1 Jul 2023 or 2023-07-01.")
        raise QueryError(INVALID_VALUE, words % {"field": path.label, "day": typed}, path.path)
    try:
        if found is None:
            raise ValueError
        day = date(*found)
        if clock is None:
            return day.isoformat()
        there = datetime.combine(day, time(int(clock[1]), int(clock[2])), ZoneInfo(zone))
        return there.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        words = _("%(field)s is a date, and “%(day)s” is none. Write one such as 1 Jul 2023 or 2023-07-01.")
        raise QueryError(INVALID_VALUE, words % {"field": path.label, "day": typed[:60]}, path.path) from None


def _moment(typed: str) -> bool:
    """Whether this is a moment with its zone, as addresses of reports write it."""
    try:
        return len(typed) > 10 and datetime.fromisoformat(typed).tzinfo is not None
    except ValueError:
        return False


def _named(typed: str) -> tuple[int, int, int] | None:
    """Year, month and day of "2023-07-01", "1 Jul 2023", "July 1st, 2023" or "Saturday 1 July 2023"."""
    if figures := _YEAR_FIRST.fullmatch(typed):
        return int(figures[1]), int(figures[2]), int(figures[3])
    words = [word.casefold() for word in re.split(r"[\s,.]+", typed) if word]
    if words and words[0] in _DAYS:
        words = words[1:]
    if len(words) != 3:
        return None
    first, second, year = words
    month, day = (second, first) if second in _MONTHS else (first, second)
    plain = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", day)
    if not plain or not _MONTHS.get(month) or not re.fullmatch(r"\d{4}", year, re.ASCII):
        return None
    return int(year), _MONTHS[month], int(plain[1])
