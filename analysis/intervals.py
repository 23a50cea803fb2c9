"""What stands beside the headline of one group: other intervals, bands, partial pooling, spread between snapshots.

Takes a `Group` and its rows of `group_estimates`; gives JSON-ready data. Nothing here moves a result: the intervals of
record are those of the estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.bands import Bands, bonferroni_bands, joint_bands
from analysis.bootstrap import BootstrapInterval, Replicates, jointly, resample, share_intervals, t_expanded
from analysis.cluster_sums import ClusterSums, cluster_sums
from analysis.clusters import (
    ClusterInterval,
    Linearised,
    anova_icc,
    cluster_clopper_pearson,
    logit_t,
    mean_objects_ci,
    mean_over_objects,
    pooled_share,
    pooled_share_ci,
)
from analysis.estimates import FEWEST, SNAPSHOTS_FOR_GENERATOR, Estimate, Group, top_two
from analysis.heterogeneity import between_snapshots, objects_differ
from analysis.pooling import fit, pooled
from analysis.proportions import clopper_pearson, jeffreys

Row = dict[str, Any]
Rows = Mapping[tuple[str, str], Estimate]
"""A group's estimates by estimand and target."""
SHOWN = ("estimate", "low", "high", "k", "n", "raters", "deff", "cannot_judge", "estimator", "note")


def shown(row: Estimate | None) -> Row | None:
    """What of an estimate the tables of a group need."""
    return None if row is None else {name: getattr(row, name) for name in SHOWN}


def rated(group: Group, kind: str) -> pd.DataFrame:
    """Analysed ratings of the Org (`org`) or of its objects (`object`)."""
    return group.ratings[group.ratings["analysed"] & (group.ratings["kind"] == kind)]


def draw(sums: ClusterSums, replicates: int, rng: np.random.Generator) -> Replicates | None:
    """The joint cluster bootstrap of a group's objects, None where there is nothing to draw from."""
    if len(sums.values) < 2 or not sums.targets:
        return None
    return resample(jointly(sums.values, sums.valid), len(sums.values), replicates, rng)


def org_intervals(group: Group, rows: Rows) -> list[Row]:
    """Beside Wilson for Org approval: Jeffreys and Clopper-Pearson; by snapshot where these are the clusters."""
    row = rows["org_approval", "Org"]
    if row.estimate is None or row.k is None:
        return []
    sums = cluster_sums(rated(group, "org"), top_two)
    if sums.nested:
        return _clustered(pooled_share(sums.values.sum(axis=1), sums.valid.sum(axis=1), sums.unit), group.level)
    methods = (("Jeffreys", jeffreys), ("Clopper-Pearson", clopper_pearson))
    found = [(name, *method(row.k, row.n, group.level)) for name, method in methods]
    return [{"estimator": name, "low": low, "high": high, "note": ""} for name, low, high in found]


def object_intervals(group: Group, sums: ClusterSums, drawn: Replicates | None) -> tuple[list[Row], list[Row]]:
    """Beside cluster Wilson, for the mean over objects and for the pooled share."""
    if sums.raters < FEWEST or not sums.targets:
        return [], []
    mean = mean_over_objects(sums.values, sums.valid, sums.unit)
    share = pooled_share(sums.values.sum(axis=1), sums.valid.sum(axis=1), sums.unit)
    found = [_clustered(mean, group.level), _clustered(share, group.level)]
    if drawn is not None:
        for rows, one in zip(found, _bootstrapped(sums, drawn, group.level)[:2], strict=True):
            rows.append(_limits(one) | {"replicates": one.replicates, "lost": one.lost})
    return found[0], found[1]


def _bootstrapped(sums: ClusterSums, drawn: Replicates, level: float) -> list[BootstrapInterval]:
    return share_intervals(sums.values, sums.valid, drawn, t_expanded, level, sums.unit)


def _clustered(found: Linearised, level: float) -> list[Row]:
    return [_limits(logit_t(found, level)), _limits(cluster_clopper_pearson(found, level))]


def _limits(one: ClusterInterval | BootstrapInterval) -> Row:
    return {"estimator": one.estimator, "low": one.low, "high": one.high, "note": one.note}


def within_rater_correlation(sums: ClusterSums) -> float | None:
    """The ANOVA intra-class correlation of a rater's approvals; None where snapshots are the clusters."""
    return None if sums.nested else anova_icc(sums.values.sum(axis=1), sums.valid.sum(axis=1))


