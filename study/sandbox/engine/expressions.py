"""What can stand in a column of a row: a path, or a formula over paths."""

from __future__ import annotations

from study.sandbox.engine.calendar_sql import milliseconds_sql, period_column
from study.sandbox.engine.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError
from study.sandbox.engine.formulas import UNITS, Difference, Formula, Part, Period, Product, Quotient
from study.sandbox.engine.scope import Column, Scope

NUMBERS = frozenset({"number", "integer"})


def expression(scope: Scope, item: str | Formula) -> Column:
    """The column of a path or formula. QueryError where a part of it has the wrong type."""
    match item:
        case Difference():
            end, start = milliseconds_sql(scope, item.end), milliseconds_sql(scope, item.start)
            return _worked_out(f"(({end} - {start}) / {UNITS[item.unit]}.0)", item)
        case Product() | Quotient():
            sign = "*" if isinstance(item, Product) else "/"
            left, right = _part(scope, item.left), _part(scope, item.right)
            # SQLite divides by zero to null, and whole numbers to whole numbers unless one is made broken.
            # What is larger than a number can be is empty too: no page ends at it, and nothing can be drawn of it.
            return _worked_out(f"nullif(nullif({left} * 1.0 {sign} {right}, 9e999), -9e999)", item)
        case Period():
            return period_column(scope, item.field, item.by, item.column)
        case str():
            return scope.column(item)
    raise QueryError(MALFORMED_QUERY, f"{item!r} cannot be a column.", "select")


def _worked_out(sql: str, item: Formula) -> Column:
    return Column(sql, sql, "number", item.column)


def _part(scope: Scope, part: Part) -> str:
    if not isinstance(part, str):
        return scope.context.bind(part)
    column = scope.column(part)
    if column.type not in NUMBERS:
        raise QueryError(INVALID_FIELD, f"{part} is not a number.", part)
    return column.sql
