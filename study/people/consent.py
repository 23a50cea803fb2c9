"""Consent: the exact text somebody was shown, and the record that they accepted it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from study.people.models import Consent, Participant
from study.protocols.models import Protocol
from study.protocols.schema import ProtocolFile


def consent_text(file: ProtocolFile) -> str:
    """Everything the consent page says, as one text: what is hashed and what people keep."""
    consent = file.consent
    parts = [consent.title, consent.intro]
    for section in consent.sections:
        parts += [section.heading, section.text]
    parts += [f"[ ] {statement.text}" for statement in consent.statements]
    parts += [f"( ) {statement.text}" for statement in consent.optional]
    return "\n\n".join(part.strip() for part in parts)


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def missing_ticks(file: ProtocolFile, ticked: Iterable[str]) -> list[str]:
    """Ids of the statements that still need a tick; the optional ones never do."""
    given = set(ticked)
    return [statement.id for statement in file.consent.statements if statement.id not in given]


def record(participant: Participant, protocol: Protocol, file: ProtocolFile, ticked: Iterable[str]) -> Consent:
    """The one record of this person and this text; it is never changed afterwards (P-44)."""
    text = consent_text(file)
    given = set(ticked)
    row, _made = Consent.objects.get_or_create(
        participant=participant,
        sha256=text_hash(text),
        defaults={
            "text": text,
            "protocol_number": protocol.number,
            "options": {statement.id: statement.id in given for statement in file.consent.optional},
        },
    )
    return row


def agreed(participant: Participant, option: str) -> bool:
    """Whether the participant ticked this optional statement in their latest consent; False where it was not asked."""
    row = participant.consents.order_by("-pk").first()
    return bool(row and row.options.get(option))
