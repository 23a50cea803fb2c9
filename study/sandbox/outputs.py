"""What a query answers with: its columns, their places in the SELECT, and their values as Python holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from study.sandbox.errors import MALFORMED_QUERY, QueryError
from study.sandbox.queryspec import ChildRows
from study.sandbox.scope import Column
from study.sandbox.values import Stored

Row = tuple[Any, ...]
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
    if rows and places == list(range(len(places))) and not any(output.convert for output in outputs):
        return rows if len(rows[0]) == len(places) else [row[: len(places)] for row in rows]
    return list(zip(*columns_of(rows, outputs), strict=True))


def columns_of(rows: Sequence[Row], outputs: Sequence[Output]) -> list[Sequence[Any]]:
    """The same as columns: turned column by column, values cost least."""
    if not rows:
        return [() for _ in outputs]
    stored = list(zip(*rows, strict=True))
    return [_column(stored[output.place], output.convert) for output in outputs]


def _column(values: Sequence[Any], convert: Callable[[Any], object] | None) -> Sequence[Any]:
    return values if convert is None else [None if value is None else convert(value) for value in values]
