"""Particulars that stand in a text, found by patterns that know nothing of how the text was made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from study.generator.verify.source import NUMBERS, Source
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.snapshot_write import quoted

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_PLAIN: dict[str, re.Pattern[str]] = {
    "amount": re.compile(r"\$ ?\d[\d,]*(?:\.\d{2})?(?: ?(?:k|million))?\b|\b\d[\d,]*(?:\.\d{2})? dollars\b"),
    "percent": re.compile(r"\b\d+(?:\.\d+)? ?(?:%|percent\b)"),
    "date": re.compile(
        rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:, \d{{4}})?\b|\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b|"
        r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b"
    ),
    "weekday": re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"),
    "id": re.compile(r"\b[0-9A-Za-z]{15}(?:[A-Z0-5]{3})?\b"),
    "number": re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])"),
}


def shape(number: str) -> str:
    """A running number as a pattern: letters and marks as they are, digits as so many digits."""
    return "".join(
        rf"\d{{{len(run)}}}" if run[0].isdigit() else re.escape(run) for run in re.findall(r"\d+|\D+", number)
    )


class Mentions:
    """Finds particulars by kind. ``shapes``: for each kind of running number the patterns it has in this Org."""

    def __init__(self, shapes: Mapping[str, Iterable[str]], names: Iterable[str] = ()) -> None:
        self._shapes = {
            kind: re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(patterns))})(?![\w-])")
            for kind, patterns in shapes.items()
            if patterns
        }
        self._names = sorted({name for name in names if len(name) > 2}, key=len, reverse=True)

    def of(self, text: str) -> dict[str, set[str]]:
        """Kind -> what stands in the text, word for word."""
        found: dict[str, set[str]] = {}
        for kind, pattern in (*self._shapes.items(), *_PLAIN.items()):
            for hit in pattern.findall(text):
                if kind != "id" or normal_id(hit):
                    found.setdefault(kind, set()).add(hit)
        return found

    def numbers(self, kind: str, text: str) -> list[str]:
        """The running numbers of one kind in a text, in order."""
        pattern = self._shapes.get(kind)
        return pattern.findall(text) if pattern else []

    def names(self, text: str) -> set[str]:
        """Known names (products, competitors) in a text."""
        if self._name is None:
            return set()
        return {hit.lower() for hit in self._name.findall(text)}

    @cached_property
    def _name(self) -> re.Pattern[str] | None:
        listed = "|".join(re.escape(name) for name in self._names)
        return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE) if listed else None


def mentions_of(source: Source) -> Mentions:
    """A finder for one Org: its running numbers, and the names of its products and competitors."""
    shapes: dict[str, set[str]] = {}
    for kind, (name, column) in NUMBERS.items():
        if source.has(f"{name}.{column}"):
            sql = f"SELECT {quoted(column)} FROM {quoted(name)} WHERE {quoted(column)} IS NOT NULL AND rid % 7 < 2"
            shapes[kind] = {shape(number) for (number,) in source.rows(sql)}
    names = [str(name) for name in source.world.get("competitors", ())]
    if source.has("Product2.Name"):
        names += [name for (name,) in source.rows("SELECT Name FROM Product2 WHERE Name IS NOT NULL LIMIT 5000")]
    return Mentions(shapes, names)
