"""The protocol a cohort's people get: the frozen version fixed when the cohort opened."""

from __future__ import annotations

from study.people.models import Cohort
from study.protocols.models import Protocol, ProtocolState
from study.protocols.schema import ProtocolFile

# A frozen text never changes, so its parsed value is kept by its hash.
_parsed: dict[str, ProtocolFile] = {}
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


def file_of(protocol: Protocol) -> ProtocolFile:
    """The parsed file of a frozen version, parsed once per process."""
    key = protocol.sha256
    if not key:
        return protocol.value
    if key not in _parsed:
        if len(_parsed) >= KEPT:
            _parsed.clear()
        _parsed[key] = protocol.value
    return _parsed[key]
