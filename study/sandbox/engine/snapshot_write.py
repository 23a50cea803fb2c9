"""Writing a snapshot: one read-only SQLite file per Org.

A typed table per object (``rid`` numbers rows in Id order and survives VACUUM),
folded shadow columns for short texts, indexes on lookups, dates and shadow columns,
a word index over the same table (nothing is stored twice), registry and manifest.
The file is written beside its place, checked, synced to disk, made read-only, renamed.

Records come as they are read and go to disk as they come: how many there are makes no
difference to the memory this takes.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.registry import Registry
from study.sandbox.engine.snapshot_checks import check_file, content_hash, last_day, possible_today
from study.sandbox.engine.snapshot_indexes import create_indexes, create_words
from study.sandbox.engine.snapshot_tables import STAGE, Tables, fill_table, quoted, shadow, word_index

__all__ = [
    "FORMAT", "INDEXES", "META", "STAGES", "Progress", "SnapshotInfo", "Tables", "content_hash", "quoted", "shadow",
    "word_index", "write_snapshot",
]  # fmt: skip

FORMAT = 1
INDEXES = 2
"""Which indexes a file has: 2 also has those on words of names. A file without the entry has the first ones."""
META = "realia_meta"
Progress = Callable[[int, int | None, str], None]
"""Told of the work: how much is done, of how much (if that is known), and the stage it belongs to."""
STAGES = ("rows", "index", "words", "hash", "check")
_CACHE_KIB = 128 * 1024
_STEPS = 1_000_000


@dataclass(frozen=True)
class SnapshotInfo:
    """What was written: content hash, records per object, last day of the data, file and its own sha256."""

    hash: str
    counts: dict[str, int]
    last_day: date
    path: Path
    file_sha256: str
    manifest: dict[str, Any]


def write_snapshot(
    path: Path | str,
    registry: Registry,
    tables: Tables,
    *,
    today: date | None = None,
    generator: str = "",
    seed: int | None = None,
    extra: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    records: int | None = None,
) -> SnapshotInfo:
    """Write the Org to ``path`` and tell what it became.

    ``tables`` holds records per object (missing objects are empty), values as in
    values.py; each may be an iterator, and is read once, in the order of the registry.
    ``records``: how many there will be, for ``progress``. SnapshotError for an unknown
    object or field, a wrong value, a missing or repeated Id, a full disk; nothing is
    left behind then, nor when the work is interrupted.
    """
    path = Path(path)
    registry.check()
    for name in tables:
        registry.object(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"generator": generator, "seed": seed, **(extra or {})}
    with _part(path) as beside, _part(path) as stage:
        manifest = _Writing(registry, tables, progress, records).fill(beside, stage, today, about)
        file_sha256 = _settle(beside, path)
    manifest = manifest | {"file_sha256": file_sha256}
    return SnapshotInfo(
        manifest["hash"], manifest["counts"], date.fromisoformat(manifest["last_day"]), path, file_sha256, manifest
    )


@contextmanager
def _part(path: Path) -> Iterator[Path]:
    """An empty file beside ``path`` that is gone afterwards, whatever happens."""
    handle, name = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


class _Writing:
    """The steps of one writing, each telling how far it is."""

    def __init__(self, registry: Registry, tables: Tables, progress: Progress | None, records: int | None) -> None:
        self.registry = registry
        self.tables = tables
        self.progress = progress or (lambda done, total, stage: None)
        self.expected = records
        self.counts: dict[str, int] = {}

    def fill(self, file: Path, stage: Path, today: date | None, about: dict[str, Any]) -> dict[str, Any]:
        """All of the file's content. The manifest it holds."""
        connection = sqlite3.connect(file, isolation_level=None)
        try:
            self._prepare(connection, stage)
            connection.execute("BEGIN")
            self._rows(connection)
            self._indexes(connection)
            total = sum(self.counts.values())
            found = content_hash(connection, self.registry, lambda done: self.progress(done, total, "hash"), "rid")
            manifest = self._manifest(connection, found, today, about)
            connection.execute("COMMIT")
            self.progress(0, 2, "check")
            connection.execute("ANALYZE main")
            self.progress(1, 2, "check")
            check_file(connection)
            self.progress(2, 2, "check")
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                # A signal came while SQLite was at work: its exception was raised, and lost, in the progress handler.
                raise KeyboardInterrupt from error
            if "full" in str(error) or "disk I/O" in str(error):
                raise SnapshotError(f"There is no room to write the Org: {error}.") from error
            raise
        finally:
            connection.close()
        return manifest

    @staticmethod
    def _prepare(connection: sqlite3.Connection, stage: Path) -> None:
        # Nobody else sees the file, and a half-made one is thrown away: no journal, no waiting for the disk.
        connection.execute("PRAGMA page_size=4096")
        connection.execute("ATTACH ? AS " + STAGE, (str(stage),))
        for place in ("main", STAGE):
            connection.execute(f"PRAGMA {place}.journal_mode=OFF")
            connection.execute(f"PRAGMA {place}.synchronous=OFF")
            connection.execute(f"PRAGMA {place}.cache_size=-{_CACHE_KIB}")
        connection.execute("PRAGMA threads=2")
        # Long steps come back to Python now and then, so that a signal is heard.
        connection.set_progress_handler(lambda: 0, _STEPS)

    def _rows(self, connection: sqlite3.Connection) -> None:
        done = 0

        def told(count: int) -> None:
            nonlocal done
            done += count
            self.progress(done, self.expected, "rows")

        for item in self.registry.objects:
            self.counts[item.name] = fill_table(connection, item, self.tables.get(item.name, ()), told)

    def _indexes(self, connection: sqlite3.Connection) -> None:
        total = sum(self.counts.values())
        for stage, step in (("index", create_indexes), ("words", create_words)):
            done = 0
            for item in self.registry.objects:
                self.progress(done, total, stage)
                step(connection, item)
                done += self.counts[item.name]
            self.progress(total, total, stage)

    def _manifest(
        self, connection: sqlite3.Connection, found: str, today: date | None, about: dict[str, Any]
    ) -> dict[str, Any]:
        # What the content says comes last, so that nothing told about it can take its place.
        manifest: dict[str, Any] = {
            "company": self.registry.company,
            **about,
            "format": FORMAT,
            "hash": found,
            "counts": self.counts,
            "last_day": possible_today(today or last_day(connection, self.registry)).isoformat(),
            "zone": self.registry.zone,
            "sqlite": sqlite3.sqlite_version,
            "indexes": INDEXES,
        }
        connection.execute(f"CREATE TABLE {META} (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        meta = [("registry", self.registry.to_json()), ("manifest", json.dumps(manifest, sort_keys=True))]
        connection.executemany(f"INSERT INTO {META} VALUES (?, ?)", meta)
        return manifest


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
