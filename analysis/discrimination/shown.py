"""The cards after the lock as the analysis needs them: scores of records with their grade, and choices in pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.context import Context

REAL = "deidentified_real"


def rated_cards(context: Context, kind: str) -> pd.DataFrame:
    """Five-point scores of cards of one kind by people in the analysed set.

    Columns: arm, rater, card_set, card, grade, fault, org_hash, score (float, NaN for none).
    """
    cards = context.bundle.frames["cards"]
    chosen = _joined(context, cards[cards["kind"] == kind], "record")
    score = chosen["final"].astype("Float64").to_numpy(dtype=float, na_value=np.nan)
    return chosen.assign(score=score)[["arm", "rater", "card_set", "card", "grade", "fault", "org_hash", "score"]]


def chosen_pairs(context: Context) -> pd.DataFrame:
    """Choices between two: arm, rater, preferred (the Org's record was taken), chose_first, org_first, other, control.

    The Org's record is the one of the visit's own Org; the other one's Org stands in `other`. Pairs left without a
    choice, or of which neither or both records are the visit's Org's, are left out.
    """
    cards = context.bundle.frames["cards"]
    rows = _joined(context, cards[cards["kind"] == "pairs"], "pair")
    rows = rows[rows["final"].isin([1, 2])]
    rows = rows.assign(own=rows["org_hash"] == rows["visit_org"])
    sides = {side: rows[rows["side"] == side].set_index(["visit", "target"]) for side in ("first", "second")}
    second = sides["second"][["own", "org_hash", "control"]].add_suffix("_second")
    both = sides["first"].join(second, how="inner")
    both = both[both["own"] ^ both["own_second"]]
    first = (both["final"] == 1).to_numpy(dtype=bool)
    own = both["own"].to_numpy(dtype=bool)
    other = both["org_hash_second"].where(both["own"], both["org_hash"])
    control = both["control_second"].where(both["own"], both["control"]).fillna(False).to_numpy(dtype=bool)
    return pd.DataFrame(
        {
            "arm": both["arm"].to_numpy(), "rater": both["rater"].to_numpy(), "preferred": first == own,
            "chose_first": first, "org_first": own, "other": other.to_numpy(),
            "control": control,
        }
    )  # fmt: skip


def _joined(context: Context, cards: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Cards with their rating, the person, and the visit's arm and Org; people in the analysed set only."""
    ratings = context.bundle.frames["ratings"]
    given = ratings.loc[ratings["kind"] == kind, ["visit", "target", "final"]]
    rows = cards.merge(given, on=["visit", "target"], how="inner")
    of_visit = context.visits.reindex(rows["visit"])
    rows = rows.assign(
        rater=of_visit["participant"].to_numpy(),
        arm=of_visit["arm"].to_numpy(),
        visit_org=of_visit["org_hash"].to_numpy(),
    )
    kept = context.people.index[context.people["analysed"].fillna(False).astype(bool)]
    return rows[rows["rater"].isin(list(kept))].reset_index(drop=True)


def real_orgs(context: Context) -> set[str]:
    """Orgs made from real records with everything identifying taken out, by what orgs.json says of them."""
    return {code for code, entry in context.orgs.items() if entry.get("provenance") == REAL}
