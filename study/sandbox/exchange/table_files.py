"""Tables as they come: a folder of CSV files, or a foreign SQLite database. Everything is text here.

Rows are read from disk as they are taken; none is kept.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.exchange.foreign_sqlite import LONGEST_CELL, Foreign, foreign_reader, regular_file, shown

Row = dict[str, str | None]
# A line of its own behind the last one, unless a quote is still open there. NUL is in no text that is kept.
_END = "\0end of file\0"


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
    """A table's columns and its rows with their row numbers; ``read`` is false for what is no table after all.

    Rows may be an iterator, to be taken once and before the next table is asked for.
    ``problems`` is complete when the rows have been read.
    """

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[int, Row]]
    problems: Sequence[Problem] = ()
    read: bool = True


def csv_tables(folder: Path) -> Iterator[RawTable]:
    """Every ``Object.csv`` of a folder, in order of name. Links and pipes are refused."""
    for path in sorted(folder.glob("*.csv")):
        regular_file(path)
        yield _csv_table(path)


def _csv_table(path: Path) -> RawTable:
    table, problems = path.stem, list[Problem]()
    if (bad := _not_utf8(path)) is not None:
        message = f"the file is not UTF-8 at byte {bad}"
        problems.append(Problem(table, None, "", message, "unreadable bytes were replaced"))
    cells = _cells(path, problems)
    _number, columns = next(cells, (1, []))
    for name in sorted({name for name in columns if columns.count(name) > 1}):
        problems.append(Problem(table, 1, name, "the column stands there twice", "the last one was read"))
    return RawTable(table, tuple(columns), _csv_rows(table, columns, cells, problems), problems)


def _cells(path: Path, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Every line of a CSV file with its number. One that ends inside a quoted cell was cut off, a problem."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            for number, cells in enumerate(csv.reader(chain(file, [_END])), 1):
                if cells == [_END]:
                    return
                if cells and cells[-1].endswith(_END):
                    cells[-1] = cells[-1].removesuffix(_END)
                    message = "the file ends inside a quoted cell"
                    problems.append(Problem(path.stem, number, "", message, "all that follows the quote is one cell"))
                yield number, cells
    except csv.Error as error:
        raise SnapshotError(f"{path.name} cannot be read as CSV: {error}.") from error


def _not_utf8(path: Path) -> int | None:
    """The first byte that cannot be read, if there is one."""
    decoder, before = codecs.getincrementaldecoder("utf-8")(), 0
    with open(path, "rb") as file:
        while True:
            block = file.read(1 << 20)
            waiting = len(decoder.getstate()[0])
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                return before - waiting + error.start
            before += len(block)
            if not block:
                return None


def _csv_rows(
    table: str, columns: list[str], lines: Iterable[tuple[int, list[str]]], problems: list[Problem]
) -> Iterator[tuple[int, Row]]:
    for number, cells in lines:
        if not cells:
            continue
        if len(cells) != len(columns):
            message = f"the row has {len(cells)} cells, the head {len(columns)}"
            action = "the cells beyond were left out" if len(cells) > len(columns) else "the rest was left empty"
            problems.append(Problem(table, number, "", message, action))
            # A short row is filled with empty cells.
            cells += [""] * (len(columns) - len(cells))
        # Empty is no value.
        yield number, {name: cell or None for name, cell in zip(columns, cells, strict=False)}


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

    def rows() -> Iterator[tuple[int, Row]]:
        for number, row in enumerate(foreign.rows(name, columns) if columns else (), 2):
            yield number, {column: _text(value, foreign) for column, value in zip(columns, row, strict=True)}
        if bad := foreign.undecoded - before:
            problems.append(Problem(table, None, "", f"{bad:,} texts are not UTF-8", "unreadable bytes were replaced"))

    return RawTable(table, tuple(columns), rows(), problems)


def _text(value: object, foreign: Foreign) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bytes):
        return foreign.text(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
