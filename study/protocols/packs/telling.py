"""Parts of a protocol in words: a place of the papers, a rule, an item, a module, an arm."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.protocols.design import Arm
from study.protocols.documents.parts import Sheet
from study.protocols.hour import Module, Position
from study.protocols.packs.gaps import gap, lines_in, value_of
from study.protocols.parts import Item, Rule
from study.protocols.schema import ProtocolFile


def place(sheet: Sheet, file: ProtocolFile, key: str) -> None:
    """What stands in a place of the papers, or the mark that nothing does."""
    value = value_of(file, key)
    if not value:
        sheet.blocks.append(gap(key))
    elif isinstance(value, str):
        sheet.say(value)
    else:
        sheet.bullets(lines_in(value))


def filled(file: ProtocolFile, key: str) -> str:
    """A place as one text for a table or a line, with a mark where it is empty."""
    value = value_of(file, key)
    return " ".join(lines_in(value)) if value else _("[still empty: %(key)s]") % {"key": f"papers.{key}"}


def percent(share: float) -> str:
    return f"{100 * share:g} %"


def rule_words(rule: Rule, file: ProtocolFile) -> str:
    if rule.all_of is not None:
        return _(" and ").join(f"({rule_words(part, file)})" for part in rule.all_of)
    if rule.any_of is not None:
        return _(" or ").join(f"({rule_words(part, file)})" for part in rule.any_of)
    if rule.none_of is not None:
        return _("not: %(rule)s") % {"rule": rule_words(rule.none_of, file)}
    item = next((one for one in file.screener.items if one.id == rule.item), None)
    words = {option.code: option.text for option in item.options} if item else {}
    chosen = _(" or ").join(f"“{words.get(code, code)}”" for code in rule.among or ())
    return _("%(item)s is answered %(chosen)s") % {"item": rule.item, "chosen": chosen}


def answers_of(item: Item, file: ProtocolFile) -> str:
    """What can be answered to an item."""
    if item.options:
        said = " · ".join(option.text + (f" ({option.ask})" if option.ask else "") for option in item.options)
        said += _(" (several can be chosen)") if item.type == "multi" else ""
        said += _(" (in random order)") if item.random_order else ""
    elif item.type == "scale":
        ends = f"{item.low} {item.low_label or ''} … {item.high} {item.high_label or ''}"
        said = " ".join(ends.split())
    elif item.type == "texts":
        said = ngettext("%(n)d short text", "%(n)d short texts", item.count) % {"n": item.count}
    else:
        said = _("a text")
    return f"{said} · {file.wording.rather_not}" if item.offers_rather_not else f"{said} · {_('may be left empty')}"


def items(sheet: Sheet, found: tuple[Item, ...], file: ProtocolFile) -> None:
    rows = [(item.id, item.text + (f" {item.hint}" if item.hint else ""), answers_of(item, file)) for item in found]
    sheet.table((_("Item"), _("Question"), _("Answers")), rows)


def module(sheet: Sheet, one: Module, file: ProtocolFile) -> None:
    sheet.heading(one.title, 3)
    sheet.words(one.intro)
    if one.for_each:
        each = {"object": _("each rated object"), "episode": _("each thing named in the screener"),
                "attempt": _("each question worked on")}[one.for_each]  # fmt: skip
        sheet.say(_("Asked once for %(each)s.") % {"each": each})
    if one.visits != "each":
        which = _("first") if one.visits == "first" else _("last")
        sheet.say(_("Only after a person's %(which)s visit.") % {"which": which})
    items(sheet, one.items, file)
    if one.cards:
        sheet.say(_("%(n)d records on cards, one choice for each:") % {"n": one.cards.count})
        sheet.words(one.cards.stem)
        sheet.bullets(f"{option.label}: {option.line}" for option in one.cards.options)


def modules(sheet: Sheet, file: ProtocolFile, position: Position) -> None:
    for one in file.modules_at(position):
        module(sheet, one, file)


def scope_of(arm: Arm) -> str:
    """How far claims reach by the number of snapshots (M4)."""
    orgs = {org for plan in arm.plans for org in plan.orgs}
    if len(orgs) < 2:
        return _("this Org, and no other")
    if len(orgs) < 5:
        return _("these %(n)d Orgs, with their spread and no claim beyond them") % {"n": len(orgs)}
    return _("Orgs made as these %(n)d were, raters nested in Orgs") % {"n": len(orgs)}


def orgs_of(arm: Arm) -> str:
    return ", ".join(dict.fromkeys(org for plan in arm.plans for org in plan.orgs)) or _("none yet")


def pay_rows(file: ProtocolFile) -> list[tuple[str, str]]:
    pay = file.pay
    return [
        (_("Reached the end"), pay.complete),
        (_("Not eligible after the first questions"), pay.screened_out),
        (_("All places taken"), pay.full),
        (_("Did not agree to take part"), pay.no_consent),
        (_("Ran out of time"), pay.time_up),
        (_("Left the study"), pay.withdrawn),
        (_("A fault on our side"), pay.technical_fault),
    ]
