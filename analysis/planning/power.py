"""Power to see a difference between two Orgs, by simulation, and the smallest difference that n raters see.

The test is the analysis's own: a t test on the raters' differences when the same people see both (paired), Welch's on
the raters' means when they are other people (unpaired). The shares are p ± d/2 around the assumed one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.planning.assumptions import (
    Assumptions,
    centre,
    draw,
    object_effects,
    rater_means,
    severities,
    severity_nodes,
)

Floats = NDArray[np.float64]
WANTED = 0.80


@dataclass(frozen=True)
class Differences:
    """Estimated differences with standard error and degrees of freedom, (replicates,) each."""

    estimate: Floats
    se: Floats
    df: Floats


def paired_differences(first: Floats, second: Floats, used: NDArray[np.bool_]) -> Differences:
    """Mean of the raters' differences. All (replicates, raters); used: who has a mean on both sides."""
    n = used.sum(axis=1)
    gap = np.where(used, first - second, 0.0)
    mean = gap.sum(axis=1) / np.maximum(n, 1)
    squares = np.where(used, (gap - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return Differences(mean, np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1)), np.maximum(n - 1.0, 1.0))


def welch_differences(
    first: Floats, second: Floats, used_first: NDArray[np.bool_], used_second: NDArray[np.bool_]
) -> Differences:
    """Difference of the means of two groups of raters with Welch's standard error and df."""
    sides = []
    for values, used in ((first, used_first), (second, used_second)):
        n = np.maximum(used.sum(axis=1), 2)
        mean = np.where(used, values, 0.0).sum(axis=1) / n
        squares = np.where(used, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
        sides.append((mean, squares / (n - 1) / n, n))
    (mean_a, var_a, n_a), (mean_b, var_b, n_b) = sides
    total = var_a + var_b
    below = var_a**2 / (n_a - 1) + var_b**2 / (n_b - 1)
    df = np.where(total > 0, total**2 / np.where(below > 0, below, 1), n_a + n_b - 2.0)
    return Differences(mean_a - mean_b, np.sqrt(total), df)


def differences(
    assumed: Assumptions, n: int, difference: float, rng: np.random.Generator, replicates: int, *, paired: bool
) -> Differences:
    """Studies of n raters (n in each group when unpaired) whose two Orgs truly differ by `difference`."""
    if n < 2:
        raise ValueError(f"n is {n}; give at least two raters")
    above, below = assumed.share + difference / 2, assumed.share - difference / 2
    if below <= 0 or above >= 1:
        raise ValueError(
            f"a difference of {difference} around a share of {assumed.share} leaves 0 to 1; give a smaller one"
        )
    severity = severities(rng, replicates, n, assumed.within_rater_correlation if paired else None)
    first, has_first = rater_means(*draw(rng, assumed, severity[0], above))
    second, has_second = rater_means(*draw(rng, assumed, severity[1], below))
    if paired:
        return paired_differences(first, second, has_first & has_second)
    return welch_differences(first, second, has_first, has_second)


def rejected(found: Differences, alpha: float = 0.05) -> NDArray[np.bool_]:
    """Which studies find a difference at two-sided `alpha`. No spread and no difference rejects nothing."""
    return np.asarray(np.abs(found.estimate) > special.stdtrit(found.df, 1 - alpha / 2) * found.se + 1e-12)


def power(
    assumed: Assumptions, n: int, difference: float, rng: np.random.Generator, replicates: int, *, paired: bool,
    alpha: float = 0.05,
) -> float:  # fmt: skip
    """Share of studies that find a true difference of `difference` (a share: .10 is ten points)."""
    return float(rejected(differences(assumed, n, difference, rng, replicates, paired=paired), alpha).mean())


def smallest_difference(
    assumed: Assumptions, n: int, seed: int, replicates: int, *, paired: bool, wanted: float = WANTED,
    alpha: float = 0.05,
) -> float | None:  # fmt: skip
    """The minimum detectable difference: the smallest that n raters find with power `wanted`; None if none is.

    Power is simulated, with the same random numbers, at differences around the normal approximation; between them its
    normal score is a straight line in the difference.
    """
    most = min(2 * min(assumed.share, 1 - assumed.share) - 0.02, 0.9)
    z = float(special.ndtri(1 - alpha / 2) + special.ndtri(wanted))
    guess = z * standard_error(assumed, n, paired=paired) * (1 + 1.5 / n)
    tried = np.unique(np.minimum(guess * np.array([0.85, 1.0, 1.15]), most))
    if most <= 0:
        return None
    powers = [
        power(assumed, n, float(d), np.random.default_rng(seed), replicates, paired=paired, alpha=alpha) for d in tried
    ]
    if len(tried) == 1:
        return float(tried[0]) if powers[0] >= wanted else None
    scores = special.ndtri(np.clip(powers, 0.5 / replicates, 1 - 0.5 / replicates))
    slope, start = np.polyfit(tried, scores, 1)
    found = float((special.ndtri(wanted) - start) / slope) if slope > 0 else np.inf
    return found if found <= most else None


def standard_error(assumed: Assumptions, n: int, *, paired: bool) -> float:
    """Of the difference of two Orgs' approval, from the variance of one rater's mean.

    Between raters Var(p̄_i), within E[p(1 − p)]/m with m = objects·(1 − can't judge); a pair shares ρ of the first.
    """
    between, within = rater_variances(assumed)
    shared = assumed.within_rater_correlation if paired else 0.0
    return math.sqrt(2 * (between * (1 - shared) + within) / n)


def rater_variances(assumed: Assumptions) -> tuple[float, float]:
    """Variance of the raters' mean approvals between raters, and within one, with some ratings missing."""
    nodes, weights = severity_nodes()
    logit = centre(assumed, assumed.share) + assumed.severity_sd * nodes[:, None] + object_effects(assumed)
    p = special.expit(logit)
    of_rater = p.mean(axis=1)
    between = float(weights @ (of_rater - float(weights @ of_rater)) ** 2)
    within = float(weights @ (p * (1 - p)).mean(axis=1))
    return between, within / (assumed.objects * (1 - assumed.cannot_judge))


def difference_n(assumed: Assumptions, difference: float, *, paired: bool) -> int:
    """Fewest raters (in each group when unpaired) with power .80 at .05, two-sided: ((z_{.975} + z_{.8})·se₁/d)²."""
    z = float(special.ndtri(0.975) + special.ndtri(WANTED))
    return max(2, math.ceil((z * standard_error(assumed, 1, paired=paired) / difference) ** 2))
