"""What it means that a letter was not taken: a dead address, a refusal, a server that asks for patience or is away.

Server replies repeat the address; only their kind and number are kept. Enhanced codes (RFC 3463) tell a mailbox that
does not exist (5.1.1) from a letter that a filter did not like (5.7.1): only the first is the address's fault.
"""

from __future__ import annotations

import re
import smtplib
from dataclasses import dataclass
from enum import Enum

from anymail.exceptions import (  # type: ignore[import-untyped]
    AnymailError,
    AnymailInvalidAddress,
    AnymailRecipientsRefused,
)

ENHANCED = re.compile(r"\b([245])\.(\d{1,3})\.(\d{1,3})\b")
FULL = 552
UNKNOWN_SENDER = (401, 403)
TOO_MANY = 429


class Trouble(Enum):
    DEAD = "the address does not exist or refuses for good"
    REFUSED = "refused for good, not for the address"
    LATER = "asked to try later"
    AWAY = "the server does not answer or does not know us"


@dataclass(frozen=True)
class Failure:
    trouble: Trouble
    said: str
    """The kind of error and its number; never an address."""


def failure(error: Exception) -> Failure:
    code, text = _reply(error)
    said = f"{type(error).__name__} {code or ''}".strip()
    return Failure(_trouble(error, code, text), said)


def _reply(error: Exception) -> tuple[int, str]:
    """The server's number and words; 0 where there are none."""
    replies: list[tuple[int, bytes | str]] = []
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        replies = list(error.recipients.values())
    elif isinstance(error, smtplib.SMTPResponseException):
        replies = [(error.smtp_code, error.smtp_error)]
    if not replies:
        return int(getattr(error, "status_code", 0) or 0), ""
    # One letter has one reader; of several replies the most patient one counts.
    code, raw = min(replies, key=lambda reply: int(reply[0]))
    return int(code), raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _trouble(error: Exception, code: int, text: str) -> Trouble:
    if isinstance(error, AnymailError):
        return _of_provider(error, code)
    if isinstance(error, smtplib.SMTPServerDisconnected):
        # It may come in the middle of one letter, so that letter's tries are counted.
        return Trouble.LATER
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return of_recipient(code, text)
    if isinstance(error, smtplib.SMTPDataError):
        return Trouble.LATER if 400 <= code < 500 else Trouble.REFUSED
    if isinstance(error, smtplib.SMTPSenderRefused) and 400 <= code < 500:
        return Trouble.LATER
    if isinstance(error, smtplib.SMTPException | OSError):
        return Trouble.AWAY
    return Trouble.REFUSED


def of_recipient(code: int, text: str) -> Trouble:
    """What a server's answer to one address means."""
    if not 500 <= code < 600:
        return Trouble.LATER
    _class, subject, detail = found.groups() if (found := ENHANCED.search(text)) else ("5", "1", "0")
    if code == FULL or (subject, detail) == ("2", "2"):
        return Trouble.LATER
    return Trouble.DEAD if subject == "1" or (subject, detail) == ("2", "1") else Trouble.REFUSED


def _of_provider(error: AnymailError, code: int) -> Trouble:
    if isinstance(error, AnymailRecipientsRefused | AnymailInvalidAddress):
        return Trouble.DEAD
    if code in UNKNOWN_SENDER or (not code and isinstance(error, OSError)):
        return Trouble.AWAY
    return Trouble.LATER if code == TOO_MANY or code >= 500 else Trouble.REFUSED
