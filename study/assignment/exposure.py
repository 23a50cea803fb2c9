"""Counts that a draw starts from: rows of places of people who count, never a stored counter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db.models import Count, QuerySet

from study.accounts.models import Study
from study.assignment.design import Pool, Stratum, rng_for
from study.assignment.giving import Exposure
from study.assignment.models import AssignmentEvent, Place, PlaceState, Visit
from study.benchmark.models import Instance
from study.people.models import counted
from study.protocols.design import Tasks
from study.sandbox.models import Org

EXPOSED = (PlaceState.ACTIVE, PlaceState.COMPLETED)


def benched(study: Study) -> set[int]:
    """Instances the study's people no longer get: what the log's last word says of each."""
    rows = AssignmentEvent.objects.filter(study=study, event__in=["benched", "unbenched"]).order_by("sequence")
    last = dict(rows.values_list("instance_id", "event"))
    return {pk for pk, event in last.items() if pk is not None and event == "benched"}


def assignable(study: Study, org: Org) -> QuerySet[Instance]:
    """Instances of an Org that people of this study may be given."""
    return Instance.objects.filter(org=org, assignable=True, benched=False).exclude(pk__in=benched(study))


def pool_of(tasks: Tasks, org: Org, study: Study) -> Pool:
    """What the protocol's strata find in an Org: assignable instances that are not benched."""
    names = [task for stratum in tasks.strata for task in stratum.tasks]
    rows = assignable(study, org).filter(task__in=names).order_by("key")
    return made_pool(tasks, study.code, rows)


def made_pool(tasks: Tasks, study: str, rows: Iterable[Instance]) -> Pool:
    """The pool of some instances in the order of their keys.

    With ``overlap`` only so many of each task are in it, the first in an order that the study's code draws, the same
    for everybody; a pinned one always is.
    """
    strata = tuple(Stratum(s.code, s.tasks, s.quota) for s in tasks.strata)
    by_task: dict[str, list[Instance]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    pinned = {row.task: row.pk for kept in by_task.values() for row in kept if row.key in tasks.pinned}
    if tasks.overlap is not None:
        for task, found in by_task.items():
            first = sorted(found, key=lambda row: rng_for(study, f"overlap:{row.key}").random())[: tasks.overlap]
            by_task[task] = [row for row in found if row in first or row.pk == pinned.get(task)]
    return Pool(
        strata,
        tasks.rotating,
        {task: tuple(row.pk for row in kept) for task, kept in by_task.items()},
        pinned=pinned,
        minutes={row.pk: float(row.minutes_by_hand) for kept in by_task.values() for row in kept},
        window=(tasks.load.at_least, tasks.load.at_most) if tasks.load else None,
    )


def counted_places(study: Study) -> QuerySet[Place]:
    """Places that are exposures: active or completed, of visits that are not previews (P-14)."""
    return Place.objects.filter(visit__participant__study=study, state__in=EXPOSED, **counted("visit__participant"))


def seen(study: Study, arm: str, condition: str, org: Org) -> Exposure:
    """The counts a visit's draw starts from: of its own arm and visit of the arm, its instances over the whole Org."""
    return Exposure(
        tasks=Counter(task_counts(study, arm, condition)),
        instances=Counter(instance_counts(study, org)),
        objects=object_counts(study, arm, condition),
        visits=visits_so_far(study, arm).filter(condition=condition).count(),
    )


def task_counts(study: Study, arm: str, condition: str = "") -> dict[str, int]:
    rows = counted_places(study).filter(visit__arm=arm, visit__condition=condition)
    return dict(rows.order_by().values_list("task").annotate(n=Count("pk")))


def instance_counts(study: Study, org: Org) -> dict[int, int]:
    rows = counted_places(study).filter(visit__org=org).order_by().values_list("instance_id").annotate(n=Count("pk"))
    return dict(rows)


def object_counts(study: Study, arm: str, condition: str = "") -> Counter[str]:
    """By how many each object is or will be rated: visits none of whose places was given back."""
    visits = visits_so_far(study, arm).filter(condition=condition)
    whole = visits.exclude(places__state=PlaceState.RELEASED)
    return Counter(api for order in whole.values_list("object_order", flat=True) for api in order)


def visits_so_far(study: Study, arm: str) -> QuerySet[Visit]:
    """Visits of the arm by people who count, whatever became of them: what rows and Orgs are given out by."""
    return visits_of(study).filter(arm=arm)


def visits_of(study: Study) -> QuerySet[Visit]:
    """Visits of people who count: no preview (P-14), nobody of the pilot (M14)."""
    return Visit.objects.filter(participant__study=study, **counted("participant"))


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
