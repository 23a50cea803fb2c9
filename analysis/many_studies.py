"""The intervals of `analysis.clusters` and `analysis.proportions` over many studies at once, with others beside them.

Axis 0 is the study. A test compares the cluster Wilson intervals here with `analysis.clusters`, study by study.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.proportions import normal_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """Limits of one interval in every study, shape (studies,). given: False where a method has no interval."""

    low: Floats
    high: Floats
    given: NDArray[np.bool_]


@dataclass(frozen=True)
class Linearised:
    """A share and its linearised variance in every study, shape (studies,); total: ratings, raters: those who rated."""

    share: Floats
    variance: Floats
    total: Floats
    raters: Floats

    @property
    def binomial(self) -> Floats:
        """p(1−p)/M: the variance if ratings were independent."""
        return _ratio(self.share * (1 - self.share), self.total)

    @property
    def varies(self) -> NDArray[np.bool_]:
        return (self.share > 0) & (self.share < 1) & (self.raters >= 2)


def pooled(approved: Floats, rated: Floats) -> Linearised:
    """Ratio estimator over raters: V = R/(R−1)·Σ(y_i − p·m_i)²/M². Both of shape (studies, raters, objects)."""
    y, m = approved.sum(axis=2), rated.sum(axis=2)
    total = m.sum(axis=1)
    share = _ratio(y.sum(axis=1), total)
    residuals = ((y - share[:, None] * m) ** 2).sum(axis=1)
    return _linearised(share, _ratio(residuals, total**2), m)


def over_objects(approved: Floats, rated: Floats) -> Linearised:
    """Mean of p_o over the rated objects: ψ_i = Σ_o (y_io − p_o·m_io)/(O·n_o), V = R/(R−1)·Σψ_i²."""
    per_object = rated.sum(axis=1)
    shares = _ratio(approved.sum(axis=1), per_object)
    objects = (per_object > 0).sum(axis=1)
    weight = _ratio(np.ones_like(per_object), per_object * objects[:, None])
    influence = np.einsum("sro,so->sr", approved, weight) - np.einsum("sro,so->sr", rated, weight * shares)
    return _linearised(_ratio(shares.sum(axis=1), objects), (influence**2).sum(axis=1), rated.sum(axis=2))


def cluster_wilson(found: Linearised, level: float = 0.95) -> Limits:
    """Wilson on n* = M/max(deff, 1)·(t_{M−1}/t_{R−1})²; where all ratings are alike, the raters are the n."""
    n = np.where(found.varies, effective(found, level), found.raters)
    return wilson_each(found.share, n, level, found.raters >= 2)


def cluster_clopper_pearson(found: Linearised, level: float = 0.95) -> Limits:
    """Clopper–Pearson on the same n* (Korn and Graubard 1998)."""
    n = np.where(found.varies, effective(found, level), np.maximum(found.raters, 1))
    k, tail = found.share * n, (1 - level) / 2
    low = np.where(k > 0, special.betaincinv(np.where(k > 0, k, 1.0), n - k + 1, tail), 0.0)
    high = np.where(k < n, special.betaincinv(k + 1, np.where(k < n, n - k, 1.0), 1 - tail), 1.0)
    return Limits(low, high, found.raters >= 2)


def logit_t(found: Linearised, level: float = 0.95) -> Limits:
    """logit(p) ± t_{R−1}·√V/(p(1−p)); none where all ratings are alike."""
    given = found.varies
    share = np.where(given, found.share, 0.5)
    half = t_quantile(found.raters - 1, level) * np.sqrt(found.variance) / (share * (1 - share))
    centre = special.logit(share)
    return Limits(special.expit(centre - half), special.expit(centre + half), given)


def t_of_rater_means(approved: Floats, rated: Floats, level: float = 0.95) -> Limits:
    """Mean of the raters' own shares ± t_{R−1}·s/√R; none where all of them are equal."""
    m = rated.sum(axis=2)
    own, used = _ratio(approved.sum(axis=2), m), m > 0
    raters = used.sum(axis=1).astype(float)
    mean = _ratio(own.sum(axis=1), raters)
    spread = (np.where(used, own - mean[:, None], 0.0) ** 2).sum(axis=1)
    half = t_quantile(raters - 1, level) * np.sqrt(_ratio(spread, (raters - 1) * raters))
    return Limits(mean - half, mean + half, (raters >= 2) & (spread > 0))


def naive_wilson(approved: Floats, rated: Floats, level: float = 0.95) -> Limits:
    """Wilson with n = ratings, as if one person's ratings were independent. Wrong on purpose."""
    total = rated.sum(axis=(1, 2))
    return wilson_each(_ratio(approved.sum(axis=(1, 2)), total), total, level, total > 0)


def wilson_each(share: Floats, n: Floats, level: float, given: NDArray[np.bool_]) -> Limits:
    """`analysis.proportions.wilson` of k = share·n, study by study."""
    z = normal_quantile(level)
    n = np.where(given, n, 1.0)
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low: Floats = np.where(share == 0, 0.0, np.maximum(centre - half, 0.0))
    high: Floats = np.where(share == 1, 1.0, np.minimum(centre + half, 1.0))
    return Limits(low, high, given)


def effective(found: Linearised, level: float = 0.95) -> Floats:
    """n* of each study, meaningful where `varies`."""
    deff = np.maximum(_ratio(found.variance, found.binomial), 1.0)
    ratio = t_quantile(found.total - 1, level) / t_quantile(found.raters - 1, level)
    n: Floats = found.total / deff * ratio**2
    return n


def t_quantile(df: Floats, level: float) -> Floats:
    """t of a two-sided interval; few different degrees of freedom occur, so each is looked up once."""
    different, place = np.unique(np.maximum(df, 1.0), return_inverse=True)
    quantiles = np.asarray(special.stdtrit(different, 0.5 + level / 2), dtype=np.float64)
    return quantiles[place]


def _linearised(share: Floats, spread: Floats, m: Floats) -> Linearised:
    raters = (m > 0).sum(axis=1).astype(float)
    return Linearised(share, _ratio(raters, raters - 1) * spread, m.sum(axis=1), raters)


def _ratio(above: Floats, below: Floats) -> Floats:
    """above/below, and 0 where there is nothing below."""
    quotient: Floats = np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below > 0)
    return quotient
