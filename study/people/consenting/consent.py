"""Consent: the exact text somebody was shown, the record that they accepted it, when they are asked again (P-44)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from study.people.models import Consent, ConsentChoice, Participant, Stage
from study.people.protocol import file_of, language_of, protocol_of
from study.protocols.consent_versions import consent_text as consent_text
from study.protocols.consent_versions import material_since
from study.protocols.consent_versions import text_hash as text_hash
from study.protocols.models import Protocol
from study.protocols.schema import ProtocolFile

BOUND = (Stage.CONSENTED, Stage.WORKING, Stage.RATING, Stage.LOCKED, Stage.DONE)


def missing_ticks(file: ProtocolFile, ticked: Iterable[str]) -> list[str]:
    """Ids of the statements that still need a tick; the optional ones never do."""
    given = set(ticked)
    return [statement.id for statement in file.consent.statements if statement.id not in given]


def joining_of(participant: Participant) -> int:
    """Which joining this is: somebody who left and came back agrees anew, and both records stand."""
    return max(1, participant.stage_events.filter(stage=Stage.JOINED, end="").count())


@transaction.atomic
def record(participant: Participant, protocol: Protocol, file: ProtocolFile, ticked: Iterable[str]) -> Consent:
    """The one record of this person, joining and text; it is never changed afterwards (P-44)."""
    text = consent_text(file)
    given = set(ticked)
    row, _made = Consent.objects.get_or_create(
        participant=participant,
        sha256=text_hash(text),
        joining=joining_of(participant),
        defaults={
            "text": text,
            "protocol_number": protocol.number,
            "version": file.consent.version,
            "language": language_of(participant),
            "options": {statement.id: statement.id in given for statement in file.consent.optional},
        },
    )
    return row


def newest(participant: Participant) -> Consent | None:
    return participant.consents.order_by("-pk").first()


def asked_again(participant: Participant) -> bool:
    """Whether the text has changed, in what it says, since this person agreed: then no page of the hour goes on."""
    if participant.end or participant.stage not in BOUND or participant.cohort.protocol_number is None:
        return False
    row, now = newest(participant), participant.cohort.protocol_number
    if row is None or row.protocol_number >= now or not material_since(participant.study_id, row.protocol_number, now):
        return False
    version = file_of(protocol_of(participant.cohort), "").consent.version
    joining = joining_of(participant)
    return not participant.consents.filter(version=version, joining=joining).exists()


def agreed(participant: Participant, option: str) -> bool:
    """Whether the participant stands by this optional statement now; False where it was not asked."""
    return options_now(participant).get(option, False)


def options_now(participant: Participant) -> dict[str, bool]:
    """The optional statements of the newest consent, each as last said: ticked then, or given or taken back since."""
    row = max(participant.consents.all(), key=lambda one: one.pk, default=None)
    if row is None:
        return {}
    said = dict(row.options)
    for choice in sorted(row.choices.all(), key=lambda one: one.pk):
        if choice.option in said:
            said[choice.option] = choice.given
    return said


@dataclass(frozen=True)
class Option:
    """One optional statement as somebody reads it, and whether it stands."""

    id: str
    text: str
    given: bool


def optional_of(participant: Participant) -> list[Option]:
    """What can be given or taken back: the statements that were asked of this person, in their protocol's words."""
    said = options_now(participant)
    row = newest(participant)
    protocol = (
        Protocol.objects.filter(study_id=participant.study_id, number=row.protocol_number).first() if row else None
    )
    if protocol is None:
        return []
    return [Option(one.id, one.text, said[one.id]) for one in file_of(protocol).consent.optional if one.id in said]


@transaction.atomic
def choose(participant: Participant, option: str, *, given: bool) -> bool:
    """Give or take back one optional statement. True when that changed something. Raises KeyError for one not asked."""
    Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    row = newest(participant)
    if row is None or option not in row.options:
        raise KeyError(option)
    if options_now(participant)[option] == given:
        return False
    ConsentChoice.objects.create(participant=participant, consent=row, option=option, given=given)
    return True
