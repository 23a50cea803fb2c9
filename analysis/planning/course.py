"""How a study went, rater by rater in the order in which their ratings were locked, and its planned looks.

The running study and the report ask the same functions, so that a look can be found again from the bundle alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.context import Context
from analysis.estimates import Group, top_two
from analysis.groups import control_recipe
from analysis.planning.stopping import Look, StoppingRule, Verdict, look

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """One group's analysed raters in the order of their locks; whoever left without locking comes last.

    codes, begun, locked: (raters,); approvals, valid: (raters, targets), the Org alone for Org approval, else the
    objects; clusters: (raters,), None where the rater is the cluster. control: the group rated a control Org only.
    """

    arm: str
    group: str
    control: bool
    codes: tuple[str, ...]
    begun: tuple[pd.Timestamp | None, ...]
    locked: tuple[pd.Timestamp | None, ...]
    targets: tuple[str, ...]
    approvals: Floats
    valid: Floats
    clusters: NDArray[np.int64] | None

    @property
    def locked_raters(self) -> int:
        """Looks count only these: the place of the others in the order is not known while a study runs."""
        return sum(time is not None for time in self.locked)


@dataclass(frozen=True)
class ArmLook:
    """One planned look at an arm: enough when every group that is asked has enough."""

    n: int
    verdict: Verdict
    of_groups: dict[str, Look]


def courses(context: Context, rule: StoppingRule) -> list[Course]:
    """Every group of the bundle. One without ratings has no raters."""
    return [_course(context, group, rule) for group in context.groups]


def asked(of_arm: Sequence[Course]) -> list[Course]:
    """The groups of an arm that its rule is about: those of the Org, not of its control, if there are any."""
    return [one for one in of_arm if not one.control] or list(of_arm)


def available(of_arm: Sequence[Course]) -> int:
    """Analysed raters who have locked, in every asked group of the arm."""
    return min((one.locked_raters for one in asked(of_arm)), default=0)


def looks(rule: StoppingRule, of_arm: Sequence[Course]) -> list[ArmLook]:
    """The planned looks of one arm that there are raters for, up to and with the first that says enough."""
    found: list[ArmLook] = []
    for n in rule.planned:
        if n > available(of_arm) or (found and found[-1].verdict == "enough"):
            break
        found.append(look_at(rule, of_arm, n))
    return found


def look_at(rule: StoppingRule, of_arm: Sequence[Course], n: int) -> ArmLook:
    """One look at the first n raters of each group of an arm."""
    of_groups = {
        one.group: look(rule, n, one.approvals, one.valid, one.clusters) for one in of_arm if one.locked_raters >= n
    }
    enough = all(of_groups[one.group].enough for one in asked(of_arm))
    return ArmLook(n, "enough" if enough else "not yet", of_groups)


def _course(context: Context, group: Group, rule: StoppingRule) -> Course:
    ratings = group.ratings[group.ratings["analysed"]]
    kind = "org" if rule.estimand == "org_approval" else "object"
    ratings = ratings[ratings["kind"] == kind]
    of_visit = context.visits.reindex(ratings["visit"].unique())
    order = of_visit.assign(locked_at=_locked(context, of_visit), code=of_visit["participant"])
    order = order.sort_values(["locked_at", "code"], na_position="last").drop_duplicates("code")
    codes = order["code"].tolist()
    targets = sorted(set(ratings["target"]))
    scored = ratings[ratings["score"].notna()]
    approvals, valid = np.zeros((len(codes), len(targets))), np.zeros((len(codes), len(targets)))
    rows, columns = pd.Index(codes).get_indexer(scored["rater"]), pd.Index(targets).get_indexer(scored["target"])
    np.add.at(valid, (rows, columns), 1)
    np.add.at(approvals, (rows, columns), top_two(scored["score"]).to_numpy(dtype=float))
    cluster_of = dict(zip(ratings["rater"], ratings["cluster"], strict=True))
    own = [cluster_of[code] for code in codes]
    clusters = None if own == codes else pd.factorize(pd.Series(own, dtype="object"))[0].astype(np.int64)
    return Course(
        arm=group.arm.split(",")[0], group=group.arm, control=bool(control_recipe(group, context.controls)),
        codes=tuple(codes), begun=_moments(order["begun"]), locked=_moments(order["locked_at"]),
        targets=tuple(targets), approvals=approvals, valid=valid, clusters=clusters,
    )  # fmt: skip


def _locked(context: Context, visits: pd.DataFrame) -> pd.Series[pd.Timestamp]:
    """When each visit's ratings were locked: of the visit, else of its last rating (earlier formats)."""
    last = context.bundle.frames["ratings"].groupby("visit")["locked_at"].max().reindex(visits.index)
    return visits["locked_at"].fillna(last)


def _moments(times: pd.Series[pd.Timestamp]) -> tuple[pd.Timestamp | None, ...]:
    return tuple(None if pd.isna(time) else time for time in times)
