"""Orders over the counter: as many as counted, at the prices of their book, when and by whom they can be placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from study.generator.care import make_orders
from study.generator.care.orders import initials
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import Bought

Make = Callable[..., Branch]


@pytest.fixture(scope="module")
def sold(branch_of: Make) -> tuple[Branch, list[Bought]]:
    branch = branch_of("service", 0.4)
    return branch, make_orders(branch)


def test_exactly_as_many_as_counted(sold: tuple[Branch, list[Bought]]) -> None:
    branch, bought = sold
    assert len(branch.tables["Order"]) == branch.counts["Order"]
    assert len(branch.tables["OrderItem"]) == branch.counts["OrderItem"] == len(bought)
    for name in ("Order", "OrderItem"):
        ids = [row["Id"] for row in branch.tables[name]]
        assert len(dict.fromkeys(ids)) == len(ids)


def test_amounts_are_sums_at_the_prices_of_the_book(sold: tuple[Branch, list[Bought]]) -> None:
    branch, bought = sold
    entries = {entry: price for item in branch.shared.items for entry, price in item.entries.values()}
    books = {
        entry: branch.shared.books[book] for item in branch.shared.items for book, (entry, _) in item.entries.items()
    }
    orders = {row["Id"]: row for row in branch.tables["Order"]}
    sums: Counter[object] = Counter()
    for line in branch.tables["OrderItem"]:
        assert line["UnitPrice"] == entries[line["PriceBookEntryId"]]
        assert books[line["PriceBookEntryId"]] == orders[line["OrderId"]]["Pricebook2Id"]
        sums[line["OrderId"]] += round(line["Quantity"] * line["UnitPrice"] * 100)
    assert all(sums[key] == round(order["TotalAmount"] * 100) for key, order in orders.items())
    assert {line.order_id for line in bought} == set(orders)


def test_nobody_buys_before_they_can(sold: tuple[Branch, list[Bought]]) -> None:
    branch, bought = sold
    offers = dict(zip(branch.shared.books, branch.plan.material.price_lists, strict=False))
    orders = {row["Id"]: row for row in branch.tables["Order"]}
    for line in bought:
        assert branch.first_day <= line.day <= branch.today
        assert line.day >= min(line.party.since.date(), branch.today)
        assert line.item.since <= line.day or line.item.since > branch.first_day + timedelta(days=365)
        assert line.person in line.party.contacts
        assert offers[orders[line.order_id]["Pricebook2Id"]].since <= line.day
    members = {member.id: member for member in branch.members}
    assert all(members[row["OwnerId"]].works_on(row["EffectiveDate"]) for row in orders.values())


def test_lines_tell_what_cases_need(sold: tuple[Branch, list[Bought]]) -> None:
    branch, bought = sold
    days = [line.day for line in bought]
    assert days == sorted(days)
    drafts = {line.order_id for line in bought if not line.activated}
    orders = {row["Id"]: row for row in branch.tables["Order"]}
    assert drafts == {key for key, row in orders.items() if row["Status"] == "Draft"}
    assert 0 < len(drafts) < len(orders) * 0.12
    numbers = [row["OrderNumber"] for row in orders.values()]
    assert len(dict.fromkeys(numbers)) == len(numbers)
    assert all(number.startswith("HE-") for number in numbers)


def test_habits_and_seasons_show(branch_of: Make) -> None:
    def spread(**switches: bool) -> float:
        branch = branch_of("service", 0.5, **switches)
        months = Counter(line.day.month for line in make_orders(branch))
        return max(months.values()) / max(min(months.values()), 1)

    assert spread() > 1.6
    assert spread(cycles=False, causes=False) < spread()


def test_few_buy_much(branch_of: Make) -> None:
    def most(**switches: bool) -> float:
        branch = branch_of("service", 0.5, **switches)
        parties = Counter(row["AccountId"] for row in _orders(branch))
        return parties.most_common(1)[0][1] / branch.counts["Order"]

    assert most() > 1.5 * most(skew=False, causes=False)


def _orders(branch: Branch) -> list[dict]:
    make_orders(branch)
    return branch.tables["Order"]


@pytest.mark.parametrize("scale", [0.02, 0.05])
def test_small_worlds_too(branch_of: Make, scale: float) -> None:
    branch = branch_of("service", scale)
    assert len(make_orders(branch)) == branch.counts["OrderItem"]


def test_two_branches_share_no_number(branch_of: Make) -> None:
    numbers = [{row["OrderNumber"] for row in _orders(branch_of("service", 0.3, number=number))} for number in (0, 1)]
    assert not numbers[0] & numbers[1]


def test_more_orders_than_lines_is_an_error(branch_of: Make) -> None:
    branch = branch_of("service", 0.02)
    branch.counts = {**branch.counts, "OrderItem": branch.counts["Order"] - 1}
    with pytest.raises(ValueError, match="cannot fill"):
        make_orders(branch)


def test_same_seed_same_orders(branch_of: Make) -> None:
    one, other = (_orders(branch_of("service", 0.1, seed=3)) for _ in range(2))
    assert one == other
    assert one != _orders(branch_of("service", 0.1, seed=4))
    assert all(isinstance(row["EffectiveDate"], date) for row in one)


def test_initials_of_companies() -> None:
    assert [initials(name) for name in ("Harrow & Ember", "Tessaly Controls", "Aldervale Home & Garden", "x")] == [
        "HE",
        "TC",
        "AH",
        "NO",
    ]
