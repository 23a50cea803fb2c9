"""The copy somebody keeps of what they agreed to, as a document in the language they read it in."""

from __future__ import annotations

from datetime import UTC

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from study.people.language import direction, speaking
from study.people.models import Consent
from study.people.protocol import file_of
from study.protocols.documents.parts import Document, Sheet
from study.protocols.models import Protocol
from study.protocols.schema import ProtocolFile


def frozen_for(consent: Consent) -> ProtocolFile:
    """The protocol whose text was agreed to, in the language in which it was read."""
    protocol = Protocol.objects.get(study_id=consent.participant.study_id, number=consent.protocol_number)
    return file_of(protocol, consent.language or "")


def chosen(consent: Consent) -> list[tuple[str, bool]]:
    """The optional lines in their own words, and whether each was ticked."""
    words = {statement.id: statement.text for statement in frozen_for(consent).consent.optional}
    return [(words.get(key, key), bool(given)) for key, given in consent.options.items()]


def copy_of(consent: Consent) -> Document:
    """The text as it was accepted; beside it the moment, the version and the mark of the text."""
    participant, file = consent.participant, frozen_for(consent)
    language = consent.language or file.meta.language
    with speaking(language):
        sheet = Sheet()
        title, _blank, text = consent.text.partition("\n\n")
        sheet.heading(title)
        sheet.words(text)
        sheet.heading(_("Optional, as chosen then"))
        sheet.facts((text, _("yes") if given else _("no")) for text, given in chosen(consent))
        sheet.heading(_("Who runs the study"))
        team = file.team
        sheet.say(f"{team.name}. {team.funder} {team.ethics}", f"{team.contact} {team.email}. {team.complaints}")
        moment = date_format(consent.at.astimezone(UTC), "j F Y, H:i")
        about = _("%(code)s agreed on %(moment)s UTC to the text below.") % {
            "code": participant.code, "moment": moment}  # fmt: skip
        mark = _("Mark of this text:")
        version = _("version %(version)s") % {"version": consent.version} if consent.version else ""
        return Document(
            name="consent",
            title=_("What you agreed to"),
            about=f"{about} {version}".strip(),
            foot=f"{participant.code} · {mark} {consent.sha256}",
            language=language,
            direction=direction(language),
            blocks=tuple(sheet.blocks),
        )
