"""Groups and measures as columns of a grouped query."""

from __future__ import annotations

from study.sandbox.engine.calendar_sql import MONTH, period_column
from study.sandbox.engine.conditions import condition_sql
from study.sandbox.engine.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError
from study.sandbox.engine.expressions import NUMBERS, expression
from study.sandbox.engine.queryspec import Group, Measure
from study.sandbox.engine.registry import FOLDED
from study.sandbox.engine.scope import Column, Scope

# Between the folded and the shown form of a text, in min and max: no text holds it, and it sorts before
# all others, so that "ab" comes before "ab" and a line end, as it does among the folded forms alone.
_BETWEEN = "\0"


def group_column(scope: Scope, item: Group) -> Column:
    """What the rows of a group have in common."""
    if not isinstance(item, Group):
        raise QueryError(MALFORMED_QUERY, f"{item!r} is not a group.", "groups")
    if item.by is not None:
        return period_column(scope, item.field, item.by, item.column)
    column = scope.column(item.field).comparable()
    # Spellings that differ in capitals or accents are one group; the first of them is shown.
    sql = f"min({column.sql})" if column.type in FOLDED else column.sql
    return Column(sql, column.key, column.type, column.place, shown=column.shown)


def measure_column(scope: Scope, item: Measure) -> Column:
    """A number (or first or last value) over the rows of a group that ``where`` holds for."""
    if not isinstance(item, Measure):
        raise QueryError(MALFORMED_QUERY, f"{item!r} is not a measure.", "measures")
    where = None if item.where is None else condition_sql(scope, item.where)
    if item.fn == "share":
        # Rows the condition is unknown for count as rows it does not hold for.
        return _same(f"avg(({where}) IS TRUE)", "number", item)
    kept = "" if where is None else f" FILTER (WHERE {where})"
    if item.field is None and item.formula is None:
        return _same(f"count(*){kept}", "integer", item)
    over = expression(scope, item.formula or item.field or "")
    if item.fn == "count":
        return _same(f"count({over.sql}){kept}", "integer", item)
    over.comparable()
    if item.fn == "count_distinct":
        return _same(f"count(DISTINCT {over.key}){kept}", "integer", item)
    if item.fn in {"avg", "sum"}:
        if over.type not in NUMBERS:
            raise QueryError(INVALID_FIELD, f"{item.fn} needs numbers; {over.place} holds none.", over.place)
        return _same(f"{item.fn}({over.sql}){kept}", "number" if item.fn == "avg" else over.type, item)
    return _extreme(scope, item, over, kept)


def _same(sql: str, kind: str, item: Measure) -> Column:
    return Column(sql, sql, kind, item.column)


def _extreme(scope: Scope, item: Measure, over: Column, kept: str) -> Column:
    key = f"{item.fn}({over.key}){kept}"
    if over.type in FOLDED and over.compared != MONTH:
        pair = f"{item.fn}({over.key} || {scope.context.bind(_BETWEEN)} || {over.sql}){kept}"
        return Column(pair, key, over.type, item.column, shown=_shown_text)
    return Column(key, key, over.type, item.column, over.kind, over.shown)


def _shown_text(pair: str) -> str:
    """The second half of ``folded BETWEEN shown``."""
    return pair.partition(_BETWEEN)[2]
