"""What is told and checked about tables in a file: their content's hash, their last day, the soundness of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.org_hash import org_hash
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot_tables import quoted
from study.sandbox.engine.values import Stored, moment, on_clocks

# Fields that say when something happened; due, closing and validity dates lie ahead of the data.
_HAPPENED = ("CreatedDate", "ClosedDate", "MessageDate", "EndTime", "EndTime__c", "ConvertedDate", "LastModifiedDate")
# Some write the last day of the calendar for "never"; a today needs days before and after it.
_TODAYS = (date(2, 1, 1), date(9998, 12, 31))


def content_hash(
    connection: sqlite3.Connection,
    registry: Registry,
    told: Callable[[int], None] | None = None,
    order: str = '"Id"',
) -> str:
    """The Org hash of what the tables of an open file hold, read row by row.

    The writer reads in the order of ``rid``, which it made that of the Ids; for any other file the Ids decide.
    """

    def table(item: ObjectDef) -> tuple[ObjectDef, int, Iterable[Sequence[Stored]]]:
        columns = ", ".join(quoted(field.name) for field in item.fields)
        count = connection.execute(f"SELECT count(*) FROM {quoted(item.name)}").fetchone()[0]
        return item, count, connection.execute(f"SELECT {columns} FROM {quoted(item.name)} ORDER BY {order}")

    return org_hash(registry, (table(item) for item in registry.objects), told)


def check_file(connection: sqlite3.Connection) -> None:
    """SnapshotError where the file just written is not sound."""
    found = connection.execute("PRAGMA quick_check").fetchone()[0]
    if found != "ok":
        raise SnapshotError(f"The file just written is damaged: {found}")


def possible_today(day: date) -> date:
    """The day, or the nearest one that has years around it."""
    return min(max(day, _TODAYS[0]), _TODAYS[1])


def last_day(connection: sqlite3.Connection, registry: Registry) -> date:
    """The latest day something happened; without such fields the latest date at all, else 1 January 2000."""
    dated = [(o, f) for o in registry.objects for f in o.fields if f.type in {"date", "datetime"}]
    for fields in ([(o, f) for o, f in dated if f.name in _HAPPENED], dated):
        days = [_latest(connection, item, field, registry.zone) for item, field in fields]
        if known := [day for day in days if day is not None]:
            return max(known)
    return date(2000, 1, 1)


def _latest(connection: sqlite3.Connection, item: ObjectDef, field: FieldDef, zone: str) -> date | None:
    value = connection.execute(f"SELECT max({quoted(field.name)}) FROM {quoted(item.name)}").fetchone()[0]
    if value is None:
        return None
    if field.type == "datetime":
        return on_clocks(moment(value), ZoneInfo(zone)).date()
    return date.fromisoformat(value)
