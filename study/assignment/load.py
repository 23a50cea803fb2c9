"""A draw whose minutes by hand sum to a window, so that everybody's hour is about as long (M15).

The plain draw is kept when its minutes fit. Else all choices are counted, by sum of
minutes and by how far they widen exposure, and one is drawn uniformly among those that fit
and widen least: first equally exposed ones, then those with a task or an instance one step
more exposed, or with a rotating place in a stratum whose mean is at most one higher.
Nothing is taken that leaves the counts of a stratum further apart than 2, unless they were
before (G2, G3). When nothing fits, the nearest sum is taken, and the draw says so.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from study.assignment.design import Chosen, Pool, Stratum, draw, extra_strata, mean_exposure, pinned_in, rng_for

T = TypeVar("T")
Fit = Literal["", "within", "wider", "outside"]
"""No window; inside it without more exposure; inside it at the price of some; outside it."""
TENTH = 10


@dataclass(frozen=True)
class Fitted:
    chosen: tuple[Chosen, ...]
    minutes: float
    fit: Fit


class At(NamedTuple):
    """How far the counting has come: tenths of minutes, widening, rotating places, places of the open stratum,
    and whether one of its least exposed tasks was left behind."""

    tenths: int
    wider: int
    extras: int
    taken: int
    left: bool


class Step(NamedTuple):
    before: At
    ways: int
    given: tuple[Chosen, ...]
    """Equally good instances, one of which is drawn; empty for a task not taken."""


Layer = dict[At, list[Step]]


def tenths(minutes: float) -> int:
    return round(minutes * TENTH)


def minutes_of(pool: Pool, chosen: Collection[Chosen]) -> int:
    return sum(tenths(pool.minutes.get(one.instance, 0)) for one in chosen)


def draw_fitted(
    pool: Pool,
    task_counts: Mapping[str, int],
    instance_counts: Mapping[int, int],
    seed: int,
    avoid: Collection[str] = (),
) -> Fitted:
    """As ``design.draw``, within the pool's window of minutes where it has one. Raises CannotDraw."""
    chosen = draw(pool, task_counts, instance_counts, seed, avoid)
    total = minutes_of(pool, chosen)
    if pool.window is None or distance(pool.window, total) == 0:
        return Fitted(chosen, total / TENTH, "within" if pool.window else "")
    return Search(pool, task_counts, instance_counts, seed, avoid).run(pool.window)


def distance(window: tuple[float, float], total: int) -> int:
    """Tenths of a minute between a sum and the window."""
    return max(0, tenths(window[0]) - total, total - tenths(window[1]))


