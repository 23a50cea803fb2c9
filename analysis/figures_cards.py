"""The figure of the cards after the lock: mean rating by size of the fault, with intervals over raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.draw import Board, colours, svg

Row = Mapping[str, Any]
ROW, TOP, FOOT = 36.0, 12.0, 34.0
LOW, HIGH = 1, 5


def grades_svg(rows: Sequence[Row], theme: str = "light", width: int = 872, name: str = "grades") -> str:
    """One line per size of the fault: a dot at the mean, its interval, and both as words on the right.

    rows: grade, mean, low, high (scale points 1 to 5, None where there is none).
    """
    tones = colours(theme)
    board = Board(width, TOP + ROW * max(len(rows), 1) + FOOT, tones["sheet"])
    narrow = width < 600
    left, right = (74.0, width - 44.0) if narrow else (120.0, width - 170.0)
    bottom = TOP + ROW * len(rows)
    for point in range(LOW, HIGH + 1):
        x = _place(point, left, right)
        board.line(x, TOP, x, bottom, tones["line"])
        board.text(x, bottom + 12, str(point), tones["ink2"], 11.5, "center")
    board.text(left, bottom + 26, "Very Unrealistic", tones["ink2"], 11.5, "left")
    board.text(right, bottom + 26, "Very Realistic", tones["ink2"], 11.5, "right")
    for number, row in enumerate(rows):
        _line(board, row, TOP + ROW * (number + 0.5), (left, right, float(width)), tones, narrow=narrow)
    return svg(board, grades_sentence(rows), f"{name}-{theme}-{width}")


def _line(
    board: Board, row: Row, y: float, places: tuple[float, float, float], tones: Mapping[str, str], *, narrow: bool
) -> None:
    left, right, width = places
    board.text(0, y, size_words(row["grade"]), tones["ink"], 12.5)
    if row["mean"] is None:
        board.text(left, y, "too few raters", tones["ink2"], 11.5)
        return
    if row["low"] is not None:
        # A t interval may leave the scale; the drawing does not.
        ends = (_place(min(max(row[end], LOW), HIGH), left, right) for end in ("low", "high"))
        board.line(next(ends), y, next(ends), y, tones["pine"], 2.0)
    board.dot(_place(row["mean"], left, right), y, tones["pine"], tones["sheet"])
    words = f"{row['mean']:.2f}"
    if not narrow and row["low"] is not None:
        words += f", {row['low']:.2f} to {row['high']:.2f}"
    board.text(width, y, words, tones["ink"], 12.5, "right")


def _place(value: float, left: float, right: float) -> float:
    return left + (value - LOW) / (HIGH - LOW) * (right - left)


def size_words(grade: int) -> str:
    return "No fault" if grade == 0 else f"Size {grade}"


def grades_sentence(rows: Sequence[Row]) -> str:
    """What the drawing shows, in one sentence."""
    parts = [f"{size_words(row['grade']).lower()} {row['mean']:.2f}" for row in rows if row["mean"] is not None]
    return "Mean rating of the cards by size of their fault, from 1 to 5: " + ("; ".join(parts) or "no ratings") + "."
