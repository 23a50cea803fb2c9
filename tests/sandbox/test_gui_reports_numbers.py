"""Reports against numbers worked out again by hand, and every number against the list it leads to."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import mean
from typing import Any

import pytest

from study.sandbox.engine.queryspec import QuerySpec, Related, from_json
from tests.sandbox.fixtures.atlas import atlas_id
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.small_org import small_tables

pytestmark = pytest.mark.django_db
CASES = small_tables()["Case"]


def view(room: Room, address: str) -> Any:
    response = room.client.get(f"/crm/{room.desk.code}/report/{address}")
    assert response.status_code == 200, (address, getattr(response.context.get("view"), "asked", None))
    return response.context["view"]


def listed(room: Room, url: str) -> int:
    response = room.client.get(url)
    assert response.status_code == 200, (url, plain(response)[:400])
    return int(response.context["view"].total)


CELLS = 24
COUNTED = [
    "Case/?g=Status&g2=Priority",
    "Case/?g=Status&g2=Priority&sub=0",
    "Case/?g=OwnerId&x=Status",
    "Case/?g=Account.ShippingState&g2=Priority&x=CreatedDate&xby=quarter",
    "Case/?g=CreatedDate&by=hour_of_day&x=CreatedDate&xby=day_of_week",
    "Case/?g=CreatedDate&by=week_of_year",
    "Case/?g=CreatedDate&by=day_of_month&g2=ClosedDate&by2=fiscal_quarter_of_year",
    "Case/?g=ClosedDate&by=fiscal_year&x=Priority&s.Priority=High&s.Priority=",
    "Case/?g=OrderItem.Order.Owner.Name&x=CreatedDate&xby=month_name",
    "Case/?g=Status&x=Priority&c=Status&o=eq&v=Closed&c=Priority&o=null&v=&c=Status&o=eq&v=New"
    "&logic=(1+AND+2)+OR+3&q=drains",
    "Case/?g=Priority&m=count&mc=Status&mo=eq&mv=Closed&m2=count&mf2=ClosedDate&m3=count&mf3=ClosedDate"
    "&mc3=Status&mo3=ne&mv3=New&c=CreatedDate&o=past_months&v=9",
    "Case/?g=OwnerId&x=Priority&m=count&mc=Status&mo=eq&mv=Closed&cell=value",
]  # fmt: skip


@pytest.mark.parametrize("address", COUNTED)
def test_every_count_leads_to_just_its_records(gui: Room, address: str) -> None:
    """All cells: counts, filtered counts, subtotals, totals, columns, empty groups; the list has just as many."""
    found = view(gui, address)
    choices = found.asked.measures
    rows = [*found.body, *found.totals]
    assert rows
    every = []
    for row in rows:
        cells = [(row.n, row.count)]
        cells += [(row.raw[-len(choices) + at], cell) for at, cell in enumerate(row.cells)]
        if row.across and found.cell_measure is None:
            assert sum(int(str(cell.html)) for cell in row.across) == row.n
        cells += [(int(str(cell.html)), cell) for cell in row.across]
        assert all(bool(cell.url) == bool(number) for number, cell in cells)
        every += [(number, cell.url, row.plain) for number, cell in cells if number]
    # Each page takes its time: of a long report cells from all over it.
    for number, url, line in every[:: 1 + len(every) // CELLS]:
        assert listed(gui, url) == number, (address, line, url)


def test_a_measure_leads_to_the_records_it_takes(gui: Room) -> None:
    """An average to the records that have one; a share to those that fit its condition."""
    found = view(gui, "Case/?g=Status&m=avg&mf=ClosedDate~CreatedDate&u=hours&m2=share&mc2=Priority&mo2=eq&mv2=High")
    for row in found.rows:
        own = [case for case in CASES if (case["Status"] or "").lower() == str(row.raw[0]).lower()]
        hours = [(c["ClosedDate"] - c["CreatedDate"]).total_seconds() / 3600 for c in own if c["ClosedDate"]]
        high = [case for case in own if case["Priority"] == "High"]
        assert row.raw[2] == pytest.approx(mean(hours))
        assert row.raw[3] == pytest.approx(len(high) / len(own))
        assert listed(gui, row.cells[0].url) == len(hours)
        assert listed(gui, row.cells[1].url) == len(high)


def test_totals_are_asked_for_themselves(gui: Room) -> None:
    """The average of all is not the average of averages; "only rows with" changes rows, not the total."""
    found = view(gui, "Case/?g=OwnerId&m=avg&mf=ClosedDate~CreatedDate&u=minutes&hv=11&hm2=value&ho2=gt&hv2=10")
    minutes = [(c["ClosedDate"] - c["CreatedDate"]).total_seconds() / 60 for c in CASES if c["ClosedDate"]]
    assert found.totals[0].raw == (70, pytest.approx(mean(minutes)))
    owned = Counter(case["OwnerId"] for case in CASES)
    assert sorted(row.raw[0] for row in found.rows) == sorted(owner for owner, n in owned.items() if n > 11)


def test_subtotals_stand_behind_their_rows(gui: Room) -> None:
    found = view(gui, "Case/?g=IssueId__c&g2=Priority&sort=-n")
    counted: dict[Any, Counter[Any]] = defaultdict(Counter)
    for case in CASES:
        counted[case["IssueId__c"]][case["Priority"]] += 1
    body, seen = list(found.body), 0
    for row in body:
        if row.kind == "subtotal":
            assert row.n == sum(counted[row.raw[0]].values()) == seen
            seen = 0
        else:
            assert row.n == counted[row.raw[0]][row.raw[1]]
            seen += row.n
    assert [row.n for row in body if row.kind == "subtotal"] == sorted(
        (sum(inner.values()) for inner in counted.values()), reverse=True
    )


def test_matrix_with_averages_and_totals_of_columns(gui: Room) -> None:
    found = view(gui, "Case/?g=OwnerId&x=Status&m=avg&mf=ClosedDate~CreatedDate&u=hours")
    hours: dict[tuple[Any, str], list[float]] = defaultdict(list)
    for case in CASES:
        if case["ClosedDate"]:
            taken = (case["ClosedDate"] - case["CreatedDate"]).total_seconds() / 3600
            for key in ((case["OwnerId"], case["Status"].lower()), (None, case["Status"].lower())):
                hours[key].append(taken)
    columns = [name.plain.lower() for name in found.columns]
    assert sorted(columns) == ["closed", "new", "working"]
    for row in [*found.rows, *found.totals]:
        owner = row.raw[0] if row.kind == "row" else None
        for column, cell in zip(columns, row.across, strict=True):
            expected = hours.get((owner, column))
            assert (float(str(cell.html)) if expected else str(cell.html)) == (
                pytest.approx(mean(expected), abs=0.006) if expected else "–"
            )


def test_more_than_sixty_columns_are_told(gui: Room) -> None:
    response = gui.get("report/Case/", g="Status", x="CreatedDate", xby="day")
    found = response.context["view"]
    days = len({case["CreatedDate"].date() for case in CASES})
    assert (len(found.columns), found.columns_in_all) == (60, days)
    assert f"60 of {days} columns are shown" in plain(response)
    assert all(row.n == count for row, count in zip(found.rows, (35, 18, 17), strict=True))


def test_level_rows_are_marked_and_exact_values_told(gui: Room) -> None:
    response = gui.get("report/Case/", g="OwnerId")
    counted = Counter(case["OwnerId"] for case in CASES)
    marks = [row.level for row in response.context["view"].rows]
    level = [n for n in counted.values() if list(counted.values()).count(n) > 1]
    assert sum(marks) == len(level)
    text = gui.get("report/Case/", g="OwnerId", m="avg", mf="ClosedDate~CreatedDate").content.decode()
    exact = [cell.exact for row in response.context["view"].rows for cell in row.cells]
    assert exact == []
    assert 'title="' in text


def test_groups_are_counted_exactly_and_paged(gui: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut in silence: the number of rows is told, and pages hold each of them once (P-48)."""
    from study.sandbox.gui import report_table, reporting

    for module in (reporting, report_table):
        monkeypatch.setattr(module, "MOST_GROUPS", 7)
    for address in ("Case/?g=CreatedDate&by=day", "Case/?g=OwnerId&g2=Priority&sub=0", "Case/?g=OwnerId&g2=Priority"):
        found, page = [], 1
        while True:
            one = view(gui, f"{address}&page={page}")
            if not one.rows:
                break
            found += [row.raw for row in one.rows]
            assert one.groups == one.room.count(one.rows_spec)
            page += 1
        assert len(found) == len(set(found)) == one.groups
        assert sum(row[-1] for row in found) == 70


