"""The estimates of a study: one frozen row each, with estimand, estimator, scope, n, raters and interval.

The rater is the unit. Under five raters a row gives counts and no percentage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from analysis.cluster_sums import ClusterSums, cluster_sums
from analysis.clusters import (
    ClusterInterval,
    ClusterMean,
    Floats,
    mean_objects_ci,
    mean_score_over_objects,
    pooled_share_ci,
)
from analysis.comparisons import Mean, mean_score
from analysis.proportions import wilson

FEWEST = 5  # raters needed for a percentage
SNAPSHOTS_FOR_GENERATOR = 5
WILSON, CLUSTER, T = "Wilson", "cluster Wilson, raters as clusters", "t"
SNAPSHOT_CLUSTER = "cluster Wilson, snapshots as outer clusters"


@dataclass(frozen=True)
class Estimate:
    """One row of results.json. Shares are 0 to 1, mean scores 1 to 5.

    k approvals among n valid ratings by `raters` people; `cannot_judge`: ratings left out of n because the person
    could not judge. estimate, low, high are None where the data allow none, and `note` says why. deff is given for
    clustered estimators only, before the floor at 1; seed for estimators that draw.
    """

    id: str
    estimand: str
    estimator: str
    scope: str
    arm: str
    target: str
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    k: int | None
    n: int
    raters: int
    deff: float | None
    cannot_judge: int
    seed: int | None
    note: str

    def to_json(self) -> dict[str, Any]:
        """The row as results.json has it: numbers to eight decimals, None for what there is not."""
        return {key: round(value, 8) if isinstance(value, float) else value for key, value in asdict(self).items()}


@dataclass(frozen=True)
class Group:
    """The ratings of one arm (and of one visit, if people of the arm come more than once).

    ratings: columns rater, cluster, org_hash, kind, target, score (Float64, NA = none), first, cannot_judge,
    informed (boolean, NA = not known), analysed.
    """

    arm: str
    scope: str
    ratings: pd.DataFrame
    set_name: str
    level: float = 0.95


Approves = Callable[["pd.Series[Any]"], "pd.Series[Any]"]


def top_two(scores: pd.Series[Any]) -> pd.Series[Any]:
    """Approval: Realistic or Very Realistic."""
    return scores >= 4


def top_one(scores: pd.Series[Any]) -> pd.Series[Any]:
    """Stricter: Very Realistic only."""
    return scores >= 5


def scope_of(org_hashes: Sequence[str]) -> str:
    """What the claim is about, by the number of different snapshots rated (M4)."""
    different = len(set(org_hashes))
    if different <= 1:
        return "this Org"
    if different < SNAPSHOTS_FOR_GENERATOR:
        return f"these {different} Orgs, no claim beyond them"
    return f"Orgs made by this generator with these settings ({different} snapshots)"


def group_estimates(group: Group) -> list[Estimate]:
    """All rows of one arm: headline, per object, informed, can't judge, mean scores, sensitivity."""
    analysed = group.ratings[group.ratings["analysed"]]
    rows = [*_headline(group, analysed, ""), *_per_object(group, analysed, "object_approval")]
    if not group.ratings["informed"].isna().all():
        informed = analysed[analysed["informed"].fillna(False).astype(bool)]
        note = "ratings with at least one record opened"
        rows += _headline(group, informed, "informed_", note)
        rows += _per_object(group, informed, "informed_object_approval", note)
    rows += _cannot_judge(group, analysed)
    rows += _mean_scores(group, analysed)
    return rows + _sensitivity(group, analysed)


def _headline(
    group: Group, ratings: pd.DataFrame, prefix: str, note: str = "", approves: Approves = top_two
) -> list[Estimate]:
    whole = ratings[ratings["kind"] == "org"]
    parts = ratings[ratings["kind"] == "object"]
    return [
        _independent(group, whole, f"{prefix}org_approval", "Org", note, approves),
        _clustered(group, parts, f"{prefix}mean_over_objects", mean_objects_ci, note, approves),
        _clustered(group, parts, f"{prefix}pooled_share", _pooled, note, approves),
    ]


def _pooled(approvals: Floats, valid: Floats, level: float, unit: str) -> ClusterInterval:
    return pooled_share_ci(approvals.sum(axis=1), valid.sum(axis=1), level, unit)


def _per_object(group: Group, ratings: pd.DataFrame, estimand: str, note: str = "") -> list[Estimate]:
    parts = ratings[ratings["kind"] == "object"]
    return [
        _independent(group, parts[parts["target"] == target], estimand, target, note, top_two)
        for target in _objects(group)
    ]


def _objects(group: Group) -> list[str]:
    parts = group.ratings[group.ratings["kind"] == "object"]
    return sorted(set(parts["target"]))


def _independent(
    group: Group, ratings: pd.DataFrame, estimand: str, target: str, note: str, approves: Approves
) -> Estimate:
    """One target: one rating per rater, so Wilson; by snapshot when snapshots are the outer cluster."""
    valid = ratings[ratings["score"].notna()]
    k, n = int(approves(valid["score"]).sum()), len(valid)
    if n and valid["cluster"].nunique() < n:
        return _clustered(group, ratings, estimand, _pooled, note, approves, target)
    low, high = wilson(k, n, group.level)
    row = _row(group, estimand, WILSON, target, note, k, n, n, _cannot(ratings))
    return _shown(replace(row, estimate=k / n if n else None, low=low, high=high))


