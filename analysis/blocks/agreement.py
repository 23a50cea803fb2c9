"""How alike raters rate: every coefficient per group with its interval, and people against themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.agreement import (
    Agreement,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac,
    intraclass,
    krippendorff_alpha,
    retest_agreement,
)
from analysis.agreement.matrix import Floats
from analysis.agreement_tables import sections
from analysis.blocks import Block, Earlier, Found
from analysis.context import Context, matrix_of
from analysis.estimates import FEWEST, Estimate, Group

KEY = "agreement"
APPROVAL = (0, 1)
# Coefficients that stand among the estimates as well; the block has them all.
ESTIMANDS = {
    "Krippendorff's alpha, ordinal": "krippendorff_alpha_ordinal",
    "Gwet's AC2, ordinal weights": "gwet_ac2_ordinal",
    "Gwet's AC1, approval": "gwet_ac1_on_approval",
    "ICC(2,k)": "icc_2_k",
}


def compute(context: Context, earlier: Earlier) -> Found:
    """data: groups with coefficients, reliability and counts; retest, one entry per arm and Org rated twice."""
    groups = [_group(group) for group in context.groups]
    rows = [row for group, found in zip(context.groups, groups, strict=True) for row in _estimates(group, found)]
    return Found({"groups": groups, "retest": list(_retests(context))}, rows)


def _group(group: Group) -> dict[str, Any]:
    analysed = group.ratings[group.ratings["analysed"]]
    matrix, units = unit_matrix(analysed)
    rated = matrix[(~np.isnan(matrix)).any(axis=1)]
    few = len(rated) < FEWEST
    return {
        "arm": group.arm,
        "scope": group.scope,
        "level": group.level,
        "raters": len(rated),
        "objects": len(units),
        "ratings": int((~np.isnan(rated)).sum()),
        "snapshots": int(analysed["org_hash"].nunique()),
        "few": few,
        "coefficients": [] if few else [asdict(found) for found in coefficients(rated, group.level)],
        "reliability": [] if few else [asdict(found) for found in intraclass(rated, group.level).values()],
    }


def unit_matrix(analysed: pd.DataFrame) -> tuple[Floats, list[str]]:
    """Scores as a matrix (raters, units), and the units: an object, or an object of an Org where there are several.

    People who rated different Orgs did not rate the same thing, so they neither agree nor disagree.
    """
    parts = analysed[analysed["kind"] == "object"]
    if parts["org_hash"].nunique() > 1:
        parts = parts.assign(target=parts["org_hash"] + " " + parts["target"])
    matrix, _, units = matrix_of(parts)
    return matrix, units


def coefficients(matrix: Floats, level: float) -> list[Agreement]:
    """All of them on one matrix (raters, objects), the conventional first. Approval is 4 or 5 against the rest."""
    approval = np.where(np.isnan(matrix), np.nan, matrix >= 4)
    on_approval = gwet_ac(approval, "identity", APPROVAL, level)
    return [
        krippendorff_alpha(matrix, "ordinal", level=level),
        gwet_ac(matrix, "ordinal", level=level),
        replace(on_approval, coefficient="Gwet's AC1, approval"),
        krippendorff_alpha(matrix, "nominal", level=level),
        krippendorff_alpha(matrix, "interval", level=level),
        gwet_ac(matrix, "identity", level=level),
        brennan_prediger(matrix, "ordinal", level=level),
        fleiss_kappa(matrix, "identity", level=level),
        fleiss_kappa(matrix, "ordinal", level=level),
    ]


def _estimates(group: Group, found: dict[str, Any]) -> Iterator[Estimate]:
    """The coefficients that a reader looks for among the estimates. Units are objects; n counts ratings."""
    listed = [(row, row["coefficient"], found["ratings"]) for row in found["coefficients"]]
    listed += [(row, row["form"], row["raters"] * row["objects"]) for row in found["reliability"]]
    for row, name, n in listed:
        if name not in ESTIMANDS:
            continue
        estimand = ESTIMANDS[name]
        yield Estimate(
            f"{group.arm or 'all'}.{estimand}", estimand, row["interval"] or name, group.scope, group.arm, "objects",
            row["value"], row["low"], row["high"], row["level"], None, n, row["raters"], None, 0, None,
            row["reason"] or row["note"],
        )  # fmt: skip


def _retests(context: Context) -> Iterator[dict[str, Any]]:
    """The first two visits of the same person to the same Org in one arm; analysed visits only."""
    ratings = context.ratings[context.ratings["analysed"] & context.ratings["score"].notna()]
    for (arm, org), own in ratings.groupby(["arm", "org_hash"], sort=True):
        pairs = _pairs(own)
        if not len(pairs):
            continue
        found = retest_agreement(
            pairs["before"].to_numpy(dtype=float), pairs["after"].to_numpy(dtype=float), pairs["rater"].to_list(),
            level=context.level,
        )  # fmt: skip
        row = asdict(found) | {"arm": str(arm), "org_hash": str(org), "few": found.raters < FEWEST}
        equal = int((pairs["before"] == pairs["after"]).sum())
        if row["few"]:
            row |= dict.fromkeys(("value", "low", "high", "se", "percent", "percent_low", "percent_high"))
            row |= {"within_one": None, "change": None, "reason": f"{found.raters} people: too few"}
        yield row | {"equal": equal}


def _pairs(ratings: pd.DataFrame) -> pd.DataFrame:
    """Columns rater, kind, target, before, after: what somebody rated at both of two visits."""
    visits = ratings[["rater", "visit", "period"]].drop_duplicates().sort_values(["rater", "period", "visit"])
    number = visits.groupby("rater").cumcount()
    first, second = set(visits.loc[number == 0, "visit"]), set(visits.loc[number == 1, "visit"])
    keys = ["rater", "kind", "target"]
    before = ratings[ratings["visit"].isin(first)][[*keys, "score"]].rename(columns={"score": "before"})
    after = ratings[ratings["visit"].isin(second)][[*keys, "score"]].rename(columns={"score": "after"})
    return before.merge(after, on=keys, how="inner", validate="one_to_one").sort_values(keys)


BLOCK = Block(KEY, compute, sections)