def test_sorting_by_any_number_or_group(gui: Room) -> None:
    base = "Case/?g=OwnerId&m=avg&mf=ClosedDate~CreatedDate&m2=share&mc2=Status&mo2=eq&mv2=Closed"
    for key, place in (("n", 1), ("value", 2), ("value2", 3)):
        up = [row.raw[place] for row in view(gui, f"{base}&sort={key}").rows]
        assert up == sorted(up)
        assert [row.raw[place] for row in view(gui, f"{base}&sort=-{key}").rows] == up[::-1]


def test_a_formula_with_a_number(gui: Room) -> None:
    items = small_tables()["OrderItem"]
    for sign, work in (("*", lambda a: a * 1.5), ("/", lambda a: a / 4)):
        number = "1.5" if sign == "*" else "4"
        found = view(gui, f"OrderItem/?g=&m=sum&mf=UnitPrice{sign}{number}&m2=max&mf2=Quantity*UnitPrice")
        assert found.rows[0].raw[1] == pytest.approx(sum(work(item["UnitPrice"]) for item in items))
        assert found.rows[0].raw[2] == max(item["Quantity"] * item["UnitPrice"] for item in items)


def test_currencies_are_never_added_up_p50(atlas_gui: Room) -> None:
    """P-50: amounts of several currencies stand apart, in rows, totals and subtotals; one alone is named."""
    response = atlas_gui.get("report/Opportunity/", g="StageName", m="sum", mf="Amount")
    found = response.context["view"]
    deals = list(atlas_gui.snapshot.records("Opportunity"))
    summed: dict[tuple[Any, ...], float] = defaultdict(float)
    for deal in deals:
        if deal["Amount"] is not None:
            summed[deal["CurrencyIsoCode"], deal["StageName"]] += deal["Amount"]
            summed[(deal["CurrencyIsoCode"],)] += deal["Amount"]
    assert len({key[0] for key in summed}) > 1
    for row in (*found.rows, *found.totals):
        assert row.raw[-1] in (None, pytest.approx(summed.get(tuple(row.raw[:-2]), 0.0)))
        assert listed(atlas_gui, row.count.url) == row.n
    assert len(found.totals) == len({deal["CurrencyIsoCode"] for deal in deals})
    assert "never added up" in plain(response)
    one = atlas_gui.get(
        "report/Opportunity/", g="StageName", m="sum", mf="Amount", c="CurrencyIsoCode", o="eq", v="USD"
    )
    assert "Sum of Amount, USD" in plain(one)
    assert not one.context["view"].splits
    assert "never added up" not in plain(one)
    # A number that is no money stays in one row.
    assert not atlas_gui.get("report/Opportunity/", g="StageName", m="avg", mf="Probability").context["view"].splits


