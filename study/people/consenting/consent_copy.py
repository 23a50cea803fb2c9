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


def copy_of(consent: Consent) -> Document:
    """The text as it was accepted; beside it the moment, the version and the mark of the text."""
    participant = consent.participant
    protocol = Protocol.objects.get(study_id=participant.study_id, number=consent.protocol_number)
    language = consent.language or file_of(protocol, "").meta.language
    with speaking(language):
        file = file_of(protocol)
        words = {statement.id: statement.text for statement in file.consent.optional}
        sheet = Sheet()
        title, _blank, text = consent.text.partition("\n\n")
        sheet.heading(title)
        sheet.words(text)
        sheet.heading(_("Optional, as chosen then"))
        sheet.facts((words.get(key, key), _("yes") if given else _("no")) for key, given in consent.options.items())
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
