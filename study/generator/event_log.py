"""Event logs: a CSV with a case, an activity, a time and a resource on each line, or OCEL as JSON or CSV."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

_COLUMNS = {
    "case": ("case", "case_id", "caseid", "case:concept:name"),
    "activity": ("activity", "concept:name", "event"),
    "time": ("time", "timestamp", "time:timestamp"),
}
_MOST_BYTES = 500_000_000


class EventLogError(ValueError):
    """A log that cannot be read; the text names line or event and what is missing."""


@dataclass(frozen=True)
class Case:
    """``began`` is the first event by the clock it was written down by; ``hours`` from there to the last."""

    began: datetime
    hours: float


@dataclass(frozen=True)
class _Event:
    case: str
    at: datetime


def read_log(path: Path) -> list[Case]:
    """The cases of a log, in the order they began. EventLogError."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise EventLogError(f"{path.name} is larger than 500 MB. Cut it down to a few years of cases.")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise EventLogError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise EventLogError(f"{path.name} is not UTF-8. Save it as UTF-8.") from None
    if text.lstrip().startswith("{"):
        return _cases(_from_json(path.name, text))
    return _cases(_from_csv(path.name, text))


def _cases(events: Iterable[_Event]) -> list[Case]:
    first: dict[str, datetime] = {}
    last: dict[str, datetime] = {}
    for event in events:
        known = event.case in first
        if not known or _instant(event.at) < _instant(first[event.case]):
            first[event.case] = event.at
        if not known or _instant(event.at) > _instant(last[event.case]):
            last[event.case] = event.at
    cases = [Case(at, (_instant(last[name]) - _instant(at)) / 3600) for name, at in first.items()]
    return sorted(cases, key=lambda case: (_instant(case.began), case.hours))


def _instant(at: datetime) -> float:
    """Seconds; a time without zone is read as UTC, which only matters between times of the same log."""
    offset = at.utcoffset()
    naive = at.replace(tzinfo=None)
    return (naive - datetime(1970, 1, 1)).total_seconds() - (offset.total_seconds() if offset else 0)


def _from_csv(name: str, text: str) -> Iterator[_Event]:
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.DictReader(text.splitlines(), delimiter=delimiter)
    columns = {column.strip().lower(): column for column in reader.fieldnames or () if column}
    if "ocel:timestamp" in columns:
        yield from _from_ocel_csv(name, reader, columns)
        return
    found: dict[str, str] = {}
    for what, names in _COLUMNS.items():
        column = next((columns[one] for one in names if one in columns), None)
        if column is None:
            raise EventLogError(
                f"{name} has no column {what}. The first line must name case, activity, time and resource."
            )
        found[what] = column
    for line, row in enumerate(reader, 2):
        case = (row[found["case"]] or "").strip()
        if not case:
            raise EventLogError(f"{name}, line {line}: the case is empty.")
        yield _Event(case, _time(f"{name}, line {line}", row[found["time"]]))


def _from_ocel_csv(name: str, reader: Iterable[dict[str, Any]], columns: dict[str, str]) -> Iterator[_Event]:
    """Columns ``ocel:type:X`` list the objects of a type; the type that most events name is taken for the case."""
    types = [column for key, column in columns.items() if key.startswith("ocel:type:")]
    if not types:
        raise EventLogError(f"{name} has no column that begins with ocel:type: and so no objects.")
    told = [
        (_time(f"{name}, line {line}", row[columns["ocel:timestamp"]]), {kind: _listed(row[kind]) for kind in types})
        for line, row in enumerate(reader, 2)
    ]
    yield from _of_leading_type(told)


def _listed(text: str | None) -> list[str]:
    return [part.strip(" '\"") for part in (text or "").strip("[] ").split(",") if part.strip(" '\"")]


def _from_json(name: str, text: str) -> Iterator[_Event]:
    try:
        raw = json.loads(text)
        if "ocel:events" in raw:
            kinds = {key: str(one["ocel:type"]) for key, one in raw.get("ocel:objects", {}).items()}
            events = [(one["ocel:timestamp"], one.get("ocel:omap", [])) for one in raw["ocel:events"].values()]
        else:
            kinds = {str(one["id"]): str(one["type"]) for one in raw["objects"]}
            events = [
                (one["time"], [link["objectId"] for link in one.get("relationships", [])]) for one in raw["events"]
            ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EventLogError(f"{name} is no OCEL log: {error!r}.") from None
    told = []
    for number, (at, names) in enumerate(events, 1):
        by_kind: dict[str, list[str]] = {}
        for one in names:
            by_kind.setdefault(kinds.get(str(one), ""), []).append(str(one))
        told.append((_time(f"{name}, event {number}", at), by_kind))
    yield from _of_leading_type(told)


def _of_leading_type(told: list[tuple[datetime, dict[str, list[str]]]]) -> Iterator[_Event]:
    named = Counter(kind for _, kinds in told for kind, names in kinds.items() if kind and names)
    if not named:
        raise EventLogError("No event of the log names an object.")
    leading = min(named, key=lambda kind: (-named[kind], kind))
    for at, kinds in told:
        for case in kinds.get(leading, ()):
            yield _Event(case, at)


def _time(where: str, text: object) -> datetime:
    try:
        return datetime.fromisoformat(str(text or "").strip())
    except ValueError:
        raise EventLogError(f"{where}: {str(text)[:40]!r} is no time. Write it as 2025-03-14T09:26:53+01:00.") from None
