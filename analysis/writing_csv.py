"""The tables of a document as CSV: exact numbers where the table has them, and no cell that a spreadsheet would run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analysis.cells import csv_bytes, safe_cell
from analysis.document import Table


def csv_of(table: Table) -> bytes:
    """The table's data, or its cells where it has no data of its own. A header is guarded like any cell (P-21)."""
    head, *rows = table.data if table.data is not None else [table.head, *table.rows]
    return plain_csv([str(title) for title in head], rows)


def plain_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    return csv_bytes([safe_cell(title) for title in head], [[_cell(value) for value in row] for row in rows])


def _cell(value: object) -> str:
    """A number stays one, so that a minus sign is no formula; None is the empty cell."""
    if value is None:
        return ""
    return safe_cell(value) if isinstance(value, str) else str(value)
