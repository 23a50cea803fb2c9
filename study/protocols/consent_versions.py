"""Versions of the consent text: what is hashed, what a freeze may name how, and whom a change concerns (P-44)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache

from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.protocols.models import Protocol, ProtocolState
from study.protocols.problems import Finding
from study.protocols.reading import parse
from study.protocols.schema import ProtocolFile
from study.protocols.translations import languages_of, translated


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


def hashes_of(file: ProtocolFile) -> dict[str, str]:
    """The hash of the text in each language of a protocol."""
    return {language: text_hash(consent_text(translated(file, language))) for language in languages_of(file)}


@lru_cache(maxsize=64)
def _consent_of(_sha256: str, text: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    file = parse(text)
    return file.consent.version, file.consent.change, tuple(hashes_of(file).items())


def version_findings(study: Study, file: ProtocolFile) -> Iterator[Finding]:
    """Within a study one version is one text: a changed text needs another name, an unchanged one keeps its name."""
    own, mine = file.consent.version, hashes_of(file)
    base = mine[file.meta.language]
    for protocol in Protocol.objects.filter(study=study, state=ProtocolState.FROZEN).order_by("number"):
        version, _change, pairs = _consent_of(protocol.sha256, protocol.text)
        frozen = dict(pairs)
        if version == own and any(mine[one] != frozen[one] for one in mine.keys() & frozen.keys()):
            yield Finding(
                ("consent", "version"),
                _("Version %(version)s of the consent stands in protocol %(number)d with another text.")
                % {"version": version, "number": protocol.number},
                _("Give the changed text a new version, and say under change whether it is material or editorial."),
            )
            return
        if version != own and frozen.get(file.meta.language) == base:
            yield Finding(
                ("consent", "version"),
                _("This very text of the consent is version %(version)s in protocol %(number)d.")
                % {"version": version, "number": protocol.number},
                _("Keep its version: what people agreed to has not changed."),
            )
            return


def material_since(study_id: int, accepted: int, now: int) -> bool:
    """Whether, from one frozen protocol of a study to a later one, the consent changed in what it says."""
    between = Protocol.objects.filter(
        study_id=study_id, state=ProtocolState.FROZEN, number__gte=accepted, number__lte=now
    ).order_by("number")
    before: str | None = None
    material = False
    for protocol in between:
        version, change, _pairs = _consent_of(protocol.sha256, protocol.text)
        material = material or (before is not None and version != before and change == "material")
        before = version
    return material
