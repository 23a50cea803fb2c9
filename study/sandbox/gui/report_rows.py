"""The rows of a report as shown: names of groups, numbers with their exact values and the records behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox.engine.folding import fold
from study.sandbox.engine.registry import FOLDED, FieldDef, FieldType
from study.sandbox.gui.drilling import Drill, Key
from study.sandbox.gui.measuring import MeasureChoice
from study.sandbox.gui.presenting import Shower, copied_id, number_words
from study.sandbox.gui.report_address import GroupChoice
from study.sandbox.gui.report_periods import said
from study.sandbox.gui.rooms import Room

ROW, SUBTOTAL, TOTAL = "row", "subtotal", "total"
NOTHING = SafeString("–")
_NO_ID = SafeString("")


@dataclass(frozen=True)
class Cell:
    """One number: as shown, its exact value where it was rounded, the records behind it; ``heat`` 0 to 5 tints the
    cells of a matrix."""

    html: SafeString
    exact: str = ""
    url: str = ""
    heat: int = 0


@dataclass(frozen=True)
class Name:
    """The name of a group; ``again`` where the row above has it already."""

    html: SafeString
    plain: str
    ident: SafeString = _NO_ID
    again: bool = False


@dataclass(frozen=True)
class Row:
    """A row of the table: its groups, the number of records, the measures (in a matrix the cells before them).

    ``level``: a neighbour has just the same number of those the rows are sorted by.
    """

    kind: str
    names: tuple[Name, ...]
    count: Cell
    cells: tuple[Cell, ...]
    n: int
    raw: tuple[Any, ...] = ()
    across: tuple[Cell, ...] = ()
    level: bool = False

    @property
    def label(self) -> SafeString:
        return self.names[0].html if self.names else SafeString("")

    @property
    def plain(self) -> str:
        return " · ".join(name.plain for name in self.names)

    @property
    def value(self) -> SafeString:
        """What the chart draws: the first measure, else the number of records."""
        return self.cells[0].html if self.cells else self.count.html

    @property
    def url(self) -> str:
        return self.count.url


@dataclass
class Shown:
    """Turns results into rows. ``groups`` are the row groups, those of currencies first."""

    room: Room
    groups: tuple[GroupChoice, ...]
    measures: tuple[MeasureChoice, ...]
    drill: Drill
    shower: Shower = field(init=False)

    def __post_init__(self) -> None:
        self.shower = Shower(self.room)

    def learn(self, values: Iterable[object]) -> None:
        """The names of all records that are groups, asked for at once."""
        self.shower.learn(values)

    def name(self, choice: GroupChoice, value: object, *, again: bool = False) -> Name:
        html = self._label(choice, value)
        record = isinstance(value, str) and (choice.with_ids or (not choice.by and value in self.shower.names))
        if not record:
            return Name(html, strip_tags(html), again=again)
        plain = self.shower.names.get(str(value), str(value))
        return Name(html, plain, copied_id(str(value), plain), again)

    def _label(self, choice: GroupChoice, value: object) -> SafeString:
        if value is None or value == "":
            return format_html('<span class="none">{}</span>', _("Empty"))
        if choice.by:
            return SafeString(said(choice.by, value))
        if choice.with_ids and isinstance(value, str):
            return self.shower.link(value)
        return self.shower.html(choice.path.field, value)

    def row(self, values: Sequence[Any], kind: str = ROW, *, same: int = 0, depth: int | None = None) -> Row:
        """A row of a result: groups first, then the count, then the measures. ``same`` groups are those of the row
        above; ``depth`` is how many of the groups the result has."""
        depth = len(self.groups) if depth is None else depth
        keys: tuple[Key, ...] = tuple(zip(self.groups[:depth], values[:depth], strict=False))
        n = int(values[depth])
        cells = tuple(
            self.cell(choice, value, self.drill.url(keys, choice))
            for choice, value in zip(self.measures, values[depth + 1 :], strict=False)
        )
        names = tuple(self.name(choice, value, again=place < same) for place, (choice, value) in enumerate(keys))
        return Row(kind, names, self.count(n, self.drill.url(keys)), cells, n, tuple(values))

    def count(self, n: int, url: str, heat: int = 0) -> Cell:
        return Cell(SafeString(number_words(n)), "", url if n else "", heat=heat)

    def cell(self, choice: MeasureChoice, value: object, url: str = "", heat: int = 0) -> Cell:
        if value is None:
            return Cell(NOTHING)
        if choice.fn in {"count", "count_distinct"} and not value:
            url = ""
        html, exact = self.number(choice, value)
        return Cell(html, exact, url, heat=heat)

    def number(self, choice: MeasureChoice, value: object) -> tuple[SafeString, str]:
        """A value as shown, and its exact form where that says more."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            made = FieldDef("value", _type(choice.result_type), "")
            return self.shower.html(made, value), ""
        exact = f"{value!r}"
        if choice.fn == "share":
            percent = round(value * 100, 2)
            return SafeString(f"{number_words(percent)}%"), exact if len(exact) > 6 else ""
        return SafeString(number_words(value)), exact if value != round(value, 2) else ""


def _type(name: str) -> FieldType:
    return name  # type: ignore[return-value]


def levelled(rows: list[Row], place: int) -> list[Row]:
    """Rows whose sorted number (a place in ``raw``) is just that of a neighbour are marked as level."""
    values = [row.raw[place] for row in rows]
    found = []
    for i, row in enumerate(rows):
        near = values[max(0, i - 1) : i] + values[i + 1 : i + 2]
        found.append(replace(row, level=True) if values[i] is not None and values[i] in near else row)
    return found


def group_key(choice: GroupChoice, value: object) -> object:
    """What makes two values one group: spellings that differ in capitals or accents are the same."""
    return fold(value) if isinstance(value, str) and choice.path.field.type in FOLDED and not choice.by else value
