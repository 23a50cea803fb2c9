"""Columns, fields three lookups away, boards and lists beside a record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from study.sandbox.desks import open_desk
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.snapshot import write_snapshot
from study.sandbox.gui.fieldpaths import STEPS, field_path, fields_at, paths_from
from study.sandbox.gui.presenting import number_words
from study.sandbox.models import TraceEvent
from study.sandbox.orgs import register_org
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.small_org import TODAY, small_registry, small_tables

pytestmark = pytest.mark.django_db
CASES = {case["Id"]: case for case in small_tables()["Case"]}
ITEMS = {item["Id"]: item for item in small_tables()["OrderItem"]}
ORDERS = {order["Id"]: order for order in small_tables()["Order"]}
ACCOUNTS = {account["Id"]: account for account in small_tables()["Account"]}
FAR = "OrderItem.Order.Account.ShippingState"


def test_three_lookups_filter_sort_and_show(gui: Room) -> None:
    """The state of the account of the order of a case's order product; cases without one have none (P-52)."""
    state: dict[str, Any] = {}
    for case, row in CASES.items():
        item = ITEMS.get(row["OrderItemId__c"] or "")
        state[case] = ACCOUNTS[ORDERS[item["OrderId"]]["AccountId"]]["ShippingState"] if item else None
    expected = {case for case, one in state.items() if (one or "").lower() == "il"}
    assert expected
    assert set(gui.listed("Case", c=FAR, o="eq", v="IL", sort=FAR)) == expected
    assert set(gui.listed("Case", c=FAR, o="ne", v="IL")) == set(CASES) - expected
    body = gui.text("o/Case/", c=FAR, o="eq", v="IL", col=["Subject", FAR])
    assert field_path(gui.snapshot.registry, gui.snapshot.registry.object("Case"), FAR).label in body


def test_four_lookups_are_one_too_many(gui: Room) -> None:
    for path in ("OrderItem.Order.Account.Owner.Name", "A.B.C.D.E.F", "Account..Name", ".Name", "Account.", "."):
        assert gui.get("o/Case/", c=path, o="eq", v="x").status_code == 400, path
        assert gui.get("fields/Case/", **{"from": path}).status_code == 400, path


def test_every_field_that_is_offered_can_be_asked(atlas_gui: Room) -> None:
    """All paths of three lookups over the 27 objects, through lookups to several objects too."""
    registry = atlas_gui.snapshot.registry
    seen = 0
    for item in registry.objects:
        paths = paths_from(registry, item, STEPS)
        assert len({path.path for path in paths}) == len(paths)
        seen += len(paths)
        spec = QuerySpec(item.name, ("Id", *(path.path for path in paths[:40])), limit=1)
        assert len(atlas_gui.snapshot.run(spec, atlas_gui.desk.today).columns) == 1 + len(paths[:40])
        for path in paths:
            assert field_path(registry, item, path.path).label == path.label
    assert seen > 1500


def test_a_lookup_to_several_objects_is_followed_by_the_one_that_is_meant(atlas_gui: Room) -> None:
    mails = list(atlas_gui.snapshot.records("EmailMessage"))
    deals = {deal["Id"]: deal for deal in atlas_gui.snapshot.records("Opportunity")}
    expected = {mail["Id"] for mail in mails if mail["RelatedToId"] in deals}
    assert expected
    assert set(atlas_gui.listed("EmailMessage", c="RelatedTo:Opportunity.StageName", o="not_null", v="")) == expected
    some = next(iter(deals[mail["RelatedToId"]] for mail in mails if mail["RelatedToId"] in deals))
    named = {mail["Id"] for mail in mails if mail["RelatedToId"] == some["Id"]}
    assert set(atlas_gui.listed("EmailMessage", c="RelatedToId", o="eq", v=some["Name"])) == named
    left = set(atlas_gui.listed("EmailMessage", c="RelatedToId", o="ne", v=some["Name"]))
    assert left == {mail["Id"] for mail in mails} - named
    for path in ("RelatedTo:Account.Name", "RelatedTo:.Name", "RelatedTo:Case:Case.Id", "RelatedTo.StageName", ":.Id"):
        assert atlas_gui.get("o/EmailMessage/", c=path, o="not_null", v="").status_code == 400, path


