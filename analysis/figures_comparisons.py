"""Figures of comparisons: two groups object by object, and own approval beside published bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.draw import Board, colours, svg

Row = Mapping[str, Any]
NARROW = 600
MINUS = "–"  # fonts without a minus sign have this dash, and the figure keeps one typeface


def dumbbell_svg(
    rows: Sequence[Row], a: str, b: str, theme: str = "light", width: int = 872, name: str = "dumbbell"
) -> str:
    """Approval of each object in a (filled) and b (hollow), joined; beside it the difference with its interval.

    rows: label, a and b with k and n, estimate, low, high of a − b as shares. Under 600 pixels wide the difference
    stands below.
    """
    tones = colours(theme)
    drawn = _wide(rows, a, b, tones, width) if width >= NARROW else _narrow(rows, a, b, tones, width)
    return svg(drawn, dumbbell_words(rows, a, b), f"{name}-{theme}-{width}")


def dumbbell_words(rows: Sequence[Row], a: str, b: str) -> str:
    """The figure as a sentence."""
    parts = [f"{r['label']} {r['a']['k']} of {r['a']['n']} and {r['b']['k']} of {r['b']['n']}" for r in rows]
    return (
        f"Raters who found each object Realistic or Very Realistic, {a} and {b}: " + ("; ".join(parts) or "none") + "."
    )


def _wide(rows: Sequence[Row], a: str, b: str, tones: Mapping[str, str], width: int) -> Board:
    head, step = 62.0, 32.0
    board = Board(width, head + step * max(len(rows), 1) + 8, tones["sheet"])
    shares, gaps = (180.0, width * 0.36), (width * 0.36 + 240.0, width * 0.64 - 340.0)
    _legend(board, a, b, 0, 10, tones, width)
    board.text(shares[0], 38, "Approval, per cent", tones["ink2"], 11.5)
    board.text(gaps[0], 38, f"{_short(a, 14)} {MINUS} {_short(b, 14)}, points", tones["ink2"], 11.5)
    reach = _reach(rows)
    bottom = head + step * len(rows)
    _ticks(board, shares, (0, 0.5, 1), ("0", "50", "100"), 52, bottom, tones)
    labels = (f"{MINUS}{reach * 100:g}", "0", f"{reach * 100:g}")
    _ticks(board, gaps, (0, 0.5, 1), labels, 52, bottom, tones)
    for number, row in enumerate(rows):
        y = head + step * number + step / 2
        board.text(0, y, _short(row["label"], 23), tones["ink"])
        _pair(board, row, shares, y, tones)
        _gap(board, row, gaps, reach, y, tones)
        board.text(width, y, _numbers(row), tones["ink"], 11.5, "right")
    return board


def _narrow(rows: Sequence[Row], a: str, b: str, tones: Mapping[str, str], width: int) -> Board:
    head, step = 58.0, 78.0
    board = Board(width, head + step * max(len(rows), 1) + 4, tones["sheet"])
    _legend(board, a, b, 0, 10, tones, width)
    reach, strip = _reach(rows), (8.0, width - 16.0)
    scale = f"{MINUS}{reach * 100:g} to {reach * 100:g}"
    board.text(0, 46, f"Above: approval, 0 to 100. Below: difference, {scale}.", tones["ink2"], 11)
    for number, row in enumerate(rows):
        top = head + step * number
        board.line(0, top, width, top, tones["line"])
        board.text(0, top + 14, _short(row["label"], 20), tones["ink"])
        board.text(width, top + 14, _numbers(row), tones["ink"], 11.5, "right")
        for y in (top + 36, top + 60):
            board.line(strip[0], y, strip[0] + strip[1], y, tones["line"])
            board.line(strip[0] + strip[1] / 2, y - 7, strip[0] + strip[1] / 2, y + 7, tones["edge"])
        _pair(board, row, strip, top + 36, tones)
        _gap(board, row, strip, reach, top + 60, tones)
    return board


def _legend(board: Board, a: str, b: str, x: float, y: float, tones: Mapping[str, str], width: float) -> None:
    room = int(width / 2 / 7.5) - 3
    board.dot(x + 6, y, tones["pine"], tones["sheet"])
    board.text(x + 16, y, _short(a, room), tones["ink2"], 11.5)
    board.dot(x + width / 2 + 6, y, tones["sheet"], tones["pine"])
    board.text(x + width / 2 + 16, y, _short(b, room), tones["ink2"], 11.5)


def _ticks(
    board: Board, strip: tuple[float, float], places: Sequence[float], labels: Sequence[str], top: float, bottom: float,
    tones: Mapping[str, str],
) -> None:  # fmt: skip
    for place, label in zip(places, labels, strict=True):
        x = strip[0] + strip[1] * place
        board.line(x, top + 8, x, bottom, tones["line"])
        # At the edge of a phone a centred label would be cut off.
        side = "left" if x < 20 else "right" if x > board.width - 20 else "center"
        board.text(x, top, label, tones["ink3"], 11.5, side)


def _pair(board: Board, row: Row, strip: tuple[float, float], y: float, tones: Mapping[str, str]) -> None:
    if row["estimate"] is None:  # under five raters on a side: counts, no share
        return
    places = [strip[0] + strip[1] * row[side]["k"] / row[side]["n"] for side in ("a", "b") if row[side]["n"]]
    if len(places) == 2:
        board.line(places[0], y, places[1], y, tones["pine"], 2.0)
    for side, fill, edge in (("b", "sheet", "pine"), ("a", "pine", "sheet")):
        if row[side]["n"]:
            board.dot(strip[0] + strip[1] * row[side]["k"] / row[side]["n"], y, tones[fill], tones[edge])


def _gap(board: Board, row: Row, strip: tuple[float, float], reach: float, y: float, tones: Mapping[str, str]) -> None:
    if row["estimate"] is None:
        return

    def place(value: float) -> float:
        return strip[0] + strip[1] * (value + reach) / (2 * reach)

    if row["low"] is not None and row["high"] is not None:
        board.line(place(row["low"]), y, place(row["high"]), y, tones["ink2"], 2.5)
    board.diamond(place(row["estimate"]), y, tones["ink2"], tones["sheet"])


def _reach(rows: Sequence[Row]) -> float:
    """Half the width of the axis of differences: the next quarter that holds every interval, so 25, 50, 75 or 100."""
    ends = [abs(row[key]) for row in rows for key in ("low", "high", "estimate") if row[key] is not None]
    return next((step for step in (0.25, 0.5, 0.75) if max(ends, default=0.0) <= step), 1.0)


def _numbers(row: Row) -> str:
    if row["estimate"] is None:
        return "too few"
    if row["low"] is None:
        return _points(row["estimate"])
    return f"{_points(row['estimate'])} ({_points(row['low'])} to {_points(row['high'])})"


def _points(value: float) -> str:
    text = f"{value * 100:.0f}"
    return "0" if text == "-0" else text.replace("-", MINUS)


def _short(label: str, most: int) -> str:
    """A label that fits; the table has the whole."""
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


def beside_svg(rows: Sequence[Row], theme: str = "light", width: int = 872, name: str = "published") -> str:
    """Own approval and published ones on one scale of 0 to 100, each with its interval or band.

    rows: label, estimate, low, high as shares; own: True for the study's own (a dot), else published (a diamond, with
    its band). printed: True for a printed number that does not follow from its own figure: hollow.
    """
    tones = colours(theme)
    narrow = width < NARROW
    head, step = (26.0, 56.0) if narrow else (30.0, 34.0)
    board = Board(width, head + step * max(len(rows), 1) + 4, tones["sheet"])
    strip = (8.0, width - 16.0) if narrow else (300.0, width - 450.0)
    _ticks(board, strip, (0, 0.25, 0.5, 0.75, 1), ("0", "25", "50", "75", "100"), 10, head + step * len(rows), tones)
    for number, row in enumerate(rows):
        y = head + step * number + (38 if narrow else step / 2)
        label_y = y - 20 if narrow else y
        board.text(0, label_y, _short(row["label"], 30 if narrow else 42), tones["ink"])
        _beside(board, row, strip, y, tones)
        board.text(width, label_y, _level(row), tones["ink"], 11.5, "right")
    return svg(board, beside_words(rows), f"{name}-{theme}-{width}")


def _beside(board: Board, row: Row, strip: tuple[float, float], y: float, tones: Mapping[str, str]) -> None:
    if row["estimate"] is None:
        return
    x = strip[0] + strip[1] * row["estimate"]
    if row["low"] is not None:
        low, high = strip[0] + strip[1] * row["low"], strip[0] + strip[1] * row["high"]
        if row["own"]:
            board.line(low, y, high, y, tones["pine"], 2.5)
        else:
            board.rect(low, y - 8, high - low, 16, tones["band"])
    if row["own"]:
        board.dot(x, y, tones["pine"], tones["sheet"], 110)
    else:
        board.diamond(x, y, tones["sheet"] if row["printed"] else tones["ink3"], tones["ink3"])


def _level(row: Row) -> str:
    if row["estimate"] is None:
        return "no percentage"
    between = "" if row["low"] is None else f" ({row['low'] * 100:.0f} to {row['high'] * 100:.0f})"
    return f"{row['estimate'] * 100:.1f}{between}"


def beside_words(rows: Sequence[Row]) -> str:
    """The figure as a sentence."""
    return "Approval in per cent: " + ("; ".join(f"{row['label']} {_level(row)}" for row in rows) or "none") + "."
