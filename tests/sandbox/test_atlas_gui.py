"""Every answer of the atlas Org can be reached on the pages: where a person ends up by hand, and what stands there.

Each test is one task. Names of people, products and issues are typed as a person reads them on the pages before.
"""

from __future__ import annotations

from typing import Any

from tests.sandbox.fixtures.atlas import atlas_id, atlas_key
from tests.sandbox.fixtures.atlas.questions import INSTANCES
from tests.sandbox.gui_desk import Room

ANSWERS = {instance.task: instance.answer for instance in INSTANCES}
When = tuple[str, str, str]


def report(room: Room, name: str, *conditions: When, **params: Any) -> list[tuple[Any, ...]]:
    """The rows of a report: group as a key, number of records, measures."""
    response = room.get(f"report/{name}/", **_conditions(conditions), **params)
    assert response.status_code == 200, response.context["view"].asked.errors
    rows = [row.raw for row in response.context["view"].rows]
    return [(atlas_key(first) if isinstance(first, str) else first, *rest) for first, *rest in rows]


def listed(room: Room, name: str, *conditions: When, **params: Any) -> list[str]:
    return [atlas_key(i) for i in room.listed(name, **_conditions(conditions), **params)]


def record(room: Room, key: str) -> str:
    return room.text(f"r/{atlas_id(key)}/")


def _conditions(conditions: tuple[When, ...]) -> dict[str, list[str]]:
    if not conditions:
        return {}
    fields, ops, values = zip(*conditions, strict=True)
    return {"c": list(fields), "o": list(ops), "v": list(values)}


def search(room: Room, words: str, name: str) -> str:
    return room.text("search/", q=words, **{"in": name})


CLOSED: When = ("Status", "eq", "Closed")
CLOSED_ON: When = ("ClosedDate", "not_null", "")
GIVEN: When = ("Field__c", "eq", "Owner Assignment")
ONCE = {"rc": "CaseHistory__c.CaseId__c", "ro": "exactly", "rn": "1", "rf": "Field__c", "rp": "eq"} | {
    "rv": "Owner Assignment"
}
HOURS = {"m": "avg", "mf": "ClosedDate~CreatedDate", "u": "hours", "sort": "value"}


def test_case_routing(atlas_gui: Room) -> None:
    by_issue = report(atlas_gui, "Case", CLOSED, ("IssueId__c", "eq", "Battery runs down"), g="OwnerId", sort="-n")
    assert by_issue[:3] == [("ana", 3), ("chidi", 3), ("dana", 2)]
    level: When = ("OwnerId", "in", "Ana Álvarez;Chidi Okonkwo")
    beacon: When = ("OrderItemId__c.Product2Id", "eq", "Beacon weather station")
    by_product = report(atlas_gui, "Case", CLOSED, level, beacon, g="OwnerId", sort="-n")
    assert by_product == [("chidi", 3), ("ana", 1)]


def test_lead_routing(atlas_gui: Room) -> None:
    assert "tr-nw" in listed(atlas_gui, "Territory2", ("Description", "contains", "OR"))
    members = record(atlas_gui, "tr-nw")
    assert all(name in members for name in ("Emil Strauß", "Fay Ng", "Bram van der Berg"))
    among = "Emil Strauß;Fay Ng;Bram van der Berg"
    accepted = report(
        atlas_gui, "Quote", ("Status", "eq", "Accepted"), ("Opportunity.OwnerId", "in", among),
        g="Opportunity.OwnerId", sort="-n",
    )  # fmt: skip
    assert accepted == [("emil", 3), ("fay", 3), ("bram", 1)]
    leads = report(
        atlas_gui, "Lead", ("IsConverted", "eq", "false"), ("OwnerId", "in", "Emil Strauß;Fay Ng"),
        g="OwnerId", sort="n",
    )  # fmt: skip
    assert leads == [("emil", 1), ("fay", 3)]


def test_invalid_config(atlas_gui: Room) -> None:
    quote = record(atlas_gui, "q-inv")
    assert "Mast 10 m" in quote
    assert "Guy wire kit" not in quote
    assert "one guy wire kit for each mast" in record(atlas_gui, "kb-mast")
    assert "Masts need guy wires" in search(atlas_gui, "mast quote", "Knowledge__kav")


