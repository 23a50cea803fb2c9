"""The claims of the plan in their order: K1, K2, K3, each at the level, stopping at the first that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.comparing.multiplicity import fixed_sequence, holm
from analysis.contrasts import Contrast

TITLES = {
    "K1": "Sensitivity: the Org is approved of above its control",
    "K2": "Arms: the mean approval of two arms differs",
    "K3": "Published: the mean approval differs from a published one",
}

UNTESTABLE = "can't be tested"


@dataclass(frozen=True)
class Claim:
    """rows: the contrasts it rests on, empty where the study has none. above: it must lie above 0, not only differ."""

    name: str
    rows: Sequence[Contrast]
    above: bool = False


def in_order(claims: Sequence[Claim], level: float) -> list[dict[str, Any]]:
    """Each claim with its rows and what came of it.

    A claim with more than one row is adjusted by Holm within itself and passes when every row does, so that the
    next one may be tested at the full level. A row without p (too few raters, or all alike) shows nothing, so its
    claim doesn't pass, and it isn't called failed either.
    """
    alpha = 1 - level
    adjusted = [_adjusted(claim) for claim in claims]
    passed = [_passed(claim, p, alpha) for claim, p in zip(claims, adjusted, strict=True)]
    outcomes = fixed_sequence(passed)
    return [
        {
            "claim": claim.name,
            "title": TITLES[claim.name],
            "outcome": UNTESTABLE if outcome == "failed" and None in p else outcome,
            "alpha": alpha,
            "rows": [{"id": row.id, "p": q} for row, q in zip(claim.rows, p, strict=True)],
        }
        for claim, p, outcome in zip(claims, adjusted, outcomes, strict=True)
    ]


def _adjusted(claim: Claim) -> list[float | None]:
    p = [row.p for row in claim.rows]
    known = [one for one in p if one is not None]
    by_holm = iter(holm(known))
    return [None if one is None else next(by_holm) for one in p]


def _passed(claim: Claim, p: Sequence[float | None], alpha: float) -> bool | None:
    if not claim.rows:
        return None
    for row, one in zip(claim.rows, p, strict=True):
        # The p is a permutation's and the interval is t: above 0 only when both say so, as the report's sentence does.
        if one is None or one > alpha or (claim.above and min(row.estimate or 0.0, row.low or 0.0) <= 0):
            return False
    return True
