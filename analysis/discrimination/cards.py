"""What the cards after the lock tell, as JSON-ready data: anchors, reference cards, pairs, real against made."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from analysis.clusters import pooled_share_ci
from analysis.comparisons import Mean, mean_score
from analysis.context import Context
from analysis.discrimination.anchors import auc, dose_response, known_groups
from analysis.discrimination.bradley_terry import abilities
from analysis.discrimination.shown import chosen_pairs, rated_cards, real_orgs
from analysis.discrimination.signal import across_raters, detection, equivalence_reading, forced_choice_d
from analysis.estimates import FEWEST

REFERENCE = 12
SINGLE_RATERS = 6
"""Cards of either kind from which single raters can be judged."""
TAKEN_FOR_REAL = 4


def cards_of_arm(context: Context, arm: str) -> dict[str, Any]:
    """Everything about the cards of one arm; `kinds` says what there is."""
    anchors, reference = (_of(rated_cards(context, kind), arm) for kind in ("anchors", "reference"))
    pairs = _of(chosen_pairs(context), arm)
    found = {
        "anchors": [_anchors(context, arm, str(name), own) for name, own in anchors.groupby("card_set", sort=True)],
        "reference": [_reference(context, str(name), own) for name, own in reference.groupby("card_set", sort=True)],
        "pairs": _pairs(context, arm, pairs) if len(pairs) else None,
        "real": _real(context, arm),
    }
    return {"arm": arm, "level": context.level, "kinds": sorted(key for key, value in found.items() if value), **found}


def _of(rows: pd.DataFrame, arm: str) -> pd.DataFrame:
    return rows[rows["arm"] == arm]


# --- anchors


def _anchors(context: Context, arm: str, name: str, rows: pd.DataFrame) -> dict[str, Any]:
    """Clean against broken cards of one set, by rater; means by size of the fault and by fault."""
    given = rows[rows["score"].notna()]
    sides = [_sides(own) for _, own in given.groupby("rater", sort=True)]
    clean, broken = [one for one, _ in sides], [two for _, two in sides]
    rng = context.stream(f"cards.anchors.{arm}.{name}")
    found = known_groups(clean, broken, rng, context.options.replicates, context.level)
    cards = rows.drop_duplicates("card")
    n_broken = int((cards["grade"] > 0).sum())
    n_clean = len(cards) - n_broken
    areas = [area for area in (auc(x, y) for x, y in sides) if area is not None]
    single = min(n_clean, n_broken) >= SINGLE_RATERS
    return {
        "card_set": name, "clean": n_clean, "broken": n_broken, "raters": found.raters, "ratings": len(given),
        "cannot_judge": int(rows["score"].isna().sum()), "difference": _mean(found.difference), "p": found.p,
        "test": found.test, "auc": _mean(found.area), "slope": None, **_dose(given, context.level),
        "single": {"at_most_half": sum(a <= 0.5 for a in areas), "three_quarters": sum(a >= 0.75 for a in areas)}
        if single
        else None,
        "faults": _faults(given, context.level),
    }  # fmt: skip


def _sides(rows: pd.DataFrame) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    broken = (rows["grade"] > 0).to_numpy(dtype=bool, na_value=False)
    scores = rows["score"].to_numpy(dtype=float)
    return scores[~broken], scores[broken]


def _dose(given: pd.DataFrame, level: float) -> dict[str, Any]:
    known = given[given["grade"].notna()]
    codes = pd.factorize(known["rater"])[0]
    found = dose_response(codes, known["grade"].to_numpy(dtype=int), known["score"].to_numpy(dtype=float), level)
    grades = [{"grade": one.grade, "ratings": one.ratings, **_mean(one.mean)} for one in found.grades]
    return {"grades": grades, "slope": _mean(found.slope)}


def _faults(given: pd.DataFrame, level: float) -> list[dict[str, Any]]:
    broken = given[(given["grade"] > 0).fillna(False).astype(bool)]
    return [
        {"fault": str(fault), "cards": own["card"].nunique(), **_mean(mean_score(_by_rater(own), level))}
        for fault, own in broken.groupby("fault", sort=True)
    ]


def _by_rater(rows: pd.DataFrame) -> list[float]:
    return [float(value) for value in rows.groupby("rater", sort=True)["score"].mean()]


def _mean(found: Mean) -> dict[str, Any]:
    """A mean of raters; under five of them no interval, one rater's number is nobody's business."""
    row = {"mean": found.estimate, "low": found.low, "high": found.high, "n": found.n, "note": found.note}
    if found.n >= FEWEST:
        return row
    return row | {"mean": None, "low": None, "high": None, "note": f"{found.n} raters: too few"}


# --- reference cards


def _reference(context: Context, name: str, rows: pd.DataFrame) -> dict[str, Any]:
    """Mean of all the cards, by rater: the cards never change, so severity compares across studies.

    Only raters with a score for every card of the set enter the mean of the twelve; else whom it leaves out would
    move it. The others are counted.
    """
    given = rows[rows["score"].notna()]
    every = given.groupby("rater")["card"].nunique()
    shown = int(rows["card"].nunique())
    whole = given[given["rater"].isin(list(every.index[every == shown]))]
    adjusted = _adjusted(given)
    by_rater = sorted(adjusted)
    return {
        "card_set": name, "cards": shown, "complete_set": shown == REFERENCE, "ratings": len(given),
        "raters": int(given["rater"].nunique()), "severity": _mean(mean_score(adjusted, context.level)),
        "complete_raters": int(whole["rater"].nunique()),
        "complete": _mean(mean_score(_by_rater(whole), context.level)),
        "by_rater": by_rater if len(by_rater) >= FEWEST else [], **_dose(given, context.level),
    }  # fmt: skip


def _adjusted(given: pd.DataFrame) -> list[float]:
    """Each rater's mean as if all cards were judged: mean of all cards plus the rater's mean distance from them."""
    if given.empty:
        return []
    of_card = given.groupby("card")["score"].mean()
    distance = given["score"] - given["card"].map(of_card)
    return [float(of_card.mean() + gap) for gap in distance.groupby(given["rater"]).mean()]


# --- pairs


def _pairs(context: Context, arm: str, rows: pd.DataFrame) -> dict[str, Any]:
    """Share of pairs in which the Org's record was taken, raters as clusters; the effect of the place beside it."""
    preferred = _share(rows, "preferred", context.level)
    first = _share(rows, "chose_first", context.level)
    places = {
        name: _share(rows[rows["org_first"] == stood], "preferred", context.level)
        for name, stood in (("first", True), ("second", False))
    }
    reading, d = None, None
    if preferred["estimate"] is not None and preferred["low"] is not None:
        reading = equivalence_reading(preferred["low"], preferred["high"])
        d = forced_choice_d(preferred["estimate"])
    real = real_orgs(context)
    return {
        "preferred": preferred, "chose_first": first, "org_first": places["first"], "org_second": places["second"],
        "d_prime": d, "reading": reading, "control": bool(rows["control"].all()),
        "against_real": bool(set(rows["other"]) & real),
        "abilities": _abilities(context, arm, rows),
    }  # fmt: skip


