"""Every rule on an Org made by hand, with answers worked out on paper."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from study.benchmark.rules import RuleError
from tests.benchmark.conftest import Ask
from tests.benchmark.hand_org import TODAY, HandOrg, agent, contact, issue, product, record_id

MARCH = {"window": {"month": "2024-03"}}
NOON = "2024-03-10 12:00"


def busy(**more: Any) -> dict[str, Any]:
    return {**MARCH, "more_than": 1, **more}


# handle time


def test_handle_time_is_the_mean_of_cases_never_handed_on(ask: Ask) -> None:
    org = HandOrg()
    org.case(NOON, hands=("ann",), hours=2).case(NOON, hands=("ann",), hours=4)  # mean 3
    org.case(NOON, hands=("bob",), hours=5).case(NOON, hands=("bob",), hours=5)  # mean 5
    org.case(NOON, hands=("ann", "bob"), hours=0.5, times=3)  # handed on: in nobody's mean, though Bob owns them
    org.case(NOON, hands=("bob",), hours=None)  # open
    assert ask(org, "handle_time", **busy(extremum="min")).as_list() == [agent("ann")]
    assert ask(org, "handle_time", **busy(extremum="max")).as_list() == [agent("bob")]
    found = ask(org, "handle_time", **busy(extremum="min"))
    assert (found.runner_up, found.margin, found.clear) == (agent("bob"), pytest.approx(2 / 3), True)


def test_more_than_n_leaves_n_out_and_counts_cases_taken_over(ask: Ask) -> None:
    org = HandOrg()
    org.case(NOON, hands=("ann",), hours=9, times=3)
    org.case(NOON, hands=("bob",), hours=1, times=2)
    params = busy(more_than=2, extremum="min")
    assert ask(org, "handle_time", **params).as_list() == [agent("ann")]  # Bob was given two, not more than two
    org.case(NOON, hands=("cat", "bob"), hours=1)  # the third, by transfer
    assert ask(org, "handle_time", **params).as_list() == [agent("bob")]
    assert ask(org, "handle_time", **busy(more_than=3, extremum="min")).as_list() == [None]


def test_a_shared_first_place_is_no_answer(ask: Ask) -> None:
    org = HandOrg().case(NOON, hands=("ann",), hours=2, times=2).case(NOON, hands=("bob",), hours=2, times=2)
    found = ask(org, "handle_time", **busy(extremum="min"))
    assert (found.as_list(), found.tie, found.clear) == ([None], True, False)


def test_a_lead_under_a_tenth_is_not_clear(ask: Ask) -> None:
    org = HandOrg().case(NOON, hands=("ann",), hours=100, times=2).case(NOON, hands=("bob",), hours=109, times=2)
    found = ask(org, "handle_time", **busy(extremum="min"))
    assert (found.as_list(), found.margin, found.clear) == ([agent("ann")], pytest.approx(0.09), False)


# transfers


def test_transfers_count_for_the_one_who_hands_on(ask: Ask) -> None:
    org = HandOrg()
    org.case(NOON, hands=("ann", "bob"), times=3)  # ann 3
    org.case(NOON, hands=("bob", "cat"))  # bob 1
    org.case(NOON, hands=("dee",), times=5)  # dee 0: does not take part
    assert ask(org, "transfer_count", **busy(extremum="max")).as_list() == [agent("ann")]
    assert ask(org, "transfer_count", **busy(extremum="min")).as_list() == [agent("bob")]
    # Cat hands one on as well and was given two by now: Bob and she are level at the low end.
    org.case(NOON, hands=("cat", "dee"))
    found = ask(org, "transfer_count", **busy(extremum="min"))
    assert (found.as_list(), found.tie) == ([None], True)


def test_a_transfer_counts_on_the_day_it_happens(ask: Ask) -> None:
    org = HandOrg().case(NOON, hands=("ann",), times=2)
    org.case("2024-02-29 23:59:30", hands=("ann", "bob"))  # handed on 1 March 00:00:30
    org.case("2024-03-31 23:59:30", hands=("ann", "bob"))  # handed on 1 April
    found = ask(org, "transfer_count", **busy(extremum="max"))
    assert (found.as_list(), found.steps[-1].rows) == ([agent("ann")], ((agent("ann"), 1),))


# issue, month, region


def test_top_issue_of_one_product(ask: Ask) -> None:
    org = HandOrg()
    org.case(NOON, about=0, issue_no=1, times=3).case(NOON, about=0, issue_no=2)
    org.case(NOON, about=1, issue_no=2, times=9)  # another product
    org.case(NOON, about=0, issue_no=None, times=9)  # no issue
    org.case(NOON, about=None, issue_no=2, times=9)  # no product
    params = {**MARCH, "product_id": product(0)}
    found = ask(org, "top_issue_identification", **params)
    assert (found.as_list(), found.margin, found.clear) == ([issue(1)], 2, True)
    org.case(NOON, about=0, issue_no=2)
    assert ask(org, "top_issue_identification", **params).clear is False  # ahead by one
    org.case(NOON, about=0, issue_no=2)
    assert ask(org, "top_issue_identification", **params).tie
    assert ask(org, "top_issue_identification", **(params | {"product_id": product(3)})).as_list() == [None]


def test_a_product_may_be_named_with_15_characters(ask: Ask) -> None:
    """P-49: both lengths reach the same record."""
    org = HandOrg().case(NOON, about=0, issue_no=1)
    assert ask(org, "top_issue_identification", **MARCH, product_id=product(0)[:15]).as_list() == [issue(1)]


def test_months_of_two_years_add_up(ask: Ask) -> None:
    org = HandOrg()
    org.case("2023-02-10 09:00", times=2).case("2024-02-10 09:00", times=2).case("2023-06-10 09:00", times=3)
    params = {"window": {"past_months": 24}, "product_id": product(0)}
    assert ask(org, "monthly_trend_analysis", **params).as_list() == ["February"]
    assert ask(org, "monthly_trend_analysis", window={"year": 2023}, product_id=product(0)).as_list() == ["June"]


def test_region_is_the_account_s_state(ask: Ask) -> None:
    org = HandOrg()
    org.case(NOON, account=0, hours=4).case(NOON, account=0, hours=2)  # IL 3
    org.case(NOON, account=1, hours=5, times=2)  # CA 5
    org.case(NOON, account=2, hours=None)  # NY has nothing closed
    org.case(NOON, account=5, hours=0.1).case(NOON, account=None, hours=0.1)  # no state
    assert ask(org, "best_region_identification", **MARCH).as_list() == ["IL"]
    assert ask(org, "best_region_identification", **MARCH, extremum="max").as_list() == ["CA"]
    assert ask(org, "best_region_identification", window={"year": 2022}).as_list() == [None]


# routing


def routed(ask: Ask, org: HandOrg) -> list[str | None]:
    return ask(org, "case_routing", issue_id=issue(0), product_id=product(0)).as_list()


def test_routing_goes_by_issue_then_product_then_load(ask: Ask) -> None:
    org = HandOrg()
    assert routed(ask, org) == [None]  # nobody has closed such a case
    org.case("2022-01-01 08:00", hands=("ann",), about=1, times=2)
    org.case(NOON, hands=("bob",), about=1)
    assert routed(ask, org) == [agent("ann")]  # two to one, whatever their dates
    org.case(NOON, hands=("bob",), about=1)
    assert routed(ask, org) == [None]  # level everywhere
    org.case(NOON, hands=("bob",), about=0, issue_no=3)
    assert routed(ask, org) == [agent("bob")]  # knows the product, from another issue
    org.case(NOON, hands=("ann",), about=0, issue_no=3)
    org.case(NOON, hands=("bob",), about=2, issue_no=2, hours=None)
    assert routed(ask, org) == [agent("ann")]  # level again; Bob has one open, Ann none
    org.case(NOON, hands=("ann",), about=2, issue_no=2, hours=None, status="New")
    assert routed(ask, org) == [None]
    org.case(NOON, hands=("cat",), about=0, issue_no=1, times=9)
    assert routed(ask, org) == [None]  # Cat knows the product, not the issue


# purchases


def bought(ask: Ask, org: HandOrg, days_ago: int = 14, **more: Any) -> list[str | None]:
    params = {"contact_id": contact(0), "days_ago": days_ago, "product_ids": [product(0), product(1)], **more}
    return ask(org, "named_entity_disambiguation", **params).as_list()


def test_a_purchase_is_found_by_its_exact_day(ask: Ask) -> None:
    day = TODAY - timedelta(days=14)
    org = HandOrg().order(day, [0, 2]).order(day - timedelta(days=1), [1])
    assert bought(ask, org) == [product(0)]
    assert bought(ask, org, days_ago=15) == [product(1)]
    assert bought(ask, org, days_ago=13) == [None]
    assert bought(ask, org, product_ids=[product(3)]) == [None]
    assert bought(ask, org, product_ids=[]) == [None]
    assert bought(ask, org, product_ids=None, category_id=record_id("ProductCategory", 0)) == [product(0)]
    assert bought(ask, org, contact_id=contact(0)[:15]) == [product(0)]
    assert bought(ask, org, contact_id=contact(9)) == [None]


def test_drafts_and_other_customers_do_not_count_and_two_that_fit_are_no_answer(ask: Ask) -> None:
    day = TODAY - timedelta(days=14)
    org = HandOrg().order(day, [0], status="Draft").order(day, [0], account=1)
    assert bought(ask, org) == [None]
    org.order(day, [0])
    assert bought(ask, org) == [product(0)]
    org.order(day, [0])  # the same once more is still one product
    assert bought(ask, org) == [product(0)]
    org.order(day, [1])
    assert bought(ask, org) == [None]


# windows


@pytest.mark.parametrize(
    ("window", "today", "first", "last"),
    [
        ({"past_months": 1}, date(2024, 3, 31), "2024-02-29", "2024-03-31"),
        ({"past_months": 1}, date(2023, 3, 31), "2023-02-28", "2023-03-31"),
        ({"past_months": 12}, date(2024, 2, 29), "2023-02-28", "2024-02-29"),
        ({"past_months": 1}, date(2024, 1, 31), "2023-12-31", "2024-01-31"),
        ({"past_quarters": 2}, date(2024, 8, 31), "2024-02-29", "2024-08-31"),
        ({"past_weeks": 2}, date(2024, 3, 7), "2024-02-22", "2024-03-07"),
        ({"past_days": 1}, date(2024, 3, 1), "2024-02-29", "2024-03-01"),
        ({"month": "2024-02"}, date(2024, 3, 31), "2024-02-01", "2024-02-29"),
        ({"quarter": "2023-Q4"}, date(2024, 3, 31), "2023-10-01", "2023-12-31"),
        ({"season": "2023-winter"}, date(2024, 3, 31), "2023-12-01", "2024-02-29"),
        ({"season": "2023-fall"}, date(2024, 3, 31), "2023-09-01", "2023-11-30"),
        ({"year": 2023}, date(2024, 3, 31), "2023-01-01", "2023-12-31"),
    ],
)
def test_both_ends_of_a_period_are_in(ask: Ask, window: dict[str, Any], today: date, first: str, last: str) -> None:
    """P-46: the answer key takes the first and the last moment of a period in, and nothing beside it."""
    before = (date.fromisoformat(first) - timedelta(days=1)).isoformat()
    after = (date.fromisoformat(last) + timedelta(days=1)).isoformat()
    org = HandOrg(today=today)
    org.case(f"{before} 23:59:59", issue_no=1, times=5).case(f"{after} 00:00:00", issue_no=1, times=5)
    params = {"window": window, "product_id": product(0)}
    assert ask(org, "top_issue_identification", today, **params).as_list() == [None]
    org.case(f"{first} 00:00:00", issue_no=2)
    assert ask(org, "top_issue_identification", today, **params).as_list() == [issue(2)]
    org.case(f"{last} 23:59:59", issue_no=3, times=2)
    assert ask(org, "top_issue_identification", today, **params).as_list() == [issue(3)]


@pytest.mark.parametrize(
    "window",
    [
        None, "past_months", {}, {"past_months": 1, "year": 2024}, {"past_months": 0}, {"past_months": True},
        {"past_months": "4"}, {"month": "2024-13"}, {"quarter": "2024-Q5"}, {"season": "2024-monsoon"},
        {"year": "0000"}, {"year": "9999"}, {"past_months": 10**9}, {"moon": 3},
    ],
)  # fmt: skip
def test_a_period_nobody_knows_is_refused(ask: Ask, window: Any) -> None:
    with pytest.raises(RuleError, match="window"):
        ask(HandOrg(), "top_issue_identification", window=window, product_id=product(0))


@pytest.mark.parametrize(
    ("rule", "params", "said"),
    [
        ("handle_time", MARCH, "more_than"),
        ("handle_time", {**MARCH, "more_than": True}, "more_than"),
        ("handle_time", {**MARCH, "more_than": 0, "extremum": "best"}, "extremum"),
        ("monthly_trend_analysis", MARCH, "product_id"),
        ("case_routing", {"issue_id": "x"}, "product_id"),
        ("named_entity_disambiguation", {"days_ago": 3, "contact_id": "x"}, "product_ids"),
        ("lead_routing", {}, "state"),
        ("knowledge_qa", {}, "There is no rule 'knowledge_qa'"),
    ],
)
def test_parameters_that_do_not_fit_are_named(ask: Ask, rule: str, params: dict[str, Any], said: str) -> None:
    org = HandOrg().case(NOON)
    with pytest.raises(RuleError, match=said):
        ask(org, rule, **params)


def test_a_rule_shows_its_steps(ask: Ask) -> None:
    found = ask(HandOrg().case(NOON, times=2), "handle_time", **busy(extremum="min"))
    assert [step.total for step in found.steps] == [1, 1]
    assert "2024-03-01 to 2024-03-31, both days included" in found.steps[0].sentence
    assert '"CaseHistory__c"' in found.steps[0].spec
