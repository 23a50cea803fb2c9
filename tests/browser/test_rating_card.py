"""Rating by keyboard: groups with names, announced errors with focus, evidence and notes, the matrix at every width."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

from study.fieldwork.models import Note, Pin, Rationale
from tests.fieldwork.hour import Hour, make_small_org
from tests.fieldwork.rating_hour import at_the_ratings, matrix_protocol, open_in_work

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
WIDE = pytest.mark.parametrize("size", [(1280, 900)], indirect=True, ids=["1280"])
NOTE = "Every date here falls on a Friday 👍."


@pytest.fixture
def org(settings: Any, tmp_path: Any, live_server: Any) -> Any:
    settings.REALIA_VAR = tmp_path
    return make_small_org()


def enter(page: Any, hour: Hour, base: str) -> None:
    page.context.add_cookies([{"name": "sessionid", "value": hour.client.cookies["sessionid"].value, "url": base}])


def focused(page: Any) -> dict[str, Any]:
    """What has the focus, and how one sees it: its own outline or that of the label round it."""
    return page.evaluate(
        """() => {
          const one = document.activeElement;
          const ring = (e) => {
            const seen = getComputedStyle(e);
            return seen.outlineStyle !== "none" && parseFloat(seen.outlineWidth) >= 2;
          };
          const label = one.closest("label");
          return { name: one.name ?? "", value: one.value ?? "", tag: one.tagName, text: one.textContent.trim(),
                   ring: ring(one) || !!(label && ring(label)) };
        }"""
    )  # fmt: skip


def tab_to(page: Any, what: Any, most: int = 60) -> dict[str, Any]:
    """Press Tab until ``what`` has the focus; everything on the way shows a ring (P-55)."""
    for _press in range(most):
        page.keyboard.press("Tab")
        here = focused(page)
        assert here["ring"], f"no visible focus on {here}"
        if what(here):
            return here
    raise AssertionError("never reached by Tab")


def faults(page: Any) -> list[str]:
    """What axe finds on the page as it stands, in light and in dark."""
    page.evaluate(AXE)
    found = []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += page.evaluate("() => axe.run(document).then((r) => r.violations.map((v) => v.id + v.nodes[0].html))")
    return found


def saved(page: Any) -> None:
    page.locator("[data-saved]", has_text=re.compile("All saved")).wait_for()


@WIDE
def test_a_whole_card_by_keyboard(study: Any, org: Any, ben: Any, client: Any, page: Any, live_server: Any) -> None:
    hour = at_the_ratings(study, org, ben, client, ticks=("typing",))
    target = hour.visit.object_order[0]
    enter(page, hour, live_server.url)
    hour.get("ratings/", follow=True)
    hour.rate("Org")
    opened = open_in_work(hour, target)
    Note.objects.create(visit=hour.visit, text=NOTE, object=target, record=opened)
    page.goto(f"/hour/{hour.code}/ratings/{target}/")
    # P-54: the group says object and question, each option its words and place.
    words = hour.visit.protocol and page.locator("#stem").inner_text()
    group = page.get_by_role("radiogroup", name=f"Your rating {words}", exact=True)
    assert group.get_by_role("radio").count() == 7
    assert group.get_by_role("radio", name="Very Realistic", exact=True).count() == 1
    assert not page.locator("[name=choice]:checked").count()
    # Next with nothing chosen: said, and the focus stands on the first thing that is missing.
    tab_to(page, lambda here: here["text"].startswith("Next:"))
    page.keyboard.press("Enter")
    said = page.get_by_role("alert")
    assert "A rating" in said.inner_text()
    assert focused(page)["name"] == "choice"
    assert group.get_attribute("aria-invalid") == "true"
    for _step in range(3):
        page.keyboard.press("ArrowRight")
    saved(page)
    here = focused(page)
    assert (here["value"], here["ring"]) == ("4", True)
    assert not page.get_by_role("alert").count()
    chosen = page.locator("label:has([name=choice]:checked)")
    assert "inset" in chosen.evaluate("e => getComputedStyle(e).boxShadow"), "chosen is not told by colour alone"
    row = hour.visit.ratings.get(target=target)
    assert (row.first, row.final, row.changes) == ("4", "4", 0), "what the arrows pass over is no choice (M16)"
    # A note of the work comes back and is copied; the box has a name of its own.
    tab_to(page, lambda here: here["text"] == "Copy into “What looked off”")
    page.keyboard.press("Enter")
    box = page.get_by_role("textbox", name="What looked off", exact=True)
    assert box.input_value() == NOTE
    # Evidence: opened, attached, narrowed to a field, all by keys.
    box.focus()
    tab_to(page, lambda here: here["tag"] == "SUMMARY" and "Point to a record" in here["text"])
    page.keyboard.press("Enter")
    tab_to(page, lambda here: here["name"] == "attach")
    page.keyboard.press("Enter")
    page.locator("[data-side=off] .pin").wait_for()
    assert "Attached" in page.locator("[data-side=off] [data-attached]").inner_text()
    assert focused(page)["tag"] == "SUMMARY"
    page.locator("[data-side=off] .of-it summary").press("Enter")
    tab_to(page, lambda here: here["name"] == "narrow")
    page.keyboard.press("Enter")
    page.locator("[data-side=off] .pin a", has_text="·").wait_for()
    pin = Pin.objects.get(rating__target=target)
    assert (pin.side, pin.record, bool(pin.field)) == ("off", opened, True)
    assert faults(page) == []
    # What is pasted is text, what nobody can see is left out and said (P-15, P-17).
    box.evaluate(
        """e => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", "Totals add up.");
          clipboardData.setData("text/html", "<b>Totals</b> add up.");
          e.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        }"""
    )
    box.fill(f"{NOTE} Totals\u0007 add up.")
    page.locator("[data-side=off] [data-left-out]", has_text="left out").wait_for()
    assert box.input_value() == f"{NOTE} Totals add up."
    box.blur()
    saved(page)
    text = Rationale.objects.get(rating__target=target, side="off")
    assert text.text == f"{NOTE} Totals add up."
    assert (text.pastes, text.pasted_share is not None) == (1, True)
    tab_to(page, lambda here: here["text"].startswith("Next:"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/ratings/{hour.visit.object_order[1]}/"))
    # Beside an object nothing was opened of, Next leads to the look.
    page.locator("button[value=next]:visible").last.click()
    assert page.evaluate("document.activeElement.hasAttribute('data-look')")
    # Can't judge asks for its reason right below, as a group of its own.
    page.locator("[name=choice][value=cannot_judge]").check()
    page.locator("button[value=next]:visible").last.click()
    assert page.get_by_role("alert").inner_text().startswith("Still missing: Why you can't judge.")
    assert focused(page)["name"] == "reason"
    assert page.get_by_role("radiogroup", name="Why can't you judge?", exact=True).count() == 1
    assert faults(page) == []


@WIDE
def test_the_matrix_at_every_width(study: Any, org: Any, ben: Any, client: Any, page: Any, live_server: Any) -> None:
    hour = at_the_ratings(study, org, ben, client, matrix_protocol())
    enter(page, hour, live_server.url)
    page.goto(f"/hour/{hour.code}/ratings/")
    page.wait_for_url(re.compile("/ratings/all/"))
    first = hour.visit.object_order[0]
    for width in (1280, 701, 700, 375, 320):
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"the page runs off the side by {wide} pixels at {width}"
        for radio in page.locator(f"#row-{first} .m-scale label").all():
            place = radio.bounding_box()
            assert place is not None
            assert 0 <= place["x"] <= place["x"] + place["width"] <= width, "no option is out of sight (P-55)"
            assert min(place["width"], place["height"]) >= 24
        shown = page.locator(f"#row-{first} .m-scale label > span:has(b)").first.bounding_box()
        heads = page.locator(".m-head").last.is_visible()
        assert heads == (width > 700), "one list per object below 700 pixels"
        assert shown is not None
        assert (shown["width"] > 5) == (width <= 700)
    # P-54: the group of a row says object and question; each option its words, though only the head shows them.
    page.set_viewport_size({"width": 1280, "height": 900})
    words = page.locator(f"#stem-{first}").inner_text()
    name = page.locator(f"#name-{first}").inner_text()
    group = page.get_by_role("radiogroup", name=f"{name} {words}", exact=True)
    assert group.get_by_role("radio", name="Realistic", exact=True).count() == 1
    # Next with everything open: the first row has the focus and says so.
    page.locator("button[value=next]:visible").last.click()
    assert page.get_by_role("alert").inner_text().startswith("The CRM as a whole: A rating.")
    assert focused(page)["name"] == "Org.choice"
    assert faults(page) == []
    assert focused(page)["ring"]
    page.keyboard.press("ArrowRight")
    saved(page)
    assert hour.visit.ratings.get(target="Org").final == "1"
    page.get_by_role("textbox", name="Why? The CRM as a whole", exact=True).fill("Nothing like what I know at all.")
    saved(page)
    page.get_by_role("button", name="Go on and leave the rest open for now").click()
    page.wait_for_url(re.compile("/lock/"))
    page.get_by_role("link", name=name, exact=True).first.click()
    page.wait_for_url(re.compile(f"/ratings/all/#row-{first}"))
    assert page.locator('[name="Org.choice"]:checked').input_value() == "1"
    assert page.locator('[name="Org.why"]').input_value() == "Nothing like what I know at all."
