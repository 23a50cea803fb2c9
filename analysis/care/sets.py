"""The analysis sets of M17 worked out again from the bundle's own columns, and compared with the flags it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

from analysis.bundle import Bundle

ENDED_BY_PERSON = ("answered", "none", "withheld", "skipped")
BEGAN = ("working", "rating", "locked", "done")
SETTLED_BLANKS = ("cannot_judge", "rather_not_say")
NAMES = ("started", "exposed", "analysed")


@dataclass(frozen=True)
class Limits:
    """Numbers of the protocol: minutes or ended questions for exposed; share of cards answered for analysed."""

    minutes: float
    attempts: int
    cards: float


def limits_of(promised: Mapping[str, Any]) -> Limits | None:
    """The limits of a protocol's block `analysis`; None where it has none."""
    sets = promised.get("sets")
    if not isinstance(sets, dict):
        return None
    try:
        return Limits(
            float(sets["exposed_minutes"]), int(sets["exposed_attempts"]), float(sets["analysed_cards_share"])
        )
    except (KeyError, TypeError, ValueError):
        return None


def sets_by_rule(bundle: Bundle, limits: Limits) -> pd.DataFrame:
    """Per visit (index): started, exposed, enough_rated, analysed by the rule, and `gone` where answers were removed.

    started: the visit came to the questions. exposed: the active minutes, or so many questions ended by an answer or
    a skip. enough_rated: a score for the Org and the share of cards answered, can't judge and rather not say
    included. analysed: exposed, enough_rated, settled, and nobody left the person out. Of somebody whose answers
    were removed the rule can't be checked.
    """
    visits = bundle.frames["visits"].set_index("id")
    person = bundle.frames["participants"].set_index("code").reindex(visits["participant"])
    started = visits["end_state"].isin(BEGAN)
    ended = bundle.frames["attempts"].loc[lambda rows: rows["outcome"].isin(ENDED_BY_PERSON), "visit"].value_counts()
    long_enough = (visits["work_active_s"] >= 60 * limits.minutes).fillna(False).astype(bool)
    exposed = started & (long_enough | (ended.reindex(visits.index).fillna(0) >= limits.attempts))
    rated, gone = _rated(bundle, visits.index, limits)
    settled = visits["locked_at"].notna() | (person["end"].fillna("") != "").to_numpy(dtype=bool)
    kept = ((person["exclusion_reason"].fillna("") == "") & (person["end"] != "excluded")).to_numpy(dtype=bool)
    return pd.DataFrame(
        {
            "started": started, "exposed": exposed, "enough_rated": rated,
            "analysed": exposed & rated & settled & kept & ~gone, "gone": gone,
        }
    )  # fmt: skip


def _rated(bundle: Bundle, visits: pd.Index[Any], limits: Limits) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Enough of the cards answered, and answers removed, by visit."""
    rows = bundle.frames["ratings"]
    rows = rows[rows["kind"].isin(["org", "object"]) & rows["dimension"].isin(["", "overall"])]
    org = set(rows.loc[(rows["kind"] == "org") & rows["final"].notna(), "visit"])
    asked = rows[(rows["kind"] == "object") & (rows["final_blank"] != "not_asked")]
    answered = asked["final"].notna() | asked["final_blank"].isin(SETTLED_BLANKS)
    share = answered.groupby(asked["visit"].to_numpy()).mean().reindex(visits)
    enough = (share >= limits.cards).fillna(False) & visits.isin(list(org))
    gone = visits.isin(list(set(rows.loc[rows["final_blank"] == "removed", "visit"])))
    return enough.astype(bool), pd.Series(gone, index=visits)


def disagreements(bundle: Bundle, by_rule: pd.DataFrame) -> list[dict[str, Any]]:
    """Where the stored flag and the rule differ, for sets that a visit has a flag of; people are counted, not named.

    Nothing is put right by it: the stored flags are what the estimates use.
    """
    visits = bundle.frames["visits"].set_index("id")
    rows = []
    for name in ("exposed", "analysed"):
        stored = visits[name].fillna(False).astype(bool)
        rule = by_rule[name]
        seen = ~by_rule["gone"]
        only_stored, only_rule = int((stored & ~rule & seen).sum()), int((~stored & rule & seen).sum())
        rows.append(
            {
                "set": name, "visits": int(seen.sum()), "stored_not_by_rule": only_stored,
                "by_rule_not_stored": only_rule, "not_checked": int((~seen).sum()),
            }
        )  # fmt: skip
    return rows


def sets_by_arm(bundle: Bundle) -> list[dict[str, Any]]:
    """People in each set by arm, and those eligible for whom no arm was drawn; each set holds the next one (M17)."""
    people = bundle.frames["participants"].set_index("code")
    visits = bundle.frames["visits"]
    arm = visits.groupby("participant")["arm"].first()
    own = arm.reindex(people.index).fillna("")
    rows = []
    for name in [*sorted(set(arm)), ""]:
        chosen = people[own == name]
        if name == "" and not chosen["eligible"].fillna(False).any():
            continue
        counts = {key: int(chosen[key].fillna(False).sum()) for key in ("eligible", *NAMES, "complete")}
        rows.append({"arm": name, **counts, "nested": _nested(chosen)})
    return rows


def _nested(people: pd.DataFrame) -> bool:
    """eligible ⊇ started ⊇ exposed ⊇ analysed, person by person; complete goes by the code, not by exposure."""
    sets = [people[name].fillna(False).astype(bool) for name in ("eligible", *NAMES)]
    return all(bool((inner <= outer).all()) for outer, inner in pairwise(sets))
