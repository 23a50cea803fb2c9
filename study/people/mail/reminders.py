"""When a reminder is due: pure, in the person's own zone, right on the days when clocks change (P-36).

The rule: the first moment at which their clock shows the wave's time and at least ``after_days`` days of their
calendar have passed. A time that a change skips (02:30 on 8 March 2026 in New York) is taken as much later as the
clock jumps: 03:30. One that comes twice (01:30 on 1 November 2026) is taken the first time. Each date has one moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

EARLIEST, LATEST = time(8), time(20)
"""Decent hours: a letter that comes by itself goes from eight in the morning and before eight in the evening."""
# Later than this and it is no more "at ten": the moment was missed, and the next decent one is taken.
ON_TIME = timedelta(minutes=30)
DAY = timedelta(days=1)


@lru_cache(maxsize=256)
def zone_named(name: str) -> ZoneInfo:
    """The zone of an IANA name; UTC for one that this machine does not know."""
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def on_date(day: date, at: time, zone: str) -> datetime:
    """The one moment of a date at which a clock there shows ``at``, in UTC."""
    # fold=0 is the first of two; for a time that does not exist it counts with the clock from before the jump.
    return datetime.combine(day, at.replace(tzinfo=None, fold=0), zone_named(zone)).astimezone(UTC)


def due_at(since: datetime, after_days: int, at: time, zone: str) -> datetime:
    """The first moment at ``at`` that lies ``after_days`` days of the local calendar or more after ``since``."""
    local = since.astimezone(zone_named(zone))
    earliest = on_date(local.date() + after_days * DAY, local.time(), zone)
    if local.fold:
        # The second of two equal hours: the date is the same, and waiting one more hour hurts nobody.
        earliest = max(earliest, since + after_days * DAY)
    day = earliest.astimezone(zone_named(zone)).date()
    # A date that a zone has left out altogether shares its moment with the next one.
    while (found := on_date(day, at, zone)) < earliest:
        day += DAY
    return found


def is_decent(at: time) -> bool:
    return EARLIEST <= at < LATEST


def next_decent(now: datetime, zone: str) -> datetime:
    """``now`` if the hour is decent there, else the next morning at eight."""
    local = now.astimezone(zone_named(zone))
    if is_decent(local.time()):
        return now
    day = local.date() if local.time() < EARLIEST else local.date() + DAY
    return on_date(day, EARLIEST, zone)


@dataclass(frozen=True)
class Wave:
    number: int
    after_days: int
    at: time


@dataclass(frozen=True)
class Turn:
    """What is due for one person now: the wave to send and from when, and waves that came too late."""

    number: int
    due: datetime
    late: tuple[int, ...]


def turn(waves: Iterable[Wave], had: frozenset[int], since: datetime, now: datetime, zone: str) -> Turn | None:
    """Of the waves that are due and were not had, the newest; the others would only come in a heap. None: nothing due.

    Waves whose turn came before one that was had already are late too.
    """
    moments = {wave.number: due_at(since, wave.after_days, wave.at, zone) for wave in waves}
    last = max((moments[number] for number in had if number in moments), default=None)
    due = sorted((moment, number) for number, moment in moments.items() if number not in had and moment <= now)
    fresh = [(moment, number) for moment, number in due if last is None or moment > last]
    if not fresh:
        return Turn(0, now, tuple(number for _moment, number in due)) if due else None
    moment, number = fresh[-1]
    start = moment if now - moment <= ON_TIME else next_decent(now, zone)
    return Turn(number, start, tuple(other for _moment, other in due if other != number))
