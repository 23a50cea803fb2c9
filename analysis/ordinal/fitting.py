"""Fitting a cumulative logit model by maximum likelihood: BFGS, then standard errors from the observed information."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from analysis.ordinal.likelihood import Floats, Nodes, Ordinal, hermite_nodes, one_node

NODES = 21
ROUNDS = 6  # of moving the nodes and fitting again; two or three are enough
LARGEST_EFFECT, LARGEST_SE = 10.0, 5.0
NOT_CONVERGED = "not estimable – the fit did not converge"
ONE_CATEGORY = "not defined – ratings do not vary"
SEPARATED = "not estimable – the data put no bound on it"


@dataclass(frozen=True)
class CumulativeFit:
    """A fitted model, or none with the reason.

    values: the categories that occur; those nobody chose are left out before fitting. parameters: thresholds,
    effects, and σ if mixed, with their covariance, shape (p, p). robust: the covariance that takes raters as clusters
    (sandwich, CR1), for effects to which raters may react differently; empty without raters. sigma: standard
    deviation of raters on the log-odds scale; sigma_se is None where it is at its bound of 0. n: ratings; people:
    raters, in the order of the model.
    """

    names: tuple[str, ...]
    values: tuple[int, ...]
    mixed: bool
    n: int
    people: tuple[str, ...]
    reason: str = ""
    parameters: Floats = field(default_factory=lambda: np.zeros(0))
    covariance: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    robust: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    log_likelihood: float | None = None
    estimator: str = "cumulative logit, maximum likelihood"
    note: str = ""
    ordinal: Ordinal | None = None

    @property
    def raters(self) -> int:
        return len(self.people)

    @property
    def cuts(self) -> int:
        return max(len(self.values) - 1, 0)

    @property
    def thresholds(self) -> Floats:
        return self.parameters[: self.cuts]

    @property
    def beta(self) -> Floats:
        return self.parameters[self.cuts : self.cuts + len(self.names)]

    @property
    def errors(self) -> Floats:
        """Standard errors of all parameters, in their order."""
        places = np.arange(len(self.covariance))
        return np.sqrt(np.maximum(self.covariance[places, places], 0.0))

    @property
    def sigma(self) -> float:
        return float(self.parameters[-1]) if self.mixed and len(self.parameters) else 0.0

    @property
    def sigma_se(self) -> float | None:
        return float(self.errors[-1]) if self.mixed and self.sigma > 0 else None

    def combined(self, weights: ArrayLike, robust: bool = False) -> tuple[float | None, float | None]:
        """A combination w'β of effects and its standard error.

        None for both where the data put no bound on it: beyond 10 in size, or a standard error beyond 5 (separation).
        """
        full = np.zeros(len(self.parameters))
        full[self.cuts : self.cuts + len(self.names)] = np.asarray(weights, dtype=float)
        value = float(full @ self.parameters)
        se = math.sqrt(max(float(full @ self.covariance @ full), 0.0))
        if abs(value) > LARGEST_EFFECT or se > LARGEST_SE:
            return None, None
        return value, math.sqrt(max(float(full @ self.robust @ full), 0.0)) if robust else se

    def reach(self, level: float, robust: bool = False) -> float:
        """Standard errors to each side: z, or t with one less than the raters for the robust ones."""
        upper = 0.5 + level / 2
        return float(special.stdtrit(self.raters - 1, upper) if robust else special.ndtri(upper))


def fit_cumulative(
    scores: ArrayLike, design: ArrayLike, names: Sequence[str], raters: Sequence[object] | None = None
) -> CumulativeFit:
    """Cumulative logit model; with `raters`, one random intercept each (adaptive Gauss–Hermite, 21 nodes).

    scores: shape (ratings,), whole numbers; design: (ratings, effects) without an intercept; names: of the effects;
    raters: who gave each rating. Raises ValueError for shapes that don't fit or missing values.
    """
    points, columns = np.asarray(scores, dtype=float), np.asarray(design, dtype=float)
    if columns.shape != (len(points), len(names)) or (raters is not None and len(raters) != len(points)):
        raise ValueError("scores, design and raters need one row per rating, and design one column per name")
    if not (np.isfinite(points).all() and np.isfinite(columns).all()):
        raise ValueError("the model takes no missing values; leave out ratings without a score")
    ordinal, values, people = _sorted(points, columns, raters)
    empty = CumulativeFit(tuple(names), values, raters is not None, len(points), people)
    if len(values) < 2:
        return _without(empty, ONE_CATEGORY)
    start = _start(ordinal)
    found = _fit_mixed(ordinal, start) if ordinal.mixed else _fit(ordinal, one_node(ordinal.raters), start)
    return _described(empty, ordinal, *found)


def _without(empty: CumulativeFit, reason: str) -> CumulativeFit:
    return CumulativeFit(empty.names, empty.values, empty.mixed, empty.n, empty.people, reason)


def _sorted(
    points: Floats, columns: Floats, raters: Sequence[object] | None
) -> tuple[Ordinal, tuple[int, ...], tuple[str, ...]]:
    """Ratings sorted by rater; categories nobody chose are left out (an empty one sends its threshold to infinity)."""
    values, category = np.unique(points, return_inverse=True)
    labels = [str(name) for name in raters] if raters is not None else ["" for _ in points]
    people, rater = np.unique(np.array(labels, dtype=str), return_inverse=True)
    order = np.argsort(rater, kind="stable")
    rater = rater[order]
    starts = np.flatnonzero(np.concatenate([[True], rater[1:] != rater[:-1]])) if len(rater) else np.zeros(0, int)
    ordinal = Ordinal(category[order], columns[order], rater, starts, len(values), raters is not None)
    return (
        ordinal,
        tuple(int(value) for value in values),
        tuple(str(name) for name in people) if raters is not None else (),
    )


def _start(ordinal: Ordinal) -> Floats:
    """Thresholds of the counts, no effects, σ = 1."""
    below = np.cumsum(np.bincount(ordinal.category, minlength=ordinal.categories))[:-1] / len(ordinal.category)
    rest = [0.0] * ordinal.design.shape[1] + ([1.0] if ordinal.mixed else [])
    return np.concatenate([np.log(below / (1 - below)), rest])


Fitted = tuple[Floats, Nodes, float, Floats | None]


def _fit_mixed(ordinal: Ordinal, parameters: Floats) -> Fitted:
    """The plain rule first, then nodes moved to each rater's posterior until the likelihood stays."""
    nodes = hermite_nodes(NODES, np.zeros(ordinal.raters), np.ones(ordinal.raters))
    before, value = -np.inf, 0.0
    inverse: Floats | None = None
    for _ in range(ROUNDS):
        parameters, _, value, inverse = _fit(ordinal, nodes, parameters, inverse)
        if abs(value - before) < 1e-6:
            break
        before = value
        if abs(parameters[-1]) < 1e-3 and _rises(ordinal, nodes, parameters):
            parameters = np.concatenate([parameters[:-1], [0.5]])
        nodes = hermite_nodes(NODES, *ordinal.posterior_places(parameters, nodes))
    return parameters, nodes, value, inverse


