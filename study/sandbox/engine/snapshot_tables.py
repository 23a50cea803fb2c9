"""The tables of a snapshot: what they are called, and how records get into them in the order of their Ids.

Nothing is held in memory whole. Rows that come in Id order go straight into their
table; from the first one that does not, the table is put in order through a staging
file, sorted by SQLite on disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.folding import fold
from study.sandbox.engine.registry import FOLDED, FieldDef, ObjectDef
from study.sandbox.engine.values import SQL_TYPES, Stored, row_maker

Tables = Mapping[str, Iterable[Mapping[str, object]]]
Told = Callable[[int], None]
STAGE = "stage"
BATCH = 2_000


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def shadow(field: FieldDef) -> str:
    """The quoted name of a short text's folded column; no field's name can hold a tilde."""
    return quoted("~" + field.name)


def word_index(item: ObjectDef) -> str:
    return quoted("fts_" + item.name)


def name_index(item: ObjectDef) -> str:
    """The quoted name of the index of words in names; no object's name can hold a tilde."""
    return quoted("fts_~" + item.name)


def fill_table(
    connection: sqlite3.Connection, item: ObjectDef, records: Iterable[Mapping[str, object]], told: Told
) -> int:
    """Create the table of an object and put its records in, ``rid`` counting them in Id order. How many there were.

    SnapshotError for a wrong value, a missing or a repeated Id. ``told`` hears of each batch.
    """
    _create(connection, item, "main")
    filling = _Filling(connection, item)
    rows = _stored_rows(item, records)
    while batch := list(islice(rows, BATCH)):
        filling.add(batch)
        told(len(batch))
    filling.finish()
    return filling.count


def _create(connection: sqlite3.Connection, item: ObjectDef, place: str) -> None:
    columns = [f"{quoted(field.name)} {SQL_TYPES.get(field.type, 'TEXT')}" for field in item.fields]
    columns += [f"{shadow(field)} TEXT" for field in item.fields if field.type in FOLDED]
    connection.execute(f"CREATE TABLE {place}.{quoted(item.name)} (rid INTEGER PRIMARY KEY, {', '.join(columns)})")


def _stored_rows(item: ObjectDef, records: Iterable[Mapping[str, object]]) -> Iterator[list[Stored]]:
    """Each record's stored values with its folded texts behind them."""
    made = row_maker(item)
    folded = [place for place, field in enumerate(item.fields) if field.type in FOLDED]
    for record in records:
        try:
            row = made(record)
        except ValueError as error:
            raise SnapshotError(str(error)) from error
        row += [None if (value := row[place]) is None else fold(str(value)) for place in folded]
        yield row


class _Filling:
    """One table being filled: in order as long as the rows are, through the staging file from then on."""

    def __init__(self, connection: sqlite3.Connection, item: ObjectDef) -> None:
        self.connection = connection
        self.item = item
        self.count = 0
        self._place = "main"
        self._last = b""
        self._id = [field.name for field in item.fields].index("Id")
        marks = len(item.fields) + sum(field.type in FOLDED for field in item.fields)
        self._marks = ", ".join("?" * marks)

    def add(self, rows: Sequence[Sequence[Stored]]) -> None:
        if self._place == "main" and not self._follow(rows):
            self._move_to_stage()
        insert = f"INSERT INTO {self._place}.{quoted(self.item.name)} VALUES (NULL, {self._marks})"
        self.connection.executemany(insert, rows)
        self.count += len(rows)

    def _follow(self, rows: Sequence[Sequence[Stored]]) -> bool:
        """Whether every Id is greater, by bytes, than the one before it."""
        last = self._last
        for row in rows:
            # No Id sorts as the empty one: finish finds it.
            here = str(row[self._id] or "").encode()
            if here <= last:
                return False
            last = here
        self._last = last
        return True

    def _move_to_stage(self) -> None:
        _create(self.connection, self.item, STAGE)
        name = quoted(self.item.name)
        self.connection.execute(f"INSERT INTO {STAGE}.{name} SELECT * FROM main.{name}")
        self.connection.execute(f"DELETE FROM main.{name}")
        self._place = STAGE

    def finish(self) -> None:
        if self._place == "main":
            return
        name, key = quoted(self.item.name), quoted("Id")
        if self.connection.execute(f"SELECT 1 FROM {STAGE}.{name} WHERE {key} IS NULL").fetchone():
            raise SnapshotError(f"{self.item.name}: a record has no Id.")
        columns = [quoted(field.name) for field in self.item.fields]
        columns += [shadow(field) for field in self.item.fields if field.type in FOLDED]
        listed = ", ".join(columns)
        self.connection.execute(
            f"INSERT INTO main.{name} ({listed}) SELECT {listed} FROM {STAGE}.{name} ORDER BY {key}"
        )
        self.connection.execute(f"DROP TABLE {STAGE}.{name}")
        neighbours = f"main.{name} AS a JOIN main.{name} AS b ON b.rid = a.rid + 1"
        sql = f"SELECT a.{key} FROM {neighbours} WHERE b.{key} = a.{key} ORDER BY a.rid LIMIT 1"
        repeated = self.connection.execute(sql).fetchone()
        if repeated:
            raise SnapshotError(f"{self.item.name}: two records have the Id {repeated[0]}.")
