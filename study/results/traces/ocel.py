"""The trace as an object-centric event log: OCEL 2.0 in JSON, written event by event.

Objects are the participant, the visit, each attempt, and every record that was met, under the API name of its object.
An event names its visit (``in``), the attempt it served (``for``) and its records (``opened``, ``shown``, ``copied``,
``related to``, ``marked``). Types and objects stand after the events, when it is known which there are: the order of
the members of a JSON object says nothing. Attribute values are texts, as the JSON schema of the standard has it; their
type is declared with the event type.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from study.results.traces.reading import Event, Place, VisitFacts, events_at

PARTICIPANT, VISIT, ATTEMPT = "participant", "visit", "attempt"
EVENT_ATTRIBUTES = (
    ("part", "string"), ("sequence", "integer"), ("object", "string"), ("n", "integer"), ("query", "string"),
    ("address", "string"), ("visible_ms", "integer"), ("focused_ms", "integer"), ("idle_ms", "integer"),
    ("copied", "integer"), ("odd", "boolean"),
)  # fmt: skip
OBJECT_ATTRIBUTES = {
    PARTICIPANT: (("simulated", "boolean"),),
    VISIT: (
        ("arm", "string"), ("condition", "string"), ("period", "integer"), ("org_hash", "string"),
        ("language", "string"),
    ),
    ATTEMPT: (("position", "integer"), ("instance", "string"), ("task", "string"), ("today", "string")),
}  # fmt: skip
RECORD_ATTRIBUTES = (("record", "string"), ("org_hash", "string"))
# Where an event's record is not one that was read.
_TO_RECORD = {"related": "related to", "thread": "related to", "favourite": "marked", "filter": "related to"}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def ocel_of(
    visits: Callable[[], Iterator[VisitFacts]],
    places: Callable[[], Iterator[Place]],
    counted: Callable[[], None],
    record_type: Callable[[str, str], str],
) -> Iterator[str]:
    """The text of the file, piece by piece. ``record_type``: the object a record of an Org is of, "" for none."""
    kinds: set[str] = set()
    with _met() as met:
        yield '{"events":[\n'
        before = ""
        for place in places():
            for piece in _events(place, kinds, met, record_type):
                yield before + piece
                before = ",\n"
                counted()
        yield '\n],"objects":[\n'
        before = ""
        for thing in _objects(visits(), places(), met):
            yield before + _encode(thing)
            before = ",\n"
        types = [_type(kind, EVENT_ATTRIBUTES) for kind in sorted(kinds)]
        yield f'\n],"eventTypes":{_encode(types)}'
        things = [_type(name, OBJECT_ATTRIBUTES[name]) for name in OBJECT_ATTRIBUTES]
        things += [_type(name, RECORD_ATTRIBUTES) for name in met.types()]
        yield f',"objectTypes":{_encode(things)}}}\n'


def _type(name: str, attributes: Iterable[tuple[str, str]]) -> dict[str, Any]:
    return {"name": name, "attributes": [{"name": one, "type": kind} for one, kind in attributes]}


def _attributes(pairs: Iterable[tuple[str, Any]]) -> list[dict[str, str]]:
    return [{"name": name, "value": _text(value)} for name, value in pairs if value not in (None, "")]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


class Met:
    """The records that events named, each once, on disk: there may be more of them than memory should hold."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute("CREATE TABLE met (id TEXT PRIMARY KEY, type TEXT, record TEXT, org TEXT) WITHOUT ROWID")
        self.waiting: set[tuple[str, str, str, str]] = set()

    def add(self, row: tuple[str, str, str, str]) -> None:
        self.waiting.add(row)
        if len(self.waiting) >= 20_000:
            self.write()

    def write(self) -> None:
        self.connection.executemany("INSERT OR IGNORE INTO met VALUES (?, ?, ?, ?)", sorted(self.waiting))
        self.waiting.clear()

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        self.write()
        yield from self.connection.execute("SELECT id, type, record, org FROM met ORDER BY id")

    def types(self) -> list[str]:
        self.write()
        return [row[0] for row in self.connection.execute("SELECT DISTINCT type FROM met ORDER BY type")]


@contextmanager
def _met() -> Iterator[Met]:
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "met.sqlite3", isolation_level=None)
        connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-16384;")
        try:
            yield Met(connection)
        finally:
            connection.close()


def _events(place: Place, kinds: set[str], met: Met, record_type: Callable[[str, str], str]) -> Iterator[str]:
    org = place.visit.org_hash
    around = [{"objectId": place.visit.name, "qualifier": "in"}]
    if place.position:
        around.append({"objectId": place.name, "qualifier": "for"})
    for event in events_at(place.desk):
        kinds.add(event.kind)
        links = list(around)
        for record, qualifier in _records(event):
            kind = record_type(org, record)
            if kind:
                one = f"{org[:12]}/{record}"
                met.add((one, kind, record, org))
                links.append({"objectId": one, "qualifier": qualifier})
        yield _encode(
            {
                "id": f"{place.name}/{event.sequence}",
                "type": event.kind,
                "time": event.at.isoformat(timespec="milliseconds"),
                "attributes": _attributes(_of_event(place, event)),
                "relationships": links,
            }
        )


def _of_event(place: Place, event: Event) -> Iterator[tuple[str, Any]]:
    yield from (("part", place.part), ("sequence", event.sequence), ("object", event.object), ("n", event.n))
    yield "query", None if event.query is None else _encode(event.query)
    yield "address", event.address
    if event.fact:
        visible, focused, idle, copied, odd = event.fact
        yield from (("visible_ms", visible), ("focused_ms", focused), ("idle_ms", idle))
        yield from (("copied", len(copied)), ("odd", odd or None))


def _records(event: Event) -> Iterator[tuple[str, str]]:
    shown = dict.fromkeys(event.shown)
    yield from ((one, "opened" if event.kind == "record" else "shown") for one in shown)
    if event.record and event.record not in shown:
        yield event.record, _TO_RECORD.get(event.kind, "about")
    if event.fact:
        yield from ((one, "copied") for one in event.fact[3])


def _objects(visits: Iterator[VisitFacts], places: Iterator[Place], met: Met) -> Iterator[dict[str, Any]]:
    told = ""
    for visit in visits:
        begun = visit.begun_at.isoformat(timespec="milliseconds")
        if visit.participant != told:
            told = visit.participant
            yield _object(told, PARTICIPANT, begun, [("simulated", visit.simulated)], [])
        facts = [(name, getattr(visit, name)) for name, _kind in OBJECT_ATTRIBUTES[VISIT]]
        yield _object(visit.name, VISIT, begun, facts, [(visit.participant, "of")])
    for place in places:
        if place.position:
            when = (place.started_at or place.visit.begun_at).isoformat(timespec="milliseconds")
            facts = [(name, getattr(place, name)) for name, _kind in OBJECT_ATTRIBUTES[ATTEMPT]]
            yield _object(place.name, ATTEMPT, when, facts, [(place.visit.name, "in")])
    for name, kind, record, org in met.rows():
        yield _object(name, kind, "1970-01-01T00:00:00Z", [("record", record), ("org_hash", org)], [])


def _object(
    name: str, kind: str, when: str, facts: Iterable[tuple[str, Any]], links: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    return {
        "id": name,
        "type": kind,
        "attributes": [{**one, "time": when} for one in _attributes(facts)],
        "relationships": [{"objectId": one, "qualifier": qualifier} for one, qualifier in links],
    }
