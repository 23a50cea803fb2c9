"""A difference between two things rated, with the kind of comparison it is (M1)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["within rater", "randomised", "not randomised", "historical"]
CAUSAL: tuple[Kind, ...] = ("within rater", "randomised")
"""Only these may be worded as an effect of the Org."""


@dataclass(frozen=True)
class Contrast:
    """One row of `comparisons` in results.json: a − b.

    estimate, low, high are in the unit of the estimand (shares 0 to 1, scores 1 to 5); None where the data allow
    none, and `note` says why. raters_a and raters_b: the people behind each side, the same ones where the kind is
    `within rater`, then n is their number. p with the name of its test; `p_adjusted` within `family` by
    `adjustment`. effect: a standardised size with its name. seed and replicates: where something was drawn.
    """

    id: str
    estimand: str
    kind: Kind
    a: str
    b: str
    scope: str
    estimator: str
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    raters_a: int
    raters_b: int
    p: float | None = None
    test: str = ""
    p_adjusted: float | None = None
    adjustment: str = ""
    family: str = ""
    effect: float | None = None
    effect_name: str = ""
    margin: float | None = None
    equivalence_p: float | None = None
    seed: int | None = None
    replicates: int | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The row as results.json has it: numbers to eight decimals, None for what there is not."""
        return {key: round(value, 8) if isinstance(value, float) else value for key, value in asdict(self).items()}
