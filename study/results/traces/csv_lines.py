"""The trace as one CSV: a row for each event, written as it is read. The rules of a cell are those of the bundle."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from analysis.cells import cell_text, csv_line
from study.results.traces.reading import Event, Place, events_at

# Column, kind of its cell (analysis.cells), what it is.
COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("visit", "string", "the visit, as in visits.id of the bundle"),
    ("participant", "string", "the person's code"),
    ("arm", "string", "the arm of the protocol"),
    ("condition", "string", "which of the arm's visits; empty in an arm with one"),
    ("period", "integer", "which visit of this person"),
    ("org_hash", "string", "the Org"),
    ("simulated", "boolean", "a simulated expert, not a person"),
    ("part", "string", "orientation, attempt or rating"),
    ("attempt", "integer", "place of the question in the order of the visit"),
    ("instance", "string", "the question worked on"),
    ("task", "string", "its kind"),
    ("today", "date", "the frozen today of the desk"),
    ("sequence", "integer", "number of the event at its desk, without gaps"),
    ("at", "datetime", "when, by the server's clock"),
    ("kind", "string", "what was done"),
    ("object", "string", "the object concerned"),
    ("record", "string", "the record concerned"),
    ("n", "integer", "how many records, hits or groups it showed"),
    ("query", "object", "what was asked, as it runs again in any later version"),
    ("address", "string", "the page below the address of the desk"),
    ("visible_ms", "integer", "milliseconds in view, by the browser's clock"),
    ("focused_ms", "integer", "of these with the window in front"),
    ("idle_ms", "integer", "of those in view: without any input for more than a minute"),
    ("copied", "list", "Ids of records copied from the page"),
    ("odd", "boolean", "the page reported times that cannot be; they are not kept"),
)
HEADER = csv_line([name for name, _kind, _text in COLUMNS]) + "\n"


def csv_of(places: Iterator[Place], counted: Callable[[], None]) -> Iterator[str]:
    """The lines of the file. ``counted`` is called once for each event."""
    yield HEADER
    for place in places:
        before = _before(place)
        for event in events_at(place.desk):
            yield f"{before},{csv_line(_cells(event))}\n"
            counted()


def _before(place: Place) -> str:
    visit = place.visit
    values = (
        visit.name, visit.participant, visit.arm, visit.condition, visit.period, visit.org_hash, visit.simulated,
        place.part, place.position, place.instance, place.task, place.today,
    )  # fmt: skip
    return csv_line([cell_text(value, kind) for value, (_, kind, _) in zip(values, COLUMNS, strict=False)])


def _cells(event: Event) -> list[str]:
    fact = event.fact or (None, None, None, None, None)
    query: Any = event.query
    values = (event.sequence, event.at, event.kind, event.object, event.record, event.n, None, event.address, *fact)
    found = [cell_text(value, kind) for value, (_, kind, _) in zip(values, COLUMNS[12:], strict=True)]
    # A search keeps a mapping; whatever else a version of the sandbox may have kept is written as it is.
    found[6] = "" if query is None else json.dumps(query, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return found
