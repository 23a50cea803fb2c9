"""The protocol a cohort's people get: the frozen version fixed when the cohort opened."""

from __future__ import annotations

from study.people.language import speak, spoken
from study.people.models import Cohort, Participant
from study.protocols.models import Protocol, ProtocolState
from study.protocols.schema import ProtocolFile
from study.protocols.translations import translated

# A frozen text never changes, so its parsed value is kept by its hash.
_parsed: dict[tuple[str, str], ProtocolFile] = {}
KEPT = 32


class NoProtocol(Exception):
    """The study has no frozen protocol."""


def newest_frozen(study_id: int) -> Protocol | None:
    return Protocol.objects.filter(study_id=study_id, state=ProtocolState.FROZEN).order_by("-number").first()


def protocol_of(cohort: Cohort) -> Protocol:
    """The cohort's version; before it opens, the newest frozen one. Raises NoProtocol."""
    row = (
        newest_frozen(cohort.study_id)
        if cohort.protocol_number is None
        else Protocol.objects.filter(
            study_id=cohort.study_id, number=cohort.protocol_number, state=ProtocolState.FROZEN
        ).first()
    )
    if row is None:
        raise NoProtocol(f"Study {cohort.study_id} has no frozen protocol.")
    return row


def file_of(protocol: Protocol, language: str | None = None) -> ProtocolFile:
    """The parsed file of a version, in the language of the page being made (``language.py``); a frozen one is parsed
    once per process. ``language`` names another one; empty for the base.
    """
    wanted = spoken() if language is None else language
    if not protocol.sha256:
        return translated(protocol.value, wanted)
    key = (protocol.sha256, wanted)
    if key not in _parsed:
        if len(_parsed) >= KEPT:
            _parsed.clear()
        _parsed[key] = translated(protocol.value, wanted)
    return _parsed[key]


def language_of(participant: Participant) -> str:
    """What the participant's pages and letters are in: as chosen at the door, else the protocol's base language."""
    if participant.language:
        return participant.language
    try:
        return file_of(protocol_of(participant.cohort), "").meta.language
    except NoProtocol:
        return ""


def speak_to(participant: Participant) -> None:
    """From here on this request is in the participant's language."""
    speak(language_of(participant))
