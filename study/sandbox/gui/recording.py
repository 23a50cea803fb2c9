"""Record pages: highlights, path, details, and everything that belongs to the record."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import UnknownField
from study.sandbox.engine.queryspec import Compare, QuerySpec
from study.sandbox.engine.registry import FieldDef, ObjectDef, Section
from study.sandbox.frozen_today import after_today, written_at
from study.sandbox.gui.fieldpaths import FieldPath, field_path
from study.sandbox.gui.finding import Finder, Finding
from study.sandbox.gui.line_items import CURRENCY, MONEY, LineGrid, money
from study.sandbox.gui.naming import names_of
from study.sandbox.gui.paths import Path, path_of
from study.sandbox.gui.people_pages import Owned, owned_by, states_of
from study.sandbox.gui.presenting import Shower
from study.sandbox.gui.readers import Reader, reader_of
from study.sandbox.gui.reading import CHATS, READERS
from study.sandbox.gui.related import PICK, TEXT, Related, RelatedLists
from study.sandbox.gui.rooms import Missing, Room
from study.sandbox.gui.timeline import WITHOUT, Timeline

MOST_HIGHLIGHTS = 5
# With fewer lists than this nobody needs a table of contents.
JUMPS = 3
# From this length on a text is worth a box that finds words in it.
LONG_TEXT = 1_200


@dataclass(frozen=True)
class Shown:
    """A field on the page; ``wide`` ones take a row of their own."""

    name: str
    label: str
    help: str
    html: SafeString
    wide: bool


@dataclass
class RecordPage:
    """One record with everything its page shows, in the state its address asks for."""

    room: Room
    item: ObjectDef
    values: dict[str, Any]
    given: QueryDict = field(default_factory=QueryDict)

    @classmethod
    def open(cls, room: Room, record_id: str, given: QueryDict | None = None) -> RecordPage:
        """The page of a record by its Id of 15 or 18 characters. Missing if this Org has none."""
        item = room.registry.object_for_id(record_id)
        values = room.snapshot.record(item.name, record_id) if item else None
        if item is None or values is None:
            raise Missing
        return cls(room, item, values, given if given is not None else QueryDict())

    @property
    def record_id(self) -> str:
        return str(self.values["Id"])

    @cached_property
    def name(self) -> str:
        return names_of(self.room.snapshot, [self.record_id])[self.record_id]

    @property
    def url(self) -> str:
        return self.room.record_url(self.record_id)

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
    def finder(self) -> Finder:
        """What is looked for on this page, ``find`` in its address."""
        return Finder(self.given.get("find", ""))

    @cached_property
    def findable(self) -> bool:
        """Whether the page holds a text long enough to look for words in."""
        texts = (f.name for f in self.item.fields if f.type == "text")
        return any(len(str(self.values.get(name) or "")) > LONG_TEXT for name in texts) or bool(self.reader)

    @cached_property
    def finding(self) -> Finding:
        """The hits of the page: the reader is read first, then the details."""
        read = (self.reader, self.sections)
        return Finding.of(self.finder, self.given.get("at", "") if any(read) else "")

    @cached_property
    def highlights(self) -> list[tuple[str, SafeString]]:
        """The facts under the title: label and value, at most five."""
        wanted = list(self.item.highlights) or [f.name for f in self._short_fields()]
        paths = [path for path in wanted if self._exists(path)][:MOST_HIGHLIGHTS]
        spec = QuerySpec(self.item.name, select=("Id", *paths), where=Compare("Id", "eq", self.record_id), limit=1)
        row = self.room.run(spec).rows[0][1:]
        self.shower.learn(row)
        found = [field_path(self.room.registry, self.item, path) for path in paths]
        return [(path.label, self._said(path, v)) for path, v in zip(found, row, strict=True)]

    def _said(self, path: FieldPath, value: Any) -> SafeString:
        return self._priced(path.field, value) if not path.steps else self.shower.html(path.field, value, full=True)

    def _priced(self, one: FieldDef, value: Any) -> SafeString:
        """A value as it is shown; an amount of a record with a currency says which."""
        code = self.values.get(CURRENCY)
        if code and one.name in MONEY and isinstance(value, int | float):
            return SafeString(escape(money(value, str(code))))
        return self.shower.html(one, value, full=True)

    def _short_fields(self) -> list[FieldDef]:
        return [f for f in self.item.fields if f.type not in {"text", "id"} and f.name != self.item.name_field]

    def _exists(self, path: str) -> bool:
        try:
            return path != "Id" and bool(field_path(self.room.registry, self.item, path))
        except UnknownField:
            return False

    @cached_property
    def path(self) -> Path | None:
        return path_of(self.item, self.values)

    @cached_property
    def reader(self) -> Reader | None:
        return reader_of(self.item, self.values, self.finder)

    @property
    def is_chat(self) -> bool:
        return self.item.name in CHATS

    @cached_property
    def sections(self) -> list[tuple[str, list[Shown]]]:
        """Titled blocks of fields; those no section names come last."""
        named = {name for section in self.item.sections for name in section.fields}
        rest = tuple(f.name for f in self.item.fields if f.name not in named and f.name != "Id")
        blocks = list(self.item.sections)
        if rest:
            blocks.append(Section(_("More") if blocks else _("Details"), rest))
        return [(block.title, fields) for block in blocks if (fields := self._block(block))]

    def _block(self, section: Section) -> list[Shown]:
        apart = READERS.get(self.item.name, "") if self.reader else ""
        fields = [self.item.field(name) for name in section.fields if self.item.has(name) and name != apart]
        # The highlights show the Id already: it needs no block of its own.
        if [one.type for one in fields] == ["id"]:
            return []
        return [self._shown(one) for one in fields]

    def _shown(self, one: FieldDef) -> Shown:
        value = self.values.get(one.name)
        wide = one.type == "text" or (isinstance(value, str) and len(value) > 60)
        if isinstance(value, str) and wide and value not in self.shower.names:
            html = self.shower.long(one, value, self.finder)
        else:
            html = self._priced(one, value)
        return Shown(one.name, one.label, one.help, html, wide)

    @cached_property
    def lists(self) -> RelatedLists:
        return RelatedLists(self.room, self.item, self.record_id, self.given)

    @cached_property
    def grid(self) -> LineGrid | None:
        return LineGrid.of(self.room, self.item, self.values, self.lists.links, self.lists.count)

    @cached_property
    def related(self) -> list[Related]:
        """Related lists that hold records; lines stand in their grid instead."""
        grid = self.grid.link.key if self.grid else ""
        return [one for one in self.lists.lists if one.key != grid]

    @property
    def empty(self) -> list[tuple[Any, str]]:
        return self.lists.empty

    @property
    def jumps(self) -> list[tuple[str, str, int]]:
        """(anchor, words, count): the table of contents of a page with many lists."""
        found = [(f"rel-{one.key}", one.label, one.count) for one in self.related]
        if self.grid:
            found.insert(0, (f"rel-{self.grid.link.key}", self.grid.item.plural, self.grid.count))
        return found if len(found) > JUMPS else []

    @cached_property
    def timeline(self) -> Timeline | None:
        """What happened and what is to come; None where nothing dated belongs to the record."""
        if self.item.name in WITHOUT:
            return None
        found = Timeline(self.room, self.lists.links, self.record_id, self.given, self.lists.counts)
        return found if found.total else None

    @cached_property
    def owned(self) -> list[Owned]:
        return owned_by(self.room, self.item, self.record_id)

    @cached_property
    def states(self) -> list[tuple[str, str]]:
        return states_of(self.room, self.item, self.values)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The state of the page's lists and timeline, for forms that change one part of it."""
        names = [name for name in self.given if name[:2] in {TEXT, PICK} or name in {"tl", "tn"}]
        return [(name, value) for name in names if (value := self.given.get(name, ""))]

    @property
    def carried(self) -> str:
        """That state for the address of a part of the page."""
        return urlencode([("part", "1"), *self.pairs])

    @property
    def state(self) -> dict[str, str]:
        """What the address asks beyond the record, for the trace."""
        return dict(self.pairs) | ({"find": self.finder.wanted} if self.finder.wanted else {})
