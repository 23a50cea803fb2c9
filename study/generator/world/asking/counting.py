"""What the answers rest on, counted a second way: on the world itself, for windows whose ends are moved by a day.

An instance is asked only if every variant names the same winner with a clear lead. This is a filter on questions;
the answers themselves come from the rules of study.benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from study.benchmark.rules.answer import CLEAR_COUNT, CLEAR_SHARE
from study.generator.world.asking.periods import Period
from study.generator.world.cases import Case
from study.generator.world.service import World

ENOUGH_CASES = 3


class Tally(NamedTuple):
    """A value and the number of cases behind it."""

    value: float
    cases: int


Tallies = Mapping[str, Tally]
Counter = Callable[[date, date], Tallies]


def steady_winner(count: Counter, period: Period, *, highest: bool, means: bool) -> str | None:
    """The key that leads clearly in every variant of the period; None where it hangs on a day or leads narrowly."""
    winners = [_winner(count(*ends), highest=highest, means=means) for ends in period.variants()]
    return winners[0] if len(dict.fromkeys(winners)) == 1 else None


def always_empty(count: Counter, period: Period) -> bool:
    return all(not count(*ends) for ends in period.variants())


def _winner(found: Tallies, *, highest: bool, means: bool) -> str | None:
    if len(found) < 2:
        return None
    ranked = sorted(found, key=lambda key: ((-1 if highest else 1) * found[key].value, key))
    first, second = found[ranked[0]], found[ranked[1]]
    gap, smaller = abs(first.value - second.value), min(first.value, second.value)
    if not means:
        return ranked[0] if gap >= CLEAR_COUNT else None
    # A mean of one or two cases is an accident, however far ahead it is.
    return ranked[0] if first.cases >= ENOUGH_CASES and gap >= CLEAR_SHARE * smaller else None


def _within(case: Case, first: date, end: date) -> bool:
    return first <= case.created.date() < end


def _hours(case: Case) -> float:
    return (case.closed - case.created).total_seconds() / 3600 if case.closed else 0.0


def _means(values: Mapping[str, list[float]]) -> dict[str, Tally]:
    return {key: Tally(sum(found) / len(found), len(found)) for key, found in values.items()}


def given_cases(world: World, first: date, end: date) -> dict[str, int]:
    """Owner assignments to each agent in the window."""
    counts: dict[str, int] = {}
    for case in world.cases:
        for hand in case.hands:
            if first <= hand.since.date() < end:
                counts[hand.agent.id] = counts.get(hand.agent.id, 0) + 1
    return counts


def handle_times(world: World, more_than: int) -> Counter:
    def count(first: date, end: date) -> Tallies:
        busy = given_cases(world, first, end)
        hours: dict[str, list[float]] = {}
        for case in world.cases:
            kept = case.closed and len(case.hands) == 1 and _within(case, first, end)
            if kept and busy.get(case.owner.id, 0) > more_than:
                hours.setdefault(case.owner.id, []).append(_hours(case))
        return _means(hours)

    return count


def transfers(world: World, more_than: int) -> Counter:
    def count(first: date, end: date) -> Tallies:
        busy = given_cases(world, first, end)
        counts: dict[str, int] = {}
        for case in world.cases:
            for before, after in zip(case.hands, case.hands[1:], strict=False):
                if first <= after.since.date() < end and busy.get(before.agent.id, 0) > more_than:
                    counts[before.agent.id] = counts.get(before.agent.id, 0) + 1
        return {key: Tally(n, n) for key, n in counts.items()}

    return count


def issues_of(world: World, product: int) -> Counter:
    def count(first: date, end: date) -> Tallies:
        counts: dict[str, int] = {}
        for case in world.cases:
            if case.line.product.place == product and _within(case, first, end):
                key = world.catalogue.issues[case.issue.place]
                counts[key] = counts.get(key, 0) + 1
        return {key: Tally(n, n) for key, n in counts.items()}

    return count


def months_of(world: World, product: int) -> Counter:
    def count(first: date, end: date) -> Tallies:
        counts: dict[str, int] = {}
        for case in world.cases:
            if case.line.product.place == product and _within(case, first, end):
                key = case.created.strftime("%B")
                counts[key] = counts.get(key, 0) + 1
        return {key: Tally(n, n) for key, n in counts.items()}

    return count


def regions(world: World) -> Counter:
    def count(first: date, end: date) -> Tallies:
        hours: dict[str, list[float]] = {}
        for case in world.cases:
            if case.closed and _within(case, first, end):
                hours.setdefault(case.line.customer.place.state, []).append(_hours(case))
        return _means(hours)

    return count
