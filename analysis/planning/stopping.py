"""The stopping rule of a protocol, written out, and what a look at the data may say: enough, or not yet.

A look takes the first n raters in the order in which their ratings were locked, so that anybody who has the data later
finds the same answer. It tells no width and no estimate: at n = 20 a half-width of .168 would say that approval is 80 %
or 20 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.clusters import ClusterInterval, mean_objects_ci, pooled_share_ci
from analysis.planning.betting import betting_sequence
from analysis.planning.sequences import beta_mixture, running
from analysis.planning.spending import bounds
from analysis.proportions import wilson

Kind = Literal["fixed", "precision", "confidence_sequence", "alpha_spending"]
Estimand = Literal["mean_over_objects", "org_approval", "pooled_share"]
Verdict = Literal["enough", "not yet"]
Floats = NDArray[np.float64]

KINDS: tuple[Kind, ...] = ("fixed", "precision", "confidence_sequence", "alpha_spending")
ESTIMANDS: tuple[Estimand, ...] = ("mean_over_objects", "org_approval", "pooled_share")
NEEDS: Mapping[Kind, tuple[str, ...]] = {
    "fixed": (),
    "precision": ("first_look", "every", "half_width"),
    "confidence_sequence": ("first_look", "every", "half_width"),
    "alpha_spending": ("looks", "spending", "against"),
}


@dataclass(frozen=True)
class StoppingRule:
    """Numbers of people are analysed raters of one arm.

    fixed: `target` people and no look. precision: stop when half the width of the interval of `estimand` is at most
    `half_width`. confidence_sequence: the same of the confidence sequence. alpha_spending: `looks` looks, equally
    spaced up to `target`, each a test of `estimand` against the share `against`; stop when it crosses its bound.
    """

    kind: Kind
    target: int
    most: int
    estimand: Estimand = "mean_over_objects"
    level: float = 0.95
    first_look: int | None = None
    every: int | None = None
    half_width: float | None = None
    looks: int | None = None
    spending: str | None = None
    against: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.estimand not in ESTIMANDS:
            raise ValueError(
                f"unknown rule {self.kind!r} or estimand {self.estimand!r}; see docs/protocol.md, analysis"
            )
        if not 1 <= self.target <= self.most:
            raise ValueError(f"n_target is {self.target} and n_max {self.most}; give 1 ≤ n_target ≤ n_max")
        missing = [name for name in NEEDS[self.kind] if getattr(self, name) is None]
        if missing:
            raise ValueError(f"a rule {self.kind} needs {', '.join(missing)}; write it out in the protocol")
        if self.first_look is not None and self.every is not None and (self.first_look < 2 or self.every < 1):
            raise ValueError("first_look is at least 2 raters, and every at least 1")

    @cached_property
    def planned(self) -> tuple[int, ...]:
        """Numbers of analysed raters at which the data are looked at; none for a fixed number."""
        if self.kind == "alpha_spending" and self.looks:
            return tuple(sorted({math.ceil(self.target * look / self.looks) for look in range(1, self.looks + 1)}))
        if self.first_look is None or self.every is None:
            return ()
        return tuple(range(self.first_look, self.most + 1, self.every))

    @cached_property
    def critical(self) -> dict[int, float]:
        """Of alpha spending: the bound of |Z| at each look, two-sided at 1 − level."""
        if self.kind != "alpha_spending" or self.spending is None:
            return {}
        found = bounds([n / self.target for n in self.planned], self.spending, (1 - self.level) / 2)
        return dict(zip(self.planned, found.z, strict=True))


@dataclass(frozen=True)
class Look:
    """One look. verdict is all that is told while a study is blind; half_width and z stay with the analysis."""

    n: int
    verdict: Verdict
    half_width: float | None
    z: float | None = None
    critical: float | None = None

    @property
    def enough(self) -> bool:
        return self.verdict == "enough"


def rule_of(promised: Mapping[str, Any]) -> StoppingRule | None:
    """The rule of a protocol's block `analysis`; None where nothing was promised. Raises ValueError with a remedy."""
    stopping = promised.get("stopping")
    if not isinstance(stopping, Mapping) or "n_target" not in promised:
        return None
    known = ("first_look", "every", "half_width", "looks", "spending", "against")
    try:
        return StoppingRule(
            kind=stopping.get("rule", "fixed"), target=int(promised["n_target"]),
            most=int(promised.get("n_max", promised["n_target"])),
            estimand=promised.get("primary", "mean_over_objects"), level=float(promised.get("level", 0.95)),
            **{name: stopping.get(name) for name in known},
        )  # fmt: skip
    except TypeError as problem:
        raise ValueError(f"the block analysis of the protocol can't be read: {problem}") from problem


