"""Counts that a draw starts from: rows of places of people who count, never a stored counter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db.models import Count, QuerySet

from study.accounts.models import Study
from study.assignment.design import Pool, Stratum
from study.assignment.models import AssignmentEvent, Place, PlaceState, Visit
from study.benchmark.models import Instance
from study.people.models import counted
from study.protocols.design import Tasks
from study.sandbox.models import Org

EXPOSED = (PlaceState.ACTIVE, PlaceState.COMPLETED)


def pool_of(tasks: Tasks, org: Org) -> Pool:
    """What the protocol's strata find in an Org: assignable instances that are not benched."""
    strata = tuple(Stratum(s.code, s.tasks, s.quota) for s in tasks.strata)
    names = [task for stratum in strata for task in stratum.tasks]
    rows = Instance.objects.filter(org=org, assignable=True, benched=False, task__in=names).order_by("key")
    instances: dict[str, list[int]] = {}
    for pk, task in rows.values_list("pk", "task"):
        instances.setdefault(task, []).append(pk)
    return Pool(strata, tasks.rotating, {task: tuple(pks) for task, pks in instances.items()})


def counted_places(study: Study) -> QuerySet[Place]:
    """Places that are exposures: active or completed, of visits that are not previews (P-14)."""
    return Place.objects.filter(visit__participant__study=study, state__in=EXPOSED, **counted("visit__participant"))


def task_counts(study: Study, arm: str) -> dict[str, int]:
    rows = counted_places(study).filter(visit__arm=arm).order_by().values_list("task").annotate(n=Count("pk"))
    return dict(rows)


def instance_counts(study: Study, org: Org) -> dict[int, int]:
    rows = counted_places(study).filter(visit__org=org).order_by().values_list("instance_id").annotate(n=Count("pk"))
    return dict(rows)


def visits_so_far(study: Study, arm: str) -> QuerySet[Visit]:
    """Visits of the arm by people who count, whatever became of them: what rows and Orgs are given out by."""
    return Visit.objects.filter(participant__study=study, arm=arm, **counted("participant"))


def visits_by_org(study: Study, arm: str, orgs: Sequence[Org]) -> dict[int, int]:
    """Visits that still count, by Org."""
    rows = visits_so_far(study, arm).filter(org__in=orgs, places__state__in=EXPOSED)
    return dict(rows.order_by().values_list("org_id").annotate(n=Count("pk", distinct=True)))


def replayed_counts(events: Iterable[AssignmentEvent]) -> Counter[int]:
    """Instance counts rebuilt from the log alone; equal to the rows' counts, or the log is not the whole story."""
    counts: Counter[int] = Counter()
    for event in events:
        if event.instance_id is None:
            continue
        if event.event == "assigned":
            counts[event.instance_id] += 1
        elif event.event == "released":
            counts[event.instance_id] -= 1
    return +counts
