"""A confidence sequence for the mean of bounded numbers, by betting (Waudby-Smith and Ramdas 2024, hedged capital).

The numbers are the raters' mean approvals, one a person: ratings of one person stay together, so clustering needs no
further care. Against each candidate m somebody bets that the mean is above it and somebody that it is below; m is
refuted once half of either capital has reached 1/α.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
GRID = 1000
TRUNCATION = 0.5  # a bet risks at most half of what could be lost in one step


def betting_sequence(
    values: ArrayLike, level: float = 0.95, *, intersect: bool = True, grid: int = GRID
) -> tuple[Floats, Floats]:
    """Lower and upper limit after 1 … n values in [0, 1], shape (n,) each, to 1/`grid`.

    intersect: keep what was refuted once (the running intersection), as a sequence that is stopped on does.
    """
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not (np.isfinite(x).all() and (x >= 0).all() and (x <= 1).all()):
        raise ValueError("give one list of shares from 0 to 1, without gaps")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a number between 0 and 1, such as 0.95")
    if x.size == 0:
        return np.zeros(0), np.zeros(0)
    means = np.arange(grid + 1) / grid
    kept = hedged_log_capital(x, means, 1 - level) < math.log(1 / (1 - level))
    if intersect:
        kept = np.logical_and.accumulate(kept, axis=1)
    # The limits lie between grid points; taking the refuted neighbour keeps what the level promises.
    first, last = kept.argmax(axis=0), grid - kept[::-1].argmax(axis=0)
    none = ~kept.any(axis=0)
    low, high = np.maximum(first - 1, 0) / grid, np.minimum(last + 1, grid) / grid
    return np.where(none, np.nan_to_num(x.mean()), low), np.where(none, x.mean(), high)


def hedged_log_capital(x: Floats, means: Floats, alpha: float) -> Floats:
    """ln max(K⁺, K⁻)/2 for each candidate mean after each value: shape (means, n).

    K⁺ = Π(1 + λ_t·(x_t − m)) with λ_t at most c/m, K⁻ = Π(1 − λ_t·(x_t − m)) with λ_t at most c/(1 − m).
    """
    bets = predictable_bets(x, alpha)
    m = means[:, None]
    with np.errstate(divide="ignore"):
        up = np.minimum(bets, np.where(m > 0, TRUNCATION / np.where(m > 0, m, 1), np.inf))
        down = np.minimum(bets, np.where(m < 1, TRUNCATION / np.where(m < 1, 1 - m, 1), np.inf))
    gains = np.log1p(up * (x - m)).cumsum(axis=1)
    losses = np.log1p(-down * (x - m)).cumsum(axis=1)
    return np.asarray(np.maximum(gains, losses) - math.log(2))


def predictable_bets(x: Floats, alpha: float) -> Floats:
    """λ_t = √(2·ln(2/α)/(σ̂²_{t−1}·t·ln(1 + t))), from values before t only; mean ½ and variance ¼ to begin with."""
    t = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    return np.asarray(np.sqrt(2 * math.log(2 / alpha) / (before * t * np.log1p(t))))