def look(rule: StoppingRule, n: int, approvals: ArrayLike, valid: ArrayLike, clusters: ArrayLike | None = None) -> Look:
    """What the rule says of the first n raters.

    approvals, valid: (raters, targets) in the order of locking, approvals among valid ratings; targets are the rated
    objects, or the Org alone when the estimand is Org approval. clusters: (raters,), whole numbers, where something
    beyond the rater is the cluster (snapshots). Raises ValueError when there are fewer than n raters.
    """
    y, m = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if y.ndim != 2 or y.shape != m.shape or len(y) < n:
        raise ValueError(f"a look at {n} raters needs as many rows of approvals and valid ratings, not {y.shape}")
    y, m = y[:n], m[:n]
    if rule.kind == "confidence_sequence":
        low, high = sequence(rule, y, m)
    else:
        y, m = summed(y, m, None if clusters is None else np.asarray(clusters)[:n])
        if rule.kind == "alpha_spending":
            return _tested(rule, n, y, m)
        low, high = interval(rule, y, m)
    half = None if low is None or high is None else (high - low) / 2
    reached = half is not None and rule.half_width is not None and half <= rule.half_width
    return Look(n, "enough" if reached else "not yet", half)


def interval(rule: StoppingRule, y: Floats, m: Floats) -> tuple[float | None, float | None]:
    """The fixed-n interval of the primary estimand, as the report gives it. y, m: (clusters, targets)."""
    if rule.estimand == "org_approval" and m.max(initial=0) <= 1:
        return wilson(float(y.sum()), float(m.sum()), rule.level)
    found = _clustered(rule, y, m)
    return found.low, found.high


def summed(y: Floats, m: Floats, clusters: NDArray[Any] | None) -> tuple[Floats, Floats]:
    """Approvals and valid ratings added up within clusters: (clusters, targets)."""
    if clusters is None:
        return y, m
    names, place = np.unique(clusters, return_inverse=True)
    sums = np.zeros((2, len(names), y.shape[1]))
    np.add.at(sums[0], place, y)
    np.add.at(sums[1], place, m)
    return sums[0], sums[1]


def sequence(rule: StoppingRule, y: Floats, m: Floats) -> tuple[float | None, float | None]:
    """The confidence sequence after the last of these raters; None for nobody. See `sequence_path`."""
    low, high = sequence_path(rule, y, m)
    return (float(low[-1]), float(high[-1])) if len(low) else (None, None)


def sequence_path(rule: StoppingRule, y: Floats, m: Floats) -> tuple[Floats, Floats]:
    """Limits after each rater with a valid rating: beta mixture of the answers for Org approval, else betting on the
    raters' mean approvals; running intersection."""
    counted = m.sum(axis=1)
    used = counted > 0
    if rule.estimand == "org_approval":
        return running(*beta_mixture(y.sum(axis=1)[used].cumsum(), counted[used].cumsum(), rule.level))
    return betting_sequence(y.sum(axis=1)[used] / counted[used], rule.level)


def _clustered(rule: StoppingRule, y: Floats, m: Floats) -> ClusterInterval:
    if rule.estimand != "mean_over_objects":
        return pooled_share_ci(y.sum(axis=1), m.sum(axis=1), rule.level)
    return mean_objects_ci(y, m, rule.level)


def _tested(rule: StoppingRule, n: int, y: Floats, m: Floats) -> Look:
    """Z of the primary estimand against the promised share, with the effective number of ratings of the interval."""
    against, critical = float(rule.against or 0.5), rule.critical.get(n, math.inf)
    if rule.estimand == "org_approval" and m.max(initial=0) <= 1:
        effective: float | None = float(m.sum())
        share: float | None = float(y.sum()) / effective if effective else None
    else:
        found = _clustered(rule, y, m)
        share, effective = found.estimate, found.n_effective
    if share is None or not effective:
        return Look(n, "not yet", None, None, critical)
    z = (share - against) / math.sqrt(against * (1 - against) / effective)
    low, high = wilson(share * effective, effective, rule.level)
    return Look(n, "enough" if abs(z) >= critical else "not yet", (high - low) / 2, z, critical)