def _share(rows: pd.DataFrame, column: str, level: float) -> dict[str, Any]:
    marked = rows[column].astype(float).groupby(rows["rater"].to_numpy())
    found = pooled_share_ci(marked.sum().to_numpy(), marked.count().to_numpy(), level)
    row = {name: getattr(found, name) for name in ("estimate", "low", "high", "k", "n", "raters", "deff", "note")}
    if found.raters >= FEWEST:
        return row
    return row | {"estimate": None, "low": None, "high": None, "deff": None, "note": f"{found.raters} raters: too few"}


def _abilities(context: Context, arm: str, rows: pd.DataFrame) -> dict[str, Any] | None:
    """Bradley–Terry over the Orgs that met, where there are three or more; with two it is the share again."""
    others = sorted(set(rows["other"]))
    raters = sorted(set(rows["rater"]))
    if len(others) < 2 or len(raters) < FEWEST:
        return None
    wins = np.zeros((len(raters), len(others) + 1, len(others) + 1))
    who, which = pd.Index(raters).get_indexer(rows["rater"]), pd.Index(others).get_indexer(rows["other"]) + 1
    taken = rows["preferred"].to_numpy(dtype=bool)
    np.add.at(wins, (who, np.where(taken, 0, which), np.where(taken, which, 0)), 1)
    found = abilities(wins, context.stream(f"cards.pairs.{arm}"), min(context.options.replicates, 2_000), context.level)
    names = ["the visit's Org", *(str(context.orgs.get(code, {}).get("name", code[:8])) for code in others)]
    return {"orgs": names, **asdict(found)}


# --- real or synthetic


def _real(context: Context, arm: str) -> dict[str, Any] | None:
    """Yes/no detection where cards came from real records too: a score of 4 or 5 takes a card for a real one."""
    real = real_orgs(context)
    rows = _of(rated_cards(context, "dossiers"), arm)
    rows = rows[rows["score"].notna()]
    if not real or not rows["org_hash"].isin(list(real)).any():
        return None
    found = []
    for _, own in rows.groupby("rater", sort=True):
        signal = own["org_hash"].isin(list(real))
        yes = own["score"] >= TAKEN_FOR_REAL
        one = detection(
            int((yes & signal).sum()), int(signal.sum()), int((yes & ~signal).sum()), int((~signal).sum())
        )  # fmt: skip
        if one.d_prime is not None:
            found.append(one.d_prime)
    rng = context.stream(f"cards.real.{arm}")
    across = across_raters(found, rng, context.options.replicates, context.level)
    return {
        "d_prime": _mean(across.mean), "bootstrap": [across.bootstrap_low, across.bootstrap_high],
        "replicates": across.replicates, "seed": context.options.seed,
    }  # fmt: skip
