"""A report with columns: rows with their totals, and a cell for each pair of row and column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.queryspec import Order
from study.sandbox.gui.measuring import MeasureChoice
from study.sandbox.gui.report_address import GroupChoice
from study.sandbox.gui.report_rows import Cell, Name, Row, group_key
from study.sandbox.gui.reporting import Report

MOST_COLUMNS = 60
HEATS = 5
Values = tuple[Any, ...]


@dataclass
class MatrixReport(Report):
    """A report whose rows are cut by columns. Order, pages and "only rows with" are those of the rows."""

    @property
    def column(self) -> GroupChoice:
        if self.asked.across is None:
            raise QueryError(MALFORMED_QUERY, _("Choose what the columns are."), "x")
        return self.asked.across

    @cached_property
    def cell_measure(self) -> MeasureChoice | None:
        """What the cells show; None for the number of records."""
        return next((choice for choice in self.asked.measures if choice.alias == self.asked.cell), None)

    @cached_property
    def _columns(self) -> list[Values]:
        """The columns of all records, dates in their order, everything else the most frequent first."""
        order = Order("column") if self.column.by else Order("n", descending=True)
        spec = self.grouped((self.column,), order=(order,), limit=MOST_COLUMNS)
        return list(self.room.run(spec).rows)

    @cached_property
    def columns_in_all(self) -> int:
        shown = len(self._columns)
        return shown if shown < MOST_COLUMNS else self.room.count(self.grouped((self.column,)))

    @cached_property
    def columns(self) -> list[Name]:
        self.shown.learn(row[0] for row in self._columns)
        return [self.shown.name(self.column, row[0]) for row in self._columns]

    @cached_property
    def _cells(self) -> dict[tuple[object, ...], Values]:
        """The numbers of each row and column, under their keys."""
        choices = (*self.groups_of_rows, self.column)
        found = self.room.run(self.grouped(choices))
        if found.truncated:
            message = _("This has too many rows and columns to show. A condition or a longer period makes it smaller.")
            raise QueryError(MALFORMED_QUERY, message)
        return {_keys(choices, row): row[len(choices) :] for row in found.rows}

    @cached_property
    def rows(self) -> list[Row]:
        rows = super().rows
        most = self._most
        return [replace(row, across=tuple(self._across(row.raw, most))) for row in rows]

    @property
    def body(self) -> list[Row]:
        return self.rows

    def _across(self, raw: Values, most: float) -> Iterable[Cell]:
        depth = len(self.groups_of_rows)
        row = _keys(self.groups_of_rows, raw)
        keys = tuple(zip(self.groups_of_rows, raw[:depth], strict=False))
        for column in self._columns:
            found = self._cells.get((*row, *_keys((self.column,), column)))
            yield self._cell(found, (*keys, (self.column, column[0])), most)

    def _cell(self, found: Values | None, keys: tuple[Any, ...], most: float = 0.0) -> Cell:
        """One number: the count first in ``found``, then the measures."""
        n = int(found[0]) if found else 0
        if self.cell_measure is None:
            return self.shown.count(n, self.drill.url(keys), _heat(n, most))
        counted = self.cell_measure.fn in {"count", "count_distinct"}
        value = self.number(found) if found else 0 if counted else None
        heat = _heat(value, most) if self.additive else 0
        return self.shown.cell(self.cell_measure, value, self.drill.url(keys, self.cell_measure), heat)

    @property
    def additive(self) -> bool:
        """Whether the numbers of cells add up to those of rows and columns."""
        return self.cell_measure is None or self.cell_measure.fn in {"count", "sum"}

    def number(self, values: Sequence[Any]) -> Any:
        """What the cells show, out of a count and its measures."""
        return values[0] if self.cell_measure is None else values[1 + self.asked.measures.index(self.cell_measure)]

    @cached_property
    def _most(self) -> float:
        if not self.additive:
            return 0.0
        values = [self.number(values) for values in self._cells.values()]
        return max((float(value) for value in values if isinstance(value, int | float)), default=0.0)

    @cached_property
    def totals(self) -> list[Row]:
        """All records together, cut by columns too; per currency where there are several."""
        choices = (*self.splits, self.column)
        found = {_keys(choices, row): row[len(choices) :] for row in self.room.run(self.grouped(choices)).rows}
        rows = []
        for row in super().totals:
            split = tuple(zip(self.splits, row.raw[: len(self.splits)], strict=False))
            key = _keys(self.splits, row.raw)
            cells = (
                self._cell(found.get((*key, *_keys((self.column,), column))), (*split, (self.column, column[0])))
                for column in self._columns
            )
            rows.append(replace(row, across=tuple(cells)))
        return rows

    def values_across(self, row: Row) -> list[Any]:
        """The numbers of a row's cells, for the chart."""
        key = _keys(self.groups_of_rows, row.raw)
        found = (self._cells.get((*key, *_keys((self.column,), column))) for column in self._columns)
        return [self.number(values) if values else None for values in found]


def _keys(choices: Sequence[GroupChoice], row: Values) -> tuple[object, ...]:
    return tuple(group_key(choice, value) for choice, value in zip(choices, row, strict=False))


def _heat(value: object, most: float) -> int:
    """0 to 5: how strongly a cell is tinted."""
    if not isinstance(value, int | float) or value <= 0 or most <= 0:
        return 0
    return max(1, min(HEATS, round(float(value) / most * HEATS)))


__all__ = ["MOST_COLUMNS", "MatrixReport"]
