"""A study's log, rows, protocols and instances as the values the replay reads. Reads only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings

from study.accounts.models import Study
from study.assignment import allocation
from study.assignment.allocation import Slot
from study.assignment.design import Pool
from study.assignment.drawing import asked, condition_of
from study.assignment.exposure import benched, made_pool, visits_of
from study.assignment.giving import Ask
from study.assignment.models import Allocation as AllocationRow
from study.assignment.models import AllocationSeed, AssignmentEvent
from study.assignment.orgs import resolve
from study.assignment.told import RANDOMISED, Entry, Given, VisitRow
from study.benchmark.models import Instance
from study.people.models import Cohort, counted
from study.people.protocol import file_of, protocol_of
from study.protocols.models import Protocol
from study.protocols.schema import ProtocolFile
from study.sandbox.models import Org


def entries(study: Study) -> Iterator[Entry]:
    """The log in its order."""
    rows = AssignmentEvent.objects.using(settings.READER_ALIAS).filter(study=study).order_by("sequence")
    for row in rows.select_related("visit__participant"):
        yield Entry(
            row.sequence,
            row.event,
            row.at,
            visit=row.visit_id,
            person=row.visit.participant.code if row.visit else "",
            instance=row.instance_id,
            position=row.position,
            seed=row.seed,
            detail=row.detail,
        )


def visit_rows(study: Study) -> Iterator[VisitRow]:
    """The visits of people who count, in the order they began."""
    rows = visits_of(study).using(settings.READER_ALIAS).select_related("participant", "org", "protocol")
    for row in rows.prefetch_related("places").order_by("pk"):
        yield VisitRow(
            row.pk,
            row.participant.code,
            row.period,
            row.arm,
            row.condition,
            row.org.hash,
            row.protocol.number,
            row.seed,
            row.allocation,
            row.block,
            tuple(row.object_order),
            tuple(row.box_order),
            tuple((p.position, p.stratum, p.task, p.instance_id, p.state) for p in row.places.all()),
        )


def allocations(study: Study) -> Iterator[Given]:
    """What was drawn for people who count."""
    rows = AllocationRow.objects.using(settings.READER_ALIAS).filter(study=study, **counted("participant"))
    for row in rows.filter(kind=RANDOMISED).select_related("participant", "cohort"):
        yield Given(
            row.participant.code,
            row.cohort.code,
            row.cell,
            row.number,
            row.block,
            row.arm,
            tuple(row.order),
            row.seed,
        )


class StoredWorld:
    """The frozen protocols and imported instances of a study; each pool is made once."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.files: dict[int, ProtocolFile] = {}
        self.instances: dict[str, list[tuple[datetime, Instance]]] = {}
        self.pools: dict[tuple[int, str, frozenset[int], int], Pool] = {}

    def file(self, protocol: int) -> ProtocolFile:
        if protocol not in self.files:
            row = Protocol.objects.filter(study=self.study, number=protocol).first()
            if row is None:
                raise LookupError(f"the study has no version {protocol} of its protocol")
            self.files[protocol] = file_of(row)
        return self.files[protocol]

    def of_org(self, org: str) -> list[tuple[datetime, Instance]]:
        """The instances of an Org that people can be given, each with the moment its set came in."""
        if org not in self.instances:
            rows = Instance.objects.filter(org__hash=org, assignable=True, benched=False).select_related("instance_set")
            self.instances[org] = [(row.instance_set.created_at, row) for row in rows.order_by("key")]
        return self.instances[org]

    def pool(self, protocol: int, org: str, benched: frozenset[int], at: datetime, mark: str) -> Pool:
        """What could be given at a moment.

        A set is in the pool from the moment its import was through, a little later than it says: where ``mark`` tells
        that the newest were not yet, they are left out.
        """
        times = sorted({since for since, _row in self.of_org(org) if since <= at}, reverse=True)
        for last in times:
            pool = self._pool(protocol, org, benched, last)
            if pool.mark() == mark:
                return pool
        return self._pool(protocol, org, benched, at)

    def _pool(self, protocol: int, org: str, benched: frozenset[int], last: datetime) -> Pool:
        tasks = self.file(protocol).tasks
        names = {task for stratum in tasks.strata for task in stratum.tasks}
        rows = [row for since, row in self.of_org(org) if since <= last and row.pk not in benched and row.task in names]
        key = (protocol, org, benched, len(rows))
        if key not in self.pools:
            self.pools[key] = made_pool(tasks, self.study.code, rows)
        return self.pools[key]

    def ask(self, protocol: int, arm: str, condition: str) -> Ask:
        file = self.file(protocol)
        return asked(file, arm, file.arm(arm).plan(condition))

    def cohort(self, code: str) -> Cohort:
        row = Cohort.objects.filter(study=self.study, code=code).first()
        if row is None:
            raise LookupError(f"the study has no cohort {code}")
        return row

    def seed(self, cohort: str, cell: str) -> int:
        stored = AllocationSeed.objects.filter(cohort=self.cohort(cohort)).first()
        if stored is None:
            raise LookupError(f"the cohort {cohort} has no seed")
        return allocation.cell_seed(stored.seed, cell)

    def slot(self, cohort: str, seed: int, number: int) -> Slot:
        row = self.cohort(cohort)
        file = file_of(protocol_of(row))
        return allocation.slot([file.arm(code) for code in row.arm_codes], file.allocation.blocks, seed, number)


def pools_now(study: Study, file: ProtocolFile) -> dict[tuple[str, str], Pool]:
    """What each visit of each arm is drawn from now, over all its Orgs together."""
    found = {}
    for arm in file.arms:
        for plan in arm.plans:
            orgs = [org for org in (resolve(reference, study) for reference in plan.orgs) if org is not None]
            if orgs:
                found[arm.code, condition_of(file, arm.code, plan)] = all_together(study, file, orgs)
    return found


def all_together(study: Study, file: ProtocolFile, orgs: list[Org]) -> Pool:
    names = [task for stratum in file.tasks.strata for task in stratum.tasks]
    rows = Instance.objects.filter(org__in=orgs, assignable=True, benched=False, task__in=names).order_by("key")
    rows = rows.exclude(pk__in=benched(study))
    return made_pool(file.tasks, study.code, rows)
