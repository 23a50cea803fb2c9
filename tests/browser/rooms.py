"""Several people at once, each in a browser of their own; and what a participant does there with a mouse."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

from tests.browser.screens import violations

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 375, "height": 812}


@dataclass
class Rooms:
    """One Chromium, a context for each person; what consoles complain about and scripts throw is kept for the end."""

    chromium: Any
    url: str
    shoot: Any
    open: list[Any] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    faults: dict[str, list[str]] = field(default_factory=dict)

    def enter(self) -> Page:
        context = self.chromium.new_context(viewport=DESK, base_url=self.url)
        context.set_default_timeout(15_000)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.open.append(context)
        page: Page = context.new_page()
        return page

    def leave(self, page: Page) -> None:
        """What the page still asks for is broken off before what it says is no longer heard."""
        self.open.remove(page.context)
        page.context.close()

    def close(self) -> None:
        said = list(self.complaints)
        for context in self.open:
            context.close()
        assert (said, self.faults) == ([], {}), f"{said} {self.faults}"

    def look(self, page: Page, name: str, *, phone: bool = False) -> None:
        """A picture, and nothing off the side; a coordinator's main pages on a phone and for axe as well."""
        self.shoot(page, f"cohort-{name}")
        if phone:
            if found := violations(page):
                self.faults[name] = found
            page.set_viewport_size(PHONE)
            self.shoot(page, f"cohort-{name}")
            page.set_viewport_size(DESK)


def press(page: Page, name: str | re.Pattern[str]) -> None:
    """A button that sends a form; the page it leads to has arrived when this returns."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=isinstance(name, str)).first.click()


def fill_items(page: Page, **chosen: str) -> None:
    """Every item of a form of questions: what is ``chosen``, else the first option, or a few words."""
    for item in page.locator("fieldset.item").all():
        name = (item.get_attribute("id") or "").removeprefix("item-")
        options = item.locator("input[type=radio], input[type=checkbox]")
        if name in chosen:
            item.locator(f'input[value="{chosen[name]}"]').check()
        elif options.count():
            options.first.check()
        else:
            for line in item.locator("input.line").all():
                line.fill("Looked up an order")


def agree(page: Page) -> None:
    """The lines of the consent that are needed, and the button."""
    for box in page.get_by_role("group", name="I agree").get_by_role("checkbox").all():
        box.check()
    press(page, "I take part")


def code_in(page: Page) -> str:
    """The participant's code, as the address of their page has it."""
    found = re.search(r"/hour/(P-\w+)/", page.url)
    assert found, f"no page of somebody's hour: {page.url}"
    return found[1]
