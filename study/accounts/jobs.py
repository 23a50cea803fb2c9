"""Jobs: rows for slow work, claimed, run and finished exactly once at a time.

A kind is registered by the app that owns it; Celery (or the tick, when the
broker lost the message) only wakes the row.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from study.accounts.models import Job, JobState, Study, User

log = logging.getLogger(__name__)
STALE = timedelta(minutes=5)
MAX_ATTEMPTS = 3


class JobFailed(Exception):
    """A failure a person can act on; its text is shown as it stands."""


@dataclass
class Running:
    """What a job's function gets: its row, and a way to say how far it is."""

    job: Job

    def progress(self, done: int, total: int, note: str = "") -> None:
        Job.objects.filter(pk=self.job.pk).update(done=done, total=total, note=note[:200], heartbeat_at=timezone.now())


Work = Callable[[Running], dict[str, Any] | None]
_kinds: dict[str, Work] = {}
_every_tick: list[str] = []


def job_kind(name: str, *, every_tick: bool = False) -> Callable[[Work], Work]:
    """Register the function behind a kind. ``every_tick`` kinds are enqueued once a minute."""

    def register(work: Work) -> Work:
        _kinds[name] = work
        if every_tick and name not in _every_tick:
            _every_tick.append(name)
        return work

    return register


def every_tick() -> list[str]:
    """The kinds that are enqueued once a minute."""
    return list(_every_tick)


def enqueue(
    kind: str,
    params: dict[str, Any] | None = None,
    *,
    study: Study | None = None,
    by: User | None = None,
    once_key: str = "",
) -> Job:
    """Make a row and wake a worker after the commit. With ``once_key`` an open job of that key is returned."""
    if kind not in _kinds:
        raise ValueError(f"No job kind {kind!r}. Known: {', '.join(sorted(_kinds))}.")
    while True:
        try:
            with transaction.atomic():
                job = Job.objects.create(kind=kind, params=params or {}, study=study, created_by=by, once_key=once_key)
        except IntegrityError:
            waiting = Job.objects.filter(once_key=once_key, state__in=[JobState.QUEUED, JobState.RUNNING])
            if found := waiting.first() if once_key else None:
                return found
            if not once_key:
                raise
            # It ended between the two lines: there is room for a new one.
        else:
            break
    transaction.on_commit(lambda: wake(job.pk))
    return job


def wake(pk: int) -> None:
    from kombu.exceptions import OperationalError

    from study.accounts.tasks import run_job

    try:
        run_job.delay(pk)
    except (OperationalError, OSError):
        # The broker is away. The tick finds the row; nothing is lost.
        log.warning("job %s was not announced; the tick will find it", pk)


def run(pk: int) -> None:
    """Claim a waiting job and do it. Somebody else's job, or a finished one, is left alone."""
    now = timezone.now()
    claimed = Job.objects.filter(pk=pk, state=JobState.QUEUED, due_at__lte=now).update(
        state=JobState.RUNNING, started_at=now, heartbeat_at=now, attempts=F("attempts") + 1, error=""
    )
    if not claimed:
        return
    job = Job.objects.get(pk=pk)
    try:
        result = _kinds[job.kind](Running(job)) or {}
    except JobFailed as error:
        finish(pk, JobState.FAILED, error=str(error))
    except Exception:  # a worker must survive whatever one job does; the trace goes to the log and the row
        log.exception("job %s (%s) failed", pk, job.kind)
        finish(pk, JobState.FAILED, error=traceback.format_exc(limit=4))
    else:
        finish(pk, JobState.DONE, result=result)


def finish(pk: int, state: str, **fields: Any) -> None:
    Job.objects.filter(pk=pk, state=JobState.RUNNING).update(state=state, finished_at=timezone.now(), **fields)


def tick() -> int:
    """Once a minute: put back jobs whose worker died, enqueue the recurring kinds, run what is due."""
    now = timezone.now()
    stale = Job.objects.filter(state=JobState.RUNNING, heartbeat_at__lt=now - STALE)
    stale.filter(attempts__gte=MAX_ATTEMPTS).update(state=JobState.FAILED, error="The worker stopped three times.")
    stale.update(state=JobState.QUEUED)
    for kind in _every_tick:
        enqueue(kind, once_key=f"tick:{kind}")
    waiting = Job.objects.filter(state=JobState.QUEUED, due_at__lte=now).order_by("due_at")
    due = list(waiting.values_list("pk", flat=True))
    for pk in due:
        run(pk)
    return len(due)
