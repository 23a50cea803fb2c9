"""The realism profile as a figure: per Org seven small strips, each with its own axis.

Wide: side by side; narrow: below one another. What was not measured is said in words, never drawn as 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.draw import Board, colours, svg
from analysis.figures import percent
from analysis.sentences import points as signed_points

Profile = Mapping[str, Any]
GAP = 14.0
TEXT, SMALL = 12.5, 11.0
CLOSE, FULL = {"points": 0.5, "scale": 2.0}, {"points": 1.0, "scale": 4.0}
LETTER = 5.6  # pixels of a letter at 11 pixels, on the generous side


def value_of(mark: Mapping[str, Any], unit: str, *, long: bool = False) -> str:
    """ "73%", "+12" points, "0.41" of the scale; long: with the unit in words, for a table."""
    if unit == "share":
        return percent(mark["estimate"], 1 if long else 0)
    if unit == "points":
        return signed_points(mark["estimate"]) + (" points" if long else "")
    return _scale(mark["estimate"]) + (" of the scale" if long else "")


def interval_of(mark: Mapping[str, Any], unit: str) -> str:
    if mark["low"] is None or mark["high"] is None:
        return ""
    return " to ".join(_bound(mark[name], unit) for name in ("low", "high"))


def _bound(value: float, unit: str) -> str:
    if unit == "share":
        return percent(value)[:-1]
    return signed_points(value) if unit == "points" else _scale(value)


def _scale(value: float) -> str:
    size = f"{abs(value):.1f}"
    return size if float(size) == 0 else f"{'+' if value > 0 else '−'}{size}"


def profile_sentence(profile: Profile) -> str:
    """The numbers in words, for those who can't see the figure."""
    said = []
    for row in profile["rows"]:
        parts = [
            f"{meant['name']} {_words(point, meant['unit'])}"
            for meant, point in zip(profile["points"], row["points"], strict=True)
        ]
        said.append(f"{_title(row)}: {'; '.join(parts)}.")
    return "Realism profile. " + " ".join(said)


def _words(point: Mapping[str, Any], unit: str) -> str:
    if not point["marks"]:
        return str(point["note"])
    many = len(point["marks"]) > 1
    return ", ".join(
        f"{mark['label'] + ' ' if many else ''}{value_of(mark, unit)}"
        + (f" ({interval_of(mark, unit)})" if mark["low"] is not None else "")
        for mark in point["marks"]
    )


def _title(row: Mapping[str, Any]) -> str:
    return f"{row['arm'] or 'All ratings'}{' (control: ' + row['control'] + ')' if row['control'] else ''}"


def profile_svg(profile: Profile, theme: str = "light", width: int = 872, name: str = "realism-profile") -> str:
    """profile: the entry `profile` of results.json."""
    drawn = _wide(profile, colours(theme), width) if width >= 600 else _narrow(profile, colours(theme), width)
    return svg(drawn, profile_sentence(profile), f"{name}-{theme}-{width}")


def _domains(profile: Profile) -> list[tuple[float, float]]:
    """Per point the ends of its axis, the same for every Org: 0 to 1, or around 0 close in while everything fits."""
    found = []
    for place, meant in enumerate(profile["points"]):
        if meant["unit"] == "share":
            found.append((0.0, 1.0))
            continue
        seen = [
            abs(mark[name])
            for row in profile["rows"]
            for mark in row["points"][place]["marks"]
            for name in ("estimate", "low", "high")
            if mark[name] is not None
        ]
        close = CLOSE[meant["unit"]]
        end = close if max(seen, default=0.0) <= close else FULL[meant["unit"]]
        found.append((-end, end))
    return found


def _ticks(domain: tuple[float, float], unit: str) -> list[tuple[float, str]]:
    low, high = domain
    values = (low, (low + high) / 2, high)
    if unit == "share":
        return [(value, f"{value * 100:.0f}") for value in values]
    return [(value, _bound(value, unit).replace(".0", "")) for value in values]


def _wrapped(words: str, width: float) -> list[str]:
    """Words in lines of about so many pixels."""
    lines: list[str] = []
    for word in words.split():
        if lines and (len(lines[-1]) + 1 + len(word)) * LETTER <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _strip(
    board: Board, mark: Mapping[str, Any], domain: tuple[float, float], x: float, length: float, y: float,
    tones: Mapping[str, str], control: bool,
) -> None:  # fmt: skip
    """Line, whisker and dot of one mark; a control Org's is hollow."""
    low, high = domain

    def at(value: float) -> float:
        return x + length * (min(max(value, low), high) - low) / (high - low)

    board.line(x, y, x + length, y, tones["line"])
    if low < 0:
        board.line(at(0), y - 7, at(0), y + 7, tones["edge"])
    if mark["low"] is not None and mark["high"] is not None:
        board.line(at(mark["low"]), y, at(mark["high"]), y, tones["pine"], 1.5 if control else 3)
    board.dot(at(mark["estimate"]), y, tones["sheet"] if control else tones["pine"], tones["pine"], 70)


def _axis(
    board: Board, domain: tuple[float, float], unit: str, x: float, length: float, y: float, tones: Mapping[str, str]
) -> None:
    ticks = _ticks(domain, unit)
    for place, (value, words) in enumerate(ticks):
        along = x + length * (value - domain[0]) / (domain[1] - domain[0])
        board.line(along, y, along, y + 4, tones["edge"])
        board.text(along, y + 12, words, tones["ink3"], SMALL, ("left", "center", "right")[place])


