"""One visit made: its Org, its places and orders, all from one stored seed."""

from __future__ import annotations

import secrets
from typing import Any

from study.accounts.models import Study
from study.assignment import design, exposure
from study.assignment.allocating import Given
from study.assignment.allocation import SEED_BITS
from study.assignment.drawing import condition_of, draw_visit
from study.assignment.logbook import log
from study.assignment.models import Place, Visit
from study.assignment.orgs import resolve
from study.people.models import Participant
from study.people.moderated import slots
from study.people.protocol import file_of
from study.protocols.design import ArmVisit
from study.protocols.models import Protocol
from study.sandbox.models import Org


class CannotBegin(Exception):
    """No visit can be made now: an Org or instances are missing. Nothing has changed."""


def make_visit(
    study: Study, participant: Participant, protocol: Protocol, given: Given, period: int, seed: int | None
) -> Visit:
    """One visit of a person with its places. The study's row is locked by the caller. Raises CannotBegin."""
    file, plan = file_of(protocol), given.plans[period - 1]
    earlier = list(participant.visits.select_related("org").order_by("period"))
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    candidates = orgs_for(study, given, plan, earlier)
    try:
        org = org_in_turn(study, given, candidates)
        drawn = draw_visit(study, file, given.arm.code, plan, org, seed, **as_before(given, plan, earlier))
    except design.CannotDraw as error:
        raise CannotBegin(str(error)) from None
    visit = Visit.objects.create(
        participant=participant,
        period=period,
        arm=given.arm.code,
        condition=condition_of(file, given.arm.code, plan),
        allocation=given.kind,
        block=given.block,
        org=org,
        protocol=protocol,
        seed=seed,
        object_order=list(drawn.objects),
        box_order=list(drawn.boxes),
        language=participant.language or file.meta.language,
        moderator=slots.moderator_of(participant) if period == 1 else "",
    )
    detail = drawn.detail | {"protocol": protocol.number}
    if repeated(given, plan, earlier) is None:
        detail["orgs"] = [one.hash for one in candidates]
    for position, one in enumerate(drawn.places, start=1):
        place = Place.objects.create(
            visit=visit, position=position, instance_id=one.instance, task=one.task, stratum=one.stratum
        )
        log(study, place, "assigned", detail if position == 1 else None)
    return visit


def repeated(given: Given, plan: ArmVisit, earlier: list[Visit]) -> Visit | None:
    """The earlier visit whose Org this one has again, whichever of the two names the other."""
    linked = {plan.repeats} | {one.code for one in given.plans if one.repeats == plan.code}
    return next((visit for visit in earlier if visit.condition in linked), None)


def orgs_for(study: Study, given: Given, plan: ArmVisit, earlier: list[Visit]) -> list[Org]:
    """The repeated visit's Org, else those of the visit's list that this person does not know yet, if there are any."""
    if again := repeated(given, plan, earlier):
        return [again.org]
    orgs = [org for org in (resolve(reference, study) for reference in plan.orgs) if org is not None]
    known = {visit.org_id for visit in earlier}
    return [org for org in orgs if org.pk not in known] or orgs


def org_in_turn(study: Study, given: Given, orgs: list[Org]) -> Org:
    """The one with the fewest visits so far (M4). Raises design.CannotDraw."""
    by_pk = {org.pk: org for org in orgs}
    return by_pk[design.org_in_turn(list(by_pk), exposure.visits_by_org(study, given.arm.code, orgs))]


def as_before(given: Given, plan: ArmVisit, earlier: list[Visit]) -> dict[str, Any]:
    """What a later visit takes from the earlier ones: kinds of task to leave out, or the very same instances."""
    again = repeated(given, plan, earlier)
    if again and any(one.same_tasks for one in given.plans if one.code in (plan.code, again.condition)):
        return {"same": list(again.places.order_by("position"))}
    had = Place.objects.filter(visit__in=earlier).values_list("task", flat=True)
    return {"avoid": sorted(set(had))} if earlier else {}
