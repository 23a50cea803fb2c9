"""Related lists: the records that point to one record, with exact counts, a filter each and a page each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from study.sandbox.engine.errors import UnknownField
from study.sandbox.engine.queryspec import And, Compare, Condition, Group, Measure, Order, QuerySpec
from study.sandbox.engine.registry import FieldDef, ObjectDef, RelatedList
from study.sandbox.gui.fieldpaths import FieldPath, field_path
from study.sandbox.gui.listing import ListView, Row, own_columns
from study.sandbox.gui.reading import MAIL
from study.sandbox.gui.rooms import Missing, Room

ROWS = 5
# The history of a case is read whole.
ROWS_OF = {"CaseHistory__c": 20}
# Lists further down are fetched when they come into view.
AT_ONCE = 6
TEXT, PICK = "f.", "p."
# Lookups that need no name beside the records they lead to.
_USUAL = frozenset({"Owner", "Parent"})


@dataclass(frozen=True)
class Link:
    """One way records point here: the child object and its lookup. ``key`` names it in addresses: Case.AccountId."""

    child: ObjectDef
    field: FieldDef
    columns: tuple[str, ...] = ()
    label: str = ""

    @property
    def key(self) -> str:
        return f"{self.child.name}.{self.field.name}"

    def here(self, record_id: str) -> Compare:
        return Compare(self.field.name, "eq", record_id)


@dataclass
class RelatedView(ListView):
    """A list of the records that point to one record; everything else is as in any list."""

    parent: str = field(kw_only=True)
    link: Link = field(kw_only=True)

    @cached_property
    def columns(self) -> tuple[FieldPath, ...]:
        """The columns of the related list; the lookup itself would say the same in each row."""
        if not self.chosen_columns and self.link.columns:
            found = _existing(self.room, self.item, self.link.columns)
        else:
            found = list(ListView.columns.func(self))  # type: ignore[attr-defined]
        return tuple(path for path in found if path.path not in {self.link.field.name, "Id"})

    @cached_property
    def spec(self) -> QuerySpec:
        spec: QuerySpec = ListView.spec.func(self)  # type: ignore[attr-defined]
        here: Condition = self.link.here(self.parent)
        return replace(spec, where=And(here, spec.where) if spec.where else here)

    @property
    def base(self) -> str:
        return f"{self.room.record_url(self.parent)}related/{self.link.key}/"

    def address(self, **changes: Any) -> str:
        return self.room.address(self.base, self.pairs(**changes))

    @cached_property
    def known(self) -> int | None:
        """The exact count: a lookup is indexed, so nobody waits for it."""
        return self.total

    @property
    def as_list(self) -> str:
        """The same records as an ordinary list, where every filter is."""
        pairs = [("c", self.link.field.name), ("o", "eq"), ("v", self.parent), *self.criteria.pairs()]
        return self.room.address(self.room.list_url(self.item.name), pairs)

    @cached_property
    def whole(self) -> int:
        """How many records point here, whatever the filter."""
        return self.room.count(QuerySpec(self.item.name, where=self.link.here(self.parent)))

    @cached_property
    def pick(self) -> FieldDef | None:
        """The first picklist of the object, which the list's own menu filters by."""
        return first_pick(self.item)

    @property
    def picked(self) -> str:
        ticked = self.criteria.ticked(self.pick.name) if self.pick else ()
        return ticked[0] if len(ticked) == 1 else ""

    @cached_property
    def picks(self) -> list[tuple[str, str]]:
        """Values of that picklist as they occur here, with their counts."""
        if self.pick is None:
            return []
        spec = QuerySpec(
            self.item.name,
            where=self.link.here(self.parent),
            groups=(Group(self.pick.name, alias="value"),),
            measures=(Measure("count", alias="n"),),
            order=(Order("n", descending=True),),
            limit=50,
        )
        return [(str(value), f"{value} ({n:,})") for value, n in self.room.run(spec).rows if value]


@dataclass(frozen=True)
class Related:
    """A related list as a record page shows it. ``rows`` is None where they are fetched later."""

    link: Link
    label: str
    count: int
    found: int
    heads: list[dict[str, Any]]
    rows: tuple[Row, ...] | None
    url: str
    text: str
    picked: str
    pick: FieldDef | None

    @property
    def item(self) -> ObjectDef:
        return self.link.child

    @property
    def key(self) -> str:
        return self.link.key

    @property
    def filtered(self) -> bool:
        return bool(self.text or self.picked)

    @property
    def filters(self) -> bool:
        """Whether a filter is of use: more records than the page shows."""
        return self.rows is not None and self.count > ROWS and bool(self.item.searched or self.pick)

    @property
    def thread(self) -> bool:
        return self.item.name == MAIL and self.count > 0


