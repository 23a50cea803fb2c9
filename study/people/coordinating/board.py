"""The people of a cohort as coordinators see them, with what became of their letters. Reading only."""

from __future__ import annotations

from django.db.models import F
from django.utils.translation import gettext as _

from study.people.models import Cohort, Letter, Participant

NEWEST = 20


def people_of(cohort: Cohort) -> list[Participant]:
    """Those of a cohort who moved last, with letters; all of them, with contacts, stand in the list of people."""
    people = cohort.participants.people().prefetch_related("letters")
    return list(people.order_by(F("last_seen_at").desc(nulls_last=True), "-pk")[:NEWEST])


def letter_words(letter: Letter) -> str:
    words = {
        "due": _("waits to be sent"),
        "sending": _("being sent"),
        "sent": _("sent"),
        "failed": _("not sent"),
        "dropped": _("no longer needed"),
        "bounced": _("came back"),
    }[letter.state]
    return f"{words} ({letter.error})" if letter.error else words
