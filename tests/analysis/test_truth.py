"""Many studies of simulated experts: what is true lies inside the intervals as often as it should.

The experts are those of docs/simulation.md, the statistics the package's own functions. Each check is done a second
time with a damaged statistic, which must fail it: a check that cannot fail proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import minds
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.clusters import mean_objects_ci, pooled_share_ci
from analysis.comparing.means import paired_t
from analysis.comparing.rater_means import rater_means
from analysis.hour.gap import gap
from analysis.proportions import wilson

STUDIES, RATERS = 200, 20
Limits = tuple[float | None, float | None]
Interval = Callable[[minds.MindStudy], Limits]
COVERED, MISSING = ("fully", "software_only"), ("links_missing", "records_missing")


@cache
def studies() -> tuple[minds.MindStudy, ...]:
    return tuple(minds.mind_study(seed, RATERS) for seed in range(1, STUDIES + 1))


# --- the statistics


def approvals(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    valid = np.isfinite(scores)
    return (np.where(valid, scores, 0) >= 4).astype(float), valid.astype(float)


def mean_over_objects(study: minds.MindStudy) -> Limits:
    found = mean_objects_ci(*approvals(study.scores("org")))
    return found.low, found.high


def sensitivity(study: minds.MindStudy) -> Limits:
    found = paired_t(own_means(study, "org") - own_means(study, "control"))
    return found.low, found.high


def own_means(study: minds.MindStudy, where: str) -> np.ndarray:
    """One approval per rater whose mean is the mean over objects."""
    scores = study.scores(where)
    return rater_means(np.where(np.isfinite(scores), scores >= 4, np.nan)).values


def gap_within(study: minds.MindStudy) -> Limits:
    differences = study.own() - study.scores("org")
    rater, place = np.nonzero(np.isfinite(differences))
    names = [f"P-{one:04d}" for one in rater]
    frame = pd.DataFrame({"rater": names, "cluster": names, "difference": differences[rater, place]})
    found = gap(frame, 0.95)
    return found.low, found.high


def coverage(study: minds.MindStudy, done: tuple[str, ...] = COVERED) -> Limits:
    rows = study.episodes()
    valid = [sum(one in COVERED + MISSING for one in row) for row in rows]
    found = pooled_share_ci([sum(one in done for one in row) for row in rows], valid)
    return found.low, found.high


# --- the same, damaged


def as_if_ratings_were_independent(study: minds.MindStudy) -> Limits:
    y, m = approvals(study.scores("org"))
    return wilson(float(y.sum()), float(m.sum()))


def first_visit_minus_second(study: minds.MindStudy) -> Limits:
    """Whichever Org it was: half of the differences have the wrong sign."""
    sign = np.array([-1 if one.control_first else 1 for one in study.visited])
    found = paired_t(sign * (own_means(study, "org") - own_means(study, "control")))
    return found.low, found.high


def against_the_control(study: minds.MindStudy) -> Limits:
    """The own system held against the wrong Org."""
    found = paired_t(np.nanmean(study.own() - study.scores("control"), axis=1))
    return found.low, found.high


def without_software_only(study: minds.MindStudy) -> Limits:
    return coverage(study, ("fully",))


@cache
def inside(interval: Interval, estimand: str) -> int:
    found = [(interval(study), study.truth[estimand]) for study in studies()]
    return sum(low is not None and high is not None and low <= true <= high for (low, high), true in found)


def band(lowest: float, highest: float) -> tuple[int, int]:
    """How many of the studies an interval may cover that truly covers from lowest to highest: 1 in 1,000 outside."""
    return int(stats.binom.ppf(0.001, STUDIES, lowest)), int(stats.binom.ppf(0.999, STUDIES, highest))


# Cluster Wilson covers 93 to 97 % with 20 raters (python -m analysis coverage); t intervals of means 95 %.
CHECKS: list[tuple[str, Interval, Interval, tuple[float, float]]] = [
    ("mean_over_objects", mean_over_objects, as_if_ratings_were_independent, (0.93, 0.97)),
    ("sensitivity", sensitivity, first_visit_minus_second, (0.95, 0.95)),
    ("gap", gap_within, against_the_control, (0.95, 0.95)),
    ("coverage", coverage, without_software_only, (0.93, 0.97)),
]
NAMES = [name for name, *_ in CHECKS]


@pytest.mark.parametrize(("estimand", "interval", "damaged", "covers"), CHECKS, ids=NAMES)
def test_the_truth_lies_inside_as_often_as_it_should(
    estimand: str, interval: Interval, damaged: Interval, covers: tuple[float, float]
) -> None:
    fewest, most = band(*covers)
    assert fewest <= inside(interval, estimand) <= most


@pytest.mark.parametrize(("estimand", "interval", "damaged", "covers"), CHECKS, ids=NAMES)
def test_a_damaged_statistic_does_not_pass(
    estimand: str, interval: Interval, damaged: Interval, covers: tuple[float, float]
) -> None:
    fewest, most = band(*covers)
    assert not fewest <= inside(damaged, estimand) <= most


def test_the_estimates_are_right_on_average() -> None:
    """Bias: the mean over all studies of estimate minus truth is nought within its error."""
    for estimand, of in {
        "mean_over_objects": lambda study: own_means(study, "org").mean(),
        "sensitivity": lambda study: (own_means(study, "org") - own_means(study, "control")).mean(),
        "gap": lambda study: np.nanmean(study.own() - study.scores("org"), axis=1).mean(),
    }.items():
        errors = np.array([of(study) - study.truth[estimand] for study in studies()])
        assert abs(errors.mean()) < 3.5 * errors.std(ddof=1) / np.sqrt(STUDIES), estimand
