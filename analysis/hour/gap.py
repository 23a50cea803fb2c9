"""How far an Org is from one's own system: the same people on the same scale, for each object (M12)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.bundle import Bundle
from analysis.hour.means import Interval, cluster_mean
from analysis.hour.reading import closing
from analysis.tables import SCALE

POINTS = {label.casefold().replace(" ", "_"): point for point, label in enumerate(SCALE, start=1)}
CANNOT_SAY = "cannot_say"


def own_ratings(bundle: Bundle, objects: Sequence[str]) -> pd.DataFrame:
    """What people said of their own system: visit, object, own (1 to 5, NA without), cannot_say; rated objects only."""
    rows = closing(bundle, r"own_(?P<object>.+)")
    if rows.empty:
        return pd.DataFrame(columns=["visit", "object", "own", "cannot_say"])
    rows = rows[rows["object"].isin(objects)]
    points = rows["value"].map(
        lambda value: POINTS.get(value.casefold(), int(value) if value in "12345" and value else None)
    )
    return rows.assign(own=points.astype("Float64"), cannot_say=rows["value"] == CANNOT_SAY)[
        ["visit", "object", "own", "cannot_say"]
    ]


def pairs(own: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Own system and Org rated by one person in one visit: rater, cluster, object, difference in scale points.

    own: as `own_ratings`; ratings: visit, target, score, rater, cluster of the objects. Only where both have a score.
    """
    both = own.merge(ratings, left_on=["visit", "object"], right_on=["visit", "target"])
    both = both[both["own"].notna() & both["score"].notna()]
    return both.assign(difference=both["own"].astype(float) - both["score"].astype(float))


def gap(differences: pd.DataFrame, level: float) -> Interval:
    """Mean over raters of each rater's mean difference, with t over raters (over snapshots where raters are nested)."""
    if differences.empty:
        return Interval(None, None, None, 0, 0, "nobody rated both")
    each = differences.groupby("rater").agg(mean=("difference", "mean"), cluster=("cluster", "first"))
    return cluster_mean(each["mean"], each["cluster"].astype(str), level)
