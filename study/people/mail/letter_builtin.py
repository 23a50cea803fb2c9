"""The letters that start an hour: the invitation, and the link for somebody's computer."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.people.mail.letter_kinds import LINK, UNTIL, Words, worded
from study.people.models import Letter, Participant, Stage
from study.people.ways.tokens import token_to_send
from study.people.wording_dates import last_moment


def own_link(participant: Participant) -> str:
    """The way back: their personal link, or the page that asks for the resume key or a code."""
    if hasattr(participant, "invitation"):
        return settings.REALIA_URL + reverse("invitation", args=[token_to_send(participant.invitation)])
    return settings.REALIA_URL + reverse("hour")


def still_invited(letter: Letter) -> bool:
    """Nobody who joined, declined or was taken back is written to."""
    participant = letter.participant
    invitation = participant.invitation
    settled = invitation.used_at or invitation.declined_at or invitation.revoked_at
    over = invitation.expires_at <= timezone.now()
    return not participant.end and participant.stage == Stage.INVITED and not settled and not over


@worded(
    "invitation",
    Words(
        label=_("Invitation"),
        told=_("Sent once, when somebody is invited and the cohort is open."),
        template="people/letters/invitation.txt",
        subject=_("Invitation: %(title)s"),
        places=(LINK, UNTIL),
        button=_("Look at the invitation"),
    ),
    wanted=still_invited,
    unasked=True,
)
def invitation(letter: Letter) -> dict[str, str]:
    """The public title, the facts, the link; never the study's private name (M7)."""
    return {"link": own_link(letter.participant), "until": last_moment(letter.participant.invitation)}


@worded(
    "to_computer",
    Words(
        label=_("Link for the computer"),
        told=_("Asked for by somebody who opened the study on a phone; sent at once."),
        template="people/letters/to_computer.txt",
        subject=_("For your computer: %(title)s"),
        button=_("Go on"),
    ),
    wanted=lambda letter: not letter.participant.end,
    while_closed=True,
)
def to_computer(letter: Letter) -> dict[str, str]:
    """The personal link and nothing that was not in the invitation (M7)."""
    return {"link": own_link(letter.participant)}
