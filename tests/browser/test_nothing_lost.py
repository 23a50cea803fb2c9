"""Nothing typed is lost: two tabs, the network cut in mid-rationale, answers lost on the way, the server killed.

Every save the browser saw acknowledged is compared with the rows of the real web process's own database.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.web_process import WebProcess

pytestmark = pytest.mark.browser
Row = tuple[str, str, int]
# Tells the test of every acknowledged save, as the page itself hears of it.
LISTEN = """
const real = window.fetch;
window.fetch = async (url, options = {}) => {
  const response = await real(url, options);
  if (options.method === "POST" && String(url).endsWith("/save/") && response.status === 200) {
    const [sent, answer] = [JSON.parse(options.body), await response.clone().json()];
    window.acknowledged(sent.save_id, sent.field, answer.version);
  }
  return response;
};
"""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    made = WebProcess(tmp_path_factory.mktemp("web"))
    made.prepare()
    made.start()
    yield made
    made.kill()


class Person:
    """One participant's browser, with the ledger of what it heard acknowledged."""

    def __init__(self, chromium: Any, web: WebProcess, who: str, ledger: set[Row]) -> None:
        self.who, self.url = web.people[who], web.url
        self.context = chromium.new_context(viewport={"width": 1280, "height": 900}, base_url=web.url)
        self.context.set_default_timeout(15_000)
        self.context.add_cookies([{"name": "sessionid", "value": self.who["session"], "url": web.url}])
        self.context.expose_function("acknowledged", lambda *row: ledger.add(row))
        self.context.add_init_script(LISTEN)

    def tab(self) -> Any:
        page = self.context.new_page()
        page.goto(self.who["page"], wait_until="networkidle")
        return page


def rows_of(folder: Path, codes: list[str], posted: set[str]) -> list[Row]:
    """Accepted saves that scripts sent; forms carry ids of their own, ``posted``."""
    marks = ",".join("?" * len(codes))
    with sqlite3.connect(folder / "realia.sqlite3") as database:
        found = database.execute(
            f"SELECT s.save_id, s.field, s.version FROM fieldwork_save s JOIN assignment_visit v ON v.id = s.visit_id "
            f"JOIN people_participant p ON p.id = v.participant_id WHERE s.accepted AND p.code IN ({marks})",
            codes,
        ).fetchall()
    return [row for row in found if row[0] not in posted]


def compare(ledger: set[Row], rows: list[Row]) -> str:
    """One line; what was acknowledged and what is stored have to be the same, each once."""
    missing, unheard = ledger - set(rows), set(rows) - ledger
    duplicates = len(rows) - len({row[0] for row in rows})
    assert not missing, f"acknowledged and not stored: {sorted(missing)}"
    assert not unheard, f"stored and not acknowledged: {sorted(unheard)}"
    assert duplicates == 0, f"{duplicates} saves are stored twice"
    return f"acknowledged saves {len(ledger)} = rows {len(rows)}, duplicates {duplicates}"


def saved(page: Any) -> None:
    page.locator("[data-saved]:not(.is-warning) span", has_text=re.compile("All saved")).wait_for()


def kept_in_browser(page: Any) -> list[dict[str, Any]]:
    return page.evaluate(
        """() => new Promise((resolve) => {
          const open = indexedDB.open("unsent", 1);
          open.onsuccess = () => {
            const all = open.result.transaction("saves").objectStore("saves").getAll();
            all.onsuccess = () => { open.result.close(); resolve(all.result.map((row) => ({
              ...row, iv: undefined, box: new TextDecoder("latin1").decode(row.box) }))); };
          };
        })"""
    )


