"""Small charts as SVG: bars, stacked and grouped bars, lines, donuts. Pure and deterministic.

The drawings hold no style attributes, scripts or ids: classes take their colours from the page's tokens, so one
drawing serves light and dark and any number fit in one page. Each comes wide and narrow; the page shows the one
that fits, so letters stay 11 px or larger. The sentence is the accessible name; the table beside it holds the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

WIDE, NARROW = 872, 340
PARTS = 8
"""So many colours there are: parts of a donut, series of a stack."""
LETTER = 6.3
Number = float | None


@dataclass(frozen=True)
class Point:
    """A row of a chart: its name, one value per series (None: nothing there), the value in words."""

    label: str
    values: tuple[Number, ...]
    words: str = ""

    @property
    def value(self) -> float:
        return self.values[0] or 0.0

    @property
    def total(self) -> float:
        return sum(value for value in self.values if value)


@dataclass
class _Board:
    """A drawing in the making."""

    width: float
    height: float
    css: str
    parts: list[str] = field(default_factory=list)

    def rect(self, x: float, y: float, width: float, height: float, css: str) -> None:
        corner = ' rx="1.5"' if width > 3 else ""
        self.parts.append(
            f'<rect class="{css}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"{corner}/>'
        )

    def line(self, x: float, y: float, x2: float, y2: float, css: str = "ch-grid") -> None:
        self.parts.append(f'<line class="{css}" x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def path(self, d: str, css: str) -> None:
        self.parts.append(f'<path class="{css}" d="{d}"/>')

    def dot(self, x: float, y: float, css: str) -> None:
        self.parts.append(f'<circle class="{css}" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>')

    def text(self, x: float, y: float, words: str, css: str = "ch-label", anchor: str = "start") -> None:
        placed = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text class="{css}" x="{x:.1f}" y="{y:.1f}"{placed}>{escape(words)}</text>')

    def svg(self, sentence: str) -> str:
        box = f"0 0 {self.width:.0f} {self.height:.0f}"
        head = f'<svg class="chart {self.css}" viewBox="{box}" role="img" aria-label="{escape(sentence, quote=True)}">'
        return head + "".join(self.parts) + "</svg>"


def chart_svg(
    kind: str, title: str, points: Sequence[Point], series: Sequence[str] = (), *, stacked: bool = True
) -> str:
    """A chart wide and narrow: ``bar``, ``line`` or ``donut``. "" where there is nothing to draw.

    With ``series`` each point has a value for each of them: bars are stacked, or stand side by side.
    """
    there = [point for point in points if any(value is not None for value in point.values)]
    if not there or kind not in _KINDS:
        return ""
    # On a line a gap is a place where there is nothing; elsewhere it is left out.
    drawn = list(points) if kind == "line" else there
    names = list(series)[:PARTS]
    draw = _KINDS[kind]
    sentence = f"{title}: {_said(drawn, names)}"
    return "".join(draw(drawn, names, width, stacked).svg(sentence) for width in (WIDE, NARROW))


def with_rest(points: Sequence[Point], rest: str, most: int = PARTS) -> list[Point]:
    """At most so many parts, the largest; the others are added up in a last one called ``rest``."""
    ranked = sorted((p for p in points if p.value > 0), key=lambda point: -point.value)
    if len(ranked) <= most:
        return ranked
    left = math.fsum(point.value for point in ranked[most - 1 :])
    return [*ranked[: most - 1], Point(rest, (left,), _plain(left))]


def _said(points: Sequence[Point], names: Sequence[str]) -> str:
    """The numbers of a chart in a sentence, without judging them."""
    said = []
    for point in points[:24]:
        if names:
            pairs = (f"{name} {_plain(value)}" for name, value in zip(names, point.values, strict=False) if value)
            said.append(f"{point.label}: {', '.join(pairs) or '0'}")
        else:
            said.append(f"{point.label} {point.words or _plain(point.value)}")
    more = f"; and {len(points) - 24} more" if len(points) > 24 else ""
    return "; ".join(said) + more + "."


def _plain(value: Number) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def _tick(mark: float, points: Sequence[Point]) -> str:
    """A number of the axis; of shares it is in percent as they are."""
    shares = any(point.words.endswith("%") for point in points)
    return f"{mark:.0%}" if shares and math.isclose(mark * 100, round(mark * 100)) else _plain(mark)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from at or under ``low`` to at or over ``high``; 0 is one of them where it lies between."""
    span = high - low
    if not math.isfinite(span) or span < 1e-9:
        return [low, low + 1.0]
    raw = span / about
    size = 10.0 ** math.floor(math.log10(raw))
    step = next((size * nice for nice in (1, 2, 2.5, 5, 10) if size * nice >= raw * 0.999), size * 10)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 10) for place in range(first, last + 1)]