def test_policy_violation_identification(atlas_gui: Room) -> None:
    (chat,) = listed(atlas_gui, "LiveChatTranscript", ("CaseId", "eq", atlas_id("pv")))
    assert "you need no number for that" in record(atlas_gui, chat)
    assert "Returns need a number" in search(atlas_gui, "return number", "Knowledge__kav")
    assert "before goods travel" in record(atlas_gui, "kb-ret")


def test_lead_qualification(atlas_gui: Room) -> None:
    calls = listed(atlas_gui, "VoiceCallTranscript__c", ("LeadId__c", "eq", atlas_id("jo1")), sort="-CreatedDate")
    assert calls == ["v-jo1-new", "v-jo1-old"]
    said = record(atlas_gui, calls[0])
    assert "My mother signs everything" in said
    assert "in the autumn of next year" in said
    assert "within six months" in record(atlas_gui, "kb-bant")


def test_quote_approval(atlas_gui: Room) -> None:
    lines = listed(atlas_gui, "QuoteLineItem", ("QuoteId", "eq", atlas_id("q-app")), ("Discount", "gt", "15"))
    assert lines == ["ql-app-1"]
    assert "Volume discounts" in search(atlas_gui, "discount pieces", "Knowledge__kav")
    assert "10 to 24 pieces up to 15 percent" in record(atlas_gui, "kb-vol")


def test_knowledge_qa(atlas_gui: Room) -> None:
    assert "Care of the Gale S2" in search(atlas_gui, "bearings Gale", "Knowledge__kav")
    assert f"Bearings are replaced {ANSWERS['knowledge_qa'][0]}" in record(atlas_gui, "kb-gale")


def test_sales_insight_mining(atlas_gui: Room) -> None:
    here: When = ("OpportunityId__c", "eq", atlas_id("insight"))
    assert len(listed(atlas_gui, "VoiceCallTranscript__c", here, q="Skyfathom")) == 3
    assert len(listed(atlas_gui, "VoiceCallTranscript__c", here, q="Baroline")) == 1


def test_wrong_stage_rectification(atlas_gui: Room) -> None:
    begun = listed(
        atlas_gui, "Task", ("WhatId", "eq", atlas_id("stage")), ("Status", "in", "In Progress;Completed"),
        sort="-ActivityDate",
    )  # fmt: skip
    assert begun == ["tw5", "tw4", "tw3", "tw2", "tw1"]
    assert "Discovery" in record(atlas_gui, "stage")


def test_activity_priority(atlas_gui: Room) -> None:
    idle = listed(atlas_gui, "Task", ("WhatId", "eq", atlas_id("prio")), ("Status", "eq", "Not Started"))
    assert sorted(idle) == ["ta1", "ta2", "ta3", "ta4", "ta5", "ta7"]
    assert set(ANSWERS["activity_priority"]) < set(idle)


def test_named_entity_disambiguation(atlas_gui: Room) -> None:
    assert "Port of Quell" in record(atlas_gui, "mira")
    bought = listed(
        atlas_gui, "OrderItem", ("Order.AccountId", "eq", "Port of Quell"), ("Order.Status", "eq", "Activated"),
        ("Order.EffectiveDate", "during", "2024-03-10"),
    )  # fmt: skip
    assert sorted(bought) == ["s-quell-1", "s-quell-2"]
    assert "Logger L8" in record(atlas_gui, "s-quell-1")


def test_handle_time(atlas_gui: Room) -> None:
    window = {"w.CreatedDate": "past_months:2"}
    given = report(atlas_gui, "CaseHistory__c", GIVEN, g="NewValue__c", hm="n", ho="gt", hv="2", **window)
    assert dict(given) == {"ana": 4, "bram": 4, "dana": 3, "emil": 3}
    among: When = ("OwnerId", "in", "Ana Álvarez;Bram van der Berg;Dana O'Dell;Emil Strauß")
    rows = report(atlas_gui, "Case", CLOSED, CLOSED_ON, among, g="OwnerId", **ONCE, **HOURS, **window)
    assert rows == [("bram", 3, 6), ("dana", 3, 8), ("ana", 3, 12)]


