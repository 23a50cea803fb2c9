"""No gaps and no slips: every field filled that can be, every word spelt right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from study.generator.degrade.org_tables import OrgTables
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import Row
from study.generator.verify.area_codes import STATE_OF
from study.sandbox.engine.registry import FieldDef, ObjectDef

# Empty because something has not happened, or because another lookup stands in its place: filling these would lie.
_BY_NATURE = frozenset({
    "ClosedDate", "ConvertedDate", "ConvertedAccountId", "ConvertedContactId", "ContractID__c", "ContractId",
    "CustomerSignedDate", "CompanySignedDate", "OldValue__c", "NewValue__c", "ParentId", "RelatedToId", "LeadId__c",
    "OpportunityId__c", "ValidTo", "CaseId", "WhatId", "OpportunityLineItemId",
})  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_FREQUENT, _RARE = 25, 2
"""A word seen so often is spelt right; one seen so rarely may be a slip of it."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def fill(org: OrgTables, draw: Draw) -> None:
    """Fill what is empty without contradicting the rest, then mend what is misspelt."""
    for item in org.registry.objects:
        for one in item.fields:
            if one.name not in _BY_NATURE and one.type not in ("id",):
                _fill(org, item, one, draw)
    for item in org.registry.objects:
        for one in item.fields:
            if one.type == "string" and one.name.endswith("City"):
                _settle(org.rows(item.name), one.name)
    _mend(org)


def _fill(org: OrgTables, item: ObjectDef, one: FieldDef, draw: Draw) -> None:
    rows = org.rows(item.name)
    empty = [row for row in rows if row.get(one.name) in (None, "")]
    known = [row[one.name] for row in rows if row.get(one.name) not in (None, "")]
    # A field nobody ever fills is not used in this company.
    if not known or not empty:
        return
    for row in empty:
        value = _own_value(item, one, row, draw)
        row[one.name] = draw.pick(known) if value is None else value


def _own_value(item: ObjectDef, one: FieldDef, row: Row, draw: Draw) -> object:
    """A value that fits the rest of the record; None where any other record's does."""
    if one.name.endswith("Phone"):
        state = row.get("ShippingState") or row.get("State")
        codes = [code for code, where in STATE_OF.items() if where == state] or ["614"]
        return f"({draw.pick(codes)}) 555-01{draw.whole(0, 99):02d}"
    if one.name in ("Email", "PersonEmail") and row.get("LastName"):
        first, last = (re.sub(r"\W", "", str(row.get(part) or "").lower()) for part in ("FirstName", "LastName"))
        return f"{first}.{last}@inbox.example".lstrip(".")
    if one.type == "text" or one.name == "Subject":
        name = row.get("Subject") or (row.get(item.name_field) if item.name_field != "Id" else None)
        return f"{name}." if name else None
    return None


def _settle(rows: list[Row], name: str) -> None:
    """The commonest spelling of each value is that of all."""
    spellings: dict[str, Counter[str]] = {}
    for row in rows:
        if row.get(name):
            text = str(row[name])
            spellings.setdefault(_bare(text), Counter())[text.strip()] += 1
    best = {key: _proper(max(sorted(found), key=lambda text: found[text])) for key, found in spellings.items()}
    for row in rows:
        if row.get(name):
            row[name] = best[_bare(str(row[name]))]


def _bare(text: str) -> str:
    return re.sub(r"\W", "", text.casefold())


def _proper(text: str) -> str:
    return text if text != text.lower() and text != text.upper() else text.title()


def _texts(org: OrgTables) -> Iterator[tuple[Row, str, str]]:
    for item in org.registry.objects:
        for one in item.fields:
            if one.type == "text":
                for row in org.rows(item.name):
                    if isinstance(text := row.get(one.name), str):
                        yield row, one.name, text


def _mend(org: OrgTables) -> None:
    counts: Counter[str] = Counter()
    for _, _, text in _texts(org):
        counts.update(_WORD.findall(text))
    common = {word for word, n in counts.items() if n >= _FREQUENT and word.islower()}
    mended = {}
    for word in sorted(word for word, n in counts.items() if n <= _RARE and word.islower() and len(word) > 3):
        if meant := _meant(word, common, counts):
            mended[word] = meant
    for row, name, text in list(_texts(org)):
        row[name] = _WORD.sub(lambda hit: mended.get(hit[0], hit[0]), text)


def _meant(word: str, common: set[str], counts: Counter[str]) -> str | None:
    """The common word a rare one is a slip of: two letters swapped, one left out, one doubled."""
    swapped = {word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(len(word) - 1)}
    doubled = {word[:n] + word[n + 1 :] for n in range(len(word) - 1) if word[n] == word[n + 1]}
    left_out = {word[:n] + letter + word[n:] for n in range(1, len(word)) for letter in _LETTERS}
    for candidates in (swapped, doubled, left_out):
        if found := _best(candidates & common, word, counts):
            return found
    return None


def _best(words: Iterable[str], but: str, counts: Counter[str]) -> str | None:
    # Forms of the same word (part, parts) are no slips of each other.
    found = sorted(word for word in words if word.rstrip("s") != but.rstrip("s"))
    return max(found, key=lambda word: counts[word]) if found else None