def test_the_trace_holds_exactly_one_owner_assignment(gui: Room) -> None:
    """What an ordinary report builder cannot say is possible, and kept in the trace as the query that ran."""
    related = {"rc": "CaseHistory__c.CaseId__c", "ro": "exactly", "rn": "1", "rf": "Field__c", "rp": "eq"}
    response = gui.get(
        "report/Case/",
        g="OwnerId",
        x="Status",
        **related,
        rv="Owner Assignment",
        m="count",
        mc="Priority",
        mo="eq",
        mv="High",
    )
    event = gui.desk.events.get(kind="report")
    spec = from_json(event.query)
    assert isinstance(spec, QuerySpec)
    assert isinstance(spec.where, Related)
    assert (spec.where.op, spec.where.n, spec.where.child_object) == ("exactly", 1, "CaseHistory__c")
    assert [group.across for group in spec.groups] == [False, True]
    assert spec.measures[1].where is not None
    assert event.n == response.context["view"].groups
    moves = Counter(h["CaseId__c"] for h in small_tables()["CaseHistory__c"] if h["Field__c"] == "Owner Assignment")
    assert response.context["view"].total == sum(moves[case["Id"]] == 1 for case in CASES)
    gui.client.get(response.context["view"].rows[0].url)
    assert [e.kind for e in gui.desk.events.order_by("sequence")] == ["report", "list"]


def test_names_and_ids_of_people_in_text_fields(atlas_gui: Room) -> None:
    """Groups that are records show their Id beside their name."""
    response = atlas_gui.get("report/CaseHistory__c/", g="NewValue__c")
    assert f'data-copy="{atlas_id("ana")}"' in response.content.decode()
