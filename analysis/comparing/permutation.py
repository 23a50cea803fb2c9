"""Permutation of raters over two groups, with Welch's t as the statistic (Janssen 1997)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from analysis.comparing.signs import checked
from analysis.comparisons import NO_DIFFERENCES

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
EXACT_UP_TO = 20_000  # ways to divide the raters


@dataclass(frozen=True)
class Permutation:
    """p: two-sided, None where nothing is to test. splits: ways of dividing counted over, all when `exact`."""

    p: float | None
    n_a: int
    n_b: int
    exact: bool
    splits: int
    statistic: str
    note: str = ""

    @property
    def test(self) -> str:
        how = "exact" if self.exact else f"{self.splits} random divisions"
        return f"permutation of raters, {self.statistic}, {how}"


def cluster_permutation(
    a: Sequence[float] | Floats, b: Sequence[float] | Floats, rng: np.random.Generator | None = None,
    replicates: int = 9999,
) -> Permutation:  # fmt: skip
    """Welch's t of one value per rater against its values when raters are dealt anew to the two groups.

    All divisions where there are at most 20,000; otherwise random ones, and p = (b + 1)/(B + 1).
    """
    x, y = checked(a), checked(b)
    pooled = np.concatenate([x, y])
    if len(x) == 0 or len(y) == 0 or float(np.ptp(pooled)) == 0:
        return Permutation(None, len(x), len(y), True, 0, "Welch t", NO_DIFFERENCES)
    masks, exact = divisions(len(x), len(y), rng, replicates)
    observed = np.zeros((1, len(pooled)), dtype=bool)
    observed[0, : len(x)] = True
    statistics = np.abs(_welch_t(pooled, np.concatenate([observed, masks])))
    return Permutation(_share(statistics, exact), len(x), len(y), exact, len(masks), "Welch t")


def permutation_on_a(
    a: Sequence[float] | Floats, b: Sequence[float] | Floats, rng: np.random.Generator | None = None,
    replicates: int = 9999,
) -> Permutation:  # fmt: skip
    """|A − ½| against its values under all (or random) divisions; A = P(a > b) + ½P(a = b). p is 1 when all are equal.

    A follows from the rank sum of the first group, so each division costs one sum.
    """
    from scipy.stats import rankdata

    x, y = checked(a), checked(b)
    n_a, n_b = len(x), len(y)
    if n_a == 0 or n_b == 0:
        return Permutation(None, n_a, n_b, True, 0, "A", NO_DIFFERENCES)
    ranks = rankdata(np.concatenate([x, y]))
    masks, exact = divisions(n_a, n_b, rng, replicates)
    sums = np.concatenate([[ranks[:n_a].sum()], masks @ ranks])
    away = np.abs((sums - n_a * (n_a + 1) / 2) / (n_a * n_b) - 0.5)
    return Permutation(_share(away, exact), n_a, n_b, exact, len(masks), "A")


def divisions(n_a: int, n_b: int, rng: np.random.Generator | None, replicates: int) -> tuple[Mask, bool]:
    """Who is in the first group: shape (divisions, n_a + n_b); and whether these are all divisions."""
    n = n_a + n_b
    if math.comb(n, n_a) <= EXACT_UP_TO:
        flat = np.fromiter(chain.from_iterable(combinations(range(n), n_a)), dtype=int)
        places = flat.reshape(-1, n_a)
        masks = np.zeros((len(places), n), dtype=bool)
        np.put_along_axis(masks, places, True, axis=1)
        return masks, True
    if rng is None:
        raise ValueError(f"{n_a} and {n_b} raters can be divided in too many ways to go through; give rng")
    order = np.argsort(rng.random((replicates, n)), axis=1)
    return order < n_a, False


def _welch_t(pooled: Floats, masks: Mask) -> Floats:
    """Welch's t for each division; infinite where both variances are 0 and the means differ."""
    centred = pooled - pooled.mean()
    scale = float(np.abs(centred).max())
    n_a = int(masks[0].sum())
    n_b = len(pooled) - n_a
    sum_a, square_a = masks @ centred, masks @ centred**2
    sum_b, square_b = centred.sum() - sum_a, (centred**2).sum() - square_a
    variance = _variance(sum_a, square_a, n_a) / n_a + _variance(sum_b, square_b, n_b) / n_b
    difference = sum_a / n_a - sum_b / n_b
    flat = variance <= 1e-12 * scale**2
    apart = np.where(np.abs(difference) > 1e-9 * scale, np.inf, 0.0)
    t: Floats = np.where(flat, apart, difference / np.sqrt(np.where(flat, 1.0, variance)))
    return t


def _variance(sums: Floats, squares: Floats, n: int) -> Floats:
    found: Floats = np.maximum(squares - sums**2 / n, 0.0) / max(n - 1, 1)
    return found


def _share(statistics: Floats, exact: bool) -> float:
    """The share of divisions at least as extreme as the first entry, which is the observed one."""
    observed, others = statistics[0], statistics[1:]
    slack = 0.0 if math.isinf(observed) else 1e-9 * max(1.0, float(observed))
    extreme = int((others >= observed - slack).sum())
    return extreme / len(others) if exact else (extreme + 1) / (len(others) + 1)
