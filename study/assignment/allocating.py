"""Giving people their arm: the rows around ``allocation``. The caller holds the study's row and has the consent."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from study.accounts.audit import audit
from study.accounts.models import User
from study.assignment import allocation
from study.assignment.models import Allocation, AllocationSeed
from study.assignment.told import FIXED as FIXED
from study.assignment.told import RANDOMISED
from study.people.models import Cohort, Participant
from study.people.protocol import file_of, protocol_of
from study.protocols.design import Arm, ArmVisit
from study.protocols.schema import ProtocolFile


@dataclass(frozen=True)
class Given:
    """What one person was given: the arm, their visits in their order, and how it came about."""

    arm: Arm
    plans: tuple[ArmVisit, ...]
    kind: str
    block: str


def arms_of(cohort: Cohort, file: ProtocolFile) -> list[Arm]:
    """The arms a cohort feeds. Raises KeyError for one the protocol does not have."""
    return [file.arm(code) for code in cohort.arm_codes]


def seed_of(cohort: Cohort) -> int:
    """The cohort's stored seed, drawn at the first need."""
    row, _made = AllocationSeed.objects.get_or_create(
        cohort=cohort, defaults={"seed": secrets.randbits(allocation.SEED_BITS)}
    )
    return row.seed


@transaction.atomic
def commit_seed(cohort: Cohort, *, by: User | None) -> None:
    """Draw the seed before anybody joins and put its hash into the audit log; nothing where chance decides nothing."""
    if not allocation.is_drawn(arms_of(cohort, file_of(protocol_of(cohort)))):
        return
    if AllocationSeed.objects.filter(cohort=cohort).exists():
        return
    said = {"arms": list(cohort.arm_codes), "sha256": allocation.commitment(seed_of(cohort))}
    audit("allocation.committed", by=by, study=cohort.study, target=f"cohort {cohort.code}", **said)


def allocate(participant: Participant, file: ProtocolFile) -> Allocation | None:
    """The participant's one allocation, made now if need be; None for a preview, who chooses and is counted nowhere.

    Somebody who leaves keeps theirs: the next person gets the next slot, never a used one.
    """
    if participant.preview:
        arm = participant.arm or participant.cohort.arm_codes[0]
        Participant.objects.filter(pk=participant.pk).update(arm=arm)
        participant.arm = arm
        return None
    row = Allocation.objects.filter(participant=participant).first()
    if row is None:
        row = _next_slot(participant, file)
        Participant.objects.filter(pk=participant.pk).update(arm=row.arm)
    participant.arm = row.arm
    return row


def _next_slot(participant: Participant, file: ProtocolFile) -> Allocation:
    cohort = participant.cohort
    arms = arms_of(cohort, file)
    drawn = allocation.is_drawn(arms)
    screening = participant.screenings.order_by("number").first()
    answers = screening.answers if screening else {}
    cell = allocation.cell_of(file.allocation.cells, answers)[:200] if drawn else ""
    seed = allocation.cell_seed(seed_of(cohort), cell) if drawn else 0
    last = Allocation.objects.filter(cohort=cohort, cell=cell).aggregate(last=Max("number"))["last"] or 0
    slot = allocation.slot(arms, file.allocation.blocks, seed, last + 1)
    return Allocation.objects.create(
        study_id=participant.study_id,
        cohort=cohort,
        cell=cell,
        number=slot.number,
        block=slot.block,
        participant=participant,
        kind=RANDOMISED if slot.drawn else FIXED,
        arm=slot.arm,
        order=list(slot.order),
        seed=seed,
    )


def given_to(participant: Participant, file: ProtocolFile) -> Given:
    """What a participant with an arm was given. Without a row (a preview) the visits come in file order."""
    arm = file.arm(participant.arm or participant.cohort.arm)
    row = Allocation.objects.filter(participant=participant).first()
    order = (row.order if row else None) or [plan.code for plan in arm.plans]
    plans = tuple(arm.plan(code) for code in order)
    if row is None or row.kind == FIXED:
        return Given(arm, plans, FIXED, "")
    return Given(arm, plans, row.kind, allocation.block_label(participant.cohort.code, row.cell, row.block))
