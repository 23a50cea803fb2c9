"""What is said about the next visit: by letter when it can begin, and as an entry for one's own calendar.

No word about the records, where they come from, or what the first visit showed (M7).
"""

from __future__ import annotations

from datetime import UTC, timedelta

from django.conf import settings
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from study.assignment.flows import NEXT_VISIT, window_after
from study.assignment.models import Visit
from study.people.mail.letter_kinds import LINK, UNTIL, Words, worded
from study.people.models import Letter, Participant, Stage
from study.people.moderated.calendar_file import entry


def waiting(participant: Participant) -> Visit | None:
    """The visit after which this person waits for their next one; None for everybody else."""
    visit = participant.visits.select_related("protocol").order_by("-period").first()
    if visit is None or visit.done_at is None or participant.end or participant.stage != Stage.LOCKED:
        return None
    visit.participant = participant
    return visit


def still_waiting(letter: Letter) -> bool:
    visit = waiting(letter.participant)
    return visit is not None and visit.period == letter.wave and not window_after(visit).is_over(timezone.now())


@worded(
    NEXT_VISIT,
    Words(
        label=_lazy("Next visit"),
        told=_lazy("Sent when the waiting time is over and the next visit can begin."),
        template="assignment/letters/next_visit.txt",
        subject=_lazy("You can begin your next visit: %(title)s"),
        places=(LINK, UNTIL),
        button=_lazy("Begin the next visit"),
    ),
    wanted=still_waiting,
    while_closed=True,
)
def next_visit(letter: Letter) -> dict[str, str]:
    """ "Your second visit can begin", on the day it can."""
    participant = letter.participant
    visit = waiting(participant)
    if visit is None:
        raise ValueError(f"{participant.code} waits for no visit.")
    until = formats.date_format(window_after(visit).last_minute.astimezone(UTC), "l j F Y, H:i")
    link = settings.REALIA_URL + reverse("next_visit", args=[participant.code])
    return {"link": link, "until": f"{until} UTC"}


def calendar(participant: Participant, visit: Visit, title: str, minutes: int) -> str:
    """A calendar file with one entry at the first moment the next visit can begin."""
    wait = window_after(visit)
    text = _("Any time until %(moment)s UTC. Begin here: %(link)s") % {
        "moment": f"{wait.last_minute:%Y-%m-%d %H:%M}",
        "link": settings.REALIA_URL + reverse("next_visit", args=[participant.code]),
    }
    return entry(
        f"{participant.code}-{visit.period + 1}",
        starts=wait.opens,
        ends=wait.opens + timedelta(minutes=minutes),
        title=title,
        text=text,
    )
