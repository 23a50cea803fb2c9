"""Which tasks and instances a participant gets, and in which order. Plain values in, plain values out.

Least exposed first within strata (a minimisation as in Pocock and Simon 1975,
without its biased coin): inside a stratum the tasks with the smallest counts are
taken, ties broken by a seeded draw; then the least exposed instance of each task.
Guarantees, held by property tests (G5 is the caller's: counts are read under the
study's row lock; G6 is that of the blocks which give out the arms):

G1  no task twice for one person, quotas met exactly, every pinned instance given;
G2  without releases the counts inside a stratum differ by at most 1, and by at most 2
    where a window of minutes is kept (load.py): a window widens by at most 1;
G3  each release can widen that by at most 1; a draw never widens what is wider already;
G4  the same seed and counts give the same result.

Two things stand outside the balance: pinned instances, which everybody gets, and tasks a
person is spared because an earlier visit had them (``avoid``). G2 and G3 are about the
other tasks of a stratum and about draws that spare nothing; a draw that does takes the
least exposed of the rest.

Only ``random.Random.random`` is drawn from: its sequence for a seed is promised
to stay the same between Python versions, that of ``shuffle`` is not.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Stratum:
    code: str
    tasks: tuple[str, ...]
    quota: int


@dataclass(frozen=True)
class Pool:
    """What can be given out: the strata, how many extra places rotate over them, and each task's instances.

    ``pinned``: the instances everybody gets, by task. ``minutes``: by hand, per instance; ``window``: from and to,
    what one person's minutes should sum to.
    """

    strata: tuple[Stratum, ...]
    rotating: int
    instances: Mapping[str, tuple[int, ...]]
    pinned: Mapping[str, int] = field(default_factory=dict)
    minutes: Mapping[int, float] = field(default_factory=dict)
    window: tuple[float, float] | None = None

    def available(self, stratum: Stratum) -> tuple[str, ...]:
        """The stratum's tasks that have an instance, in file order."""
        return tuple(task for task in stratum.tasks if self.instances.get(task))

    def balanced(self, stratum: Stratum) -> tuple[str, ...]:
        """The available tasks that are spread over people: all but those with a pinned instance."""
        return tuple(task for task in self.available(stratum) if task not in self.pinned)

    def mark(self) -> str:
        """Twelve digits that tell this pool from any other."""
        said = [
            [[s.code, s.tasks, s.quota] for s in self.strata],
            self.rotating,
            sorted(self.instances.items()),
            sorted(self.pinned.items()),
            sorted(self.minutes.items()) if self.window else [],
            self.window,
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Chosen:
    stratum: str
    task: str
    instance: int


class CannotDraw(ValueError):
    """The pool is too small for the quotas; the text says where and by how much."""


def rng_for(seed: int | str, purpose: str) -> random.Random:
    """An independent stream for each purpose, so that one order never depends on another's length."""
    return random.Random(f"{seed}:{purpose}")  # noqa: S311 a design, not a secret


def shuffled(values: Sequence[T], rng: random.Random) -> list[T]:
    """A permutation by sorting on one draw per value."""
    return [value for _key, _n, value in sorted((rng.random(), n, value) for n, value in enumerate(values))]


def least(candidates: Sequence[T], counts: Mapping[T, int], n: int, rng: random.Random) -> list[T]:
    """The ``n`` candidates with the smallest counts, ties at random."""
    return sorted(shuffled(candidates, rng), key=lambda one: counts.get(one, 0))[:n]


def mean_exposure(pool: Pool, task_counts: Mapping[str, int]) -> dict[str, float]:
    """Of each stratum that can have a rotating place: the mean count of the tasks that are spread."""
    roomy = [s for s in pool.strata if len(pool.available(s)) > s.quota]
    if len(roomy) < pool.rotating:
        raise CannotDraw(
            f"{pool.rotating} rotating places need as many strata with more tasks than their quota; "
            f"{len(roomy)} have them."
        )
    spread = {s.code: pool.balanced(s) for s in roomy}
    return {code: sum(task_counts.get(t, 0) for t in tasks) / (len(tasks) or 1) for code, tasks in spread.items()}


def extra_strata(
    pool: Pool, task_counts: Mapping[str, int], rng: random.Random, avoid: Collection[str] = ()
) -> set[str]:
    """The strata that get a rotating place: those with the lowest mean exposure among those with a task to spare.

    One whose extra task would have to be one to avoid comes last.
    """
    mean = mean_exposure(pool, task_counts)
    quota = {s.code: s.quota for s in pool.strata}
    fresh = {s.code: sum(task not in avoid for task in pool.available(s)) for s in pool.strata}
    ordered = sorted(shuffled(list(mean), rng), key=lambda code: (fresh[code] <= quota[code], mean[code]))
    return set(ordered[: pool.rotating])


def pinned_in(pool: Pool, stratum: Stratum) -> tuple[Chosen, ...]:
    """The pinned instances of a stratum. Raises CannotDraw when they are more than its own places."""
    pinned = [task for task in pool.available(stratum) if task in pool.pinned]
    if len(pinned) > stratum.quota:
        raise CannotDraw(f"Stratum {stratum.code} has {stratum.quota} places and {len(pinned)} pinned instances.")
    return tuple(Chosen(stratum.code, task, pool.pinned[task]) for task in pinned)


def draw(
    pool: Pool,
    task_counts: Mapping[str, int],
    instance_counts: Mapping[int, int],
    seed: int,
    avoid: Collection[str] = (),
) -> tuple[Chosen, ...]:
    """One person's tasks and instances, stratum by stratum, whatever their minutes.

    Counts are exposures so far: completed and active places. ``avoid``: tasks that come only where a stratum has too
    few others. Raises CannotDraw.
    """
    rng = rng_for(seed, "tasks")
    extra = extra_strata(pool, task_counts, rng, avoid)
    chosen: list[Chosen] = []
    for stratum in pool.strata:
        tasks = pool.balanced(stratum)
        pinned = pinned_in(pool, stratum)
        wanted = stratum.quota + (stratum.code in extra) - len(pinned)
        if len(tasks) < wanted:
            needs, has = wanted + len(pinned), len(tasks) + len(pinned)
            raise CannotDraw(f"Stratum {stratum.code} needs {needs} tasks with an instance and has {has}.")
        chosen += pinned
        in_turn = least(tasks, task_counts, len(tasks), rng)
        for task in sorted(in_turn, key=lambda task: task in avoid)[:wanted]:
            (instance,) = least(pool.instances[task], instance_counts, 1, rng)
            chosen.append(Chosen(stratum.code, task, instance))
    return tuple(chosen)


def same_again(pool: Pool, earlier: Sequence[Chosen]) -> tuple[Chosen, ...]:
    """A retest: the same instances, in the order of the strata, so that slots mean what they meant the first time."""
    place = {s.code: n for n, s in enumerate(pool.strata)}
    return tuple(sorted(earlier, key=lambda one: (place.get(one.stratum, len(place)), one.task)))


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


def objects_to_rate(objects: Sequence[str], each: int | None, counts: Mapping[str, int], seed: int) -> list[str]:
    """The ``each`` objects rated by the fewest so far, in file order; all where ``each`` is None (M15)."""
    if each is None or each >= len(objects):
        return list(objects)
    taken = least(objects, counts, each, rng_for(seed, "rate"))
    return [api for api in objects if api in taken]


def object_order(objects: Sequence[str], seed: int) -> list[str]:
    """An independent random order of the rating targets per person."""
    return shuffled(objects, rng_for(seed, "objects"))


def box_order(seed: int, boxes: Sequence[str] = ("right", "off")) -> list[str]:
    """Which of "what looked right" and "what looked off" comes first for this person."""
    return shuffled(boxes, rng_for(seed, "boxes"))


def org_in_turn(orgs: Sequence[T], visits: Mapping[T, int]) -> T:
    """The Org with the fewest visits so far, the first in the arm's list at a tie (M4). Raises CannotDraw."""
    if not orgs:
        raise CannotDraw("The arm has no Org.")
    return min(orgs, key=lambda org: visits.get(org, 0))
