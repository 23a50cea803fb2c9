"""A record as people read it: labels and values, lookups by name, with what hangs together with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_write import quoted
from study.sandbox.engine.values import to_python
from study.sandbox.gui.naming import looks_like_id

_MONEY = frozenset({"UnitPrice", "TotalPrice", "Amount", "TotalAmount"})
_PERCENT = frozenset({"Discount", "Probability"})
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Sheet:
    """One record: what kind, its name and Id, short values, and long texts."""

    label: str
    name: str
    id: str
    values: tuple[tuple[str, str], ...]
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """Records that look up another one: a title, how many there are, columns, and the first rows."""

    title: str
    total: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def shown(one: FieldDef, value: Any, names: Mapping[str, tuple[str, str]]) -> str:
    """A value as a page shows it; empty for none. References by name where the record exists."""
    if value is None or value == "":
        return ""
    if one.type == "reference":
        return names[value][1] if value in names else str(value)
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        if one.name in _MONEY:
            return f"${value:,.2f}"
        return f"{value:g}%" if one.name in _PERCENT else f"{value:g}"
    return str(value)


def names_of(snapshot: Snapshot, item: ObjectDef, records: Iterable[Record]) -> dict[str, tuple[str, str]]:
    """Names of everything these records look up."""
    lookups = [one.name for one in item.fields if one.type == "reference"]
    return snapshot.names(record.get(name) for record in records for name in lookups)


def sheet(item: ObjectDef, record: Record, names: Mapping[str, tuple[str, str]], *, gaps: bool = False) -> Sheet:
    """``gaps``: empty values are shown, too, and lookups that lead to nothing with a name."""
    values, texts = [], []
    for one in item.fields:
        text = shown(one, record.get(one.name), names)
        if one.name == "Id" or not (text or gaps) or (not gaps and one.type == "reference" and looks_like_id(text)):
            continue
        if one.type == "text":
            texts.append((one.label, text))
        else:
            values.append((one.label, " ".join(text.split())))
    name = record.get(item.name_field)
    named = str(name) if name and item.field(item.name_field).type not in ("id", "reference") else ""
    return Sheet(item.label, named, str(record["Id"]), tuple(values), tuple(texts))


def some_ids(snapshot: Snapshot, name: str) -> list[str]:
    """All Ids of an object, in order."""
    rows = snapshot.connection.rows(f"SELECT Id FROM {quoted(name)} ORDER BY Id", {})
    return [str(row[0]) for row in rows]


def children(
    snapshot: Snapshot, item: ObjectDef, lookup: str, parent: str, most: int
) -> tuple[list[dict[str, Any]], int]:
    """The first ``most`` records of an object that look up a record, by time, and how many there are."""
    column = quoted(lookup)
    order = f"{quoted(item.written.name)}, Id" if item.written else "Id"
    columns = ", ".join(quoted(one.name) for one in item.fields)
    sql = f"SELECT {columns} FROM {quoted(item.name)} WHERE {column} = :parent ORDER BY {order} LIMIT {most:d}"
    found = [
        {one.name: to_python(one.type, value) for one, value in zip(item.fields, row, strict=True)}
        for row in snapshot.connection.rows(sql, {"parent": parent})
    ]
    counted = f"SELECT count(*) FROM {quoted(item.name)} WHERE {column} = :parent"
    return found, int(snapshot.connection.rows(counted, {"parent": parent})[0][0])


def related(snapshot: Snapshot, item: ObjectDef, lookup: str, parent: str, most: int = 8) -> Table | None:
    """Children as a table of their short fields; None if there are none."""
    records, total = children(snapshot, item, lookup, parent, most)
    if not records:
        return None
    names = names_of(snapshot, item, records)
    wanted = [one for one in item.fields if one.type not in ("id", "text") and one.name != lookup]
    told = {one.name: [" ".join(shown(one, row.get(one.name), names).split()) for row in records] for one in wanted}
    # A column of bare Ids tells a reader nothing.
    used = [one for one in wanted if any(text and not looks_like_id(text) for text in told[one.name])][:8]
    rows = tuple(tuple(told[one.name][place] for one in used) for place in range(len(records)))
    return Table(item.plural, total, tuple(one.label for one in used), rows)