def test_fields_are_chosen_step_by_step_and_lead_back(gui: Room) -> None:
    """Each step is a page of its own; what was set before stays."""
    state = {"s.Status": "New", "for": "c"}
    page = gui.get("fields/Case/", **state)
    there = {step.label: url for url, step in page.context["chooser"].onward}
    page = gui.client.get(there["Order product"])
    there = {step.label: url for url, step in page.context["chooser"].onward}
    page = gui.client.get(there["Order"])
    [chosen] = [one for one in page.context["chooser"].choices if one.path.path == "OrderItem.Order.Status"]
    assert [words for _url, words in page.context["chooser"].trail] == ["Case", "Order product", "Order"]
    body = gui.client.get(chosen.url)
    assert "s.Status=New" in chosen.url
    assert body.context["view"].total == len([case for case in CASES.values() if case["Status"] == "New"])
    assert '<option value="OrderItem.Order.Status" data-type="picklist" selected>' in body.content.decode()
    part = gui.client.get(f"/crm/{gui.desk.code}/fields/Case/?for=col", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert 'data-pick="Description"' in part
    assert gui.get("fields/Case/", **{"for": "x"}).status_code == 400
    assert gui.get("fields/Nope/").status_code == 404


def test_the_last_step_leads_nowhere_further(gui: Room) -> None:
    registry = gui.snapshot.registry
    found, onward = fields_at(registry, registry.object("Case"), "OrderItem.Order.Account")
    assert found
    assert onward == []
    with pytest.raises(QueryError):
        fields_at(registry, registry.object("Case"), "OrderItem.Order.Account.Owner")


def columns(response: Any) -> list[str]:
    return [head["label"] for head in response.context["view"].heads]


def test_columns_stand_in_the_order_they_were_given_the_id_among_them(gui: Room) -> None:
    assert columns(gui.get("o/Case/", col=["Status", "Id", "Subject"])) == ["Status", "Id", "Subject"]
    assert columns(gui.get("o/Case/", col=["Status", "Subject"])) == ["Status", "Subject"]
    assert columns(gui.get("o/Case/"))[1] == "Id"
    row = gui.get("o/Case/", col=["Status", "Id", "Subject"]).context["view"].rows[0]
    assert [css for css, _html in row.cells][1] == "ident"


def test_columns_are_moved_by_buttons_without_a_script(gui: Room) -> None:
    chosen = urlencode([("col", "Status"), ("col", "Id"), ("col", "Subject")])
    moves = {
        "up=Subject": ["Status", "Subject", "Id"],
        "down=Status": ["Id", "Status", "Subject"],
        "up=Status": ["Status", "Id", "Subject"],
        "up=Nope": ["Status", "Id", "Subject"],
    }
    for pressed, order in moves.items():
        response = gui.client.get(f"/crm/{gui.desk.code}/o/Case/?{chosen}&{pressed}")
        assert response.status_code == 302
        assert columns(gui.client.get(response["Location"])) == order
        assert "up=" not in response["Location"]


def test_twenty_columns_and_no_more(gui: Room) -> None:
    paths = [p.path for p in paths_from(gui.snapshot.registry, gui.snapshot.registry.object("Case"), 1)]
    assert len(columns(gui.get("o/Case/", col=paths[:20]))) == 20
    response = gui.get("o/Case/", col=paths[:21])
    assert response.status_code == 400
    assert "at most 20 columns" in plain(response)


def test_pages_are_named_and_reached_from_both_ends(gui: Room) -> None:
    view = gui.get("o/Case/").context["view"]
    assert (view.pages, view.first_page, view.earlier) == (2, "", "")
    assert view.last_page == view.next
    last = gui.client.get(view.last_page).context["view"]
    assert (last.page, last.next, last.last_page) == (2, "", "")
    assert last.first_page == last.earlier
    assert "Page 1 of 2" in gui.text("o/Case/")


def test_ticks_without_a_box_stay_when_the_panel_is_used(gui: Room) -> None:
    """A tick on a field that has no facet, and a window on a further date, are carried by the form."""
    body = gui.get("o/Case/", **{"s.AccountId": CASES[gui.some("Case", 2)[1]]["AccountId"]}).content.decode()
    form = body[body.index('id="filters"') : body.index('class="apply"')]
    assert 'type="hidden" name="s.AccountId"' in form


def test_a_board_counts_sums_and_shows_the_first_of_each_step(atlas_gui: Room) -> None:
    response = atlas_gui.get("o/Opportunity/", view="board")
    board = response.context["board"]
    deals = list(atlas_gui.snapshot.records("Opportunity"))
    assert sum(lane.n for lane in board.lanes) == len(deals)
    for lane in board.lanes:
        own = [deal for deal in deals if (deal["StageName"] or "") == ("" if lane.name == "Empty" else lane.name)]
        assert lane.n == len(own)
        assert len(lane.cards) == min(25, len(own))
        assert atlas_gui.client.get(lane.url).context["view"].total == len(own)
        # Each currency has a sum of its own (P-50).
        amounts: dict[str, float] = {}
        for deal in own:
            if deal["Amount"] is not None:
                currency = deal["CurrencyIsoCode"] or ""
                amounts[currency] = amounts.get(currency, 0) + deal["Amount"]
        said = [f"{currency} {number_words(amount)}".strip() for currency, amount in amounts.items()]
        assert sorted(lane.sum.split(" · ")) == sorted(said or [""])
    assert TraceEvent.objects.filter(kind="list", object="Opportunity").count() == 1 + len(board.lanes)


def test_one_lane_for_spellings_that_differ_in_capitals(gui: Room, tmp_path: Path) -> None:
    """P-51: shown under the field's own spelling, on the home page as well, whichever stands in the records."""
    tables = small_tables()
    for case in tables["Case"][:12]:
        case["Status"] = case["Status"].upper().replace("WORKING", "Working")
    org = register_org(write_snapshot(tmp_path / "loud.sqlite", small_registry(), tables, today=TODAY), "loud")
    loud = replace(gui, desk=open_desk(org=org, user=gui.desk.user, purpose="orientation"))

    def shown(room: Room) -> tuple[list[tuple[str, int]], ...]:
        lanes = room.get("o/Case/", view="board").context["board"].lanes
        return [(one.name, one.n) for one in lanes], [
            (one.name, one.n) for one in room.get("").context["home"].flow.stages
        ]

    assert shown(loud) == shown(gui)


def test_values_without_a_lane_are_told(gui: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no lane" not in gui.text("o/Case/", view="board")
    lanes = len(gui.get("o/Case/", view="board").context["board"].lanes)
    monkeypatch.setattr("study.sandbox.gui.boards.MOST_LANES", lanes - 2)
    assert "2 more values have no lane; the table holds their records" in gui.text("o/Case/", view="board")


def test_a_board_obeys_the_conditions_of_the_list(gui: Room) -> None:
    board = gui.get("o/Case/", view="board", c="Priority", o="eq", v="High", q="battery").context["board"]
    expected = [c for c in CASES.values() if c["Priority"] == "High" and "battery" in c["Subject"].lower()]
    assert sum(lane.n for lane in board.lanes) == len(expected)
    assert gui.get("o/Case/", view="gantt").status_code == 400


def test_beside_the_list_stands_the_record_it_names(gui: Room) -> None:
    case = gui.some("Case", 1)[0]
    response = gui.get("o/Case/", view="split", record=case)
    assert CASES[case]["Description"] in plain(response)
    kinds = list(TraceEvent.objects.order_by("sequence").values_list("kind", "record"))
    assert kinds == [("list", ""), ("record", case)]
    gui.client.get(f"/crm/{gui.desk.code}/o/Case/?view=split&record={case[:15]}", headers={"HX-Request": "true"})
    assert list(TraceEvent.objects.order_by("sequence").values_list("kind", "record"))[2:] == [("record", case)]
    assert "Choose a record" in gui.text("o/Case/", view="split")
    for wrong in ("nothing", gui.some("Account", 1)[0], "500000000000000AAA"):
        assert gui.get("o/Case/", view="split", record=wrong).status_code == 404


def test_saved_views_stand_in_the_picker_under_their_name(gui: Room) -> None:
    query = "s.Status=New&col=Subject&col=Id&sort=-Subject"
    fields = {"kind": "list", "object": "Case", "name": "New <b>ones</b>", "query": query}
    there = gui.client.post(f"/crm/{gui.desk.code}/views/save/", fields)["Location"]
    page = gui.client.get(there)
    assert page.context["picker"].title == "New <b>ones</b>"
    assert "<b>ones</b>" not in page.content.decode()
    assert gui.client.get(f"{there}&view=board").context["picker"].title == "New <b>ones</b>"
    assert gui.get("o/Case/").context["picker"].title == "All Cases"
    changed = gui.get("o/Case/", **{"s.Status": "Closed"})
    assert changed.context["picker"].changed
    assert [one.name for one in changed.context["picker"].own] == ["New <b>ones</b>"]


def test_a_chart_of_the_list_counts_what_the_list_holds(gui: Room) -> None:
    page = gui.get("o/Case/", chart="Priority", **{"s.Status": "New"})
    own = [case["Priority"] or "Empty" for case in CASES.values() if case["Status"] == "New"]
    body = page.content.decode()
    assert page.context["view"].total == len(own)
    for value in set(own):
        assert f"{value} {own.count(value)}" in body
    assert "chart=" in page.context["view"].next or page.context["view"].pages == 1
    assert "chart=" not in page.context["chart"].switch
    for wrong in ("Subject", "Nope", "CreatedDate", "\u00e9", "Account.Nope"):
        assert gui.get("o/Case/", chart=wrong).status_code == 400, wrong