@dataclass
class RelatedLists:
    """All related lists of one record, in the order of its layout."""

    room: Room
    item: ObjectDef
    record_id: str
    given: QueryDict

    @cached_property
    def links(self) -> list[Link]:
        """The lists of the layout, then every other lookup that may point here."""
        registry = self.room.registry
        pointing = {(child.name, field.name): (child, field) for child, field in registry.references_to(self.item.name)}
        laid_out = [entry for entry in self.item.related if (entry.object, entry.field) in pointing]
        known = {(entry.object, entry.field) for entry in laid_out}
        entries = [*laid_out, *(RelatedList(*key) for key in pointing if key not in known)]
        return [Link(*pointing[(e.object, e.field)], e.columns) for e in entries]

    def link(self, key: str) -> Link:
        """The link an address names. Missing if nothing points here so."""
        found = next((link for link in self.links if link.key == key), None)
        if found is None:
            raise Missing
        return found

    def label(self, link: Link) -> str:
        """The plural of the child; where several of its lookups lead here, which one this is, if not the usual."""
        several = sum(one.child.name == link.child.name for one in self.links) > 1
        usual = link.field.relationship in {*_USUAL, self.item.name.removesuffix("__c")}
        plural = link.child.plural
        return f"{plural} ({link.field.label})" if several and not usual else plural

    def count(self, link: Link) -> int:
        return self.counts[link.key]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many records point here, for every link."""
        here = {link.key: QuerySpec(link.child.name, where=link.here(self.record_id)) for link in self.links}
        return {key: self.room.count(spec) for key, spec in here.items()}

    @cached_property
    def lists(self) -> list[Related]:
        """Lists that hold records, each with its first rows."""
        shown = [(link, n) for link in self.links if (n := self.count(link)) and not self._shown_before(link, n)]
        return [self.related(link, n, rows=place < AT_ONCE) for place, (link, n) in enumerate(shown)]

    @cached_property
    def empty(self) -> list[tuple[Link, str]]:
        """What could point here and does not."""
        return [(link, self.label(link)) for link in self.links if not self.count(link)]

    def _shown_before(self, link: Link, count: int) -> bool:
        """Whether a second lookup of the same child only leads to records its first list shows already."""
        first = next(one for one in self.links if one.child.name == link.child.name)
        if first.key == link.key:
            return False
        both = And(first.here(self.record_id), link.here(self.record_id))
        return self.room.count(QuerySpec(link.child.name, where=both)) == count

    def view(self, link: Link, given: QueryDict, **options: Any) -> RelatedView:
        return RelatedView(self.room, link.child, given, parent=self.record_id, link=link, **options)

    def related(self, link: Link, count: int, *, rows: bool = True) -> Related:
        """One list with its first rows under its own filter."""
        text = self.given.get(TEXT + link.key, "").strip()
        picked = self.given.get(PICK + link.key, "")
        pick = first_pick(link.child)
        label, url = self.label(link), f"{self.room.record_url(self.record_id)}related/{link.key}/"
        pairs = [("q", text)] if text else []
        if picked and pick:
            pairs.append((f"s.{pick.name}", picked))
        if not rows and not pairs:
            return Related(link, label, count, count, [], None, url, text, picked, pick)
        view = self.view(link, QueryDict(urlencode(pairs)), days=False)
        view.spec = replace(view.spec, limit=ROWS_OF.get(link.child.name, ROWS))
        found = view.total if pairs else count
        shown = tuple(view.rows) if found else ()
        return Related(link, label, count, found, view.heads, shown, view.address(), text, picked, pick)


def first_pick(item: ObjectDef) -> FieldDef | None:
    """The first picklist of an object that has more than one value."""
    return next((field for field in item.fields if field.type == "picklist" and len(field.values) > 1), None)


def _existing(room: Room, child: ObjectDef, columns: tuple[str, ...]) -> list[FieldPath]:
    found = []
    for path in columns:
        try:
            found.append(field_path(room.registry, child, path))
        except UnknownField:
            continue
    return found or own_columns(room, child)[:5]
