"""The figures of a report and of the results pages, as SVG: diverging bars, headline strip, participant flow.

Each has a wide form and a narrow one for a phone; type is never under 11 pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.draw import Board, colours, svg
from analysis.tables import SCALE

Row = Mapping[str, Any]
BAR = 24.0
LEAST_WITH_COUNT = 11.0  # a narrower segment hides its count; the table has it


def percent(share: float, digits: int = 0) -> str:
    """A share in per cent, halves rounded up as people do by hand: .625 with 0 digits is 63%."""
    scaled = int(share * 100 * 10**digits + 0.5 + 1e-9) / 10**digits
    return f"{scaled:.{digits}f}%"


def interval_words(row: Row) -> str:
    """ "47 to 71", or nothing when there is no interval."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"{percent(row['low'])[:-1]} to {percent(row['high'])[:-1]}"


def diverging_svg(rows: Sequence[Row], theme: str = "light", width: int = 872, name: str = "approval") -> str:
    """Diverging bars of counts, centred on the middle of Neutral, with can't judge and approval beside them.

    rows: entries of results()["groups"][i]["objects"], in the order to draw; keys label, counts (five), n, k,
    cannot_judge, estimate, low, high, and optionally published, a share for the diamond. Under 600 pixels wide,
    label and figures stand above and below the bar.
    """
    drawn = _wide(rows, colours(theme), width) if width >= 600 else _narrow(rows, colours(theme), width)
    return svg(drawn, diverging_sentence(rows), f"{name}-{theme}-{width}")


def diverging_sentence(rows: Sequence[Row]) -> str:
    parts = [f"{row['label']} {row['k']} of {row['n']}" for row in rows]
    return "Raters who found each object Realistic or Very Realistic: " + ("; ".join(parts) or "no ratings yet") + "."


def _reach(rows: Sequence[Row]) -> tuple[float, float]:
    """Most raters to the left and to the right of the middle of Neutral."""
    left = max((row["counts"][0] + row["counts"][1] + row["counts"][2] / 2 for row in rows), default=0)
    right = max((row["counts"][3] + row["counts"][4] + row["counts"][2] / 2 for row in rows), default=0)
    return float(left), float(right)


def _bar(board: Board, row: Row, middle: float, unit: float, top: float, tones: Mapping[str, str]) -> None:
    counts = row["counts"]
    x = middle - unit * (counts[0] + counts[1] + counts[2] / 2)
    for point, count in enumerate(counts, start=1):
        length = unit * count
        if count:
            board.rect(x, top, max(length - 1, 0.5), BAR, tones[f"d{point}"])
        x += length
    x = middle - unit * (counts[0] + counts[1] + counts[2] / 2)
    for point, count in enumerate(counts, start=1):
        length = unit * count
        if length - 1 >= LEAST_WITH_COUNT:
            board.text(x + (length - 1) / 2, top + BAR / 2 + 0.5, str(count), tones[f"on{point}"], 12.5, "center")
        x += length


def _axis(board: Board, middle: float, top: float, tones: Mapping[str, str]) -> None:
    """The middle of Neutral, above and below the bar: across it the dashes would run through its count."""
    board.line(middle, top - 6, middle, top, tones["edge"], dashed=True)
    board.line(middle, top + BAR, middle, top + BAR + 6, tones["edge"], dashed=True)


def _legend(board: Board, x: float, y: float, tones: Mapping[str, str], step: float) -> None:
    for point, label in enumerate(SCALE, start=1):
        place = x + (point - 1) * step
        board.rect(place, y - 6, 12, 12, tones[f"d{point}"])
        board.text(place + 17, y, label, tones["ink2"], 11.5)


def _unit(rows: Sequence[Row], room: float) -> tuple[float, float]:
    """Pixels per rater, and the distance of the middle from the left edge of the room."""
    left, right = _reach(rows)
    unit = room / (left + right) if left + right else 0.0
    return unit, unit * left if left + right else room / 2


