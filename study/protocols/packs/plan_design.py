"""Sections 3 to 6 and 8 of the plan: design, people, what they are told, blinding, intercurrent events."""

from __future__ import annotations

from django.utils.translation import gettext as _

from study.protocols.documents.parts import Sheet
from study.protocols.packs.telling import percent, place, rule_words
from study.protocols.schema import ProtocolFile


def design(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("3. Design"), 2)
    rows = []
    for arm in file.arms:
        several = len(arm.plans) > 1
        order = (_("fixed") if arm.order == "fixed" else _("counterbalanced")) if several else "–"
        wait = f"{arm.washout.at_least_days}–{arm.washout.at_most_days}" if several else "–"
        rated = ", ".join(dict.fromkeys(api for plan in arm.plans for api in plan.rate))
        each = f" ({_('each person %(n)d of them') % {'n': arm.rate_each}})" if arm.rate_each else ""
        rows.append((f"{arm.code}: {arm.label}", str(len(arm.plans)), order, wait, rated + each))
    sheet.table((_("Arm"), _("Visits"), _("Order"), _("Days between"), _("Objects rated")), rows)
    sheet.say(allocation(file), tasks(file))
    sheet.say(
        _(
            "Orders: tasks by rows of a Williams design, objects and the two boxes for reasons at random for each "
            "person; all "
            "of it from stored seeds, the first one committed by its hash before anybody joins."
        )
        if file.rating.rationale.boxes == "two"
        else _(
            "Orders: tasks by rows of a Williams design, objects at random for each person; all of it from stored "
            "seeds, "
            "the first one committed by its hash before anybody joins."
        )
    )
    if file.rating.look:
        sheet.say(_("Before each object is rated, %(n)d of its records drawn at random over all are offered to "
                    "look at.") % {
            "n": file.rating.look.records})  # fmt: skip


def allocation(file: ProtocolFile) -> str:
    if len(file.arms) < 2 and all(arm.order == "fixed" for arm in file.arms):
        return _("Allocation: one arm, nobody is allocated.")
    sizes = ", ".join(str(n) for n in file.allocation.blocks)
    cells = (_(" and within answers to %(items)s") % {"items": ", ".join(file.allocation.cells)}
             if file.allocation.cells else "")  # fmt: skip
    return _(
        "Allocation: a cohort that feeds one arm gives it all its people (compared as not randomised); one that feeds "
        "several is randomised by permuted blocks within the cohort%(cells)s, each arm %(sizes)s times in a "
        "block; the arm "
        "is drawn after consent is stored."
    ) % {"cells": cells, "sizes": sizes}


def tasks(file: ProtocolFile) -> str:
    strata = "; ".join(f"{one.label} {one.quota} ({', '.join(one.tasks)})" for one in file.tasks.strata)
    said = _("Tasks: %(n)d for each person, spread by %(by)s: %(strata)s; %(rotating)d more in rotation. The least "
             "exposed "
             "instances come first.") % {"n": file.tasks.count, "by": file.tasks.by, "strata": strata,
                                         "rotating": file.tasks.rotating}  # fmt: skip
    if file.tasks.load:
        said += " " + _("Minutes by hand of a person's tasks: %(a)g to %(b)g.") % {
            "a": file.tasks.load.at_least, "b": file.tasks.load.at_most}  # fmt: skip
    return said


def participants(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("4. Participants"), 2)
    place(sheet, file, "population")
    rule = file.screener.eligibility
    sheet.say(_("Rule %(version)s, on first answers: %(rule)s.") % {
        "version": rule.version, "rule": rule_words(rule.rule, file)})  # fmt: skip
    sheet.say(_("Pay: %(pay)s It never depends on ratings, answers or marks of quality.") % {"pay": file.pay.complete})
    sheet.heading(_("Reasons for which data may be left out, fixed beforehand"), 3)
    place(sheet, file, "exclusions")


def told(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("5. What they are told"), 2)
    sheet.say(
        _("That no person or company is real, and that how the records came about is explained after the ratings "
          "(origin_after). The debrief then explains it and asks whether answers may be kept.")
        if file.disclosure == "origin_after"
        else _("How the records came about, from the start (open).")
    )  # fmt: skip
    place(sheet, file, "withdrawal_until")


def blinding(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("6. Blinding"), 2)
    sheet.say(
        _(
            "Until ratings are opened for all, once and on record, researchers see no rating, no reason, no estimate "
            "and no "
            "width of an interval. Those who code texts or flag people see neither rating nor arm nor Org."
        )
    )


def lost_words(file: ProtocolFile) -> str:
    return _("bounds with all approving and none; tipping point at %(share)s") % {
        "share": percent(file.analysis.threshold)
    }


def events(sheet: Sheet, file: ProtocolFile) -> None:
    sheet.heading(_("8. Intercurrent events"), 2)
    sheet.table(
        (_("Event"), _("In the primary analysis"), _("Sensitivity")),
        (
            (_("left before the ratings"), _("not in the set, replaced"), lost_words(file)),
            (_("time up, tasks not reached"), _("kept if exposed"), _("by tasks reached")),
            (_("can't judge, rather not say"), _("out of that object's n, and shown"), _("worst and best")),
            (_("rated, no record opened"), _("kept"), _("informed approval")),
            (_("visit in two sittings"), _("kept"), _("without")),
            (_("AI system used for solving or wording"), _("kept"), _("without solving")),
            (_("knew of another participant"), _("kept"), _("without")),
            (_("learned the origin beforehand"), _("kept"), _("without")),
            (_("incident during the visit"), _("kept unless the ratings were touched"), _("without")),
            (_("new version of the protocol"), _("material: a stratum of its own; editorial: pooled"), _("by version")),
            (_("taken out after the debrief"), _("deleted"), _("count by arm")),
        ),
    )


def exposed_words(file: ProtocolFile) -> str:
    found = file.analysis.sets
    return _("at least %(minutes)d active minutes in the CRM, or %(attempts)d tasks ended by an answer or a skip") % {
        "minutes": found.exposed_minutes, "attempts": found.exposed_attempts}  # fmt: skip


def analysed_words(file: ProtocolFile) -> str:
    return _("exposed, the Org rated, and at least %(share)s of the object cards answered, “can't judge” included") % {
        "share": percent(file.analysis.sets.analysed_cards_share)}  # fmt: skip
