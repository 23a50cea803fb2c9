"""Questions about agents: handle times and transfers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from study.generator.world.asking.counting import (
    Counter,
    always_empty,
    given_cases,
    handle_times,
    steady_winner,
    transfers,
)
from study.generator.world.asking.making import ANSWERED, NO_RECORD, Maker, Wordings, spread
from study.generator.world.asking.periods import Period, past_months, usual_periods
from study.generator.world.draw import Draw
from study.generator.world.service import World

GIVEN = "An agent's cases are those given to the agent in the period, at first or by transfer."
HANDLE_TIME = (
    "Handle time runs from the moment a case is opened to the moment it is closed. Take closed cases opened in the "
    "period that were never handed on: exactly one owner assignment in their history. " + GIVEN
)
TRANSFER = (
    "A transfer is an owner assignment in the case history that takes a case from one agent and gives it to another; "
    "it counts for the agent in Old value. An agent without any transfer does not take part. " + GIVEN
)
QUICK = (
    "{when}, which of the agents who were given more than {n} closes cases fastest on average?",
    "Looking at agents with more than {n} {when}, who had the shortest average handle time?",
    "I want to praise someone for speed. Of those given more than {n} {when}, whose average handle time was lowest?",
    "Who was quickest from opening to closing on average {when}, counting only agents with more than {n}?",
)
SLOW = (
    "{when}, which of the agents who were given more than {n} had the longest average handle time?",
    "Looking at agents with more than {n} {when}, who took longest on average to close a case?",
    "Someone may need help. Of those given more than {n} {when}, whose average handle time was highest?",
    "Who was slowest from opening to closing on average {when}, counting only agents with more than {n}?",
)
HANDED_MOST = (
    "{when}, who passed on the most cases to colleagues among agents given more than {n}?",
    "Of the agents with more than {n} {when}, which one transferred cases most often?",
    "I am planning training. Among those given more than {n} {when}, who handed the largest number of cases on?",
    "Whose cases changed hands most {when}? Leave out agents who were not given more than {n}.",
)
HANDED_LEAST = (
    "{when}, who passed on the fewest cases among agents given more than {n}, not counting those who passed on none?",
    "Of the agents with more than {n} {when} who transferred any at all, which one did so least often?",
)


class Asked(NamedTuple):
    """A question before it is put into words."""

    period: Period
    more_than: int
    extremum: str

    @property
    def params(self) -> dict[str, Any]:
        return {**self.period.params, "more_than": self.more_than, "extremum": self.extremum}


def ask_handle_time(maker: Maker) -> None:
    wordings = {"min": QUICK, "max": SLOW}
    _ask(maker, "handle_time", handle_times, wordings, HANDLE_TIME, means=True)


def ask_transfer_count(maker: Maker) -> None:
    wordings = {"max": HANDED_MOST, "min": HANDED_LEAST}
    _ask(maker, "transfer_count", transfers, wordings, TRANSFER, means=False)


def _ask(
    maker: Maker,
    task: str,
    counter: Callable[[World, int], Counter],
    wordings: Mapping[str, tuple[str, ...]],
    definition: str,
    *,
    means: bool,
) -> None:
    draw = maker.draw(task)
    said = {extremum: Wordings(draw, options) for extremum, options in wordings.items()}
    kept = spread(_with_winner(maker, task, draw, counter, means=means), ANSWERED, 4 if means else 5)
    kept += spread(_without(maker, task, draw, counter), NO_RECORD, 1)
    for asked, answer in draw.some(kept, len(kept)):
        counted = f"{asked.more_than} cases" if asked.more_than > 1 else "one case"
        maker.add(
            task,
            question=said[asked.extremum].next(when=asked.period.words, n=counted),
            definitions=f"{definition} {asked.period.meaning}",
            answer=answer,
            params=asked.params,
        )


def _with_winner(
    maker: Maker, task: str, draw: Draw, counter: Callable[[World, int], Counter], *, means: bool
) -> Iterator[tuple[str, tuple[Asked, list[str | None]]]]:
    """Questions with a steady winner, the two extremes in turn."""
    asked = [
        Asked(period, n, extremum)
        for period in usual_periods(maker.world.today)
        for n in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)
        for extremum in ("max", "min")
    ]
    for one in draw.some(asked, len(asked)):
        counted = counter(maker.world, one.more_than)
        winner = steady_winner(counted, one.period, highest=one.extremum == "max", means=means)
        if winner is not None and maker.by_rule(task, one.params) == [winner]:
            yield winner, (one, [winner])


def _without(
    maker: Maker, task: str, draw: Draw, counter: Callable[[World, int], Counter]
) -> Iterator[tuple[str, tuple[Asked, list[str | None]]]]:
    """Questions that set the bar above what any agent was given."""
    for period in draw.some([past_months(n, maker.world.today) for n in (1, 2, 3, 4, 6)][1:], 4):
        first, end = period.window.first, period.window.end
        busiest = max(given_cases(maker.world, first, end).values(), default=0)
        one = Asked(period, busiest + 2 + draw.whole(0, 4), "min" if task == "handle_time" else "max")
        if always_empty(counter(maker.world, one.more_than), period) and maker.by_rule(task, one.params) == [None]:
            yield period.words, (one, [None])
