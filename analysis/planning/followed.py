"""Was the protocol's stopping rule followed? From the course of an arm, in a state and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from analysis.planning.course import ArmLook, Course, asked, available, looks
from analysis.planning.stopping import StoppingRule

State = Literal["followed", "went on", "ended early", "before the first look", "short of the number", "nobody"]


@dataclass(frozen=True)
class Followed:
    """analysed: whether they locked or not. stop_at: raters at which the rule says stop, None where it never does;
    finished_at: when the last of these locked. late: analysed beyond that; began_later: those who began after it.
    """

    arm: str
    analysed: int
    looks: tuple[ArmLook, ...]
    stop_at: int | None
    finished_at: pd.Timestamp | None
    late: int
    began_later: int
    state: State
    sentence: str


def followed(rule: StoppingRule, of_arm: Sequence[Course]) -> Followed:
    """The looks of one arm, found again, and what happened after the one that says enough."""
    analysed, taken = min(len(one.codes) for one in asked(of_arm)), tuple(looks(rule, of_arm))
    enough = next((one.n for one in taken if one.verdict == "enough"), None)
    limit, reached = (rule.target, analysed) if rule.kind == "fixed" else (rule.most, available(of_arm))
    stop = enough if enough is not None else (limit if reached >= limit else None)
    moment = _moment(of_arm, stop)
    late = analysed - stop if stop is not None else 0
    later = _began_after(of_arm, stop, moment)
    state = _state(rule, analysed, stop, later)
    said = _sentence(rule, state, analysed)
    if stop is not None and state != "nobody":
        why = "the rule says enough" if enough is not None else _limit_words(rule)
        said = f"At {stop} analysed raters {why}; in the end there are {analysed}. {_after(late, later)}"
    return Followed(of_arm[0].arm, analysed, taken, stop, moment, late, later, state, said)


def _moment(of_arm: Sequence[Course], stop: int | None) -> pd.Timestamp | None:
    """When the last of the first `stop` raters had locked, in every asked group."""
    if stop is None:
        return None
    times = [one.locked[stop - 1] for one in asked(of_arm)]
    known = [time for time in times if time is not None]
    return max(known) if len(known) == len(times) and known else None


def _began_after(of_arm: Sequence[Course], stop: int | None, moment: pd.Timestamp | None) -> int:
    """People beyond the stop whose own visit began after it; the same person in two groups counts once."""
    if stop is None or moment is None:
        return 0
    began: dict[str, pd.Timestamp] = {}
    for one in asked(of_arm):
        for code, time in zip(one.codes[stop:], one.begun[stop:], strict=True):
            if time is not None:
                began[code] = min(time, began.get(code, time))
    return sum(time > moment for time in began.values())


def _state(rule: StoppingRule, analysed: int, stop: int | None, later: int) -> State:
    if analysed == 0:
        return "nobody"
    if stop is not None:
        return "went on" if later else "followed"
    if rule.kind == "fixed":
        return "short of the number"
    return "before the first look" if analysed < rule.planned[0] else "ended early"


def _limit_words(rule: StoppingRule) -> str:
    return "the promised number is reached" if rule.kind == "fixed" else "the promised maximum is reached"


def _sentence(rule: StoppingRule, state: State, analysed: int) -> str:
    """Of an arm that never came to a stop."""
    raters = f"{analysed} analysed rater" + ("" if analysed == 1 else "s")
    if state == "nobody":
        return "Nobody is analysed, so there was nothing to look at."
    if state == "short of the number":
        return f"The study has {raters} of the {rule.target} that were promised."
    if state == "before the first look":
        return f"The study has {raters}; the first look was planned at {rule.planned[0]}."
    return f"At {raters} the rule had not said enough, and the maximum of {rule.most} was not reached."


def _after(late: int, later: int) -> str:
    if not late:
        return "The rule was followed."
    if not later:
        return f"The {late} beyond had begun by then and count, as promised. The rule was followed."
    begun = f"{late - later} of those beyond had begun by then and count; " if late > later else ""
    who = "1 person" if later == 1 else f"{later} people"
    return f"{begun}{who} began after that: joining was not closed when the rule said so."
