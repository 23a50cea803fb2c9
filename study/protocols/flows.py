"""What people do with a study's protocol: import, save a draft, freeze, export. Views and commands call these."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.protocols.checks_study import study_findings
from study.protocols.models import Protocol, ProtocolState
from study.protocols.nodes import MAX_BYTES, normal_text, unreadable_character
from study.protocols.problems import ProtocolInvalid
from study.protocols.reading import Reading, read, sha256_of


class DraftNotSaved(ValueError):
    """The draft was left as it is; the message says why and what to do."""


class NotFrozen(ValueError):
    """There was nothing to freeze, or it changed in the meantime."""


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
    return read(text, private_names=(study.name,), more=lambda file: study_findings(study, file))


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
def freeze_protocol(protocol: Protocol, by: User | None, *, sha256: str | None = None) -> Protocol:
    """Freeze a draft for good: from now on its text never changes.

    ``sha256`` is what the person looked at; a text that changed since is not
    frozen. Raises ProtocolInvalid when it has errors, NotFrozen when it is no
    draft any more or has changed.
    """
    reading = read_for(protocol.study, protocol.text)
    if not reading.ok:
        raise ProtocolInvalid(reading.problems)
    digest = sha256_of(protocol.text)
    if sha256 is not None and sha256 != digest:
        raise NotFrozen(_("The draft has changed since you opened this page. Look at it again before you freeze it."))
    claimed = Protocol.objects.filter(pk=protocol.pk, state=ProtocolState.DRAFT, text=protocol.text).update(
        state=ProtocolState.FROZEN, sha256=digest, frozen_at=timezone.now(), frozen_by=by
    )
    if not claimed:
        raise NotFrozen(_("This version is frozen already, or its text has just changed."))
    audit("protocol.frozen", by=by, study=protocol.study, target=f"protocol {protocol.number}", sha256=digest)
    return Protocol.objects.get(pk=protocol.pk)


def export_text(protocol: Protocol) -> bytes:
    """The file, byte for byte what the sha256 of a frozen version is taken over."""
    return normal_text(protocol.text).encode("utf-8")
