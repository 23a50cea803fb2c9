"""What people do with a study's protocol: import, save a draft, freeze, export. Views and commands call these."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.protocols import deviations
from study.protocols.checks_study import study_findings
from study.protocols.consent_versions import version_findings
from study.protocols.documents.parts import Gap
from study.protocols.models import Protocol, ProtocolState
from study.protocols.nodes import MAX_BYTES, normal_text, unreadable_character
from study.protocols.packs.gaps import gaps_of
from study.protocols.problems import Finding, ProtocolInvalid
from study.protocols.reading import Reading, read, sha256_of
from study.protocols.schema import ProtocolFile


class DraftNotSaved(ValueError):
    """The draft was left as it is; the message says why and what to do."""


class NotFrozen(ValueError):
    """There was nothing to freeze, or it changed in the meantime."""


class GapsLeft(ValueError):
    """Places of the papers are empty and nobody has said that this is meant. Nothing was frozen."""

    def __init__(self, gaps: tuple[Gap, ...]) -> None:
        self.gaps = gaps
        super().__init__(", ".join(gap.key for gap in gaps))


def draft_of(study: Study) -> Protocol | None:
    return Protocol.objects.filter(study=study, state=ProtocolState.DRAFT).first()


def newest_of(study: Study) -> Protocol | None:
    """The draft if there is one, else the newest frozen version."""
    return Protocol.objects.filter(study=study).order_by("-number").first()


def read_for(study: Study, text: str) -> Reading:
    """Value and problems, with the study's private name among the unwelcome words."""
    return read(text, private_names=(study.name,))


def look_at(study: Study, text: str) -> Reading:
    """As ``read_for``, with what the study's Orgs and questions make of it: for whoever is about to freeze it."""
    return read(text, private_names=(study.name,), more=lambda file: _of_study(study, file))


def _of_study(study: Study, file: ProtocolFile) -> Iterator[Finding]:
    yield from version_findings(study, file)
    yield from study_findings(study, file)


def import_protocol(study: Study, text: str, by: User | None) -> Protocol:
    """A checked text as the study's draft. Raises ProtocolInvalid and changes nothing when it has errors."""
    reading = read_for(study, text)
    if not reading.ok:
        raise ProtocolInvalid(reading.problems)
    return save_draft(study, text, by)


@transaction.atomic
def save_draft(study: Study, text: str, by: User | None, *, base: str | None = None) -> Protocol:
    """Keep a text as the draft, right or wrong, so that nothing typed is lost.

    ``base`` is the sha256 of the text the author started from (empty: no draft yet). When
    somebody else has saved since, raises DraftNotSaved and leaves theirs.
    """
    text = normal_text(text)
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES or unreadable_character(text):
        raise DraftNotSaved(_("This text can't be kept: it is too long or holds characters nobody can see."))
    # One writer at a time per study: the study's row is the lock.
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    draft = draft_of(study)
    if base is not None and base != (sha256_of(draft.text) if draft else ""):
        raise DraftNotSaved(
            _("Somebody saved another text meanwhile. Yours is below, unsaved; theirs is on the protocol page.")
        )
    now = timezone.now()
    if draft is None:
        last = Protocol.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0
        draft = Protocol.objects.create(study=study, number=last + 1, text=text, created_at=now, changed_at=now)
    elif draft.text != text:
        Protocol.objects.filter(pk=draft.pk, state=ProtocolState.DRAFT).update(text=text, changed_at=now)
        draft = Protocol.objects.get(pk=draft.pk)
    audit("protocol.saved", by=by, study=study, target=f"protocol {draft.number}", sha256=sha256_of(text))
    return draft


@transaction.atomic
def freeze_protocol(
    protocol: Protocol, by: User | None, *, sha256: str | None = None, with_gaps: bool = False, why: str = ""
) -> Protocol:
    """Freeze a draft for good: from now on its text never changes.

    ``sha256`` is what the person looked at; a text that changed since is not
    frozen. ``with_gaps``: empty places of the papers are known and meant.
    ``why``: goes into the log of deviations when people take part already.
    Raises ProtocolInvalid when it has errors, GapsLeft, NotFrozen when it is no
    draft any more or has changed.
    """
    study = protocol.study
    reading = read(protocol.text, private_names=(study.name,), more=lambda file: version_findings(study, file))
    if not reading.ok or reading.value is None:
        raise ProtocolInvalid(reading.problems)
    before, gaps = deviations.newest_frozen(study), gaps_of(reading.value)
    if gaps and not with_gaps:
        raise GapsLeft(gaps)
    digest = sha256_of(protocol.text)
    if sha256 is not None and sha256 != digest:
        raise NotFrozen(_("The draft has changed since you opened this page. Look at it again before you freeze it."))
    claimed = Protocol.objects.filter(pk=protocol.pk, state=ProtocolState.DRAFT, text=protocol.text).update(
        state=ProtocolState.FROZEN, sha256=digest, frozen_at=timezone.now(), frozen_by=by
    )
    if not claimed:
        raise NotFrozen(_("This version is frozen already, or its text has just changed."))
    empty = [gap.key for gap in gaps]
    audit("protocol.frozen", by=by, study=study, target=f"protocol {protocol.number}", sha256=digest, empty=empty)
    frozen = Protocol.objects.get(pk=protocol.pk)
    if before is not None:
        deviations.note_freeze(study, before, frozen, why, by)
    return frozen


def export_text(protocol: Protocol) -> bytes:
    """The file, byte for byte what the sha256 of a frozen version is taken over."""
    return normal_text(protocol.text).encode("utf-8")
