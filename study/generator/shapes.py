"""Orgs of any size for measuring: rows of the published objects, their proportions and their skew, without meaning.

Rows are made as they are read, a few thousand at a time, so five million need no more
memory than the Ids they point to. The same seed gives the same Org on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np

from study.generator.shape_draw import DAY_MS, NAMES, TODAY, ShapeDraw, Whole, as_days, as_moments
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.published import published_registry
from study.sandbox.engine.published_fields import FIELDS
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry

LEAST = 100
CHUNK = 5_000
_END = (TODAY - date(1970, 1, 1)).days * DAY_MS + DAY_MS

# Records in ten thousand, for objects that grow with the Org; the rest are e-mails, about a quarter.
_SHARES = {
    "Account": 250, "Contact": 400, "Case": 1_200, "CaseHistory__c": 2_400, "Product2": 10, "PricebookEntry": 20,
    "ProductCategoryProduct": 10, "Order": 400, "OrderItem": 1_000, "LiveChatTranscript": 80, "Opportunity": 150,
    "OpportunityLineItem": 250, "Quote": 80, "QuoteLineItem": 140, "Contract": 40, "VoiceCallTranscript__c": 80,
    "Task": 800, "Event": 30, "Lead": 150, "Knowledge__kav": 10,
}  # fmt: skip
# Objects that hardly grow: at most so many, and one in so many records.
_SETTLED = {
    "User": (400, 250), "ProductCategory": (12, 4_000), "Pricebook2": (6, 9_000), "Issue__c": (15, 3_500),
    "Territory2": (10, 5_000), "UserTerritory2Association": (500, 300),
}  # fmt: skip
# Words of a text, from and to; other short texts have two or three.
_LENGTHS = {
    "Subject": (3, 7), "Title": (4, 8), "Summary": (8, 15), "Description": (8, 20), "Description__c": (8, 15),
    "FAQ_Answer__c": (60, 160), "TextBody": (12, 40), "Body": (60, 160), "Body__c": (60, 160),
}  # fmt: skip
_MISSING = {
    ("Case", "AccountId"): 0.03, ("Case", "ContactId"): 0.2, ("Case", "IssueId__c"): 0.1,
    ("Case", "OrderItemId__c"): 0.15, ("Case", "Description"): 0.05, ("Case", "Priority"): 0.02,
    ("EmailMessage", "RelatedToId"): 0.7, ("EmailMessage", "ToIds"): 0.3, ("Account", "Phone"): 0.3,
    ("Account", "NumberOfEmployees"): 0.5, ("Account", "Industry"): 0.3, ("Account", "RecordTypeId"): 1.0,
    ("ProductCategory", "CatalogId"): 1.0, ("LiveChatTranscript", "LiveChatVisitorId"): 1.0,
    ("Opportunity", "ContractID__c"): 0.5, ("Lead", "ConvertedAccountId"): 0.8, ("Lead", "ConvertedContactId"): 0.8,
    ("VoiceCallTranscript__c", "LeadId__c"): 0.5, ("Task", "WhatId"): 0.1, ("Event", "WhatId"): 0.1,
}  # fmt: skip
_WEIGHTS = (40, 25, 15, 8, 5, 3, 2, 1, 1, 1)
_INDUSTRIES = ("Retail", "Energy", "Education", "Transport", "Media", "Health")


@dataclass(frozen=True)
class Shapes:
    """An Org to be: its registry, how many records it will have, and iterators over them."""

    registry: Registry
    counts: Mapping[str, int]
    tables: Mapping[str, Iterator[dict[str, Any]]]
    today: date


def build_shapes(records: int, seed: int) -> Shapes:
    """An Org of exactly so many records. ValueError for fewer than a hundred or a negative seed."""
    if records < LEAST:
        raise ValueError(f"An Org of this kind has {LEAST} records or more, not {records:,}.")
    if seed < 0:
        raise ValueError("A seed is zero or more.")
    registry = published_registry(tuple(FIELDS), company="Shapes")
    counts = _counts(records)
    world = _World(registry, counts, seed)
    tables = {item.name: world.rows(item) for item in registry.objects}
    return Shapes(registry, counts, tables, TODAY)


def _counts(records: int) -> dict[str, int]:
    settled = {name: max(1, min(most, records // one_in)) for name, (most, one_in) in _SETTLED.items()}
    growing = {name: max(1, records * share // 10_000) for name, share in _SHARES.items()}
    counts = settled | growing
    counts["EmailMessage"] = records - sum(counts.values())
    return {name: counts[name] for name in FIELDS}


@dataclass
class _World:
    """What rows of different objects must agree on: Ids, when cases and orders began and ended, whose history it is."""

    registry: Registry
    counts: Mapping[str, int]
    seed: int
    ids: dict[str, list[str]] = field(init=False)
    opened: Whole = field(init=False)
    closed: Whole = field(init=False)
    history_of: Whole = field(init=False)

    def __post_init__(self) -> None:
        targets = {name for item in self.registry.objects for one in item.fields for name in one.targets}
        self.ids = {name: list(self._ids(self.registry.object(name))) for name in sorted(targets)}
        draw, cases = ShapeDraw(self.seed, "times of cases"), self.counts["Case"]
        self.opened = np.sort(draw.moments(cases))
        closed = self.opened + draw.durations(30.0, 1.1, cases)
        # Eight in a hundred stay open, and none is closed after the last day.
        still = (draw.whole(1, 100, cases) <= 8) | (closed >= _END)
        self.closed = np.where(still, 0, closed)
        more = draw.whole(0, cases - 1, max(0, self.counts["CaseHistory__c"] - cases))
        self.history_of = np.sort(np.concatenate([np.arange(min(cases, self.counts["CaseHistory__c"])), more]))

    def _ids(self, item: ObjectDef) -> Iterator[str]:
        return (make_id(item.key_prefix, number) for number in range(self.counts[item.name]))

    def rows(self, item: ObjectDef) -> Iterator[dict[str, Any]]:
        """All records of an object in the order of their Ids."""
        draw = ShapeDraw(self.seed, item.name)
        names = [one.name for one in item.fields if not one.joined]
        ids = iter(self.ids[item.name]) if item.name in self.ids else self._ids(item)
        special = _SPECIAL.get(item.name)
        for start in range(0, self.counts[item.name], CHUNK):
            size = min(CHUNK, self.counts[item.name] - start)
            columns: dict[str, list[Any]] = {"Id": [next(ids) for _ in range(size)]}
            if special:
                columns |= special(self, draw, start, size)
            for one in item.fields:
                if one.name not in columns and not one.joined:
                    values = self._column(draw, one, size)
                    columns[one.name] = draw.holes(values, _MISSING.get((item.name, one.name), 0.0))
            for cells in zip(*(columns[name] for name in names), strict=True):
                yield dict(zip(names, cells, strict=True))

    def _column(self, draw: ShapeDraw, one: FieldDef, size: int) -> list[Any]:
        """A column by its type and name alone."""
        match one.type:
            case "reference":
                return draw.of(self.ids[one.targets[0]], size) if one.targets else [None] * size
            case "picklist":
                values = one.values or _INDUSTRIES
                return draw.weighted(values, _WEIGHTS[: len(values)], size)
            case "datetime":
                return as_moments(draw.moments(size))
            case "date":
                return as_days(draw.moments(size))
            case "boolean":
                return draw.weighted((True, False), (4, 1), size)
            case "integer":
                return list(draw.whole(1, 500, size).tolist())
            case "number":
                return (
                    [float(n) for n in draw.whole(1, 9, size).tolist()]
                    if one.name == "Quantity"
                    else draw.money(5, 2_000, size)
                )
        return _texts(draw, one.name, size)


def _texts(draw: ShapeDraw, name: str, size: int) -> list[str]:
    if name in {"FirstName", "LastName"}:
        return draw.of(NAMES, size)
    if name in {"Phone", "External_ID__c"}:
        return [f"+00 {number}" for number in draw.whole(10_000_000, 99_999_999, size).tolist()]
    if name in {"Email", "PersonEmail", "FromAddress", "ToIds", "Username", "UrlName", "Alias"}:
        words = [word.lower() for word in draw.texts(1, 1, size)]
        numbers = draw.whole(1, 99_999, size).tolist()
        tail = "" if name in {"UrlName", "Alias"} else "@example.test"
        return [f"{word}.{number}{tail}" for word, number in zip(words, numbers, strict=True)]
    return draw.texts(*_LENGTHS.get(name, (2, 3)), size)


def _cases(world: _World, draw: ShapeDraw, start: int, size: int) -> dict[str, list[Any]]:
    closed = world.closed[start : start + size]
    ends = [None if not end else moment for end, moment in zip(closed.tolist(), as_moments(closed), strict=True)]
    going = draw.weighted(("New", "Working", "Waiting on Customer", "Escalated"), (30, 40, 20, 10), size)
    status = ["Closed" if end else now for end, now in zip(ends, going, strict=True)]
    return {"CreatedDate": as_moments(world.opened[start : start + size]), "ClosedDate": ends, "Status": status}


def _history(world: _World, draw: ShapeDraw, start: int, size: int) -> dict[str, list[Any]]:
    """A case begins, changes hands some times, and (where there is room for a third line) is closed."""
    cases = world.history_of[start : start + size]
    first = np.searchsorted(world.history_of, cases, side="left")
    after = np.searchsorted(world.history_of, cases, side="right")
    step = np.arange(start, start + size) - first
    ending = (step == after - first - 1) & (step >= 2) & (world.closed[cases] > 0)
    kinds = np.where(step == 0, 0, np.where(ending, 2, 1)).tolist()
    before, now = (draw.of(world.ids["User"], size) for _ in range(2))
    at = world.opened[cases] + step * draw.whole(60, 7_200, size) * 1_000
    at = np.where(ending, world.closed[cases], at)
    ids = world.ids["Case"]
    return {
        "CaseId__c": [ids[case] for case in cases.tolist()],
        "Field__c": [("Case Creation", "Owner Assignment", "Case Closed")[kind] for kind in kinds],
        "OldValue__c": [
            old if kind == 1 and place > 1 else None
            for old, kind, place in zip(before, kinds, step.tolist(), strict=True)
        ],
        "NewValue__c": [new if kind == 1 else None for new, kind in zip(now, kinds, strict=True)],
        "CreatedDate": as_moments(at),
    }


def _mails(world: _World, draw: ShapeDraw, start: int, size: int) -> dict[str, list[Any]]:
    """Two to a case in the order of the cases, and some cases with many more."""
    total = world.counts["EmailMessage"]
    even = np.arange(start, start + size) * world.counts["Case"] // total
    cases = np.where(draw.whole(1, 10, size) <= 8, even, draw.skewed(world.counts["Case"], size))
    ids = world.ids["Case"]
    parents = [ids[case] for case in cases.tolist()]
    return {
        "ParentId": draw.holes(parents, 0.06),
        "MessageDate": as_moments(world.opened[cases] + draw.durations(6.0, 1.0, size)),
    }


def _chats(world: _World, draw: ShapeDraw, start: int, size: int) -> dict[str, list[Any]]:
    cases = draw.skewed(world.counts["Case"], size)
    ids = world.ids["Case"]
    return {
        "CaseId": [ids[case] for case in cases.tolist()],
        "EndTime": as_moments(world.opened[cases] + draw.durations(0.3, 0.5, size)),
    }


def _line_items(parent: str, lookup: str) -> Callable[[_World, ShapeDraw, int, int], dict[str, list[Any]]]:
    """Lines of orders, opportunities and quotes: as many to each, in their order."""

    def lines(world: _World, draw: ShapeDraw, start: int, size: int) -> dict[str, list[Any]]:
        places = np.arange(start, start + size) * 7 % world.counts[parent]
        ids = world.ids[parent]
        return {lookup: [ids[place] for place in places.tolist()]}

    return lines


_SPECIAL: dict[str, Callable[[_World, ShapeDraw, int, int], dict[str, list[Any]]]] = {
    "Case": _cases,
    "CaseHistory__c": _history,
    "EmailMessage": _mails,
    "LiveChatTranscript": _chats,
    "OrderItem": _line_items("Order", "OrderId"),
    "OpportunityLineItem": _line_items("Opportunity", "OpportunityId"),
    "QuoteLineItem": _line_items("Quote", "QuoteId"),
}
