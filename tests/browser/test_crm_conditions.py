"""New conditions in a real browser: values offered while one types, several in one round, faults that lose nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import expect

from study.accounts.models import User
from study.sandbox.desks import open_desk
from study.sandbox.models import Desk
from tests.sandbox.fixtures.atlas.desk import load_atlas

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def desk(ben: User, tmp_path: Path, settings: Any) -> Desk:
    settings.REALIA_VAR = tmp_path
    return open_desk(org=load_atlas(), user=ben, purpose="orientation")


@pytest.fixture
def tab(chromium: Any, live_server: Any, ben: User, desk: Desk) -> Iterator[Any]:
    """A tab of Ben's whose addresses begin at his desk."""
    base = f"{live_server.url}/crm/{desk.code}/"
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, base_url=base)
    client = Client()
    client.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    context.set_default_timeout(10_000)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    context.close()
    assert faults == []


def test_one_of_two_people_of_one_name_is_chosen_by_keys(tab: Any) -> None:
    tab.goto("o/Case/")
    tab.get_by_label("Field", exact=True).select_option("OwnerId")
    box = tab.get_by_label("Value", exact=True)
    box.press_sequentially("greg", delay=5)
    options = tab.locator("#values [role=option]")
    expect(options).to_have_count(2)
    box.press("ArrowDown")
    chosen = options.first.get_attribute("data-value")
    assert box.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
    box.press("Enter")
    expect(box).to_have_value(chosen)
    expect(tab.locator(".meant")).to_have_text("Greg Miller")
    expect(options.first).to_be_hidden()
    # A second condition, and both go in one round.
    tab.get_by_role("button", name="+ and another").click()
    tab.get_by_label("Field 2", exact=True).select_option("Status")
    tab.get_by_label("Value 2", exact=True).press_sequentially("clos", delay=5)
    options.filter(has_text="Closed").first.click()
    tab.get_by_role("button", name="Apply").click()
    expect(tab.locator(".pill")).to_have_count(2)
    expect(tab.locator(".pill").first).to_contain_text("Owner is Greg Miller")
    assert f"v={chosen}" in tab.url


def test_several_values_are_chosen_one_after_the_other_in_a_report(tab: Any) -> None:
    tab.goto("report/Case/")
    new = tab.get_by_role("group", name="Only records where", exact=True)
    new.get_by_label("Field", exact=True).select_option("Status")
    new.get_by_label("Comparison", exact=True).select_option("in")
    box = new.get_by_label("Value", exact=True)
    options = tab.locator("#values [role=option]")
    for typed, word in (("clo", "Closed"), ("; n", "New")):
        box.press_sequentially(typed, delay=5)
        options.filter(has_text=word).first.click()
    expect(box).to_have_value("Closed; New")
    tab.get_by_role("button", name="Run").click()
    expect(tab.locator(".pill")).to_contain_text("is any of Closed, New")


def test_a_fault_is_said_beside_the_button_and_nothing_typed_is_lost(tab: Any) -> None:
    tab.goto("o/Case/")
    tab.get_by_label("Field", exact=True).select_option("CreatedDate")
    box = tab.get_by_label("Value", exact=True)
    box.fill("7/1/2023")
    tab.get_by_role("button", name="Apply").click()
    expect(tab.get_by_role("alert")).to_contain_text("Write 1 Jul 2023 or 2023-07-01")
    expect(box).to_have_value("7/1/2023")
    # The connection is cut, then comes back.
    box.fill("1 Jul 2023")
    tab.route("**/o/Case/**", lambda route: route.abort())
    tab.get_by_role("button", name="Apply").click()
    expect(tab.get_by_role("alert")).to_contain_text("The connection was cut")
    tab.unroute("**/o/Case/**")
    tab.get_by_role("button", name="Apply").click()
    expect(tab.locator(".pill")).to_contain_text("Created is 1 Jul 2023")


def test_a_row_left_empty_before_another_says_nothing_even_in_a_long_address(tab: Any) -> None:
    tab.goto("o/Case/")
    tab.get_by_role("button", name="+ and another").click()
    tab.get_by_label("Field 2", exact=True).select_option("Subject")
    tab.get_by_label("Comparison 2", exact=True).select_option("not_in")
    words = "; ".join(f"word {n}" for n in range(400))
    tab.get_by_label("Value 2", exact=True).fill(words)
    tab.get_by_role("button", name="Apply").click()
    expect(tab.locator(".pill")).to_contain_text("Subject is none of word 0")
    assert "?k=" in tab.url
    expect(tab.get_by_role("alert")).to_have_count(0)
