"""The form of the report builder: short addresses, errors beside their control, nothing typed lost, no 500."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from study.sandbox.gui.report_ready import ready_made
from study.sandbox.gui.report_recall import lately
from study.sandbox.gui.rooms import Room as DeskRoom
from study.sandbox.models import SavedView
from tests.sandbox.gui_desk import Room, plain

pytestmark = pytest.mark.django_db


def sent(room: Room, **params: Any) -> str:
    """Where the form leads: the query of the short address."""
    response = room.client.get(f"/crm/{room.desk.code}/report/Case/?{urlencode(params, doseq=True)}")
    assert response.status_code == 302, response.status_code
    return urlsplit(response["Location"]).query


def test_empty_controls_leave_the_address(gui: Room) -> None:
    everything = {"m": "count", "mf": "", "mk": "", "ms": "", "mn": "", "u": "days", "mc": "", "mo": "eq", "mv": ""}
    everything |= {
        "m2": "",
        "mf2": "",
        "g": "OwnerId",
        "by": "month",
        "g2": "",
        "by2": "month",
        "x": "",
        "xby": "month",
    }
    everything |= {"hm": "n", "ho": "gt", "hv": "", "c": "", "o": "eq", "v": "", "rc": "", "q": "", "sort": "-value"}
    assert dict(parse_qsl(sent(gui, **everything))) == {"g": "OwnerId"}


def test_a_formula_in_pieces_becomes_one_word(gui: Room) -> None:
    base = {"m": "avg", "g": "OwnerId"}
    assert "mf=ClosedDate~CreatedDate&u=hours" in sent(
        gui, **base, mf="ClosedDate", mk="~", ms="CreatedDate", mn="", u="hours"
    )
    pieces = {"mf": "OrderItem.UnitPrice", "mk": "*", "ms": "", "mn": "1.2"}
    assert "mf=OrderItem.UnitPrice*1.2" in sent(gui, **base, **pieces)
    pieces |= {"ms": "OrderItem.Quantity"}
    assert "mf=OrderItem.UnitPrice*OrderItem.Quantity" in sent(gui, **base, **pieces)
    assert gui.get("report/Case/", **base, mf="ClosedDate~CreatedDate~hours").status_code == 200


@pytest.mark.parametrize(
    ("params", "control", "typed"),
    [
        ({"hv": "many"}, "hv", 'value="many"'),
        ({"hv2": "1e999"}, "hv2", 'value="1e999"'),
        ({"g": "Nope.Nope"}, "g", '<option value="Nope.Nope" selected>'),
        ({"g": "Description"}, "g", '<option value="Description" selected>'),
        ({"g": "Status", "g2": "Status"}, "g2", ""),
        ({"g": "Status", "x": "Status"}, "x", ""),
        ({"g": "", "x": "Status"}, "x", ""),
        ({"m": "avg", "mf": "Subject"}, "mf", '<option value="Subject" '),
        ({"m2": "sum", "mf2": "CreatedDate"}, "mf2", ""),
        ({"m": "avg", "mf": "ClosedDate", "mk": "~", "ms": "Subject"}, "ms", '<option value="Subject" selected>'),
        ({"m": "share"}, "mc", ""),
        ({"m": "count", "mc": "CreatedDate", "mo": "past_months", "mv": "soon"}, "mc", 'value="soon"'),
        ({"g": "CreatedDate", "by": "hour"}, "by", ""),
        ({"c": "CreatedDate", "o": "past_months", "v": "soon"}, "c", 'value="soon" aria-invalid="true"'),
    ],
)
def test_what_is_wrong_is_said_beside_its_control(gui: Room, params: dict[str, str], control: str, typed: str) -> None:
    """400, the message tied to the control, what was typed still there; nothing runs, nothing is traced."""
    response = gui.get("report/Case/", **params)
    assert response.status_code == 400
    errors = response.context["view"].asked.errors
    assert set(errors) == {control}
    text = response.content.decode()
    assert typed in text
    assert errors[control] in plain(response)
    if control != "c":
        named = next(part for part in text.split("<") if f'name="{control}"' in part)
        assert 'aria-invalid="true"' in named
        described = named.split('aria-describedby="')[1].split('"')[0]
        assert f'id="{described}"' in text
    assert not gui.desk.events.filter(kind="report").exists()


def test_a_condition_that_makes_no_sense_leaves_the_others_in_place(gui: Room) -> None:
    conditions = {"c": ["Status", "CreatedDate"], "o": ["eq", "past_months"], "v": ["New", "soon"]}
    response = gui.get("report/Case/", **conditions, **{"s.Priority": "High"}, g="OwnerId")
    kept = response.context["form"].kept
    assert ("c", "Status") in kept
    assert ("s.Priority", "High") in kept
    assert ("c", "CreatedDate") not in kept


def test_conditions_too_long_for_a_line_stand_under_a_key(gui: Room) -> None:
    """Every number still leads to just its records (A8)."""
    ids = ";".join([*gui.some("Case", 70)] * 3)
    response = gui.get("report/Case/", c="Id", o="in", v=ids, g="Status", m="avg", mf="ClosedDate~CreatedDate")
    found = response.context["view"]
    for row in found.rows:
        for cell in (row.count, *row.cells):
            assert len(cell.url) < 3_300
            listed = gui.client.get(cell.url)
            assert listed.status_code == 200
        assert gui.client.get(row.url).context["view"].total == row.n
    assert gui.client.get(found.address(sort="group")).context["view"].total == 70


def test_too_many_measures_are_refused(gui: Room) -> None:
    response = gui.get("report/Case/", **{f"m{n or ''}": "avg" for n in ("", 2, 3, 4, 5)})
    assert response.status_code == 400
    assert "at most 4 measures" in str(response.context["view"].asked.errors)


def test_sorting_by_a_measure_that_was_taken_away_falls_back(gui: Room) -> None:
    response = gui.get("report/Case/", g="OwnerId", sort="-value3")
    assert response.status_code == 200
    counts = [row.n for row in response.context["view"].rows]
    assert counts == sorted(counts, reverse=True)
    base = {"g": "OwnerId", "m": "avg", "m2": "share", "mc2": "Status", "mo2": "eq", "mv2": "Closed"}
    found = gui.get("report/Case/", **base, sort="value2", hm="value2", hv="0.1")
    assert "mc2" not in found.context["form"].measures[1].remove
    assert gui.client.get(found.context["form"].measures[1].remove).status_code == 200


def test_menus_reach_three_lookups_and_offer_what_fits(gui: Room) -> None:
    response = gui.get("report/Case/", g="OrderItem.Order.Account.ShippingState")
    assert response.status_code == 200
    text = response.content.decode()
    assert '<option value="OrderItem.Order.Account.ShippingState" selected' in text
    assert '<optgroup label="Order product › Order › Account">' in text
    assert gui.get("report/Case/", g="OrderItem.Order.Account.Owner.Name").status_code == 400


def test_a_report_is_kept_renamed_and_deleted(gui: Room) -> None:
    address = "m=avg&mf=ClosedDate~CreatedDate&g=OwnerId&chart=none"
    page = gui.client.get(f"/crm/{gui.desk.code}/report/Case/?{address}")
    query = page.context["form"].own_query
    saved = {"kind": "report", "object": "Case", "query": query, "name": "Time by owner"}
    response = gui.client.post(reverse("crm_view_save", args=[gui.desk.code]), saved)
    assert response.status_code == 302
    back = gui.client.get(response["Location"])
    assert back.context["form"].saved.name == "Time by owner"
    assert "Time by owner" in gui.text("report/")
    view = SavedView.objects.get()
    gui.client.post(reverse("crm_view_rename", args=[gui.desk.code, view.pk]), {"name": "By owner, days"})
    assert "By owner, days" in plain(gui.client.get(response["Location"]))
    gui.client.post(reverse("crm_view_delete", args=[gui.desk.code, view.pk]))
    assert "By owner, days" not in gui.text("report/")


def test_every_ready_made_report_runs(atlas_gui: Room) -> None:
    registry = atlas_gui.snapshot.registry
    ready = {item.name: ready_made(registry, item) for item in registry.objects}
    names = [one.name for one in ready["Case"]]
    assert names[:2] == ["Cases by month", "Cases by owner, days from created to closed"]
    assert [one.name for one in ready["Opportunity"]][-1] == "Amount by stage"
    for name, reports in ready.items():
        for one in reports:
            response = atlas_gui.client.get(f"/crm/{atlas_gui.desk.code}/report/{name}/?{one.query}")
            assert response.status_code == 200, (name, one)


def test_reports_run_lately_lead_back_to_the_same_query(gui: Room) -> None:
    """The trace holds queries; each leads back to an address that asks just that, or is left out."""
    room = DeskRoom(gui.desk, gui.snapshot, f"/crm/{gui.desk.code}/")
    addresses = [
        "g=OwnerId&x=Status&m=avg&mf=ClosedDate~CreatedDate&u=hours&hv=1&sort=value",
        "g=CreatedDate&by=week&c=CreatedDate&o=past_months&v=9&s.Status=New&s.Status=&q=drains",
        "g=IssueId__c&g2=Priority&m=share&mc=ClosedDate&mo=during&mv=2023-Q4&c=CreatedDate&o=during&v=2023-11-05/7",
        "g=&m=sum&mf=OrderItem.Quantity*OrderItem.UnitPrice&c=OwnerId&o=not_in&v=Fred;Ana&c=ClosedDate&o=null&v=",
        "g=OwnerId&rc=CaseHistory__c.CaseId__c&ro=exactly&rn=1&rf=Field__c&rp=eq&rv=Owner+Assignment",
        "g=CreatedDate&by=hour_of_day&c=CreatedDate&o=during&v=day_of_week/2",
    ]
    for address in addresses:
        response = gui.client.get(f"/crm/{gui.desk.code}/report/Case/?{address}")
        assert response.status_code == 200, response.context["view"].asked.errors
    found = lately(room)
    assert len(found) == len(addresses)
    queries = [event.query for event in gui.desk.events.filter(kind="report").order_by("-sequence")]
    for one, query in zip(found, queries, strict=True):
        again = gui.client.get(one.url)
        assert json.loads(again.context["view"].spec.to_json()) == query
    gui.get("report/Case/", c=["Status", "Priority"], o=["eq", "eq"], v=["New", "High"], logic="1 OR 2")
    assert len(lately(room)) == len(addresses)


NAMES = st.sampled_from(
    "m mf u mc mo mv mk ms mn m2 mf2 mc2 mo2 mv2 m3 g by g2 by2 x xby hm ho hv hm2 hv2 sort cell sub page chart "  # noqa: SIM905
    "c o v q rc ro rn logic s.Status w.CreatedDate".split()
)
WORDS = st.sampled_from(
    "count avg sum min max share count_distinct Status Priority CreatedDate ClosedDate OwnerId Account.ShippingState "  # noqa: SIM905
    "OrderItem.UnitPrice ClosedDate~CreatedDate OrderItem.Quantity*OrderItem.UnitPrice OrderItem.UnitPrice/0 ~ * / "
    "Id Description month hour_of_day fiscal_year n value value2 -value -group2 column gt eq past_months during 2023 "
    "month_of_year/13 hour_of_day/99 0 1 -1 4 1e308 nan 99999999999999999999 O'Dell % ( bar line donut none "
    "CaseHistory__c.CaseId__c exactly at_most New Closed".split()
) | st.text(max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(NAMES, WORDS), max_size=9), name=st.sampled_from(["Case", "OrderItem"]))
def test_any_address_gets_a_report_or_a_clear_error(gui: Room, pairs: list[tuple[str, str]], name: str) -> None:
    response = gui.client.get(f"/crm/{gui.desk.code}/report/{name}/?{urlencode(pairs)}", follow=True)
    assert response.status_code in {200, 400}, pairs


@pytest.mark.parametrize(
    ("groups", "title"),
    [
        ({"g": "OwnerId"}, "Cases by Owner"),
        ({"g": "CreatedDate"}, "Cases by Created month"),
        ({"g": "IssueId__c", "g2": "OwnerId"}, "Cases by Issue, then Owner"),
        ({"g": "IssueId__c", "x": "CreatedDate"}, "Cases by Issue and Created month"),
        ({"g": ""}, "Cases, all together"),
    ],
)
def test_a_title_says_what_is_counted_and_by_what(atlas_gui: Room, groups: dict[str, str], title: str) -> None:
    assert f'<h1 dir="auto">{title}</h1>' in atlas_gui.get("report/Case/", **groups).content.decode()
