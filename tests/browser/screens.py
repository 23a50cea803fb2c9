"""What holds of every screen: axe finds nothing, and at 320 and 640 pixels nothing runs off, is clipped or hidden."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import axe_playwright_python

SHOTS = Path(__file__).resolve().parents[2] / "var" / "screens"
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RUN = """(options) => axe.run(document, options).then((r) =>
    r.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`))"""
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
# 1280 pixels at 400 % and at 200 %, as tall as a screen is then.
ZOOMED = ((320, 512), (640, 512))
# Line height, spaces after paragraphs, between letters and words: what a reader may set (WCAG 1.4.12).
SPACED = """(on) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
        word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }`);
    document.adoptedStyleSheets = on ? [sheet] : [];
}"""
# Controls beside the screen and words cut off, unless they lie in something one can scroll, or are for screen readers.
LOST = """() => {
    const wide = document.documentElement.clientWidth;
    const sideways = document.documentElement.scrollWidth - wide;
    const lost = sideways > 1 ? [`the page runs off the side by ${sideways}`] : [];
    const moves = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX);
    const scrolled = (e) => !!e && e !== document.body
        && (moves(e) && e.scrollWidth > e.clientWidth || scrolled(e.parentElement));
    const told = (e) => e.outerHTML.replace(/\\s+/g, " ").slice(0, 120);
    const fields = "input:not([type=hidden]), select, textarea";
    for (const e of document.querySelectorAll(`button, a, summary, label, legend, ${fields}`)) {
        const box = e.getBoundingClientRect();
        const look = getComputedStyle(e);
        if (box.width < 3 || box.height < 3 || look.clipPath !== "none" || !e.checkVisibility()) continue;
        if (look.visibility !== "visible" || e.closest(".skip, .visually-hidden")) continue;
        if ((box.left < -1 || box.right > wide + 1) && !scrolled(e.parentElement)) lost.push(`beside: ${told(e)}`);
        if (e.matches(fields) || look.overflowX === "visible" || look.textOverflow === "ellipsis" || moves(e)) continue;
        const cut = e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1;
        if (cut) lost.push(`cut off: ${told(e)}`);
    }
    return lost;
}"""
# Chosen and told by more than colour: a control the browser draws itself, or an outline round its words.
UNSEEN = """() => [...document.querySelectorAll("input:checked")].filter((e) => {
    const look = getComputedStyle(e);
    const drawn = look.appearance !== "none" && look.opacity === "1" && e.getBoundingClientRect().width >= 12;
    const round = e.closest("label") ? getComputedStyle(e.closest("label")) : look;
    return e.checkVisibility() && !drawn && (round.outlineStyle === "none" || parseFloat(round.outlineWidth) < 2);
}).map((e) => `${e.name}=${e.value}`)"""
MOVING = """() => [...document.querySelectorAll("*")].filter((e) => {
    const look = getComputedStyle(e);
    return `${look.transitionDuration}, ${look.animationDuration}`.split(",").some((one) => parseFloat(one) > 0);
}).map((e) => `${e.tagName} ${e.className}`)"""


@dataclass
class Screens:
    """Screens as a test passes through them: looked at where they stand, asserted together at the end."""

    page: Any
    seen: list[str] = field(default_factory=list)
    found: dict[str, list[str]] = field(default_factory=dict)

    def see(self, name: str, page: Any = None, *, also: tuple[tuple[int, int], ...] = ()) -> None:
        """Axe in light and for colours in dark as the page stands, then zoomed in and with wider text."""
        page = page or self.page
        faults = violations(page)
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        faults += [f"dark, {one}" for one in violations(page, COLOURS)]
        page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        stands = page.viewport_size
        self.shoot(page, name)
        for width, height in (*ZOOMED, *also):
            page.set_viewport_size({"width": width, "height": height})
            faults += [f"{width}: {one}" for one in page.evaluate(LOST)]
            if width != 640:
                self.shoot(page, name)
            if width == 320:
                page.evaluate(SPACED, True)
                faults += [f"{width}, spaced: {one}" for one in page.evaluate(LOST)]
                page.evaluate(SPACED, False)
        page.set_viewport_size(stands)
        self.seen.append(name)
        if faults:
            self.found[name] = faults

    def modes(self, name: str) -> None:
        """In forced colours what is chosen is told, and with reduced motion nothing moves."""
        self.page.emulate_media(forced_colors="active", reduced_motion="reduce")
        assert self.page.locator("input:checked").count(), f"nothing is chosen on {name}"
        faults = [f"not told in forced colours: {one}" for one in self.page.evaluate(UNSEEN)]
        faults += [f"in motion: {one}" for one in self.page.evaluate(MOVING)]
        self.shoot(self.page, f"{name}-forced")
        self.page.emulate_media(forced_colors="none", reduced_motion="no-preference")
        if faults:
            self.found[f"{name}, modes"] = faults

    def shoot(self, page: Any, name: str) -> None:
        """Pictures for people, only where ``REALIA_SCREENS`` asks for them."""
        if os.environ.get("REALIA_SCREENS"):
            SHOTS.mkdir(parents=True, exist_ok=True)
            place = SHOTS / f"{len(self.seen) + 1:02d}-{name}-{page.viewport_size['width']}.png"
            page.screenshot(path=place, full_page="/crm/" not in page.url)

    def hold(self) -> None:
        """Nothing was found; counted in the line at the end of the run."""
        HELD.append(self)
        assert self.found == {}, json.dumps(self.found, indent=1)


HELD: list[Screens] = []


def counted(walks: list[Screens]) -> str:
    """In one line, for all walks; what axe found is named by its rule, so it reads ``rule: nodes``."""
    faults = [one for walk in walks for found in walk.found.values() for one in found]
    violated = sum(bool(re.match(r"(dark, )?[a-z-]+: ", one)) for one in faults)
    return f"axe: {sum(len(walk.seen) for walk in walks)} screens, {violated} violations"


def violations(page: Any, options: dict[str, Any] | None = None) -> list[str]:
    """What axe finds; run by the debugger of the browser, so that the page's own policy stays in force."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, {"resultTypes": ["violations"]} | (options or {}))
    return [re.sub(r"\s+", " ", one) for one in found]
