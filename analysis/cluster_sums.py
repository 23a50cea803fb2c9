"""From rows of ratings to the sums by cluster and target that the clustered estimators start from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.clusters import Floats


@dataclass(frozen=True)
class ClusterSums:
    """Ratings summed by cluster and target. values, valid: shape (clusters, targets), sums and numbers of ratings."""

    values: Floats
    valid: Floats
    targets: list[str]
    raters: int

    @property
    def nested(self) -> bool:
        """Whether the clusters are snapshots, with several raters in one."""
        return self.raters > len(self.values)

    @property
    def unit(self) -> str:
        return "snapshot" if self.nested else "rater"


def cluster_sums(ratings: pd.DataFrame, counts: Callable[[pd.Series[Any]], pd.Series[Any]]) -> ClusterSums:
    """ratings: rows of `Group.ratings`; counts: what each valid score adds, 0 or 1 for approval, itself for a mean."""
    valid = ratings[ratings["score"].notna()]
    targets = sorted(set(ratings["target"]))
    rows, clusters = pd.factorize(valid["cluster"])
    columns = pd.Index(targets).get_indexer(valid["target"])
    sums, number = np.zeros((len(clusters), len(targets))), np.zeros((len(clusters), len(targets)))
    np.add.at(number, (rows, columns), 1)
    np.add.at(sums, (rows, columns), counts(valid["score"]).to_numpy(dtype=float))
    return ClusterSums(sums, number, targets, int(valid["rater"].nunique()))
