"""What one visit is given, drawn from its seed and the exposures so far: tasks in order, objects, boxes. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from study.accounts.models import Study
from study.assignment import design, exposure
from study.assignment.giving import Ask, Given, give
from study.assignment.models import Place
from study.protocols.design import ArmVisit
from study.protocols.schema import ProtocolFile
from study.sandbox.models import Org


@dataclass(frozen=True)
class Drawn(Given):
    """What is given, and what the log needs beside the seed to rebuild it (``detail``, for its first row)."""

    detail: dict[str, Any]


def condition_of(file: ProtocolFile, arm: str, plan: ArmVisit) -> str:
    """What ``Visit.condition`` holds: which of the arm's visits this is, empty in an arm with one."""
    return plan.code if file.arm(arm).visits else ""


def asked(file: ProtocolFile, arm: str, plan: ArmVisit) -> Ask:
    """What the protocol says a visit has."""
    boxes = ("why",) if file.rating.rationale.boxes == "one" else ("right", "off")
    return Ask(rate=plan.rate, rate_each=file.arm(arm).rate_each, boxes=boxes)


def draw_visit(
    study: Study,
    file: ProtocolFile,
    arm: str,
    plan: ArmVisit,
    org: Org,
    seed: int,
    *,
    avoid: Collection[str] = (),
    same: Sequence[Place] = (),
) -> Drawn:
    """Raises design.CannotDraw. The caller holds the study's row, so that the counts stand still.

    ``avoid``: tasks of the person's earlier visits, given again only where the pool has no other. ``same``: the
    places of an earlier visit to the same Org, whose instances come again (test-retest).
    """
    condition = condition_of(file, arm, plan)
    pool = exposure.pool_of(file.tasks, org, study)
    again = tuple(design.Chosen(place.stratum, place.task, place.instance_id) for place in same)
    ask = replace(asked(file, arm, plan), avoid=frozenset(avoid), same=again)
    given = give(pool, exposure.seen(study, arm, condition, org), ask, seed)
    detail: dict[str, Any] = {"arm": arm, "condition": condition, "org": org.hash, "pool": pool.mark()}
    if ask.avoid:
        detail["avoid"] = sorted(ask.avoid)
    if ask.same:
        detail["same"] = [[one.stratum, one.task, one.instance] for one in ask.same]
    if given.fit:
        detail |= {"minutes": given.minutes, "fit": given.fit}
    return Drawn(**vars(given), detail=detail)
