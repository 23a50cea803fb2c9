"""The dock in a browser: it covers no data, folds and changes sides, calculates, and is one truth in two tabs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import expect

from study.accounts.adapter import user_with_address
from study.accounts.flows import create_study
from study.fieldwork.models import Note, Pin
from tests.browser.conftest import SCREENS
from tests.browser.test_crm_axe import violations
from tests.fieldwork.hour import Hour, make_cohort, make_small_org

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# Boxes of the dock and of what the page shows, once the page is scrolled to its end; fixed and sticky parts apart.
COVERED = """() => {
    window.scrollTo(0, document.documentElement.scrollHeight);
    const dock = document.querySelector("#dock").getBoundingClientRect();
    const over = (box) => Math.min(box.right, dock.right) - Math.max(box.left, dock.left) > 1
        && Math.min(box.bottom, dock.bottom) - Math.max(box.top, dock.top) > 1;
    return [...document.querySelectorAll("#main .card, .foot")].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.bottom <= window.innerHeight && over(box) && box.bottom > dock.top + 1;
    }).map((part) => part.className);
}"""
LAST = """() => {
    window.scrollTo(0, document.documentElement.scrollHeight);
    const dock = document.querySelector("#dock").getBoundingClientRect();
    const foot = document.querySelector(".foot").getBoundingClientRect();
    const aside = foot.right <= dock.left + 1 || foot.left >= dock.right - 1;
    return [aside || foot.bottom <= dock.top + 1, dock.width, dock.height];
}"""


@pytest.fixture
def hour(live_server: Any, settings: Any, tmp_path: Any) -> Hour:
    """Ben at his orientation, as a client that can also act for him without a browser."""
    settings.REALIA_VAR = tmp_path
    study = create_study(code="spring", name="Spring study", owner=user_with_address("ada@example.test"))
    return Hour.begin(make_cohort(study, make_small_org()), user_with_address("ben@example.test"), Client())


@pytest.fixture
def context(chromium: Any, live_server: Any, hour: Hour) -> Any:
    made = chromium.new_context(
        viewport={"width": 1280, "height": 900}, base_url=live_server.url, reduced_motion="reduce"
    )
    made.add_cookies([{"name": "sessionid", "value": hour.client.cookies["sessionid"].value, "url": live_server.url}])
    made.set_default_timeout(15_000)
    yield made
    for page in made.pages:
        page.goto("about:blank")
    made.close()


def shot(tab: Any, name: str) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    tab.screenshot(path=SCREENS / f"dock-{name}.png")
    wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 1, f"{name} scrolls sideways by {wide} pixels"


def open_part(tab: Any, part: str) -> Any:
    found = tab.locator(f"#dock [data-part={part}]")
    if found.get_attribute("open") is None:
        found.locator("summary").click()
    return found


def test_the_slip_of_the_orientation_says_when_a_move_is_done(hour: Hour, context: Any) -> None:
    tab = context.new_page()
    tab.goto(hour.url("orientation/"))
    shot(tab, "orientation-1280")
    tab.get_by_role("button", name=re.compile(r"Begin\s*: Find a record")).click()
    tab.wait_for_url(re.compile("/crm/"))
    name = re.search(r"contact (.+) and open", tab.locator("#dock .dk-q").inner_text())
    assert name
    shot(tab, "move-1280")
    assert violations(tab) == []
    tab.locator("#dock").get_by_role("button", name="How do I do that?").click()
    expect(tab.locator("#dock .dk-help")).to_contain_text("search box")
    tab.goto(f"{tab.url.rstrip('/')}/r/{hour.visit.moves.get(move='find').record}/")
    expect(tab.locator("#dock [data-move-words]")).to_contain_text("Move 1 of 3 is done.")
    assert hour.visit.moves.get(move="find").done_at
    tab.locator("#dock").get_by_role("button", name="Begin").click()
    expect(tab.locator("#dock .dk-q")).to_contain_text("whose status is")
    value = hour.visit.moves.get(move="filter").value
    tab.get_by_role("navigation", name="Objects").get_by_role("link", name="Cases", exact=True).click()
    # The list follows its filters without a new page; the slip still hears of it.
    tab.get_by_text("Filters", exact=True).first.click()
    tab.get_by_role("group", name="Status").get_by_role("checkbox", name=re.compile(f"^{value}", re.I)).first.check()
    expect(tab.locator("#dock [data-move-words]")).to_contain_text("Move 2 of 3 is done.")
    shot(tab, "move-done-1280")
    for width in (375, 320):
        tab.set_viewport_size({"width": width, "height": 700})
        tab.goto(hour.url("orientation/"))
        shot(tab, f"orientation-{width}")
    assert violations(tab) == []


def test_the_dock(hour: Hour, context: Any) -> None:
    hour.orient()
    desk = hour.open_question()
    case = _some_case(hour)
    tab, other = context.new_page(), context.new_page()
    tab.goto(f"{desk}r/{case}/")
    dock = tab.locator("#dock")
    # Making room at every width, folded, open, on either side.
    for width in (1280, 720, 375, 320):
        tab.set_viewport_size({"width": width, "height": 740})
        for state in ("open", "folded"):
            press = "[data-fold]" if state == "folded" else "[data-unfold]"
            if dock.get_attribute("data-state") != state:
                tab.locator(press).click()
            free, w, h = tab.evaluate(LAST)
            assert free, f"the dock covers the last lines at {width}, {state}"
            assert tab.evaluate(COVERED) == [], f"covered at {width}, {state}"
            shot(tab, f"{state}-{width}")
            if state == "folded":
                assert (w == 52) if width > 720 else (h == 60)
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.reload()
    assert dock.get_attribute("data-state") == "folded", "it remembers"
    tab.keyboard.press("F6")
    assert dock.get_attribute("data-state") == "open"
    assert tab.evaluate("document.activeElement.id") == "dock"
    tab.keyboard.press("F6")
    assert tab.evaluate("document.activeElement.id") == "main"
    dock.get_by_role("button", name="Move to the other side").click()
    assert tab.evaluate("document.querySelector('#dock').getBoundingClientRect().left") == 0
    assert tab.evaluate(LAST)[0]
    tab.reload()
    assert tab.evaluate("document.querySelector('#dock').getBoundingClientRect().left") == 0
    # The pad: by keys alone, and the same in a second tab.
    other.goto(f"{desk}o/Case/")
    assert other.evaluate("document.querySelector('#dock').getBoundingClientRect().left") == 0
    pad = open_part(tab, "pad").locator("textarea")
    pad.press_sequentially("both: 1,240 / 31 =\n2023-03-14 - 2023-02-01 =\nalert(1) =")
    assert pad.input_value() == "both: 1,240 / 31 = 40\n2023-03-14 - 2023-02-01 = 41 days\nalert(1) ="
    assert tab.evaluate(CALCULATES) == ["12", "220", "0.3", "2023-03-03", "80", "", "", "", ""]
    # Pins beside the fields, a note with what stands open; the other tab has them at once.
    tab.get_by_role("button", name="Pin Subject").click()
    expect(tab.get_by_role("button", name="Pin Subject")).to_have_attribute("aria-pressed", "true")
    expect(other.locator("#dock [data-pinned]")).to_have_count(1)
    open_part(tab, "notes").locator("textarea").fill("dates look even")
    dock.get_by_role("button", name="Note it").click()
    expect(dock.locator(".dk-noted li")).to_have_count(1)
    expect(other.locator("#dock .dk-noted li")).to_have_count(1)
    tab.locator("#note").fill("left half way")
    shot(tab, "all-open-1280")
    assert violations(tab) == []
    tab.goto(f"{desk}o/Case/")
    expect(tab.locator("#dock .dk-noted li")).to_have_count(2)
    assert Note.objects.get(text="dates look even").record == case
    assert Pin.objects.get().field == "Subject"
    expect(other.locator("#dock [data-pad]")).to_have_value(re.compile("41 days"))
    other.bring_to_front()
    open_part(other, "pins").get_by_role("button", name="Remove the pin").click()
    expect(other.locator("#dock [data-pinned]")).to_have_count(0)
    expect(tab.locator("#dock [data-pinned]")).to_have_count(0)
    for theme, width in (("dark", 1280), ("dark", 375)):
        tab.emulate_media(color_scheme=theme)
        tab.set_viewport_size({"width": width, "height": 800})
        shot(tab, f"{theme}-{width}")
    assert violations(tab) == []


CALCULATES = """async () => {
    const { workOut } = await import("/static/js/calculator.js");
    return [
        "15% of 80", "200 + 10%", "0.1 + 0.2", "2023-02-01 + 30 days", "(2+3)*4^2",
        "1/0", "fetch(1)", "2023-13-01 - 1", "1 -",
    ].map((line) => workOut(line));
}"""


def _some_case(hour: Hour) -> str:
    from study.sandbox.opened import snapshot_of

    return str([row["Id"] for row in snapshot_of(hour.visit.org).records("Case")][3])
