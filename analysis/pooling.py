"""Partial pooling of the objects' approvals: each is drawn towards the mean of all, the more the fewer its ratings.

k_o ~ Binomial(n_o, p_o), p_o ~ Beta(a, b), a and b by maximum likelihood (empirical Bayes; Gelman et al. 2013, chapter
5). For display and for ranking only: the raw Wilson interval of an object stays its result. The intervals take a
and b as known and raters as independent, so they are a little short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

Floats = NDArray[np.float64]
FEWEST_OBJECTS = 5
MOST = 1e4
"""Cap of a + b: objects that differ no more than chance send it to infinity."""
LEAST = 1e-2
HOMOGENEOUS = "no detectable between-object heterogeneity"


@dataclass(frozen=True)
class Prior:
    """The distribution of approval over objects, Beta(a, b); None where it can't be fitted, and `note` says why.

    objects: with ratings; ratings: over all of them; estimator: how a and b were found.
    """

    a: float | None
    b: float | None
    objects: int
    ratings: int
    estimator: str
    note: str = ""

    @property
    def mean(self) -> float | None:
        return None if self.a is None or self.b is None else self.a / (self.a + self.b)

    @property
    def concentration(self) -> float | None:
        """a + b: the pooled estimate of an object with n ratings gives its own share the weight n/(n + a + b)."""
        return None if self.a is None or self.b is None else self.a + self.b


@dataclass(frozen=True)
class Pooled:
    """One object's partially pooled approval: mean and quantiles of Beta(a + k, b + n − k)."""

    estimate: float
    low: float
    high: float


def fit(approvals: ArrayLike, valid: ArrayLike) -> Prior:
    """a and b by maximum likelihood of the beta-binomial. approvals, valid: shape (objects,)."""
    k, n = _counts(approvals, valid)
    named = "beta-binomial, maximum likelihood"
    refused = _refused(k, n, named)
    if refused is not None:
        return refused
    bounds = [(-12.0, 12.0), (math.log(LEAST), math.log(MOST))]
    centre = float(special.logit(k.sum() / n.sum()))
    # The likelihood can be flat far out, so the search starts from heterogeneous and from homogeneous objects.
    searches = [
        optimize.minimize(_loss, np.array([centre, math.log(size)]), (k, n), method="L-BFGS-B", jac=True, bounds=bounds,
                          options={"ftol": 1e-14, "gtol": 1e-8})
        for size in (2.0, 30.0, MOST / 2)
    ]  # fmt: skip
    best = min(searches, key=lambda search: float(search.fun))
    mean, size = float(special.expit(best.x[0])), math.exp(float(best.x[1]))
    return _prior(mean, size, k, n, named)


def fit_by_moments(approvals: ArrayLike, valid: ArrayLike) -> Prior:
    """a and b from mean m and variance v of the objects' raw shares: a + b = m(1 − m)/v − 1.

    Rough: v holds the chance of few ratings too, so objects seem to differ more than they do.
    """
    k, n = _counts(approvals, valid)
    named = "beta, moments of the raw shares"
    refused = _refused(k, n, named)
    if refused is not None:
        return refused
    shares = k / n
    mean, variance = float(shares.mean()), float(shares.var(ddof=1))
    size = mean * (1 - mean) / variance - 1 if variance > 0 else math.inf
    return _prior(mean, max(size, LEAST), k, n, named)


def pooled(prior: Prior, approvals: ArrayLike, valid: ArrayLike, level: float = 0.95) -> list[Pooled | None]:
    """Each object's pooled approval, None for all where there is no prior. An object without ratings gets the prior."""
    k, n = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if prior.a is None or prior.b is None:
        return [None] * len(k)
    a, b, tail = prior.a + k, prior.b + n - k, (1 - level) / 2
    low, high = special.betaincinv(a, b, tail), special.betaincinv(a, b, 1 - tail)
    return [Pooled(*map(float, row)) for row in zip(a / (a + b), low, high, strict=True)]


def _counts(approvals: ArrayLike, valid: ArrayLike) -> tuple[Floats, Floats]:
    k, n = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if k.shape != n.shape or k.ndim != 1 or (k < 0).any() or (k > n).any():
        raise ValueError("give approvals and valid ratings of each object, with 0 ≤ approvals ≤ valid")
    return k[n > 0], n[n > 0]


def _refused(k: Floats, n: Floats, named: str) -> Prior | None:
    objects, ratings = len(n), int(n.sum())
    if objects < FEWEST_OBJECTS:
        short = f"{objects} object{'' if objects == 1 else 's'} with ratings: partial pooling needs {FEWEST_OBJECTS}"
        return Prior(None, None, objects, ratings, named, short)
    if k.sum() in (0.0, n.sum()):
        return Prior(None, None, objects, ratings, named, "all ratings are alike: nothing to pool")
    return None


def _prior(mean: float, size: float, k: Floats, n: Floats, named: str) -> Prior:
    note = HOMOGENEOUS if size >= 0.99 * MOST else ""
    size = MOST if note else size
    return Prior(mean * size, (1 - mean) * size, len(n), int(n.sum()), named, note)


def _loss(at: Floats, k: Floats, n: Floats) -> tuple[float, Floats]:
    """−log likelihood and its gradient at (logit of the mean, log of a + b)."""
    mean, size = float(special.expit(at[0])), math.exp(at[1])
    a, b = mean * size, (1 - mean) * size
    value = float((special.betaln(a + k, b + n - k) - special.betaln(a, b)).sum())
    whole = special.digamma(size) - special.digamma(size + n)
    by_a = float((special.digamma(a + k) - special.digamma(a) + whole).sum())
    by_b = float((special.digamma(b + n - k) - special.digamma(b) + whole).sum())
    slope = mean * (1 - mean) * size
    return -value, -np.array([slope * (by_a - by_b), a * by_a + b * by_b])
