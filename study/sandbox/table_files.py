"""Tables as they come: a folder of CSV files, or a foreign SQLite database. Everything is text here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from study.sandbox.errors import SnapshotError
from study.sandbox.foreign_sqlite import LONGEST_CELL, Foreign, foreign_reader, regular_file, shown

Row = dict[str, str | None]


@dataclass(frozen=True)
class Problem:
    """Something wrong with the input, and what was done about it. Row 1 is the head of a table."""

    table: str
    row: int | None
    field: str
    message: str
    action: str

    def __str__(self) -> str:
        place = [self.table, *([f"row {self.row}"] if self.row else []), *([self.field] if self.field else [])]
        return f"{', '.join(place)}: {self.message}; {self.action}."


@dataclass(frozen=True)
class RawTable:
    """A table's columns and its rows with their row numbers; ``read`` is false for what is no table after all."""

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[int, Row]]
    problems: tuple[Problem, ...] = ()
    read: bool = True


def csv_tables(folder: Path) -> Iterator[RawTable]:
    """Every ``Object.csv`` of a folder, in order of name. Links and pipes are refused."""
    for path in sorted(folder.glob("*.csv")):
        regular_file(path)
        yield _csv_table(path)


def _csv_table(path: Path) -> RawTable:
    table, problems = path.stem, []
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"the file is not UTF-8 at byte {error.start}"
        problems.append(Problem(table, None, "", message, "unreadable bytes were replaced"))
        text = data.decode("utf-8-sig", "replace")
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        columns = next(reader, [])
        for name in sorted({name for name in columns if columns.count(name) > 1}):
            problems.append(Problem(table, 1, name, "the column stands there twice", "the last one was read"))
        rows = []
        for number, cells in enumerate(reader, 2):
            if not cells:
                continue
            if len(cells) != len(columns):
                message = f"the row has {len(cells)} cells, the head {len(columns)}"
                action = "the cells beyond were left out" if len(cells) > len(columns) else "the rest was left empty"
                problems.append(Problem(table, number, "", message, action))
            # Empty is no value; a short row is filled with empty cells.
            padded = cells + [""] * (len(columns) - len(cells))
            rows.append((number, {name: cell or None for name, cell in zip(columns, padded, strict=False)}))
    except csv.Error as error:
        raise SnapshotError(f"{path.name} cannot be read as CSV: {error}.") from error
    return RawTable(table, tuple(columns), rows, tuple(problems))


def sqlite_tables(path: Path) -> Iterator[RawTable]:
    """Every plain table of a foreign SQLite database, its values as text; what is no table is a problem."""
    with foreign_reader(path) as foreign:
        for name, kind in foreign.kinds().items():
            if kind == "table":
                yield _sqlite_table(foreign, name)
            elif kind != "shadow":
                message = "a view" if kind == "view" else "a virtual table"
                yield RawTable(
                    shown(name), (), [], (Problem(shown(name), None, "", message, "it was not read"),), False
                )


def _sqlite_table(foreign: Foreign, name: str) -> RawTable:
    columns, computed = foreign.columns(name)
    table, before = shown(name), foreign.undecoded
    problems = [Problem(table, 1, shown(column), "a computed column", "it was not read") for column in computed]
    rows = []
    for number, row in enumerate(foreign.rows(name, columns) if columns else (), 2):
        rows.append((number, {column: _text(value) for column, value in zip(columns, row, strict=True)}))
    if bad := foreign.undecoded - before:
        problems.append(Problem(table, None, "", f"{bad:,} texts are not UTF-8", "unreadable bytes were replaced"))
    return RawTable(table, tuple(columns), rows, tuple(problems))


def _text(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
