"""A small drawing board over Vega-Lite: marks at pixel places, one specification, one SVG.

The places are computed here, not by the renderer, so that a figure does not depend on the fonts of a machine. A figure
drawn in the theme `tokens` holds a name for each colour instead of a colour; `dressed` gives it a theme's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import vl_convert as vlc

from analysis.printable import printable_text

SANS = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif'

# The tokens of the study's stylesheet. Brown to teal is an answer, not a judgement; it appears in results only.
THEMES: dict[str, dict[str, str]] = {
    "light": {
        "sheet": "#FFFFFF", "sunk": "#ECEFEC", "line": "#D9DFDB", "edge": "#7C8985", "ink": "#17211E",
        "ink2": "#4A5653", "ink3": "#5F6B67", "pine": "#17594A", "band": "#E1E6E2", "hatch": "#8B9792",
        "d1": "#8C510A", "d2": "#D8B365", "d3": "#CDD3CF", "d4": "#5AB4AC", "d5": "#01665E",
        "on1": "#FFFFFF", "on2": "#17211E", "on3": "#17211E", "on4": "#17211E", "on5": "#FFFFFF",
    },
    "dark": {
        "sheet": "#171E1B", "sunk": "#0C100F", "line": "#2B3531", "edge": "#6C7A75", "ink": "#E6ECE9",
        "ink2": "#B3BFBA", "ink3": "#95A29D", "pine": "#7FCBB4", "band": "#26302B", "hatch": "#77857F",
        "d1": "#D9923F", "d2": "#86622C", "d3": "#46514C", "d4": "#2B746C", "d5": "#63CBBB",
        "on1": "#17110A", "on2": "#FFFFFF", "on3": "#FFFFFF", "on4": "#FFFFFF", "on5": "#08211D",
    },
}  # fmt: skip

# No colour of a theme: each stands for one name, so that a figure is drawn once for all themes.
TOKENS = {name: f"#0A0B{number:02X}" for number, name in enumerate(THEMES["light"])}


def colours(theme: str) -> dict[str, str]:
    """The colours of a theme: light, dark, or `tokens`, to be dressed later. Raises ValueError for another."""
    if theme == "tokens":
        return TOKENS
    if theme not in THEMES:
        raise ValueError(f"theme is {theme!r}; give light or dark")
    return THEMES[theme]


def dressed(drawn: str, tones: Mapping[str, str]) -> str:
    """A figure drawn in `tokens`, with each name's own colour; tones may be CSS properties as well."""
    names = {token: name for name, token in TOKENS.items()}
    return re.sub("#0A0B[0-9A-F]{2}", lambda found: tones[names[found[0]]], drawn)


VEGA_LITE = vlc.get_vegalite_versions()[-1]
ORDER = ("rect", "rule", "diamond", "circle", "text")


