"""What a course of events says: per object, and how somebody searched. Pure, in one pass over the events of a desk.

The rules, which ``docs/trace.md`` states as well:

- A record is *opened* when its page was opened or when it stood in full in an e-mail thread.
- *Active seconds* of an object: from each of its events to the next one at the desk, at most five minutes each; the
  last event counts nothing, since nobody knows when its reader left (method M15).
- A *search* is a text looked for everywhere. A *filter* is a list or report with at least one condition, a word looked
  for in a list, or a query of the console. Asking the same again (the next page, another order) is no new one.
- A *reformulation* is a search or filter that follows another one at the same desk with other terms before any record
  was opened in between.
- Time in view, with the window in front and idle, and Ids copied, are client facts: added up where they were plausible,
  never used for anything else (P-19).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

# A longer silence is a break: it counts as this much (method M15).
LONGEST_GAP = timedelta(minutes=5)
RECORD, THREAD, SEARCH, CONSOLE = "record", "thread", "search", "console"
LISTS = frozenset({"list", "report"})
# What a list or report asks, as against how it is shown.
_TERMS = ("where", "having", "match", "object")


class Happened(Protocol):
    """An event, as the trace keeps it."""

    @property
    def sequence(self) -> int: ...
    @property
    def at(self) -> datetime: ...
    @property
    def kind(self) -> str: ...
    @property
    def object(self) -> str: ...
    @property
    def record(self) -> str: ...
    @property
    def query(self) -> Any: ...


class Told(Protocol):
    """What a page reported of itself."""

    @property
    def visible_ms(self) -> int: ...
    @property
    def focused_ms(self) -> int: ...
    @property
    def idle_ms(self) -> int: ...
    @property
    def copied(self) -> list[str]: ...
    @property
    def odd(self) -> bool: ...


@dataclass
class OfObject:
    """What was done with one object."""

    records: set[str] = field(default_factory=set)
    openings: int = 0
    active_seconds: float = 0.0
    filters: int = 0
    visible_ms: int = 0
    focused_ms: int = 0
    idle_ms: int = 0
    reported: bool = False
    copied: set[str] = field(default_factory=set)

    def add(self, other: OfObject) -> None:
        """Take in what was done with the same object at another desk."""
        self.records |= other.records
        self.copied |= other.copied
        self.reported |= other.reported
        for name in ("openings", "active_seconds", "filters", "visible_ms", "focused_ms", "idle_ms"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class DeskCourse:
    """What the events of one desk say."""

    objects: dict[str, OfObject] = field(default_factory=dict)
    searches: int = 0
    filters: int = 0
    reformulations: int = 0

    def of(self, name: str) -> OfObject:
        return self.objects.setdefault(name, OfObject())

    @property
    def opened(self) -> set[tuple[str, str]]:
        """(object, record) of every record that was opened."""
        return {(name, one) for name, found in self.objects.items() for one in found.records}


def course_of(events: Iterable[Happened], told: Mapping[int, Told] | None = None) -> DeskCourse:
    """Everything in one pass. ``events``: of one desk in their order; ``told``: what pages reported, by event."""
    course = DeskCourse()
    before: Happened | None = None
    asked = ""
    opened_since = False
    for event in events:
        if before is not None and before.object:
            gap = min(event.at - before.at, LONGEST_GAP)
            course.of(before.object).active_seconds += max(gap.total_seconds(), 0.0)
        before = event
        if event.object:
            _note(course.of(event.object), event, (told or {}).get(event.sequence))
        if shown(event):
            opened_since = True
        terms = terms_of(event)
        if not terms or terms == asked:
            continue
        if event.kind == SEARCH:
            course.searches += 1
        else:
            course.filters += 1
            if event.object:
                course.of(event.object).filters += 1
        course.reformulations += bool(asked) and not opened_since
        asked, opened_since = terms, False
    return course


def _note(found: OfObject, event: Happened, fact: Told | None) -> None:
    records = shown(event)
    if records:
        found.records |= records
        found.openings += 1
    if fact is None:
        return
    found.copied |= set(fact.copied)
    if not fact.odd:
        found.reported = True
        found.visible_ms += fact.visible_ms
        found.focused_ms += fact.focused_ms
        found.idle_ms += fact.idle_ms


def shown(event: Happened) -> set[str]:
    """The records an event showed in full."""
    if event.kind == RECORD and event.record:
        return {event.record}
    if event.kind == THREAD and isinstance(event.query, dict):
        return {str(one) for one in event.query.get("shown", ())}
    return set()


def terms_of(event: Happened) -> str:
    """What an event asks for, "" where it asks nothing: two with the same terms are one question."""
    query = event.query if isinstance(event.query, dict) else {}
    if event.kind == SEARCH:
        text = " ".join(str(query.get("text", "")).casefold().split())
        return f"search {query.get('only', '')} {text}" if text else ""
    if event.kind == CONSOLE:
        text = " ".join(str(query.get("text", "")).split())
        return f"console {text}" if text else ""
    if event.kind in LISTS and (query.get("where") or query.get("having") or query.get("match")):
        return json.dumps({name: query.get(name) for name in _TERMS}, sort_keys=True)
    return ""
