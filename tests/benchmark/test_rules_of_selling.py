"""The rules of selling on an Org made by hand, with answers worked out on paper."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from study.benchmark.rules import Answer, RuleError, answer_by_rule
from study.benchmark.rules.quotes import allowed
from tests.benchmark.hand_deals import GUIDE, DealsOrg, article, selling_rules
from tests.benchmark.hand_org import TODAY, agent, record_id

Ask = Callable[..., Answer]
MARCH = {"window": {"month": "2024-03"}}
MID = date(2024, 3, 15)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """``ask(org, rule, **params)``: the rule's answer on an Org of deals made by hand."""

    def answer(org: DealsOrg, rule: str, **params: Any) -> Answer:
        return answer_by_rule(rule, org.snapshot(tmp_path), params, TODAY)

    return answer


# routing of leads


def test_a_lead_goes_by_territory_then_quotes_then_load(ask: Ask) -> None:
    org = DealsOrg().territory("IL, IA", "ann", "bob").territory("WILD,X IL", "cat")
    routed = lambda state="IL": ask(org, "lead_routing", state=state)  # noqa: E731
    assert routed().as_list() == [None]  # level everywhere, on nothing
    assert routed().tie
    org.lead("ann", created="2024-03-01 00:00")
    assert routed().as_list() == [agent("bob")]  # nobody has a quote; Bob has no lead
    for _ in range(2):
        org.quote(deal=org.deal("ann"), status="accepted")
    found = routed()
    assert (found.as_list(), found.margin, found.clear) == ([agent("ann")], 2, True)
    for name in ("bob", "bob", "cat", "cat", "cat"):
        org.quote(deal=org.deal(name), status="Accepted")
    org.quote(deal=org.deal("ann"), status="Presented")
    assert routed().as_list() == [agent("bob")]  # two accepted each; Cat is no member
    org.lead("bob", created="2024-03-01 00:00", converted=MID)  # converted: no load
    assert routed().as_list() == [agent("bob")]
    assert routed("ia").as_list() == [agent("bob")]
    assert routed("WI").as_list() == [None]  # "WILD" is not WI
    assert routed("X").as_list() == [None]


def test_the_evidence_of_routing_is_the_territory_and_the_quotes(ask: Ask) -> None:
    org = DealsOrg().territory("IL", "ann", "bob")
    quotes = [org.quote(deal=org.deal("ann"), status="Accepted") for _ in range(2)]
    found = ask(org, "lead_routing", state="IL")
    assert found.evidence == (record_id("Territory2", 0), *quotes)
    assert (found.others, found.reading) == ((agent("bob"),), False)


# quotes


def broken(ask: Ask, lines: list[tuple[int, float, float]], rule: str = "invalid_config", **rules: Any) -> list[Any]:
    org = DealsOrg()
    return ask(org, rule, quote_id=org.quote(lines), rules=selling_rules(**rules)).as_list()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], None),
        ([(0, 4, 0), (3, 2, 0)], None),  # exactly four, one 3 for two each
        ([(0, 3, 0), (0, 2, 0), (3, 9, 0)], 0),  # five over two lines
        ([(0, 3, 0), (3, 1, 0)], 2),  # three need two
        ([(0, 1, 0)], 2),  # even one needs one
        ([(3, 1, 0)], None),  # what is needed may stand alone
        ([(1, 1, 0), (2, 1, 0)], 1),
        ([(1, 9, 0)], None),
        ([(1, 1, 90)], None),  # prices are another matter
        ([(0, 5, 0)], None),  # two articles at once: no single answer
    ],
)
def test_sets_of_products(ask: Ask, lines: list[tuple[int, float, float]], expected: int | None) -> None:
    assert broken(ask, lines) == [None if expected is None else article(expected)]


def test_two_broken_articles_are_a_tie(ask: Ask) -> None:
    org = DealsOrg()
    found = ask(org, "invalid_config", quote_id=org.quote([(0, 5, 0)]), rules=selling_rules())
    assert (found.tie, found.clear, found.as_list()) == (True, False, [None])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([(1, 1, 5)], None),  # exactly what one piece allows
        ([(1, 1, 5.5)], 3),
        ([(1, 9, 15)], 3),  # one short of ten
        ([(1, 10, 15)], None),
        ([(1, 500, 15.01)], 3),
        ([(1, 5, 15), (1, 5, 0)], 3),  # each line by its own quantity
        ([(0, 50, 0)], None),
        ([], None),
    ],
)
def test_discounts(ask: Ask, lines: list[tuple[int, float, float]], expected: int | None) -> None:
    answer = [None if expected is None else article(expected)]
    assert broken(ask, lines, "quote_approval") == answer
    assert broken(ask, lines, "quote_approval", steps=((10, 15), (1, 5))) == answer  # in any order


