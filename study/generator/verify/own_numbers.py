"""Whether texts name the order, case and quote they belong to, and no other one's.

Needs no truth file: a letter knows its case or opportunity, and these know their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from study.generator.verify.mentions import Mentions
from study.generator.verify.outcome import Check, Tally, left_out
from study.generator.verify.source import NUMBERS, Source
from study.sandbox.engine.folding import fold
from study.sandbox.engine.snapshot_write import quoted, shadow


@dataclass(frozen=True)
class _Place:
    """A text and the record it belongs to: ``case`` or ``deal`` by ``lookup``; empty for the record itself."""

    object: str
    field: str
    lookup: str
    of: str


_PLACES = (
    _Place("Case", "Description", "Id", "Case"),
    _Place("EmailMessage", "TextBody", "ParentId", "Case"),
    _Place("EmailMessage", "Subject", "ParentId", "Case"),
    _Place("LiveChatTranscript", "Body", "CaseId", "Case"),
    _Place("EmailMessage", "TextBody", "RelatedToId", "Opportunity"),
    _Place("VoiceCallTranscript__c", "Body__c", "OpportunityId__c", "Opportunity"),
)
# Which running numbers are the parent's own, as questions that list them in one text divided by blanks.
_OWN = {
    ("Case", "case"): "SELECT CaseNumber FROM \"Case\" WHERE Id = :of",
    ("Case", "order"): 'SELECT o.OrderNumber FROM "Case" c JOIN "Order" o ON o.AccountId = c.AccountId '
    "WHERE c.Id = :of AND (c.OrderItemId__c IS NULL OR o.Id = (SELECT OrderId FROM OrderItem "
    "WHERE Id = c.OrderItemId__c))",
    ("Opportunity", "quote"): "SELECT QuoteNumber FROM Quote WHERE OpportunityId = :of",
    ("Opportunity", "contract"): "SELECT k.ContractNumber FROM Opportunity o JOIN Contract k "
    "ON k.Id = o.ContractID__c WHERE o.Id = :of",
}  # fmt: skip


def check_own_numbers(source: Source, mentions: Mentions) -> Iterator[Check]:
    for kind, (name, column) in NUMBERS.items():
        tally = Tally(f"texts.own_{kind}_numbers", f"texts name no other {kind} than their own")
        if not source.has(f"{name}.{column}"):
            yield left_out(tally.name, tally.about, f"the Org has no {name}.{column}")
            continue
        for place in _PLACES:
            own = _OWN.get((place.of, kind))
            if own and source.has(f"{place.object}.{place.field}", f"{place.object}.{place.lookup}", place.of):
                _look(source, mentions, place, kind, own, tally)
        yield tally.check()


def _look(source: Source, mentions: Mentions, place: _Place, kind: str, own: str, tally: Tally) -> None:
    column, lookup, table = quoted(place.field), quoted(place.lookup), quoted(place.object)
    prefix = source.snapshot.registry.object(place.of).key_prefix
    sql = f"SELECT Id, {column}, {lookup} FROM {table} WHERE {column} IS NOT NULL AND {lookup} LIKE :prefix"
    for record_id, text, parent in source.rows(sql, {"prefix": prefix + "%"}):
        found = set(mentions.numbers(kind, text))
        if not found:
            continue
        tally.seen()
        known = {number for (number,) in source.rows(own, {"of": parent})}
        for other in sorted(found - known):
            if _exists(source, kind, other):
                tally.fault(record_id, f"{place.object}.{place.field} names {kind} {other}")


def _exists(source: Source, kind: str, number: str) -> bool:
    """Digits that happen to have the shape of a number but are no record's are a phone, a serial number."""
    name, column = NUMBERS[kind]
    # The folded shadow column is the one with an index.
    folded = shadow(source.snapshot.registry.object(name).field(column))
    sql = f"SELECT 1 FROM {quoted(name)} WHERE {folded} = :folded AND {quoted(column)} = :number"
    return source.one(sql, {"folded": fold(number), "number": number}) is not None
