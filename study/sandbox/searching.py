"""The search page: hits by object with the words marked, one object at a time when asked, suggestions while typing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from study.sandbox.registry import ObjectDef
from study.sandbox.rooms import Room
from study.sandbox.search import Hit, ObjectHits, SearchResult, search, type_ahead

EACH, ALONE = 5, 50
SUGGESTED = 6


@dataclass
class Search:
    """One search text at a desk; ``only`` narrows it to one object."""

    room: Room
    raw: str
    only: str

    @property
    def text(self) -> str:
        return self.raw.strip()[:400]

    @cached_property
    def result(self) -> SearchResult:
        """Hits per object, the objects of the tabs first."""
        found = search(self.room.snapshot, self.text, self.only or None, limit=ALONE if self.only else EACH)
        places = {item.name: place for place, item in enumerate(self.room.objects)}
        return SearchResult(
            found.text, tuple(sorted(found.objects, key=lambda one: places[one.object])), found.exact, found.total
        )

    @cached_property
    def groups(self) -> list[tuple[ObjectDef, ObjectHits, list[tuple[str, Hit]]]]:
        """(object, its hits, [(address, hit)]) for every object that holds the text."""
        registry = self.room.registry
        return [
            (registry.object(one.object), one, [(self.room.record_url(hit.id), hit) for hit in one.hits])
            for one in self.result.objects
        ]

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
        return [(self.room.registry.object(hit.object), self.room.record_url(hit.id), hit) for hit in hits]

    @property
    def query(self) -> dict[str, Any]:
        """What the trace keeps: the text and the hits per object."""
        return {"text": self.text, "only": self.only, "hits": {one.object: one.count for one in self.result.objects}}
