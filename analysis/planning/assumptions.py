"""What a plan assumes of the raters, and the studies that are drawn from it.

Model: rater i approves object o with logit p_io = μ + σ·u_i + τ·v_o; u standard normal, v fixed normal scores over the
objects. μ is such that the mean over raters and objects is the assumed share, so a share always means what a study
estimates. In two Orgs the same rater has u's with correlation ρ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
NODES = 41


@dataclass(frozen=True)
class Assumptions:
    """share: approval that is expected, 0 to 1. severity_sd: SD of the raters on the logit scale. objects: rated by
    each person. object_sd: SD of the objects, same scale. cannot_judge: share of ratings that fall out. lost: share
    of people who begin and are not analysed. within_rater_correlation: of one rater's severity in two Orgs.
    """

    share: float = 0.65
    severity_sd: float = 0.7
    objects: int = 8
    object_sd: float = 0.0
    cannot_judge: float = 0.10
    lost: float = 0.15
    within_rater_correlation: float = 0.8

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ValueError(f"share is {self.share}; give a number between 0 and 1, such as 0.65")
        for name in ("severity_sd", "object_sd"):
            if not 0 <= getattr(self, name) <= 10:
                raise ValueError(f"{name} is {getattr(self, name)}; give a number from 0 to 10, such as 0.7")
        if self.objects < 1:
            raise ValueError(f"objects is {self.objects}; give at least 1")
        for name in ("cannot_judge", "lost"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; give a share from 0 to under 1, such as 0.1")
        if not 0 <= self.within_rater_correlation <= 1:
            raise ValueError(f"within_rater_correlation is {self.within_rater_correlation}; give 0 to 1")


def object_effects(assumed: Assumptions) -> Floats:
    """τ·v_o, shape (objects,): normal scores of the plotting positions, scaled to SD τ."""
    if assumed.objects < 2 or assumed.object_sd == 0:
        return np.zeros(assumed.objects)
    scores = np.asarray(special.ndtri((np.arange(assumed.objects) + 0.5) / assumed.objects))
    return np.asarray(assumed.object_sd * scores / scores.std())


def severity_nodes() -> tuple[Floats, Floats]:
    """Gauss–Hermite nodes and weights of a standard normal, shape (NODES,)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()


def centre(assumed: Assumptions, share: float) -> float:
    """μ for which the mean of p over raters and objects is `share`, by bisection."""
    nodes, weights = severity_nodes()
    effects = assumed.severity_sd * nodes[:, None] + object_effects(assumed)
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        if float(weights @ special.expit(middle + effects).mean(axis=1)) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def severities(
    rng: np.random.Generator, replicates: int, raters: int, correlation: float | None = None
) -> tuple[Floats, Floats]:
    """u of the raters in two Orgs, each (replicates, raters); correlation None: other raters in the second one."""
    first = rng.standard_normal((replicates, raters))
    second = rng.standard_normal((replicates, raters))
    if correlation is not None:
        second = correlation * first + np.sqrt(1 - correlation**2) * second
    return first, second


def draw(rng: np.random.Generator, assumed: Assumptions, severity: Floats, share: float) -> tuple[Booleans, Booleans]:
    """Approvals and valid ratings of many studies, each (replicates, raters, objects); approvals only where valid."""
    effects = object_effects(assumed)
    # Objects that are alike have one probability: a tenth of the work.
    effects = effects if effects.any() else effects[:1]
    p = special.expit(centre(assumed, share) + assumed.severity_sd * severity[:, :, None] + effects)
    shape = (*severity.shape, assumed.objects)
    approves = rng.random(shape, dtype=np.float32) < p
    valid = rng.random(shape, dtype=np.float32) >= np.float32(assumed.cannot_judge)
    return approves & valid, valid


def rater_means(approvals: Booleans, valid: Booleans) -> tuple[Floats, Booleans]:
    """Each rater's share of valid ratings that approve, and who has any: both (replicates, raters), 0 for nobody."""
    counted = valid.sum(axis=2)
    return approvals.sum(axis=2) / np.maximum(counted, 1), counted > 0
