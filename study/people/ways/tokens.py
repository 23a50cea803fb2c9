"""Tokens of personal links and resume keys. The database holds hashes only (P-41).

An invitation's token is derived, not stored: a keyed hash (SECRET_KEY) of the
participant's number and code and the moment of the invitation. The worker that
writes the letter can thus make it again, while a copy of the database opens no
link. After a change of SECRET_KEY links already sent keep working, since their
hashes stand; a letter not yet sent gets a new token and a new hash. No token
enters a log, an audit row or a job's parameters.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from datetime import datetime

from django.utils.crypto import salted_hmac

from study.accounts.models import new_code
from study.people.models import Invitation, Participant

SALT = "study.people.invitation"
KEY_LENGTH = 12


def hash_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def make_token(participant: Participant, at: datetime) -> str:
    """The token of an invitation made at ``at``: 32 characters of the URL-safe alphabet."""
    value = f"{participant.pk}:{participant.code}:{at.timestamp():.6f}"
    return urlsafe_b64encode(salted_hmac(SALT, value, algorithm="sha256").digest()[:24]).decode()


def token_to_send(invitation: Invitation) -> str:
    """The token for a letter about to be sent, with the stored hash brought in line if the key has changed."""
    token = make_token(invitation.participant, invitation.created_at)
    if invitation.token_hash != hash_of(token):
        invitation.token_hash = hash_of(token)
        invitation.save(update_fields=["token_hash"])
    return token


def new_resume_key() -> str:
    """A key such as ``7KQ4-M2XD-9PRT``, 58 bits, shown once to people who have no address here."""
    text = new_code(KEY_LENGTH)
    return "-".join(text[n : n + 4] for n in range(0, KEY_LENGTH, 4))
