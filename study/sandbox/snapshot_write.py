"""Writing a snapshot: one read-only SQLite file per Org.

A typed table per object (``rid`` numbers rows in Id order and survives VACUUM),
folded shadow columns for short texts, indexes on lookups, dates and shadow columns,
a word index over the same table (nothing is stored twice), registry and manifest.
The file is written beside its place, checked, synced to disk, made read-only, renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from study.sandbox.errors import SnapshotError
from study.sandbox.folding import fold, search_letters
from study.sandbox.org_hash import org_hash
from study.sandbox.registry import FOLDED, FieldDef, ObjectDef, Registry
from study.sandbox.values import SQL_TYPES, Stored, moment, stored_row

FORMAT = 1
META = "realia_meta"
TOKENIZER = "porter unicode61 remove_diacritics 2"
Tables = Mapping[str, Iterable[Mapping[str, object]]]

# Fields that say when something happened; due, closing and validity dates lie ahead of the data.
_HAPPENED = ("CreatedDate", "ClosedDate", "MessageDate", "EndTime", "EndTime__c", "ConvertedDate", "LastModifiedDate")


@dataclass(frozen=True)
class SnapshotInfo:
    """What was written: content hash, records per object, last day of the data, file and its own sha256."""

    hash: str
    counts: dict[str, int]
    last_day: date
    path: Path
    file_sha256: str
    manifest: dict[str, Any]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def shadow(field: FieldDef) -> str:
    """The quoted name of a short text's folded column; no field's name can hold a tilde."""
    return quoted("~" + field.name)


def word_index(item: ObjectDef) -> str:
    return quoted("fts_" + item.name)


def write_snapshot(
    path: Path | str,
    registry: Registry,
    tables: Tables,
    *,
    today: date | None = None,
    generator: str = "",
    seed: int | None = None,
    extra: Mapping[str, Any] | None = None,
) -> SnapshotInfo:
    """Write the Org to ``path`` and tell what it became.

    ``tables`` holds records per object (missing objects are empty), values as in
    values.py. SnapshotError for an unknown object or field, a wrong value, a missing
    or repeated Id; nothing is left behind then.
    """
    path = Path(path)
    registry.check()
    for name in tables:
        registry.object(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        manifest = _fill(Path(beside), registry, tables, today, {"generator": generator, "seed": seed, **(extra or {})})
        file_sha256 = _settle(Path(beside), path)
    finally:
        Path(beside).unlink(missing_ok=True)
    last_day = date.fromisoformat(manifest["last_day"])
    manifest = manifest | {"file_sha256": file_sha256}
    return SnapshotInfo(manifest["hash"], manifest["counts"], last_day, path, file_sha256, manifest)


def _fill(file: Path, registry: Registry, tables: Tables, today: date | None, about: dict[str, Any]) -> dict[str, Any]:
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=4096;")
        connection.execute("BEGIN")
        counts = {item.name: _table(connection, item, tables.get(item.name, ())) for item in registry.objects}
        manifest: dict[str, Any] = {
            "format": FORMAT,
            "hash": content_hash(connection, registry),
            "counts": counts,
            "last_day": (today or _last_day(connection, registry)).isoformat(),
            "zone": registry.zone,
            "company": registry.company,
            "sqlite": sqlite3.sqlite_version,
            **about,
        }
        connection.execute(f"CREATE TABLE {META} (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        meta = [("registry", registry.to_json()), ("manifest", json.dumps(manifest, sort_keys=True))]
        connection.executemany(f"INSERT INTO {META} VALUES (?, ?)", meta)
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
        found = connection.execute("PRAGMA quick_check").fetchone()[0]
        if found != "ok":
            raise SnapshotError(f"The file just written is damaged: {found}")
    finally:
        connection.close()
    return manifest


def _table(connection: sqlite3.Connection, item: ObjectDef, records: Iterable[Mapping[str, object]]) -> int:
    rows = _sorted_rows(item, records)
    folded = [place for place, field in enumerate(item.fields) if field.type in FOLDED]
    columns = [f"{quoted(f.name)} {SQL_TYPES.get(f.type, 'TEXT')}" for f in item.fields]
    columns += [f"{shadow(item.fields[place])} TEXT" for place in folded]
    connection.execute(f"CREATE TABLE {quoted(item.name)} (rid INTEGER PRIMARY KEY, {', '.join(columns)})")
    marks = ", ".join("?" * (1 + len(columns)))
    connection.executemany(
        f"INSERT INTO {quoted(item.name)} VALUES ({marks})",
        ([rid, *row, *(_folded(row[place]) for place in folded)] for rid, row in enumerate(rows, 1)),
    )
    connection.execute(f"CREATE UNIQUE INDEX {quoted('u_' + item.name)} ON {quoted(item.name)} ({quoted('Id')})")
    for field in item.fields:
        if field.type in {"reference", "datetime", "date"} or field.type in FOLDED:
            column = shadow(field) if field.type in FOLDED else quoted(field.name)
            name = quoted(f"i_{item.name}_{field.name}")
            connection.execute(f"CREATE INDEX {name} ON {quoted(item.name)} ({column}, {quoted('Id')})")
    _words(connection, item, rows)
    return len(rows)


def _folded(value: Stored) -> str | None:
    return None if value is None else fold(str(value))


def _sorted_rows(item: ObjectDef, records: Iterable[Mapping[str, object]]) -> list[list[Stored]]:
    try:
        rows = [stored_row(item, record) for record in records]
    except ValueError as error:
        raise SnapshotError(str(error)) from error
    place = [field.name for field in item.fields].index("Id")
    if any(row[place] is None for row in rows):
        raise SnapshotError(f"{item.name}: a record has no Id.")
    rows.sort(key=lambda row: str(row[place]).encode())
    for before, after in pairwise(rows):
        if before[place] == after[place]:
            raise SnapshotError(f"{item.name}: two records have the Id {after[place]}.")
    return rows


def _words(connection: sqlite3.Connection, item: ObjectDef, rows: Sequence[Sequence[Stored]]) -> None:
    if not item.searched:
        return
    columns = ", ".join(quoted(field.name) for field in item.searched)
    # The name is quoted inside quotes: FTS5 takes the table to read as a text.
    connection.execute(
        f"CREATE VIRTUAL TABLE {word_index(item)} USING fts5({columns}, content={quoted(item.name)}, "
        f"content_rowid='rid', tokenize='{TOKENIZER}', prefix='2 3')"
    )
    names = [field.name for field in item.fields]
    places = [names.index(field.name) for field in item.searched]
    marks = ", ".join("?" * (1 + len(places)))
    connection.executemany(
        f"INSERT INTO {word_index(item)} (rowid, {columns}) VALUES ({marks})",
        ([rid, *(_letters(row[place]) for place in places)] for rid, row in enumerate(rows, 1)),
    )
    connection.execute(f"INSERT INTO {word_index(item)} ({word_index(item)}) VALUES ('optimize')")


def _letters(value: Stored) -> str | None:
    return None if value is None else search_letters(str(value))


def content_hash(connection: sqlite3.Connection, registry: Registry) -> str:
    """The Org hash of what the tables of an open file hold."""

    def table(item: ObjectDef) -> tuple[ObjectDef, int, Iterable[Sequence[Stored]]]:
        columns = ", ".join(quoted(field.name) for field in item.fields)
        count = connection.execute(f"SELECT count(*) FROM {quoted(item.name)}").fetchone()[0]
        return item, count, connection.execute(f"SELECT {columns} FROM {quoted(item.name)} ORDER BY {quoted('Id')}")

    return org_hash(registry, [table(item) for item in registry.objects])


def _last_day(connection: sqlite3.Connection, registry: Registry) -> date:
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
    return moment(value).astimezone(ZoneInfo(zone)).date() if field.type == "datetime" else date.fromisoformat(value)


def _settle(beside: Path, path: Path) -> str:
    digest = hashlib.sha256()
    with open(beside, "rb+") as file:
        while block := file.read(1 << 20):
            digest.update(block)
        os.fsync(file.fileno())
    beside.chmod(0o444)
    os.replace(beside, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return digest.hexdigest()
