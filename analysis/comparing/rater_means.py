"""One number per rater whose mean is the mean over objects: what tests and intervals of a difference rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RaterMeans:
    """estimate: mean over the rated objects of each object's mean. values: shape (raters,), with that mean.

    ratings: valid ones; objects: rated ones.
    """

    estimate: float | None
    values: Floats
    ratings: int
    objects: int


def rater_means(scores: Floats) -> RaterMeans:
    """Object-adjusted means of raters. scores: shape (raters, objects), NaN where there is none.

    r_i = θ + (R − 1)·Σ_o (y_io − ȳ_o)/(O·(n_o − 1)) over the objects rater i rated: Tukey's (1958) pseudo-values
    R·θ − (R − 1)·θ without rater i. It is the plain mean when nobody left one out, and otherwise free of which objects
    a rater could judge. mean(r) = θ, and s²(r)/R is the jackknife variance of θ: the linearised one, with n_o for
    n_o − 1, is too small where few raters judged an object. An object that one rater judged moves no r_i. Raters
    without a rating must be left out before.
    """
    y = np.asarray(scores, dtype=float)
    valid = np.isfinite(y)
    if y.ndim != 2 or not valid.any(axis=1).all():
        raise ValueError(f"scores {y.shape} must be raters by objects, each rater with at least one rating")
    n_object = valid.sum(axis=0)
    rated = n_object > 0
    if not rated.any():
        return RaterMeans(None, np.zeros(0), 0, 0)
    y, valid, n_object = y[:, rated], valid[:, rated], n_object[rated]
    filled = np.where(valid, y, 0.0)
    means = filled.sum(axis=0) / n_object
    theta = float(means.mean())
    others = np.maximum(n_object - 1, 1)
    influence = (np.where(valid, y - means, 0.0) / (len(n_object) * others)).sum(axis=1)
    return RaterMeans(theta, theta + (len(y) - 1) * influence, int(valid.sum()), len(n_object))


def by_cluster(values: Floats, clusters: Sequence[str]) -> Floats:
    """Values of clusters of raters with the same overall mean: θ + (C/R)·Σ (r_i − θ) within each cluster."""
    names = list(dict.fromkeys(clusters))
    if len(names) == len(values):
        return values
    theta = float(values.mean())
    sums = np.zeros(len(names))
    np.add.at(sums, [names.index(name) for name in clusters], values - theta)
    found: Floats = theta + len(names) / len(values) * sums
    return found
