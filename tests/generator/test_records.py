"""What is in the Org: sixteen objects that hold together in links and in time."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from datetime import datetime

from study.generator.world.service import World
from study.generator.world.timing import NOW, TODAY
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo


def by_id(world: World, name: str) -> dict[str, dict]:
    return {row["Id"]: row for row in world.tables[name]}


def test_sixteen_objects_and_about_five_thousand_records(world: World, written: SnapshotInfo) -> None:
    assert len(written.counts) == 16
    assert 4_500 <= sum(written.counts.values()) <= 5_700
    assert all(written.counts.values())
    assert written.counts == {name: len(rows) for name, rows in world.tables.items()}
    assert written.last_day == TODAY
    assert written.manifest["seed"] == 7
    assert written.manifest["numpy"]
    assert written.manifest["company"]


def test_every_lookup_leads_to_a_record(world: World, snapshot: Snapshot) -> None:
    ids = {name: by_id(world, name) for name in world.tables}
    checked = 0
    for item in world.registry.objects:
        for field in (f for f in item.fields if f.type == "reference" and f.targets):
            for row in world.tables[item.name]:
                if (value := row.get(field.name)) is not None:
                    assert any(value in ids[target] for target in field.targets), (item.name, field.name, value)
                    checked += 1
    assert checked > 10_000
    assert snapshot.record("Case", world.tables["Case"][0]["Id"]) is not None


def test_ids_carry_the_prefix_of_their_object(world: World) -> None:
    for item in world.registry.objects:
        assert all(row["Id"].startswith(item.key_prefix) and len(row["Id"]) == 18 for row in world.tables[item.name])


def test_running_numbers_are_there_once_and_rise(world: World) -> None:
    for name, field, pattern in (("Case", "CaseNumber", r"\d{8}"), ("Order", "OrderNumber", r"HE-\d{5,6}")):
        numbers = [row[field] for row in world.tables[name]]
        assert numbers == sorted(numbers)
        assert len(dict.fromkeys(numbers)) == len(numbers)
        assert all(re.fullmatch(pattern, number) for number in numbers)
        gaps = [int(b[-5:]) - int(a[-5:]) for a, b in itertools.pairwise(numbers)]
        assert max(gaps) > 1  # a used system has gaps


def test_nothing_happens_after_the_last_day_or_before_its_cause(world: World) -> None:
    orders, items = by_id(world, "Order"), by_id(world, "OrderItem")
    accounts = by_id(world, "Account")
    for order in world.tables["Order"]:
        assert accounts[order["AccountId"]]["CreatedDate"].date() <= order["EffectiveDate"] <= TODAY
    for case in world.tables["Case"]:
        order = orders[items[case["OrderItemId__c"]]["OrderId"]]
        assert order["AccountId"] == case["AccountId"]
        assert order["Status"] == "Activated"
        assert order["EffectiveDate"] < case["CreatedDate"].date()
        assert case["CreatedDate"] < NOW
        assert (case["ClosedDate"] is not None) == (case["Status"] == "Closed")
        if case["ClosedDate"]:
            assert case["CreatedDate"] < case["ClosedDate"] < NOW


def test_history_tells_each_case_in_order(world: World) -> None:
    steps: dict[str, list[dict]] = {}
    for row in world.tables["CaseHistory__c"]:
        steps.setdefault(row["CaseId__c"], []).append(row)
    for case in world.tables["Case"]:
        told = steps[case["Id"]]
        times = [row["CreatedDate"] for row in told]
        assert times == sorted(times)
        assert times[0] == case["CreatedDate"]
        kinds = [row["Field__c"] for row in told]
        assert kinds[0] == "Case Creation"
        assert kinds.count("Case Creation") == 1
        assert (kinds[-1] == "Case Closed") == (case["Status"] == "Closed")
        owners = [row for row in told if row["Field__c"] == "Owner Assignment"]
        assert owners[0]["OldValue__c"] is None
        assert owners[-1]["NewValue__c"] == case["OwnerId"]
        for before, after in itertools.pairwise(owners):
            assert after["OldValue__c"] == before["NewValue__c"] != after["NewValue__c"]
        if case["ClosedDate"]:
            assert told[-1]["CreatedDate"] == case["ClosedDate"]


def test_agents_have_cases_only_while_they_are_there(world: World) -> None:
    agents = {agent.id: agent for agent in world.agents}
    assert any(agent.until for agent in world.agents)
    for row in world.tables["CaseHistory__c"]:
        if row["NewValue__c"]:
            agent = agents[row["NewValue__c"]]
            assert agent.since <= row["CreatedDate"].date(), agent.row["Alias"]
            assert agent.until is None or row["CreatedDate"].date() < agent.until
    for case in world.tables["Case"]:
        if case["Status"] != "Closed":
            assert agents[case["OwnerId"]].until is None


def test_letters_and_chats_lie_within_their_case(world: World) -> None:
    cases = by_id(world, "Case")
    last: dict[str, datetime] = {}
    for mail in world.tables["EmailMessage"]:
        case = cases[mail["ParentId"]]
        assert case["CreatedDate"] <= mail["MessageDate"] < (case["ClosedDate"] or NOW)
        assert last.get(case["Id"], case["CreatedDate"]) <= mail["MessageDate"]
        last[case["Id"]] = mail["MessageDate"]
    for chat in world.tables["LiveChatTranscript"]:
        case = cases[chat["CaseId"]]
        assert case["Origin"] == "Chat"
        assert case["CreatedDate"] < chat["EndTime"] <= (case["ClosedDate"] or NOW)


def test_prices_follow_the_price_book(world: World) -> None:
    entries, orders = by_id(world, "PricebookEntry"), by_id(world, "Order")
    sums: Counter[str] = Counter()
    for line in world.tables["OrderItem"]:
        entry = entries[line["PriceBookEntryId"]]
        assert (entry["Product2Id"], entry["UnitPrice"]) == (line["Product2Id"], line["UnitPrice"])
        assert entry["Pricebook2Id"] == orders[line["OrderId"]]["Pricebook2Id"]
        sums[line["OrderId"]] += line["Quantity"] * line["UnitPrice"]
    assert all(abs(sums[order["Id"]] - order["TotalAmount"]) < 0.01 for order in world.tables["Order"])
    assert any(order["Status"] == "Draft" for order in world.tables["Order"])


def test_business_has_a_rhythm(world: World) -> None:
    """Fewer cases at week-ends and at night, few customers with many orders, some open cases at the end."""
    created = [case["CreatedDate"] for case in world.tables["Case"]]
    weekend = sum(at.weekday() >= 5 for at in created)
    assert weekend < len(created) / 5
    assert sum(at.hour < 6 for at in created) < len(created) / 10
    orders = Counter(order["AccountId"] for order in world.tables["Order"])
    assert max(orders.values()) >= 5
    assert len(orders) < len(world.tables["Account"])
    still_open = [case for case in world.tables["Case"] if case["Status"] != "Closed"]
    assert 10 <= len(still_open) <= 60
    assert len(Counter(case["Status"] for case in still_open)) >= 3
    closed = [c for c in world.tables["Case"] if c["ClosedDate"]]
    hours = sorted((c["ClosedDate"] - c["CreatedDate"]).total_seconds() / 3600 for c in closed)
    mean, median = sum(hours) / len(hours), hours[len(hours) // 2]
    assert mean > median * 1.1  # a long tail, as service times have


def test_addresses_and_numbers_reach_nobody(world: World) -> None:
    for name, fields in (("User", ("Email",)), ("Account", ("PersonEmail",)), ("Contact", ("Email",))):
        for row in world.tables[name]:
            assert all(row[field].endswith(".example") for field in fields)
            if row["Phone"]:
                assert re.fullmatch(r"\(\d{3}\) 555-01\d\d", row["Phone"])
    cities: dict[str, str] = {}
    for row in world.tables["Account"]:
        assert cities.setdefault(row["ShippingCity"].lower(), row["ShippingState"]) == row["ShippingState"]
