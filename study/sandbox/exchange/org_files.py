"""What a path holds: a snapshot, a foreign database, a folder or an archive of table files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.registry import Registry
from study.sandbox.engine.snapshot_write import FORMAT, META, Progress
from study.sandbox.engine.spool import Spool
from study.sandbox.engine.values import to_python
from study.sandbox.exchange.foreign_sqlite import foreign_reader, is_snapshot, regular_file
from study.sandbox.exchange.inferring import infer_registry
from study.sandbox.exchange.org_loading import Loaded, load_tables
from study.sandbox.exchange.org_schema import Schema, read_schema, schema_beside, schema_in, told_about
from study.sandbox.exchange.table_files import RawTable, Row, csv_tables, sqlite_tables

Source = Callable[[], Iterable[RawTable]]
"""Reads the tables anew each time it is called."""
_OFTEN = 2_000


@dataclass(frozen=True)
class OrgInput:
    """An Org read from a path, ready to be written as a snapshot. ``hash``: what it must come to, if that is told."""

    loaded: Loaded
    today: date | None
    about: dict[str, Any]
    hash: str | None = None


def read_org(
    path: Path, schema: Path | None = None, *, zone: str = "", company: str = "", progress: Progress | None = None
) -> OrgInput:
    """The Org at a path: a snapshot, a folder of CSV or Parquet files, or a foreign SQLite database.

    Without a schema a foreign database tells by itself what it holds. ``zone`` and ``company`` stand in for
    what the tables do not say; a schema of ours and a snapshot say it. ``progress`` hears how many rows were read.
    """
    told = progress or (lambda done, total, stage: None)
    if path.is_dir():
        return _read_tables(_counted(_folder(path), told), read_schema(schema or schema_in(path)), zone, company)
    if not path.exists() and not path.is_symlink():
        raise SnapshotError(f"There is no file or folder {path}.")
    regular_file(path)
    if schema is None and is_snapshot(path):
        return _read_snapshot(path)
    source = _counted(lambda: sqlite_tables(path), told)
    if found := schema or schema_beside(path):
        return _read_tables(source, read_schema(found), zone, company)
    return _read_bare(source, zone, company)


def _counted(source: Source, told: Progress) -> Source:
    """The same tables, telling now and then how many rows have been taken."""

    def tables() -> Iterator[RawTable]:
        done = 0

        def rows(table: RawTable) -> Iterator[tuple[int, Row]]:
            nonlocal done
            for row in table.rows:
                done += 1
                if done % _OFTEN == 0:
                    told(done, None, "read")
                yield row

        for table in source():
            yield replace(table, rows=rows(table))

    return tables


def _folder(path: Path) -> Source:
    csv, parquet = any(path.glob("*.csv")), any(path.glob("*.parquet"))
    if csv and parquet:
        raise SnapshotError(f"{path} holds CSV and Parquet files. Keep one kind.")
    if parquet:
        # Arrow is large: a page of the sandbox never needs it.
        from study.sandbox.exchange.parquet_files import parquet_tables

        return lambda: parquet_tables(path)
    return lambda: csv_tables(path)


def _read_tables(source: Source, found: Schema, zone: str, company: str) -> OrgInput:
    registry = _named(found.registry, zone, company) if found.published else found.registry
    if not registry.objects:
        raise SnapshotError("The schema names no objects, so there is nothing to load.")
    return OrgInput(load_tables(registry, source(), published=found.published), found.today, found.about)


def _read_bare(source: Source, zone: str, company: str) -> OrgInput:
    registry, problems = infer_registry(source())
    if not registry.objects:
        why = "".join(f"\n  {problem}" for problem in problems[:20])
        raise SnapshotError(f"There is no table of records in it: no table with a column Id.{why}")
    left_out = {problem.table for problem in problems}
    kept = (table for table in source() if table.name not in left_out)
    loaded = load_tables(_named(registry, zone, company), kept, published=True)
    loaded.problems[:0] = problems
    return OrgInput(loaded, None, {})


def _named(registry: Registry, zone: str, company: str) -> Registry:
    registry = replace(registry, zone=zone or registry.zone, company=company or registry.company)
    registry.check()
    return registry


def _read_snapshot(path: Path) -> OrgInput:
    """A snapshot is an input like any other: only its tables are read, and it is written anew."""
    try:
        with foreign_reader(path) as foreign:
            meta = {str(key): str(value) for key, value in foreign.rows(META, ["key", "value"])}
            manifest = json.loads(meta["manifest"])
            if manifest["format"] != FORMAT:
                raise SnapshotError(f"{path.name} has format {manifest['format']}; this version reads format {FORMAT}.")
            registry = Registry.from_json(meta["registry"])
            kinds = foreign.kinds()
            tables: dict[str, Spool] = {}
            for item in registry.objects:
                if kinds.get(item.name) != "table":
                    raise SnapshotError(f"{path.name} has no table {item.name}.")
                tables[item.name] = spool = Spool()
                for number, row in enumerate(foreign.rows(item.name, [f.name for f in item.fields]), 2):
                    pairs = zip(item.fields, row, strict=True)
                    spool.add(number, {f.name: to_python(f.type, value) for f, value in pairs})  # type: ignore[arg-type]
        about = told_about(manifest)
        return OrgInput(
            Loaded(registry, tables, [], []), date.fromisoformat(manifest["last_day"]), about, str(manifest["hash"])
        )
    except (KeyError, ValueError, TypeError, OverflowError, AttributeError, RecursionError) as error:
        raise SnapshotError(f"{path.name} cannot be read as a snapshot: {error}.") from error