def test_transfer_count(atlas_gui: Room) -> None:
    quarter: When = ("CreatedDate", "during", "2023-Q2")
    given = report(atlas_gui, "CaseHistory__c", GIVEN, quarter, g="NewValue__c", hm="n", ho="gt", hv="1")
    assert {agent for agent, _n in given} == {"bram", "greg1", "emil"}
    handed = report(atlas_gui, "CaseHistory__c", GIVEN, quarter, ("OldValue__c", "not_null", ""), g="OldValue__c")
    assert sorted(handed) == [("emil", 1), ("fay", 4), ("greg1", 3)]


def test_top_issue_identification(atlas_gui: Room) -> None:
    gale: When = ("OrderItemId__c.Product2Id", "eq", atlas_id("gale"))
    rows = report(atlas_gui, "Case", gale, g="IssueId__c", sort="-n", **{"w.CreatedDate": "past_months:5"})
    assert rows == [("radio", 5), (None, 4), ("drift", 3), ("frost", 2)]


def test_monthly_trend_analysis(atlas_gui: Room) -> None:
    rain: When = ("OrderItemId__c.Product2Id", "eq", atlas_id("rain"))
    window = {"w.CreatedDate": "past_months:6"}
    rows = report(atlas_gui, "Case", rain, g="CreatedDate", by="month_name", sort="-n", **window)
    assert rows[:2] == [("November", 4), ("January", 2)]


def test_best_region_identification(atlas_gui: Room) -> None:
    rows = report(
        atlas_gui, "Case", CLOSED, CLOSED_ON, ("CreatedDate", "during", "2023-Q3"),
        ("Account.ShippingState", "not_null", ""), g="Account.ShippingState", **HOURS,
    )  # fmt: skip
    assert [(state.upper(), n, hours) for state, n, hours in rows] == [("IL", 3, 6), ("CA", 3, 9), ("TX", 1, 12)]


def test_sales_amount_understanding(atlas_gui: Room) -> None:
    signed = listed(atlas_gui, "Contract", **{"w.CompanySignedDate": "past_months:1"})
    assert sorted(signed) == ["k-alvaro", "k-fifty", "k-odell", "k-quell"]
    accounts = "Álvaro Vineyards;50% off Farm Supply;O'Dell Orchards;Port of Quell"
    rows = report(
        atlas_gui, "OrderItem", ("Order.Status", "eq", "Activated"), ("Order.AccountId", "in", accounts),
        g="Order.OwnerId", m="sum", mf="Quantity*UnitPrice", sort="-value",
        **{"w.Order.EffectiveDate": "past_months:1"},
    )  # fmt: skip
    assert [(agent, amount) for agent, _n, amount in rows] == [("chidi", 7000), ("ana", 3200), ("dana", 2700)]


def test_sales_cycle_understanding(atlas_gui: Room) -> None:
    rows = report(
        atlas_gui, "Opportunity", g="OwnerId", m="avg", mf="Contract.CompanySignedDate~CreatedDate", sort="value",
        **{"w.Contract.CompanySignedDate": "past_weeks:6"},
    )  # fmt: skip
    assert [(agent, n, round(days)) for agent, n, days in rows] == [("dana", 3, 30), ("ana", 3, 50)]


def test_conversion_rate_comprehension(atlas_gui: Room) -> None:
    rows = report(
        atlas_gui, "Lead", g="OwnerId", m="share", mc="ConvertedDate", mo="past_months", mv="9", sort="-value",
        **{"w.CreatedDate": "past_months:9"},
    )  # fmt: skip
    assert [(agent, n, round(share, 2)) for agent, n, share in rows[:2]] == [("greg2", 4, 0.75), ("dana", 4, 0.5)]


def test_what_must_be_withheld_could_be_told(atlas_gui: Room) -> None:
    assert "FRED@O-Dell.example" in record(atlas_gui, "fred")
    assert report(atlas_gui, "Case", CLOSED, CLOSED_ON, g="OwnerId", **(HOURS | {"sort": "-value"}))
    assert "3 percent" in record(atlas_gui, "kb-counter")
    assert [ANSWERS[task] for task in list(ANSWERS)[-3:]] == [None, None, None]


def test_two_people_of_one_name_are_told_apart_in_the_chart_too(atlas_gui: Room) -> None:
    shown = atlas_gui.get("report/Lead/", g="OwnerId").content.decode()
    for key in ("greg1", "greg2"):
        assert f">Greg Miller …{atlas_id(key)[-6:]}</text>" in shown
    assert ">Fay Ng</text>" in shown
