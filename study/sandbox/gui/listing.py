"""List views: which columns, filters, order and page an address asks for, and the rows it gets."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import unescape as html_unescape
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError, QueryTimeout, UnknownField
from study.sandbox.engine.queryspec import Order, QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.frozen_today import after_today, written_at
from study.sandbox.gui.criteria import Criteria, One, Pairs
from study.sandbox.gui.fieldpaths import FieldPath, field_path, name_path, paths_from
from study.sandbox.gui.presenting import Shower, copied_id
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.rowformulas import any_path, time_between

PAGE = 50
MOST_COLUMNS = 20
LAYOUTS = ("", "board", "split")


@dataclass(frozen=True)
class Row:
    """A record in a list: cells in column order, its Id, and whether it is dated after today."""

    record_id: str
    url: str
    cells: tuple[tuple[str, SafeString], ...]
    later: bool
    name: str = ""


@dataclass
class ListView:
    """One state of a list; every other state is an address made from it."""

    room: Room
    item: ObjectDef
    given: QueryDict
    # Full lists show days; the few rows of a related list have room for the time as well.
    days: bool = True
    # How many seconds the page waits for a count; None: as long as it takes.
    patience: float | None = None
    criteria: Criteria = field(init=False)

    def __post_init__(self) -> None:
        self.criteria = Criteria.of(self.room, self.item, self.given)

    @cached_property
    def columns(self) -> tuple[FieldPath, ...]:
        """The chosen columns, else the object's own; the Id stands at ``ident_at`` among them."""
        asked = [path for path in self.chosen_columns if path != "Id"]
        if asked:
            return tuple(any_path(self.room.registry, self.item, path) for path in asked)
        return tuple(path for path in own_columns(self.room, self.item) if path.path != "Id")

    @cached_property
    def chosen_columns(self) -> tuple[str, ...]:
        """The columns an address names, in order, after ``up`` or ``down`` moved one of them."""
        asked = list(dict.fromkeys(path for path in self.given.getlist("col") if path))
        if len(asked) > MOST_COLUMNS:
            message = _("A list shows at most %(most)s columns. Take some away.") % {"most": MOST_COLUMNS}
            raise QueryError(MALFORMED_QUERY, message, "col")
        for name, step in (("up", -1), ("down", 1)):
            if (moved := self.given.get(name, "")) in asked:
                here = asked.index(moved)
                asked.insert(max(0, here + step), asked.pop(here))
        return tuple(asked)

    @cached_property
    def ident_at(self) -> int | None:
        """The place of the Id among the cells of a row; None where the chosen columns leave it out."""
        if not self.chosen_columns:
            return min(1, len(self.columns))
        return self.chosen_columns.index("Id") if "Id" in self.chosen_columns else None

    @cached_property
    def sort(self) -> tuple[FieldPath, bool] | None:
        """The sort column and whether it is descending: as asked, else newest first where records are dated."""
        asked = self.given.get("sort", "") or ""
        if not asked:
            dated = written_at(self.item)
            return (FieldPath(dated.name, dated, self.item), True) if dated else None
        path = any_path(self.room.registry, self.item, asked.removeprefix("-"))
        if not path.filterable:
            raise QueryError(INVALID_FIELD, _("A list cannot be sorted by a long text."), path.path)
        return path, asked.startswith("-")

    @cached_property
    def page(self) -> int:
        asked = (self.given.get("page", "") or "1").strip()
        return max(1, min(int(asked), 1_000_000)) if asked.isdecimal() and len(asked) < 8 else 1

    @cached_property
    def spec(self) -> QuerySpec:
        """The query of this page. The unique Id is the last sort key, so pages never overlap."""
        order = (Order(sort_key(self.room, self.sort[0]), self.sort[1]),) if self.sort else ()
        dated = written_at(self.item)
        shown = [*self.columns, *([self.sort[0]] if self.sort and self.sort[0].formula else [])]
        select = dict.fromkeys(["Id", *(p.formula or p.path for p in shown), *([dated.name] if dated else [])])
        return QuerySpec(
            self.item.name,
            select=tuple(select),
            where=self.criteria.where(),
            match=self.criteria.match,
            order=order,
            limit=PAGE,
            offset=(self.page - 1) * PAGE,
        )

    @cached_property
    def total(self) -> int:
        return self.room.count(self.spec)

    @cached_property
    def known(self) -> int | None:
        """How many records there are, or None where counting takes longer than this page waits."""
        if not self.criteria.size and not self.criteria.text:
            return self.room.count_of(self.item.name)
        try:
            return self.total if self.patience is None else self.room.count(self.spec, self.patience)
        except QueryTimeout:
            if self.patience is None:
                raise
            return None

    @property
    def counted(self) -> str:
        """The address of this state with everything counted."""
        here = self.address(page=self.page)
        return f"{here}{'&' if '?' in here else '?'}count=1"

    @cached_property
    def rows(self) -> list[Row]:
        found = self.room.run(self.spec)
        places = {name: place for place, name in enumerate(found.columns)}
        shower = Shower(self.room, (value for row in found.rows for value in row))
        return [self._row(shower, places, row) for row in found.rows]

    def _row(self, shower: Shower, places: dict[str, int], row: tuple[Any, ...]) -> Row:
        record_id = row[places["Id"]]
        dated = written_at(self.item)
        written = row[places[dated.name]] if dated else None
        later = after_today(written, self.room.desk.today, self.room.registry.zone)
        cells: list[tuple[str, SafeString]] = []
        name = ""
        for place, path in enumerate(self.columns):
            value = row[places[path.path]]
            html = shower.html(path.field, value, days=self.days)
            if place in (0, self.lead) and path.field.type != "reference":
                html = shower.link(record_id, str(value) if isinstance(value, str) else strip_tags(html))
            cells.append((self.classes[place], html))
            name = html if place == self.lead else name
        if self.ident_at is not None:
            ident = ("ident", copied_id(record_id, url=self.room.record_url(record_id)))
            cells.insert(self.ident_at, ident)
        named = html_unescape(strip_tags(name)) or record_id
        return Row(record_id, self.room.record_url(record_id), tuple(cells), later, named)

    @cached_property
    def classes(self) -> list[str]:
        """A class per column. On a phone a row keeps its name, Id, one status and one date; the rest is ``wide``."""
        status = next((p for p in self.columns[1:] if p.field.type == "picklist"), None)
        dated = next((p for p in self.columns[1:] if p.dated), None)
        short = bool(status or dated)
        found = []
        for place, path in enumerate(self.columns):
            kept = place == self.lead or path in (status, dated)
            found.append(column_css(path) + (" lead" if place == self.lead else " wide" if short and not kept else ""))
        return found

    @cached_property
    def lead(self) -> int:
        """The place of the column that names the record, else the first."""
        paths = [path.path for path in self.columns]
        return paths.index(self.item.name_field) if self.item.name_field in paths else 0

    @property
    def first(self) -> int:
        return (self.page - 1) * PAGE + 1 if self.rows else 0

    @property
    def last(self) -> int:
        return (self.page - 1) * PAGE + len(self.rows)

    @property
    def pages(self) -> int:
        """How many pages there are; before they are counted, those seen and the next."""
        if self.known is None:
            return self.page + (len(self.rows) == PAGE)
        return max(1, -(-self.known // PAGE))

    @cached_property
    def layout(self) -> str:
        """How the records are shown: in a table, on a board, or beside one of them."""
        asked = self.given.get("view", "") or ""
        if asked not in LAYOUTS:
            raise QueryError(INVALID_FIELD, _("A list is shown as a table, a board or side by side."), "view")
        return asked

    def pairs(
        self,
        *,
        sort: str | None = None,
        page: int = 1,
        without: One | None = None,
        text: bool = True,
        layout: str | None = None,
        chart: str | None = None,
    ) -> Pairs:
        """All parameters of this state, some of them changed."""
        kept = self.criteria.pairs(without=without, text=text)
        kept += [("col", path) for path in self.chosen_columns]
        order = sort if sort is not None else self.given.get("sort", "") or ""
        shown = layout if layout is not None else self.layout
        drawn = chart if chart is not None else self.given.get("chart", "") or ""
        light = [("sort", order), ("view", shown), ("chart", drawn), ("page", str(page) if page > 1 else "")]
        return kept + [pair for pair in light if pair[1]]

    def address(self, **changes: Any) -> str:
        return self.room.address(self.room.list_url(self.item.name), self.pairs(**changes))

    @property
    def conditions(self) -> str:
        """The query string of the conditions alone, for a report on the same records."""
        return self.room.address("", self.criteria.pairs())

    @property
    def usual(self) -> str:
        """This list with the columns of its layout."""
        pairs = [pair for pair in self.pairs() if pair[0] != "col"]
        return self.room.address(self.room.list_url(self.item.name), pairs)

    @cached_property
    def column_choices(self) -> list[tuple[str, str]]:
        """The columns shown now, in their order: (path, label)."""
        shown = [(path.path, path.label) for path in self.columns]
        if self.ident_at is not None:
            shown.insert(self.ident_at, ("Id", _("Id")))
        return shown

    @cached_property
    def other_columns(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Fields that may become columns, own ones first, then one heading per lookup: (heading, [(path, label)])."""
        now = {path for path, _label in self.column_choices}
        found: dict[str, list[tuple[str, str]]] = {}
        for path in paths_from(self.room.registry, self.item, 1):
            if path.path not in now and not (path.steps and path.field.type == "id"):
                found.setdefault(path.step_label or self.item.label, []).append((path.path, path.field.label))
        between = [one for one in time_between(self.room.registry, self.item) if one[0] not in now]
        return [*found.items(), *([(_("Worked out"), between)] if between else [])]

    @property
    def earlier(self) -> str:
        return self.address(page=self.page - 1) if self.page > 1 else ""

    @property
    def next(self) -> str:
        return self.address(page=self.page + 1) if self.page < self.pages else ""

    @property
    def first_page(self) -> str:
        return self.address() if self.page > 1 else ""

    @property
    def last_page(self) -> str:
        return self.address(page=self.pages) if self.known is not None and self.page != self.pages else ""

    @cached_property
    def heads(self) -> list[dict[str, Any]]:
        """Column heads with the address that sorts by them (and the other way when they already sort)."""
        heads: list[dict[str, Any]] = []
        for path in self.columns:
            here = self.sort is not None and self.sort[0].path == path.path
            down = bool(self.sort and self.sort[1])
            sort = path.path if here and down else f"-{path.path}" if here or path.dated else path.path
            heads.append(
                {
                    "label": path.label,
                    "url": self.address(sort=sort) if path.filterable else "",
                    "sorted": ("descending" if down else "ascending") if here else "",
                    "css": column_css(path),
                }
            )
        if self.ident_at is not None:
            heads.insert(self.ident_at, {"label": _("Id"), "url": "", "sorted": "", "css": "ident"})
        return heads

    @property
    def query(self) -> dict[str, Any]:
        """The query as the trace keeps it."""
        found: dict[str, Any] = json.loads(self.spec.to_json())
        return found


def newest(room: Room, n: int) -> ListView | None:
    """The latest records, up to today, of the first object that dates its records."""
    for item in room.objects:
        dated = written_at(item)
        if dated is not None and room.count_of(item.name):
            until = {"c": dated.name, "o": "le", "v": room.desk.today.isoformat()}
            view = ListView(room, item, QueryDict(urlencode(until)))
            view.columns = tuple(own_columns(room, item)[:5])
            view.spec = replace(view.spec, limit=n)
            return view
    return None


def own_columns(room: Room, item: ObjectDef) -> list[FieldPath]:
    """The columns of the object's layout that exist, else its first fields that fit into a row."""
    found = []
    for path in item.columns:
        try:
            found.append(field_path(room.registry, item, path))
        except UnknownField:
            continue
    if found:
        return found
    short = [f for f in item.fields if f.type not in {"text", "id"}]
    first = sorted(short, key=lambda f: f.name != item.name_field)[:6]
    return [FieldPath(f.name, f, item) for f in first]


def column_css(path: FieldPath) -> str:
    """The class of a column: numbers stand right."""
    return "r-al" if path.field.type in {"number", "integer"} else path.field.type


def sort_key(room: Room, path: FieldPath) -> str:
    """What a column is sorted by: a lookup by the name people see, not by the Id behind it."""
    return (name_path(room.registry, path) if path.field.type == "reference" else None) or path.path
