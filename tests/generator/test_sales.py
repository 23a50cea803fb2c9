"""Selling as a whole: exact counts, lookups, sums, the order of time, and what the ingredients switch off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import Sales
from study.generator.sales import make_sales

Sold = Callable[..., tuple[Branch, Sales]]
OBJECTS = (
    "Lead", "Opportunity", "OpportunityLineItem", "Quote", "QuoteLineItem", "Contract", "Order", "OrderItem", "Task",
    "Event",
)  # fmt: skip
WORLDS = ("b2b", "b2c")


def by_id(branch: Branch, name: str) -> dict[str, dict[str, Any]]:
    return {str(row["Id"]): row for row in branch.tables.get(name, [])}


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.02])
@pytest.mark.parametrize("world", WORLDS)
def test_as_many_records_as_were_asked_for(sold: Sold, world: str, scale: float) -> None:
    branch, sales = sold(world, scale)
    assert {name: len(branch.tables.get(name, [])) for name in OBJECTS} == {n: branch.counts[n] for n in OBJECTS}
    calls = [call for owner in (*sales.leads, *sales.deals) for call in owner.calls]
    assert len(calls) == branch.counts["VoiceCallTranscript__c"]
    for name in OBJECTS:
        ids = [row["Id"] for row in branch.tables.get(name, [])]
        assert len(set(ids)) == len(ids)
        assert all(ids)


@pytest.mark.parametrize("world", WORLDS)
def test_lookups_lead_to_records_that_are_there(sold: Sold, world: str) -> None:
    branch, _ = sold(world)
    entries = {
        entry: (item.id, branch.shared.books[book], price)
        for item in branch.shared.items for book, (entry, price) in item.entries.items()
    }  # fmt: skip
    users = {member.id for member in branch.members}
    people = {person.id: party.id for party in branch.parties for person in party.contacts}
    deals, quotes, orders = (by_id(branch, name) for name in ("Opportunity", "Quote", "Order"))
    lines, contracts = by_id(branch, "OpportunityLineItem"), by_id(branch, "Contract")
    for deal in deals.values():
        assert people[deal["ContactId"]] == deal["AccountId"]
        assert deal["OwnerId"] in users
        assert deal["ContractID__c"] is None or contracts[deal["ContractID__c"]]["AccountId"] == deal["AccountId"]
    for line in lines.values():
        assert line["OpportunityId"] in deals
        assert entries[line["PricebookEntryId"]][0] == line["Product2Id"]
    for quote in quotes.values():
        assert (quote["AccountId"], quote["ContactId"]) == tuple(
            deals[quote["OpportunityId"]][field] for field in ("AccountId", "ContactId")
        )
    for line in branch.tables["QuoteLineItem"]:
        base = lines[str(line["OpportunityLineItemId"])]
        assert base["OpportunityId"] == quotes[str(line["QuoteId"])]["OpportunityId"]
        assert base["Product2Id"] == line["Product2Id"]
        assert entries[str(line["PricebookEntryId"])][2] == line["UnitPrice"]
    for line in branch.tables["OrderItem"]:
        product, book, price = entries[str(line["PriceBookEntryId"])]
        assert (product, book) == (line["Product2Id"], orders[str(line["OrderId"])]["Pricebook2Id"])
        assert 0 < float(str(line["UnitPrice"])) <= price
    for name in ("Task", "Event"):
        assert all(row["WhatId"] in deals and row["OwnerId"] in users for row in branch.tables[name])


@pytest.mark.parametrize("world", WORLDS)
def test_sums_agree(sold: Sold, world: str) -> None:
    branch, _ = sold(world)
    sums: Counter[str] = Counter()
    for line in branch.tables["OpportunityLineItem"]:
        sums[str(line["OpportunityId"])] += line["TotalPrice"]  # type: ignore[call-overload]
    for deal in branch.tables["Opportunity"]:
        assert deal["Amount"] == pytest.approx(sums[str(deal["Id"])], abs=0.005)
        assert deal["Amount"]
    for line in branch.tables["QuoteLineItem"]:
        quantity, price, discount = (float(str(line[name])) for name in ("Quantity", "UnitPrice", "Discount"))
        assert line["TotalPrice"] == pytest.approx(quantity * price * (1 - discount / 100), abs=0.006)
    totals: Counter[str] = Counter()
    for line in branch.tables["OrderItem"]:
        totals[str(line["OrderId"])] += line["Quantity"] * line["UnitPrice"]  # type: ignore[operator]
    for order in branch.tables["Order"]:
        assert order["TotalAmount"] == pytest.approx(totals[str(order["Id"])], abs=0.005)


@pytest.mark.parametrize("world", WORLDS)
def test_what_was_won_has_one_contract_and_one_order_with_the_accepted_lines(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    contracts = by_id(branch, "Contract")
    orders = {str(row["ContractId"]): row for row in branch.tables["Order"]}
    won = [row for row in branch.tables["Opportunity"] if row["ContractID__c"]]
    assert len(won) == len(contracts) == len(orders)
    assert all(row["StageName"] == "Closed" and row["Probability"] == 100 for row in won)
    quotes: dict[str, list[dict[str, Any]]] = {}
    for quote in branch.tables["Quote"]:
        quotes.setdefault(str(quote["OpportunityId"]), []).append(quote)
    lines: dict[str, list[tuple[Any, ...]]] = {}
    for line in branch.tables["QuoteLineItem"]:
        off = round(line["UnitPrice"] * (1 - line["Discount"] / 100), 2)  # type: ignore[operator]
        lines.setdefault(str(line["QuoteId"]), []).append((line["Product2Id"], line["Quantity"], off))
    ordered: dict[str, list[tuple[Any, ...]]] = {}
    for line in branch.tables["OrderItem"]:
        ordered.setdefault(str(line["OrderId"]), []).append((line["Product2Id"], line["Quantity"], line["UnitPrice"]))
    for deal in won:
        contract, order = contracts[str(deal["ContractID__c"])], orders[str(deal["ContractID__c"])]
        (accepted,) = [quote for quote in quotes[str(deal["Id"])] if quote["Status"] == "Accepted"]
        assert ordered[order["Id"]] == lines[accepted["Id"]]
        assert order["OwnerId"] == deal["OwnerId"]
        assert accepted["CreatedDate"].date() <= contract["CustomerSignedDate"] <= contract["CompanySignedDate"]
        assert contract["CompanySignedDate"] == deal["CloseDate"]
        assert 0 <= (order["EffectiveDate"] - contract["CompanySignedDate"]).days <= 8
        assert order["EffectiveDate"] <= branch.today
    assert {line.order_id for line in sales.bought} == {order["Id"] for order in orders.values()}
    assert len(sales.bought) == branch.counts["OrderItem"]


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_happens_before_it_can(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    deals = by_id(branch, "Opportunity")
    for deal in sales.deals:
        assert deal.party.since.date() <= deal.created.date()
        assert branch.first_day <= deal.created.date()
        ends = deal.ended or branch.now
        assert deal.created < ends <= branch.now
        begun = list(deal.entered.values())
        assert begun == sorted(begun)
        assert deal.owner.since <= deal.created.date()
        assert deal.won is not None or deal.owner.works_on(branch.today)
        for call in deal.calls:
            assert deal.created < call.start < ends
            assert call.start < call.end <= branch.now
        assert [call.start for call in deal.calls] == sorted(call.start for call in deal.calls)
    for quote in branch.tables["Quote"]:
        deal_row = deals[str(quote["OpportunityId"])]
        assert deal_row["CreatedDate"] < quote["CreatedDate"] < quote["ExpirationDate"]
        assert quote["CreatedDate"] < branch.now
    for name, at in (("Task", "CreatedDate"), ("Event", "StartDateTime"), ("Event", "CreatedDate")):
        for row in branch.tables[name]:
            assert deals[str(row["WhatId"])]["CreatedDate"] <= row[at]
    for task in branch.tables["Task"]:
        created, due = task["CreatedDate"], task["ActivityDate"]
        assert isinstance(created, datetime)
        assert isinstance(due, datetime)
        assert created.date() <= due.date()
        assert created <= branch.now
        assert task["Status"] != "Completed" or due.date() <= branch.today
        deal_row = deals[str(task["WhatId"])]
        if deal_row["StageName"] == "Closed":
            assert (created.date() - deal_row["CloseDate"]).days <= 10
            assert task["Status"] in ("Completed", "Deferred")


@pytest.mark.parametrize("world", WORLDS)
def test_leads_become_customers_who_are_in_the_books(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    people = {person.id: person for party in branch.parties for person in party.contacts}
    converted = [row for row in branch.tables["Lead"] if row["IsConverted"]]
    assert 0.15 < len(converted) / branch.counts["Lead"] < 0.5
    assert len({row["ConvertedContactId"] for row in converted}) == len(converted)
    for row in branch.tables["Lead"]:
        assert row["IsConverted"] == (row["ConvertedDate"] is not None) == (row["ConvertedAccountId"] is not None)
    for row in converted:
        person = people[str(row["ConvertedContactId"])]
        assert (person.first, person.last, person.party.id) == (
            row["FirstName"], row["LastName"], row["ConvertedAccountId"],
        )  # fmt: skip
        assert person.party.state == row["State"]
        assert person.party.since.date() <= row["ConvertedDate"] <= branch.today
        assert row["CreatedDate"].date() < row["ConvertedDate"]  # type: ignore[attr-defined]
        if not branch.plan.consumer:
            assert row["Company"] == person.party.name
    when = {row["ConvertedContactId"]: row["ConvertedDate"] for row in converted}
    first = [deal for deal in sales.deals if deal.person.id in when]
    assert first
    assert all(deal.created.date() >= when[deal.person.id] for deal in first)


@pytest.mark.parametrize("world", WORLDS)
def test_open_deals_are_mostly_young_and_most_others_are_lost(sold: Sold, world: str) -> None:
    branch, sales = sold(world)
    won = sum(deal.won is True for deal in sales.deals)
    open_ones = [deal for deal in sales.deals if deal.won is None]
    assert 0.13 < won / len(sales.deals) < 0.16
    assert sum((branch.now - deal.created).days < 400 for deal in open_ones) > 0.6 * len(open_ones)
    assert len(sales.deals) - won - len(open_ones) > len(open_ones)
    assert len({deal.name for deal in sales.deals}) == len(sales.deals)


def test_the_same_seed_makes_the_same_branch_and_another_number_another(branch_of: Callable[..., Branch]) -> None:
    one, two, other = branch_of("b2b", 0.1), branch_of("b2b", 0.1), branch_of("b2b", 0.1, number=3)
    for branch in (one, two, other):
        make_sales(branch)
    assert {name: one.tables[name] for name in OBJECTS} == {name: two.tables[name] for name in OBJECTS}
    assert [fact.line() for fact in one.facts] == [fact.line() for fact in two.facts]
    for name in OBJECTS:
        assert not {row["Id"] for row in one.tables[name]} & {row["Id"] for row in other.tables[name]}
    for name, number in (("Quote", "QuoteNumber"), ("Contract", "ContractNumber"), ("Order", "OrderNumber")):
        assert not {row[number] for row in one.tables[name]} & {row[number] for row in other.tables[name]}


@pytest.mark.parametrize("switch", ["cycles", "skew", "gaps", "causes", "quoting"])
def test_each_ingredient_can_be_left_out(sold: Sold, switch: str) -> None:
    branch, _ = sold("b2b", 0.3, **{switch: False})
    assert {name: len(branch.tables[name]) for name in OBJECTS} == {name: branch.counts[name] for name in OBJECTS}


def _top(branch: Branch, n: int) -> float:
    owners = Counter(row["OwnerId"] for row in branch.tables["Opportunity"])
    return sum(count for _, count in owners.most_common(n)) / sum(owners.values())


def test_without_skew_everybody_has_as_much_and_without_gaps_nothing_is_missing(sold: Sold) -> None:
    usual, even = sold("b2b", 0.3)[0], sold("b2b", 0.3, skew=False)[0]
    assert _top(usual, 10) > 1.5 * _top(even, 10)
    clean, gappy = sold("b2b", 0.3, gaps=False)[0], usual
    for name, field in (("Lead", "LeadSource"), ("Task", "Description"), ("Quote", "Description")):
        assert all(row[field] for row in clean.tables[name])
        assert not all(row[field] for row in gappy.tables[name])
