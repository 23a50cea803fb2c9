"""Orgs as files: what a path holds, and an Org written out as CSV files with its schema."""

from __future__ import annotations

import csv
import json
import sqlite3
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from study.sandbox.cells import write_cell
from study.sandbox.connections import plain_reader
from study.sandbox.errors import SnapshotError
from study.sandbox.org_loading import Loaded, load_tables
from study.sandbox.published import registry_from_schema
from study.sandbox.registry import Registry
from study.sandbox.snapshot import Snapshot, read_meta
from study.sandbox.snapshot_write import quoted
from study.sandbox.table_files import csv_tables, sqlite_tables
from study.sandbox.values import to_python

SCHEMA_FILE = "schema.json"
SCHEMA_FORMAT = "realia-org"
_ABOUT = ("generator", "seed", "numpy", "world")


@dataclass(frozen=True)
class Schema:
    """A schema file: the registry, and with our own format also the Org's today and origin."""

    registry: Registry
    published: bool
    today: date | None = None
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class OrgInput:
    """An Org read from a path, ready to be written as a snapshot. ``hash``: what it must come to, if that is told."""

    loaded: Loaded
    today: date | None
    about: dict[str, Any]
    hash: str | None = None


def read_schema(path: Path) -> Schema:
    """A schema file in the published form (a list) or our own (with a registry). SnapshotError otherwise."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        if isinstance(data, list):
            return Schema(registry_from_schema(data), published=True)
        if not isinstance(data, dict) or data.get("format") != SCHEMA_FORMAT:
            raise SnapshotError(f"{path.name} is neither a published schema (a list of objects) nor one of ours.")
        today = date.fromisoformat(data["today"]) if data.get("today") else None
        return Schema(Registry.from_json(data["registry"]), False, today, dict(data.get("about") or {}))
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"The schema {path} cannot be read: {error}") from error


def read_org(path: Path, schema: Path | None = None) -> OrgInput:
    """The Org at a path: a snapshot, a folder of CSV files, or (with a schema) a foreign SQLite database."""
    if path.is_dir():
        found = read_schema(schema or _schema_in(path))
        loaded = load_tables(found.registry, csv_tables(path), published=found.published)
        return OrgInput(loaded, found.today, found.about)
    if not path.is_file():
        raise SnapshotError(f"There is no file or folder {path}.")
    if schema is None:
        return _read_snapshot(path)
    found = read_schema(schema)
    return OrgInput(load_tables(found.registry, sqlite_tables(path), published=found.published), found.today, {})


def _schema_in(folder: Path) -> Path:
    named = sorted(folder.glob("*schema.json"))
    if len(named) != 1:
        count = "no schema file" if not named else f"{len(named)} schema files"
        raise SnapshotError(f"{folder} holds {count}. Name one with --schema FILE.")
    return named[0]


def _read_snapshot(path: Path) -> OrgInput:
    """A snapshot is an input like any other: only its tables are read, and it is written anew."""
    try:
        with plain_reader(path) as connection:
            registry, manifest = _meta(connection, path)
            kinds = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
            tables: dict[str, list[dict[str, object]]] = {}
            for item in registry.objects:
                if str(kinds.get(item.name) or "CREATE VIRTUAL").upper().startswith("CREATE VIRTUAL"):
                    raise SnapshotError(f"{path} has no table {item.name}.")
                columns = ", ".join(quoted(f.name) for f in item.fields)
                rows = connection.execute(f"SELECT {columns} FROM {quoted(item.name)}")
                tables[item.name] = [
                    {f.name: to_python(f.type, value) for f, value in zip(item.fields, row, strict=True)}
                    for row in rows
                ]
        about = {key: manifest[key] for key in _ABOUT if manifest.get(key) is not None}
        return OrgInput(
            Loaded(registry, tables, [], []), date.fromisoformat(manifest["last_day"]), about, str(manifest["hash"])
        )
    except (sqlite3.DatabaseError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise SnapshotError(f"{path} cannot be read as a snapshot: {error}.") from error


def _meta(connection: sqlite3.Connection, path: Path) -> tuple[Registry, dict[str, Any]]:
    try:
        return read_meta(connection, path)
    except SnapshotError as error:
        raise SnapshotError(f"{error}. For another database, name its schema with --schema FILE.") from error


def export_csv(snapshot: Snapshot, folder: Path) -> list[Path]:
    """One CSV file per object and ``schema.json``; loading the folder gives the same Org hash.

    Cells are written as they are, formulas too: a guard would change the Org. Files of
    an earlier export are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, records in snapshot.tables():
        names = [f.name for f in snapshot.registry.object(name).fields]
        path = folder / f"{name}.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            for record in records:
                writer.writerow([write_cell(record[column]) for column in names])
        written.append(path)
    schema = {
        "format": SCHEMA_FORMAT,
        "version": 1,
        "hash": snapshot.hash,
        "today": snapshot.last_day.isoformat(),
        "about": {key: snapshot.manifest[key] for key in _ABOUT if snapshot.manifest.get(key) is not None},
        "registry": json.loads(snapshot.registry.to_json()),
    }
    path = folder / SCHEMA_FILE
    path.write_text(json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    return [*written, path]
