"""How well people know whether they are right: confidence against success (Murphy 1973; Lichtenstein et al. 1982)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.clusters import pooled_share_ci
from analysis.estimates import FEWEST
from analysis.hour.means import Floats, Interval, cluster_mean

EDGES = (0.0, 0.25, 0.45, 0.65, 0.85, 1.0)
"""Ends of the bins of the table: confidence 0 to 20, 30 to 40, 50 to 60, 70 to 80, 90 to 100 in steps of ten."""


@dataclass(frozen=True)
class Bin:
    """Answers whose confidence lies from low to high: their mean confidence, and the share that was right.

    share is None under five raters; then only right of n is told.
    """

    low: float
    high: float
    n: int
    raters: int
    right: int
    confidence: float | None
    share: float | None
    share_low: float | None
    share_high: float | None


@dataclass(frozen=True)
class Brier:
    """Mean squared distance of confidence from the outcome: reliability − resolution + uncertainty, exactly.

    reliability: distance of the confidence from the share right at that confidence, 0 is best. resolution: how far
    these shares spread, more is better. uncertainty: of the outcome alone, share·(1 − share).
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    levels: int


@dataclass(frozen=True)
class Calibration:
    """Of n answers with confidence and grade. overconfidence: mean confidence − share right (in the large)."""

    n: int
    raters: int
    confidence: Interval
    overconfidence: Interval
    brier: Brier | None
    brier_interval: Interval
    bins: Sequence[Bin]
    note: str = ""


def brier(confidence: ArrayLike, right: ArrayLike) -> Brier:
    """Murphy's decomposition over the different confidences given. confidence: 0 to 1, right: 0 or 1; shape (n,).

    With K levels f_k, n_k answers and the share o_k right: Σn_k(f_k − o_k)²/n − Σn_k(o_k − o)²/n + o(1 − o).
    """
    f, o = _checked(confidence, right)
    levels, place = np.unique(f, return_inverse=True)
    n_k = np.bincount(place)
    o_k = np.bincount(place, weights=o) / n_k
    share = float(o.mean())
    reliability = float((n_k * (levels - o_k) ** 2).sum() / len(f))
    resolution = float((n_k * (o_k - share) ** 2).sum() / len(f))
    return Brier(float(((f - o) ** 2).mean()), reliability, resolution, share * (1 - share), len(levels))


def calibration(
    confidence: ArrayLike, right: ArrayLike, raters: ArrayLike, clusters: ArrayLike, level: float = 0.95
) -> Calibration:
    """Everything above with raters (or what they are nested in) as clusters; all arguments have the shape (n,)."""
    f, o = _checked(confidence, right, empty=True)
    people, outer = np.asarray(raters), np.asarray(clusters)
    number = len(np.unique(people)) if len(f) else 0
    mean, over = cluster_mean(f, outer, level), cluster_mean(f - o, outer, level)
    score = cluster_mean((f - o) ** 2, outer, level)
    if len(f) == 0:
        return Calibration(0, 0, mean, over, None, score, (), "no answer has both a confidence and a grade")
    found = brier(f, o)
    note = "" if number >= FEWEST else f"{number} people: too few for intervals"
    if note:
        mean, over, score = (_bare(one, note) for one in (mean, over, score))
    return Calibration(len(f), number, mean, over, found, score, _bins(f, o, people, outer, level), note)


def _bins(f: Floats, o: Floats, raters: NDArray[Any], clusters: NDArray[Any], level: float) -> tuple[Bin, ...]:
    places = np.clip(np.searchsorted(EDGES, f, side="left") - 1, 0, len(EDGES) - 2)
    found = []
    for number in range(len(EDGES) - 1):
        own = places == number
        people = len(np.unique(raters[own]))
        confidence = float(f[own].mean()) if own.any() else None
        share = low = high = None
        if people >= FEWEST:
            _, place = np.unique(clusters[own], return_inverse=True)
            ci = pooled_share_ci(np.bincount(place, weights=o[own]), np.bincount(place), level)
            share, low, high = ci.estimate, ci.low, ci.high
        ends = (EDGES[number], EDGES[number + 1])
        found.append(Bin(*ends, int(own.sum()), people, round(float(o[own].sum())), confidence, share, low, high))
    return tuple(found)


def _bare(found: Interval, note: str) -> Interval:
    return Interval(found.estimate, None, None, found.n, found.clusters, note)


def _checked(confidence: ArrayLike, right: ArrayLike, *, empty: bool = False) -> tuple[Floats, Floats]:
    f, o = np.asarray(confidence, dtype=float), np.asarray(right, dtype=float)
    if f.shape != o.shape or f.ndim != 1:
        raise ValueError(f"confidence {f.shape} and right {o.shape} must be one row each, of one length")
    if len(f) == 0 and not empty:
        raise ValueError("no answers: leave the score out")
    if len(f) and (f.min() < 0 or f.max() > 1 or not np.isin(o, (0, 1)).all()):
        raise ValueError("confidence must lie between 0 and 1 (divide by 100), and right be 0 or 1")
    return f, o
