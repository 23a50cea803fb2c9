"""What a query answers with: its columns, their places in the SELECT, and their values as Python holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.queryspec import ChildRows
from study.sandbox.engine.scope import Column
from study.sandbox.engine.values import Stored, moment

Row = tuple[Any, ...]
_FAR = 4_000_000_000_000
CHILDREN = "rows"
"""The type of a column that holds child rows."""


@dataclass(frozen=True)
class Output:
    """A column of the result: its name, type, what turns stored into Python, and its place in the SELECT.

    Child rows are read apart: they have no place here but the query's own description.
    """

    name: str
    type: str
    place: int = -1
    convert: Callable[[Any], object] | None = None
    children: ChildRows | None = None


@dataclass(frozen=True)
class Compiled:
    """SQL with its values, the columns it answers with, and the places of sort keys and of the record's Id."""

    sql: str
    parameters: dict[str, Stored]
    outputs: tuple[Output, ...] = ()
    keys: tuple[int, ...] = ()
    record: int = -1


@dataclass
class Columns:
    """The columns of a SELECT, each once."""

    sql: list[str] = field(default_factory=list)

    def place(self, sql: str) -> int:
        if sql not in self.sql:
            self.sql.append(sql)
        return self.sql.index(sql)

    def output(self, name: str, column: Column) -> Output:
        return Output(name, column.type, self.place(column.sql), column.convert)

    def __str__(self) -> str:
        return ", ".join(f"{sql} AS c{place}" for place, sql in enumerate(self.sql))


def column_name(item: Any) -> str:
    """What a path, formula, group, measure or list of child rows is called. QueryError for anything else."""
    name = item if isinstance(item, str) else getattr(item, "column", None)
    if not isinstance(name, str):
        raise QueryError(MALFORMED_QUERY, f"{item!r} cannot be a column.", "select")
    return name


def converted(rows: list[Row], outputs: Sequence[Output]) -> list[Row]:
    """Stored rows as Python values, in the order of the outputs."""
    places = [output.place for output in outputs]
    width = len(places)
    if not rows:
        return []
    if places != list(range(width)):
        rows = [tuple([row[place] for place in places]) for row in rows]
    elif len(rows[0]) > width:
        rows = [row[:width] for row in rows]
    times = [place for place, output in enumerate(outputs) if output.type == "datetime"]
    others = [(place, out.convert) for place, out in enumerate(outputs) if out.convert and place not in times]
    return _with_python(rows, times, others) if times or others else rows


def _with_python(rows: list[Row], times: list[int], others: list[tuple[int, Callable[[Any], object]]]) -> list[Row]:
    """Written out in one loop: this is most of what the engine adds to the time of a long answer."""
    found, read = [], datetime.fromtimestamp
    for row in rows:
        values = list(row)
        for place in times:
            if (ms := values[place]) is not None:
                # Exact to the millisecond this side of the year 2096.
                values[place] = read(ms / 1000, UTC) if -_FAR < ms < _FAR else moment(ms)
        for place, convert in others:
            if (value := values[place]) is not None:
                values[place] = convert(value)
        found.append(tuple(values))
    return found


def columns_of(rows: list[Row], outputs: Sequence[Output]) -> list[Sequence[Any]]:
    """The same as columns."""
    return list(zip(*converted(rows, outputs), strict=True)) if rows else [() for _ in outputs]
