"""Finding a person again by what somebody has in their hand: a code, an address, a panel id.

Addresses and panel ids are stored encrypted, so only a whole one is found, by its keyed hash. What was typed is in no
URL and no log.
"""

from __future__ import annotations

from django.db.models import Q

from study.accounts.encrypted import address_hash
from study.accounts.models import Study
from study.people.models import Participant, ParticipantQuerySet
from study.people.ways.arrivals import panel_hash
from study.people.ways.panels import panel_of

SHORTEST_PART = 3


def panel_hashes(study: Study, text: str) -> list[str]:
    """The keyed hashes this panel id can have: one for each panel that the study's cohorts come from."""
    panels = [cohort for cohort in study.cohorts.all() if cohort.panel]
    found = ((cohort, panel_of(cohort)) for cohort in panels)
    return [panel_hash(cohort, panel, text) for cohort, panel in found if panel]


def find(study: Study, text: str) -> tuple[ParticipantQuerySet, bool]:
    """The people of a study that this text means, and whether a contact was what found them.

    A whole code or completion code first, then an address or a panel id, then a part of a code.
    """
    people = Participant.objects.people().filter(study=study)
    text = text.strip()
    if not text:
        return people.none(), False
    code = text.upper()
    exact = people.filter(Q(code=code) | Q(code=f"P-{code}") | Q(completion_code=code))
    if exact.exists():
        return exact, False
    hashes = Q(contact__email_hash=address_hash(text)) | Q(contact__panel_hash__in=panel_hashes(study, text))
    by_contact = people.filter(hashes)
    if by_contact.exists():
        return by_contact, True
    if "@" in text or len(code) < SHORTEST_PART:
        return people.none(), False
    return people.filter(Q(code__contains=code) | Q(completion_code__contains=code)), False
