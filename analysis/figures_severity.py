"""Caterpillar of raters: each one's severity with its interval, severest first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.draw import Board, colours, svg

Row = Mapping[str, Any]


def caterpillar_svg(rows: Sequence[Row], theme: str, width: int, name: str, level: float = 0.95) -> str:
    """One line per rater on the log-odds scale, 0 being the typical rater.

    rows: `severities` of a group of the block `severity`, in the order to draw; keys rater, mode, low, high, n. Under
    600 pixels wide the number of ratings is left to the table.
    """
    tones, narrow = colours(theme), width < 600
    head, height = 56.0, 19.0
    board = Board(width, head + height * max(len(rows), 1) + 26, tones["sheet"])
    start, length = (74.0, width - 82.0) if narrow else (150.0, width - 300.0)
    reach = _reach(rows)

    def place(value: float) -> float:
        return start + length * (value + reach) / (2 * reach)

    _axis(board, (start, length), (head, height * max(len(rows), 1)), reach, tones)
    if not narrow:
        board.text(0, 38, "Rater", tones["ink2"], 11.5)
        board.text(width, 38, "mode, interval", tones["ink2"], 11.5, "right")
    for number, row in enumerate(rows):
        y = head + height * number + 9
        board.text(0, y, row["rater"], tones["ink"], 11.5)
        board.line(place(row["low"]), y, place(row["high"]), y, tones["pine"], 2)
        board.dot(place(row["mode"]), y, tones["pine"], tones["sheet"], 52)
        if not narrow:
            words = f"{_drawn(row['mode'])}, {_drawn(row['low'])} to {_drawn(row['high'])}"
            board.text(width, y, words, tones["ink2"], 11.5, "right")
    if not rows:
        board.text(start, head + 9, "No severities.", tones["ink2"])
    return svg(board, sentence(rows, level), f"{name}-{theme}-{width}")


def sentence(rows: Sequence[Row], level: float = 0.95) -> str:
    """What the drawing shows, in numbers."""
    if not rows:
        return "No severities of raters."
    apart = sum(row["low"] > 0 or row["high"] < 0 for row in rows)
    return (
        f"Severity of {len(rows)} raters in log odds, the typical rater at 0: from {signed(rows[0]['mode'])}, the most "
        f"severe, to {signed(rows[-1]['mode'])}, the mildest. {apart} of {len(rows)} intervals ({level:.0%}) "
        "leave out 0."
    )


def signed(value: float) -> str:
    """ "+0.41" or "−1.06"; zero without a sign."""
    words = f"{value:+.2f}".replace("-", "−")
    return "0.00" if words in ("+0.00", "−0.00") else words


def _drawn(value: float) -> str:
    """As `signed`, with the dash that every typeface has: a missing sign would change the face of the whole text."""
    return signed(value).replace("−", "–")


def _reach(rows: Sequence[Row]) -> float:
    """How far the axis goes on each side of 0: a whole number of log odds."""
    return float(max(1, math.ceil(max((max(-row["low"], row["high"]) for row in rows), default=1.0))))


def _axis(
    board: Board, across: tuple[float, float], down: tuple[float, float], reach: float, tones: Mapping[str, str]
) -> None:
    (start, length), (top, tall) = across, down
    step = max(1, round(reach / 3))
    ticks = [value for value in range(-int(reach), int(reach) + 1) if value % step == 0]
    for value in ticks:
        x = start + length * (value + reach) / (2 * reach)
        board.line(x, top - 4, x, top + tall + 4, tones["edge"] if value == 0 else tones["line"], dashed=value == 0)
        board.text(x, top + tall + 15, _drawn(value)[:-3] or "0", tones["ink3"], 11.5, "center")
    board.text(start, 14, "More severe", tones["ink2"], 11.5)
    board.text(start + length, 14, "Milder", tones["ink2"], 11.5, "right")
