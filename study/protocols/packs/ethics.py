"""The ethics pack: what a board asks, with every text a participant reads (M14)."""

from __future__ import annotations

from django.utils.translation import gettext as _

from study.protocols.documents.parts import Sheet
from study.protocols.packs.screens import screens
from study.protocols.packs.telling import items, modules, pay_rows, place, rule_words
from study.protocols.schema import ProtocolFile


def ethics(sheet: Sheet, file: ProtocolFile) -> None:
    _study(sheet, file)
    _disclosure(sheet, file)
    _recruitment(sheet, file)
    _screener(sheet, file)
    _consent(sheet, file)
    sheet.heading(_("Every screen, in order"))
    sheet.say(
        _("Set off are the words of the protocol as people read them; names in braces are filled in by the program.")
    )
    screens(sheet, file)
    _end(sheet, file)
    _pay(sheet, file)
    _care(sheet, file)


def _study(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("The study"))
    place(sheet, file, "question")
    sheet.say(file.meta.summary)
    if file.meta.replicates:
        sheet.say(_("A replication of %(study)s") % {"study": file.meta.replicates.citation})
    length = file.length
    minutes = _("%(a)d to %(b)d, of which %(paid)d are paid; first questions before that: %(s)d") % {
        "a": length.at_least, "b": length.at_most, "paid": length.paid, "s": file.clocks.screener}  # fmt: skip
    device = _("a computer; a narrow window is told so") if file.device == "desktop" else _("any")
    sheet.facts([
        (_("Title people see"), file.meta.public_title),
        (_("Run by"), file.team.name),
        (_("Paid for by"), file.team.funder),
        (_("Minutes"), minutes),
        (_("Device"), device),
        (_("Visits of each person"), " · ".join(f"{arm.label}: {len(arm.plans)}" for arm in file.arms)),
    ])  # fmt: skip


def _disclosure(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("What people are told, and when"))
    if file.disclosure == "open":
        sheet.say(_("Nothing is held back: how the records came about is told from the start."))
        return
    sheet.say(
        _(
            "To be noted by the board: disclosure is incomplete until the ratings are locked. People agree to "
            "take part "
            "without having been told how the records came about. They are told beforehand that it will be explained; "
            "nothing untrue is said; the debrief explains it, says why, and lets everybody take their answers out."
        )
    )
    sheet.heading(_("Why"), 2)
    place(sheet, file, "incomplete_disclosure")


def _recruitment(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("Who is asked, and how"))
    place(sheet, file, "population")
    place(sheet, file, "channels")
    analysis = file.analysis
    sheet.say(
        _("%(n)d people to be analysed for each of %(arms)d arm(s); at most %(most)d begin.")
        % {"n": analysis.n_target, "arms": len(file.arms), "most": analysis.n_max}
    )
    if file.pilot:
        sheet.say(
            _("Before them %(n)d people try the study; they are paid alike and counted nowhere.")
            % {"n": file.pilot.people}
        )
    if file.papers and file.papers.recruitment:
        for one in file.papers.recruitment:
            sheet.heading(one.channel, 2)
            sheet.words(one.text)
    else:
        place(sheet, file, "recruitment")


def _screener(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("First questions"))
    sheet.words(file.screener.intro)
    items(sheet, file.screener.items, file)
    modules(sheet, file, "screener")
    rule = file.screener.eligibility
    sheet.say(_("Rule %(version)s: %(rule)s. People never learn the rule.") % {
        "version": rule.version, "rule": rule_words(rule.rule, file)})  # fmt: skip
    sheet.heading(_("Told to those who do not meet it"), 2)
    sheet.words(file.screener.refusal)
    sheet.heading(_("Told when all places are taken"), 2)
    sheet.words(file.screener.full)


def _consent(sheet: Sheet, file: ProtocolFile) -> None:
    consent, team = file.consent, file.team
    sheet.heading(_("Information sheet and consent, version %(version)s") % {"version": consent.version})
    sheet.heading(consent.title, 2)
    sheet.words(consent.intro)
    for section in consent.sections:
        sheet.heading(section.heading, 2)
        sheet.words(section.text)
    sheet.heading(_("Who runs the study"), 2)
    sheet.words(
        f"{team.name}. {team.funder} {team.ethics}\n\n{team.contact} {team.email}. "
        f"{team.complaints}\n\n{team.data_kept}"
    )
    sheet.heading(_("To tick; nothing is ticked beforehand"), 2)
    sheet.words("\n".join(f"- {statement.text}" for statement in consent.statements))
    if consent.optional:
        sheet.heading(_("Optional; each can be given or taken back later"), 2)
        sheet.words("\n".join(f"- {statement.text}" for statement in consent.optional))
    sheet.say(_("Two buttons: “%(yes)s” and “%(no)s”.") % {"yes": consent.accept, "no": consent.decline})
    sheet.say(
        _(
            "Everybody keeps a copy, as a page and as a file. After a material change of this text nobody goes on "
            "without "
            "agreeing to the new one; each agreement is stored with its exact text, version and moment, and never "
            "changed."
        )
    )


def _end(sheet: Sheet, file: ProtocolFile) -> None:
    debrief, last = file.debrief, file.completion
    sheet.heading(_("Debrief"))
    sheet.heading(debrief.title, 2)
    sheet.words(debrief.text, debrief.keep_question, f"- {debrief.keep}\n- {debrief.take_out}", debrief.take_out_note)
    sheet.words(debrief.results_wanted)
    sheet.say(
        _("The answers to the questions are shown here.")
        if debrief.answers_shown
        else _("The answers to the questions are not shown.")
    )
    sheet.heading(_("The last page, by how it ended"), 2)
    sheet.facts([(_("Complete"), last.complete), (_("No consent"), last.no_consent),
                 (_("Left"), last.withdrawn), (_("Time over"), last.lapsed)])  # fmt: skip


def _pay(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("Pay, and part of it"))
    sheet.table((_("Outcome"), _("Pay")), pay_rows(file))
    sheet.say(f"{file.pay.when} {file.pay.by_whom}")
    sheet.say(_("Pay depends on the outcome alone: never on ratings, right answers, the length of texts or marks "
                "of quality. The table is shown before the start."))  # fmt: skip


def _care(sheet: Sheet, file: ProtocolFile) -> None:
    for title, keys in (
        (_("Risks"), ["risks"]),
        (_("What is done about them"), ["remedies"]),
        (_("Benefits"), ["benefits"]),
        (_("AI systems"), ["ai_use"]),
    ):
        sheet.heading(title)
        for key in keys:
            place(sheet, file, key)
    sheet.heading(_("Leaving, and taking answers out"))
    sheet.say(
        _(
            "Every page has a way to leave. It takes one page and no reason; the person chooses whether what "
            "they answered is kept or taken out, with neither chosen beforehand, and gets a code and the pay of that "
            "outcome."
        )
    )
    place(sheet, file, "withdrawal_until")
    sheet.heading(_("Contact and complaints"))
    sheet.facts([(_("Questions"), f"{file.team.contact} {file.team.email}"), (_("On the pages"), file.team.complaints)])
    place(sheet, file, "ethics_reference")
    place(sheet, file, "complaints")
