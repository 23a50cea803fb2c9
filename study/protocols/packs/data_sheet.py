"""The data-protection sheet: purpose and basis apart from the consent to take part, who has what, and the log (M14)."""

from __future__ import annotations

from django.utils.translation import gettext as _

from study.protocols.documents.parts import Sheet
from study.protocols.packs.gaps import gap
from study.protocols.packs.telling import place
from study.protocols.packs.trace_fields import EVENT, PAGE
from study.protocols.schema import ProtocolFile


def data_sheet(sheet: Sheet, file: ProtocolFile) -> None:
    for title, key in (
        (_("Controller"), "controller"),
        (_("Data-protection officer"), "dpo"),
        (_("Purpose"), "purpose"),
        (_("Lawful basis"), "lawful_basis"),
    ):
        sheet.heading(title)
        place(sheet, file, key)
    _agreement(sheet, file)
    for title, key in ((_("Categories of data"), "categories"), (_("Recipients"), "recipients")):
        sheet.heading(title)
        place(sheet, file, key)
    _processors(sheet, file)
    for title, key in ((_("Places"), "places"), (_("Transfers"), "transfers")):
        sheet.heading(title)
        place(sheet, file, key)
    _retention(sheet, file)
    for title, key in (
        (_("Rights"), "rights"),
        (_("Until when"), "withdrawal_until"),
        (_("Key of the codes"), "pseudonym_key"),
    ):
        sheet.heading(title)
        place(sheet, file, key)
    _trace(sheet, file)
    _few(sheet, file)
    _dpia(sheet, file)


def _agreement(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("Agreement to take part"))
    sheet.say(_("Asked for as research ethics wants it. It is apart from the basis above; version %(version)s of "
                "the text.") % {
        "version": file.consent.version})  # fmt: skip
    sheet.words("\n".join(f"- {statement.text}" for statement in file.consent.statements))
    if file.consent.optional:
        sheet.say(_("Optional lines. What depends on one happens only while it stands, and each can be taken back:"))
        sheet.words("\n".join(f"- {statement.text}" for statement in file.consent.optional))


def _processors(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("Processors"))
    rows = file.papers.processors if file.papers else ()
    if not rows:
        sheet.blocks.append(gap("processors"))
    sheet.table((_("Name"), _("Purpose"), _("Place")), ((one.name, one.purpose, one.place) for one in rows))


def _retention(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("Retention"))
    rows = file.papers.retention if file.papers else ()
    if not rows:
        sheet.blocks.append(gap("retention"))
    sheet.table((_("Data"), _("Kept")), ((one.what, one.how_long) for one in rows))
    sheet.say(_("As people read it: %(text)s") % {"text": file.team.data_kept})


def _trace(sheet: Sheet, file: ProtocolFile) -> None:
    head = (_("Field"), _("Holds"), _("Purpose"))
    sheet.heading(_("The log of the CRM, field by field"))
    sheet.say(_("One row for each page, search or query of a person in this CRM:"))
    sheet.table(head, ((name, str(holds), str(why)) for name, holds, why in EVENT))
    sheet.say(_("What the page itself reports when it is left; it decides nothing:"))
    sheet.table(head, ((name, str(holds), str(why)) for name, holds, why in PAGE))
    optional = {statement.id for statement in file.consent.optional}
    if "typing" in optional:
        sheet.say(
            _("Only of those who ticked it: for each box of reasons, characters pasted, how often, and seconds in use.")
        )
    if "replay" not in optional:
        sheet.say(_("No visit can be walked through by researchers: the protocol does not ask for it."))
    sheet.say(_("Not stored: network addresses of participants, browsers' names, screen, camera, sound, other typing."))


def _few(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("Few people"))
    sheet.say(
        _(
            "With at most %(n)d people for each arm a role with an age or a country can tell who somebody is, codes "
            "or not. "
            "Characteristics are therefore released as totals of each alone, with cells under 5 merged, and "
            "texts after "
            "they have been looked through."
        )
        % {"n": file.analysis.n_max}
    )


def _dpia(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("Screening for an impact assessment"))
    rows = file.papers.dpia if file.papers else ()
    if not rows:
        sheet.blocks.append(gap("dpia"))
    sheet.table((_("Question"), _("Answer")), ((one.question, one.answer) for one in rows))
