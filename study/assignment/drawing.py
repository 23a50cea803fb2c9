"""What one visit is given, drawn from its seed and the exposures so far: tasks in order, objects, boxes. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from study.accounts.models import Study
from study.assignment import design, exposure
from study.protocols.design import ArmVisit
from study.protocols.schema import ProtocolFile
from study.sandbox.models import Org


@dataclass(frozen=True)
class Drawn:
    """The places in the order they are worked on, the objects in the order they are rated, the boxes' order."""

    places: tuple[design.Chosen, ...]
    objects: tuple[str, ...]
    boxes: tuple[str, ...]


def draw_visit(study: Study, file: ProtocolFile, arm: str, plan: ArmVisit, org: Org, seed: int) -> Drawn:
    """Raises design.CannotDraw. The caller holds the study's row, so that the counts stand still."""
    chosen = design.draw(
        exposure.pool_of(file.tasks, org), exposure.task_counts(study, arm), exposure.instance_counts(study, org), seed
    )
    cycle = exposure.visits_so_far(study, arm).count()
    return Drawn(
        places=design.in_order(chosen, cycle),
        objects=tuple(design.object_order(plan.rate, seed)),
        boxes=tuple(design.box_order(seed)),
    )