def _range(points: Sequence[Point], stacked: bool) -> tuple[float, float]:
    """From 0 or under to the highest value; bars begin at zero, always."""
    values = [value for point in points for value in point.values if value is not None]
    if stacked:
        values += [point.total for point in points]
    return min(0.0, *values), max(0.0, *values)


def _fitted(words: str, width: float, letter: float = LETTER) -> str:
    room = max(3, int(width / letter))
    return words if len(words) <= room else words[: room - 1].rstrip() + "…"


def _bars(points: Sequence[Point], names: Sequence[str], width: int, stacked: bool) -> _Board:
    side = names and not stacked
    each = 9 * len(names) + 6 if side else 21 if width == NARROW else 24
    named = min((0.36 if width == NARROW else 0.26) * width, max(len(point.label) for point in points) * LETTER + 4)
    left, right = max(named, 40) + 12, 64
    legend = _legend_rows(names, width) * 20
    board = _Board(width, legend + len(points) * each + 26, _css(width))
    _legend(board, names, width)
    low, high = _range(points, bool(names) and stacked)
    marks = ticks(low, high, 3 if width == NARROW else 5)
    low, high = marks[0], marks[-1]
    scale = (width - left - right) / (high - low)
    bottom = legend + len(points) * each + 4
    for mark in marks:
        x = left + (mark - low) * scale
        board.line(x, legend, x, bottom, "ch-zero" if mark == 0 else "ch-grid")
        board.text(x, bottom + 15, _tick(mark, points), "ch-tick", "middle")
    zero = left - low * scale
    for row, point in enumerate(points):
        y = legend + row * each + 2
        board.text(left - 10, y + each / 2 + 2, _fitted(point.label, left - 12), "ch-label", "end")
        if side:
            for place, value in enumerate(point.values[: len(names)]):
                _bar(board, zero, y + 1 + place * 9, value, scale, 8, f"part-{place + 1}")
            continue
        end = _stack(board, point, names, zero, y + 2, scale, each - 6)
        board.text(end + 7, y + each / 2 + 2, point.words or _plain(point.total), "ch-number")
    return board


def _stack(
    board: _Board, point: Point, names: Sequence[str], zero: float, y: float, scale: float, high: float
) -> float:
    """One bar, or one on the other; where the number beside it begins."""
    if not names:
        return max(zero, _bar(board, zero, y, point.values[0], scale, high, "bar-fill"))
    end = zero
    for place, value in enumerate(point.values[: len(names)]):
        if value and value > 0:
            board.rect(end, y, max(0.5, value * scale - 1), high, f"part-{place + 1}")
            end += value * scale
    return end


def _bar(board: _Board, zero: float, y: float, value: Number, scale: float, high: float, css: str) -> float:
    if value is None:
        return zero
    end = zero + value * scale
    board.rect(min(zero, end), y, abs(end - zero), high, css)
    return end


def _lines(points: Sequence[Point], names: Sequence[str], width: int, stacked: bool) -> _Board:
    legend = _legend_rows(names, width) * 20
    height, left, right = legend + (200 if width == WIDE else 170), 52, 18
    board = _Board(width, height, _css(width))
    _legend(board, names, width)
    low, high = _range(points, False)
    marks = ticks(low, high, 4)
    low, high = marks[0], marks[-1]
    top, bottom = legend + 12, height - 26
    down = (bottom - top) / (high - low)
    for mark in marks:
        y = bottom - (mark - low) * down
        board.line(left, y, width - right, y, "ch-zero" if mark == 0 else "ch-grid")
        board.text(left - 8, y + 4, _tick(mark, points), "ch-tick", "end")
    step = (width - left - right) / max(1, len(points) - 1)
    _named_places(board, points, left, step, bottom + 17, width)
    for place in range(max(1, len(names))):
        css = f"part-{place + 1}" if names else "bar"
        runs = _runs([(left + i * step, p.values[place]) for i, p in enumerate(points)], bottom, low, down)
        for run in runs:
            board.path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in run), f"ch-line {css}-line")
        if len(points) <= 40:
            for x, y in (spot for run in runs for spot in run):
                board.dot(x, y, "bar-fill" if not names else css)
    return board


