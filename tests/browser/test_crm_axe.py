"""Accessibility of every sandbox page, checked by axe in light and dark, wide and narrow; and that axe finds faults."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from django.urls import resolve

from study.accounts.models import User
from study.sandbox.urls import urlpatterns
from tests.sandbox.gui_desk import Room
from tests.sandbox.odd_desk import open_odd
from tests.sandbox.odd_org import odd_id, odd_tables

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
CASE, CHANCE, USER, CALL = (
    odd_id("Case", 0),
    odd_id("Opportunity", 0),
    odd_id("User", 0),
    odd_id("LiveChatTranscript", 0),
)
# Evaluated by the debugger of the browser, so the page's own policy stays in force. Colours follow the media query:
# between light and dark only they can change.
RUN = "(options) => axe.run(document, options).then((r) => r.violations.map((v) => [v.id, v.nodes.map((n) => n.html)]))"
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}

PAGES = {
    "home": "",
    "launcher": "apps/",
    "favourites": "favourites/",
    "list": "o/Case/",
    "list, filtered and sorted": "o/Case/?s.Status=New&sort=-Priority&col=Subject&col=Status&col=Id",
    "list, empty": "o/Case/?q=zzzz",
    "list, chart": "o/Case/?chart=Status",
    "fields": "fields/Case/",
    "board": "o/Opportunity/?view=board",
    "split": f"o/Case/?view=split&record={CASE}",
    "record in a state": f"r/{USER}/?f.Case.OwnerId=stuck&tl=Task",
    "record, found": f"r/{CALL}/?find=budget",
    "related list": f"r/{USER}/related/Case.OwnerId/",
    "related list, empty": f"r/{USER}/related/Case.OwnerId/?q=zzzz",
    "thread": f"r/{CASE}/thread/?find=battery",
    "search": "search/?q=tent",
    "search, one object": "search/?q=zip&in=Case",
    "search, nothing": "search/?q=zip+zzzz",
    "reports": "report/",
    "report": "report/Case/?g=Status",
    "report, matrix": "report/Case/?g=Status&x=Priority",
    "report, line": "report/Case/?g=CreatedDate&chart=line",
    "report, donut": "report/Case/?g=Status&g2=Priority&chart=donut",
    "console": "console/",
    "console, answered": "console/?q=SELECT+Id%2C+Subject+FROM+Case+LIMIT+3",
    "schema": "schema/",
    "schema of an object": "schema/Case/",
    "missing": "r/500Hy0000000zzzIAA/",
    "problem": "o/Case/?sort=Nope",
}
# Parts of other pages, and acts.
NO_PAGE = {
    "crm_suggest", "crm_values", "crm_open", "crm_favourite", "crm_facts", "crm_long", "crm_view_save",
    "crm_view_rename", "crm_view_delete",
}  # fmt: skip
STATUS = {"missing": 404, "problem": 400}
NARROW = {
    "home", "list", "record in a state", "related list", "thread", "search", "report", "report, matrix", "console",
    "missing",
}  # fmt: skip


@pytest.fixture
def desk(ben: User, tmp_path: Path, settings: Any) -> Room:
    settings.REALIA_VAR = tmp_path
    return open_odd(ben, tmp_path)


@pytest.fixture
def tab(chromium: Any, live_server: Any, desk: Room) -> Any:
    """A tab in which Ben is signed in at his desk."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    cookie = {"name": "sessionid", "value": desk.client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    context.set_default_timeout(15_000)
    opened = context.new_page()
    yield opened
    context.close()


def violations(tab: Any, options: dict[str, Any] | None = None) -> list[Any]:
    """What axe finds on the page as it stands."""
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(AXE)
    found: list[Any] = tab.evaluate(RUN, options or {})
    return [[rule, [re.sub(r"\s+", " ", node)[:160] for node in nodes[:3]]] for rule, nodes in found]


def checked(tab: Any, *, narrow: bool = False) -> dict[str, list[Any]]:
    """Findings of one page: all rules in light, colours in dark; narrow ones all over again at 375 px in dark."""
    found = {"light": violations(tab)}
    tab.emulate_media(color_scheme="dark")
    found["dark"] = violations(tab, COLOURS)
    if narrow:
        tab.set_viewport_size({"width": 375, "height": 812})
        found["375"] = violations(tab)
        wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found["375 sideways"] = [wide] if wide > 1 else []
        tab.set_viewport_size({"width": 1280, "height": 900})
    tab.emulate_media(color_scheme="light")
    return {mode: rules for mode, rules in found.items() if rules}


def test_no_page_is_left_out() -> None:
    found = {resolve(f"/crm/CODE/{address.partition('?')[0]}").url_name for address in PAGES.values()}
    assert found | NO_PAGE == {pattern.name for pattern in urlpatterns}


def test_axe_finds_nothing_on_any_page(tab: Any, desk: Room, live_server: Any) -> None:
    base = f"{live_server.url}/crm/{desk.desk.code}/"
    found = {}
    for name, address in PAGES.items():
        answer = tab.goto(base + address)
        assert answer.status == STATUS.get(name, 200), name
        if faults := checked(tab, narrow=name in NARROW):
            found[name] = faults
    assert found == {}, json.dumps(found, indent=1)


def test_axe_finds_nothing_on_a_record_of_any_object(tab: Any, desk: Room, live_server: Any) -> None:
    found = {}
    for name in odd_tables():
        tab.goto(f"{live_server.url}/crm/{desk.desk.code}/r/{odd_id(name, 0)}/")
        if faults := checked(tab, narrow=name in {"Opportunity", "Account"}):
            found[name] = faults
    assert found == {}, json.dumps(found, indent=1)


def test_axe_finds_nothing_in_what_opens_on_a_page(tab: Any, desk: Room, live_server: Any) -> None:
    base = f"{live_server.url}/crm/{desk.desk.code}/"
    found = {}
    tab.goto(f"{base}r/{CASE}/")
    tab.goto(f"{base}r/{CHANCE}/")
    tab.locator("#find").press_sequentially("ana")
    tab.locator("#suggested [role=option]").first.wait_for()
    tab.keyboard.press("ArrowDown")
    found["suggestions"] = checked(tab)
    tab.keyboard.press("Escape")
    tab.goto(f"{base}r/{CHANCE}/")
    tab.keyboard.press("?")
    tab.locator("#help[open]").wait_for()
    found["help"] = checked(tab)
    tab.keyboard.press("Escape")
    for menu in ("details.before", "details.more", "details.apps"):
        tab.locator(f"{menu} > summary").click()
        tab.wait_for_load_state("networkidle")
        found[menu] = checked(tab)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_axe_would_find_a_fault(tab: Any, desk: Room, live_server: Any) -> None:
    """A proof must be able to fail: a picture without words and text that can hardly be read are found."""
    tab.goto(f"{live_server.url}/crm/{desk.desk.code}/r/{CASE}/")
    assert violations(tab) == []
    tab.evaluate(
        """() => {
          const broken = document.createElement("p");
          broken.textContent = "hardly to be read";
          broken.style.color = "rgb(220, 225, 230)";
          const image = document.createElement("img");
          image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
          document.querySelector("main").append(broken, image);
        }"""
    )
    assert {"color-contrast", "image-alt"} <= {rule for rule, _nodes in violations(tab)}
