"""The days between two visits, which nobody waits for in a simulation."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from study.assignment.flows import window_after
from study.assignment.models import Visit

A_MINUTE = timedelta(minutes=1)


def pass_washout(visit: Visit) -> None:
    """Move the end of a visit back until the next one can begin. ValueError for anybody who is not simulated."""
    person = visit.participant
    if not person.simulated or not person.study.simulated:
        raise ValueError(f"{person.code} is not simulated; their time passes by itself.")
    visit.refresh_from_db(fields=["done_at"])
    wait = window_after(visit).opens - timezone.now()
    if visit.done_at is not None and wait > timedelta():
        visit.done_at -= wait + A_MINUTE
        Visit.objects.filter(pk=visit.pk).update(done_at=visit.done_at)
