"""One pattern of words for each kind of text: what is said stays, how it is said is always the same.

The slots of a pattern are the particulars that stand in the text by the truth file (or, without one, those found by
patterns), so that questions about them can still be answered.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from study.generator.degrade.org_tables import OrgTables
from study.generator.groundwork.facts import Fact
from study.generator.groundwork.things import Row
from study.generator.verify.mentions import Mentions
from study.generator.verify.wording import stands
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.reading import CHATS, MAIL, mail_parts, turns

Slots = dict[tuple[str, str], list[str]]
"""(record Id, field) -> what must stay in the text, word for word."""
_KINDS = ("order", "case", "quote", "contract", "amount", "percent", "date", "weekday")


def slots_of(facts: Iterable[Fact]) -> Slots:
    """What the facts say of texts."""
    found: Slots = defaultdict(list)
    for fact in facts:
        if fact.kind == "said":
            place, text = (fact.of, str(fact.values["field"])), str(fact.values["text"])
        elif fact.kind == "article":
            place, text = (fact.of, "FAQ_Answer__c"), str(fact.values["answer"])
        else:
            continue
        if text not in found[place]:
            found[place].append(text)
    return found


def can(org: OrgTables, slots: Slots, mentions: Mentions, company: str) -> None:
    """Every field of long text gets the pattern of its object, filled with what was said in it."""
    senders = _senders(org)
    for item in org.registry.objects:
        fields = [one for one in item.fields if one.type == "text"]
        for row in org.rows(item.name):
            for one in fields:
                text = row.get(one.name)
                if isinstance(text, str):
                    said = slots.get((str(row["Id"]), one.name)) or _found(item, text, mentions)
                    row[one.name] = _canned(item, row, text, _listed(text, said), senders, company)


def _found(item: ObjectDef, text: str, mentions: Mentions) -> list[str]:
    own = text
    if item.name == MAIL:
        own = "\n".join(part.text for part in mail_parts(text) if not part.quoted)
    found = mentions.of(own)
    return [hit for kind in _KINDS for hit in sorted(found.get(kind, ()))][:6]


def _listed(text: str, said: list[str]) -> str:
    """Particulars in the order they stood in, sentences with their end, nothing that stands in another one."""
    whole = [one for one in said if not any(len(one) < len(other) and stands(one, other) for other in said)]
    parts = sorted(whole, key=lambda one: (text.find(one), one))
    return " ".join(part if part[-1] in ".!?" else f"{part}." for part in parts) or "Nothing further."


def _canned(item: ObjectDef, row: Row, text: str, said: str, senders: Mapping[str, str], company: str) -> str:
    if item.name == MAIL:
        sender = senders.get(str(row.get("FromAddress") or "").lower(), company)
        return f"Hello,\n\nWe are writing to you about the following. {said}\n\nBest regards,\n{sender}"
    if item.name in CHATS:
        spoken = turns(text)
        names = list(dict.fromkeys(turn.who for turn in spoken if turn.who)) or ["Agent"]
        times = [f"[{turn.at}] " if turn.at else "" for turn in spoken] or [""]
        other = names[1] if len(names) > 1 else names[0]
        return (
            f"{times[0]}{names[0]}: How can I help you?\n"
            f"{times[len(times) // 2]}{other}: I have the following for you. {said}\n"
            f"{times[-1]}{names[0]}: I have noted that, thank you."
        )
    if item.name == "Knowledge__kav":
        title = _ended(str(row.get("Title") or "our products"))
        return f"This article is about the following: {title}. {said}"
    name = row.get(item.name_field) if item.field(item.name_field).type != "id" else None
    return f"{_ended(f'{item.label} {name or str()}')}. This record is about the following. {said}"


def _ended(title: str) -> str:
    """A title without the mark it ends with."""
    return re.sub(r"[\W_]+$", "", title)


def _senders(org: OrgTables) -> dict[str, str]:
    """Mail address -> name."""
    return {
        str(row["Email"]).lower(): f"{row.get('FirstName') or ''} {row.get('LastName') or ''}".strip()
        for name in ("Lead", "Contact", "User")
        for row in org.rows(name)
        if row.get("Email")
    }