def _rises(ordinal: Ordinal, nodes: Nodes, parameters: Floats) -> bool:
    """Whether more spread fits better: at σ = 0 the slope is always 0, at a minimum as well."""
    nearby = np.concatenate([parameters[:-1], [0.05]])
    return bool(ordinal.log_likelihood(nearby, nodes)[1][-1] > 0)


def _fit(ordinal: Ordinal, nodes: Nodes, parameters: Floats, inverse: Floats | None = None) -> Fitted:
    """BFGS on the mean log-likelihood; gaps between thresholds enter by their logarithm, so that they stay in order."""

    def loss(free: Floats) -> tuple[float, Floats]:
        natural, gaps = _natural(free, ordinal.cuts)
        value, gradient = ordinal.log_likelihood(natural, nodes)
        return -value / len(ordinal.category), -_free_gradient(gradient, gaps, ordinal.cuts) / len(ordinal.category)

    options: Any = {"gtol": 1e-7, "maxiter": 500} | ({"hess_inv0": inverse} if _positive(inverse) else {})
    found: Any = optimize.minimize(loss, _free(parameters, ordinal.cuts), jac=True, method="BFGS", options=options)
    natural, _ = _natural(found.x, ordinal.cuts)
    spread: Floats = (found.hess_inv + found.hess_inv.T) / 2
    return natural, nodes, -float(found.fun) * len(ordinal.category), spread


