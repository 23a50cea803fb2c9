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
    """How far the counting has come: tenths of minutes, rotating places, places of the open stratum, and whether
    one of its least exposed tasks was left behind."""

    tenths: int
    extras: int
    taken: int
    left: bool


class Step(NamedTuple):
    before: At
    wider: int
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
    """Counts every choice layer by layer, one layer a task, then walks back through one of them.

    Of all ways to the same point only those that widen least are kept: whatever follows adds the same to each.
    """

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
        # Per point: how much its choices widen, and how many there are.
        self.reached: dict[At, tuple[int, int]] = {At(0, 0, 0, False): (0, 1)}

    def run(self, window: tuple[float, float]) -> Fitted:
        for stratum in self.pool.strata:
            self.stratum(stratum)
        ends = {at: found for at, found in self.reached.items() if at.extras == self.pool.rotating}
        best = min((distance(window, at.tenths), wider) for at, (wider, _ways) in ends.items())
        good = sorted(at for at, (wider, _ways) in ends.items() if (distance(window, at.tenths), wider) == best)
        at = pick(good, [ends[one][1] for one in good], self.rng)
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
        least = {at: min(step.wider for step in found) for at, found in steps.items()}
        kept = {at: [step for step in found if step.wider == least[at]] for at, found in steps.items()}
        self.layers.append(kept)
        self.reached = {at: (least[at], sum(step.ways for step in found)) for at, found in kept.items()}

    def stratum(self, stratum: Stratum) -> None:
        pinned = pinned_in(self.pool, stratum)
        for one in pinned:
            steps: Layer = defaultdict(list)
            for at, (wider, ways) in self.reached.items():
                after = at._replace(tenths=at.tenths + minutes_of(self.pool, [one]))
                steps[after].append(Step(at, wider, ways, (one,)))
            self.close(steps)
        tasks = self.in_turn(stratum)
        counts = [self.task_counts.get(task, 0) for task in tasks]
        quota = stratum.quota - len(pinned)
        for n, task in enumerate(tasks):
            self.task(stratum, counts, n, task, quota + 1)
        steps = defaultdict(list)
        for at, (wider, ways) in self.reached.items():
            for after, more in self.after(stratum, at, quota):
                steps[after].append(Step(at, wider + more, ways, ()))
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
        for at, (so_far, ways) in self.reached.items():
            steps[at._replace(left=at.left or counts[n] == lowest)].append(Step(at, so_far, ways, ()))
            if at.taken >= most or (spare and at.taken < fresh):
                continue
            wider = counts[n] - counts[at.taken]
            if not 0 <= wider <= 1 or (at.left and counts[n] + 1 - lowest > widest):
                continue
            for (minutes, more), given in options.items():
                after = At(at.tenths + minutes, at.extras, at.taken + 1, at.left)
                steps[after].append(Step(at, so_far + wider + more, ways * len(given), given))
        self.close(steps)

    def options(self, stratum: Stratum, task: str) -> dict[tuple[int, int], tuple[Chosen, ...]]:
        """The task's instances that may be given, by minutes and by how much more exposed they are: 0 or 1."""
        found: dict[tuple[int, int], list[Chosen]] = defaultdict(list)
        lowest = min(self.instance_counts.get(pk, 0) for pk in self.pool.instances[task])
        for pk in self.pool.instances[task]:
            if (more := self.instance_counts.get(pk, 0) - lowest) <= 1:
                found[tenths(self.pool.minutes.get(pk, 0)), more].append(Chosen(stratum.code, task, pk))
        return {key: tuple(given) for key, given in found.items()}

    def after(self, stratum: Stratum, at: At, quota: int) -> list[tuple[At, int]]:
        """The stratum is done: its quota is met, or its quota and one rotating place it may have, wider or not."""
        closed = at._replace(taken=0, left=False)
        if at.taken == quota:
            return [(closed, 0)]
        allowed = stratum.code in self.mean and at.taken == quota + 1 and at.extras < self.pool.rotating
        if not allowed:
            return []
        highest = max(self.mean[code] for code in self.extra)
        above = self.mean[stratum.code] - highest
        instead = stratum.code not in self.extra
        if instead and (above > 1 or (self.avoid and self.fresh(stratum) <= stratum.quota)):
            return []
        more = instead and above > 0
        return [(closed._replace(extras=at.extras + 1), int(more))]


def pick(values: Sequence[T], weights: list[int], rng: random.Random) -> T:
    """One value by integer weights, from one number of the stream."""
    point, total = rng.random() * sum(weights), 0
    for value, weight in zip(values, weights, strict=True):
        total += weight
        if point < total:
            return value
    return values[-1]