def _wide(rows: Sequence[Row], tones: Mapping[str, str], width: int) -> Board:
    head, row_height = 58.0, 36.0
    board = Board(width, head + row_height * max(len(rows), 1) + 8, tones["sheet"])
    bars, panel = (190.0, width - 350.0), (width - 226.0, 118.0)
    total = max((row["n"] + row["cannot_judge"] for row in rows), default=0) or 1
    _legend(board, 0, 10, tones, 128)
    board.hatch(652, 4, 12, 12, tones["hatch"])
    board.text(669, 10, "Can't judge", tones["ink2"], 11.5)
    for x, words, align in (
        (0, "Object", "left"), (176, "n", "right"), (bars[0], "Less realistic", "left"),
        (bars[1], "More realistic", "right"), (bars[1] + 20, "Can't judge", "left"),
        (panel[0], "Approval, interval", "left"),
    ):  # fmt: skip
        board.text(x, 38, words, tones["ink2"], 11.5, align)
    unit, offset = _unit(rows, bars[1] - bars[0])
    middle = bars[0] + offset
    for number, row in enumerate(rows):
        top = head + number * row_height
        board.line(0, top - 6, width, top - 6, tones["line"])
        board.text(0, top + BAR / 2, _short(row["label"]), tones["ink"])
        board.text(176, top + BAR / 2, str(row["n"]), tones["ink"], align="right")
        _bar(board, row, middle, unit, top, tones)
        _axis(board, middle, top, tones)
        _cannot(board, row, bars[1] + 20, top + 5, 60 * row["cannot_judge"] / total, tones)
        _interval(board, row, panel, top + BAR / 2, tones)
        _approval_words(board, row, width, top + BAR / 2, tones)
    if not rows:
        board.text(0, head + 12, "No ratings yet.", tones["ink2"])
    return board


def _cannot(board: Board, row: Row, x: float, y: float, length: float, tones: Mapping[str, str]) -> None:
    board.rect(x, y, 60, 14, tones["sunk"])
    board.hatch(x, y, length, 14, tones["hatch"])
    board.text(x + 67, y + 7, str(row["cannot_judge"]), tones["ink"])


def _short(label: str) -> str:
    """A label that fits beside its n; the table has the whole."""
    return label if len(label) <= 23 else label[:22] + "…"


def _interval(board: Board, row: Row, panel: tuple[float, float], y: float, tones: Mapping[str, str]) -> None:
    start, length = panel
    board.line(start, y, start + length, y, tones["line"])
    board.line(start + length / 2, y - 7, start + length / 2, y + 7, tones["line"])
    if row.get("published") is not None:
        board.diamond(start + length * row["published"], y, tones["ink3"], tones["ink3"])
    if row["estimate"] is None:
        return
    if row["low"] is not None and row["high"] is not None:
        board.line(start + length * row["low"], y, start + length * row["high"], y, tones["pine"], 2.5)
    board.dot(start + length * row["estimate"], y, tones["pine"], tones["sheet"])


def _approval_words(board: Board, row: Row, right: float, y: float, tones: Mapping[str, str]) -> None:
    if row["estimate"] is None:
        board.text(right, y, f"{row['k']} of {row['n']}" if row["n"] else "n = 0", tones["ink2"], align="right")
        return
    board.text(right - 56, y, percent(row["estimate"]), tones["ink"], align="right", bold=True)
    board.text(right, y, interval_words(row), tones["ink2"], 11.5, "right")