def test_below_the_first_step_nothing_may_be_taken_off() -> None:
    assert allowed([[10, 15]], 9) == 0
    assert allowed([], 9) == 0


def test_the_evidence_of_a_quote_is_read(ask: Ask) -> None:
    org = DealsOrg()
    quote = org.quote([(0, 5, 0), (3, 4, 0)])
    found = ask(org, "invalid_config", quote_id=quote[:15], rules=selling_rules())
    assert found.evidence[1:] == (record_id("QuoteLineItem", 0), record_id("QuoteLineItem", 1), article(0))
    assert (found.reading, set(found.others)) == (True, {article(n) for n in (1, 2, 3)})


# stages


def staged(ask: Ask, rule: str, *tasks: tuple[str, str], stage: str | None = "Quote") -> Answer:
    org = DealsOrg()
    deal = org.deal("ann", stage=stage)
    other = org.deal("bob")
    org.task(other, "Sign the contract", "Completed")
    for subject, status in tasks:
        org.task(deal, subject, status)
    return ask(org, rule, opportunity_id=deal, stages=GUIDE)


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([], None),
        ([("Send the quote", "Completed")], None),
        ([("First call", "Completed")], "Qualification"),  # recorded too far
        ([("Send the quote", "Completed"), ("Agree on price", "in progress")], "Negotiation"),
        ([("Send the quote", "Completed"), ("Sign the contract", "Not Started")], None),
        ([("Send the quote", "Completed"), ("Sign the contract", "Deferred")], None),
        ([("SEND THE QUOTED TERMS to Kim", "Completed")], "Negotiation"),  # the longer phrase
    ],
)
def test_the_furthest_stage_begun(ask: Ask, tasks: list[tuple[str, str]], expected: str | None) -> None:
    assert staged(ask, "wrong_stage_rectification", *tasks).as_list() == [expected]


def test_tasks_that_do_not_fit(ask: Ask) -> None:
    tasks = [
        ("Send the quote", "Not Started"), ("Agree on price", "not started"), ("First call", "Not Started"),
        ("Walk the site", "Completed"),
    ]  # fmt: skip
    found = staged(ask, "activity_priority", *tasks)
    assert found.as_list() == [record_id("Task", 2), record_id("Task", 3)]
    assert found.others == (record_id("Task", 1), record_id("Task", 4))
    assert staged(ask, "activity_priority", tasks[0], tasks[3]).as_list() == [None]


@pytest.mark.parametrize("subject", ["Lunch", "First call, then sign the contract"])
def test_a_task_the_guide_does_not_place_is_said(ask: Ask, subject: str) -> None:
    with pytest.raises(RuleError, match="one stage for the task"):
        staged(ask, "wrong_stage_rectification", (subject, "Completed"))


def test_a_deal_without_a_stage(ask: Ask) -> None:
    found = staged(ask, "wrong_stage_rectification", ("First call", "Completed"), stage=None)
    assert found.as_list() == ["Qualification"]
    with pytest.raises(RuleError, match="no stage"):
        staged(ask, "activity_priority", stage=None)


# sales


def test_amounts_go_by_the_signature_of_the_contract(ask: Ask) -> None:
    org = DealsOrg().order("ann", [(2, 100), (1, 50)], signed=date(2024, 3, 1))
    org.order("bob", [(1, 200)], signed=date(2024, 3, 31))
    org.order("bob", [(9, 900)], signed=date(2024, 2, 29)).order("bob", [(9, 900)], signed=date(2024, 4, 1))
    org.order("bob", [(9, 900)], signed=None).order("bob", [(9, 900)], signed=MID, status="Draft")
    org.order(None, [(9, 900)], signed=MID)
    found = ask(org, "sales_amount_understanding", **MARCH)
    assert (found.as_list(), found.margin, found.measure) == ([agent("ann")], 0.25, "sum")
    assert len(found.evidence) == 2
    assert ask(org, "sales_amount_understanding", **MARCH, extremum="min").as_list() == [agent("bob")]


