"""Timing fitted from an event log: weights of hours, weekdays and months, and how long things take.

Only aggregates leave the log, and none that rests on fewer than ten cases: cells with fewer are pooled. What is
counted is the beginning of a case, by the clock it was written down by; how long a case took is from its first event to
its last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import exp, log
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any

import yaml

from study.generator.event_log import Case, EventLogError, read_log
from study.generator.groundwork.plan import Plan, Timing

FEWEST = 10
USUAL_HOURS = 30.0
"""Median hours of a case where the world's issues do not say."""


class TimingError(ValueError):
    """A log that nothing can be fitted from, or a file that holds no timing; the text says what to do."""


@dataclass(frozen=True)
class Fitted:
    """Weights have mean 1. ``hours_taken`` is the median time of a case, ``sigma`` the spread of its logarithm."""

    seasons: tuple[float, ...]
    weekdays: tuple[float, ...]
    hours: tuple[float, ...]
    sigma: float
    hours_taken: float

    def as_yaml(self) -> str:
        said = {
            "seasons": list(self.seasons), "weekdays": list(self.weekdays), "hours": list(self.hours),
            "sigma": self.sigma, "hours_taken": self.hours_taken,
        }  # fmt: skip
        return "# Fitted from an event log; aggregates of ten cases or more.\n" + yaml.safe_dump(
            said, sort_keys=False, default_flow_style=None
        )


def fit(cases: Sequence[Case]) -> Fitted:
    """Timing of the cases of a log. TimingError for fewer than ten cases, or fewer than ten that took any time."""
    if len(cases) < FEWEST:
        raise TimingError(f"The log has {len(cases)} cases; timing takes {FEWEST} at least. Use a longer log.")
    taken = [case.hours for case in cases if case.hours > 0]
    if len(taken) < FEWEST:
        raise TimingError(
            f"Only {len(taken)} cases have a beginning and a later end; {FEWEST} are needed. Is the time column right?"
        )
    logs = [log(hours) for hours in taken]
    return Fitted(
        seasons=_seasons(cases),
        weekdays=_weights([case.began.weekday() for case in cases], [1.0] * 7),
        hours=_weights([case.began.hour for case in cases], [1.0] * 24),
        sigma=max(round(pstdev(logs), 3), 0.001),
        hours_taken=round(exp(fmean(logs)), 2),
    )


def _seasons(cases: Sequence[Case]) -> tuple[float, ...]:
    """By month, for each day of that month within the log: a log of a year and a half says no more of one half."""
    days = [0.0] * 12
    day, last = min(case.began for case in cases).date(), max(case.began for case in cases).date()
    while day <= last:
        days[day.month - 1] += 1
        day += timedelta(days=1)
    return _weights([case.began.month - 1 for case in cases], days)


def _weights(places: Sequence[int], exposure: Sequence[float]) -> tuple[float, ...]:
    """Counts for each unit of exposure, mean 1 over the cells that were exposed; small cells share what they have."""
    counts = [0] * len(exposure)
    for place in places:
        counts[place] += 1
    rates = [0.0] * len(exposure)
    seen = sorted((place for place in range(len(counts)) if exposure[place]), key=lambda at: (counts[at], at))
    pool: list[int] = []
    for place in seen:
        held = sum(counts[one] for one in pool)
        if counts[place] < FEWEST or (pool and held < FEWEST):
            pool.append(place)
        else:
            rates[place] = counts[place] / exposure[place]
    if pool:
        shared = sum(counts[one] for one in pool) / sum(exposure[one] for one in pool)
        for place in pool:
            rates[place] = shared
    mean = fmean(rates[place] for place in seen)
    # What the log never saw, such as months outside it, is taken to be like the rest.
    return tuple(round(rates[place] / mean, 3) if exposure[place] else 1.0 for place in range(len(rates)))


def fitted_timing(path: Path, plan: Plan) -> Timing:
    """The timing of a plan with what a log says in its place; ``path`` is the log, or a file of ``timing_fit``."""
    try:
        found = _read(path) if path.suffix in (".yaml", ".yml") else fit(read_log(path))
    except EventLogError as error:
        raise TimingError(str(error)) from None
    usual = _usual_hours(plan)
    return replace(
        plan.timing, seasons=found.seasons, weekdays=found.weekdays, hours=found.hours, sigma=found.sigma,
        pace=round(found.hours_taken / usual, 3) or 0.001,
    )  # fmt: skip


def _usual_hours(plan: Plan) -> float:
    issues = plan.material.yaml("issues.yaml")
    rows = issues.values() if isinstance(issues, dict) else issues
    hours = [float(row["hours"]) for row in rows if "hours" in row]
    return median(hours) if hours else USUAL_HOURS


def _read(path: Path) -> Fitted:
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Fitted(
            _numbers(raw, "seasons", 12), _numbers(raw, "weekdays", 7), _numbers(raw, "hours", 24),
            float(raw["sigma"]), float(raw["hours_taken"]),
        )  # fmt: skip
    except OSError as error:
        raise TimingError(f"{path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise TimingError(f"{path.name} is no file of timing_fit: {' '.join(str(error).split())}.") from None


def _numbers(raw: Any, name: str, n: int) -> tuple[float, ...]:
    found = tuple(float(value) for value in raw[name])
    if len(found) != n or min(found) < 0 or not sum(found):
        raise ValueError(f"{name} must be {n} weights")
    return found