def object_rows(
    group: Group, rows: Rows, sums: ClusterSums, drawn: Replicates | None, labels: Mapping[str, str]
) -> tuple[list[Row], Row, Row]:
    """Each object with its band and its partially pooled approval, the bands' critical values, and the prior."""
    k, n = sums.values.sum(axis=0), sums.valid.sum(axis=0)
    effective_k, effective_n = _effective(sums, group.level)
    plain = bonferroni_bands(effective_k, effective_n, group.level)
    draws = np.zeros((0, len(n))) if drawn is None else drawn.joint[:, 2:]
    joint = joint_bands(effective_k, effective_n, draws, group.level) if len(draws) else None
    prior = fit(k, n)
    if sums.raters < FEWEST:
        prior = replace(prior, a=None, b=None, note="under five raters: counts alone")
    drawn_in = pooled(prior, k, n, group.level)
    found = []
    for place, target in enumerate(sums.targets):
        row = rows["object_approval", target]
        percent = row.estimate is not None  # under five raters there are counts alone
        shrunk = drawn_in[place]
        found.append(
            {
                "target": target,
                "label": labels.get(target, target),
                **(shown(row) or {}),
                "informed": shown(rows.get(("informed_object_approval", target))),
                "band": _band(plain, place) if percent else None,
                "joint_band": _band(joint, place) if percent else None,
                "pooled": asdict(shrunk) if percent and shrunk is not None else None,
            }
        )
    found.sort(key=lambda row: (-(row["k"] / row["n"]) if row["n"] else 1.0, row["label"]))
    bands = {"bonferroni": _critical(plain), "joint": None if joint is None else _critical(joint)}
    return found, bands, asdict(prior) | {"mean": prior.mean, "concentration": prior.concentration}


def _effective(sums: ClusterSums, level: float) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Approvals and ratings of each object as Wilson takes them: themselves, or effective ones by snapshot."""
    k, n = sums.values.sum(axis=0), sums.valid.sum(axis=0)
    if not sums.nested:
        return k, n
    columns = range(len(sums.targets))
    found = [pooled_share_ci(sums.values[:, place], sums.valid[:, place], level, sums.unit) for place in columns]
    size = np.array([one.n_effective or 0.0 for one in found])
    share = np.array([one.estimate or 0.0 for one in found])
    return np.minimum(share * size, size), size


def _band(bands: Bands | None, place: int) -> Row | None:
    return None if bands is None else {"low": bands.low[place], "high": bands.high[place]}


def _critical(bands: Bands) -> Row:
    names = ("critical", "family", "level", "estimator", "replicates", "note")
    return {name: getattr(bands, name) for name in names}


def heterogeneity(group: Group, replicates: int, rng: np.random.Generator) -> Row:
    """Whether objects differ beyond chance, within raters (who may be nested in snapshots: they still each answer)."""
    ratings = rated(group, "object")
    sums = cluster_sums(ratings.assign(cluster=ratings["rater"]), top_two)
    return asdict(objects_differ(sums.values, sums.valid, replicates, rng))


def cannot_judge_rows(rows: Rows, labels: Mapping[str, str], targets: Sequence[str]) -> list[Row]:
    """Can't judge with both bounds, for the Org, the mean over objects and each object (none where nobody was asked).

    share: of those asked; for the objects together, of all ratings asked for.
    """
    wanted = [("The Org as a whole", "Org", "cannot_judge_share", "org_approval")]
    wanted += [("Mean over objects", "objects", "cannot_judge_share_over_objects", "mean_over_objects")]
    wanted += [(labels.get(name, name), name, "cannot_judge_share", "object_approval") for name in targets]
    found = [
        {
            "target": target,
            "label": label,
            "share": shown(rows[share, target]),
            "approval": shown(rows[approval, target]),
            "worst": shown(rows[f"worst_{approval}", target]),
            "best": shown(rows[f"best_{approval}", target]),
        }
        for label, target, share, approval in wanted
    ]
    return [row for row in found if row["share"]["n"]]  # type: ignore[index]


def snapshots(group: Group, names: Mapping[str, str]) -> Row:
    """Approval over objects in each snapshot, and from five snapshots on the SD between them (M4).

    approval: in percentage points; score: in points of the scale. Per rater: the mean distance from the objects' own
    means, so that a rater who judged only the good objects doesn't seem mild.
    """
    parts = rated(group, "object")
    parts = parts[parts["score"].notna()]
    if parts["org_hash"].nunique() < 2:
        return {"rows": [], "approval": None, "score": None, "note": ""}
    found = [_snapshot(group, str(code), part, names) for code, part in parts.groupby("org_hash", sort=True)]
    if len(found) < SNAPSHOTS_FOR_GENERATOR:
        few = "fewer than five snapshots: what they show is theirs alone"
        return {"rows": found, "approval": None, "score": None, "note": few}
    scores = parts["score"].astype(float)
    approving = top_two(scores).astype(float) * 100
    return {
        "rows": found,
        "approval": asdict(_spread(parts, approving, group.level)),
        "score": asdict(_spread(parts, scores, group.level)),
        "note": "",
    }


def _snapshot(group: Group, code: str, part: pd.DataFrame, names: Mapping[str, str]) -> Row:
    sums = cluster_sums(part.assign(cluster=part["rater"]), top_two)
    one = mean_objects_ci(sums.values, sums.valid, group.level)
    counts = {"org_hash": code, "name": names.get(code, ""), "k": one.k, "n": one.n, "raters": sums.raters}
    if sums.raters < FEWEST:
        few = f"{sums.raters} rater{'' if sums.raters == 1 else 's'}: too few for a percentage"
        return counts | {"estimate": None, "low": None, "high": None, "note": few}
    return counts | {"estimate": one.estimate, "low": one.low, "high": one.high, "note": one.note}


def _spread(parts: pd.DataFrame, values: pd.Series[Any], level: float) -> Any:
    away = values - values.groupby(parts["target"]).transform("mean")
    of_rater = away.groupby([parts["rater"], parts["org_hash"]]).mean()
    return between_snapshots(of_rater.to_numpy(), of_rater.index.get_level_values(1).to_list(), level)
