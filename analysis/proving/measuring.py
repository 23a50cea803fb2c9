"""How often each interval holds the truth, and how wide it is, over settings and numbers of raters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analysis.many_studies import Limits
from analysis.proving import methods
from analysis.proving.studies import Setting, Studies, draw_studies

RATERS = (4, 6, 8, 12, 20, 30, 60)
SETTINGS = tuple(
    Setting(severity, approval, objects)
    for objects in (8, 20)
    for severity in (0.0, 0.7, 1.2)
    for approval in (0.65, 0.9)
)
STUDIES_AT_ONCE = 1000


@dataclass(frozen=True)
class Amount:
    """How much is simulated: studies a cell, those of them that are resampled too, and resamples of each."""

    studies: int
    resampled: int
    resamples: int


FULL, QUICK = Amount(20_000, 2_000, 1_000), Amount(5_000, 400, 400)


@dataclass(frozen=True)
class Cell:
    """One interval in one setting at one number of raters.

    coverage: share of studies whose interval held the truth; one without an interval did not. half_width: mean over
    the studies with an interval; without: those that have none.
    """

    method: str
    setting: Setting
    raters: int
    studies: int
    coverage: float
    half_width: float
    without: int

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the coverage."""
        return math.sqrt(self.coverage * (1 - self.coverage) / self.studies)


@dataclass
class Tally:
    """What has been counted of one interval so far."""

    studies: int = 0
    holding: int = 0
    given: int = 0
    width: float = 0.0

    def add(self, limits: Limits, truth: float) -> None:
        holding = limits.given & (limits.low <= truth) & (truth <= limits.high)
        self.studies += len(holding)
        self.holding += int(holding.sum())
        self.given += int(limits.given.sum())
        self.width += float(((limits.high - limits.low) * limits.given).sum()) / 2

    def cell(self, method: str, setting: Setting, raters: int) -> Cell:
        width = self.width / max(self.given, 1)
        share = self.holding / self.studies
        return Cell(method, setting, raters, self.studies, share, width, self.studies - self.given)


def measure(
    amount: Amount,
    seed: int,
    settings: tuple[Setting, ...] = SETTINGS,
    raters: tuple[int, ...] = RATERS,
    level: float = 0.95,
) -> list[Cell]:
    """Every interval in every setting. Each cell has a stream of its own, so that a part gives the same numbers."""
    cells: list[Cell] = []
    for setting in settings:
        for number in raters:
            cells += measure_one(setting, number, amount, seed, level)
    return cells


def measure_one(setting: Setting, raters: int, amount: Amount, seed: int, level: float = 0.95) -> list[Cell]:
    """The intervals in one setting at one number of raters."""
    key = [round(1000 * one) for one in (setting.severity, setting.approval, setting.missing)]
    stream = np.random.default_rng([seed, *key, setting.objects, raters])
    tallies = {name: Tally() for name in (*methods.METHODS, methods.PERCENTILE, methods.EXPANDED)}
    for studies, resampled in _batches(setting, raters, amount, stream):
        for name, method in methods.METHODS.items():
            tallies[name].add(method.limits(studies, level), studies.truth[method.estimand])
        if resampled:
            chosen = studies.first(resampled)
            for name, limits in methods.bootstrap_limits(chosen, amount.resamples, stream, level).items():
                tallies[name].add(limits, studies.truth["mean_over_objects"])
    return [tally.cell(name, setting, raters) for name, tally in tallies.items() if tally.studies]


def _batches(
    setting: Setting, raters: int, amount: Amount, stream: np.random.Generator
) -> Iterator[tuple[Studies, int]]:
    """All studies in batches, each with how many of them are resampled too."""
    for start in range(0, amount.studies, STUDIES_AT_ONCE):
        count = min(STUDIES_AT_ONCE, amount.studies - start)
        yield draw_studies(setting, raters, count, stream), max(0, min(count, amount.resampled - start))
