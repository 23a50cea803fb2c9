"""A person without a mouse: Tab, arrows, Space, Enter and F6; wherever they stand, one sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# What has the focus, how one sees it (P-55), and how its group is called (P-54).
HERE = """() => {
    const one = document.activeElement;
    const ring = (e) => {
        const look = e && getComputedStyle(e);
        return !!look && look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2;
    };
    const words = (e) => e?.textContent.trim().replace(/\\s+/g, " ") ?? "";
    const label = one.closest("label");
    const group = one.closest("fieldset:not([role]), [role=radiogroup]");
    const names = group?.getAttribute("aria-labelledby")?.split(" ").map((id) => words(document.getElementById(id)));
    const peers = one.name && one.form ? [...one.form.querySelectorAll(`[name="${CSS.escape(one.name)}"]`)] : [];
    return {
        tag: one.tagName, type: one.type ?? "", name: one.name ?? "", value: one.value ?? "", id: one.id,
        form: one.form?.method ?? "", role: one.getAttribute("role") ?? "", text: words(one), on: !!one.checked,
        label: words(label ?? one.labels?.[0]) || (one.getAttribute("aria-label") ?? ""),
        group: names?.join(" ") ?? (group?.getAttribute("aria-label") || words(group?.querySelector("legend"))),
        ring: ring(one) || ring(label), checked: peers.some((e) => e.checked),
        peers: peers.filter((e) => e.type === "radio" && !e.matches(":disabled")).map((e) => e.value),
    };
}"""


@dataclass
class Keys:
    """Keyboard of one page; every stop is held to be visible."""

    page: Any
    stops: int = 0

    def here(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(HERE)
        return found

    def press(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)

    def tab(self) -> dict[str, Any]:
        self.press("Tab")
        self.stops += 1
        here = self.here()
        assert here["tag"] == "BODY" or here["ring"], f"no visible focus at {self.page.url}: {here}"
        return here

    def to(self, wanted: Any, most: int = 140) -> dict[str, Any]:
        """Tab on until ``wanted``: words a control begins with, or a test of where the focus is."""
        fits = wanted if callable(wanted) else lambda here: here["text"].startswith(wanted)
        for _stop in range(most):
            here = self.tab()
            if fits(here):
                return here
        raise AssertionError(f"never reached by Tab at {self.page.url}: {wanted}")

    def choose(self, here: dict[str, Any], value: str | None = None) -> None:
        """In a group of radios: Space on the first, arrows to any other."""
        assert here["group"], f"the group of {here['name']} has no name"
        assert here["label"], f"{here['name']} {here['value']} has no words"
        assert not here["checked"], f"{here['name']} is preselected at {self.page.url}"
        value = here["peers"][0] if value is None else value
        steps = here["peers"].index(value) - here["peers"].index(here["value"])
        self.press(*(["ArrowDown"] * steps or ["Space"]))

    def fill(self, chosen: dict[str, Any], words: str, until: str, most: int = 160) -> None:
        """Through a form: the first option unless ``chosen`` says another, words in every text; Enter on ``until``."""
        ticked: set[str] = set()
        for _stop in range(most):
            here = self.tab()
            name, want = here["name"], chosen.get(here["name"])
            if here["type"] == "radio" and not here["checked"]:
                self.choose(here, want)
            elif here["type"] == "checkbox" and here["value"] != "rather_not_say" and not here["on"]:
                if here["value"] in want if want else name not in ticked:
                    self.press("Space")
                    ticked.add(name)
            elif here["type"] in ("text", "textarea") and not here["value"]:
                assert here["label"], f"{name} has no words"
                self.page.keyboard.insert_text(want or words)
            elif here["tag"] == "BUTTON" and here["text"].startswith(until):
                self.press("Enter")
                return
        raise AssertionError(f"never reached by Tab at {self.page.url}: {until}")
