"""Cluster bootstrap of the mean over objects in many studies at once: raters are drawn with replacement.

The same draws serve all studies of a batch, and every batch has new ones; so one matrix product resamples them all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.many_studies import Limits

Floats = NDArray[np.float64]


def resampling_counts(raters: int, replicates: int, stream: np.random.Generator) -> Floats:
    """How often each rater is drawn, shape (replicates, raters); every row sums to the number of raters."""
    drawn = stream.integers(raters, size=(replicates, raters)) + raters * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=replicates * raters).reshape(replicates, raters).astype(float)


def resampled_means(approved: Floats, rated: Floats, counts: Floats) -> Floats:
    """Mean over objects of every resample, shape (replicates, studies).

    approved, rated: (studies, raters, objects). An object nobody of a resample rated leaves that resample's mean.
    """
    studies, raters, objects = approved.shape
    shape = (len(counts), studies, objects)
    k = (counts @ approved.transpose(1, 0, 2).reshape(raters, -1)).reshape(shape)
    n = (counts @ rated.transpose(1, 0, 2).reshape(raters, -1)).reshape(shape)
    shares = np.divide(k, n, out=np.zeros(shape), where=n > 0)
    means: Floats = shares.sum(axis=2) / np.maximum((n > 0).sum(axis=2), 1)
    return means


def percentile_limits(means: Floats, tail: float) -> Limits:
    """Quantiles of the resamples at `tail` and 1 − tail; none where all resamples are equal."""
    low, high = np.quantile(means, (tail, 1 - tail), axis=0)
    return Limits(low, high, high > low)


def expanded_tail(raters: int, level: float = 0.95) -> float:
    """The tail of a t-expanded percentile interval: Φ(−√(R/(R−1))·t_{R−1}) (Hesterberg 2015)."""
    wide = math.sqrt(raters / (raters - 1)) * float(special.stdtrit(raters - 1, 0.5 + level / 2))
    return float(special.ndtr(-wide))
