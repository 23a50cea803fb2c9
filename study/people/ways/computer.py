"""Send it to my computer: somebody who opened the study on a phone gets to the desk (engineering C1).

Whoever has an address gets their personal link there once more. Whoever has none
gets a short code on the screen, good once and for a few minutes, beside the
resume key that they noted.
"""

from __future__ import annotations

from datetime import timedelta

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from study.accounts.models import new_code
from study.people.flows import normal_key
from study.people.mail import letters
from study.people.models import Letter, Participant
from study.people.ways.tokens import hash_of

KIND = "to_computer"
AGAIN_AFTER = timedelta(minutes=10)
MOST = 5
CODE_LENGTH = 8
CODE_MINUTES = 15


def has_address(participant: Participant) -> bool:
    """Whether there is a mailbox with a personal link."""
    return hasattr(participant, "invitation") and hasattr(participant, "contact") and bool(participant.contact.email)


def send_link(participant: Participant) -> Letter | None:
    """The letter that is on its way: a new one, or the last if it went out a moment ago or no more are allowed.

    Sent at once and not by a worker that may be down; what fails is tried again by the job. None without an address.
    """
    if not has_address(participant):
        return None
    with transaction.atomic():
        Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        last = Letter.objects.filter(participant=participant, kind=KIND).order_by("-wave").first()
        fresh = last and (last.sent_at is None or timezone.now() - last.sent_at < AGAIN_AFTER)
        if last is not None and (fresh or last.wave >= MOST):
            return last
        letter = letters.put(participant, KIND, wave=last.wave + 1 if last else 1)
    if letter is not None:
        letters.send_one(letter.pk)
        letter.refresh_from_db()
    return letter


def new_short_code(participant: Participant) -> str:
    """A code such as ``7KQ4-M2XD`` that opens this hour once on another machine. Its hash is kept for a few minutes."""
    code = new_code(CODE_LENGTH)
    cache.set(_name(code), participant.pk, CODE_MINUTES * 60)
    return f"{code[:4]}-{code[4:]}"


def by_short_code(text: str) -> Participant | None:
    """The participant a short code was shown to, once; None for any other text."""
    code = normal_key(text)
    found = cache.get(_name(code)) if len(code) == CODE_LENGTH else None
    # Whoever deletes it may use it: two requests with one code open one session.
    if found is None or not cache.delete(_name(code)):
        return None
    return Participant.objects.select_related("user").filter(pk=found, user__is_active=True).first()


def _name(code: str) -> str:
    return f"short-code:{hash_of(code)}"
