"""Which page a participant belongs on, from what is stored and nothing else."""

from __future__ import annotations

from django.urls import reverse

from study.people.consenting.consent import asked_again
from study.people.models import End, Participant, Stage
from study.people.moderated import slots

# URL names; the last five belong to fieldwork.
PAGE_OF = {
    Stage.JOINED: "screener",
    Stage.ELIGIBLE: "consent",
    Stage.CONSENTED: "orientation",
    Stage.WORKING: "work",
    Stage.RATING: "ratings",
    Stage.LOCKED: "closing",
    Stage.DONE: "finish",
}


def page_of(participant: Participant) -> str:
    """The URL name of the participant's page; "hour" while the invitation is not confirmed."""
    if participant.end == End.COMPLETE:
        return "finish"
    if participant.end:
        return "ended"
    if asked_again(participant):
        return "consent_again"
    if participant.stage == Stage.ELIGIBLE and slots.holds_back(participant):
        return "slot"
    return PAGE_OF.get(Stage(participant.stage), "hour")


def url_for(participant: Participant) -> str:
    name = page_of(participant)
    return reverse(name) if name == "hour" else reverse(name, args=[participant.code])
