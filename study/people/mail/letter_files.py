"""Mail as files in the data folder, for the demo and for development: one letter per file, named for whose it is.

So that erasing somebody finds their letters (P-43), whatever else was sent in the same second.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from study.people.mail.letter_making import WHOSE

PLACE = "EMAIL_FILE_PATH"
HOUSE = "house"
"""Mail that belongs to no participant: sign-in codes, invitations of staff, tests of letters."""


def folder() -> Path:
    return Path(str(getattr(settings, PLACE)))


class EmailBackend(BaseEmailBackend):
    """Writes each message as ``<moment>-<code>-<random>.log``."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        sent = 0
        for message in email_messages:
            if not message.recipients():
                continue
            whose = str(message.extra_headers.get(WHOSE, HOUSE))
            path = place / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{whose}-{secrets.token_hex(4)}.log"
            path.write_bytes(message.message().as_bytes())
            sent += 1
        return sent


def files_of(code: str) -> Iterator[Path]:
    """The letters that one participant was sent, as far as they were written to files here."""
    yield from sorted(folder().glob(f"*-{code}-*.log"))
