"""Foreign SQLite databases, read as hostile input.

Nothing in such a file may run: plain tables only, plain columns only, no function, no
view, no trigger, no virtual table. What cannot be read is named; nothing is written.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from study.sandbox.engine.connections import read_only_uri
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.snapshot_write import META, quoted

MAGIC = b"SQLite format 3\0"
LONGEST_CELL = 16_000_000
MOST_TABLES = 2_000
MOST_COLUMNS = 1_000
PATIENCE = 20.0
"""Seconds that SQLite may work on one batch of rows."""
_STEPS = 100_000
_BATCH = 1_000
# A row takes a pointer, a size, a number and a head: fewer bytes than that is a page listed many times over.
_LEAST_ROW = 4
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST_CELL,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 100_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 8,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_TABLE = re.compile(r"\s*CREATE\s+TABLE\b", re.IGNORECASE)
_VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL\b", re.IGNORECASE)


def regular_file(path: Path) -> int:
    """The size of a plain file. SnapshotError for a link, a folder, a pipe or a device; never waits for one."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise SnapshotError(f"{path.name} is a link. Name the file itself.") from error
        raise SnapshotError(f"{path.name} cannot be opened: {error.strerror or error}.") from error
    try:
        state = os.fstat(handle)
    finally:
        os.close(handle)
    if not stat.S_ISREG(state.st_mode):
        raise SnapshotError(f"{path.name} is not a plain file.")
    return state.st_size


def shown(name: str) -> str:
    """A name from a file, fit to be printed."""
    plain = name if name.isprintable() else ascii(name)[1:-1]
    return plain if len(plain) <= 80 else plain[:79] + "…"


@dataclass
class Foreign:
    """An open foreign database. ``undecoded`` counts texts that were not UTF-8."""

    path: Path
    size: int
    connection: sqlite3.Connection
    undecoded: int = 0
    _until: float = field(default=0.0)

    def text(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            self.undecoded += 1
            return data.decode("utf-8", "replace")

    def late(self) -> bool:
        return time.monotonic() > self._until

    def patience(self) -> None:
        self._until = time.monotonic() + PATIENCE

    def kinds(self) -> dict[str, str]:
        """Name -> kind of everything the file calls a table or view: ``table``, ``view``, ``virtual``, ``shadow``."""
        self.patience()
        asked = "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        found = self.connection.execute(asked).fetchmany(MOST_TABLES + 1)
        if len(found) > MOST_TABLES:
            raise SnapshotError(f"{self.path.name} holds more than {MOST_TABLES:,} tables; so many are not read.")
        made = {str(name): _kind(str(kind), str(sql or "")) for name, kind, sql in found}
        virtual = tuple(f"{name}_" for name, kind in made.items() if kind == "virtual")
        own = {name for name in made if name.lower().startswith("sqlite_")}
        inside = {name for name, kind in made.items() if kind == "table" and name.startswith(virtual)}
        return {name: "shadow" if name in inside else made[name] for name in sorted(made) if name not in own}

    def columns(self, table: str) -> tuple[list[str], list[str]]:
        """The plain columns of a table, and those that are computed."""
        self.patience()
        found = self.connection.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()
        if len(found) > MOST_COLUMNS:
            raise SnapshotError(f"{shown(table)} has {len(found):,} columns; at most {MOST_COLUMNS:,} are read.")
        return [row[1] for row in found if row[6] == 0], [row[1] for row in found if row[6] != 0]

    def rows(self, table: str, columns: list[str]) -> Iterator[tuple[object, ...]]:
        """The rows as they lie in the file. No index is used: it may say something else than the table."""
        wanted = ", ".join(map(quoted, columns))
        # Rows are taken far from where the file was opened, so faults are put in words here too.
        with in_words(self.path):
            self.patience()
            cursor = self.connection.execute(f"SELECT {wanted} FROM {quoted(table)} NOT INDEXED")
            read = 0
            while batch := cursor.fetchmany(_BATCH):
                read += len(batch)
                if read * _LEAST_ROW > self.size:
                    raise SnapshotError(f"{shown(table)}: more rows than the file has room for; the file is damaged.")
                yield from batch
                self.patience()


def _kind(kind: str, sql: str) -> str:
    """What was made, by the statement that made it: the file's own word for it may be forged."""
    if kind == "table" and _TABLE.match(sql):
        return "table"
    return "virtual" if _VIRTUAL.match(sql) else "view"


@contextmanager
def foreign_reader(path: Path) -> Iterator[Foreign]:
    """Open a foreign database for reading tables. SnapshotError in plain words for whatever goes wrong inside."""
    size = regular_file(path)
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise SnapshotError(f"{path.name} is not an SQLite database.")
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        raise SnapshotError(
            f"{path.name} has changes that still lie in {log.name}. Close the program that writes it, "
            "or run PRAGMA wal_checkpoint(TRUNCATE) there first."
        )
    with in_words(path), closing(sqlite3.connect(read_only_uri(path), uri=True, isolation_level=None)) as connection:
        foreign = Foreign(path, size, connection)
        _guard(foreign)
        yield foreign


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """SQLite's errors as a SnapshotError that says what is wrong with the file."""
    try:
        yield
    except (sqlite3.Error, MemoryError) as error:
        raise SnapshotError(f"{path.name} cannot be read as an SQLite database: {_plain(error)}.") from error


def _guard(foreign: Foreign) -> None:
    connection = foreign.connection
    for category, limit in _LIMITS.items():
        connection.setlimit(category, limit)
    for setting in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "query_only=ON"):
        connection.execute(f"PRAGMA {setting}")
    connection.text_factory = foreign.text
    foreign.patience()
    connection.set_progress_handler(foreign.late, _STEPS)
    connection.set_authorizer(_permit)


def _permit(action: int, first: str | None, _second: str | None, _db: str | None, _within: str | None) -> int:
    """Reading tables and asking what there is; no function, no write, nothing from inside a view or trigger."""
    asked = action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo"
    allowed = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) or asked
    return sqlite3.SQLITE_OK if allowed and _within is None else sqlite3.SQLITE_DENY


def _plain(error: BaseException) -> str:
    said = str(error)
    if "malformed" in said:
        return f"the file is damaged ({said})"
    if "too big" in said or isinstance(error, MemoryError):
        return f"a cell claims more than {LONGEST_CELL // 1_000_000} MB"
    if "interrupted" in said:
        return f"it kept SQLite busy for more than {PATIENCE:g} seconds"
    if "not a database" in said:
        return "the file is damaged or encrypted"
    return said


def is_snapshot(path: Path) -> bool:
    """Whether an SQLite file says that it is a snapshot of ours."""
    with foreign_reader(path) as foreign:
        return foreign.kinds().get(META) == "table"
