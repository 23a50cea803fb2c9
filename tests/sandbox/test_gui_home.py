"""Home, the launcher and the tabs: what is open, due, new, opened and kept, each with the list behind it."""

from __future__ import annotations

from typing import Any

import pytest

from study.sandbox.desks import close_desk
from study.sandbox.models import TraceEvent
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.small_org import small_tables

pytestmark = pytest.mark.django_db


def test_key_numbers_lead_to_just_these_records(gui: Room) -> None:
    numbers = gui.get("").context["home"].numbers
    assert [one.item.name for one in numbers] == ["Case", "Order"]
    for one in numbers:
        assert gui.client.get(one.url).context["view"].total == one.n
    open_cases = [case for case in small_tables()["Case"] if case["Status"].lower() != "closed"]
    assert numbers[0].n == len(open_cases)


def test_steps_lead_to_just_these_records(gui: Room) -> None:
    flow = gui.get("").context["home"].flow
    assert flow.item.name == "Case"
    assert sum(stage.n for stage in flow.stages) == 70
    for stage in flow.stages:
        assert gui.client.get(stage.url).context["view"].total == stage.n


def test_opportunities_by_stage_and_tasks_due(atlas_gui: Room) -> None:
    """Amounts of several currencies are never added up (P-50); tasks due up to today are open ones only."""
    home = atlas_gui.get("").context["home"]
    assert home.flow.item.name == "Opportunity"
    assert {one.item.name for one in home.numbers} >= {"Case", "Lead"}
    for one in home.numbers:
        assert atlas_gui.client.get(one.url).context["view"].total == one.n
    tasks = [task for task in atlas_gui.snapshot.records("Task") if task["Status"] != "Completed"]
    due = [
        task for task in tasks if task["ActivityDate"] and f"{task['ActivityDate']}"[:10] <= f"{atlas_gui.desk.today}"
    ]
    assert home.due.total == len(due)
    shown = list(atlas_gui.snapshot.records("Opportunity"))
    assert len({one["CurrencyIsoCode"] for one in shown}) > 1
    assert {stage.amount for stage in home.flow.stages} == {""}


def test_what_was_opened_is_found_again(gui: Room) -> None:
    assert "Nothing yet" in gui.text("")
    case = gui.some("Case", 3)[2]
    gui.get(f"r/{case}/")
    assert [one.record_id for one in gui.get("").context["home"].recent] == [case]
    response = gui.get("o/Case/", lately="1")
    assert [row.record_id for row in response.context["view"].rows] == [case]
    assert response.context["picker"].title == "Opened lately"
    assert gui.total("Account", lately="1") == 0


def test_favourites_stand_on_home_in_the_menu_and_on_their_page(gui: Room) -> None:
    account = gui.some("Account", 1)[0]
    gui.client.post(f"/crm/{gui.desk.code}/r/{account}/favourite/", {"keep": "1"})
    assert [one.record_id for one in gui.get("").context["home"].favourites] == [account]
    menu = gui.client.get(f"/crm/{gui.desk.code}/favourites/", headers={"HX-Request": "true"})
    assert f"/r/{account}/" in menu.content.decode()
    assert "<html" not in menu.content.decode()


def test_the_launcher_holds_every_object(gui: Room) -> None:
    page = gui.get("apps/").content.decode()
    for item in gui.snapshot.registry.objects:
        assert f"/o/{item.name}/" in page
    assert "<h1" in page
    menu = gui.client.get(f"/crm/{gui.desk.code}/apps/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in menu
    assert "/o/Case/" in menu


def test_one_tab_is_the_page_one_is_on(gui: Room) -> None:
    for page, name in (
        ("", "Home"),
        ("o/Case/", "Cases"),
        ("o/CaseHistory__c/", "Case history"),
        ("report/", "Reports"),
    ):
        body = gui.get(page).content.decode()
        tabs = body[body.index("data-tabs") : body.index('<details class="menu more"')]
        assert tabs.count('aria-current="page"') == 1, page
        assert name in tabs.partition('aria-current="page"')[2][:60]


def test_looking_at_menus_is_not_traced_and_nothing_is_at_a_closed_desk(gui: Room) -> None:
    gui.client.get(f"/crm/{gui.desk.code}/apps/", headers={"HX-Request": "true"})
    gui.client.get(f"/crm/{gui.desk.code}/favourites/", headers={"HX-Request": "true"})
    assert not TraceEvent.objects.exists()
    gui.get("apps/")
    close_desk(gui.desk)
    for page in (
        "",
        "apps/",
        "favourites/",
        "o/Case/?view=board",
        f"o/Case/?view=split&record={gui.some('Case', 1)[0]}",
    ):
        assert gui.get(page).status_code == 200
    assert [event.kind for event in TraceEvent.objects.all()] == ["apps"]


def test_an_org_without_cases_has_a_home_all_the_same(settings: Any, tmp_path: Any, ben: Any) -> None:
    from django.test import Client

    from study.sandbox.desks import open_desk
    from study.sandbox.engine.published import published_registry
    from study.sandbox.engine.snapshot import write_snapshot
    from study.sandbox.orgs import register_org
    from tests.sandbox.small_org import TODAY

    settings.REALIA_VAR = tmp_path
    registry = published_registry(("Product2",))
    info = write_snapshot(tmp_path / "bare.sqlite", registry, {"Product2": []}, today=TODAY)
    desk = open_desk(org=register_org(info, "bare"), user=ben, purpose="orientation")
    client = Client()
    client.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    for page in ("", "apps/", "o/Product2/", "o/Product2/?view=split"):
        response = client.get(f"/crm/{desk.code}/{page}")
        assert response.status_code == 200
    assert "This object holds no records" in plain(client.get(f"/crm/{desk.code}/o/Product2/"))