def _runs(spots: list[tuple[float, Number]], bottom: float, low: float, down: float) -> list[list[tuple[float, float]]]:
    """The points of a line; where there is no value the line breaks."""
    found: list[list[tuple[float, float]]] = [[]]
    for x, value in spots:
        if value is None:
            found.append([])
        else:
            found[-1].append((x, bottom - (value - low) * down))
    return [run for run in found if run]


def _named_places(board: _Board, points: Sequence[Point], left: float, step: float, y: float, width: int) -> None:
    """As many names under a line as fit without touching."""
    longest = max(len(point.label) for point in points) * LETTER + 14
    every = max(1, math.ceil(longest / max(step, 0.1)))
    for place in range(0, len(points), every):
        x = left + place * step
        half = len(points[place].label) * LETTER / 2
        anchor = "start" if x - half < 2 else "end" if x + half > width - 2 else "middle"
        board.text(x if anchor != "start" else max(x, 2), y, points[place].label, "ch-tick", anchor)


def _donut(points: Sequence[Point], names: Sequence[str], width: int, stacked: bool) -> _Board:
    """Parts of a whole, clockwise from the top, numbered as in the list beside them."""
    parts = [point for point in points if point.value > 0][:PARTS]
    whole = math.fsum(point.value for point in parts) or 1.0
    beside = width == WIDE
    radius, inner = 84.0, 52.0
    cx, cy = (140.0, 104.0) if beside else (width / 2, 104.0)
    rows = len(parts) * 22
    board = _Board(width, max(208, rows + 16) if beside else 216 + rows, _css(width))
    turn, x0 = 0.0, 280.0 if beside else 20.0
    y0 = cy - rows / 2 + 15 if beside else 230.0
    for place, point in enumerate(parts):
        share = point.value / whole
        board.path(_ring(cx, cy, radius, inner, turn, turn + share), f"ch-slice part-{place + 1}")
        if share > 0.02 and len(parts) > 1:
            angle = 2 * math.pi * (turn + share / 2)
            board.text(
                cx + (radius + 12) * math.sin(angle),
                cy - (radius + 12) * math.cos(angle) + 4,
                str(place + 1),
                "ch-tick",
                "middle",
            )
        turn += share
        y = y0 + place * 22
        board.rect(x0, y - 10, 12, 12, f"part-{place + 1}")
        said = f"{place + 1}  {point.label}"
        board.text(x0 + 20, y, _fitted(said, width - x0 - 150), "ch-label")
        board.text(
            width - (300 if beside else 20),
            y,
            f"{point.words or _plain(point.value)}  ({share:.1%})",
            "ch-number",
            "end",
        )
    return board


def _ring(cx: float, cy: float, outer: float, inner: float, start: float, end: float) -> str:
    """A slice of a ring; turns run from 0 to 1, clockwise from the top."""
    end = min(end, start + 0.99999)

    def at(radius: float, turn: float) -> str:
        angle = 2 * math.pi * turn
        return f"{cx + radius * math.sin(angle):.2f} {cy - radius * math.cos(angle):.2f}"

    large = int(end - start > 0.5)
    out = f"M{at(outer, start)}A{outer:g} {outer:g} 0 {large} 1 {at(outer, end)}"
    return f"{out}L{at(inner, end)}A{inner:g} {inner:g} 0 {large} 0 {at(inner, start)}Z"


def _legend_places(names: Sequence[str], width: int) -> list[tuple[float, int, str]]:
    """(x, row, words) of each series in the key above a chart."""
    found, x, row = [], 2.0, 0
    for name in names:
        words = _fitted(name, width - 40)
        wide = len(words) * LETTER + 34
        if x + wide > width and x > 2:
            x, row = 2.0, row + 1
        found.append((x, row, words))
        x += wide
    return found


def _legend_rows(names: Sequence[str], width: int) -> int:
    return max((row for _x, row, _words in _legend_places(names, width)), default=-1) + 1


def _legend(board: _Board, names: Sequence[str], width: int) -> None:
    for place, (x, row, words) in enumerate(_legend_places(names, width)):
        board.rect(x, row * 20 + 2, 11, 11, f"part-{place + 1}")
        board.text(x + 17, row * 20 + 12, words, "ch-tick")


def _css(width: int) -> str:
    return "chart-wide" if width == WIDE else "chart-narrow"


_KINDS = {"bar": _bars, "line": _lines, "donut": _donut}
