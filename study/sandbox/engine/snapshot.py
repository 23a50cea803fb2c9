"""Reading a snapshot: queries, records, names and whole tables.

A Snapshot may be shared by threads; each gets its own guarded connection. Nothing
here reads the clock: every relative date is counted from the today that is given.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any

from study.sandbox.engine.child_rows import with_children
from study.sandbox.engine.compiler import compile_count, compile_rows, counted
from study.sandbox.engine.connections import SECONDS, Guarded, connection_for, plain_reader
from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError, SnapshotError
from study.sandbox.engine.folding import clean_text
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.outputs import Compiled, converted
from study.sandbox.engine.queryspec import ChildRows, Compare, QuerySpec, spec_hash
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.engine.snapshot_write import FORMAT, META, SnapshotInfo, quoted, write_snapshot
from study.sandbox.engine.values import Stored, to_python

__all__ = ["Result", "Snapshot", "SnapshotInfo", "open_snapshot", "read_meta", "write_snapshot"]

ROW_CAP = 50_000
_COUNTS_KEPT = 2_000
_RESULTS_KEPT = 300
_ENDLESS = frozenset({math.inf, -math.inf})


@dataclass(frozen=True)
class Result:
    """Rows of Python values. ``truncated``: there are more than the query's limit (or the cap) let through;
    ``QuerySpec.after`` with the value of ``after`` continues there. ``parted``: even the one record here has more
    child rows than the cap lets through."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: bool
    types: tuple[str, ...] = ()
    after: tuple[Stored, ...] | None = None
    parted: bool = False


class Snapshot:
    """An open Org. Get one with open_snapshot."""

    def __init__(self, path: Path, registry: Registry, manifest: dict[str, Any], version: str) -> None:
        self.path = path
        self.registry = registry
        self.manifest = manifest
        self.hash: str = manifest["hash"]
        self.zone: str = registry.zone
        self.counts: dict[str, int] = manifest["counts"]
        self.last_day = date.fromisoformat(manifest["last_day"])
        self._version = version
        self._counted: OrderedDict[tuple[str, date], int] = OrderedDict()
        self._kept: OrderedDict[tuple[str, date], Result] = OrderedDict()
        self._lock = Lock()

    @property
    def connection(self) -> Guarded:
        """This thread's guarded connection."""
        return connection_for(self.path, self._version, self.registry)

    def run(self, spec: QuerySpec, today: date) -> Result:
        """The answer to a query. QueryError for one that cannot be answered, QueryTimeout after five seconds."""
        return self._answer(spec, today)[0]

    def keyed(
        self, spec: QuerySpec, today: date, among: QuerySpec | None = None
    ) -> tuple[Result, list[tuple[Any, ...]]]:
        """The answer of a grouped query, and for each group the stored values it is sorted by.

        ``among``: see compile_rows.
        """
        result, compiled, found = self._answer(spec, today, among)
        return result, [tuple(row[place] for place in compiled.keys) for row in found]

    def kept(self, spec: QuerySpec, today: date, seconds: float = SECONDS) -> Result:
        """``run`` for small answers that pages ask for again and again: an Org never changes, so they are kept.

        QueryTimeout after ``seconds``, unless it was worked out before.
        """
        key = (spec_hash(spec), today)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        result = self._answer(spec, today, seconds=seconds)[0]
        with self._lock:
            self._kept[key] = result
            while len(self._kept) > _RESULTS_KEPT:
                self._kept.popitem(last=False)
        return result

    def forget(self) -> None:
        """Drop what was counted and kept, for measuring as if for the first time."""
        with self._lock:
            self._counted.clear()
            self._kept.clear()

    def _answer(
        self, spec: QuerySpec, today: date, among: QuerySpec | None = None, seconds: float = SECONDS
    ) -> tuple[Result, Compiled, list[tuple[Any, ...]]]:
        limit = ROW_CAP if getattr(spec, "limit", None) is None else min(spec.limit or 0, ROW_CAP)
        compiled = compile_rows(spec, self.registry, today, limit=limit + 1, among=among)
        found = self.connection.rows(compiled.sql, compiled.parameters, seconds)
        truncated, parted = len(found) > limit, False
        del found[limit:]
        _refuse_endless(spec, compiled, found)
        if any(output.children for output in compiled.outputs):
            parent = self.registry.object(spec.object)
            rows, cut, parted = with_children(compiled, found, self.registry, parent, today, self._found, ROW_CAP)
            truncated = truncated or cut
            del found[len(rows) :]
        else:
            rows = converted(found, compiled.outputs)
        after = self._place(spec, compiled, found[-1], today) if truncated and found else None
        names = tuple(output.name for output in compiled.outputs)
        types = tuple(output.type for output in compiled.outputs)
        return Result(names, rows, truncated, types, after, parted), compiled, found

    def _place(self, spec: QuerySpec, compiled: Compiled, last: tuple[Any, ...], today: date) -> tuple[Stored, ...]:
        """What a row is sorted by; asked for again where the answer does not hold it."""
        if not compiled.keys:
            select = tuple(item for item in spec.select if not isinstance(item, ChildRows))
            this = Compare("Id", "eq", last[compiled.record])
            spec = QuerySpec(spec.object, select, this, order=spec.order)
            compiled = compile_rows(spec, self.registry, today, limit=1)
            last = self._found(compiled)[0]
        return tuple(last[place] for place in compiled.keys)

    def _found(self, compiled: Compiled) -> list[tuple[Any, ...]]:
        return self.connection.rows(compiled.sql, compiled.parameters)

    def count(self, spec: QuerySpec, today: date, seconds: float = SECONDS) -> int:
        """The exact number of rows (or groups) a query has without its limit. Nothing changes, so it is kept.

        QueryTimeout after ``seconds``, unless it was counted before.
        """
        key = (spec_hash(counted(spec)), today)
        with self._lock:
            if key in self._counted:
                self._counted.move_to_end(key)
                return self._counted[key]
        compiled = compile_count(spec, self.registry, today)
        number = int(self.connection.rows(compiled.sql, compiled.parameters, seconds)[0][0])
        with self._lock:
            self._counted[key] = number
            while len(self._counted) > _COUNTS_KEPT:
                self._counted.popitem(last=False)
        return number

    def record(self, object_name: str, record_id: str) -> dict[str, Any] | None:
        """All fields of a record by its Id of 15 or 18 characters, or None. UnknownObject for a wrong object."""
        item = self.registry.object(object_name)
        columns = ", ".join(quoted(field.name) for field in item.fields)
        sql = f"SELECT {columns} FROM {quoted(item.name)} WHERE {quoted('Id')} = :id"
        rows = self.connection.rows(sql, {"id": normal_id(record_id) or clean_text(record_id)})
        return _record(item, rows[0]) if rows else None

    def names(self, ids: Iterable[str | None]) -> dict[str, tuple[str, str]]:
        """Id as given -> (object, name) for the records that exist; the object is told by the key prefix."""
        wanted: dict[str, list[tuple[str, str]]] = {}
        for given in set(ids):
            item = self.registry.object_for_id(given) if given else None
            if given and item:
                wanted.setdefault(item.name, []).append((given, normal_id(given) or clean_text(given)))
        found: dict[str, tuple[str, str]] = {}
        for name, pairs in wanted.items():
            known = self._names(self.registry.object(name), sorted({full for _, full in pairs}))
            found |= {given: (name, known[full]) for given, full in pairs if full in known}
        return found

    def _names(self, item: ObjectDef, ids: list[str]) -> dict[str, str]:
        known: dict[str, str] = {}
        for start in range(0, len(ids), 500):
            chunk = {f"p{place}": value for place, value in enumerate(ids[start : start + 500])}
            marks = ", ".join(":" + name for name in chunk)
            columns = f"{quoted('Id')}, {quoted(item.name_field)}"
            sql = f"SELECT {columns} FROM {quoted(item.name)} WHERE {quoted('Id')} IN ({marks})"
            rows = self.connection.rows(sql, chunk)
            known |= {record_id: record_id if name is None else str(name) for record_id, name in rows}
        return known

    def tables(self) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
        """Every object with its records in Id order, for export and recheck; no limit on time."""
        for item in self.registry.objects:
            yield item.name, self.records(item.name)

    def records(self, object_name: str) -> Iterator[dict[str, Any]]:
        """All records of an object in Id order, read as they are needed."""
        item = self.registry.object(object_name)
        columns = ", ".join(quoted(field.name) for field in item.fields)
        with plain_reader(self.path) as connection:
            for row in connection.execute(f"SELECT {columns} FROM {quoted(item.name)} ORDER BY {quoted('Id')}"):
                yield _record(item, row)


