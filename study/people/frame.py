"""What every page of the hour shows around its content: title, code, who runs the study, ways to ask and to leave."""

from __future__ import annotations

from typing import Any

from study.people.models import Cohort, Participant
from study.people.protocol import file_of, protocol_of
from study.protocols.models import Protocol


def cohort_frame(cohort: Cohort, protocol: Protocol | None = None) -> dict[str, Any]:
    """Context for ``people/page.html`` before anybody has joined. Never the study's private name or code (M7)."""
    file = file_of(protocol or protocol_of(cohort))
    return {
        "protocol": file,
        "public_title": file.meta.public_title,
        "team": file.team,
        "ask": cohort.contact_email or file.team.email,
    }


def hour_frame(participant: Participant, protocol: Protocol | None = None) -> dict[str, Any]:
    """Context for ``people/page.html``: the same with the participant, whose code and links then show."""
    return cohort_frame(participant.cohort, protocol) | {"participant": participant}