class Search:
    """Counts every choice layer by layer, one layer a task, then walks back through one of them."""

    def __init__(
        self,
        pool: Pool,
        task_counts: Mapping[str, int],
        instance_counts: Mapping[int, int],
        seed: int,
        avoid: Collection[str],
    ) -> None:
        self.pool, self.task_counts, self.instance_counts, self.avoid = pool, task_counts, instance_counts, avoid
        self.rng = rng_for(seed, "load")
        # The same strata as the plain draw gives its rotating places to: the same stream from its beginning.
        self.extra = extra_strata(pool, task_counts, rng_for(seed, "tasks"), avoid)
        self.mean = mean_exposure(pool, task_counts)
        self.layers: list[Layer] = []
        self.ways: dict[At, int] = {At(0, 0, 0, 0, False): 1}

    def run(self, window: tuple[float, float]) -> Fitted:
        for stratum in self.pool.strata:
            self.stratum(stratum)
        ends = {at: n for at, n in self.ways.items() if at.extras == self.pool.rotating}
        best = min((distance(window, at.tenths), at.wider) for at in ends)
        ends = {at: n for at, n in ends.items() if (distance(window, at.tenths), at.wider) == best}
        at = pick(sorted(ends), [ends[one] for one in sorted(ends)], self.rng)
        fit: Fit = "outside" if best[0] else "wider" if best[1] else "within"
        return Fitted(tuple(self.back(at)), at.tenths / TENTH, fit)

    def back(self, at: At) -> list[Chosen]:
        chosen: list[list[Chosen]] = []
        for layer in reversed(self.layers):
            step = pick(layer[at], [one.ways for one in layer[at]], self.rng)
            at = step.before
            if len(step.given) > 1:
                chosen.append([pick(step.given, [1] * len(step.given), self.rng)])
            else:
                chosen.append(list(step.given))
        return [one for part in reversed(chosen) for one in part]

    def close(self, steps: Layer) -> None:
        self.layers.append(steps)
        self.ways = {at: sum(step.ways for step in found) for at, found in steps.items()}

    def stratum(self, stratum: Stratum) -> None:
        pinned = pinned_in(self.pool, stratum)
        for one in pinned:
            steps: Layer = defaultdict(list)
            for at, ways in self.ways.items():
                after = at._replace(tenths=at.tenths + minutes_of(self.pool, [one]))
                steps[after].append(Step(at, ways, (one,)))
            self.close(steps)
        tasks = self.in_turn(stratum)
        counts = [self.task_counts.get(task, 0) for task in tasks]
        quota = stratum.quota - len(pinned)
        for n, task in enumerate(tasks):
            self.task(stratum, counts, n, task, quota + 1)
        steps = defaultdict(list)
        for at, ways in self.ways.items():
            for after in self.after(stratum, at, quota):
                steps[after].append(Step(at, ways, ()))
        self.close(steps)

    def in_turn(self, stratum: Stratum) -> list[str]:
        """Least exposed first, those to avoid last; ties need no draw, every choice among them is counted."""
        tasks = self.pool.balanced(stratum)
        return sorted(tasks, key=lambda task: (task in self.avoid, self.task_counts.get(task, 0)))

    def fresh(self, stratum: Stratum) -> int:
        return sum(one not in self.avoid for one in self.pool.balanced(stratum))

    def task(self, stratum: Stratum, counts: list[int], n: int, task: str, most: int) -> None:
        """Take the task or leave it. ``counts`` are those of the stratum's tasks, in their turn."""
        fresh = self.fresh(stratum)
        spare = task in self.avoid
        lowest = min(counts[:fresh] or counts)
        widest = max(2, max(counts) - min(counts))
        options = self.options(stratum, task)
        steps: Layer = defaultdict(list)
        for at, ways in self.ways.items():
            steps[at._replace(left=at.left or counts[n] == lowest)].append(Step(at, ways, ()))
            if at.taken >= most or (spare and at.taken < fresh):
                continue
            wider = counts[n] - counts[at.taken]
            if not 0 <= wider <= 1 or (at.left and counts[n] + 1 - lowest > widest):
                continue
            for (minutes, more), given in options.items():
                after = At(at.tenths + minutes, at.wider + wider + more, at.extras, at.taken + 1, at.left)
                steps[after].append(Step(at, ways * len(given), given))
        self.close(steps)

    def options(self, stratum: Stratum, task: str) -> dict[tuple[int, int], tuple[Chosen, ...]]:
        """The task's instances that may be given, by minutes and by how much more exposed they are: 0 or 1."""
        found: dict[tuple[int, int], list[Chosen]] = defaultdict(list)
        lowest = min(self.instance_counts.get(pk, 0) for pk in self.pool.instances[task])
        for pk in self.pool.instances[task]:
            if (more := self.instance_counts.get(pk, 0) - lowest) <= 1:
                found[tenths(self.pool.minutes.get(pk, 0)), more].append(Chosen(stratum.code, task, pk))
        return {key: tuple(given) for key, given in found.items()}

    def after(self, stratum: Stratum, at: At, quota: int) -> list[At]:
        """The stratum is done: its quota is met, or its quota and one rotating place it may have."""
        closed = at._replace(taken=0, left=False)
        if at.taken == quota:
            return [closed]
        allowed = stratum.code in self.mean and at.taken == quota + 1 and at.extras < self.pool.rotating
        if not allowed:
            return []
        highest = max(self.mean[code] for code in self.extra)
        above = self.mean[stratum.code] - highest
        instead = stratum.code not in self.extra
        if instead and (above > 1 or (self.avoid and self.fresh(stratum) <= stratum.quota)):
            return []
        more = instead and above > 0
        return [closed._replace(extras=at.extras + 1, wider=at.wider + more)]


def pick(values: Sequence[T], weights: list[int], rng: random.Random) -> T:
    """One value by integer weights, from one number of the stream."""
    point, total = rng.random() * sum(weights), 0
    for value, weight in zip(values, weights, strict=True):
        total += weight
        if point < total:
            return value
    return values[-1]
