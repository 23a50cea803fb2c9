"""Keys and swaps of the sandbox in a real browser: search box, help, find on a page, related lists, Back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from study.accounts.models import User
from tests.sandbox.gui_desk import Room
from tests.sandbox.odd_desk import open_odd
from tests.sandbox.odd_org import odd_id

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CHANCE, USER, CALL = odd_id("Opportunity", 0), odd_id("User", 0), odd_id("LiveChatTranscript", 0)
OPTION = "#suggested [role=option]"
# Typing on, or Enter, takes back the suggestions under way, and htmx writes that down.
TAKEN_BACK = ("htmx:sendAbort", "htmx:afterRequest")


@pytest.fixture
def desk(ben: User, tmp_path: Path, settings: Any) -> Room:
    settings.REALIA_VAR = tmp_path
    return open_odd(ben, tmp_path)


@pytest.fixture
def tab(chromium: Any, live_server: Any, desk: Room) -> Any:
    """A tab of Ben's whose addresses begin at his desk; what its console complains about fails the test."""
    context = chromium.new_context(
        viewport={"width": 1280, "height": 800}, base_url=f"{live_server.url}/crm/{desk.desk.code}/"
    )
    cookie = {"name": "sessionid", "value": desk.client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    context.set_default_timeout(10_000)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield opened
    # Closing breaks off what is still under way, and the page complains about that: it is not what is tested.
    heard = list(complaints)
    context.close()
    assert [said for said in heard if not said.startswith(TAKEN_BACK)] == []


def focused(tab: Any) -> str:
    return str(tab.evaluate("document.activeElement.id || document.activeElement.tagName"))


def test_the_search_box_works_by_keys_alone(tab: Any) -> None:
    box = tab.locator("#find")
    tab.goto(f"r/{CHANCE}/")
    tab.keyboard.press("/")
    assert focused(tab) == "find"
    assert box.input_value() == ""
    # Before anything is typed: what was opened lately.
    tab.locator(OPTION).first.wait_for()
    assert box.get_attribute("aria-expanded") == "true"
    box.press_sequentially("ana o", delay=5)
    expect(tab.locator("#suggested .all b")).to_have_text("ana o")
    tab.keyboard.press("ArrowDown")
    chosen = box.get_attribute("aria-activedescendant")
    assert tab.locator(f"#{chosen}").get_attribute("aria-selected") == "true"
    assert focused(tab) == "find"
    tab.keyboard.press("ArrowUp")
    assert box.get_attribute("aria-activedescendant") is None
    tab.keyboard.press("Escape")
    assert box.get_attribute("aria-expanded") == "false"
    assert box.input_value() == "ana o"
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    target = tab.locator(f"#{box.get_attribute('aria-activedescendant')}").get_attribute("href")
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"**{target}")
    tab.go_back()
    assert CHANCE in tab.url


def test_a_list_is_walked_by_keys_and_one_click_copies_an_id(tab: Any) -> None:
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.goto("o/Case/")
    rows = tab.locator("table[data-grid] tbody tr")
    for _step in range(3):
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowUp")
    expect(rows.nth(1)).to_be_focused()
    there = rows.nth(1).get_attribute("data-url")
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"**{there}")
    tab.locator(".fact-id [data-copy]").click()
    expect(tab.locator("#said")).to_have_text("Copied")
    assert tab.evaluate("navigator.clipboard.readText()") == there.rstrip("/").rpartition("/")[2]


def test_what_was_typed_last_wins(tab: Any) -> None:
    tab.goto(f"r/{CHANCE}/")
    tab.locator("#find").press_sequentially("zip stuck", delay=40)
    expect(tab.locator("#suggested .all b")).to_have_text("zip stuck")
    tab.wait_for_timeout(400)
    assert tab.locator("#suggested .all b").inner_text() == "zip stuck"
    tab.keyboard.press("Enter")
    tab.wait_for_url(re.compile(r"search/\?q=zip\+stuck"))


