"""Dossiers of one visit: some from the Org, some from its control; the cheap form of sensitivity (M5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.comparing.means import paired_t
from analysis.comparing.ranks import paired_delta
from analysis.comparing.rows import filled
from analysis.comparing.signs import sign_flip
from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.estimates import FEWEST

ORG, CONTROL = "dossiers from the Org", "dossiers from its control"


def rated_dossiers(context: Context) -> pd.DataFrame:
    """One row per dossier rated in an analysed visit: rater, arm, control (bool), final, org_hash."""
    cards = context.bundle.frames["cards"]
    cards = cards[(cards["kind"] == "dossiers") & cards["control"].notna()]
    ratings = context.bundle.frames["ratings"]
    ratings = ratings[
        (ratings["kind"] == "record") & ratings["dimension"].isin(["", "overall"]) & ratings["final"].notna()
    ]
    joined = ratings.merge(cards[["visit", "target", "control", "org_hash"]], on=["visit", "target"])
    visits = context.visits.reindex(joined["visit"])
    joined = joined.assign(rater=visits["participant"].to_numpy(), arm=visits["arm"].to_numpy())
    return joined[visits["analysed"].fillna(False).to_numpy(dtype=bool)]


def dossier_rows(context: Context, arm: str, rated: pd.DataFrame) -> tuple[list[Contrast], dict[str, Any]]:
    """Sensitivity from the dossiers of one arm: per rater the share approved of the Org's less that of the control's.

    Raters with a rating on both sides. The second row is the difference in mean score.
    """
    control = rated["control"].astype(bool)
    score = rated["final"].to_numpy(dtype=float)
    table = pd.DataFrame({"rater": rated["rater"].to_numpy(), "control": control.to_numpy(), "score": score})
    table = table.assign(approves=(table["score"] >= 4).astype(float))
    both = table.groupby("rater")["control"].nunique() == 2
    used = table[table["rater"].isin(both[both].index)]
    means = used.groupby(["rater", "control"])[["approves", "score"]].mean().unstack("control")
    rows = []
    for part, column, reach in (("", "approves", 1.0), ("_score", "score", 4.0)):
        d = (means[(column, False)] - means[(column, True)]).to_numpy(dtype=float) if len(used) else np.zeros(0)
        rows.append(_row(context, arm, part, d, reach))
    data = {
        "raters": len(both[both]), "left_out": int((~both).sum()),
        "org": _count(used[~used["control"]]), "control": _count(used[used["control"]]),
    }  # fmt: skip
    return rows, data


def _row(context: Context, arm: str, part: str, d: np.ndarray[Any, Any], reach: float) -> Contrast:
    estimand = f"sensitivity{part}"
    name, n = f"{arm or 'all'}.{estimand}.dossiers", len(d)
    row = Contrast(
        name, estimand, "within rater", ORG, CONTROL, "these dossiers", "", None, None, None, context.level, n, n, n
    )
    if n < FEWEST:
        return replace(row, note=f"{n} raters rated both: too few for a difference")
    tested = sign_flip(d, context.stream(f"contrast {name}"), context.options.replicates)
    row = filled(row, paired_t(d, context.level), tested.p, tested.test, reach)
    row = replace(row, effect=paired_delta(d), effect_name="Cliff's delta of rater means, within raters")
    if row.p is not None and not tested.exact:
        row = replace(row, seed=context.options.seed, replicates=context.options.replicates)
    return row


def _count(rows: pd.DataFrame) -> dict[str, int]:
    return {"k": int(rows["approves"].sum()), "n": len(rows)}