def two_tabs(person: Person) -> None:
    one, two = person.tab(), person.tab()
    pads = [tab.locator("textarea[data-pad]") for tab in (one, two)]
    for tab in (one, two):
        tab.evaluate("document.querySelector('textarea[data-pad]').closest('details').open = true")
    pads[0].fill("first thought")
    saved(one)
    two.wait_for_function("document.querySelector('textarea[data-pad]').value === 'first thought'")
    # Both hold unsaved typing: both texts are shown, nothing is merged.
    pads[0].fill("the first tab goes on")
    pads[1].fill("the second tab goes another way")
    one.wait_for_timeout(1200)
    stopped, other = (one, two) if one.locator("[data-pad-conflict]").is_visible() else (two, one)
    conflict = stopped.locator("[data-pad-conflict]")
    assert other.locator("textarea[data-pad]").input_value() in conflict.inner_text()
    mine = stopped.locator("textarea[data-pad]").input_value()
    conflict.locator("[data-keep-mine]").click()
    saved(stopped)
    other.wait_for_function("(text) => document.querySelector('textarea[data-pad]').value === text", arg=mine)
    # The answer to a save is lost on the way; what is typed next is no conflict with one's own text.
    lost = []

    def lose(route: Any) -> None:
        if lost or route.request.method != "POST":
            route.continue_()
            return
        lost.append(route.fetch())
        route.abort()

    stopped.route("**/save/", lose)
    stopped.locator("textarea[data-pad]").fill("heard by the server, not by the page")
    stopped.locator("[data-saved].is-warning").wait_for()
    stopped.locator("textarea[data-pad]").fill("heard by the server, not by the page; and more")
    saved(stopped)
    assert not stopped.locator("[data-pad-conflict]").is_visible()
    # The page never heard of that one; the server's answer is the ledger's.
    lost_save = lost[0].json()
    person.lost = (lost_save["field"], lost_save["version"])  # type: ignore[attr-defined]


def cut_in_mid_rationale(person: Person) -> Any:
    page = person.tab()
    page.locator('input[name="choice"][value="4"]').check()
    saved(page)
    box = page.locator('textarea[name="right"]')
    box.fill("Totals add up")
    saved(page)
    person.context.set_offline(True)
    box.press_sequentially(" and dates follow each other, even")
    page.get_by_text("You are offline. Kept in this browser").wait_for()
    [kept] = kept_in_browser(page)
    assert not [text for text in (person.who["code"], "Totals", "rationale") if text in str(kept)]
    page.locator('button[value="next"]:visible').last.click()
    assert box.input_value().endswith("even"), "the form stays while there is no connection"
    # The page is gone before the connection is back: the text comes back by itself, under its old save id.
    page.goto("about:blank")
    person.context.set_offline(False)
    page.goto(person.who["page"], wait_until="networkidle")
    page.wait_for_function("document.querySelector('textarea[name=right]').value.endsWith('even')")
    assert kept_in_browser(page) == []
    return page


def kill_before_submit(person: Person, web: WebProcess, page: Any) -> set[str]:
    box = page.locator('textarea[name="right"]')
    box.press("Control+End")
    box.press_sequentially(" in the oldest cases.")
    web.kill()
    page.locator('button[value="next"]:visible').last.click()
    page.get_by_text("The study can't be reached just now").wait_for()
    assert box.input_value().endswith("even in the oldest cases.")
    web.start()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    saved(page)
    posted = set(page.eval_on_selector_all("input[name^=save_id]", "all => all.map((one) => one.value)"))
    page.locator('button[value="next"]:visible').last.click()
    page.wait_for_url(lambda url: not url.endswith("/ratings/Org/"))
    return posted


def test_nothing_typed_is_lost(chromium: Any, web: WebProcess, capsys: pytest.CaptureFixture[str]) -> None:
    ledger: set[Row] = set()
    ben, ida = (Person(chromium, web, who, ledger) for who in ("working", "rating"))
    codes = [one.who["code"] for one in (ben, ida)]
    before = {row[0] for row in rows_of(web.folder, codes, set())}
    two_tabs(ben)
    posted = before | kill_before_submit(ida, web, cut_in_mid_rationale(ida))
    rows = rows_of(web.folder, codes, posted)
    heard_by_server = [row for row in rows if row[1:] == ben.lost]  # type: ignore[attr-defined]
    line = compare(ledger | set(heard_by_server), rows)
    with capsys.disabled():
        print(f"\n{line}")
    with sqlite3.connect(web.folder / "realia.sqlite3") as database:
        texts = {row[0] for row in database.execute("SELECT text FROM fieldwork_rationale")}
        kept = " ".join(row[0] for row in database.execute("SELECT value FROM fieldwork_save"))
        database.execute("UPDATE fieldwork_save SET version = version + 1 WHERE save_id = ?", [rows[0][0]])
    assert "Totals add up and dates follow each other, even in the oldest cases." in texts
    assert "the first tab goes on" in kept
    assert "the second tab goes another way" in kept, "whichever lost is kept as a revision"
    with pytest.raises(AssertionError, match="acknowledged and not stored"):
        compare(ledger, rows_of(web.folder, codes, posted))
    for person in (ben, ida):
        person.context.close()
