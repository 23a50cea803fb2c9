"""Reports: numbers computed again by hand, and every number leads to just those records."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import mean
from typing import Any

import pytest

from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.small_org import small_tables

pytestmark = pytest.mark.django_db
TABLES = small_tables()
CASES = TABLES["Case"]


def rows(gui: Room, name: str = "Case", **params: Any) -> list[Any]:
    response = gui.get(f"report/{name}/", **params)
    assert response.status_code == 200, plain(response)
    return list(response.context["view"].rows)


def test_counts_per_issue_with_ids(gui: Room) -> None:
    """Top issue: the answer's Id stands beside its name."""
    counted = Counter(case["IssueId__c"] for case in CASES)
    found = rows(gui, g="IssueId__c")
    assert [row.n for row in found] == sorted(counted.values(), reverse=True)
    text = gui.get("report/Case/", g="IssueId__c").content.decode()
    for issue in TABLES["Issue__c"]:
        assert f'data-copy="{issue["Id"]}"' in text
        assert counted[issue["Id"]] in [row.n for row in found if row.plain == issue["Name"]]


def test_handle_time_by_owner_without_transfers(gui: Room) -> None:
    """Average of closed minus created by owner, cases with exactly one owner assignment, at least n cases."""
    moves = Counter(h["CaseId__c"] for h in TABLES["CaseHistory__c"] if h["Field__c"] == "Owner Assignment")
    hours: dict[str, list[float]] = defaultdict(list)
    owned: Counter[str] = Counter()
    for case in CASES:
        if moves[case["Id"]] == 1:
            owned[case["OwnerId"]] += 1
            if case["ClosedDate"]:
                hours[case["OwnerId"]].append((case["ClosedDate"] - case["CreatedDate"]).total_seconds() / 3600)
    expected = {o: round(mean(hours[o]), 2) for o in hours if owned[o] > 3}
    found = rows(
        gui,
        m="avg",
        mf="ClosedDate~CreatedDate",
        u="hours",
        g="OwnerId",
        sort="value",
        hm="n",
        ho="gt",
        hv="3",
        rc="CaseHistory__c.CaseId__c",
        ro="exactly",
        rn="1",
        rf="Field__c",
        rp="eq",
        rv="Owner Assignment",
    )
    assert [float(str(row.value)) for row in found] == sorted(expected.values())
    assert len(found) == len(expected) > 0


@pytest.mark.parametrize("by", ["month", "month_name", "quarter", "year", "week", "day"])
def test_every_period_leads_to_its_records(gui: Room, by: str) -> None:
    found = rows(gui, g="CreatedDate", by=by)
    assert sum(row.n for row in found) == 70
    for row in found:
        assert gui.client.get(row.url).context["view"].total == row.n, (row.label, row.url)


@pytest.mark.parametrize(
    "group",
    [
        "Status",
        "Priority",
        "OwnerId",
        "IssueId__c",
        "AccountId",
        "Account.ShippingState",
        "Account.NumberOfEmployees",
        "OrderItem.Product2Id",
        "OrderItem.UnitPrice",
        "OrderItem.Product2.IsActive",
        "Subject",
        "Contact.Email",
        "ClosedDate",
        "",
    ],
)
def test_every_number_leads_to_its_records(gui: Room, group: str) -> None:
    """Under conditions too; empty groups and values with odd characters among them."""
    for extra in (
        {},
        {"s.Status": ["New", "Closed"], "c": "CreatedDate", "o": "past_months", "v": "9", "q": "drains"},
        {"s.Status": ["New", "Closed"], "s.Priority": ["High", ""]},
    ):
        found = rows(gui, g=group, **extra)
        assert sum(row.n for row in found) == gui.total("Case", **extra)
        # Each page takes its time: of a long report rows from all over it.
        for row in found[:: 1 + len(found) // 12]:
            assert gui.client.get(row.url).context["view"].total == row.n, (row.label, row.url)


def test_month_names_gather_years_in_calendar_order(gui: Room) -> None:
    counted = Counter(case["CreatedDate"].month for case in CASES)
    assert [row.n for row in rows(gui, g="CreatedDate", by="month_name")] == [counted[m] for m in sorted(counted)]


def test_sums_and_different_values(gui: Room) -> None:
    total = sum(item["Quantity"] for item in TABLES["OrderItem"])
    assert str(rows(gui, "OrderItem", m="sum", mf="Quantity", g="")[0].value) == f"{total:,.0f}"
    owners = len({case["OwnerId"] for case in CASES})
    assert str(rows(gui, m="count_distinct", mf="OwnerId", g="")[0].value) == str(owners)


def test_a_measure_without_a_field_takes_the_first_that_fits(gui: Room) -> None:
    response = gui.get("report/Case/", m="avg", g="OwnerId")
    assert "Average of Closed minus Created, days" in plain(response)


def test_what_cannot_be_reported_is_said_calmly(gui: Room) -> None:
    for params in (
        {"m": "median"},
        {"m": "avg", "mf": "Subject"},
        {"m": "avg", "mf": "ClosedDate~Subject"},
        {"g": "Description"},
        {"g": "CreatedDate", "by": "hour"},
        {"hv": "many"},
        {"hv": "1", "ho": "like"},
        {"sort": "Subject"},
        {"u": "years"},
        {"m": "avg", "mf": "ClosedDate~"},
        {"g": "Nope.Nope"},
    ):
        response = gui.get("report/Case/", **params)
        assert response.status_code == 400, params
    assert gui.get("report/Knowledge__kav/", m="avg").status_code == 400


def test_the_trace_keeps_the_report(gui: Room) -> None:
    gui.get("report/Case/", g="OwnerId")
    event = gui.desk.events.get(kind="report")
    assert (event.object, event.n) == ("Case", 6)
    assert event.query["groups"] == [{"alias": "group", "field": "OwnerId"}]
