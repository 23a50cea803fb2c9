"""What of a truth file still holds for a control Org."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from study.generator.degrade.flat import Renamed
from study.generator.degrade.org_tables import OrgTables
from study.generator.groundwork.facts import Fact
from study.generator.verify.wording import stands, written_by

# Facts about how records hang together; with parents permuted they are about other records now.
_OF_LINKS = frozenset({"violation", "bant", "insight", "configuration", "discount", "stage", "priority"})
# Facts that rest on the words of their evidence.
_OF_WORDS = frozenset({"violation", "bant", "insight"})


def kept_facts(facts: Iterable[Fact], org: OrgTables, recipe: str, renamed: Renamed) -> Iterator[Fact]:
    """The facts that are still true, in order; names in texts that became others' are those others' now."""
    everything = [_renamed(fact, renamed) for fact in facts]
    broken = {fact.of for fact in everything if fact.kind == "said" and not _stands(fact, org)}
    for fact in everything:
        if recipe == "shuffled" and fact.kind in _OF_LINKS:
            continue
        if fact.kind in ("said", "article") and not _stands(fact, org):
            continue
        if fact.kind in _OF_WORDS and any(record_id in broken for _, record_id in fact.evidence):
            continue
        if fact.kind == "insight" and (fact.values.get("call") in broken or not _named(fact, org)):
            continue
        yield fact


def _renamed(fact: Fact, renamed: Renamed) -> Fact:
    if fact.kind != "said" or fact.of not in renamed:
        return fact
    text = str(fact.values["text"])
    words = dict(renamed[fact.of])
    pattern = "|".join(re.escape(word) for word in words)
    fresh = re.sub(rf"(?<![\w@.])(?:{pattern})(?!\w)", lambda hit: words[hit[0]], text)
    return fact if fresh == text else dataclasses.replace(fact, values={**fact.values, "text": fresh})


def _stands(fact: Fact, org: OrgTables) -> bool:
    row = org.found(fact.of)
    if row is None:
        return False
    if fact.kind == "article":
        return str(fact.values["answer"]).casefold() in f"{row.get('FAQ_Answer__c')}\n{row.get('Summary')}".casefold()
    field, text = str(fact.values["field"]), str(row.get(str(fact.values["field"])) or "")
    return stands(str(fact.values["text"]), written_by(str(fact.values["object"]), field, text))


def _named(fact: Fact, org: OrgTables) -> bool:
    """Whether the call still names the competitor, if there is one."""
    call, competitor = org.found(fact.values.get("call")), fact.values.get("competitor")
    return call is not None and str(competitor or "").casefold() in str(call.get("Body__c")).casefold()
