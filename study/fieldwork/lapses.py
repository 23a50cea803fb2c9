"""Hours that nobody came back to: they end by themselves, with a code, and what was done is kept (M15, M17).

Two cases. The work and the ratings of one visit lie within ``clocks.resume_hours`` of its first question; and the
next visit of a person is begun within its time. Whoever is still at it is never cut off: only somebody who has been
away for a while lapses. Ratings once locked are never lost: after the lock nothing presses.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from study.accounts.jobs import Running, job_kind
from study.assignment.flows import window_after
from study.assignment.models import Visit
from study.assignment.second_visit import waiting
from study.fieldwork import incidents, pausing
from study.fieldwork.models import Clock
from study.people import flows as people
from study.people.models import End, Participant, Stage
from study.people.protocol import file_of

log = logging.getLogger(__name__)
AWAY = timedelta(minutes=30)
IN_ONE_GO = 12
"""Hours where the protocol says "in one go": a night's sleep is none, a long lunch is."""
OPEN_STAGES = (Stage.CONSENTED, Stage.WORKING, Stage.RATING)
HOUR, NEXT = "the hour was not resumed in time", "the next visit was not begun in time"


def resume_until(visit: Visit) -> datetime | None:
    """Until when this visit can be resumed; None before its first question.

    A later visit has its time from the moment it was begun, and always the whole of its window.
    """
    hours = timedelta(hours=file_of(visit.protocol).clocks.resume_hours or IN_ONE_GO)
    if visit.work_started_at:
        return after_incidents(visit, visit.work_started_at + hours)
    if visit.period == 1:
        return None
    before = Visit.objects.select_related("protocol").get(participant=visit.participant, period=visit.period - 1)
    return max(window_after(before).closes, visit.begun_at + hours)


def after_incidents(visit: Visit, until: datetime) -> datetime:
    """The time of an incident counts against nobody; whoever was stopped by one has half a day to come back."""
    if not visit.incident or visit.work_started_at is None:
        return until
    until += incidents.stood_since(visit.participant.study_id, visit.work_started_at)
    row = incidents.last_of(visit)
    if visit.paused_for == pausing.INCIDENT and row and row.over_at:
        until = max(until, row.over_at + timedelta(hours=IN_ONE_GO))
    return until


def waits_for_the_team(visit: Visit) -> bool:
    """Help was asked for and nobody has answered, or an incident goes on."""
    asked = visit.paused_for == pausing.HELP or visit.help_requests.filter(went_on_at=None, replied_at=None).exists()
    return asked or pausing.held(visit)


def last_here(visit: Visit) -> datetime:
    """When this person was last seen, on pages of the hour or at work in a desk."""
    clock = Clock.objects.filter(visit=visit).order_by("-last_seen_at").first()
    seen = [visit.begun_at, visit.participant.last_seen_at, clock.last_seen_at if clock else None]
    return max(moment for moment in seen if moment)


def newest_visit(participant: Participant) -> Visit | None:
    visit = participant.visits.select_related("protocol").order_by("-period").first()
    if visit is not None:
        visit.participant = participant
    return visit


def why_lapsed(participant: Participant, now: datetime) -> str:
    """Why this participation lapses now; empty when it does not."""
    if participant.end or participant.preview:
        return ""
    if done := waiting(participant):
        if pausing.held(done):
            return ""
        return NEXT if window_after(done).is_over(now) else ""
    visit = newest_visit(participant)
    if visit is None or participant.stage not in OPEN_STAGES or visit.locked_at:
        return ""
    if waits_for_the_team(visit):
        return ""
    until = resume_until(visit)
    over = until is not None and now >= until and now - last_here(visit) >= AWAY
    return HOUR if over else ""


@transaction.atomic
def lapse(pk: int) -> bool:
    """End one participation that has lapsed, once. Its row is claimed first, so a lock pressed meanwhile wins."""
    participant = Participant.objects.select_for_update(no_key=True).get(pk=pk)
    reason = why_lapsed(participant, timezone.now())
    return bool(reason) and people.end(participant, End.LAPSED, reason)


def due() -> Iterator[int]:
    """Those who may have lapsed: in the middle of a visit, or between two."""
    now = timezone.now()
    going = Participant.objects.people().active()
    inside = going.filter(stage__in=OPEN_STAGES).exclude(last_seen_at__gt=now - AWAY)
    between = going.filter(stage=Stage.LOCKED, visits__done_at__isnull=False).distinct()
    yield from inside.values_list("pk", flat=True)
    yield from between.values_list("pk", flat=True)


@job_kind("lapse_visits", every_tick=True)
def lapse_visits(running: Running) -> dict[str, int]:
    """Every minute: end what has lapsed, each an act of its own, so that one that fails stops no other."""
    counts = {"lapsed": 0, "failed": 0}
    for pk in list(due()):
        try:
            counts["lapsed"] += lapse(pk)
        except Exception:  # the next minute tries again; the others have waited long enough
            log.exception("participant %s could not lapse", pk)
            counts["failed"] += 1
    return counts
