"""The people of a cohort as coordinators see them, with what became of their letters. Reading only."""

from __future__ import annotations

from django.db.models import F
from django.utils.translation import gettext as _

from study.people.models import Cohort, Letter, Participant


def people_of(cohort: Cohort) -> list[Participant]:
    """The cohort's people with contact and letters, those who moved last first."""
    return list(
        cohort.participants.people()
        .select_related("contact", "invitation", "user")
        .prefetch_related("letters")
        .order_by(F("last_seen_at").desc(nulls_last=True), "-pk")
    )


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
