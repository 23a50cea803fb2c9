"""The today of a desk: how days are written, and what lies after it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.engine.values import on_clocks


def written_at(item: ObjectDef) -> FieldDef | None:
    """The field that says when a record of this object came to be, if it has one."""
    return item.written


def after_today(value: object, today: date, zone: str) -> bool:
    """Whether a date or moment lies after the end of today in the Org's zone."""
    if isinstance(value, datetime):
        return value >= datetime.combine(today + timedelta(days=1), time(), ZoneInfo(zone))
    return isinstance(value, date) and value > today


def local(value: datetime, zone: str) -> datetime:
    """The moment as the Org's clocks showed it."""
    return on_clocks(value.replace(tzinfo=value.tzinfo or UTC), ZoneInfo(zone))


def day_words(value: date) -> str:
    """16 Jan 2023"""
    return _day_words(value.year, value.month, value.day, get_language())


@lru_cache(maxsize=20_000)
def _day_words(year: int, month: int, day: int, _language: str | None) -> str:
    # A list says a hundred days; working each out anew would be a tenth of its time.
    return date_format(date(year, month, day), "j M Y")


def long_day(value: date) -> str:
    """Monday 16 January 2023"""
    return date_format(value, "l j F Y")


def moment_words(value: datetime, zone: str) -> str:
    """4 Jan 2023, 09:12, in the Org's zone"""
    there = local(value, zone)
    return f"{day_words(there)}, {there:%H:%M}"


def span_words(first: date, end: date) -> str:
    """A half-open range of days: 16 Sep 2022 to 16 Jan 2023"""
    last = end - timedelta(days=1)
    if first == last:
        return day_words(first)
    return _("%(first)s to %(last)s") % {"first": day_words(first), "last": day_words(last)}


def ago(value: object, today: date, zone: str) -> str:
    """How long ago, counted from the today of the desk: "4 days ago"."""
    day = local(value, zone).date() if isinstance(value, datetime) else value
    if not isinstance(day, date):
        return ""
    days = (today - day).days
    if days < 0:
        return _("after today")
    if days == 0:
        return _("today")
    if days < 60:
        return ngettext("%(n)s day ago", "%(n)s days ago", days) % {"n": days}
    months = days // 30
    if months < 24:
        return ngettext("%(n)s month ago", "%(n)s months ago", months) % {"n": months}
    return ngettext("%(n)s year ago", "%(n)s years ago", days // 365) % {"n": days // 365}
