"""Cohorts that open and close by themselves at the moments their form names: each once, the reasons audited."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from study.accounts.audit import audit
from study.accounts.jobs import Running, job_kind
from study.assignment.flows import NotReady, open_cohort
from study.people.models import Cohort, CohortState
from study.people.sample.cohorts import NOT_OPENED, not_opened, set_state

log = logging.getLogger(__name__)


@job_kind("cohort_moments", every_tick=True)
def cohort_moments(running: Running) -> dict[str, int]:
    """Every minute. A cohort that has closed for good is not opened again, and one that staff paused stays paused."""
    now = timezone.now()
    counts = {"opened": 0, "closed": 0, "not_ready": 0, "failed": 0}
    ending = Cohort.objects.filter(state__in=[CohortState.OPEN, CohortState.PAUSED], closes_at__lte=now)
    beginning = Cohort.objects.filter(state=CohortState.DRAFT, opens_at__lte=now).exclude(closes_at__lte=now)
    for cohort in [*ending, *beginning]:
        try:
            counts[move(cohort, now)] += 1
        except Exception:  # the next minute tries again; other cohorts have their moments too
            log.exception("cohort %s could not be moved", cohort.pk)
            counts["failed"] += 1
    return counts


def move(cohort: Cohort, now: datetime) -> str:
    """Open or close one cohort; says which, or that it is not ready."""
    if cohort.state != CohortState.DRAFT:
        set_state(cohort, CohortState.CLOSED, by=None, at_moment=now)
        return "closed"
    try:
        open_cohort(cohort, by=None)
    except NotReady as missing:
        reasons = [f"{problem.text} {problem.remedy}" for problem in missing.problems]
        say_not_opened(cohort, reasons)
        return "not_ready"
    return "opened"


@transaction.atomic
def say_not_opened(cohort: Cohort, reasons: list[str]) -> bool:
    """One row for each moment and set of reasons, however many minutes they last."""
    Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
    if not_opened(cohort) == reasons:
        return False
    moment = cohort.opens_at.isoformat() if cohort.opens_at else ""
    audit(NOT_OPENED, by=None, study=cohort.study, target=f"cohort {cohort.code}", moment=moment, reasons=reasons)
    return True