def _narrow(rows: Sequence[Row], tones: Mapping[str, str], width: int) -> Board:
    head, row_height = 62.0, 76.0
    board = Board(width, head + row_height * max(len(rows), 1), tones["sheet"])
    for point, label in enumerate(SCALE, start=1):
        place = ((point - 1) % 3 * width / 3, 8.0 + 20 * ((point - 1) // 3))
        board.rect(place[0], place[1] - 6, 12, 12, tones[f"d{point}"])
        board.text(place[0] + 16, place[1], label, tones["ink2"], 11)
    unit, middle = _unit(rows, width)
    for number, row in enumerate(rows):
        top = head + number * row_height
        board.line(0, top - 10, width, top - 10, tones["line"])
        board.text(0, top + 4, _short(row["label"]), tones["ink"])
        board.text(width, top + 4, f"n = {row['n']}, can't judge {row['cannot_judge']}", tones["ink2"], 11.5, "right")
        _bar(board, row, middle, unit, top + 15, tones)
        _axis(board, middle, top + 15, tones)
        board.text(0, top + 52, "Approval", tones["ink2"], 11.5)
        _interval(board, row, (62.0, width - 170.0), top + 52, tones)
        _approval_words(board, row, width, top + 52, tones)
    if not rows:
        board.text(0, head, "No ratings yet.", tones["ink2"])
    return board


def headline_svg(
    row: Row, theme: str = "light", width: int = 340, name: str = "headline", published: Row | None = None
) -> str:
    """Strip from 0 to 100 with whisker and dot.

    row: an estimate of results.json. published: optional keys band (low, high), recomputed (filled diamond) and
    printed (hollow diamond: a published number that does not follow), shares.
    """
    tones = colours(theme)
    board = Board(width, 48, tones["sheet"])
    start, length = 8.0, width - 16.0
    given = published or {}
    if given.get("band"):
        low, high = given["band"]
        board.rect(start + length * low, 6, length * (high - low), 22, tones["band"])
    board.line(start, 28, start + length, 28, tones["line"])
    for tick in (0, 25, 50, 75, 100):
        x = start + length * tick / 100
        board.line(x, 28, x, 32, tones["edge"])
        board.text(x, 41, str(tick), tones["ink3"], 11.5, {0: "left", 100: "right"}.get(tick, "center"))
    for key, fill in (("recomputed", tones["ink3"]), ("printed", tones["sheet"])):
        if given.get(key) is not None:
            board.diamond(start + length * given[key], 17, fill, tones["ink3"])
    _whisker(board, row, start, length, tones)
    return svg(board, headline_of(row), f"{name}-{theme}-{width}")


def _whisker(board: Board, row: Row, start: float, length: float, tones: Mapping[str, str]) -> None:
    if row["estimate"] is None:
        return
    if row["low"] is not None and row["high"] is not None:
        low, high = start + length * row["low"], start + length * row["high"]
        board.line(low, 17, high, 17, tones["pine"], 3)
        board.line(low, 11, low, 23, tones["pine"], 2)
        board.line(high, 11, high, 23, tones["pine"], 2)
    board.dot(start + length * row["estimate"], 17, tones["pine"], tones["sheet"], 130)


def headline_of(row: Row) -> str:
    if row["estimate"] is None:
        return f"No percentage: {row['k']} of {row['n']} ratings by {row['raters']} raters."
    return f"Estimate {percent(row['estimate'], 1)}, interval {interval_words(row) or 'not estimable'}."


def flow_svg(flow: Sequence[Row], theme: str = "light", width: int = 872, name: str = "flow") -> str:
    """Participant flow: a bar per stage on the invited scale, the number, and in words where people are."""
    tones = colours(theme)
    narrow = width < 600
    row_height = 46.0 if narrow else 30.0
    board = Board(width, row_height * max(len(flow), 1) + 4, tones["sheet"])
    most = max((row["reached"] for row in flow), default=0) or 1
    bar = (90.0, width - 130.0) if narrow else (110.0, 360.0)
    for number, row in enumerate(flow):
        y = number * row_height + 14
        board.text(0, y, row["stage"], tones["ink"])
        board.rect(bar[0], y - 8, bar[1], 16, tones["sunk"])
        board.rect(bar[0], y - 8, bar[1] * row["reached"] / most, 16, tones["pine"])
        board.text(bar[0] + bar[1] + 34, y, str(row["reached"]), tones["ink"], align="right")
        words = flow_words(row)
        board.text(0 if narrow else bar[0] + bar[1] + 50, y + 20 if narrow else y, words, tones["ink2"], 11.5)
    if not flow:
        board.text(0, 14, "Participant flow isn't known from ratings alone.", tones["ink2"])
    return svg(board, flow_sentence(flow), f"{name}-{theme}-{width}")


def flow_sentence(flow: Sequence[Row]) -> str:
    parts = "; ".join(f"{row['stage']} {row['reached']}" for row in flow) or "not known"
    return f"Participants who reached each stage: {parts}."


def flow_words(row: Row) -> str:
    """Where those are who came no further than this stage."""
    parts = [f"{number} {end.replace('_', ' ')}" for end, number in row["lost"].items()]
    if row["waiting"]:
        parts.append(f"{row['waiting']} there now")
    if row["complete"]:
        parts.append(f"{row['complete']} complete")
    return ", ".join(parts)