def _positive(matrix: Floats | None) -> bool:
    """Whether a start for the inverse Hessian can be used; under separation it can't."""
    if matrix is None:
        return False
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


def _free(parameters: Floats, cuts: int) -> Floats:
    return np.concatenate([parameters[:1], np.log(np.diff(parameters[:cuts])), parameters[cuts:]])


def _natural(free: Floats, cuts: int) -> tuple[Floats, Floats]:
    # A line search may try a gap that no double can hold.
    gaps = np.exp(np.clip(free[1:cuts], -25, 25))
    thresholds = free[0] + np.concatenate([[0.0], np.cumsum(gaps)])
    return np.concatenate([thresholds, free[cuts:]]), gaps


def _free_gradient(gradient: Floats, gaps: Floats, cuts: int) -> Floats:
    """Chain rule: a gap moves every threshold above it."""
    onward = np.cumsum(gradient[:cuts][::-1])[::-1]
    return np.concatenate([onward[:1], onward[1:] * gaps, gradient[cuts:]])


def _described(
    empty: CumulativeFit, ordinal: Ordinal, parameters: Floats, nodes: Nodes, value: float, _: Floats | None
) -> CumulativeFit:
    note = ""
    if ordinal.mixed:
        parameters = np.concatenate([parameters[:-1], [abs(parameters[-1])]])
        if parameters[-1] < 1e-3:
            parameters[-1] = 0.0
            note = "raters differ no more than chance lets them; their spread is estimated as 0"
    covariance = _covariance(ordinal, nodes, parameters)
    gradient = ordinal.log_likelihood(parameters, nodes)[1]
    # Within a hundredth of a standard error of the maximum.
    if covariance is None or float(gradient @ covariance @ gradient) > 1e-4:
        return _without(empty, NOT_CONVERGED)
    return CumulativeFit(
        empty.names, empty.values, empty.mixed, empty.n, empty.people, "", parameters, covariance,
        _sandwich(ordinal, nodes, parameters, covariance), value,
        "cumulative logit, random intercept per rater, adaptive Gauss–Hermite" if empty.mixed else empty.estimator,
        note, ordinal,
    )  # fmt: skip


def _sandwich(ordinal: Ordinal, nodes: Nodes, parameters: Floats, covariance: Floats) -> Floats:
    """V·Σ s_i s_i'·V·R/(R − 1) with the raters' slopes s_i (Liang and Zeger 1986)."""
    if not ordinal.mixed or ordinal.raters < 2:
        return np.zeros((0, 0))
    slopes = ordinal.slopes_by_rater(parameters, nodes)
    return np.asarray(covariance @ (slopes.T @ slopes) @ covariance * ordinal.raters / (ordinal.raters - 1))


def _covariance(ordinal: Ordinal, nodes: Nodes, parameters: Floats) -> Floats | None:
    """Inverse of the observed information, from differences of the analytic gradient; None where it has none.

    A σ of 0 stands at its bound and is taken as known.
    """
    known = ordinal.mixed and parameters[-1] == 0
    moved = len(parameters) - (1 if known else 0)
    step = 1e-5
    rows = []
    for place in range(moved):
        change = np.zeros(len(parameters))
        change[place] = step
        ahead = ordinal.log_likelihood(parameters + change, nodes)[1]
        behind = ordinal.log_likelihood(parameters - change, nodes)[1]
        rows.append((ahead - behind)[:moved] / (2 * step))
    information = -(np.array(rows) + np.array(rows).T) / 2
    spread = np.zeros((len(parameters), len(parameters)))
    if not _positive(information):
        return None
    spread[:moved, :moved] = np.linalg.inv(information)
    return spread
