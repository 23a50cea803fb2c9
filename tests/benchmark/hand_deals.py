"""An Org made by hand for the rules of selling: deals, quotes, contracts, orders, tasks, leads and territories.

Sellers are the agents of ``hand_org``, products 0 to 3 too. ``DealsOrg`` grows row by row; ``random_deals`` makes one
whose scores are close and whose days lie on the ends of periods.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from study.sandbox.engine.published import registry_from_schema
from study.sandbox.engine.published_fields import FIELDS
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, open_snapshot, write_snapshot
from tests.benchmark.hand_org import AGENTS, EDGES, TODAY, agent, at, product, record_id

GUIDE = {
    "Qualification": ["first call", "size of the site"],
    "Discovery": ["ask what is needed", "walk the site"],
    "Quote": ["send the quote", "demonstrate"],
    "Negotiation": ["agree on price", "send the quoted terms"],
    "Closed": ["sign the contract"],
}
STAGES = tuple(GUIDE)
OBJECTS = (
    "User", "Product2", "Account", "Territory2", "UserTerritory2Association", "Opportunity", "Quote", "QuoteLineItem",
    "Contract", "Order", "OrderItem", "Task", "Event", "Lead", "Knowledge__kav",
)  # fmt: skip


def article(n: int) -> str:
    return record_id("Knowledge__kav", n)


def selling_rules(
    *, most: int = 4, each: int = 2, steps: Sequence[Sequence[float]] = ((1, 5), (10, 15))
) -> dict[str, Any]:
    """Product 0 at most so often; 1 and 2 never together; a 3 for so many of 0; discounts by quantity."""
    return {
        "limits": [{"article": article(0), "product": product(0), "most": most}],
        "exclusions": [{"article": article(1), "one": product(1), "other": product(2)}],
        "requirements": [{"article": article(2), "product": product(0), "needs": product(3), "each": each}],
        "steps": {"article": article(3), "steps": [list(step) for step in steps]},
    }


def _registry(*, contracts_on_orders: bool) -> Any:
    schema = []
    for name in OBJECTS:
        fields = (*FIELDS[name], "ContractId") if name == "Order" and contracts_on_orders else FIELDS[name]
        schema.append({"object": name, "fields": dict.fromkeys(fields, "")})
    return registry_from_schema(schema, zone="UTC", company="Northgate Gear")


def _start() -> dict[str, list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in OBJECTS}
    tables["User"] = [{"Id": agent(name), "FirstName": name} for name in AGENTS]
    tables["Product2"] = [{"Id": product(n), "Name": f"Sensor {n}"} for n in range(4)]
    tables["Account"] = [{"Id": record_id("Account", n), "FirstName": f"Customer {n}"} for n in range(4)]
    tables["Knowledge__kav"] = [{"Id": article(n), "Title": f"Rule {n}"} for n in range(4)]
    return tables


@dataclass
class DealsOrg:
    contracts_on_orders: bool = True
    today: date = TODAY
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=_start)

    def _add(self, object_name: str, **values: Any) -> str:
        rows = self.tables[object_name]
        rows.append({"Id": record_id(object_name, len(rows)), **values})
        return str(rows[-1]["Id"])

    def territory(self, states: str | None, *members: str | None) -> DealsOrg:
        place = self._add("Territory2", Name=f"Area {states}", Description=states)
        for name in members:
            self._add("UserTerritory2Association", UserId=name and agent(name), Territory2Id=place)
        return self

    def deal(
        self, owner: str | None, *, created: str | datetime = "2024-03-01 00:00", signed: date | None = None,
        stage: str | None = "Quote",
    ) -> str:  # fmt: skip
        """An opportunity with a contract (signed by the company on a day, or not at all). Gives its Id."""
        contract = self._contract(record_id("Account", 0), signed)
        when = created if isinstance(created, datetime) else at(created)
        owner_id = owner and agent(owner)
        return self._add("Opportunity", OwnerId=owner_id, CreatedDate=when, StageName=stage, ContractID__c=contract)

    def _contract(self, account: str, signed: date | None) -> str:
        """The customer signs five days before the company does."""
        before = signed and signed - timedelta(days=5)
        return self._add("Contract", AccountId=account, CompanySignedDate=signed, CustomerSignedDate=before)

    def quote(
        self, lines: Sequence[tuple[int, float, float]] = (), *, deal: str | None = None, status: str = "Draft"
    ) -> str:
        """A quote with lines of (product, quantity, discount). Gives its Id."""
        made = self._add("Quote", Status=status, OpportunityId=deal)
        for place, quantity, discount in lines:
            item = product(place)
            self._add("QuoteLineItem", QuoteId=made, Product2Id=item, Quantity=quantity, Discount=discount)
        return made

    def task(self, deal: str, subject: str, status: str) -> str:
        return self._add("Task", WhatId=deal, Subject=subject, Status=status)

    def lead(self, owner: str | None, *, created: str | datetime, converted: date | None = None) -> DealsOrg:
        when = created if isinstance(created, datetime) else at(created)
        turned = converted is not None
        owner_id = owner and agent(owner)
        self._add("Lead", OwnerId=owner_id, CreatedDate=when, IsConverted=turned, ConvertedDate=converted)
        return self

    def order(
        self, owner: str | None, lines: Sequence[tuple[float, float]], *, signed: date | None, account: int = 0,
        starts: date = TODAY, status: str = "Activated",
    ) -> DealsOrg:  # fmt: skip
        """An order of lines (quantity, price) under a contract signed on a day, of the same account."""
        place = record_id("Account", account)
        contract = self._contract(place, signed)
        more = {"ContractId": contract} if self.contracts_on_orders else {}
        owner_id = owner and agent(owner)
        made = self._add("Order", OwnerId=owner_id, Status=status, AccountId=place, EffectiveDate=starts, **more)
        for quantity, price in lines:
            self._add("OrderItem", OrderId=made, Product2Id=product(0), Quantity=quantity, UnitPrice=price)
        return self

    def write(self, folder: Path, name: str = "deals") -> SnapshotInfo:
        registry = _registry(contracts_on_orders=self.contracts_on_orders)
        return write_snapshot(folder / f"{name}.sqlite", registry, self.tables, today=self.today)

    def snapshot(self, folder: Path) -> Snapshot:
        return open_snapshot(self.write(folder).path)


DAYS = sorted({moment.date() for moment in EDGES})


def random_deals(seed: int) -> DealsOrg:
    draw = random.Random(seed)
    org = DealsOrg(contracts_on_orders=seed % 2 == 0)
    org.territory("IL, ca", "ann", "bob").territory("NY;TX", "cat", "dee", None)
    org.territory(None, "ann").territory("OR,IL").territory("WA", "bob", "cat", "dee")
    owners = (*AGENTS, *AGENTS, None)
    deals = []
    for _ in range(40):
        signed = draw.choice((None, *DAYS))
        deals.append(org.deal(draw.choice(owners), created=_moment(draw), signed=signed, stage=draw.choice(STAGES)))
    for _ in range(60):
        lines = [
            (draw.randrange(4), draw.choice((1, 1, 2, 4, 10)), draw.choice((0, 0, 5, 10, 15)))
            for _ in range(draw.randrange(1, 6))
        ]
        org.quote(lines, deal=draw.choice((*deals, None)), status=draw.choice(("Accepted", "accepted", "Draft")))
    for deal in deals[:36]:
        for _ in range(draw.randrange(5)):
            words = draw.choice(GUIDE[draw.choice(STAGES)]).capitalize()
            org.task(deal, f"{words}, as agreed", draw.choice(("Not Started", "In Progress", "completed", "Deferred")))
    for _ in range(80):
        org.lead(draw.choice(owners), created=_moment(draw), converted=draw.choice((None, *DAYS)))
    for _ in range(40):
        lines2 = [(draw.choice((1, 2, 3)), draw.choice((10, 15.5, 20))) for _ in range(draw.randrange(3))]
        org.order(draw.choice(owners), lines2, signed=draw.choice((None, *DAYS)), account=draw.randrange(4),
                  starts=draw.choice(DAYS), status=draw.choice(("Activated", "activated", "Draft")))  # fmt: skip
    return org


def _moment(draw: random.Random) -> datetime:
    if draw.random() < 0.4:
        return draw.choice(EDGES)
    return at("2023-09-01 08:00") + timedelta(minutes=draw.randrange(300_000))


def any_deal_params(rule: str, draw: random.Random) -> dict[str, Any]:
    """Parameters of a rule of selling; a good part of them leads to a tie or to nothing."""
    if rule == "lead_routing":
        return {"state": draw.choice(("IL", "CA", "ny", "TX", "OR", "WA", "HI"))}
    if rule in ("invalid_config", "quote_approval"):
        rules = selling_rules(most=draw.choice((1, 4, 9)), each=draw.choice((1, 2, 3, 5)))
        if draw.random() < 0.2:
            del rules[draw.choice(tuple(rules))]
        return {"quote_id": record_id("Quote", draw.randrange(60)), "rules": rules}
    return {"opportunity_id": record_id("Opportunity", draw.randrange(40)), "stages": GUIDE}
