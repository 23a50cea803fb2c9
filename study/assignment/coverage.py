"""The coverage page as data: who was given what, what is owed, and how many people's tasks need each rated object."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.core.cache import cache

from study.accounts.models import Study
from study.assignment import design, needs
from study.assignment.drawing import asked
from study.assignment.exposure import EXPOSED, benched, visits_of
from study.assignment.giving import Ask
from study.assignment.models import AssignmentEvent, Place, PlaceState, Visit
from study.assignment.replaying import pools_now
from study.benchmark.models import Instance
from study.benchmark.tasks import TASKS, task_label
from study.protocols.schema import ProtocolFile

PER_PAGE = 40
KEPT_SECONDS = 86_400
HASH = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True)
class Cell:
    """One place: the position it was worked on at, and its state."""

    position: int
    state: str


@dataclass
class InstanceRow:
    key: str
    exposed: int
    cells: list[Cell | None]

    @property
    def short(self) -> str:
        """A key that is a hash by its first twelve digits, as Orgs are; any other as it is."""
        return self.key[:12] if HASH.fullmatch(self.key) else self.key


@dataclass
class TaskRow:
    """A task with its exposure, a person's place of it (nobody has two), and the instances that anybody was given.

    ``waiting``: instances nobody was given yet; ``owed``: places given back and not given again.
    """

    code: str
    label: str
    exposed: int
    waiting: int
    owed: int
    pinned: bool
    cells: list[Cell | None]
    instances: list[InstanceRow] = field(default_factory=list)


@dataclass
class StratumRow:
    label: str
    least: int
    most: int
    missing: int
    """Places until all its tasks are as exposed as the most exposed one."""
    tasks: list[TaskRow] = field(default_factory=list)

    @property
    def given(self) -> int:
        """How many instances of the stratum anybody was given."""
        return sum(len(task.instances) for task in self.tasks)


@dataclass(frozen=True)
class ObjectNeed:
    """Of one rated object: the share of people whose tasks need it, expected and so far; how many rate it."""

    api: str
    label: str
    expected: float | None
    met: int
    people: int
    rated: int

    @property
    def percent(self) -> int | None:
        return None if self.expected is None else round(100 * self.expected)

    @property
    def short(self) -> bool:
        return self.expected is not None and self.expected < needs.HALF


@dataclass(frozen=True)
class Part:
    """What concerns one visit of one arm."""

    arm: str
    condition: str
    label: str
    visits: list[Visit]
    """Those of this page, in the order they began."""
    count: int
    strata: list[StratumRow]
    objects: list[ObjectNeed]
    window: tuple[float, float] | None
    problem: str

    @property
    def short(self) -> list[ObjectNeed]:
        return [need for need in self.objects if need.short]


def needed(task: str) -> tuple[str, ...]:
    return TASKS[task].objects if task in TASKS else ()


def expected_needs(pool: design.Pool, ask: Ask, study_of: int) -> tuple[dict[str, float], str]:
    """Shares by object, and why there are none. Drawn once for a pool and kept."""
    key = f"needs:{pool.mark()}:{study_of}:{','.join(ask.rate)}"
    if (kept := cache.get(key)) is not None:
        return kept, ""
    try:
        found = needs.expected(pool, ask, needed, study_of=study_of)
    except design.CannotDraw as error:
        return {}, str(error)
    cache.set(key, found, KEPT_SECONDS)
    return found, ""


def coverage(study: Study, file: ProtocolFile, *, page: int = 1) -> list[Part]:
    """A part for every visit of every arm, with one page of its people."""
    pools, owed = pools_now(study, file), owed_instances(study)
    return [
        _part(study, file, arm.code, plan.code if arm.visits else "", arm.label, pools, owed, page)
        for arm in file.arms
        for plan in arm.plans
    ]


def _part(
    study: Study,
    file: ProtocolFile,
    arm: str,
    condition: str,
    label: str,
    pools: dict[tuple[str, str], design.Pool],
    owed: Counter[int],
    page: int,
) -> Part:
    visits = visits_of(study).filter(arm=arm, condition=condition).select_related("participant").order_by("pk")
    count = visits.count()
    shown = list(visits[(page - 1) * PER_PAGE : page * PER_PAGE])
    places = list(Place.objects.filter(visit__in=visits).select_related("instance").order_by("position"))
    pool, ask = pools.get((arm, condition)), asked(file, arm, file.arm(arm).plan(condition))
    shares, problem = expected_needs(pool, ask, file.analysis.n_target) if pool else ({}, "")
    return Part(
        arm=arm,
        condition=condition,
        label=label,
        visits=shown,
        count=count,
        strata=strata_rows(file, pool, places, shown, owed),
        objects=object_needs(file, ask, shares, places, visits),
        window=pool.window if pool else None,
        problem=problem,
    )


def strata_rows(
    file: ProtocolFile, pool: design.Pool | None, places: list[Place], shown: list[Visit], owed: Counter[int]
) -> list[StratumRow]:
    tasks = Counter(place.task for place in places if place.state in EXPOSED)
    by_task: dict[str, list[Place]] = {}
    for place in places:
        by_task.setdefault(place.task, []).append(place)
    found = []
    for stratum in file.tasks.strata:
        pinned = set(pool.pinned) if pool else set()
        counts = [
            tasks[task] for task in stratum.tasks if task not in pinned and (not pool or pool.instances.get(task))
        ]
        most = max(counts, default=0)
        row = StratumRow(stratum.label, min(counts, default=0), most, sum(most - n for n in counts))
        for task in stratum.tasks:
            mine = by_task.get(task, [])
            given = {place.instance_id for place in mine}
            waiting = len(set(pool.instances.get(task, ())) - given) if pool else 0
            again = sum(owed[pk] for pk in given)
            cells = cells_of(mine, shown)
            name = str(task_label(task))
            rows = instance_rows(mine, shown)
            row.tasks.append(TaskRow(task, name, tasks[task], waiting, again, task in pinned, cells, rows))
        found.append(row)
    return found


def cells_of(places: Iterable[Place], shown: Iterable[Visit]) -> list[Cell | None]:
    """One cell for each visit shown, empty where none of these places is its."""
    cells = {place.visit_id: Cell(place.position, place.state) for place in places}
    return [cells.get(visit.pk) for visit in shown]


def instance_rows(places: list[Place], shown: list[Visit]) -> list[InstanceRow]:
    """The instances of one task that somebody was given, the most exposed first."""
    by_instance: dict[int, list[Place]] = {}
    for place in places:
        by_instance.setdefault(place.instance_id, []).append(place)
    rows = []
    for mine in by_instance.values():
        exposed = sum(place.state in EXPOSED for place in mine)
        rows.append(InstanceRow(mine[0].instance.key, exposed, cells_of(mine, shown)))
    return sorted(rows, key=lambda row: (-row.exposed, row.key))


def owed_instances(study: Study) -> Counter[int]:
    """Places given back and not given to anybody since, by instance, as the log tells it."""
    owed: Counter[int] = Counter()
    rows = AssignmentEvent.objects.filter(study=study, event__in=["assigned", "released"]).order_by("sequence")
    for event, instance in rows.values_list("event", "instance_id"):
        if event == "released":
            owed[instance] += 1
        elif owed[instance]:
            owed[instance] -= 1
    return owed


def object_needs(
    file: ProtocolFile, ask: Ask, shares: dict[str, float], places: list[Place], visits: Iterable[Visit]
) -> list[ObjectNeed]:
    """Per rated object: what is expected of the draw, and what it was for the people there are."""
    tasks: dict[int, list[str]] = {}
    for place in places:
        if place.state != PlaceState.RELEASED:
            tasks.setdefault(place.visit_id, []).append(place.task)
    met = Counter(api for mine in tasks.values() for api in needs.met(mine, ask.rate, needed))
    rated = Counter(api for visit in visits for api in visit.object_order)
    return [
        ObjectNeed(api, file.object_text(api).plural, shares.get(api), met[api], len(tasks), rated[api])
        for api in ask.rate
    ]


def instances_of_study(study: Study, file: ProtocolFile) -> set[int]:
    """Instances that the study's people can be or were given: nobody benches one of another study."""
    pools = pools_now(study, file).values()
    found = {pk for pool in pools for ids in pool.instances.values() for pk in ids}
    given = Instance.objects.filter(places__visit__participant__study=study)
    return found | benched(study) | set(given.values_list("pk", flat=True))
