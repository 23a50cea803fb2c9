"""How shares, means and their intervals stand in the tables of a report."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.document import Cell, Heading, Part, Table
from analysis.figures import interval_words, percent

Row = Mapping[str, Any]
Results = Mapping[str, Any]
MINUS = "\u2212"
PLAIN_NAME = re.compile(r"[a-z0-9_/]{1,40}(, [a-z0-9_ ]{1,40})?")
"""Names of groups that a table's name can hold as they are."""
LONGEST = 82


def slug(arm: str) -> str:
    """A group's name as part of the name of a table. Different names stay different, in whatever script."""
    plain = re.sub(r"[^a-z0-9_]+", "-", arm.lower()).strip("-") or "all"
    if not arm or PLAIN_NAME.fullmatch(arm):
        return plain[:LONGEST]
    return f"{plain[:LONGEST]}-{hashlib.sha256(arm.encode()).hexdigest()[:6]}"


def heading(arm: str, groups: Sequence[Any]) -> list[Part]:
    """The group's name as a heading, where there is more than one."""
    return [Heading(arm)] if len(groups) > 1 else []


def estimates(results: Results, arm: str, estimand: str) -> list[Row]:
    return [row for row in results["estimates"] if row["arm"] == arm and row["estimand"] == estimand]


def one(results: Results, arm: str, estimand: str, target: str) -> Row | None:
    return next((row for row in estimates(results, arm, estimand) if row["target"] == target), None)


def share(row: Row | None) -> str:
    """ "67%", or why there is none."""
    if row is None:
        return ""
    if row["estimate"] is None:
        return "too few" if row["n"] else "none"
    return percent(row["estimate"])


def between(row: Row | None) -> str:
    return "" if row is None else interval_words(row)


def said(row: Row | None, level: float) -> str:
    """A share in a sentence: "67% (95% interval 54 to 78; 20 raters, 58 answers)", or its counts."""
    if row is None or row["n"] == 0:
        return "no answers"
    if row["estimate"] is None:
        return str(row["note"])
    words = interval_words(row)
    ends = f"{level:.0%} interval {words}; " if words else ""
    return f"{percent(row['estimate'])} ({ends}{row['raters']} raters, n = {row['n']})"


def number(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """A number with a true minus, and a plus if signed; empty where there is none."""
    if value is None:
        return ""
    shown = f"{abs(value):.{digits}f}"
    zero = float(shown) == 0
    sign = "" if zero else MINUS if value < 0 else "+" if signed else ""
    return sign + shown


def ends(row: Row, digits: int = 2, *, signed: bool = False) -> str:
    """ "0.12 to 0.48", or nothing."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"{number(row['low'], digits, signed=signed)} to {number(row['high'], digits, signed=signed)}"


def quartiles(row: Row, digits: int = 1) -> str:
    """Median with quartiles of a `means.Spread`: "6.1 (4.0 to 8.3)"."""
    if row["median"] is None:
        return ""
    low, high = number(row["quartile_1"], digits), number(row["quartile_3"], digits)
    return f"{number(row['median'], digits)} ({low} to {high})"


def plain(code: str) -> str:
    return code.replace("_", " ")


def share_table(
    name: str, caption: str, first: str, rows: Iterable[tuple[str, Row]], *, note: str = "", of: str = "of"
) -> Table:
    """Shares of answers, one row each: k, n, share, interval, raters; the CSV has all decimals."""
    listed = list(rows)
    cells: list[tuple[Cell, ...]] = [
        (label, row["k"], row["n"], share(row), between(row), row["raters"]) for label, row in listed
    ]
    data: list[Sequence[str | int | float | None]] = [
        (label, row["k"], row["n"], row["estimate"], row["low"], row["high"], row["raters"], row["deff"])
        for label, row in listed
    ]
    return Table(
        name, caption, (first, "k", of, "share", "interval", "raters"), cells,
        data=[(first, "k", "n", "share", "low", "high", "raters", "deff"), *data], note=note,
    )  # fmt: skip


def mean_table(name: str, caption: str, first: str, rows: Iterable[tuple[str, Row]], *, note: str = "") -> Table:
    """Means in scale points, one row each; rows have estimate, low, high, n."""
    listed = list(rows)
    cells: list[tuple[Cell, ...]] = [
        (label, row["n"], number(row["estimate"], 2, signed=True), ends(row, signed=True), row["note"])
        for label, row in listed
    ]
    data: list[Sequence[str | int | float | None]] = [
        (label, row["n"], row["estimate"], row["low"], row["high"], row["note"]) for label, row in listed
    ]
    return Table(
        name, caption, (first, "n", "mean", "interval", "note"), cells, words=(4,),
        data=[(first, "n", "mean", "low", "high", "note"), *data], note=note,
    )  # fmt: skip


def counts_table(name: str, caption: str, first: str, counts: Mapping[str, int], words: Mapping[str, str]) -> Table:
    """How often each answer was given."""
    rows = [(words.get(code, plain(code)), count) for code, count in counts.items()]
    return Table(name, caption, (first, "answers"), rows)
