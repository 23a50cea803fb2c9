"""Clocks of a visit: active time per part, by the server's time alone (M15, engineering A7).

A part's clock runs while requests keep coming. A silence longer than the
protocol's idle limit is a break: it is stored and does not count. Nothing a
client sends is ever taken for a time, so durations cannot be negative. While a
visit is paused, or help was asked for, every clock stands (see ``pausing``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F
from django.utils import timezone

from study.assignment.models import Visit
from study.fieldwork.models import Attempt, Clock
from study.people.models import Stage
from study.people.protocol import file_of

PART_OF_STAGE = {
    Stage.CONSENTED: "orientation",
    Stage.WORKING: "work",
    Stage.RATING: "rating",
    Stage.LOCKED: "closing",
}
STEP = 5
"""Minutes left are told in steps of five."""


@dataclass(frozen=True)
class Step:
    """What one request adds: seconds of active time, and the seconds of a break if it ended one."""

    active: int
    break_seconds: int = 0


def step(last_seen: datetime, now: datetime, idle_seconds: int) -> Step:
    """The time between two requests, counted or put down as a break. Never negative."""
    silence = max(0, int((now - last_seen).total_seconds()))
    return Step(0, silence) if silence > idle_seconds else Step(silence)


def minutes_left(active_seconds: int, limit_minutes: int) -> int:
    """Minutes left as people are told them: upwards to a multiple of five, 0 when time is up."""
    left = limit_minutes * 60 - active_seconds
    return 0 if left <= 0 else math.ceil(left / (STEP * 60)) * STEP


def part_of(visit: Visit) -> str | None:
    """The part whose clock runs now; None before orientation and after the end."""
    return None if visit.participant.end else PART_OF_STAGE.get(Stage(visit.participant.stage))


def stand_still(visit: Visit, since: datetime, now: datetime, why: str) -> None:
    """Put the time from ``since`` to ``now`` down as a break and let the present part's clock run on from ``now``.

    Call it with the visit locked.
    """
    clock = Clock.objects.filter(visit=visit, part=part_of(visit) or "").first()
    if clock is None:
        return
    stood = {"from": since.isoformat(), "seconds": max(0, int((now - since).total_seconds())), "for": why}
    Clock.objects.filter(pk=clock.pk).update(last_seen_at=max(now, clock.last_seen_at), breaks=[*clock.breaks, stood])


def touch(visit: Visit, *, now: datetime | None = None) -> Clock | None:
    """Count this request to the part the participant is in. None outside the hour's parts.

    Two requests at one moment count once: the second finds ``last_seen_at`` moved and leaves it.
    """
    part = part_of(visit)
    if part is None:
        return None
    now = now or timezone.now()
    clock, made = Clock.objects.get_or_create(visit=visit, part=part, defaults={"started_at": now, "last_seen_at": now})
    if made or visit.paused_at or now <= clock.last_seen_at:
        return clock
    gone = step(clock.last_seen_at, now, file_of(visit.protocol).clocks.idle * 60)
    if not gone.active and not gone.break_seconds:
        return clock
    breaks = clock.breaks
    if gone.break_seconds:
        breaks = [*breaks, {"from": clock.last_seen_at.isoformat(), "seconds": gone.break_seconds}]
    # Whole seconds are counted; the rest stays before ``last_seen_at`` and counts with the next request.
    seen = now if gone.break_seconds else clock.last_seen_at + timedelta(seconds=gone.active)
    running = Clock.objects.filter(pk=clock.pk, last_seen_at=clock.last_seen_at, visit__paused_at=None)
    moved = running.update(active_seconds=F("active_seconds") + gone.active, last_seen_at=seen, breaks=breaks)
    if moved and part == "work":
        Attempt.objects.filter(visit=visit, outcome="", started_at__isnull=False).update(
            active_seconds=F("active_seconds") + gone.active
        )
    clock.refresh_from_db()
    return clock


def stood_between(visit: Visit, part: str, start: datetime, end: datetime) -> float:
    """Seconds of pauses, help and breaks of a part that lie between two moments."""
    stood = 0.0
    for clock in Clock.objects.filter(visit=visit, part=part):
        for one in clock.breaks:
            since = datetime.fromisoformat(one["from"])
            until = since + timedelta(seconds=one["seconds"])
            stood += max(0.0, (min(until, end) - max(since, start)).total_seconds())
    return stood


def active_seconds(visit: Visit, part: str) -> int:
    """Active seconds of a part so far."""
    return Clock.objects.filter(visit=visit, part=part).values_list("active_seconds", flat=True).first() or 0


def time_is_up(visit: Visit) -> bool:
    """Whether the work part has used its minutes. The ratings never cut off."""
    return minutes_left(active_seconds(visit, "work"), file_of(visit.protocol).clocks.work) == 0
