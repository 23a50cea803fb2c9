"""Cumulative approval in the order in which raters came, with its confidence sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from analysis.draw import Board, colours, svg
from analysis.figures import percent

Row = Mapping[str, Any]
TICKS = (0, 25, 50, 75, 100)


def course_svg(group: Row, looks: Sequence[int], theme: str, width: int, name: str) -> str:
    """A line of cumulative approval in a band, planned looks as dashed lines, the fixed-n interval at the right end.

    group: an entry of `groups` of the block `stopping` with a path; looks: the numbers of raters looked at.
    """
    tones, narrow = colours(theme), width < 600
    top, height, left, right = 54.0, 190.0 if narrow else 240.0, 34.0, 26.0
    board = Board(width, top + height + 44, tones["sheet"])
    last = max(int(group["path"][-1]["n"]), 2)
    step = (width - left - right) / last

    def across(n: float) -> float:
        return left + step * n

    def down(share: float) -> float:
        return top + height * (1 - share)

    _legend(board, tones, narrow)
    for tick in TICKS:
        board.line(left, down(tick / 100), width - right, down(tick / 100), tones["line"])
        board.text(left - 6, down(tick / 100), str(tick), tones["ink3"], 11.5, "right")
    for row in group["path"]:
        upper, lower = down(row["high"]), down(row["low"])
        board.rect(across(row["n"] - 1), upper, step + 0.4, lower - upper, tones["band"])
    for n in looks:
        board.line(across(n - 0.5), top, across(n - 0.5), top + height, tones["edge"], dashed=True)
    _line(board, group["path"], across, down, tones)
    if group["low"] is not None:
        board.line(width - 12, down(group["low"]), width - 12, down(group["high"]), tones["ink"], 2.5)
        board.dot(width - 12, down(group["estimate"]), tones["ink"], tones["sheet"])
    for n in _numbers(last, 5 if narrow else 10):
        board.text(across(n - 0.5), top + height + 14, str(n), tones["ink3"], 11.5, "center")
    board.text(left, top + height + 34, "Raters, in the order of their locks", tones["ink2"], 11.5)
    return svg(board, sentence(group), f"{name}-{theme}-{width}")


def sentence(group: Row) -> str:
    """What the drawing shows, for who does not see it."""
    end = group["path"][-1]
    return (
        f"Cumulative approval after each of {end['n']} raters of {group['group'] or 'the study'}: it ends at "
        f"{percent(end['estimate'])}, its confidence sequence at {percent(end['low'])[:-1]} to {percent(end['high'])}."
    )


def _line(board: Board, path: Sequence[Row], across: Any, down: Any, tones: Mapping[str, str]) -> None:
    for before, after in pairwise(path):
        board.line(
            across(before["n"] - 0.5), down(before["estimate"]), across(after["n"] - 0.5), down(after["estimate"]),
            tones["pine"], 2.0,
        )  # fmt: skip
    board.dot(across(path[-1]["n"] - 0.5), down(path[-1]["estimate"]), tones["pine"], tones["sheet"])


def _numbers(last: int, about: int) -> list[int]:
    """Numbers of raters under the axis: about so many, in fives, and the last one."""
    step = max(1, -(-last // about))
    step = step if step < 3 else -(-step // 5) * 5
    found = [n for n in range(step, last + 1, step) if last - n >= step / 2]
    return [*found, last]


def _legend(board: Board, tones: Mapping[str, str], narrow: bool) -> None:
    board.line(0, 10, 24, 10, tones["pine"], 2.0)
    board.text(30, 10, "Cumulative approval", tones["ink2"], 11.5)
    x, y = (0.0, 30.0) if narrow else (180.0, 10.0)
    board.rect(x, y - 6, 24, 12, tones["band"])
    board.text(x + 30, y, "Confidence sequence", tones["ink2"], 11.5)
    x, y = (160.0, 10.0) if narrow else (350.0, 10.0)
    board.line(x + 12, y - 7, x + 12, y + 7, tones["edge"], dashed=True)
    board.text(x + 30, y, "Planned look", tones["ink2"], 11.5)
    x, y = (160.0, 30.0) if narrow else (480.0, 10.0)
    board.line(x + 12, y - 7, x + 12, y + 7, tones["ink"], 2.5)
    board.text(x + 30, y, "Fixed-n interval", tones["ink2"], 11.5)
