"""The registration: the plan of the analysis with its numbers, then in the order of two registries' forms (M14)."""

from __future__ import annotations

from django.utils.translation import gettext as _

from study.protocols.documents.parts import Sheet
from study.protocols.packs.plan_analysis import estimands, inference, sensitivity, sets, stopping, words_allowed
from study.protocols.packs.plan_design import blinding, design, events, participants, told
from study.protocols.packs.registries import as_predicted, osf
from study.protocols.packs.telling import orgs_of, place, scope_of
from study.protocols.schema import ProtocolFile


def registration(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("The plan"))
    _question(sheet, file)
    sheet.heading(_("2. Status"), 2)
    sheet.say(
        _(
            "Registered before the first person consents; the study's pages show the moment of the freeze and that "
            "of the "
            "first consent. What this was written from is the protocol named above by its sha256; the analysis is "
            "the code "
            "that ships with it, whose version stands in each file of results."
        )
    )
    place(sheet, file, "registry")
    if file.pilot:
        sheet.say(_("Pilot: %(n)d people, not analysed.") % {"n": file.pilot.people})
    design(sheet, file)
    participants(sheet, file)
    told(sheet, file)
    blinding(sheet, file)
    estimands(sheet, file)
    events(sheet, file)
    sets(sheet, file)
    stopping(sheet, file)
    inference(sheet, file)
    sensitivity(sheet, file)
    words_allowed(sheet, file)
    _rest(sheet, file)
    osf(sheet, file)
    as_predicted(sheet, file)


def _question(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("1. Question and scope"), 2)
    place(sheet, file, "question")
    place(sheet, file, "hypotheses")
    sheet.table(
        (_("Arm"), _("Orgs"), _("Claims reach")), ((arm.label, orgs_of(arm), scope_of(arm)) for arm in file.arms)
    )
    sheet.say(_("The people are a convenience sample, through:"))
    place(sheet, file, "channels")
    if file.meta.replicates:
        found = file.meta.replicates
        sheet.say(_("A replication of %(study)s Published with %(people)s.") % {
            "study": found.citation, "people": found.participants})  # fmt: skip
    if file.unknowns:
        sheet.say(_("What the published study leaves open, and what was chosen:"))
        sheet.table((_("Open"), _("Chosen")), ((one.question, one.choice) for one in file.unknowns))


def _rest(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("16. Deviations, release, what would change our mind"), 2)
    sheet.say(
        _(
            "A log of deviations opens when the protocol is frozen: date, what, why, who, before or after ratings "
            "could be "
            "seen. Lines are only added. It is part of the data and is printed in the report."
        )
    )
    sheet.heading(_("Release"), 3)
    place(sheet, file, "release")
    sheet.heading(_("What would change our mind"), 3)
    place(sheet, file, "change_mind")
