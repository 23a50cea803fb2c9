"""A tiny Org put together case by case, so that every answer can be worked out on paper.

Agents ann to dee, products 0 to 3, issues 0 to 3, accounts by state. Every record has a made-up Id; ``give`` turns a
word such as "ann" into the Id it stands for.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.published import KEY_PREFIXES, published_registry
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, open_snapshot, write_snapshot

TODAY = date(2024, 3, 31)
# Days from which a month back is not simply the same day of the month before.
TODAYS = (TODAY, date(2024, 2, 29), date(2024, 1, 31), date(2024, 3, 1))
AGENTS = ("ann", "bob", "cat", "dee")
STATES = ("IL", "CA", "NY", "TX", "Québec", None)
REGISTRY = published_registry(company="Northgate Gear")


def record_id(object_name: str, n: int) -> str:
    return make_id(KEY_PREFIXES[object_name], n)


def agent(name: str) -> str:
    return record_id("User", AGENTS.index(name))


def product(n: int) -> str:
    return record_id("Product2", n)


def issue(n: int) -> str:
    return record_id("Issue__c", n)


def contact(n: int) -> str:
    return record_id("Contact", n)


def at(text: str) -> datetime:
    """A moment in UTC from "2024-02-29 00:00" with or without seconds."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _published_tables() -> dict[str, list[dict[str, Any]]]:
    return {
        "User": [{"Id": agent(name), "FirstName": name} for name in AGENTS],
        "Issue__c": [{"Id": issue(n), "Name": f"Issue {n}"} for n in range(4)],
        "Product2": [{"Id": product(n), "Name": f"Tent {n}"} for n in range(4)],
        "Account": [{"Id": record_id("Account", n), "ShippingState": state} for n, state in enumerate(STATES)],
        "Contact": [{"Id": contact(n), "AccountId": record_id("Account", n)} for n in range(len(STATES))],
        "ProductCategory": [{"Id": record_id("ProductCategory", 0), "Name": "Tents"}],
        "ProductCategoryProduct": [
            {
                "Id": record_id("ProductCategoryProduct", n),
                "ProductCategoryId": record_id("ProductCategory", 0),
                "ProductId": product(n),
            }
            for n in (0, 1)
        ],
        "Order": [],
        "OrderItem": [{"Id": record_id("OrderItem", n), "Product2Id": product(n), "Quantity": 1.0} for n in range(4)],
        "Case": [],
        "CaseHistory__c": [],
    }


@dataclass
class HandOrg:
    """Tables that grow case by case and order by order."""

    today: date = TODAY
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=_published_tables)

    def case(
        self,
        opened: str | datetime,
        *,
        hours: float | None = 1,
        hands: Sequence[str] = ("ann",),
        about: int | None = 0,
        issue_no: int | None = 0,
        account: int | None = 0,
        status: str = "",
        times: int = 1,
    ) -> HandOrg:
        """A case given to ``hands`` one after the other, a minute apart; closed after ``hours``, open with None."""
        created = opened if isinstance(opened, datetime) else at(opened)
        for _ in range(times):
            rows, history = self.tables["Case"], self.tables["CaseHistory__c"]
            case_id = record_id("Case", len(rows))
            rows.append(
                {
                    "Id": case_id,
                    "OwnerId": agent(hands[-1]) if hands else None,
                    "Status": status or ("Working" if hours is None else "Closed"),
                    "CreatedDate": created,
                    "ClosedDate": None if hours is None else created + timedelta(hours=hours),
                    "IssueId__c": None if issue_no is None else issue(issue_no),
                    "OrderItemId__c": None if about is None else record_id("OrderItem", about),
                    "AccountId": None if account is None else record_id("Account", account),
                }
            )
            for step, name in enumerate(hands):
                history.append(
                    {
                        "Id": record_id("CaseHistory__c", len(history)),
                        "CaseId__c": case_id,
                        "Field__c": "Owner Assignment",
                        "OldValue__c": agent(hands[step - 1]) if step else None,
                        "NewValue__c": agent(name),
                        "CreatedDate": created + timedelta(minutes=step),
                    }
                )
        return self

    def order(self, day: date, products: Sequence[int], *, account: int = 0, status: str = "Activated") -> HandOrg:
        orders, items = self.tables["Order"], self.tables["OrderItem"]
        order_id = record_id("Order", len(orders))
        orders.append(
            {"Id": order_id, "AccountId": record_id("Account", account), "Status": status, "EffectiveDate": day}
        )
        for n in products:
            items.append({"Id": record_id("OrderItem", len(items)), "OrderId": order_id, "Product2Id": product(n)})
        return self

    def write(self, folder: Path, name: str = "hand") -> SnapshotInfo:
        return write_snapshot(folder / f"{name}.sqlite", REGISTRY, self.tables, today=self.today)

    def snapshot(self, folder: Path) -> Snapshot:
        return open_snapshot(self.write(folder).path)


EDGES = tuple(
    at(text)
    for text in (
        "2023-12-31 23:59:59",
        "2024-01-01 00:00",
        "2024-01-31 00:00",
        "2024-01-31 23:59:59",
        "2024-02-01 00:00",
        "2024-02-28 23:59:59",
        "2024-02-29 00:00",
        "2024-02-29 23:59:59",
        "2024-03-01 00:00",
        "2024-03-30 23:59:59",
        "2024-03-31 00:00",
        "2024-03-31 23:59:59",
        "2024-04-01 00:00",
    )
)


def random_org(seed: int) -> HandOrg:
    """About 120 cases, many on the first or last second of a day, with close scores and shared first places."""
    draw = random.Random(seed)
    org = HandOrg()
    for account in org.tables["Account"]:
        if draw.random() < 0.3 and account["ShippingState"]:
            account["ShippingState"] = account["ShippingState"].lower()
    for _ in range(120):
        on_edge = draw.random() < 0.4
        opened = draw.choice(EDGES) if on_edge else at("2023-06-01 08:00") + timedelta(minutes=draw.randrange(440_000))
        org.case(
            opened,
            hours=draw.choice((None, 1, 2, 2, 5.5, 24)),
            hands=draw.choices(AGENTS, k=draw.choice((0, 1, 1, 1, 2, 3))),
            about=draw.choice((0, 1, 2, 3, None)),
            issue_no=draw.choice((0, 1, 2, 3, None)),
            account=draw.choice((0, 1, 2, 3, 4, 5, None)),
            status=draw.choice(("", "", "", "closed", "New")),
        )
    for _ in range(200):
        day = draw.choice(TODAYS) - timedelta(days=draw.randrange(6))
        products = draw.sample(range(4), k=draw.choice((1, 2)))
        org.order(day, products, account=draw.randrange(6), status=draw.choice(("Activated", "Activated", "Draft")))
    return org
