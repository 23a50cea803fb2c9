"""A small service Org with odd cases, for tests of the engine and of the pages built on it.

About 300 records. Worth knowing: account 1 is called O'Dell, accounts 2 and 3 differ
only in capitals and accents; every seventh case has no account, every fifth no closing
date; cases 0 to 5 lie on the edges of months (31 January, 29 February, first and last
moment of a month); contacts 1 and 2 have Ids that differ only in case.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from study.sandbox.engine.ids import make_id, suffix15to18
from study.sandbox.engine.published import published_registry
from study.sandbox.engine.registry import Registry
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot

TODAY = date(2024, 3, 31)
STATES = ("IL", "CA", "il", None, "NY", "TX")
LAST_NAMES = ("O'Dell", "Álvarez", "ALVAREZ", "Łukasz", "Strauß", "van der Berg", "50% off", "A_B", "back\\slash", "Ng")
ISSUES = ("Battery drains", "Screen cracked", "Won't start", "Wrong item")
EDGES = (
    datetime(2024, 1, 31, 23, 59, 59, 999_000, UTC),
    datetime(2024, 2, 1, 0, 0, tzinfo=UTC),
    datetime(2024, 2, 29, 12, 0, tzinfo=UTC),
    datetime(2023, 11, 30, 0, 0, tzinfo=UTC),
    datetime(2024, 3, 31, 23, 59, 59, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 500_000, UTC),
)

Tables = dict[str, list[dict[str, Any]]]


def small_registry(**changes: Any) -> Registry:
    return published_registry(**({"company": "Northgate Gear"} | changes))


def small_tables() -> Tables:
    """Records of the 16 service objects; the same ones every time."""
    users = [_person("User", n, Email=f"agent{n}@example.test", Alias=f"ag{n}") for n in range(6)]
    accounts = [
        _person("Account", n, PersonEmail=f"FRED{n}@Example.test", ShippingState=STATES[n % 6], NumberOfEmployees=n * 7)
        for n in range(20)
    ]
    contacts = [
        _person("Contact", n, Email=f"c{n}@example.test", AccountId=_id("Account", n % 20) if n % 4 else None)
        for n in range(24)
    ]
    contacts[1]["Id"], contacts[2]["Id"] = suffix15to18("003290000004GNy"), suffix15to18("003290000004GNY")
    issues = [{"Id": _id("Issue__c", n), "Name": name, "Description__c": f"{name}."} for n, name in enumerate(ISSUES)]
    products = [
        {"Id": _id("Product2", n), "Name": f"Tent {n}", "Description": "Sleeps two.", "IsActive": n % 3 > 0}
        for n in range(8)
    ]
    orders = [
        {"Id": _id("Order", n), "AccountId": _id("Account", n % 20), "Status": "Activated" if n % 2 else "Draft",
         "EffectiveDate": date(2024, 2, 29) - timedelta(days=n * 9), "OwnerId": _id("User", n % 6)}
        for n in range(30)
    ]  # fmt: skip
    items = [
        {"Id": _id("OrderItem", n), "OrderId": _id("Order", n % 30), "Product2Id": _id("Product2", n * 5 % 8),
         "Quantity": float(n % 4 + 1), "UnitPrice": 9.5 + n * 1.25}
        for n in range(50)
    ]  # fmt: skip
    cases = [_case(n) for n in range(70)]
    articles = [
        {"Id": _id("Knowledge__kav", n), "Title": f"How to return a tent, part {n}", "UrlName": f"return-{n}",
         "Summary": "Returns", "FAQ_Answer__c": "Send it back within 30 days. Batteries drain faster in the cold."}
        for n in range(4)
    ]  # fmt: skip
    mails = [
        {"Id": _id("EmailMessage", n), "Subject": f"Re: case {n}", "TextBody": "Hello,\nthe battery drains.\n",
         "FromAddress": "fred@example.test", "MessageDate": _moment(n * 3), "ParentId": _id("Case", n)}
        for n in range(20)
    ]  # fmt: skip
    return {
        "User": users, "Account": accounts, "Contact": contacts, "Issue__c": issues, "Product2": products,
        "Order": orders, "OrderItem": items, "Case": cases, "CaseHistory__c": _histories(cases),
        "Knowledge__kav": articles, "EmailMessage": mails,
    }  # fmt: skip


def small_snapshot(folder: Path, **changes: Any) -> Snapshot:
    """The small Org as an open snapshot in a folder."""
    info = write_snapshot(folder / "small.sqlite", small_registry(**changes), small_tables(), today=TODAY)
    return open_snapshot(info.path)


PREFIXES = {item.name: item.key_prefix for item in small_registry().objects}


def _id(object_name: str, n: int) -> str:
    return make_id(PREFIXES[object_name], n)


def _moment(n: int) -> datetime:
    return datetime(2023, 7, 4, 8, 30, tzinfo=UTC) + timedelta(days=n * 4, minutes=n * 17)


def _person(object_name: str, n: int, **fields: Any) -> dict[str, Any]:
    first = ("Fred", "Zoë", "Ana", None)[n % 4]
    return {"Id": _id(object_name, n), "FirstName": first, "LastName": LAST_NAMES[(n - 1) % 10], **fields}


def _case(n: int) -> dict[str, Any]:
    created = EDGES[n] if n < len(EDGES) else _moment(n)
    return {
        "Id": _id("Case", n), "Subject": f"{ISSUES[n % 4]} ({LAST_NAMES[n % 10]})",
        "Description": f"Customer says: 100% broken. Case {n}.", "Priority": ("Low", "High", None)[n % 3],
        "Status": ("New", "Closed", "closed", "Working")[n % 4], "CreatedDate": created,
        "ClosedDate": created + timedelta(hours=5 + n * 2.5) if n % 5 else None,
        "AccountId": _id("Account", n % 20) if n % 7 else None, "ContactId": _id("Contact", 0) if n % 2 else None,
        "OwnerId": _id("User", n % 6), "IssueId__c": _id("Issue__c", n % 4) if n % 9 else None,
        "OrderItemId__c": _id("OrderItem", n % 50) if n % 6 else None,
    }  # fmt: skip


def _histories(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for n, case in enumerate(cases):
        for step in range(1 + n % 3):
            rows.append({
                "Id": _id("CaseHistory__c", len(rows)), "CaseId__c": case["Id"],
                "Field__c": "Owner Assignment" if step else "Case Creation",
                "OldValue__c": _id("User", (n + step - 1) % 6) if step > 1 else None,
                "NewValue__c": _id("User", (n + step) % 6) if step else None,
                "CreatedDate": case["CreatedDate"] + timedelta(hours=step),
            })  # fmt: skip
    return rows
