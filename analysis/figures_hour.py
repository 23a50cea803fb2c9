"""Figures of the hour: calibration, coverage of the week, the gap to one's own system. Wide and narrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.draw import Board, colours, svg
from analysis.figures import interval_words, percent

Row = Mapping[str, Any]
NARROW = 600
COVERAGE = (
    ("fully", "Fully", "d5", "on5"),
    ("software_only", "Only the software lacked it", "d4", "on4"),
    ("links_missing", "Links or fields missing", "d2", "on2"),
    ("records_missing", "Records missing", "d1", "on1"),
)
"""Code, words, fill and colour on it, from done to not there."""


def calibration_svg(bins: Sequence[Row], theme: str = "light", width: int = 872, name: str = "calibration") -> str:
    """Share right against mean confidence: a dot with its interval for each bin, and the line where both are equal.

    bins: `hour.calibration.Bin` rows.
    """
    tones = colours(theme)
    side = min(width - 64.0, 380.0)
    left, top = 44.0, 12.0
    board = Board(width, top + side + 46, tones["sheet"])
    for tick in (0, 25, 50, 75, 100):
        x, y = left + side * tick / 100, top + side * (1 - tick / 100)
        board.line(left, y, left + side, y, tones["line"])
        board.line(x, top + side, x, top + side + 5, tones["edge"])
        board.text(x, top + side + 16, str(tick), tones["ink2"], 11.5, "center")
        board.text(left - 8, y, str(tick), tones["ink2"], 11.5, "right")
    board.line(left, top + side, left + side, top, tones["edge"], dashed=True)
    board.text(left, top + side + 36, "Confidence, in per cent; upwards: share right", tones["ink2"], 11.5)
    for row in bins:
        if row["share"] is None or row["confidence"] is None:
            continue
        x = left + side * row["confidence"]
        if row["share_low"] is not None:
            board.line(
                x, top + side * (1 - row["share_low"]), x, top + side * (1 - row["share_high"]), tones["pine"], 2.5
            )
        board.dot(x, top + side * (1 - row["share"]), tones["pine"], tones["sheet"], 110)
    shown = [row for row in bins if row["share"] is not None]
    if width >= NARROW:
        _beside(board, shown, left + side + 40, top, tones)
    said = "; ".join(f"confidence {percent(row['confidence'])}, right {percent(row['share'])}" for row in shown)
    return svg(board, f"Confidence and share right: {said or 'too few answers'}.", f"{name}-{theme}-{width}")


def _beside(board: Board, rows: Sequence[Row], x: float, top: float, tones: Mapping[str, str]) -> None:
    for number, words in enumerate(("Confidence", "right", "interval", "answers")):
        board.text(x + number * 90, top + 6, words, tones["ink2"], 11.5)
    for number, row in enumerate(rows):
        y = top + 32 + number * 26
        ends = interval_words({"low": row["share_low"], "high": row["share_high"]})
        for place, words in enumerate((percent(row["confidence"]), percent(row["share"]), ends, str(row["n"]))):
            board.text(x + place * 90, y, words, tones["ink"])
    if not rows:
        board.text(x, top + 32, "Too few answers.", tones["ink2"])


def coverage_svg(
    counts: Mapping[str, int], cannot_say: int, theme: str = "light", width: int = 872, name: str = "coverage"
) -> str:
    """One stacked bar of episodes: done fully to records missing; can't say is hatched, at the end.

    counts: answers per code of COVERAGE.
    """
    tones = colours(theme)
    total = sum(counts.get(code, 0) for code, *_ in COVERAGE) + cannot_say
    narrow = width < NARROW
    legend = 20.0 * (len(COVERAGE) + 1) if narrow else 24.0
    board = Board(width, legend + 46, tones["sheet"])
    x = 0.0
    for code, _, fill, on in COVERAGE:
        length = width * counts.get(code, 0) / total if total else 0.0
        if length:
            board.rect(x, legend + 8, max(length - 1, 0.5), 28, tones[fill])
        if length > 16:
            board.text(x + (length - 1) / 2, legend + 22, str(counts[code]), tones[on], 12.5, "center")
        x += length
    if cannot_say and total:
        board.rect(x, legend + 8, width - x, 28, tones["sunk"])
        board.hatch(x, legend + 8, width - x, 28, tones["hatch"])
    _key(board, cannot_say, narrow, width, tones)
    if not total:
        board.text(0, legend + 22, "No episodes.", tones["ink2"])
    said = "; ".join(f"{words} {counts.get(code, 0)}" for code, words, *_ in COVERAGE)
    return svg(board, f"Of {total} episodes: {said}; can't say {cannot_say}.", f"{name}-{theme}-{width}")


def _key(board: Board, cannot_say: int, narrow: bool, width: int, tones: Mapping[str, str]) -> None:
    for number, (_, words, fill, _) in enumerate((*COVERAGE, ("", f"Can't say, {cannot_say}", "", ""))):
        x, y = (0.0, 8.0 + 20 * number) if narrow else (number * width / 5, 10.0)
        if fill:
            board.rect(x, y - 6, 12, 12, tones[fill])
        else:
            board.hatch(x, y - 6, 12, 12, tones["hatch"])
        board.text(x + 17, y, words, tones["ink2"], 11.5 if narrow else 11)


def gap_svg(rows: Sequence[Row], theme: str = "light", width: int = 872, name: str = "gap") -> str:
    """Own system minus Org in scale points, a dot with its interval for each object and for all; 0 is no gap.

    rows: label, estimate, low, high, n.
    """
    tones = colours(theme)
    narrow = width < NARROW
    row_height, head = (44.0, 26.0) if narrow else (28.0, 26.0)
    shown = [row for row in rows if row["estimate"] is not None]
    ends = [abs(value) for row in shown for value in (row["estimate"], row["low"], row["high"]) if value is not None]
    reach = max(1.0, *(ends or [0.0])) * 1.08
    start, length = (8.0, width - 16.0) if narrow else (200.0, width - 400.0)
    board = Board(width, head + row_height * max(len(rows), 1) + 24, tones["sheet"])
    middle = start + length / 2
    board.text(middle - 8, 9, "Org more realistic", tones["ink2"], 11, "right")
    board.text(middle + 8, 9, "own system more", tones["ink2"], 11)
    board.line(middle, head - 8, middle, head + row_height * len(rows), tones["edge"], dashed=True)
    for number, row in enumerate(rows):
        top = head + number * row_height
        y = top + (30 if narrow else row_height / 2)
        board.line(0, top, width, top, tones["line"])
        board.text(0, top + (11 if narrow else row_height / 2), _short(row["label"]), tones["ink"])
        board.text(width, top + (11 if narrow else row_height / 2), _gap_words(row), tones["ink2"], 11.5, "right")
        if row["estimate"] is None:
            continue
        if row["low"] is not None:
            board.line(
                middle + length / 2 * row["low"] / reach,
                y,
                middle + length / 2 * row["high"] / reach,
                y,
                tones["pine"],
                2.5,
            )
        board.dot(middle + length / 2 * row["estimate"] / reach, y, tones["pine"], tones["sheet"])
    for tick in range(-int(reach), int(reach) + 1):
        x, y = middle + length / 2 * tick / reach, head + row_height * max(len(rows), 1)
        board.line(x, y, x, y + 5, tones["edge"])
        board.text(x, y + 15, _signed(tick, 0), tones["ink2"], 11.5, "center")
    if not rows:
        board.text(0, head + 12, "No pairs of ratings.", tones["ink2"])
    said = "; ".join(f"{row['label']} {row['estimate']:+.2f}" for row in shown) or "too few pairs"
    return svg(board, f"Own system minus Org in scale points: {said}.", f"{name}-{theme}-{width}")


def _gap_words(row: Row) -> str:
    if row["estimate"] is None:
        return f"n = {row['n']}"
    ends = "" if row["low"] is None else f" ({_signed(row['low'])} to {_signed(row['high'])})"
    return f"{_signed(row['estimate'])}{ends}"


def _signed(value: float, digits: int = 2) -> str:
    """With a sign; a dash for minus, since not every font of a picture has the true one."""
    shown = f"{value:+.{digits}f}"
    return shown[1:] if float(shown) == 0 else shown.replace("-", "–")


def _short(label: str) -> str:
    return label if len(label) <= 26 else label[:25] + "…"
