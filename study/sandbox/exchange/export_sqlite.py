"""An Org as an SQLite database laid out like the published ones.

A table per object by its API name, ``Id TEXT``, no constraint, no index; times as text
``2022-03-16T15:15:00.000+0000``, dates as text, booleans as 0 and 1.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path

from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_write import quoted
from study.sandbox.exchange.cells import write_cell
from study.sandbox.exchange.export_csv import Told
from study.sandbox.exchange.org_schema import SCHEMA_FILE, write_schema

_TYPES = {"boolean": "INTEGER", "integer": "INTEGER", "number": "REAL"}


def export_sqlite(snapshot: Snapshot, path: Path, told: Told = lambda name: None) -> list[Path]:
    """The database, and our schema beside it: loading the database with it gives the same Org hash.

    It is written beside its place and renamed, so a broken export leaves the earlier one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        connection = sqlite3.connect(beside, isolation_level=None)
        try:
            connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
            connection.execute("BEGIN")
            for name, records in snapshot.tables():
                told(name)
                _table(connection, snapshot.registry.object(name), records)
            connection.execute("COMMIT")
        finally:
            connection.close()
        Path(beside).chmod(0o644)
        os.replace(beside, path)
    finally:
        Path(beside).unlink(missing_ok=True)
    return [path, write_schema(snapshot, path.with_name(f"{path.stem}.{SCHEMA_FILE}"))]


def _table(connection: sqlite3.Connection, item: ObjectDef, records: Iterable[dict[str, object]]) -> None:
    names = [field.name for field in item.fields]
    columns = ", ".join(f"{quoted(field.name)} {_TYPES.get(field.type, 'TEXT')}" for field in item.fields)
    connection.execute(f"CREATE TABLE {quoted(item.name)} ({columns})")
    marks = ", ".join("?" * len(names))
    rows = ([_value(record[name]) for name in names] for record in records)
    connection.executemany(f"INSERT INTO {quoted(item.name)} VALUES ({marks})", rows)


def _value(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return int(value) if isinstance(value, bool) else value
    return write_cell(value)
