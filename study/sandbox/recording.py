"""Record pages: highlights, details, related lists, and what happened lately."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cached_property
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox import reading
from study.sandbox.errors import UnknownField
from study.sandbox.fieldpaths import FieldPath, field_path
from study.sandbox.frozen_today import after_today, ago, written_at
from study.sandbox.listing import ListView, Row, column_css, own_columns
from study.sandbox.naming import names_of
from study.sandbox.presenting import Shower
from study.sandbox.queryspec import And, Compare, Order, QuerySpec
from study.sandbox.registry import FieldDef, ObjectDef, RelatedList, Section
from study.sandbox.rooms import Missing, Room

RELATED_ROWS = 5
TIMELINE = 12
MOST_HIGHLIGHTS = 5
_PATHS = ("Status", "StageName")


@dataclass(frozen=True)
class Related:
    """A related list: its object, exact count, first rows, and the list view that holds them all."""

    item: ObjectDef
    label: str
    count: int
    heads: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    url: str
    thread: bool


@dataclass(frozen=True)
class Happening:
    """A line of the timeline."""

    item: ObjectDef
    url: str
    words: str
    ago: str
    at: datetime


@dataclass
class RecordPage:
    """One record with everything its page shows."""

    room: Room
    item: ObjectDef
    values: dict[str, Any]

    @classmethod
    def open(cls, room: Room, record_id: str) -> RecordPage:
        """The page of a record by its Id of 15 or 18 characters. Missing if this Org has none."""
        item = room.registry.object_for_id(record_id)
        values = room.snapshot.record(item.name, record_id) if item else None
        if item is None or values is None:
            raise Missing
        return cls(room, item, values)

    @property
    def record_id(self) -> str:
        return str(self.values["Id"])

    @cached_property
    def name(self) -> str:
        return names_of(self.room.snapshot, [self.record_id])[self.record_id]

    @property
    def later(self) -> bool:
        """Whether the record is dated after the today of the desk."""
        dated = written_at(self.item)
        value = self.values.get(dated.name) if dated else None
        return after_today(value, self.room.desk.today, self.room.registry.zone)

    @cached_property
    def shower(self) -> Shower:
        return Shower(self.room, self.values.values())

    @cached_property
    def highlights(self) -> list[tuple[str, SafeString]]:
        """The facts under the title: label and value, at most five."""
        wanted = list(self.item.highlights) or [f.name for f in self._short_fields()]
        paths = [path for path in wanted if self._exists(path)][:MOST_HIGHLIGHTS]
        spec = QuerySpec(self.item.name, select=("Id", *paths), where=Compare("Id", "eq", self.record_id), limit=1)
        row = self.room.run(spec).rows[0][1:]
        self.shower.learn(row)
        found = [field_path(self.room.registry, self.item, path) for path in paths]
        return [(path.label, self.shower.html(path.field, v, full=True)) for path, v in zip(found, row, strict=True)]

    def _short_fields(self) -> list[FieldDef]:
        return [f for f in self.item.fields if f.type not in {"text", "id"} and f.name != self.item.name_field]

    def _exists(self, path: str) -> bool:
        try:
            return path != "Id" and bool(field_path(self.room.registry, self.item, path))
        except UnknownField:
            return False

    @cached_property
    def path(self) -> list[tuple[str, str]]:
        """The steps of a status: (name, done|now|ahead); nothing where the field has no known order."""
        field = next((self.item.field(name) for name in _PATHS if self.item.has(name)), None)
        now = self.values.get(field.name) if field else None
        if field is None or len(field.values) < 2 or now not in field.values:
            return []
        here = field.values.index(now)
        states = ["done" if place < here else "now" if place == here else "ahead" for place in range(len(field.values))]
        return list(zip(field.values, states, strict=True))

    @property
    def step(self) -> int:
        return next((place for place, (_name, state) in enumerate(self.path, 1) if state == "now"), 0)

    @property
    def read_apart(self) -> str:
        """The text that has a reader of its own on the page, if it holds anything."""
        name = reading.READERS.get(self.item.name, "")
        return name if self.values.get(name) else ""

    @cached_property
    def sections(self) -> list[tuple[str, list[tuple[str, str, SafeString, bool]]]]:
        """Titled blocks of (label, help, value, wide)."""
        named = {name for section in self.item.sections for name in section.fields}
        rest = tuple(f.name for f in self.item.fields if f.name not in named and f.name != "Id")
        blocks = list(self.item.sections)
        if rest:
            blocks.append(Section(_("More") if blocks else _("Details"), rest))
        return [(block.title, fields) for block in blocks if (fields := self._block(block))]

    def _block(self, section: Section) -> list[tuple[str, str, SafeString, bool]]:
        fields = [self.item.field(name) for name in section.fields if self.item.has(name) and name != self.read_apart]
        # The highlights show the Id already: it needs no block of its own.
        if [field.type for field in fields] == ["id"]:
            return []
        shown = []
        for field in fields:
            value = self.values.get(field.name)
            wide = field.type == "text" or (isinstance(value, str) and len(value) > 60)
            shown.append((field.label, field.help, self.shower.html(field, value, full=True), wide))
        return shown

    @cached_property
    def related(self) -> list[Related]:
        """Related lists in the order of the layout; records without children have a head that says so."""
        return [self._related(entry) for entry in self._related_lists() if not self._shown_before(entry)]

    def _shown_before(self, entry: RelatedList) -> bool:
        """Whether a second lookup of the same child only leads to records its first list shows already."""
        first = next(one for one in self._related_lists() if one.object == entry.object)
        if first.field == entry.field:
            return False
        here = Compare(entry.field, "eq", self.record_id)
        both = And(Compare(first.field, "eq", self.record_id), here)
        counts = [self.room.count(QuerySpec(entry.object, where=where)) for where in (here, both)]
        return counts[0] == counts[1] > 0

    def _related_lists(self) -> list[RelatedList]:
        laid_out = [entry for entry in self.item.related if self._points_here(entry)]
        known = {(entry.object, entry.field) for entry in laid_out}
        others = [
            RelatedList(child.name, field.name)
            for child, field in self.room.registry.references_to(self.item.name)
            if (child.name, field.name) not in known
        ]
        return [*laid_out, *others]

    def _points_here(self, entry: RelatedList) -> bool:
        registry = self.room.registry
        return registry.has(entry.object) and registry.object(entry.object).has(entry.field)

    def _related(self, entry: RelatedList) -> Related:
        child = self.room.registry.object(entry.object)
        view = ListView(self.room, child, _address(entry, self.record_id), days=False)
        paths = [p for p in self._columns(child, entry) if p.path != entry.field]
        view.columns = tuple(paths)
        count = view.total
        url = f"{self.room.list_url(child.name)}?{urlencode(view.criteria.pairs())}"
        heads = tuple((p.label, column_css(p)) for p in paths)
        rows = tuple(_first_rows(view)) if count else ()
        label = self._label(child, entry)
        return Related(child, label, count, heads, rows, url, child.name == "EmailMessage" and count > 0)

    def _label(self, child: ObjectDef, entry: RelatedList) -> str:
        """The plural of the child; where a second lookup of it leads here, which one this is."""
        first = next(one for one in self._related_lists() if one.object == child.name)
        return child.plural if first.field == entry.field else f"{child.plural} ({child.field(entry.field).label})"

    def _columns(self, child: ObjectDef, entry: RelatedList) -> list[FieldPath]:
        if not entry.columns:
            return own_columns(self.room, child)[:5]
        found = []
        for path in entry.columns:
            try:
                found.append(field_path(self.room.registry, child, path))
            except UnknownField:
                continue
        return found

    @cached_property
    def timeline(self) -> list[Happening]:
        """The latest dated children, newest first, counted back from the today of the desk."""
        found: list[Happening] = []
        for entry in self._related_lists():
            child = self.room.registry.object(entry.object)
            dated = written_at(child)
            if dated is not None:
                found += self._happenings(child, entry, dated)
        # A mail that points here twice is one line.
        once = {line.url: line for line in found}
        return sorted(once.values(), key=lambda line: line.at, reverse=True)[:TIMELINE]

    def _happenings(self, child: ObjectDef, entry: RelatedList, dated: FieldDef) -> list[Happening]:
        change = [name for name in ("Field__c", "NewValue__c") if child.has(name)]
        spec = QuerySpec(
            child.name,
            select=tuple(dict.fromkeys(["Id", dated.name, child.name_field, *change])),
            where=Compare(entry.field, "eq", self.record_id),
            order=(Order(dated.name, descending=True),),
            limit=TIMELINE,
        )
        result = self.room.run(spec)
        self.shower.learn(row[0] for row in result.rows)
        lines = []
        for row in result.rows:
            values = dict(zip(result.columns, row, strict=True))
            if isinstance(at := values[dated.name], date):
                lines.append(self._line(child, values, at))
        return lines

    def _line(self, child: ObjectDef, values: dict[str, Any], at: date) -> Happening:
        words = self.shower.names[values["Id"]]
        if values.get("Field__c"):
            new = values.get("NewValue__c") or ""
            self.shower.learn([new])
            words = f"{values['Field__c']}: {self.shower.names.get(new, new)}".removesuffix(": ")
        zone = self.room.registry.zone
        when = at if isinstance(at, datetime) else datetime.combine(at, time(), ZoneInfo(zone))
        return Happening(child, self.room.record_url(values["Id"]), words, ago(at, self.room.desk.today, zone), when)


def _address(entry: RelatedList, record_id: str) -> QueryDict:
    """The address of a related list: one condition, the lookup is this record."""
    return QueryDict(urlencode({"c": entry.field, "o": "eq", "v": record_id}))


def _first_rows(view: ListView) -> list[Row]:
    view.spec = replace(view.spec, limit=RELATED_ROWS)
    return view.rows
