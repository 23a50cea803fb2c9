"""Guarded connections to snapshot files: one per thread and Org, least recently used closed.

``mode=ro&immutable=1`` refuses writes but still allows ATTACH and PRAGMA, so each
connection gets an authorizer that permits reading registered tables and nothing
else, and a progress handler that stops what takes too long.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError, QueryTimeout
from study.sandbox.engine.folding import fold
from study.sandbox.engine.registry import Registry
from study.sandbox.engine.snapshot_indexes import named
from study.sandbox.engine.snapshot_tables import name_index
from study.sandbox.engine.snapshot_write import META, word_index
from study.sandbox.engine.sought import has_word
from study.sandbox.engine.values import CALENDAR, day_start, moment, on_clocks

SECONDS = 5.0
CONNECTIONS_PER_THREAD = 8
_STEPS = 4_000
_MAPPED = 1 << 40
_FTS_PARTS = ("", "_data", "_idx", "_docsize", "_config", "_content")
_FUNCTIONS = frozenset(
    {"avg", "bm25", "coalesce", "count", "date", "instr", "length", "like", "match", "max", "min", "nullif"}
    | {"quote", "row_number", "snippet", "strftime", "substr", "sum", "fold", "has_word", "local_ms", "day_start"}
)
# What SQLite says of queries beyond its own limits.
_TOO_MUCH = ("overflow", "too large", "too many", "too big", "at most 64 tables", "nested too deep")
_local = threading.local()


def read_only_uri(path: Path | str) -> str:
    """A URI under which SQLite opens just this file: ``#``, ``?``, ``%`` and blanks in the path are quoted."""
    return f"file:{quote(str(Path(path).absolute()))}?mode=ro&immutable=1"


@lru_cache(maxsize=100_000)
def _day_start(text: str, zone: ZoneInfo) -> int:
    return day_start(date.fromisoformat(text), zone)


def _authorizer(registry: Registry) -> Callable[..., int]:
    tables = {item.name for item in registry.objects} | {"json_each"}
    for item in registry.objects:
        if item.searched:
            tables |= {f"fts_{mark}{item.name}{part}" for part in _FTS_PARTS for mark in ("", "~")}

    def permit(action: int, first: str | None, second: str | None, _db: str | None, _trigger: str | None) -> int:
        allowed = (
            action == sqlite3.SQLITE_SELECT
            or (action == sqlite3.SQLITE_READ and first in tables)
            or (action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS)
            # FTS5 asks for this to see whether its index changed.
            or (action == sqlite3.SQLITE_PRAGMA and first == "data_version")
        )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    return permit


class Guarded:
    """One thread's read-only connection to one snapshot, with a limit on the time a query takes."""

    def __init__(self, path: Path, registry: Registry) -> None:
        self._deadline = 0.0
        self._connection = sqlite3.connect(
            read_only_uri(path), uri=True, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        self._prepare(registry)

    def _prepare(self, registry: Registry) -> None:
        connection, zone = self._connection, ZoneInfo(registry.zone)
        connection.execute("PRAGMA trusted_schema=OFF")
        # The file never changes, so its pages are read where the system keeps them, without being copied.
        connection.execute(f"PRAGMA mmap_size={_MAPPED}")
        connection.execute(f"SELECT count(*) FROM {META}").fetchone()
        connection.create_function("fold", 1, lambda text: text and fold(text), deterministic=True)
        connection.create_function("has_word", 2, has_word, deterministic=True)
        connection.create_function("local_ms", 1, _local_clock(zone), deterministic=True)
        connection.create_function(
            "day_start", 1, lambda text: None if text is None else _day_start(text, zone), deterministic=True
        )
        connection.execute("SELECT value FROM json_each('[]')").fetchall()  # is made on first use, like the next ones
        for item in registry.objects:
            # A word index reads its configuration on first use, which the authorizer would refuse.
            if item.searched:
                self._touch(word_index(item))
            if named(item):
                self._touch(name_index(item))
        connection.set_authorizer(_authorizer(registry))
        connection.set_progress_handler(lambda: time.monotonic() > self._deadline, _STEPS)

    def _touch(self, table: str) -> None:
        try:
            self._connection.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH 'a' LIMIT 1").fetchall()
        except sqlite3.OperationalError as error:
            # Files written before names had an index are still read.
            if "no such table" not in str(error) or "~" not in table:
                raise

    def rows(
        self, sql: str, parameters: Mapping[str, Any] | None = None, seconds: float = SECONDS
    ) -> list[tuple[Any, ...]]:
        """All rows of a statement. QueryTimeout when it takes longer than ``seconds``."""
        self._deadline = time.monotonic() + seconds
        try:
            return self._connection.execute(sql, parameters or {}).fetchall()
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise QueryTimeout(seconds) from error
            if any(words in str(error) for words in _TOO_MUCH):
                raise QueryError(MALFORMED_QUERY, "This query asks for more than can be worked out at once.") from error
            raise

    def close(self) -> None:
        self._connection.close()


def _local_clock(zone: ZoneInfo) -> Callable[[int | None], int | None]:
    """From milliseconds since 1970 UTC to those a clock of the zone would count."""
    offsets: dict[int, int | None] = {}
    earliest, latest = CALENDAR

    def offset(ms: int) -> int:
        there = on_clocks(moment(min(ms, latest)), zone).utcoffset()
        return round(there.total_seconds() * 1000) if there else 0

    def local(ms: int | None) -> int | None:
        if ms is None:
            return None
        hour = ms // 3_600_000
        if hour not in offsets:
            first, last = offset(hour * 3_600_000), offset(hour * 3_600_000 + 3_599_999)
            offsets[hour] = first if first == last else None
        known = offsets[hour]
        return min(max(ms + (offset(ms) if known is None else known), earliest), latest)

    return local


def connection_for(path: Path, version: str, registry: Registry) -> Guarded:
    """This thread's connection to a snapshot file; ``version`` tells a file from one it replaced."""
    held: OrderedDict[tuple[Path, str], Guarded] = _local.__dict__.setdefault("held", OrderedDict())
    key = (path, version)
    if key in held:
        held.move_to_end(key)
        return held[key]
    held[key] = opened = Guarded(path, registry)
    while len(held) > CONNECTIONS_PER_THREAD:
        held.popitem(last=False)[1].close()
    return opened


@contextmanager
def plain_reader(path: Path) -> Iterator[sqlite3.Connection]:
    """A short-lived read-only connection to a file we may not trust: no views' or triggers' functions run."""
    connection = sqlite3.connect(read_only_uri(path), uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        yield connection
    finally:
        connection.close()
