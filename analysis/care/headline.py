"""The three headline numbers of any choice of ratings, so that a sensitivity row counts as the headline does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.clusters import mean_objects_ci, pooled_share_ci
from analysis.estimates import FEWEST
from analysis.proportions import wilson

Floats = NDArray[np.float64]
Estimand = Literal["mean_over_objects", "org_approval", "pooled_share"]
ESTIMANDS: tuple[Estimand, ...] = ("mean_over_objects", "org_approval", "pooled_share")
LABELS: dict[str, str] = {
    "mean_over_objects": "Mean over objects", "org_approval": "Org approval", "pooled_share": "Pooled share",
}  # fmt: skip


@dataclass(frozen=True)
class Headline:
    """A share with its interval, 0 to 1. None under five raters, and `note` says why. whole: the share even then."""

    estimand: Estimand
    estimate: float | None
    low: float | None
    high: float | None
    k: int
    n: int
    raters: int
    deff: float | None
    estimator: str
    note: str = ""
    whole: float | None = None


@dataclass(frozen=True)
class Counted:
    """Approvals y and valid ratings m, shape (clusters, targets), with the names of both."""

    y: Floats
    m: Floats
    clusters: tuple[str, ...]
    targets: tuple[str, ...]


def primary_of(promised: Any) -> Estimand:
    """The estimand a protocol promised, mean over objects where it promised none."""
    named = promised.get("primary") if hasattr(promised, "get") else None
    return next((name for name in ESTIMANDS if name == named), "mean_over_objects")


def counted(ratings: pd.DataFrame, estimand: Estimand, *, least: int = 4, by: str = "cluster") -> Counted:
    """ratings: rows of `Group.ratings`, those to count. least: the lowest point that approves. by: what clusters."""
    kind = "org" if estimand == "org_approval" else "object"
    chosen = ratings[(ratings["kind"] == kind) & ratings["score"].notna()]
    clusters, targets = sorted(set(chosen[by])), sorted(set(chosen["target"]))
    rows, columns = pd.Index(clusters).get_indexer(chosen[by]), pd.Index(targets).get_indexer(chosen["target"])
    m = np.zeros((len(clusters), len(targets)))
    y = np.zeros_like(m)
    np.add.at(m, (rows, columns), 1)
    np.add.at(y, (rows, columns), (chosen["score"] >= least).to_numpy(dtype=float))
    return Counted(y, m, tuple(clusters), tuple(targets))


def headline(ratings: pd.DataFrame, estimand: Estimand, level: float = 0.95, *, least: int = 4) -> Headline:
    """One headline number: cluster Wilson; Wilson where each rater is a cluster and gives one rating."""
    table = counted(ratings, estimand, least=least)
    kind = "org" if estimand == "org_approval" else "object"
    valid = ratings[(ratings["kind"] == kind) & ratings["score"].notna()]
    raters = int(valid["rater"].nunique())
    found = _with_interval(table, estimand, raters, level)
    if found.n == 0:
        return replace(found, estimate=None, low=None, high=None, deff=None, note="no ratings", whole=None)
    if raters < FEWEST:
        said = f"{found.k} of {found.n} ratings, {raters} rater{'s' if raters != 1 else ''}: too few for a percentage"
        return replace(found, estimate=None, low=None, high=None, deff=None, note=said, whole=found.estimate)
    return replace(found, whole=found.estimate)


def _with_interval(table: Counted, estimand: Estimand, raters: int, level: float) -> Headline:
    k, n = int(table.y.sum()), int(table.m.sum())
    clusters = len(table.clusters)
    if estimand == "org_approval" and clusters == n:
        low, high = wilson(k, n, level)
        return Headline(estimand, k / n if n else None, low, high, k, n, raters, None, "Wilson")
    if estimand == "mean_over_objects":
        found = mean_objects_ci(table.y, table.m, level)
    else:
        found = pooled_share_ci(table.y.sum(axis=1), table.m.sum(axis=1), level)
    outer = "snapshots as outer clusters" if raters > clusters else "raters as clusters"
    return Headline(
        estimand, found.estimate, found.low, found.high, k, n, raters, found.deff, f"cluster Wilson, {outer}",
        found.note,
    )  # fmt: skip


def leave_one_rater_out(table: Counted, estimand: Estimand) -> list[float | None]:
    """The estimate without each rater in turn, shape (raters,); table: counted by rater. None where nothing is left."""
    y, m = table.y.sum(axis=0) - table.y, table.m.sum(axis=0) - table.m
    return _estimates(y, m, estimand)


def leave_one_object_out(table: Counted, estimand: Estimand) -> list[float | None]:
    """The estimate without each object in turn, shape (objects,)."""
    y, m = table.y.sum(axis=0), table.m.sum(axis=0)
    others = 1 - np.eye(len(y))
    return _estimates(y * others, m * others, estimand)


def _estimates(y: Floats, m: Floats, estimand: Estimand) -> list[float | None]:
    """One estimate per row of totals by object, shape (rows, objects); an object without a rating leaves the mean."""
    if estimand == "mean_over_objects":
        share = np.divide(y, m, out=np.zeros_like(y), where=m > 0)
        above, below = share.sum(axis=1), (m > 0).sum(axis=1).astype(float)
    else:
        above, below = y.sum(axis=1), m.sum(axis=1)
    found = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return [None if np.isnan(value) else float(value) for value in found]
