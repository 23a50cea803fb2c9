"""What the analysis was promised to do: how many people, the primary estimand, sets, margin and stopping rule."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from study.protocols.design import Sets
from study.protocols.parts import Note, Part

Share = Annotated[float, Field(gt=0, lt=1)]
StoppingKind = Literal["fixed", "precision", "confidence_sequence", "alpha_spending"]


class Stopping(Part):
    """When joining ends. Numbers of people are analysed raters of one arm.

    ``fixed``: at n_target, without a look. ``precision``: look at ``first_look`` raters, then every ``every``; stop
    when half the width of the primary interval is at most ``half_width``. ``confidence_sequence``: the same of the
    confidence sequence, which may be looked at as often as one likes. ``alpha_spending``: ``looks`` looks, equally
    spaced up to n_target, each testing the primary estimand ``against`` a share; ``spending`` says how early the level
    is used up.
    """

    rule: StoppingKind
    first_look: Annotated[int, Field(ge=2, le=1000)] | None = None
    every: Annotated[int, Field(ge=1, le=1000)] | None = None
    half_width: Annotated[float, Field(gt=0, lt=0.5)] | None = None
    looks: Annotated[int, Field(ge=2, le=10)] | None = None
    spending: Literal["obrien_fleming", "pocock"] | None = None
    against: Share | None = None

    @property
    def given(self) -> dict[str, object]:
        """The keys that are written out beside ``rule``."""
        return {key: value for key, value in self.model_dump().items() if key != "rule" and value is not None}


KEYS_OF_RULE: dict[StoppingKind, tuple[str, ...]] = {
    "fixed": (),
    "precision": ("first_look", "every", "half_width"),
    "confidence_sequence": ("first_look", "every", "half_width"),
    "alpha_spending": ("looks", "spending", "against"),
}


class Planned(Part):
    """What the number of people was planned with. Everything the planner uses where a file does not say it.

    ``share``: approval expected. ``severity_sd``: of raters, on the logit scale. ``cannot_judge``: share of ratings
    that fall out. ``lost``: share of people who begin and are not analysed. ``within_rater_correlation``: of one
    rater's severity in two Orgs.
    """

    share: Share = 0.65
    severity_sd: Annotated[float, Field(ge=0, le=10)] = 0.7
    cannot_judge: Annotated[float, Field(ge=0, lt=1)] = 0.10
    lost: Annotated[float, Field(ge=0, lt=1)] = 0.15
    within_rater_correlation: Annotated[float, Field(ge=0, le=1)] = 0.8


class Analysis(Part):
    """What was promised before the first person took part. Numbers of people are per arm.

    ``margin``: of equivalence between two arms or visits, as a share; without it no equivalence is claimed.
    ``threshold``: the approval below which the conclusion would be another one; the tipping point of the people who
    were lost is reckoned from it (M17).
    """

    n_target: Annotated[int, Field(ge=1, le=100_000)]
    n_max: Annotated[int, Field(ge=1, le=100_000)]
    primary: Literal["mean_over_objects", "org_approval", "pooled_share"]
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    sets: Sets
    stopping: Stopping
    margin: Annotated[float, Field(gt=0, lt=0.5)] | None = None
    threshold: Share = 0.5
    planned: Planned | None = None
    note: Note | None = None

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of analysed raters of an arm at which one looks, up to n_max; none for a fixed number."""
        rule = self.stopping
        if rule.rule == "alpha_spending" and rule.looks:
            return tuple(sorted({-(-self.n_target * number // rule.looks) for number in range(1, rule.looks + 1)}))
        if rule.first_look is None or rule.every is None:
            return ()
        return tuple(range(rule.first_look, self.n_max + 1, rule.every))
