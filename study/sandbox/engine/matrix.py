"""A grouped query with one group across: rows, columns, cells, and totals from queries of their own.

Totals are asked again and never added up: averages and numbers of different values
don't add. ``having`` chooses rows by their totals; records of rows it leaves out
count nowhere. ``order`` sorts the rows by their groups and totals; a key that names
the group across sorts the columns. ``limit`` and ``offset`` are of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.queryspec import Group, Order, QuerySpec
from study.sandbox.engine.snapshot import Snapshot

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Matrix:
    """``rows`` are the values of the groups down, ``columns`` those of the group across.

    ``cells[row][column]`` holds the values of the measures in their order, or None where there are no
    records. Totals likewise; ``total`` is over all that the rows stand for. ``truncated``: there are more
    rows (or columns, or cells) than are here.
    """

    rows: tuple[Values, ...]
    columns: Values
    cells: tuple[tuple[Values | None, ...], ...]
    row_totals: tuple[Values, ...]
    column_totals: tuple[Values, ...]
    total: Values
    measures: tuple[str, ...]
    measure_types: tuple[str, ...]
    row_groups: tuple[str, ...]
    row_types: tuple[str, ...]
    column_group: str
    column_type: str
    truncated: bool


def matrix(snapshot: Snapshot, spec: QuerySpec, today: date) -> Matrix:
    """The matrix of a grouped query of which one group runs across. QueryError for any other query."""
    across = next((group for group in spec.groups if group.across), None)
    if across is None:
        raise QueryError(MALFORMED_QUERY, "A matrix needs a group that runs across.", "groups")
    down = tuple(group for group in spec.groups if not group.across)
    if spec.after is not None:
        raise QueryError(MALFORMED_QUERY, "The rows of a matrix begin at an offset, not behind a row.", "after")
    if not spec.measures:
        raise QueryError(MALFORMED_QUERY, "A matrix needs a measure.", "measures")
    by_row = _orders(spec, across, of_columns=False)
    plain = replace(spec, groups=down, having=None, order=(), limit=None, offset=0)
    among = replace(plain, having=spec.having) if spec.having else None
    # Without groups down there is one row, which is the total.
    tall, row_keys = snapshot.keyed(replace(spec, groups=down, order=by_row), today)
    wide, column_keys = snapshot.keyed(
        replace(plain, groups=(across,), order=_orders(spec, across, of_columns=True)), today, among
    )
    inner, cell_keys = snapshot.keyed(replace(plain, groups=(*down, across)), today, among)
    whole, _ = snapshot.keyed(replace(plain, groups=()), today, among)
    places = len(down)
    found = {key: row[places + 1 :] for key, row in zip(cell_keys, inner.rows, strict=True)}
    down_keys, across_keys = [key[len(by_row) :] for key in row_keys], [key[-1:] for key in column_keys]
    return Matrix(
        rows=tuple(row[:places] for row in tall.rows),
        columns=tuple(row[0] for row in wide.rows),
        cells=tuple(tuple(found.get(one + other) for other in across_keys) for one in down_keys),
        row_totals=tuple(row[places:] for row in tall.rows),
        column_totals=tuple(row[1:] for row in wide.rows),
        total=whole.rows[0],
        measures=tall.columns[places:],
        measure_types=tall.types[places:],
        row_groups=tall.columns[:places],
        row_types=tall.types[:places],
        column_group=wide.columns[0],
        column_type=wide.types[0],
        truncated=tall.truncated or wide.truncated or inner.truncated,
    )


def _orders(spec: QuerySpec, across: Group, *, of_columns: bool) -> tuple[Order, ...]:
    others = {name for group in spec.groups if group != across for name in (group.column, group.field)}
    names = {across.column, across.field} - others
    return tuple(order for order in spec.order if (order.key in names) == of_columns)
