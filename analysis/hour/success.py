"""Success at the questions: in this interface, within the time, on first use. Per attempted and per assigned."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

import pandas as pd

from analysis.bundle import Bundle
from analysis.clusters import pooled_share_ci
from analysis.estimates import FEWEST
from analysis.hour.reading import left_out

TRIED = ("answered", "none", "withheld")


def tried(attempts: pd.DataFrame) -> pd.DataFrame:
    """Attempts that ended with an answer, "no record fits" and "should not be told" among them."""
    return attempts[attempts["outcome"].isin(TRIED)]


def graded(attempts: pd.DataFrame) -> pd.DataFrame:
    """Attempts with an answer and a grade."""
    answered = tried(attempts)
    return answered[answered["correct"].notna()]


def settled(attempts: pd.DataFrame) -> pd.DataFrame:
    """Assigned questions whose result is known: graded, or not answered (not right). A text nobody marked is not."""
    unmarked = attempts["outcome"].isin(TRIED) & attempts["correct"].isna()
    rest = attempts[~unmarked]
    return rest.assign(correct=rest["correct"].fillna(False) & rest["outcome"].isin(TRIED))


def success(bundle: Bundle, by: str, level: float = 0.95) -> list[dict[str, Any]]:
    """Success per task or stratum over all groups: what `tasks` and `strata` of results.json hold.

    Only attempts with a grade count as graded; participants are the clusters. Under five participants: counts. Who was
    left out by a rule of the protocol does not count.
    """
    attempts = bundle.frames["attempts"]
    person = bundle.frames["visits"].set_index("id")["participant"]
    attempts = attempts[~attempts["visit"].map(person).isin(left_out(bundle))]
    rows = []
    for name in sorted(set(attempts[by])):
        chosen = attempts[attempts[by] == name]
        marked = graded(chosen)
        groups = marked["correct"].astype(float).groupby(marked["visit"].map(person).to_numpy())
        found = pooled_share_ci(groups.sum().to_numpy(), groups.count().to_numpy(), level)
        enough = found.raters >= FEWEST
        minutes = minutes_of(chosen)
        rows.append(
            {
                by: name,
                "assigned": len(chosen),
                "attempted": len(tried(chosen)),
                "graded": len(marked),
                "correct": int(marked["correct"].sum()),
                "participants": found.raters,
                "share_of_attempted": found.estimate if enough else None,
                "low": found.low if enough else None,
                "high": found.high if enough else None,
                "outcomes": {key: int(n) for key, n in sorted(Counter(chosen["outcome"]).items())},
                "median_minutes": round(statistics.median(minutes), 1) if minutes else None,
            }
        )
    return rows


def minutes_of(attempts: pd.DataFrame) -> list[float]:
    """Active minutes of the attempts that ended with an answer."""
    return [int(seconds) / 60 for seconds in tried(attempts)["active_s"].dropna()]
