"""Objects' approvals as a panel: each alone, all at once, and partially pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.draw import Board, colours, svg
from analysis.figures import interval_words, percent

Row = Mapping[str, Any]
MEANING = ("Alone, with its interval", "All objects at once", "Partially pooled")


def objects_svg(rows: Sequence[Row], theme: str, width: int, name: str) -> str:
    """One line per object on an axis from 0 to 100: a wide band, the interval with its dot, a hollow diamond.

    rows: `objects` of the block `approval` with an estimate, in the order to draw. Under 600 pixels wide the label
    stands above its line.
    """
    tones, narrow = colours(theme), width < 600
    head, height = (80.0, 50.0) if narrow else (54.0, 32.0)
    board = Board(width, head + height * max(len(rows), 1) + 4, tones["sheet"])
    start, length = (6.0, width - 12.0) if narrow else (200.0, width - 330.0)
    _legend(board, tones, narrow)
    _axis(board, start, length, head, tones)
    for place, row in enumerate(rows):
        y = head + height * place + (32 if narrow else 14)
        words = (
            f"{percent(row['estimate'])}, {interval_words(row)}" if interval_words(row) else percent(row["estimate"])
        )
        board.text(0, y - 21 if narrow else y, _short(row["label"]), tones["ink"])
        board.text(width, y - 21 if narrow else y, words, tones["ink2"], 11.5, "right")
        _object(board, row, start, length, y, tones)
    return svg(board, sentence(rows), f"{name}-{theme}-{width}")


def sentence(rows: Sequence[Row]) -> str:
    said = "; ".join(f"{row['label']} {percent(row['estimate'])}" for row in rows)
    return f"Approval of each object: {said or 'no ratings yet'}."


def _object(board: Board, row: Row, start: float, length: float, y: float, tones: Mapping[str, str]) -> None:
    """The pooled share stands a little lower, so that neither mark hides the other."""
    band, shrunk = row["band"], row["pooled"]
    for tick in (0, 25, 50, 75, 100):
        board.line(start + length * tick / 100, y - 10, start + length * tick / 100, y + 11, tones["line"])
    if band is not None and band["low"] is not None:
        board.rect(start + length * band["low"], y - 10, length * (band["high"] - band["low"]), 21, tones["band"])
    if row["low"] is not None:
        board.line(start + length * row["low"], y - 4, start + length * row["high"], y - 4, tones["pine"], 2.5)
    board.dot(start + length * row["estimate"], y - 4, tones["pine"], tones["sheet"])
    if shrunk is not None:
        board.diamond(start + length * shrunk["estimate"], y + 5, tones["sheet"], tones["ink"])


def _legend(board: Board, tones: Mapping[str, str], narrow: bool) -> None:
    places = [(0.0, 10.0), (0.0, 28.0), (160.0, 28.0)] if narrow else [(0.0, 10.0), (210.0, 10.0), (390.0, 10.0)]
    for (x, y), words in zip(places, MEANING, strict=True):
        board.text(x + 30, y, words, tones["ink2"], 11.5)
    (alone, band, shrunk) = places
    board.line(alone[0], alone[1], alone[0] + 24, alone[1], tones["pine"], 2.5)
    board.dot(alone[0] + 12, alone[1], tones["pine"], tones["sheet"])
    board.rect(band[0], band[1] - 6, 24, 12, tones["band"])
    board.diamond(shrunk[0] + 12, shrunk[1], tones["sheet"], tones["ink"])


def _axis(board: Board, start: float, length: float, head: float, tones: Mapping[str, str]) -> None:
    for tick in (0, 25, 50, 75, 100):
        x = start + length * tick / 100
        board.text(x, head - 15, str(tick), tones["ink3"], 11.5, {0: "left", 100: "right"}.get(tick, "center"))


def _short(label: str) -> str:
    return label if len(label) <= 25 else label[:24] + "…"
