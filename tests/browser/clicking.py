"""A walk through the sandbox as a person does it: visible controls only, and a count of what it takes.

The minutes are an estimate by the keystroke-level model (Card, Moran and Newell, "The keystroke-level model for
user performance time with interactive systems", Communications of the ACM 23, 1980): 0.28 s a key, 1.1 s to point,
0.2 s to press and let go, 0.4 s for the hands to change between mouse and keys, 1.35 s to make up one's mind before
each control. Two more parts are ours: words that must be read go at 200 a minute, and every page that opens is looked
over for 4 s. Waiting is what the browser took. It is the time of somebody who knows the way and makes no mistake.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

LINES: list[str] = []
"""One line for each walk; they are printed after the tests."""
KEY, POINT, PRESS, HANDS, MIND = 0.28, 1.1, 0.2, 0.4, 1.35
LOOK, WORDS_A_MINUTE = 4.0, 200
ID = re.compile(r"\b[0-9a-zA-Z]{18}\b")
BUSY = ".htmx-request, .htmx-swapping, .htmx-settling"
# The value of a menu's entry by the words people see, under a heading of the menu where two entries are called alike.
ENTRY = """(menu, [words, under]) => [...menu.options].find((option) => !option.hidden && !option.disabled
    && option.text.trim().toLowerCase() === words.toLowerCase()
    && (!under || option.closest("optgroup")?.label === under))?.value ?? null"""
ROWS = """all => all.map((row) => [...row.cells].map((cell) => {
    const seen = cell.cloneNode(true);
    for (const part of seen.querySelectorAll(".visually-hidden, .level, button")) part.remove();
    return seen.textContent.replace(/\\s+/g, " ").trim();
}))"""


@dataclass
class Walk:
    """One person at one desk, from its home page on. Everything a person does here is counted."""

    page: Any
    shots: Path | None = None
    clicks: int = 0
    keys: int = 0
    fields: int = 0
    decisions: int = 0
    words: int = 0
    pages: int = 0
    began: float = field(default_factory=time.monotonic)
    took: float = 0

    def start(self, home: str) -> None:
        self.page.goto(home)
        self.began = time.monotonic()

    @property
    def main(self) -> Any:
        return self.page.get_by_role("main")

    # What hands do.

    def click(self, target: Any) -> None:
        """A press on something that opens no page."""
        target.click()
        self.clicks += 1
        self.decisions += 1

    def go(self, target: Any) -> None:
        """A press that opens another page or another state of this one."""
        before = self.page.url
        self.click(target)
        self._arrive(before)

    def follow(self, name: str | re.Pattern[str], *, within: Any = None) -> None:
        place = within or self.main
        self.go(place.get_by_role("link", name=name, exact=True).first)

    def press(self, name: str, *, within: Any = None) -> None:
        self.go((within or self.main).get_by_role("button", name=name, exact=True).first)

    def choose(self, label: str, entry: str, *, under: str = "", within: Any = None, opens: bool = False) -> None:
        """An entry of a menu: open it, point at the entry. Menus that act at once open a page."""
        menu = (within or self.main).get_by_role("combobox", name=label, exact=True).first
        value = menu.evaluate(ENTRY, [entry, under])
        assert value is not None, f"the menu {label} offers no {entry}"
        before = self.page.url
        menu.select_option(value)
        self.clicks += 2
        self.decisions += 1
        if opens:
            self._arrive(before)

    def tick(self, words: str, *, group: str) -> None:
        """A tick box of a list's filters; the list follows at once."""
        box = self.page.get_by_role("group", name=group, exact=True)
        self.go(box.get_by_role("checkbox", name=re.compile(rf"^{re.escape(words)} ?[\d,]*$")).first)

    def write(self, label: str, text: str, *, within: Any = None, pasted: bool = False) -> None:
        """Into a field; what was copied before takes two keys."""
        (within or self.main).get_by_label(label, exact=True).first.fill(text)
        self.clicks += 1
        self._typed(2 if pasted else len(text))

    def condition(
        self, group: str, field_name: str, value: str, how: str, *, under: str = "", pasted: bool = False
    ) -> None:
        """Field, comparison and value of a new condition; a menu that says the right thing is left alone."""
        box = self.page.get_by_role("group", name=group, exact=True)
        self.choose("Field", field_name, under=under, within=box)
        compared = box.get_by_label("Comparison", exact=True)
        if compared.evaluate("menu => menu.selectedOptions[0].text.trim()") != how:
            self.choose("Comparison", how, within=box)
        if value:
            self.write("Value", value, within=box, pasted=pasted)

    def find(self, words: str, *, pasted: bool = False) -> None:
        """The search box by its key, words, Enter."""
        before = self.page.url
        self.page.keyboard.press("/")
        self.page.keyboard.insert_text(words)
        suggested = self.page.get_by_role("listbox", name="Suggestions").get_by_role("option")
        suggested.filter(has_text=re.compile("All results for|Nothing begins like this")).wait_for()
        self.page.keyboard.press("Enter")
        self._typed(2 + (2 if pasted else len(words)))
        self._arrive(before)

    def object(self, plural: str) -> None:
        """The list of an object: its tab, or the menu behind "More" where the tabs end."""
        tabs = self.page.get_by_role("navigation", name="Objects")
        if not tabs.get_by_role("link", name=plural, exact=True).first.is_visible():
            self.click(tabs.get_by_text("More", exact=True))
        self.go(tabs.get_by_role("link", name=plural, exact=True).locator("visible=true").first)

    def back(self) -> None:
        before = self.page.url
        self.page.go_back()
        self.clicks += 1
        self.decisions += 1
        self._arrive(before)

    # What eyes do.

    def reads(self, target: Any) -> str:
        """The text of a part of the page that a person has to read, blanks as one."""
        target.evaluate("part => part.scrollIntoView()")
        text = re.sub(r"\s+", " ", str(target.inner_text()))
        self.words += len(text.split())
        return text

    def sees(self, words: str | re.Pattern[str]) -> None:
        """The deciding words stand on the page."""
        expect(self.main.get_by_text(words).first).to_be_visible()

    def card(self, name: str) -> Any:
        """A related list or grid of a record page; further down they come when they are scrolled to."""
        card = self.main.get_by_role("region", name=name, exact=True)
        card.evaluate("card => card.scrollIntoView()")
        card.get_by_role("table").wait_for()
        return card

    def whole(self, name: str) -> list[list[str]]:
        """All rows of a related list: its head says how many there are; where some are left out, the way to all."""
        card = self.card(name)
        found = self.rows(card)
        said = re.search(r"\d[\d,]*", card.get_by_role("heading").inner_text())
        if said and int(said[0].replace(",", "")) > len(found):
            self.follow(f"View all {name}", within=card)
            found = self.rows()
        return found

    def rows(self, within: Any = None) -> list[list[str]]:
        """The rows of the table in a part of the page as texts, without its sums; what cannot be seen is left out."""
        table = (within or self.main).get_by_role("table").first
        self.reads(table)
        found = table.locator("tbody tr:not(.total)").evaluate_all(ROWS)
        return [row for row in found if row[0] != "All"]

    def shown_id(self) -> str:
        """The Id in the head of a record page."""
        head = self.main.get_by_role("definition").filter(has_text=ID).first
        return ID.findall(head.inner_text())[0]

    def done(self, name: str, question: str) -> None:
        """The walk is over: the question has been read as well, and the last page may be looked at."""
        self.took = time.monotonic() - self.began
        self.words += len(question.split())
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=self.shots / f"{name}.png", full_page=True)

    @property
    def minutes(self) -> float:
        hands = self.clicks * (POINT + PRESS) + self.keys * KEY + self.fields * 2 * HANDS + self.decisions * MIND
        return (hands + self.pages * LOOK + self.words * 60 / WORDS_A_MINUTE + self.took) / 60

    def line(self, task: str) -> str:
        counts = f"{self.clicks:3} clicks {self.keys:4} keys {self.pages:3} pages {self.words:5} words"
        return f"{task:32} {counts} {self.took:5.1f} s in the browser {self.minutes:5.1f} min"

    def _typed(self, keys: int) -> None:
        self.keys += keys
        self.fields += 1
        self.decisions += 1

    def _arrive(self, before: str) -> None:
        self.page.wait_for_url(lambda url: url != before, wait_until="commit")
        self.page.wait_for_load_state("load")
        expect(self.page.locator(BUSY)).to_have_count(0)
        self.pages += 1
