"""Letters of an incident: that everything stands, and that they can go on."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from study.fieldwork import incidents
from study.people.mail.letter_kinds import LINK, Place, Words, worded
from study.people.mail.reminding import own_link
from study.people.models import Letter


def still_stands(letter: Letter) -> bool:
    row = incidents.of_letter(letter)
    return row is not None and row.over_at is None and not letter.participant.end


@worded(
    incidents.LETTER,
    Words(
        label=_("Incident"),
        told=_("Sent at once to everybody in the hour when a coordinator presses the incident button."),
        template="fieldwork/letters/incident.txt",
        subject=_("About your hour: %(title)s"),
        places=(LINK, Place("reason", _("what they are told"), incidents.TOLD)),
        needed=("reason",),
        button=_("To your page"),
    ),
    wanted=still_stands,
    while_closed=True,
)
def incident(letter: Letter) -> dict[str, str]:
    row = incidents.of_letter(letter)
    return {"link": own_link(letter.participant), "reason": incidents.words_of(row) if row else ""}


@worded(
    incidents.OVER_LETTER,
    Words(
        label=_("Incident over"),
        told=_("Sent to whoever got the letter about an incident, once it is over."),
        template="fieldwork/letters/incident_over.txt",
        subject=_("You can go on: %(title)s"),
        button=_("Go on"),
    ),
    wanted=lambda letter: not letter.participant.end and not incidents.going_on(letter.participant.study_id),
    while_closed=True,
)
def incident_over(letter: Letter) -> dict[str, str]:
    return {"link": own_link(letter.participant)}
