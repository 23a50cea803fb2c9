"""Faults put into copies of records for anchor cards: one stated fault each, of a graded size (M6).

Grades: 1 small, easily overlooked; 2 plain once one looks; 3 gross. A fault answers with the altered copy, or None
where the record cannot carry it at this grade.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.sheets import children, some_ids

Record = dict[str, Any]
Fault = Callable[[Snapshot, ObjectDef, Record, int, random.Random], Record | None]

# When something begins and when it ends, where an object has both.
SPANS = (("CreatedDate", "ClosedDate"), ("CreatedDate", "ConvertedDate"), ("CreatedDate", "CloseDate"),
         ("StartDate", "EndDate"), ("ValidFrom", "ValidTo"))  # fmt: skip
PLACES = (("ShippingCity", "ShippingState", "ShippingPostalCode"), ("BillingCity", "BillingState", "BillingPostalCode"),
          ("MailingCity", "MailingState", "MailingPostalCode"), ("City", "State", "PostalCode"))  # fmt: skip
TEXTS = ("Description", "TextBody", "Body", "Body__c", "FAQ_Answer__c", "Description__c")
# An amount and the lines it is the sum of, or its own parts.
TOTALS = {
    "OpportunityLineItem": ("TotalPrice", ("Quantity", "UnitPrice")),
    "QuoteLineItem": ("TotalPrice", ("Quantity", "UnitPrice")),
    "OrderItem": ("TotalPrice", ("Quantity", "UnitPrice")),
    "Opportunity": ("Amount", ()),
    "Order": ("TotalAmount", ()),
}
OPEN, CLOSED = ("New", "Working", "Open"), "Closed"
TRIES = 60


def ends_before_it_begins(
    snapshot: Snapshot, item: ObjectDef, record: Record, grade: int, draw: random.Random
) -> Record | None:
    """Closed an hour or a day before it was created; some weeks; some years."""
    for begin, end in SPANS:
        begun, ended = record.get(begin), record.get(end)
        if not (begun and ended and isinstance(begun, date)):
            continue
        days = {1: 1, 2: draw.randint(9, 30), 3: draw.randint(400, 900)}[grade]
        whole = isinstance(ended, datetime) and isinstance(begun, datetime)
        back = timedelta(minutes=draw.randint(40, 200)) if grade == 1 and whole else timedelta(days=days)
        moved = begun - back
        return record | {end: moved if isinstance(ended, datetime) == isinstance(moved, datetime) else _day(moved)}
    return None


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def total_is_not_the_sum(
    snapshot: Snapshot, item: ObjectDef, record: Record, grade: int, draw: random.Random
) -> Record | None:
    """An amount off by some hundredths; by a half; ten times too large."""
    field, parts = TOTALS.get(item.name, ("", ()))
    value = record.get(field)
    if not isinstance(value, int | float) or not value or (parts and not all(record.get(one) for one in parts)):
        return None
    if not parts and not _has_lines(snapshot, item, str(record["Id"])):
        return None
    factor = {1: 1 + draw.choice((-1, 1)) * draw.randint(3, 6) / 100, 2: draw.choice((0.5, 1.5)), 3: 10}[grade]
    return record | {field: round(float(value) * factor, 2)}


def _has_lines(snapshot: Snapshot, item: ObjectDef, record_id: str) -> bool:
    lines = [(child, one) for child, one in snapshot.registry.references_to(item.name) if child.name in TOTALS]
    return any(children(snapshot, child, one.name, record_id, 1)[1] for child, one in lines)


def place_is_not_there(
    snapshot: Snapshot, item: ObjectDef, record: Record, grade: int, draw: random.Random
) -> Record | None:
    """The postal code of another state; the state of another place. There is no third size."""
    for city, state, code in PLACES:
        field = {1: code, 2: state}.get(grade, "")
        if not (record.get(city) and record.get(state) and item.has(field) and record.get(field)):
            continue
        for other in _others(snapshot, item, record, draw):
            if other.get(field) and str(other.get(state)).casefold() != str(record[state]).casefold():
                return record | {field: other[field]}
    return None


def status_against_its_dates(
    snapshot: Snapshot, item: ObjectDef, record: Record, grade: int, draw: random.Random
) -> Record | None:
    """Closed without a closing date; open with one; closed in a year that is still to come."""
    if not (item.has("Status") and item.has("ClosedDate")):
        return None
    ended = record.get("ClosedDate")
    closed = str(record.get("Status") or "").casefold() == CLOSED.casefold()
    if not (ended and closed):
        return None
    if grade == 1:
        return record | {"ClosedDate": None}
    if grade == 2:
        known = [value for value in item.field("Status").values if value in OPEN]
        return record | {"Status": draw.choice(known or list(OPEN[:1]))}
    ahead = snapshot.last_day - _day(ended) + timedelta(days=draw.randint(200, 500))
    return record | {"ClosedDate": ended + ahead}


def text_of_another_record(
    snapshot: Snapshot, item: ObjectDef, record: Record, grade: int, draw: random.Random
) -> Record | None:
    """Words of a record about the same thing; of any other of its kind; of another kind of record."""
    field = next((name for name in TEXTS if item.has(name) and record.get(name)), "")
    if not field:
        return None
    if grade == 3:
        return _text_of_another_kind(snapshot, item, record, field, draw)
    same = [one.name for one in item.fields if one.type == "reference" and one.name.startswith(("Issue", "Product"))]
    for other in _others(snapshot, item, record, draw):
        if not other.get(field) or other[field] == record[field]:
            continue
        if grade == 2 or any(record.get(name) and other.get(name) == record.get(name) for name in same):
            return record | {field: other[field]}
    return None


def _text_of_another_kind(
    snapshot: Snapshot, item: ObjectDef, record: Record, field: str, draw: random.Random
) -> Record | None:
    kinds = [one for one in snapshot.registry.objects if one.name != item.name and snapshot.counts.get(one.name)]
    texts = [(one, name) for one in kinds for name in TEXTS if one.has(name) and one.field(name).type == "text"]
    draw.shuffle(texts)
    for kind, name in texts:
        for other in _others(snapshot, kind, record, draw):
            if other.get(name):
                return record | {field: other[name]}
    return None


def person_of_another_account(
    snapshot: Snapshot, item: ObjectDef, record: Record, grade: int, draw: random.Random
) -> Record | None:
    """A contact who belongs to another account than the record. One size: plain once one looks."""
    if grade != 2 or not (item.has("ContactId") and record.get("ContactId") and record.get("AccountId")):
        return None
    contact = snapshot.registry.object_for_id(str(record["ContactId"]))
    if contact is None or not contact.has("AccountId"):
        return None
    for other in _others(snapshot, contact, record, draw):
        if other.get("AccountId") not in (None, record["AccountId"]) and other["Id"] != record["ContactId"]:
            return record | {"ContactId": other["Id"]}
    return None


FAULTS: Mapping[str, Fault] = {
    "ends_before_it_begins": ends_before_it_begins,
    "person_of_another_account": person_of_another_account,
    "text_of_another_record": text_of_another_record,
    "status_against_its_dates": status_against_its_dates,
    "place_is_not_there": place_is_not_there,
    "total_is_not_the_sum": total_is_not_the_sum,
}


def _others(snapshot: Snapshot, item: ObjectDef, record: Record, draw: random.Random) -> list[Record]:
    """Some other records of a kind, in random order."""
    ids = [one for one in some_ids(snapshot, item.name) if one != record.get("Id")]
    found = (snapshot.record(item.name, one) for one in draw.sample(ids, min(TRIES, len(ids))))
    return [one for one in found if one is not None]