def test_amounts_where_orders_do_not_name_their_contract(ask: Ask) -> None:
    org = DealsOrg(contracts_on_orders=False)
    org.order("ann", [(1, 100)], signed=MID, starts=MID).order("bob", [(9, 900)], signed=MID, starts=date(2024, 2, 1))
    org.order("cat", [(9, 900)], signed=None, starts=MID, account=1)
    assert ask(org, "sales_amount_understanding", **MARCH).as_list() == [agent("ann")]


def test_days_from_creation_to_signature(ask: Ask) -> None:
    org = DealsOrg()
    org.deal("ann", created="2024-02-01 00:00", signed=date(2024, 3, 2))  # 30
    org.deal("bob", created="2024-02-10 00:00", signed=date(2024, 3, 31))  # 50
    org.deal("cat", created="2024-02-29 00:00", signed=date(2024, 2, 29))  # the day before
    org.deal(None, created="2024-03-01 00:00", signed=date(2024, 3, 1))
    found = ask(org, "sales_cycle_understanding", **MARCH)
    assert (found.as_list(), found.margin) == ([agent("ann")], pytest.approx(2 / 3))
    assert ask(org, "sales_cycle_understanding", **MARCH, extremum="max").as_list() == [agent("bob")]
    org.deal("bob", created=datetime(2024, 3, 9, 23, tzinfo=UTC), signed=date(2024, 3, 10))  # an hour, or a day
    by_hour, by_day = (ask(org, "sales_cycle_understanding", **MARCH, whole_days=days) for days in (False, True))
    assert (by_hour.as_list(), by_day.as_list()) == ([agent("bob")], [agent("bob")])
    assert by_hour.margin == pytest.approx(30 / ((50 + 1 / 24) / 2) - 1)
    assert by_day.margin == pytest.approx(30 / 25.5 - 1)


def test_leads_converted_in_the_period_they_were_created_in(ask: Ask) -> None:
    org = DealsOrg()
    org.lead("ann", created="2024-03-01 00:00", converted=date(2024, 3, 31)).lead("ann", created="2024-03-31 23:59:59")
    org.lead("bob", created="2024-03-02 09:00", converted=date(2024, 4, 1))  # later
    org.lead("cat", created="2024-02-29 23:59:59", converted=MID)  # created earlier
    org.lead(None, created="2024-03-02 09:00", converted=MID)
    found = ask(org, "conversion_rate_comprehension", **MARCH)
    assert (found.as_list(), found.others, found.measure) == ([agent("ann")], (agent("bob"),), "share")
    assert ask(org, "conversion_rate_comprehension", **MARCH, extremum="min").as_list() == [agent("bob")]


@pytest.mark.parametrize(
    ("rule", "params", "said"),
    [
        ("lead_routing", {}, "state"),
        ("invalid_config", {"rules": {}}, "quote_id"),
        ("invalid_config", {"quote_id": record_id("Quote", 7), "rules": {}}, "has no quote"),
        ("wrong_stage_rectification", {"opportunity_id": record_id("Opportunity", 7), "stages": GUIDE}, "opportunity"),
        ("activity_priority", {"opportunity_id": "x"}, "stages"),
        ("sales_amount_understanding", {}, "window"),
        ("sales_cycle_understanding", {**MARCH, "extremum": "best"}, "extremum"),
    ],
)
def test_parameters_that_do_not_fit_are_named(ask: Ask, rule: str, params: dict[str, Any], said: str) -> None:
    with pytest.raises(RuleError, match=said):
        ask(DealsOrg(), rule, **params)


@pytest.mark.parametrize(
    ("kind", "part", "said"),
    [
        ("limits", {"article": article(0), "product": "x"}, "most"),
        ("exclusions", {"one": "x", "other": "y"}, "article"),
    ],
)
def test_a_selling_rule_that_lacks_a_part_is_named(ask: Ask, kind: str, part: dict[str, Any], said: str) -> None:
    org = DealsOrg()
    with pytest.raises(RuleError, match=f"{kind} lacks {said}"):
        ask(org, "invalid_config", quote_id=org.quote([(0, 1, 0)]), rules={kind: [part]})
    with pytest.raises(RuleError, match="steps"):
        ask(org, "quote_approval", quote_id=org.quote([(0, 1, 0)]), rules={"steps": {"article": article(3)}})