def test_help_opens_by_its_key_and_never_while_typing(tab: Any) -> None:
    tab.goto(f"r/{CHANCE}/")
    tab.keyboard.press("?")
    assert tab.locator("#help[open]").is_visible()
    tab.keyboard.press("Escape")
    assert tab.locator("#help[open]").count() == 0
    tab.locator("#find").focus()
    tab.keyboard.type("what? a/b")
    assert tab.locator("#help[open]").count() == 0
    assert tab.locator("#find").input_value() == "what? a/b"
    tab.locator("#find").blur()
    tab.locator("[data-help]").click()
    tab.locator("#help").get_by_role("button", name="Close").click()
    assert tab.locator("#help[open]").count() == 0


def test_found_words_are_walked_through(tab: Any) -> None:
    tab.goto(f"r/{CALL}/")
    tab.locator("#find-here").fill("budget")
    tab.keyboard.press("Enter")
    tab.wait_for_url(re.compile(r"find=budget#hit-1"))
    said = tab.locator("[data-found]")
    assert said.inner_text() == "1 of 3"
    tab.locator("#find-here").focus()
    tab.keyboard.press("Enter")
    assert said.inner_text() == "2 of 3"
    tab.get_by_role("link", name="Earlier hit").click()
    tab.get_by_role("link", name="Earlier hit").click()
    assert said.inner_text() == "3 of 3"
    assert tab.locator("mark.at").inner_text() == "Budget"


def test_a_filter_keeps_the_focus_says_the_count_and_can_be_gone_back_from(tab: Any) -> None:
    key = "Case.OwnerId"
    tab.goto(f"r/{USER}/")
    field = tab.locator(f"[id='f.{key}']")
    field.fill("o'dell")
    tab.keyboard.press("Enter")
    tab.wait_for_url(re.compile("f.Case.OwnerId=o"))
    card = tab.locator(f"[id='rel-{key}']")
    assert re.search(r"^\d of 12$", card.locator("[data-say]").inner_text())
    assert focused(tab) == f"f.{key}"
    expect(tab.locator("#said")).to_have_text(re.compile(r"^\d of 12$"))
    tab.go_back()
    expect(card.locator("[data-say]")).to_have_text("12")
    # Lists further down come when they are scrolled to.
    late = tab.locator("section.related", has_text="Case history").last
    late.evaluate("card => card.scrollIntoView()")
    late.locator("table").wait_for()


def test_skip_link_and_menus_by_keys(tab: Any) -> None:
    tab.goto(f"r/{USER}/")
    tab.goto(f"r/{CHANCE}/")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    assert focused(tab) == "main"
    before = tab.locator("details.before")
    before.locator("summary").focus()
    tab.keyboard.press("Enter")
    expect(before.get_by_role("link")).to_have_count(1)
    tab.keyboard.press("Escape")
    assert before.get_attribute("open") is None
    assert tab.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_record_pages_work_without_scripts(chromium: Any, live_server: Any, desk: Room) -> None:
    context = chromium.new_context(java_script_enabled=False, base_url=f"{live_server.url}/crm/{desk.desk.code}/")
    cookie = {"name": "sessionid", "value": desk.client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    tab = context.new_page()
    tab.goto(f"r/{CALL}/")
    tab.locator("#find-here").fill("budget")
    tab.locator("[data-find] button").click()
    tab.get_by_role("link", name="Next hit").click()
    expect(tab.locator("[data-found]")).to_have_text("2 of 3")
    assert tab.url.endswith("#hit-2")
    tab.goto(f"r/{USER}/")
    tab.locator("[id='f.Case.OwnerId']").fill("o'dell")
    tab.keyboard.press("Enter")
    expect(tab.locator("[id='rel-Case.OwnerId'] [data-say]")).to_have_text(re.compile(r"^\d of 12$"))
    tab.get_by_role("link", name="Show the records").first.click()
    expect(tab.locator("table.rows tbody tr").first).to_be_visible()
    tab.goto(f"r/{CHANCE}/")
    tab.locator("#tl").select_option("Event")
    tab.locator(".tl-filter button").click()
    expect(tab.locator("#activity .tl li")).to_have_count(2)
    context.close()
