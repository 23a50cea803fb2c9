"""What is in an Org of each world: objects that hold together in links and in time."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from datetime import date, datetime
from typing import Any

import pytest

WORLDS = ("service", "b2b", "b2c")
PRIMING = re.compile(r"\b(synthetic|generated|artificial|fake|simulated|AI|LLM|GPT|benchmark|CRMArena)\b")
FINGERPRINTS = re.compile(r"lorem|ipsum|as an ai|todo|placeholder|xxx|\bnan\b|\{|\}|<\w+>|\[\w+\|", re.IGNORECASE)


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest, built_of: Any) -> Any:
    return built_of(request.param, 0.24)


def by_id(world: Any, name: str) -> dict[str, dict[str, Any]]:
    return {row["Id"]: row for row in world.tables.get(name, ())}


def test_every_lookup_leads_to_a_record(world: Any) -> None:
    ids = {name: by_id(world, name) for name in world.tables}
    checked = 0
    for item in world.registry.objects:
        for field in (f for f in item.fields if f.type == "reference" and f.targets):
            for row in world.tables[item.name]:
                if (value := row.get(field.name)) is not None:
                    assert any(value in ids[target] for target in field.targets), (item.name, field.name, value)
                    checked += 1
    assert checked > 10_000


def test_ids_carry_the_prefix_of_their_object(world: Any) -> None:
    for item in world.registry.objects:
        assert all(row["Id"].startswith(item.key_prefix) and len(row["Id"]) == 18 for row in world.tables[item.name])


def test_no_field_is_unknown_and_none_is_always_empty(world: Any) -> None:
    for item in world.registry.objects:
        known = {field.name for field in item.fields}
        filled = {name for row in world.tables[item.name] for name, value in row.items() if value not in (None, "")}
        assert filled <= known, (item.name, filled - known)
        empty = {field.name for field in item.fields if not field.joined} - filled
        assert empty <= {"ValidTo", "LiveChatVisitorId"}, (item.name, empty)


def test_running_numbers_are_there_once(world: Any) -> None:
    numbers = (
        ("Case", "CaseNumber"),
        ("Order", "OrderNumber"),
        ("Quote", "QuoteNumber"),
        ("Contract", "ContractNumber"),
    )
    for name, field in numbers:
        found = [row[field] for row in world.tables.get(name, ())]
        assert len(dict.fromkeys(found)) == len(found)


def test_cases_follow_their_orders_and_end_before_today(world: Any) -> None:
    orders, items, now = by_id(world, "Order"), by_id(world, "OrderItem"), world.plan.now
    for case in world.tables["Case"]:
        if (item := case.get("OrderItemId__c")) is not None:
            order = orders[items[item]["OrderId"]]
            assert order["AccountId"] == case["AccountId"]
            assert order["Status"] == "Activated"
            assert order["EffectiveDate"] <= case["CreatedDate"].date()
        assert case["CreatedDate"] <= now
        assert (case.get("ClosedDate") is not None) == (case["Status"] == "Closed")
        if case.get("ClosedDate"):
            assert case["CreatedDate"] < case["ClosedDate"] <= now


def test_nothing_is_dated_after_today(world: Any) -> None:
    ahead = {"ExpirationDate", "CloseDate", "ActivityDate", "StartDateTime", "StartDate", "ValidTo"}
    for item in world.registry.objects:
        for field in (f.name for f in item.fields if f.type in ("date", "datetime") and f.name not in ahead):
            for row in world.tables[item.name]:
                value = row.get(field)
                day = value.date() if isinstance(value, datetime) else value
                assert day is None or day <= world.plan.today, (item.name, field, row["Id"])


def test_history_tells_each_case_in_order(world: Any) -> None:
    steps: dict[str, list[dict[str, Any]]] = {}
    for row in world.tables["CaseHistory__c"]:
        steps.setdefault(row["CaseId__c"], []).append(row)
    for case in world.tables["Case"]:
        told = steps[case["Id"]]
        times = [row["CreatedDate"] for row in told]
        assert times == sorted(times)
        kinds = [row["Field__c"] for row in told]
        # The published counts leave no room for a row of creation for every case.
        assert "Case Creation" not in kinds[1:]
        assert (kinds[-1] == "Case Closed") == (case["Status"] == "Closed")
        owners = [row for row in told if row["Field__c"] == "Owner Assignment"]
        assert owners[0].get("OldValue__c") is None
        assert owners[-1]["NewValue__c"] == case["OwnerId"]
        for before, after in itertools.pairwise(owners):
            assert after["OldValue__c"] == before["NewValue__c"] != after["NewValue__c"]


def test_prices_follow_the_price_book(world: Any) -> None:
    entries, orders = by_id(world, "PricebookEntry"), by_id(world, "Order")
    for line in world.tables["OrderItem"]:
        entry = entries[line["PriceBookEntryId"]]
        assert entry["Product2Id"] == line["Product2Id"]
        assert entry["Pricebook2Id"] == orders[line["OrderId"]]["Pricebook2Id"]


def test_business_has_a_rhythm(world: Any) -> None:
    """Fewer letters at week-ends and at night, few customers with many orders, some open cases at the end."""
    sent = [mail["MessageDate"] for mail in world.tables["EmailMessage"]]
    assert sum(at.weekday() >= 5 for at in sent) < len(sent) / 5
    assert sum(at.hour < 6 for at in sent) < len(sent) / 10
    bought = Counter(order["AccountId"] for order in world.tables["Order"])
    assert max(bought.values()) >= 2.5 * sum(bought.values()) / len(bought) or not world.plan.consumer
    assert any(case["Status"] != "Closed" for case in world.tables["Case"])


def test_addresses_and_numbers_reach_nobody(world: Any) -> None:
    for item in world.registry.objects:
        for row in world.tables[item.name]:
            for name in ("Email", "PersonEmail", "Username"):
                assert str(row.get(name) or "x.example").endswith(".example"), (item.name, row[name])
            if row.get("Phone"):
                assert re.fullmatch(r"\(\d{3}\) 555-01\d\d", row["Phone"]), (item.name, row["Phone"])


def test_no_slot_is_left_open_and_no_word_primes_the_reader(world: Any) -> None:
    for item in world.registry.objects:
        for field in (f.name for f in item.fields if f.type in ("string", "text", "picklist")):
            for row in world.tables[item.name]:
                text = str(row.get(field) or "")
                assert not FINGERPRINTS.search(text), (item.name, field, FINGERPRINTS.search(text), text)
                assert not PRIMING.search(text), (item.name, field, PRIMING.search(text), text)


def test_the_period_is_filled(world: Any) -> None:
    days: list[date] = sorted(order["EffectiveDate"] for order in world.tables["Order"])
    assert (days[0] - world.plan.first_day).days < 250
    assert (world.plan.today - days[-1]).days < 60
