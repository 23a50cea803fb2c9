"""Simulated studies whose true shares are known: severe and mild raters, objects that differ, ratings missing.

Rater i approves of object o with probability expit(c + e_o + s_i), severity s_i ~ N(0, σ²). Objects are fixed: their
effects e_o stand at evenly spaced normal quantiles, and c is chosen so that the mean over objects is the stated
approval. Raters are random. Objects that look odd are passed over more often, so shares of missing ratings run evenly
from 1.8 times the stated share at the worst object to 0.2 times at the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from analysis.many_studies import Linearised, over_objects, pooled

Floats = NDArray[np.float64]
OBJECT_SD = 0.5
"""Spread of objects on the logit scale."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True)
class Setting:
    """What is true in a family of studies. severity: σ on the logit scale; approval and missing: shares."""

    severity: float
    approval: float
    objects: int
    missing: float = 0.15

    def __post_init__(self) -> None:
        if self.severity < 0 or not 0 < self.approval < 1 or self.objects < 1 or not 0 <= self.missing <= 0.5:
            raise ValueError(f"{self} can't be simulated; give σ ≥ 0, 0 < approval < 1, missing up to one half")


@dataclass(frozen=True)
class Studies:
    """Many studies of one setting.

    approved: approvals, rated: valid ratings, both 0 or 1 of shape (studies, raters, objects); org_approved and
    org_rated: the card of the Org as a whole, shape (studies, raters). truth: share by estimand.
    """

    approved: Floats
    rated: Floats
    org_approved: Floats
    org_rated: Floats
    truth: dict[str, float]

    @property
    def count(self) -> int:
        return len(self.approved)

    @cached_property
    def pooled(self) -> Linearised:
        return pooled(self.approved, self.rated)

    @cached_property
    def over_objects(self) -> Linearised:
        return over_objects(self.approved, self.rated)

    def first(self, count: int) -> Studies:
        """The first `count` of them, for methods that take long."""
        whole = (self.org_approved[:count], self.org_rated[:count])
        return Studies(self.approved[:count], self.rated[:count], *whole, self.truth)


def draw_studies(setting: Setting, raters: int, count: int, stream: np.random.Generator) -> Studies:
    """`count` studies of `raters` raters each."""
    logits, missing = object_logits(setting), missing_shares(setting)
    severity = setting.severity * stream.standard_normal((count, raters))
    shape = (count, raters, setting.objects)
    chance = special.expit((logits + severity[:, :, None]).astype(np.float32))
    # Single precision is enough for what is only compared with a chance, and takes half the time.
    rated = (stream.random(shape, dtype=np.float32) >= missing.astype(np.float32)).astype(float)
    approved = (stream.random(shape, dtype=np.float32) < chance) * rated
    whole = special.expit(logits.mean() + severity)
    org_rated = (stream.random((count, raters)) >= setting.missing).astype(float)
    org_approved = (stream.random((count, raters)) < whole) * org_rated
    return Studies(approved, rated, org_approved, org_rated, true_shares(setting))


def true_shares(setting: Setting) -> dict[str, float]:
    """The shares that studies of this setting estimate, over the population of raters.

    The pooled share weighs each object by how often it is rated, the mean over objects weighs all alike.
    """
    logits, given = object_logits(setting), 1 - missing_shares(setting)
    shares = population_shares(logits, setting.severity)
    whole = population_shares(logits.mean(keepdims=True), setting.severity)[0]
    return {
        "mean_over_objects": float(shares.mean()),
        "pooled_share": float((shares * given).sum() / given.sum()),
        "org_approval": float(whole),
    }


def population_shares(logits: Floats, severity: float) -> Floats:
    """Share of all raters who would approve: E expit(logit + s) by Gauss–Hermite quadrature, shape of logits."""
    shares: Floats = special.expit(logits[:, None] + severity * NODES[None, :]) @ WEIGHTS
    return shares


def object_logits(setting: Setting) -> Floats:
    """c + e_o of each object, the oddest first, so that the mean over objects is the setting's approval."""
    effects = OBJECT_SD * special.ndtri((np.arange(setting.objects) + 0.5) / setting.objects)

    def too_much(centre: float) -> float:
        return float(population_shares(centre + effects, setting.severity).mean()) - setting.approval

    logits: Floats = optimize.brentq(too_much, -20, 20) + effects
    return logits


def missing_shares(setting: Setting) -> Floats:
    """Share of raters without a valid rating, by object, the oddest first."""
    shares: Floats = setting.missing * np.linspace(1.8, 0.2, setting.objects)
    return shares
