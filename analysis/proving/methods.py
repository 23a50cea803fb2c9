"""The intervals on trial: by name, what they estimate and how their limits are found in many studies at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.many_studies import (
    Limits,
    cluster_clopper_pearson,
    cluster_wilson,
    logit_t,
    naive_wilson,
    t_of_rater_means,
    wilson_each,
)
from analysis.proving.resampled import expanded_tail, percentile_limits, resampled_means, resampling_counts
from analysis.proving.studies import Studies

PRIMARY = "cluster Wilson, mean over objects"
NAIVE = "naive Wilson on ratings"
PERCENTILE, EXPANDED = "percentile bootstrap, mean over objects", "t-expanded bootstrap, mean over objects"
STUDIES_AT_ONCE = 50


@dataclass(frozen=True)
class Method:
    """limits: studies and level to limits. estimand: the key of the truth it is held against."""

    estimand: str
    limits: Callable[[Studies, float], Limits]


def org_wilson(studies: Studies, level: float) -> Limits:
    """Wilson with n = raters who judged the Org as a whole."""
    n = studies.org_rated.sum(axis=1)
    share = studies.org_approved.sum(axis=1) / np.maximum(n, 1)
    return wilson_each(share, n, level, n > 0)


METHODS: dict[str, Method] = {
    PRIMARY: Method("mean_over_objects", lambda studies, level: cluster_wilson(studies.over_objects, level)),
    "cluster Wilson, pooled share": Method(
        "pooled_share", lambda studies, level: cluster_wilson(studies.pooled, level)
    ),
    "Wilson, Org approval": Method("org_approval", org_wilson),
    "logit-t, pooled share": Method("pooled_share", lambda studies, level: logit_t(studies.pooled, level)),
    "t on rater means": Method(
        "pooled_share", lambda studies, level: t_of_rater_means(studies.approved, studies.rated, level)
    ),
    "cluster Clopper–Pearson, pooled share": Method(
        "pooled_share", lambda studies, level: cluster_clopper_pearson(studies.pooled, level)
    ),
    NAIVE: Method("pooled_share", lambda studies, level: naive_wilson(studies.approved, studies.rated, level)),
}


def bootstrap_limits(
    studies: Studies, resamples: int, stream: np.random.Generator, level: float = 0.95
) -> dict[str, Limits]:
    """Percentile and t-expanded limits from the same resamples."""
    raters = studies.approved.shape[1]
    tails = {PERCENTILE: (1 - level) / 2, EXPANDED: expanded_tail(raters, level)}
    found: dict[str, list[Limits]] = {name: [] for name in tails}
    for start in range(0, studies.count, STUDIES_AT_ONCE):
        batch = slice(start, start + STUDIES_AT_ONCE)
        counts = resampling_counts(raters, resamples, stream)
        means = resampled_means(studies.approved[batch], studies.rated[batch], counts)
        for name, tail in tails.items():
            found[name].append(percentile_limits(means, tail))
    return {name: joined(parts) for name, parts in found.items()}


def joined(parts: list[Limits]) -> Limits:
    """Limits of several batches, one after another."""
    return Limits(
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.given for part in parts]),
    )
