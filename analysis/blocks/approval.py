"""The headline looked at again: other intervals, all objects at once, partial pooling, can't judge, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis import intervals
from analysis.approval_tables import sections
from analysis.blocks import Block, Earlier, Found
from analysis.bootstrap import Replicates
from analysis.cluster_sums import cluster_sums
from analysis.context import Context
from analysis.estimates import FEWEST, Group, top_two
from analysis.groups import labels_of

KEY = "approval"
HEADLINES = (("org_approval", "Org"), ("mean_over_objects", "objects"), ("pooled_share", "objects"))


def compute(context: Context, earlier: Earlier) -> Found:
    """One entry per group; no rows of its own: the estimates of record stand already."""
    labels = labels_of(context.bundle)
    return Found([_group(context, earlier, group, labels) for group in context.groups])


def _group(context: Context, earlier: Earlier, group: Group, labels: Mapping[str, str]) -> dict[str, Any]:
    rows = {(row.estimand, row.target): row for row in earlier.estimates if row.arm == group.arm}
    sums = cluster_sums(intervals.rated(group, "object"), top_two)
    name, replicates = group.arm or "all", context.options.replicates
    drawn = intervals.draw(sums, replicates, context.stream(f"approval, raters drawn, {name}"))
    others = (intervals.org_intervals(group, rows), *intervals.object_intervals(group, sums, drawn))
    objects, bands, prior = intervals.object_rows(group, rows, sums, drawn, labels)
    valid = intervals.rated(group, "object")
    return {
        "arm": group.arm,
        "scope": group.scope,
        "level": group.level,
        "raters": sums.raters,
        "clusters": len(sums.values),
        "unit": sums.unit,
        "few": sums.raters < FEWEST,
        "seed": context.options.seed,
        "replicates": replicates,
        "draws_without_an_object": 0 if drawn is None else _lost(drawn),
        "within_rater_correlation": intervals.within_rater_correlation(sums),
        "headlines": [
            {"estimand": estimand, **(intervals.shown(rows[estimand, target]) or {}), "others": list(other)}
            for (estimand, target), other in zip(HEADLINES, others, strict=True)
        ],
        "mean_score": intervals.shown(rows["mean_score_over_objects", "objects"]),
        "informed": _informed(rows),
        "objects": objects,
        "bands": bands,
        "pooling": prior,
        "heterogeneity": intervals.heterogeneity(
            group, replicates, context.stream(f"approval, object labels permuted, {name}")
        ),
        "cannot_judge": intervals.cannot_judge_rows(rows, labels, sorted(set(valid["target"]))),
        "snapshots": intervals.snapshots(group, {code: str(org.get("name", "")) for code, org in context.orgs.items()}),
    }


def _lost(drawn: Replicates) -> int:
    """Draws in which an object had no rater, though it has one in the data."""
    rated = ~np.isnan(drawn.estimate)
    return int(np.isnan(drawn.joint[:, rated]).any(axis=1).sum())


def _informed(rows: intervals.Rows) -> list[dict[str, Any]]:
    """The three headlines on all ratings and on informed ones; empty where it isn't known what was opened."""
    if ("informed_org_approval", "Org") not in rows:
        return []
    return [
        {
            "estimand": estimand,
            "all": intervals.shown(rows[estimand, target]),
            "informed": intervals.shown(rows[f"informed_{estimand}", target]),
        }
        for estimand, target in HEADLINES
    ]


BLOCK = Block(KEY, compute, sections)
