"""From a plan and a seed to tables and facts: what is shared, then branch after branch.

A world of scale 1 or less is one branch and stays in memory. A larger one is made in as many branches as its scale,
in processes of their own if there are cores for them, and waits on disk; which process made what makes no difference.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from study.generator.care import make_care, make_orders
from study.generator.company import catalogue_rows, make_members, make_parties, make_shared, world_registry
from study.generator.groundwork.branch import Branch, Shared
from study.generator.groundwork.facts import Fact, write_facts
from study.generator.groundwork.plan import Plan
from study.generator.groundwork.scaling import shares, totals
from study.generator.groundwork.things import Row
from study.generator.knowledge import make_articles
from study.generator.sales import make_sales
from study.generator.spool import Spool
from study.generator.talk import write_calls, write_letters
from study.generator.world_fact import world_fact
from study.sandbox.engine.registry import Registry

Told = Callable[[int], None]
"""Hears how many records have been made so far."""


class BuildError(RuntimeError):
    """A part of the generator made something other than it was asked for: a fault of its own, never of the caller."""


@dataclass(frozen=True)
class Built:
    """A world ready to be written. ``tables`` may be iterators, to be read once; ``write_truth`` afterwards."""

    plan: Plan
    seed: int
    scale: float
    registry: Registry
    counts: Mapping[str, int]
    tables: Mapping[str, Iterable[Row]]
    facts: list[Fact]
    spool: Spool | None = None
    numbers: tuple[int, ...] = field(default=())

    @property
    def records(self) -> int:
        return sum(self.counts.values())

    def write_truth(self, path: Path) -> None:
        """The truth file: the facts in memory, then those on disk."""
        write_facts(path, self.facts)
        if self.spool is not None:
            self.spool.append_facts(path, self.numbers)


def build(plan: Plan, seed: int, scale: float = 1.0) -> Built:
    """A world of scale 1 or less, in memory. ValueError for a scale out of range or a negative seed."""
    counts = _checked(plan, seed, scale)
    if scale > 1:
        raise ValueError("A world of more than scale 1 is built on disk.")
    shared = make_shared(plan, seed, counts)
    facts: list[Fact] = []
    tables = shared_tables(plan, shared, seed, counts, facts)
    branch = make_branch(plan, shared, seed, 0, shares(plan, scale)[0])
    return Built(plan, seed, scale, world_registry(plan), counts, {**tables, **branch.tables}, [*facts, *branch.facts])


def build_large(
    plan: Plan, seed: int, scale: float, folder: Path, *, cores: int | None = None, told: Told | None = None
) -> Built:
    """A world of any scale, its branches on disk in ``folder``, which must be empty and there until it is written."""
    counts = _checked(plan, seed, scale)
    shared = make_shared(plan, seed, counts)
    facts: list[Fact] = []
    tables = shared_tables(plan, shared, seed, counts, facts)
    work = _Work(plan, seed, shares(plan, scale), folder)
    made = sum(map(len, tables.values()))
    for records in work.done(cores or os.cpu_count() or 1):
        made += records
        if told is not None:
            told(made)
    spool, numbers = Spool(folder), tuple(range(len(work.counts)))
    streamed = {name: chain(tables.get(name, ()), spool.rows(name, numbers)) for name in plan.counts}
    return Built(plan, seed, scale, world_registry(plan), counts, streamed, facts, spool, numbers)


def _checked(plan: Plan, seed: int, scale: float) -> dict[str, int]:
    if seed < 0:
        raise ValueError("The seed must be zero or more.")
    return totals(plan, scale)


def shared_tables(
    plan: Plan, shared: Shared, seed: int, counts: Mapping[str, int], facts: list[Fact]
) -> dict[str, list[Row]]:
    """The records all branches have in common. ``facts`` gets those about them, the world's own first."""

    def tell(kind: str, of: str, evidence: Iterable[tuple[str, str]] = (), **values: object) -> None:
        facts.append(Fact(kind, of, values, tuple(evidence)))

    facts.append(world_fact(plan, shared))
    tables = catalogue_rows(plan, shared, seed, counts)
    tables["Knowledge__kav"] = make_articles(plan, shared, seed, tell)
    _expect(plan, "what is shared", tables, {name: counts[name] for name in tables})
    return _in_order(tables)


def make_branch(plan: Plan, shared: Shared, seed: int, number: int, counts: Mapping[str, int]) -> Branch:
    """One branch with everything in it. BuildError where a part made more or less than it was to."""
    branch = Branch(plan, shared, seed, number, counts)
    make_members(branch)
    make_parties(branch)
    if plan.sells:
        sales = make_sales(branch)
        make_care(branch, sales.bought)
        write_calls(branch, sales)
        write_letters(branch, sales, counts["EmailMessage"] - len(branch.tables.get("EmailMessage", ())))
    else:
        make_care(branch, make_orders(branch))
    own = {name: n for name, n in counts.items() if name not in plan.fixed}
    _expect(plan, f"branch {number}", branch.tables, own)
    branch.tables = _in_order(branch.tables)
    return branch


def _expect(plan: Plan, what: str, tables: Mapping[str, list[Row]], counts: Mapping[str, int]) -> None:
    for name in sorted({*tables, *counts}):
        made, asked = len(tables.get(name, ())), counts.get(name, 0)
        if made != asked:
            raise BuildError(f"{plan.name}, {what}: {made:,} {name} records were made and {asked:,} asked for.")


def _in_order(tables: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """Each table by Id: so they are stored fastest, and Ids follow time anyway."""
    return {name: sorted(rows, key=lambda row: str(row["Id"])) for name, rows in tables.items()}


@dataclass(frozen=True)
class _Work:
    """The branches of a large world, to be made in any order by anybody."""

    plan: Plan
    seed: int
    counts: list[dict[str, int]]
    folder: Path

    def done(self, cores: int) -> Iterator[int]:
        """Make all branches; yields how many records each has as they are finished."""
        jobs = list(enumerate(self.counts))
        if cores <= 1:
            _prepare(self)
            yield from map(_make, jobs)
            return
        with get_context("spawn").Pool(min(cores, len(jobs)), _prepare_worker, (self,)) as pool:
            yield from pool.imap_unordered(_make, jobs)


_prepared: dict[str, tuple[_Work, Shared]] = {}


def _prepare(work: _Work) -> None:
    """What all branches made by this process need, made once."""
    _prepared["work"] = (work, make_shared(work.plan, work.seed, work.counts[0]))


def _prepare_worker(work: _Work) -> None:
    # An interruption is for the one who waits for us; it ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _prepare(work)


def _make(job: tuple[int, dict[str, int]]) -> int:
    number, counts = job
    work, shared = _prepared["work"]
    branch = make_branch(work.plan, shared, work.seed, number, counts)
    records = sum(map(len, branch.tables.values()))
    Spool(work.folder).put(number, branch.tables, branch.facts)
    return records
