"""What one visit is given, from a pool, the exposures so far and a seed. Plain values in, plain values out.

The one place where a draw is put together: the database's draw, the replay of the log
and the simulation before any data all call it, so that none can drift from the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from study.assignment import design
from study.assignment.load import Fit, Fitted, draw_fitted, minutes_of


@dataclass
class Exposure:
    """Counts a draw starts from.

    ``tasks`` and ``objects`` of the same arm and visit of the arm, ``instances`` of the Org, ``visits`` already
    begun there.
    """

    tasks: Counter[str] = field(default_factory=Counter)
    instances: Counter[int] = field(default_factory=Counter)
    objects: Counter[str] = field(default_factory=Counter)
    visits: int = 0


@dataclass(frozen=True)
class Ask:
    """What a visit is to have: objects to rate, how many of them, tasks to spare the person, instances to repeat."""

    rate: tuple[str, ...]
    rate_each: int | None = None
    avoid: frozenset[str] = frozenset()
    same: tuple[design.Chosen, ...] = ()
    boxes: tuple[str, ...] = ("right", "off")


@dataclass(frozen=True)
class Given:
    """The places in the order they are worked on, the objects in the order they are rated, the boxes' order.

    ``fit`` says how the minutes by hand met the window (load.py).
    """

    places: tuple[design.Chosen, ...]
    objects: tuple[str, ...]
    boxes: tuple[str, ...]
    minutes: float
    fit: Fit


def give(pool: design.Pool, seen: Exposure, ask: Ask, seed: int) -> Given:
    """Raises design.CannotDraw."""
    fitted = repeat(pool, ask.same) if ask.same else draw_fitted(pool, seen.tasks, seen.instances, seed, ask.avoid)
    rated = design.objects_to_rate(ask.rate, ask.rate_each, seen.objects, seed)
    return Given(
        places=design.in_order(fitted.chosen, seen.visits),
        objects=tuple(design.object_order(rated, seed)),
        boxes=tuple(design.box_order(seed, ask.boxes)),
        minutes=fitted.minutes,
        fit=fitted.fit,
    )


def repeat(pool: design.Pool, same: Sequence[design.Chosen]) -> Fitted:
    chosen = design.same_again(pool, same)
    return Fitted(chosen, minutes_of(pool, chosen) / 10, "")


def count(seen: Exposure, places: Collection[design.Chosen], objects: Collection[str]) -> None:
    """The exposures after a visit was given these."""
    seen.tasks.update(one.task for one in places)
    seen.instances.update(one.instance for one in places)
    seen.objects.update(objects)
    seen.visits += 1
