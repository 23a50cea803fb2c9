"""Approval of some people or some ratings beside the headline: a mean over objects with raters as clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.clusters import mean_objects_ci
from analysis.estimates import FEWEST
from analysis.hour.groupings import Cells

APPROVES = 4


def approval(ratings: pd.DataFrame, level: float) -> dict[str, Any]:
    """Mean over objects of object ratings: estimate, low, high, k, n, raters, deff, note. Under five raters: counts.

    ratings: rows of `Group.ratings`.
    """
    valid = ratings[(ratings["kind"] == "object") & ratings["score"].notna()]
    raters = int(valid["rater"].nunique())
    score = valid["score"].astype(float)
    row: dict[str, Any] = {
        "estimate": None, "low": None, "high": None, "k": int((score >= APPROVES).sum()), "n": len(valid),
        "raters": raters, "deff": None, "note": "",
    }  # fmt: skip
    if raters < FEWEST:
        return row | {"note": "no ratings" if not raters else f"{raters} raters: too few for a percentage"}
    clusters, places = np.unique(valid["cluster"].to_numpy(dtype=str), return_inverse=True)
    objects, columns = np.unique(valid["target"].to_numpy(dtype=str), return_inverse=True)
    y, m = np.zeros((len(clusters), len(objects))), np.zeros((len(clusters), len(objects)))
    np.add.at(m, (places, columns), 1)
    np.add.at(y, (places, columns), (score >= APPROVES).to_numpy(dtype=float))
    found = mean_objects_ci(y, m, level)
    return row | {
        "estimate": found.estimate, "low": found.low, "high": found.high, "deff": found.deff, "note": found.note,
    }  # fmt: skip


def by_cell(ratings: pd.DataFrame, cells: Cells, level: float) -> list[tuple[str, dict[str, Any]]]:
    """Approval of the people of each cell."""
    return [(name, approval(ratings[ratings["rater"].isin(people)], level)) for name, people in cells]


def rater_means(ratings: pd.DataFrame, *, approve: bool = True) -> pd.Series[Any]:
    """One number per rater over the objects they rated: the share approved, or the mean score."""
    valid = ratings[(ratings["kind"] == "object") & ratings["score"].notna()]
    score = valid["score"].astype(float)
    values = (score >= APPROVES).astype(float) if approve else score
    return values.groupby(valid["rater"].to_numpy()).mean()
