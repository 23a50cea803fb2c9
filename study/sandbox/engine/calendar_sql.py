"""Periods of the calendar and parts of it as SQL, read off a date in the Org's zone."""

from __future__ import annotations

import calendar

from study.sandbox.engine.errors import INVALID_FIELD, INVALID_VALUE, QueryError
from study.sandbox.engine.folding import fold
from study.sandbox.engine.queryspec import Scalar
from study.sandbox.engine.scope import Column, Scope

MONTH = "month"
"""How the number of a month is compared: with numbers, or with names of months."""

_NUMBERS = {fold(name): number for number, name in enumerate(calendar.month_name) if name}


def dated(scope: Scope, path: str) -> Column:
    """The date or datetime a path ends in. QueryError where it ends in something else."""
    column = scope.column(path)
    if column.type not in {"date", "datetime"}:
        raise QueryError(INVALID_FIELD, f"{path} is not a date.", path)
    return column


def period_column(scope: Scope, path: str, by: str, name: str) -> Column:
    """The period, or part of the calendar, that the date at the end of a path lies in."""
    column = dated(scope, path)
    if by == "hour_of_day" and column.type == "date":
        raise QueryError(INVALID_FIELD, f"{path} is a day without an hour.", path)
    at = _place_in_time(scope, column)
    if by == "month_name":
        return Column(_number(at, "%m"), _number(at, "%m"), "string", name, MONTH, lambda n: calendar.month_name[n])
    if by == "quarter":
        year, quarter = f"strftime('%Y', {at})", f"(({_number(at, '%m')} + 2) / 3)"
        return Column(f"{year} || '-Q' || {quarter}", f"{year} || '-q' || {quarter}", "string", name)
    sql, kind = _sql(at, by, scope.context.registry.fiscal_start)
    return Column(f"({sql})", f"({sql})", kind, name)


def _place_in_time(scope: Scope, column: Column) -> str:
    """The arguments of SQLite's date functions that mean this date on the clocks of the Org."""
    if column.type == "date":
        return column.sql
    return f"{column.sql if scope.context.in_utc else f'local_ms({column.sql})'} / 1000.0, 'unixepoch'"


def _number(at: str, part: str) -> str:
    return f"CAST(strftime('{part}', {at}) AS INTEGER)"


def _sql(at: str, by: str, fiscal_start: int) -> tuple[str, str]:
    day, month, year = _number(at, "%d"), _number(at, "%m"), _number(at, "%Y")
    in_fiscal_year = f"({month} + {12 - fiscal_start}) % 12"
    match by:
        case "month":
            return f"strftime('%Y-%m', {at})", "string"
        case "week":
            # Six days back and on to the next Sunday: the Sunday on or before.
            return f"max(date({at}, '-6 days', 'weekday 0'), '0001-01-01')", "date"
        case "day":
            return f"date({at})", "date"
        case "fiscal_year":
            # Named after the calendar year it ends in.
            return (f"{year} + ({month} >= {fiscal_start})" if fiscal_start > 1 else year), "integer"
    numbers = {
        "year": year,
        "hour_of_day": _number(at, "%H"),
        "day_of_week": f"{_number(at, '%w')} + 1",
        "day_of_month": day,
        "day_of_year": _number(at, "%j"),
        "week_of_month": f"({day} + 6) / 7",
        "week_of_year": f"({_number(at, '%j')} + 6) / 7",
        "month_of_year": month,
        "quarter_of_year": f"({month} + 2) / 3",
        "fiscal_quarter_of_year": f"{in_fiscal_year} / 3 + 1",
        "fiscal_month_of_year": f"{in_fiscal_year} + 1",
    }
    return numbers[by], "integer"


def month_number(value: Scalar, place: str) -> Scalar:
    """The number of a month given by name; other values as they are, to be compared as numbers."""
    if not isinstance(value, str) or value.strip().isdigit():
        return value
    number = _NUMBERS.get(fold(value.strip()))
    if number is None:
        raise QueryError(INVALID_VALUE, f"{place} is compared with the name of a month, not {value!r}.", place)
    return number


def milliseconds_sql(scope: Scope, path: str) -> str:
    """A date as milliseconds since 1970; a day counts from its first moment in the Org's zone."""
    column = dated(scope, path)
    return column.sql if column.type == "datetime" else f"day_start({column.sql})"
