"""What every page of the hour shows around its content: title, code, who runs the study, ways to ask and to leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from study.people.models import Cohort, Participant
from study.people.protocol import file_of, protocol_of
from study.people.sample.moments import told
from study.people.ways.panels import ending
from study.protocols.models import Protocol
from study.protocols.schema import ProtocolFile


@dataclass(frozen=True)
class Visits:
    """How often people of a cohort come, as they are told before they consent: the same for all its arms (M1)."""

    fewest: int
    most: int
    first_day: int
    last_day: int


def visits_of(cohort: Cohort, file: ProtocolFile) -> Visits | None:
    """None where everybody comes once."""
    arms = [arm for arm in file.arms if arm.code in cohort.arm_codes]
    numbers = [len(arm.plans) for arm in arms]
    if not numbers or max(numbers) < 2:
        return None
    waits = [arm.washout for arm in arms if arm.visits]
    return Visits(min(numbers), max(numbers), min(w.at_least_days for w in waits), max(w.at_most_days for w in waits))


def cohort_frame(cohort: Cohort, protocol: Protocol | None = None) -> dict[str, Any]:
    """Context for ``people/page.html`` before anybody has joined. Never the study's private name or code (M7)."""
    file = file_of(protocol or protocol_of(cohort))
    return {
        "protocol": file,
        "public_title": file.meta.public_title,
        "team": file.team,
        "visits_told": visits_of(cohort, file),
        "paid_by": cohort,
        "ask": cohort.contact_email or file.team.email,
        "closing": told(cohort.closes_at, cohort.zone) if cohort.closes_at else None,
    }


def hour_frame(participant: Participant, protocol: Protocol | None = None) -> dict[str, Any]:
    """Context for ``people/page.html``: the same with the participant, whose code and links then show."""
    context = cohort_frame(participant.cohort, protocol) | {"participant": participant}
    if participant.end and participant.cohort.panel:
        context["panel_end"] = ending(participant)
    return context
