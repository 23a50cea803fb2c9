"""How severe each rater is: the mode of their intercept's posterior, with its standard error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.ordinal.fitting import CumulativeFit
from analysis.ordinal.likelihood import Nodes

STEPS = 50


@dataclass(frozen=True)
class Severity:
    """A rater's intercept on the log-odds scale: above 0 milder than the typical rater, below 0 more severe."""

    rater: str
    mode: float
    se: float
    n: int


def severities(fit: CumulativeFit) -> list[Severity]:
    """Posterior modes by Newton's method on the standardised intercepts, severest first; empty without a fit or spread.

    The standard error is σ/√(1 + σ²·I), I the curvature of the rater's own ratings at the mode; the parameters are
    taken as known (as R's ordinal::ranef with condVar).
    """
    model = fit.ordinal
    if model is None or fit.reason or fit.sigma == 0:
        return []
    places = np.zeros(model.raters)
    curvature = np.ones(model.raters)
    for _ in range(STEPS):
        upper, lower, _, scores = model.terms(fit.parameters, Nodes(places[:, None], np.zeros((model.raters, 1))))
        slope = fit.sigma * np.add.reduceat(scores[:, 0], model.starts) - places
        curvature = 1 + fit.sigma**2 * np.add.reduceat((upper + lower)[:, 0], model.starts)
        step = slope / curvature
        places = places + np.clip(step, -1, 1)
        if float(np.abs(step).max()) < 1e-10:
            break
    number = np.bincount(model.rater, minlength=model.raters)
    found = [
        Severity(name, float(fit.sigma * place), float(fit.sigma / np.sqrt(bend)), int(n))
        for name, place, bend, n in zip(fit.people, places, curvature, number, strict=True)
    ]
    return sorted(found, key=lambda one: (one.mode, one.rater))
