"""The search page: hits by object with the words marked, one object at a time when asked, suggestions while typing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.utils.html import strip_tags

from study.sandbox.engine.queryspec import And, Compare, Order, QuerySpec
from study.sandbox.engine.registry import FOLDED, ObjectDef
from study.sandbox.engine.search import Hit, ObjectHits, SearchResult, Segments, search
from study.sandbox.engine.typing_ahead import type_ahead
from study.sandbox.engine.words import MAX_LENGTH, MAX_WORDS
from study.sandbox.gui.fieldpaths import FieldPath, field_path
from study.sandbox.gui.listing import own_columns
from study.sandbox.gui.presenting import Shower
from study.sandbox.gui.rooms import Room
from study.sandbox.models import TraceEvent

EACH, ALONE = 5, 25
SUGGESTED, RECENT = 6, 6
MOST_PAGES = 400
# Address, hit, and its name with the words marked where the name is what was found.
Shown = tuple[str, Hit, Segments]


@dataclass
class Search:
    """One search at a desk. ``only`` narrows it to one object, ``names`` to the names of records."""

    room: Room
    raw: str
    only: str = ""
    names: bool = False
    asked: str = ""

    @property
    def text(self) -> str:
        return self.raw.strip()[:MAX_LENGTH]

    @cached_property
    def page(self) -> int:
        """The page within one object; without one there is only the first."""
        asked = int(self.asked) if self.asked.isdecimal() and len(self.asked) < 6 else 1
        return min(max(asked, 1), MOST_PAGES) if self.only else 1

    @cached_property
    def result(self) -> SearchResult:
        """Hits per object, the objects of the tabs first."""
        limit = ALONE if self.only else EACH
        offset = (self.page - 1) * limit
        if self.names:
            found = self._by_name(limit, offset)
        else:
            found = search(self.room.snapshot, self.text, self.only or None, limit=limit, offset=offset)
        places = {item.name: place for place, item in enumerate(self.room.objects)}
        return replace(found, objects=tuple(sorted(found.objects, key=lambda one: places[one.object])))

    def _by_name(self, limit: int, offset: int) -> SearchResult:
        """Records whose name holds every word, in the order of their names."""
        words = self.text.split()[:MAX_WORDS]
        registry = self.room.registry
        items = [registry.object(self.only)] if self.only else list(registry.objects)
        found = []
        for item in items if words else []:
            if item.field(item.name_field).type not in FOLDED:
                continue
            where = And(*(Compare(item.name_field, "contains", word) for word in words))
            order = (Order(item.name_field),)
            select = tuple(dict.fromkeys(["Id", item.name_field]))
            spec = QuerySpec(item.name, select=select, where=where, order=order, limit=limit, offset=offset)
            if count := self.room.count(spec):
                hits = tuple(Hit(item.name, row[0], str(row[-1])) for row in self.room.run(spec).rows)
                found.append(ObjectHits(item.name, item.label, item.plural, count, hits))
        return SearchResult(self.text, tuple(found), None, sum(hits.count for hits in found))

    @cached_property
    def groups(self) -> list[tuple[ObjectDef, ObjectHits, list[Shown]]]:
        """(object, its hits, what is shown of each) for every object that holds the text."""
        registry, told = self.room.registry, told_apart(self.room, [h for one in self.result.objects for h in one.hits])
        return [
            (registry.object(one.object), one, [self._shown(told[hit.id]) for hit in one.hits])
            for one in self.result.objects
        ]

    def _shown(self, hit: Hit) -> Shown:
        """A snippet that only repeats the name is the name with its words marked."""
        url = self.room.record_url(hit.id)
        if "".join(text for text, _marked in hit.snippet) == hit.name:
            return url, replace(hit, snippet=()), hit.snippet
        return url, hit, ((hit.name, False),)

    @property
    def exact_id(self) -> str | None:
        """The record whose Id was typed."""
        return self.result.exact.id if self.result.exact else None

    @property
    def total(self) -> int:
        return self.result.total

    @cached_property
    def suggestions(self) -> list[tuple[ObjectDef, str, Hit]]:
        hits = type_ahead(self.room.snapshot, self.text, limit=SUGGESTED)
        told = told_apart(self.room, hits, ids=True)
        return [(self.room.registry.object(hit.object), self.room.record_url(hit.id), told[hit.id]) for hit in hits]

    @cached_property
    def item(self) -> ObjectDef | None:
        """The one object searched."""
        return self.room.registry.object(self.only) if self.only else None

    def address(self, **changes: Any) -> str:
        """This search with something changed: ``q``, ``only``, ``names`` or ``page``."""
        state: dict[str, Any] = {"q": self.text, "only": self.only, "names": self.names, "page": 1} | changes
        pairs: list[tuple[str, Any]] = [("q", state["q"])]
        pairs += [("in", state["only"])] if state["only"] else []
        pairs += [("names", 1)] if state["names"] else []
        pairs += [("page", state["page"])] if state["page"] > 1 else []
        return f"?{urlencode(pairs)}"

    @property
    def everywhere(self) -> str:
        return self.address(only="")

    @property
    def names_only(self) -> str:
        return self.address(names=True)

    @property
    def texts_too(self) -> str:
        return self.address(names=False)

    @property
    def scopes(self) -> list[tuple[ObjectDef, int, str]]:
        """(object, hits, the search narrowed to it) for every object that holds the text."""
        return [(item, hits.count, self.address(only=item.name)) for item, hits, _rows in self.groups]

    @property
    def earlier(self) -> str:
        return self.address(page=self.page - 1) if self.page > 1 else ""

    @property
    def next(self) -> str:
        return self.address(page=self.page + 1) if self._more and self.page < MOST_PAGES else ""

    @property
    def cut(self) -> bool:
        """Whether this is the last page there is although more was found."""
        return self._more and self.page == MOST_PAGES

    @property
    def _more(self) -> bool:
        return bool(self.only) and self.page * ALONE < self.total

    @property
    def first(self) -> int:
        return (self.page - 1) * ALONE + 1

    @property
    def last(self) -> int:
        return self.first - 1 + sum(len(rows) for _item, _hits, rows in self.groups)

    @cached_property
    def fewer(self) -> list[tuple[str, str, int]]:
        """Where all words together find nothing: (word, its search, its hits) for those that find something alone."""
        words = list(dict.fromkeys(self.text.split()))[:4]
        if len(words) < 2:
            return []
        found = [(word, search(self.room.snapshot, word, self.only or None, limit=1).total) for word in words]
        return [(word, self.address(q=word, names=False), n) for word, n in found if n]

    @property
    def query(self) -> dict[str, Any]:
        """What the trace keeps: the text and the hits per object."""
        kept: dict[str, Any] = {"text": self.text, "only": self.only}
        if self.names:
            kept["names"] = True
        return kept | {"hits": {one.object: one.count for one in self.result.objects}}


def searched_lately(room: Room) -> list[tuple[str, str]]:
    """(text, address) of the last searches at this desk, newest first, each text once."""
    events = TraceEvent.objects.filter(desk=room.desk, kind="search").order_by("-sequence")
    texts = (str((query or {}).get("text", "")) for query in events.values_list("query", flat=True)[: RECENT * 5])
    return [(text, f"?{urlencode({'q': text})}") for text in list(dict.fromkeys(filter(None, texts)))[:RECENT]]


def told_apart(room: Room, hits: list[Hit] | tuple[Hit, ...], *, ids: bool = False) -> dict[str, Hit]:
    """Every hit with a second fact beside its name; with ``ids``, two that would read the same carry their Ids."""
    found = {hit.id: hit for hit in hits}
    for name in dict.fromkeys(hit.object for hit in hits if not hit.second):
        bare = [hit.id for hit in hits if hit.object == name and not hit.second]
        seconds = _seconds(room, room.registry.object(name), bare)
        found |= {one: replace(found[one], second=seconds.get(one, "")) for one in bare}
    read = Counter((hit.object, hit.name, hit.second) for hit in found.values())
    twins = [hit for hit in found.values() if ids and read[hit.object, hit.name, hit.second] > 1]
    for hit in twins:
        found[hit.id] = replace(hit, second=f"{hit.second} · {hit.id}" if hit.second else hit.id)
    return found


def _seconds(room: Room, item: ObjectDef, ids: list[str]) -> dict[str, str]:
    """The first fact of the object's columns that each record has, as it is shown."""
    own = [field_path(room.registry, item, item.second_field)] if item.second_field else []
    listed = {p.path: p for p in (*own, *own_columns(room, item)) if p.path not in {item.name_field, "Id"}}
    paths: list[FieldPath] = list(listed.values())
    if not paths:
        return {}
    spec = QuerySpec(item.name, select=("Id", *listed), where=Compare("Id", "in", tuple(ids)))
    rows = room.run(spec).rows
    shower = Shower(room, (value for row in rows for value in row[1:]))
    found = {}
    for row in rows:
        facts = ((path, value) for path, value in zip(paths, row[1:], strict=True) if value not in (None, ""))
        path, value = next(facts, (None, None))
        if path is not None:
            found[row[0]] = strip_tags(shower.html(path.field, value, days=True))
    return found
