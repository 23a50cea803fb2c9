"""The sign-flip permutation test of within-rater differences (Fisher 1935)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.comparisons import NO_DIFFERENCES

Floats = NDArray[np.float64]
EXACT_UP_TO = 20  # differences that are not zero: 2^19 sums are a few megabytes


@dataclass(frozen=True)
class SignFlip:
    """mean: of the differences; p: two-sided; p_greater: for a mean above zero. None where nothing is to test.

    n: differences; zeros: those that are zero and can't be flipped. patterns: how many sign patterns p is counted
    over, all of them when `exact`, otherwise drawn ones.
    """

    mean: float | None
    p: float | None
    p_greater: float | None
    n: int
    zeros: int
    exact: bool
    patterns: int
    note: str = ""

    @property
    def test(self) -> str:
        how = "exact" if self.exact else f"{self.patterns} random patterns"
        return f"sign-flip permutation, {how}"


def sign_flip(
    differences: Sequence[float] | Floats, rng: np.random.Generator | None = None, replicates: int = 9999
) -> SignFlip:
    """Sum of the differences against all ways to flip their signs; above 20 differences, against random ways.

    differences: shape (raters,), finite. rng is needed above 20 only; then p = (b + 1)/(B + 1), so that it is never 0.
    Raises ValueError without finite numbers, or without rng where it is needed.
    """
    d = checked(differences)
    moving = np.abs(d[d != 0])
    zeros = len(d) - len(moving)
    if len(moving) == 0:
        mean = 0.0 if len(d) else None
        return SignFlip(mean, None, None, len(d), zeros, True, 0, NO_DIFFERENCES)
    total, slack = float(d.sum()), 1e-9 * float(moving.sum())
    exact = len(moving) <= EXACT_UP_TO
    sums = _all_sums(moving) if exact else _drawn_sums(moving, rng, replicates)
    extra = 0 if exact else 1
    two_sided = (int((np.abs(sums) >= abs(total) - slack).sum()) + extra) / (len(sums) + extra)
    greater = (int((sums >= total - slack).sum()) + extra) / (len(sums) + extra)
    return SignFlip(float(d.mean()), two_sided, greater, len(d), zeros, exact, len(sums))


def checked(differences: Sequence[float] | ArrayLike) -> Floats:
    d = np.asarray(differences, dtype=float)
    if d.ndim != 1 or not np.isfinite(d).all():
        raise ValueError("differences must be finite numbers; leave out raters with only one rating")
    # Equal means of other ratings differ in the last digit; ties and zeros must be seen as such (P-34).
    return np.round(d, 12)


def _all_sums(sizes: Floats) -> Floats:
    """Sums over all 2^m sign patterns: with each size the sums so far go up and down by it."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _drawn_sums(sizes: Floats, rng: np.random.Generator | None, replicates: int) -> Floats:
    if rng is None:
        raise ValueError(f"{len(sizes)} differences have too many sign patterns to go through; give rng")
    signs = rng.integers(0, 2, size=(replicates, len(sizes)), dtype=np.int8) * 2 - 1
    sums: Floats = signs @ sizes
    return sums