def _wide(profile: Profile, tones: Mapping[str, str], width: int) -> Board:
    columns = profile["points"]
    length = (width - GAP * (len(columns) - 1)) / len(columns)
    places = [number * (length + GAP) for number in range(len(columns))]
    heads = [_wrapped(meant["asks"], length) for meant in columns]
    head = 26 + 14.0 * max(len(lines) for lines in heads)
    heights = [_wide_height(row) for row in profile["rows"]]
    board = Board(width, head + sum(heights) + 2, tones["sheet"])
    for x, meant, lines in zip(places, columns, heads, strict=True):
        board.text(x, 8, meant["name"], tones["ink"], TEXT, bold=True)
        for number, line in enumerate(lines):
            board.text(x, 26 + 14 * number, line, tones["ink3"], SMALL)
    top, domains = head, _domains(profile)
    for row, height in zip(profile["rows"], heights, strict=True):
        board.line(0, top, width, top, tones["line"])
        board.text(0, top + 18, _title(row), tones["ink"], TEXT, bold=True)
        board.text(width, top + 18, f"{row['raters']} raters; {row['scope']}", tones["ink2"], SMALL, "right")
        for x, meant, point, domain in zip(places, columns, row["points"], domains, strict=True):
            _cell(board, point, meant, domain, x, length, top + 44, tones, bool(row["control"]))
        top += height
    return board


def _wide_height(row: Mapping[str, Any]) -> float:
    most = max(1, *(_lines(point) for point in row["points"]))
    return 44 + 40.0 * most + 24


def _lines(point: Mapping[str, Any]) -> float:
    """Blocks of 40 pixels that the marks of a point take; with labels each takes more."""
    return len(point["marks"]) * (1.4 if len(point["marks"]) > 1 else 1.0)


def _cell(
    board: Board, point: Mapping[str, Any], meant: Mapping[str, Any], domain: tuple[float, float], x: float,
    length: float, y: float, tones: Mapping[str, str], control: bool,
) -> None:  # fmt: skip
    """Number, interval and strip of each mark, the axis under the last; in words what was not measured."""
    if not point["marks"]:
        for number, line in enumerate(_wrapped(_first(point["note"]), length)[:4]):
            board.text(x, y + 14 * number, line, tones["ink3"], SMALL)
        return
    unit, many = meant["unit"], len(point["marks"]) > 1
    for mark in point["marks"]:
        if many:
            board.text(x, y, str(mark["label"]), tones["ink2"], SMALL)
            y += 16
        value = value_of(mark, unit)
        board.text(x, y, value, tones["ink"], TEXT, bold=True)
        board.text(x + length, y, interval_of(mark, unit), tones["ink2"], SMALL, "right")
        _strip(board, mark, domain, x, length, y + 20, tones, control)
        y += 40
    _axis(board, domain, unit, x, length, y - 8, tones)


def _short(title: str) -> str:
    """A title that fits beside the number of raters; the table has the whole."""
    return title if len(title) <= 34 else title[:33] + "…"


def _first(note: str) -> str:
    return note.partition(";")[0]


def _narrow(profile: Profile, tones: Mapping[str, str], width: int) -> Board:
    heights = [_narrow_height(row) for row in profile["rows"]]
    board = Board(width, sum(heights) + 4, tones["sheet"])
    top, domains = 0.0, _domains(profile)
    for row, height in zip(profile["rows"], heights, strict=True):
        board.text(0, top + 12, _short(_title(row)), tones["ink"], TEXT, bold=True)
        board.text(width, top + 12, f"{row['raters']} raters", tones["ink2"], SMALL, "right")
        y = top + 28
        for meant, point, domain in zip(profile["points"], row["points"], domains, strict=True):
            board.line(0, y, width, y, tones["line"])
            y = _narrow_point(board, point, meant, domain, width, y + 16, tones, bool(row["control"]))
        top += height
    return board


def _narrow_height(row: Mapping[str, Any]) -> float:
    return 28 + sum(_narrow_point_height(point) for point in row["points"]) + 16


def _narrow_point_height(point: Mapping[str, Any]) -> float:
    return 44.0 if not point["marks"] else 34 + 36.0 * len(point["marks"]) + 20


def _narrow_point(
    board: Board, point: Mapping[str, Any], meant: Mapping[str, Any], domain: tuple[float, float], width: float,
    y: float, tones: Mapping[str, str], control: bool,
) -> float:  # fmt: skip
    """One point of a narrow figure; the y where the next begins."""
    start, unit, many = y, meant["unit"], len(point["marks"]) > 1
    board.text(0, y, meant["name"], tones["ink"], TEXT, bold=True)
    board.text(0, y + 15, meant["asks"], tones["ink3"], SMALL)
    if not point["marks"]:
        board.text(width, y, _first(point["note"]), tones["ink3"], SMALL, "right")
        return start - 16 + _narrow_point_height(point)
    inner, length = 8.0, width - 16.0
    for number, mark in enumerate(point["marks"]):
        own = y if not many and number == 0 else y + 33
        if many:
            board.text(0, own, str(mark["label"]), tones["ink2"], SMALL)
        words = interval_of(mark, unit)
        board.text(width, own, words, tones["ink2"], SMALL, "right")
        board.text(width - 86, own, value_of(mark, unit), tones["ink"], TEXT, "right", True)
        _strip(board, mark, domain, inner, length, (y + 34) if not many else (own + 15), tones, control)
        y += 36
    _axis(board, domain, unit, inner, length, start - 16 + _narrow_point_height(point) - 22, tones)
    return start - 16 + _narrow_point_height(point)


__all__: Sequence[str] = ("interval_of", "profile_sentence", "profile_svg", "value_of")
