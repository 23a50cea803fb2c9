"""Which tasks and instances a participant gets, and in which order. Plain values in, plain values out.

Least exposed first within strata (a minimisation as in Pocock and Simon 1975,
without its biased coin): inside a stratum the tasks with the smallest counts are
taken, ties broken by a seeded draw; then the least exposed instance of each task.
Guarantees, held by property tests:

G1  no task twice for one person, quotas met exactly;
G2  without releases the counts inside a stratum differ by at most 1;
G3  each release can widen that by at most 1, and assignments never widen it;
G4  the same seed and counts give the same result.

Only ``random.Random.random`` is drawn from: its sequence for a seed is promised
to stay the same between Python versions, that of ``shuffle`` is not.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Stratum:
    code: str
    tasks: tuple[str, ...]
    quota: int


@dataclass(frozen=True)
class Pool:
    """What can be given out: the strata, how many extra places rotate over them, and each task's instances."""

    strata: tuple[Stratum, ...]
    rotating: int
    instances: Mapping[str, tuple[int, ...]]

    def available(self, stratum: Stratum) -> tuple[str, ...]:
        """The stratum's tasks that have an instance, in file order."""
        return tuple(task for task in stratum.tasks if self.instances.get(task))


@dataclass(frozen=True)
class Chosen:
    stratum: str
    task: str
    instance: int


class CannotDraw(ValueError):
    """The pool is too small for the quotas; the text says where and by how much."""


def rng_for(seed: int, purpose: str) -> random.Random:
    """An independent stream for each purpose, so that one order never depends on another's length."""
    return random.Random(f"{seed}:{purpose}")  # noqa: S311 a design, not a secret


def shuffled(values: Sequence[T], rng: random.Random) -> list[T]:
    """A permutation by sorting on one draw per value."""
    return [value for _key, _n, value in sorted((rng.random(), n, value) for n, value in enumerate(values))]


def least(candidates: Sequence[T], counts: Mapping[T, int], n: int, rng: random.Random) -> list[T]:
    """The ``n`` candidates with the smallest counts, ties at random."""
    return sorted(shuffled(candidates, rng), key=lambda one: counts.get(one, 0))[:n]


def extra_strata(pool: Pool, task_counts: Mapping[str, int], rng: random.Random) -> set[str]:
    """The strata that get a rotating place: those with the lowest mean exposure among those with a task to spare."""
    roomy = [s for s in pool.strata if len(pool.available(s)) > s.quota]
    if len(roomy) < pool.rotating:
        raise CannotDraw(
            f"{pool.rotating} rotating places need as many strata with more tasks than their quota; "
            f"{len(roomy)} have them."
        )
    mean = {s.code: sum(task_counts.get(t, 0) for t in pool.available(s)) / len(pool.available(s)) for s in roomy}
    ordered = sorted(shuffled([s.code for s in roomy], rng), key=lambda code: mean[code])
    return set(ordered[: pool.rotating])


def draw(
    pool: Pool, task_counts: Mapping[str, int], instance_counts: Mapping[int, int], seed: int
) -> tuple[Chosen, ...]:
    """One person's tasks and instances, stratum by stratum.

    Counts are exposures so far: completed and active places. Raises CannotDraw.
    """
    rng = rng_for(seed, "tasks")
    extra = extra_strata(pool, task_counts, rng)
    chosen = []
    for stratum in pool.strata:
        tasks = pool.available(stratum)
        wanted = stratum.quota + (stratum.code in extra)
        if len(tasks) < wanted:
            raise CannotDraw(f"Stratum {stratum.code} needs {wanted} tasks with an instance and has {len(tasks)}.")
        for task in least(tasks, task_counts, wanted, rng):
            (instance,) = least(pool.instances[task], instance_counts, 1, rng)
            chosen.append(Chosen(stratum.code, task, instance))
    return tuple(chosen)


def williams(n: int) -> tuple[tuple[int, ...], ...]:
    """Orders of ``n`` slots in which each ordered pair of neighbours comes equally often (Williams 1949).

    ``n`` rows for even n (each pair once), ``2n`` for odd n (each pair twice).
    """
    first = [0]
    for step in range(1, n):
        first.append((first[-1] + (step if step % 2 else -step)) % n)
    rows = [tuple((value + shift) % n for value in first) for shift in range(n)]
    if n % 2 and n > 1:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)


def in_order(chosen: Sequence[T], cycle: int) -> tuple[T, ...]:
    """The chosen in the order of Williams row ``cycle`` (rows repeat); slots are the order they were drawn in."""
    if not chosen:
        return ()
    rows = williams(len(chosen))
    return tuple(chosen[slot] for slot in rows[cycle % len(rows)])


def object_order(objects: Sequence[str], seed: int) -> list[str]:
    """An independent random order of the rating targets per person."""
    return shuffled(objects, rng_for(seed, "objects"))


def box_order(seed: int) -> list[str]:
    """Which of "what looked right" and "what looked off" comes first for this person."""
    return shuffled(["right", "off"], rng_for(seed, "boxes"))


def org_in_turn(orgs: Sequence[T], visits: Mapping[T, int]) -> T:
    """The Org with the fewest visits so far, the first in the arm's list at a tie (M4). Raises CannotDraw."""
    if not orgs:
        raise CannotDraw("The arm has no Org.")
    return min(orgs, key=lambda org: visits.get(org, 0))
