"""The whole world, from a seed to tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime

from study.generator.world.cases import Case, make_cases
from study.generator.world.catalogue import Catalogue, Row, make_catalogue
from study.generator.world.chats import make_chats
from study.generator.world.identifiers import Ids
from study.generator.world.knowledge import make_articles
from study.generator.world.mail import make_mail
from study.generator.world.orders import Bought, make_orders
from study.generator.world.people import Agent, Customer, make_agents, make_customers
from study.generator.world.registry import service_registry
from study.generator.world.timing import TODAY
from study.generator.world.writing import Hand, facts_of
from study.sandbox.engine.registry import Registry

AGENTS, CUSTOMERS, ORDERS, CASES = 28, 320, 430, 500
SMALLEST, LARGEST = 0.2, 20.0


@dataclass(frozen=True)
class World:
    """Tables by object, and the people and things behind them, for those who ask questions about it."""

    seed: int
    registry: Registry
    tables: dict[str, list[Row]]
    today: date
    agents: list[Agent]
    customers: list[Customer]
    catalogue: Catalogue
    bought: list[Bought]
    cases: list[Case]

    @property
    def counts(self) -> dict[str, int]:
        return {name: len(rows) for name, rows in self.tables.items()}


def build_service(seed: int, *, scale: float = 1.0) -> World:
    """About ``scale`` × 5,000 records. ValueError for a scale outside 0.2 to 20 or a negative seed."""
    if not SMALLEST <= scale <= LARGEST:
        raise ValueError(f"The scale must lie between {SMALLEST} and {LARGEST:g}, not {scale:g}.")
    if seed < 0:
        raise ValueError("The seed must be zero or more.")
    agents = make_agents(seed, max(12, round(AGENTS * min(scale, 4) ** 0.5)))
    customers = make_customers(seed, round(CUSTOMERS * scale), agents)
    catalogue = make_catalogue(seed)
    orders, lines, bought = make_orders(seed, round(ORDERS * scale), customers, agents, catalogue)
    cases = make_cases(seed, round(CASES * scale), bought, agents)
    _put_into_words(seed, cases)
    tables: dict[str, list[Row]] = {
        "User": [agent.row for agent in agents],
        "Account": [customer.row for customer in customers],
        "Contact": [customer.contact for customer in customers],
        "Case": [_case_row(case, catalogue) for case in cases],
        "Knowledge__kav": make_articles(seed),
        **catalogue.tables,
        "Order": orders,
        "OrderItem": lines,
        "EmailMessage": make_mail(seed, cases),
        "LiveChatTranscript": make_chats(seed, cases),
        "CaseHistory__c": _history(seed, cases),
    }
    return World(seed, service_registry(), tables, TODAY, agents, customers, catalogue, bought, cases)


def _put_into_words(seed: int, cases: list[Case]) -> None:
    """Number, subject and description of every case; no two descriptions are the same."""
    hand, ids = Hand(seed, "cases in words"), Ids(seed, "Case")
    number, seen = hand.draw.whole(10_200, 10_900), Counter[str]()
    for case in cases:
        number += hand.draw.whole(1, 4)
        case.id, case.number = ids.next(), f"{number:08d}"
        case.facts = facts_of(case, hand.draw)
        case.subject = hand.subject(case)
        for _ in range(8):
            case.description = hand.trouble(case, short=case.origin == "Chat")
            if not seen[case.description]:
                break
        seen[case.description] += 1


def _case_row(case: Case, catalogue: Catalogue) -> Row:
    customer = case.line.customer
    return {
        "Id": case.id,
        "CaseNumber": case.number,
        "Subject": case.subject,
        "Description": case.description,
        "Priority": case.priority,
        "Status": case.status,
        "Origin": case.origin,
        "CreatedDate": case.created,
        "ClosedDate": case.closed,
        "AccountId": customer.account_id,
        "ContactId": customer.contact_id,
        "OwnerId": case.owner.id,
        "IssueId__c": catalogue.issues[case.issue.place],
        "OrderItemId__c": case.line.id,
    }


def _history(seed: int, cases: list[Case]) -> list[Row]:
    """Creation, every owner, closing; Ids in the order things happened over all cases."""
    rows: list[tuple[datetime, str, int, Row]] = []
    for case in cases:
        steps: list[tuple[datetime, str, str | None, str | None]] = [(case.created, "Case Creation", None, None)]
        before: str | None = None
        for owned in case.hands:
            steps.append((owned.since, "Owner Assignment", before, owned.agent.id))
            before = owned.agent.id
        if case.closed is not None:
            steps.append((case.closed, "Case Closed", None, None))
        for place, (at, what, old, new) in enumerate(steps):
            row: Row = {
                "CaseId__c": case.id,
                "Field__c": what,
                "OldValue__c": old,
                "NewValue__c": new,
                "CreatedDate": at,
            }
            rows.append((at, case.id, place, row))
    rows.sort(key=lambda item: item[:3])
    ids = Ids(seed, "CaseHistory__c")
    return [{"Id": ids.next(), **row} for _at, _case, _place, row in rows]
