"""From a bundle to the ratings of each arm, in the shape the estimates need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.bundle import Bundle
from analysis.estimates import SNAPSHOTS_FOR_GENERATOR, Group, scope_of

ALL_WHO_RATED = "everyone who rated (the file holds no analysis set)"
ANALYSED = "analysed, by the protocol's rule"


def groups(bundle: Bundle, level: float = 0.95) -> list[Group]:
    """One group per arm; where people of an arm come more than once, one per arm and condition, in name order.

    The condition is which Org of the arm it was, whatever the visit: a crossover's groups are its Orgs, both orders
    together. A bundle that does not say conditions is divided by visit.
    """
    ratings = joined_ratings(bundle)
    visits = bundle.frames["visits"]
    again = set(visits.loc[visits.duplicated(["participant", "arm"]), "arm"])
    found = []
    for arm in sorted(set(visits["arm"])) or [""]:
        of_arm = ratings[ratings["arm"] == arm]
        if arm not in again:
            found.append(_group(bundle, arm, of_arm, level))
            continue
        by = "condition" if (visits.loc[visits["arm"] == arm, "condition"] != "").all() else "period"
        for value in sorted(set(visits.loc[visits["arm"] == arm, by].dropna())):
            name = f"{arm}, {value}" if by == "condition" else f"{arm}, visit {value}"
            found.append(_group(bundle, name, of_arm[of_arm[by] == value], level))
    return found


def _group(bundle: Bundle, arm: str, ratings: pd.DataFrame, level: float) -> Group:
    # A snapshot counts when somebody could judge it: one that only has blanks adds nothing to the claim.
    judged = ratings[ratings["analysed"] & ratings["score"].notna()]
    scope = "this Org" if bundle.plain else scope_of(judged["org_hash"].to_list())
    raters_of_org = judged.groupby("org_hash")["rater"].nunique()
    nested = len(raters_of_org) >= SNAPSHOTS_FOR_GENERATOR and bool((raters_of_org > 1).any())
    # Raters of one snapshot share its faults, so snapshots are the outer cluster (M4).
    ratings = ratings.assign(cluster=ratings["org_hash"] if nested else ratings["rater"])
    return Group(arm, scope, ratings, ALL_WHO_RATED if bundle.plain else ANALYSED, level)


def control_recipe(group: Group, controls: Mapping[str, tuple[str, str]]) -> str:
    """The recipe of a control Org when the group rated nothing else (M5), else "". controls: `Context.controls`."""
    rated = sorted(set(group.ratings["org_hash"]) - {""})
    if not rated or any(code not in controls for code in rated):
        return ""
    return " and ".join(sorted({controls[code][1] for code in rated}))


def joined_ratings(bundle: Bundle) -> pd.DataFrame:
    """Overall ratings of the Org and its objects with rater, arm, Org and set; the columns of `Group.ratings`."""
    ratings = bundle.frames["ratings"]
    ratings = ratings[ratings["kind"].isin(["org", "object"]) & ratings["dimension"].isin(["", "overall"])]
    visits = bundle.frames["visits"].set_index("id")
    of_visit = visits.reindex(ratings["visit"])
    opened = pd.DataFrame({"work": ratings["opened_work"], "look": ratings["opened_look"]})
    informed = (opened.fillna(0).sum(axis=1) > 0).astype("boolean").mask(opened.isna().all(axis=1))
    return pd.DataFrame(
        {
            "rater": of_visit["participant"].to_numpy(),
            "visit": ratings["visit"].to_numpy(),
            "arm": of_visit["arm"].to_numpy(),
            "period": of_visit["period"].array,
            "condition": of_visit["condition"].to_numpy(),
            "org_hash": of_visit["org_hash"].to_numpy(),
            "kind": ratings["kind"].to_numpy(),
            "target": ratings["target"].to_numpy(),
            "score": ratings["final"].astype("Float64").array,
            "first": ratings["first"].astype("Float64").array,
            "blank": ratings["final_blank"].to_numpy(),
            "cannot_judge": (ratings["final_blank"] == "cannot_judge").to_numpy(dtype=bool),
            "informed": informed.array,
            "analysed": of_visit["analysed"].fillna(False).to_numpy(dtype=bool),
        }
    )


def labels_of(bundle: Bundle) -> dict[str, str]:
    """Screen names of the objects; an object without one keeps its own name."""
    objects: Any = bundle.frames["objects"]
    return {row.object: row.label or row.object for row in objects.itertuples()}