@dataclass
class Board:
    """Marks on a board of width × height pixels; origin at the top left."""

    width: float
    height: float
    background: str = "#FFFFFF"
    marks: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def rect(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self.marks.append(("rect", {"x": x, "y": y, "x2": x + width, "y2": y + height, "fill": colour}))

    def line(
        self, x: float, y: float, x2: float, y2: float, colour: str, width: float = 1.0, dashed: bool = False
    ) -> None:
        dash = [2, 3] if dashed else [1, 0]
        row = {"x": x, "y": y, "x2": x2, "y2": y2, "stroke": colour, "weight": width, "dash": dash}
        self.marks.append(("rule", row))

    def text(
        self, x: float, y: float, words: str, colour: str, size: float = 12.5, align: str = "left", bold: bool = False
    ) -> None:
        row = {"x": x, "y": y, "words": printable_text(words), "fill": colour}
        self.marks.append((f"text/{size}/{align}/{'600' if bold else '400'}", row))

    def dot(self, x: float, y: float, colour: str, edge: str, size: float = 78.0) -> None:
        self.marks.append((f"circle/{size}", {"x": x, "y": y, "fill": colour, "stroke": edge}))

    def diamond(self, x: float, y: float, fill: str, edge: str) -> None:
        self.marks.append(("diamond/60", {"x": x, "y": y, "fill": fill, "stroke": edge}))

    def hatch(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Diagonal strokes inside a rectangle: can't judge is hatched, never a sixth colour."""
        start = 5.0
        while start < width + height:
            left, right = max(0.0, start - height), min(width, start)
            if right > left:
                self.line(x + left, y + start - left, x + right, y + start - right, colour, 1.4)
            start += 5.0

    def chart(self) -> dict[str, Any]:
        """The Vega-Lite specification: one layer per kind of mark, areas under lines under points under words."""
        kinds: dict[str, list[dict[str, Any]]] = {}
        for kind, row in self.marks:
            kinds.setdefault(kind, []).append(row)
        order = sorted(kinds, key=lambda kind: ORDER.index(kind.split("/")[0]))
        layers = [self._layer(kind, kinds[kind]) for kind in order]
        if not layers:
            layers = [self._layer("rect", [{"x": 0, "y": 0, "x2": 0, "y2": 0, "fill": "#000000"}])]
        return {
            "width": self.width,
            "height": self.height,
            "padding": 0,
            # Without it the renderer would measure words and widen the board by a machine's fonts.
            "autosize": "none",
            "layer": layers,
            "config": {"font": SANS, "background": self.background, "view": {"stroke": None}},
        }

    def _layer(self, kind: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
        name, *rest = kind.split("/")
        own: dict[str, Any] = {"x": _place("x", [0, self.width]), "y": _place("y", [self.height, 0])}
        if name in ("rect", "rule"):
            own |= {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
        own |= {channel: _as_it_is(channel) for channel in ("fill", "stroke") if channel in rows[0]}
        if name == "rule":
            own |= {"strokeWidth": _as_it_is("weight", "quantitative"), "strokeDash": _as_it_is("dash")}
        if name == "text":
            own["text"] = {"field": "words", "type": "nominal"}
        return {"data": {"values": rows}, "mark": _mark(name, rest), "encoding": own}


def _place(field: str, domain: list[float]) -> dict[str, Any]:
    scale = {"domain": domain, "nice": False, "zero": False}
    return {"field": field, "type": "quantitative", "axis": None, "scale": scale}


def _as_it_is(field: str, kind: str = "nominal") -> dict[str, Any]:
    return {"field": field, "type": kind, "scale": None, "legend": None}


def _mark(name: str, rest: list[str]) -> dict[str, Any]:
    if name == "text":
        size, align, weight = rest
        look = {"fontSize": float(size), "align": align, "fontWeight": int(weight)}
        return {"type": "text", "baseline": "middle", "limit": 0, **look}
    if name in ("rect", "rule"):
        return {"type": name}
    return {"type": "point", "shape": name, "size": float(rest[0]), "filled": False, "strokeWidth": 1.5, "opacity": 1}


def svg(board: Board, sentence: str, name: str) -> str:
    """The board as an SVG with role=img and a sentence; ids carry the name, so that many fit in one page."""
    drawn = vlc.vegalite_to_svg(json.dumps(board.chart()), vl_version=VEGA_LITE)
    return _labelled(drawn, sentence, re.sub(r"[^A-Za-z0-9_-]+", "-", name))


def _labelled(drawn: str, sentence: str, name: str) -> str:
    drawn = re.sub(r"<\?xml[^>]*\?>|<!DOCTYPE[^>]*>", "", drawn)
    # Screen readers get the one sentence and the table beside the figure, not every mark.
    drawn = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", drawn)
    drawn = re.sub(r' style="[^"]*"', "", drawn)
    # The renderer counts its clip paths over the life of the process; the same figure must be the same bytes.
    ids = {found: f"{name}-{number}" for number, found in enumerate(dict.fromkeys(re.findall(r' id="([^"]+)"', drawn)))}
    for found, own in ids.items():
        drawn = drawn.replace(f'id="{found}"', f'id="{own}"').replace(f"url(#{found})", f"url(#{own})")
    label = printable_text(sentence).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return drawn.strip().replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1) + "\n"