def _clustered(
    group: Group, ratings: pd.DataFrame, estimand: str,
    interval: Callable[[Floats, Floats, float, str], ClusterInterval],
    note: str, approves: Approves, target: str = "objects",
) -> Estimate:  # fmt: skip
    sums = cluster_sums(ratings, approves)
    found = interval(sums.values, sums.valid, group.level, sums.unit)
    said = [note, found.note if found.n else "", _without(sums, found.empty_objects)]
    estimator = SNAPSHOT_CLUSTER if sums.nested else CLUSTER
    row = _row(group, estimand, estimator, target, _join(said), found.k, found.n, sums.raters, _cannot(ratings))
    return _shown(replace(row, estimate=found.estimate, low=found.low, high=found.high, deff=found.deff))


def _without(sums: ClusterSums, empty: Sequence[int]) -> str:
    names = ", ".join(sums.targets[place] for place in empty)
    return f"without a valid rating: {names}" if names else ""


def _cannot(ratings: pd.DataFrame) -> int:
    return int(ratings["cannot_judge"].sum())


def _join(parts: Iterable[str]) -> str:
    return "; ".join(part for part in parts if part)


def _row(
    group: Group, estimand: str, estimator: str, target: str, note: str, k: int | None, n: int, raters: int,
    cannot_judge: int,
) -> Estimate:  # fmt: skip
    parts = [group.arm or "all", estimand] + ([target] if target not in ("Org", "objects") else [])
    return Estimate(
        ".".join(parts), estimand, estimator, group.scope, group.arm, target, None, None, None, group.level, k, n,
        raters, None, cannot_judge, None, note,
    )  # fmt: skip


def _shown(row: Estimate) -> Estimate:
    """A percentage only from five raters on; nothing at all from none (P-30, P-33)."""
    if row.n == 0:
        return replace(row, estimate=None, low=None, high=None, deff=None, note=_join(["no ratings", row.note]))
    if row.raters >= FEWEST:
        return row
    raters = f"{row.raters} rater" + ("s" if row.raters != 1 else "")
    said = f"{row.k} of {row.n} ratings, {raters}: too few for a percentage"
    return replace(row, estimate=None, low=None, high=None, deff=None, note=_join([said, row.note]))


def _cannot_judge(group: Group, ratings: pd.DataFrame) -> list[Estimate]:
    """Share of can't judge among those asked who judged or could not, per target and over all objects."""
    asked = ratings[ratings["score"].notna() | ratings["cannot_judge"]]
    marked = asked.assign(score=asked["cannot_judge"].astype("Float64"), cannot_judge=False)
    parts = marked[marked["kind"] == "object"]
    name = "cannot_judge_share"

    def judged(values: pd.Series[Any]) -> pd.Series[Any]:
        return values >= 1

    rows = [_independent(group, marked[marked["kind"] == "org"], name, "Org", "", judged)]
    rows += [_clustered(group, parts, f"{name}_over_objects", _pooled, "", judged)]
    rows += [
        _independent(group, parts[parts["target"] == target], name, target, "", judged) for target in _objects(group)
    ]
    return [replace(row, cannot_judge=row.k or 0) for row in rows]


def _mean_scores(group: Group, ratings: pd.DataFrame) -> list[Estimate]:
    """Mean score of the Org and of each object, and the mean over objects of the objects' means."""
    parts = ratings[ratings["kind"] == "object"]
    rows = [_mean(group, ratings[ratings["kind"] == "org"], "mean_score", "Org")]
    rows += [_mean(group, parts[parts["target"] == name], "mean_score", name) for name in _objects(group)]
    return [*rows, _mean(group, parts, "mean_score_over_objects", "objects")]


def _mean(group: Group, ratings: pd.DataFrame, estimand: str, target: str) -> Estimate:
    """t over raters where each gives one rating, else over clusters, linearised."""
    valid = ratings[ratings["score"].notna()]
    n, raters = len(valid), int(valid["rater"].nunique())
    found: Mean | ClusterMean
    if target != "objects" and valid["cluster"].nunique() == n:
        found, estimator, without = mean_score(valid["score"].to_list(), group.level), T, ""
    else:
        sums = cluster_sums(ratings, lambda scores: scores)
        found = mean_score_over_objects(sums.values, sums.valid, group.level, sums.unit)
        estimator, without = found.estimator, _without(sums, found.empty_objects)
    note = _join([found.note if found.n else "", without])
    row = _row(group, estimand, estimator, target, note, None, n, raters, _cannot(ratings))
    row = replace(row, estimate=found.estimate, low=found.low, high=found.high)
    if n == 0:
        return _shown(row)
    if raters < FEWEST:
        few = f"{raters} rater{'' if raters == 1 else 's'}" if target == "objects" else f"{n} ratings"
        return replace(row, low=None, high=None, note=_join([f"{few}: too few for an interval", note]))
    return row


def _sensitivity(group: Group, analysed: pd.DataFrame) -> list[Estimate]:
    """The headline again under other choices: what could move it, always all of it (plan 12)."""
    approving = analysed.assign(score=analysed["score"].mask(analysed["cannot_judge"], 5.0))
    refusing = analysed.assign(score=analysed["score"].mask(analysed["cannot_judge"], 1.0))
    variants = [
        ("worst_", refusing, "can't judge counted as not approving", top_two),
        ("best_", approving, "can't judge counted as approving", top_two),
        ("five_only_", analysed, "Very Realistic only", top_one),
        ("everyone_", group.ratings, "everyone who rated anything", top_two),
    ]
    if not group.ratings["first"].isna().all():
        first = analysed.assign(score=analysed["first"])
        variants.insert(2, ("first_choice_", first, "the first choice of each rating", top_two))
    rows = [row for prefix, data, note, rule in variants for row in _headline(group, data, prefix, note, rule)]
    return rows + [
        row
        for prefix, data, note, _ in variants[:2]
        for row in _per_object(group, data, f"{prefix}object_approval", note)
    ]