def _refuse_endless(spec: QuerySpec, compiled: Compiled, found: list[tuple[Any, ...]]) -> None:
    """QueryError for a sum or average of a group that is larger than a number can be, as for one of whole numbers."""
    if not spec.grouped:
        return
    for output in compiled.outputs:
        if output.type == "number" and any(row[output.place] in _ENDLESS for row in found):
            raise QueryError(MALFORMED_QUERY, f"{output.name} is too large a number.", output.name)


def _record(item: ObjectDef, row: tuple[Any, ...]) -> dict[str, Any]:
    return {field.name: to_python(field.type, value) for field, value in zip(item.fields, row, strict=True)}


def read_meta(connection: sqlite3.Connection, path: Path) -> tuple[Registry, dict[str, Any]]:
    """Registry and manifest of an open file. SnapshotError for a file that is none of ours."""
    try:
        meta = dict(connection.execute(f"SELECT key, value FROM {META}"))
        manifest = json.loads(meta["manifest"])
        if manifest["format"] != FORMAT:
            raise SnapshotError(f"{path} has format {manifest['format']}; this version reads format {FORMAT}.")
        return Registry.from_json(meta["registry"]), manifest
    except (sqlite3.DatabaseError, KeyError, ValueError, TypeError) as error:
        raise SnapshotError(f"{path} is not a snapshot of an Org: {error}") from error


def open_snapshot(path: Path | str) -> Snapshot:
    """The Org in a snapshot file written by write_snapshot. SnapshotError if it is missing or something else."""
    path = Path(path).absolute()
    try:
        state = path.stat()
        with plain_reader(path) as connection:
            registry, manifest = read_meta(connection, path)
    except (OSError, sqlite3.OperationalError) as error:
        raise SnapshotError(f"{path} cannot be opened: {error}") from error
    return Snapshot(path, registry, manifest, f"{state.st_ino}-{state.st_mtime_ns}-{state.st_size}")
