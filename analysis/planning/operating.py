"""What a stopping rule does to the interval that is reported at the end: coverage, bias, number of raters.

Stopping on width is nearly free, since the width says little about the side on which the estimate errs. Whether it
is for this rule at these assumptions is what a simulation tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.planning.assumptions import Assumptions, draw, severities
from analysis.planning.many_studies import Intervals, mean_objects_many, pooled_share_many
from analysis.planning.stopping import StoppingRule

Many = Callable[[NDArray[np.bool_], NDArray[np.bool_], float], Intervals]


@dataclass(frozen=True)
class Characteristics:
    """Over `replicates` studies that follow the rule. coverage: intervals that hold the truth; bias: mean estimate less
    the truth; reached: share that stopped because the width was reached, not the maximum; mean_n, median_n: raters.
    """

    coverage: float
    bias: float
    mean_n: float
    median_n: float
    reached: float
    replicates: int


def operating_characteristics(
    rule: StoppingRule, assumed: Assumptions, rng: np.random.Generator, replicates: int
) -> Characteristics:
    """Studies of up to `rule.most` raters, stopped by the width of the clustered interval at the planned looks.

    Raises ValueError for a rule that does not look at a width of an interval over objects.
    """
    if rule.kind != "precision" or rule.half_width is None or rule.estimand == "org_approval":
        raise ValueError("characteristics are simulated for rule precision on mean_over_objects or pooled_share")
    many: Many = mean_objects_many if rule.estimand == "mean_over_objects" else pooled_share_many
    severity, _ = severities(rng, replicates, rule.most)
    approvals, valid = draw(rng, assumed, severity, assumed.share)
    running = np.ones(replicates, dtype=bool)
    last = {name: np.zeros(replicates) for name in ("n", "estimate", "low", "high")}
    reached = np.zeros(replicates, dtype=bool)
    looks = rule.planned if rule.planned and rule.planned[-1] == rule.most else (*rule.planned, rule.most)
    for n in looks:
        found = many(approvals[running, :n], valid[running, :n], rule.level)
        values = {
            "n": np.full(found.estimate.shape, float(n)),
            "estimate": found.estimate,
            "low": found.low,
            "high": found.high,
        }
        for name, value in values.items():
            last[name][running] = value
        stops = (found.half_width <= rule.half_width) & (n in rule.planned)
        reached[np.flatnonzero(running)[stops]] = True
        running[np.flatnonzero(running)[stops]] = False
        if not running.any():
            break
    covers = (last["low"] <= assumed.share) & (assumed.share <= last["high"])
    return Characteristics(
        float(covers.mean()), float(last["estimate"].mean() - assumed.share), float(last["n"].mean()),
        float(np.median(last["n"])), float(reached.mean()), replicates,
    )  # fmt: skip
