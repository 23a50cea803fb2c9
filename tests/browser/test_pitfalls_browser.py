"""Pitfalls that only a browser shows: shared machines, renewed tokens, a lost session, autofill, a wrong clock."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from study.accounts.adapter import user_with_address
from study.fieldwork.models import Clock, Rationale, Save
from study.fieldwork.modules import modules_of
from tests.fieldwork.hour import Hour

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def size() -> tuple[int, int]:
    return (1280, 900)


@pytest.fixture
def hours(study: Any, settings: Any, tmp_path: Any, live_server: Any) -> list[Hour]:
    """Two people at their ratings, who share one machine."""
    from tests.fieldwork.hour import make_cohort, make_small_org

    settings.REALIA_VAR = tmp_path
    cohort = make_cohort(study, make_small_org())
    made = [Hour.begin(cohort, user_with_address(f"{n}@example.test"), Client()) for n in ("first", "second")]
    for hour in made:
        hour.orient()
        hour.work()
    return made


@pytest.fixture
def machine(chromium: Any, size: tuple[int, int], live_server: Any) -> Any:
    """One browser; its pages complain of refused requests, which is what these tests make happen."""
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, base_url=live_server.url)
    context.set_default_timeout(15_000)
    yield context
    context.close()


def sit_down(machine: Any, hour: Hour, live_server: Any) -> None:
    """Sign in as this person: another session and another token, as signing in gives."""
    hour.client.force_login(hour.participant.user)
    machine.clear_cookies()
    session = hour.client.cookies["sessionid"].value
    machine.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])


def card(machine: Any, hour: Hour) -> Any:
    page = machine.new_page()
    page.goto(f"/hour/{hour.code}/ratings/Org/", wait_until="networkidle")
    choose(page)
    return page


def choose(page: Any) -> None:
    """The boxes come after the rating (M16)."""
    choice = page.locator('input[name="choice"][value="4"]')
    if not choice.is_checked():
        choice.check()
        saved(page)


def saved(page: Any) -> None:
    page.locator("[data-saved]:not(.is-warning) span", has_text=re.compile("All saved")).wait_for()


def stored(page: Any, hour: Hour, text: str) -> None:
    """Wait until the server has this text."""
    for _ in range(50):
        if text_of(hour) == text:
            return
        page.wait_for_timeout(100)
    assert text_of(hour) == text


def text_of(hour: Hour) -> str:
    return "".join(Rationale.objects.filter(rating__visit=hour.visit, side="right").values_list("text", flat=True))


KEPT = """() => new Promise((resolve) => {
  const open = indexedDB.open("unsent", 1);
  open.onupgradeneeded = () => open.result.createObjectStore("saves", { keyPath: "slot" });
  open.onsuccess = () => {
    const all = open.result.transaction("saves").objectStore("saves").getAll();
    all.onsuccess = () => { open.result.close(); resolve(all.result.length); };
  };
})"""


def test_the_next_person_neither_reads_nor_sends_what_the_last_one_left(
    hours: list[Hour], machine: Any, live_server: Any
) -> None:
    """P-05: half a rationale, no connection, the window closed; then somebody else, then the first one again."""
    first, second = hours
    sit_down(machine, first, live_server)
    page = card(machine, first)
    machine.set_offline(True)
    page.locator('textarea[name="right"]').fill("half a rationale of the first person")
    page.get_by_text("You are offline. Kept in this browser").wait_for()
    page.close()
    machine.set_offline(False)
    sit_down(machine, second, live_server)
    page = card(machine, second)
    page.locator('textarea[name="right"]').fill("of the second person")
    stored(page, second, "of the second person")
    # The server has it before the browser has heard so, and only then lets go of its own copy.
    saved(page)
    assert "half a rationale" not in page.content()
    assert page.evaluate(KEPT) == 1, "what the first one left is still there, and still shut"
    page.close()
    assert (text_of(first), text_of(second)) == ("", "of the second person")
    sit_down(machine, first, live_server)
    page = card(machine, first)
    page.wait_for_function("document.querySelector('textarea[name=right]').value.startsWith('half a rationale')")
    assert page.evaluate(KEPT) == 0
    assert (text_of(first), text_of(second)) == ("half a rationale of the first person", "of the second person")


def test_what_comes_back_late_is_asked_about_and_never_merged(
    hours: list[Hour], machine: Any, live_server: Any
) -> None:
    """P-07: meanwhile another machine saved something else; both texts are shown, wherever one comes back."""
    first = hours[0]
    sit_down(machine, first, live_server)
    page = card(machine, first)
    machine.set_offline(True)
    page.locator('textarea[name="right"]').fill("typed on the train")
    page.get_by_text("You are offline. Kept in this browser").wait_for()
    page.close()
    machine.set_offline(False)
    first.save("rationale/Org/right", {"text": "typed at the desk", "tags": []})
    page = machine.new_page()
    page.goto(f"/hour/{first.code}/lock/")
    note = page.locator(".unsent")
    note.wait_for()
    assert "typed on the train" in note.inner_text()
    note.locator("a").click()
    page.wait_for_url("**/ratings/Org/")
    page.get_by_role("button", name="Keep what stands here").wait_for()
    assert "typed at the desk" in page.locator("main").inner_text()
    assert page.locator('textarea[name="right"]').input_value() == "typed on the train"
    assert text_of(first) == "typed at the desk"
    page.get_by_role("button", name="Keep what stands here").click()
    stored(page, first, "typed on the train")
    saved(page)
    assert page.evaluate(KEPT) == 0


def test_an_open_form_is_saved_after_signing_in_again_and_never_as_somebody_else(
    hours: list[Hour], machine: Any, live_server: Any
) -> None:
    """P-06, P-07: a renewed token; signed out in another tab; another account signed in there."""
    first, second = hours
    sit_down(machine, first, live_server)
    page = card(machine, first)
    box = page.locator('textarea[name="right"]')
    sit_down(machine, first, live_server)
    box.fill("typed before, saved after the token changed")
    stored(page, first, "typed before, saved after the token changed")
    saved(page)
    sit_down(machine, second, live_server)
    box.fill("typed while somebody else is signed in")
    page.get_by_text("Someone else is signed in now").wait_for()
    assert box.input_value() == "typed while somebody else is signed in"
    assert not Save.objects.filter(visit=second.visit, field__startswith="rationale").exists()
    Session.objects.all().delete()
    box.fill("typed while nobody is signed in")
    page.get_by_text("You are signed out").wait_for()
    sit_down(machine, first, live_server)
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    stored(page, first, "typed while nobody is signed in")


def test_closing_questions_in_two_tabs(hours: list[Hour], machine: Any, live_server: Any) -> None:
    """A7: a choice shows in the other tab at once; where both typed, both texts are shown and one is chosen."""
    first = hours[0]
    first.get("ratings/Org/")
    first.post("lock/", {"leave_open": "yes"})
    sit_down(machine, first, live_server)
    item = next(one for module in modules_of(first.visit) for one in module.items if one.type == "text")
    part = next(module.id for module in modules_of(first.visit) if item in module.items)
    tabs = [machine.new_page() for _n in range(2)]
    for tab in tabs:
        tab.goto(f"/hour/{first.code}/closing/{part}/", wait_until="networkidle")
    fields = [tab.locator(f'textarea[name="{item.id}"]') for tab in tabs]
    fields[0].fill("said in one tab")
    saved(tabs[0])
    tabs[1].wait_for_function("(id) => document.querySelector(`textarea[name=${id}]`).value !== ''", arg=item.id)
    fields[0].fill("then here")
    fields[1].fill("and there")
    tabs[0].locator("body").press("Tab")
    asking = tabs[0].locator(".unsent").or_(tabs[0].locator("[data-saved]:not(.is-warning)", has_text="All saved"))
    asking.first.wait_for()
    tabs[1].wait_for_timeout(900)
    stopped = next(tab for tab in tabs if tab.locator(".unsent").is_visible())
    note = stopped.locator(".unsent").inner_text()
    assert "then here" in note
    assert "and there" in note
    stopped.get_by_role("button", name="Use that one").click()
    saved(stopped)
    values = {field.input_value() for field in fields}
    assert len(values) == 1
    assert [first.visit.closing.get(item=item.id).value] == list(values)


def test_without_storage_the_page_says_so_and_warns_on_leaving(
    hours: list[Hour], machine: Any, live_server: Any
) -> None:
    """P-07: where nothing can be kept, the text is on the page only, and leaving is asked about; else never."""
    first = hours[0]
    sit_down(machine, first, live_server)
    asked: list[str] = []
    for able in (True, False):
        page = machine.new_page()
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        if not able:
            page.add_init_script("delete Object.getPrototypeOf(window).indexedDB; delete window.indexedDB;")
        page.goto(f"/hour/{first.code}/ratings/Org/", wait_until="networkidle")
        choose(page)
        machine.set_offline(True)
        page.locator('textarea[name="right"]').press_sequentially("text")
        page.get_by_text("Kept in this browser" if able else "the text is on this page only").wait_for()
        page.close(run_before_unload=True)
        page.wait_for_event("close") if not page.is_closed() else None
        machine.set_offline(False)
    assert asked == ["beforeunload"]


def test_a_wrong_clock_of_the_device_changes_nothing(hours: list[Hour], machine: Any, live_server: Any) -> None:
    """P-19, P-10: a clock a day slow; and no field of the card invites autofill."""
    first = hours[0]
    sit_down(machine, first, live_server)
    page = machine.new_page()
    page.clock.set_fixed_time("2020-02-29T12:00:00Z")
    page.goto(f"/hour/{first.code}/ratings/Org/", wait_until="networkidle")
    page.locator('input[name="choice"][value="4"]').check()
    page.locator('input[name="version"][value="1"]').wait_for(state="attached")
    row = first.visit.ratings.get(target="Org")
    assert row.final_at.year > 2020
    assert all(clock.active_seconds >= 0 and clock.last_seen_at.year > 2020 for clock in Clock.objects.all())
    inviting = page.eval_on_selector_all(
        "main input:not([type=hidden]), main textarea",
        "all => all.filter((one) => (one.autocomplete || one.form?.autocomplete) !== 'off').map((one) => one.name)",
    )
    assert inviting == []
