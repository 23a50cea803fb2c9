"""From a QuerySpec to one parameterised SELECT.

Values are bound, names come from the registry: no text of a user becomes SQL. The
steps are those of a query: where, groups or columns, having, order, limit. What is
new in a later QuerySpec finds its place in one of them.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from study.sandbox.comparisons import comparison
from study.sandbox.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError
from study.sandbox.queryspec import (
    UNITS,
    And,
    Compare,
    Condition,
    Difference,
    Group,
    Measure,
    Not,
    Or,
    Order,
    QuerySpec,
    Related,
)
from study.sandbox.registry import FOLDED, Registry
from study.sandbox.scope import Column, Context, Scope
from study.sandbox.snapshot_write import quoted
from study.sandbox.values import Stored, to_python
from study.sandbox.words import match_conditions, parse_words

MAX_DEPTH = 20
_NUMERIC = {"number", "integer"}
_BETWEEN = "\x1f"  # between the folded and the shown form of a text, in min and max


@dataclass(frozen=True)
class Output:
    """A column of the result: its name, SQL, type, the SQL it sorts by, and what turns stored into Python."""

    name: str
    sql: str
    type: str
    key: str
    convert: Callable[[Any], object] | None = None


@dataclass(frozen=True)
class Compiled:
    """SQL with its values, and the columns it answers with."""

    sql: str
    parameters: dict[str, Stored]
    outputs: tuple[Output, ...]


def compile_rows(spec: QuerySpec, registry: Registry, today: date, *, limit: int) -> Compiled:
    """The rows (or groups) of a query, at most ``limit`` of them after its offset."""
    query = _Query(spec, registry, today)
    where = query.where()
    outputs, groups = query.outputs()
    having = query.having(outputs)
    order = query.order(outputs, groups)
    columns = ", ".join(f"{output.sql} AS c{place}" for place, output in enumerate(outputs))
    tail = f"LIMIT {query.context.bind(limit)} OFFSET {query.context.bind(spec.offset)}"
    sql = f"SELECT {columns} FROM {query.scope.from_sql()} {where} {_group_by(groups)} {having} {order} {tail}"
    return Compiled(sql, query.context.parameters, tuple(outputs))


def compile_count(spec: QuerySpec, registry: Registry, today: date) -> Compiled:
    """How many rows (or groups) a query has, whatever its limit and offset."""
    query = _Query(spec, registry, today)
    where = query.where()
    if not spec.grouped:
        sql = f"SELECT count(*) FROM {query.scope.from_sql()} {where}"
        return Compiled(sql, query.context.parameters, ())
    outputs, groups = query.outputs()
    having = query.having(outputs)
    # A measure keeps one row for a query without groups, also over no records.
    inner = f"SELECT count(*) AS n FROM {query.scope.from_sql()} {where} {_group_by(groups)} {having}"
    return Compiled(f"SELECT count(*) FROM ({inner})", query.context.parameters, ())


def _group_by(groups: list[Output]) -> str:
    return "GROUP BY " + ", ".join(group.key for group in groups) if groups else ""


class _Query:
    def __init__(self, spec: QuerySpec, registry: Registry, today: date) -> None:
        self.spec = spec
        self.context = Context(registry, today)
        self.scope = Scope(self.context, registry.object(spec.object))

    def where(self) -> str:
        conditions = []
        if self.spec.match and self.spec.match.strip():
            words = parse_words(self.spec.match)
            conditions += match_conditions(self.context, self.scope.item, self.scope.alias, words)
        if self.spec.where is not None:
            conditions.append(condition_sql(self.scope, self.spec.where))
        return "WHERE " + " AND ".join(f"({item})" for item in conditions) if conditions else ""

    def outputs(self) -> tuple[list[Output], list[Output]]:
        if not self.spec.grouped:
            return [_selected(self.scope, item) for item in self.spec.select or ("Id",)], []
        groups = [_group(self.scope, item) for item in self.spec.groups]
        outputs = groups + [_measure(self.scope, item) for item in self.spec.measures]
        names = [output.name for output in outputs]
        for name in names:
            if names.count(name) > 1:
                raise QueryError(MALFORMED_QUERY, f"Two columns are called {name!r}; give one an alias.", name)
        return outputs, groups

    def having(self, outputs: list[Output]) -> str:
        measures = {output.name: output for output in outputs[len(self.spec.groups) :]}
        parts = []
        for item in self.spec.having or ():
            if item.alias not in measures:
                raise QueryError(INVALID_FIELD, f"No measure is called {item.alias!r}.", item.alias)
            found = measures[item.alias]
            if found.type in FOLDED:
                raise QueryError(INVALID_FIELD, f"{item.alias} is a text: groups are compared by numbers.", item.alias)
            parts.append(comparison(self.context, found.key, found.type, item.op, item.value, item.alias))
        return "HAVING " + " AND ".join(f"({part})" for part in parts) if parts else ""

    def order(self, outputs: list[Output], groups: list[Output]) -> str:
        named = {output.name: output.key for output in outputs}
        named = {group.field: output.key for group, output in zip(self.spec.groups, groups, strict=False)} | named
        keys = [_sorted(self._sort_key(item, named), item) for item in self.spec.order]
        if self.spec.grouped:
            keys += [f"{group.key} NULLS FIRST" for group in groups]
        else:
            keys.append(f"{self.scope.alias}.{quoted('Id')}")
        return "ORDER BY " + ", ".join(keys) if keys else ""

    def _sort_key(self, item: Order, named: dict[str, str]) -> str:
        if self.spec.grouped:
            if item.key not in named:
                message = f"Groups are sorted by a group or a measure; {item.key!r} is neither."
                raise QueryError(INVALID_FIELD, message, item.key)
            return named[item.key]
        for chosen in self.spec.select:
            if isinstance(chosen, Difference) and chosen.column == item.key:
                return named[item.key]
        return self.scope.column(item.key).comparable().key


def _sorted(key: str, item: Order) -> str:
    return f"{key} {'DESC' if item.descending else 'ASC'} NULLS {item.nulls.upper()}"


def condition_sql(scope: Scope, item: Condition, depth: int = 0) -> str:
    """SQL of a condition tree. Empty fields make a comparison unknown, which ``Not`` counts as not held."""
    if depth > MAX_DEPTH:
        raise QueryError(MALFORMED_QUERY, f"Conditions may be nested {MAX_DEPTH} deep.", "where")
    match item:
        case Compare():
            return _compare(scope, item)
        case And() | Or():
            word, none = (" AND ", "1") if isinstance(item, And) else (" OR ", "0")
            parts = [condition_sql(scope, part, depth + 1) for part in item.items]
            return word.join(f"({part})" for part in parts) or none
        case Not():
            return f"({condition_sql(scope, item.item, depth + 1)}) IS NOT TRUE"
        case Related():
            return _related(scope, item, depth)
    raise QueryError(MALFORMED_QUERY, f"{item!r} is not a condition.", "where")


def _compare(scope: Scope, item: Compare) -> str:
    column = scope.column(item.field)
    if item.op in {"null", "not_null"}:
        return f"{column.sql} IS {'NOT ' if item.op == 'not_null' else ''}NULL"
    column.comparable()
    return comparison(scope.context, column.key, column.type, item.op, item.value, item.field)


def _related(scope: Scope, item: Related, depth: int) -> str:
    child = Scope(scope.context, scope.context.registry.object(item.child_object))
    reference = child.item.lookup(item.child_field)
    if scope.item.name not in reference.targets:
        message = f"{item.child_object}.{reference.name} does not point to {scope.item.name}."
        raise QueryError(INVALID_FIELD, message, f"{item.child_object}.{item.child_field}")
    link = f"{child.alias}.{quoted(reference.name)} = {scope.alias}.{quoted('Id')}"
    where = f" AND ({condition_sql(child, item.where, depth + 1)})" if item.where is not None else ""
    # The joins of the child appear while its condition is compiled, so its FROM is read last.
    rows = f"FROM {child.from_sql()} WHERE {link}{where}"
    if item.op == "at_least" and item.n <= 1:
        return f"EXISTS (SELECT 1 {rows})" if item.n else "1"
    sign = ">=" if item.op == "at_least" else "="
    return f"(SELECT count(*) {rows}) {sign} {scope.context.bind(item.n)}"


def _converter(kind: str) -> Callable[[Any], object] | None:
    if kind in {"datetime", "date", "boolean", "number"}:
        return lambda stored: to_python(kind, stored)
    return None


def _selected(scope: Scope, item: str | Difference) -> Output:
    if isinstance(item, Difference):
        sql = _difference(scope, item)
        return Output(item.column, sql, "number", sql)
    column = scope.column(item)
    return Output(item, column.sql, column.type, column.key, _converter(column.type))


def _difference(scope: Scope, item: Difference) -> str:
    end, start = (_as_milliseconds(scope, path) for path in (item.end, item.start))
    return f"({end} - {start}) / {UNITS[item.unit]}.0"


def _as_milliseconds(scope: Scope, path: str) -> str:
    column = _dated(scope, path)
    return column.sql if column.type == "datetime" else f"day_start({column.sql})"


def _dated(scope: Scope, path: str) -> Column:
    column = scope.column(path)
    if column.type not in {"date", "datetime"}:
        raise QueryError(INVALID_FIELD, f"{path} is not a date.", path)
    return column


def _group(scope: Scope, item: Group) -> Output:
    if item.by is None:
        column = scope.column(item.field).comparable()
        # Spellings that differ in capitals or accents are one group; the first of them is shown.
        sql = f"min({column.sql})" if column.type in FOLDED else column.sql
        return Output(item.column, sql, column.type, column.key, _converter(column.type))
    day = _day(scope, _dated(scope, item.field))
    month = f"CAST(substr({day}, 6, 2) AS INTEGER)"
    match item.by:
        case "year":
            sql, kind, convert = f"CAST(substr({day}, 1, 4) AS INTEGER)", "integer", None
        case "quarter":
            sql, kind, convert = f"substr({day}, 1, 4) || '-Q' || (({month} + 2) / 3)", "string", None
        case "month":
            sql, kind, convert = f"substr({day}, 1, 7)", "string", None
        case "month_name":
            return Output(item.column, month, "string", month, _month_name)
        case "week":
            sql, kind, convert = f"date({day}, '-' || strftime('%w', {day}) || ' days')", "date", _converter("date")
        case _:
            sql, kind, convert = day, "date", _converter("date")
    return Output(item.column, sql, kind, sql, convert)


def _day(scope: Scope, column: Column) -> str:
    if column.type == "date":
        return column.sql
    return f"date({column.sql} / 1000.0, 'unixepoch')" if scope.context.in_utc else f"local_day({column.sql})"


def _month_name(number: int | None) -> str | None:
    return None if number is None else calendar.month_name[number]


def _measure(scope: Scope, item: Measure) -> Output:
    if item.fn == "count" and item.field is None and item.formula is None:
        return Output(item.column, "count(*)", "integer", "count(*)")
    if isinstance(item.formula, Difference):
        raw = key = _difference(scope, item.formula)
        kind = "number"
    else:
        column = scope.column(item.field or "")
        raw, key, kind = column.sql, column.key, column.type
        if item.fn != "count":
            column.comparable()
    if item.fn in {"count", "count_distinct"}:
        sql = f"count({raw})" if item.fn == "count" else f"count(DISTINCT {key})"
        return Output(item.column, sql, "integer", sql)
    if item.fn in {"avg", "sum"} and kind not in _NUMERIC:
        raise QueryError(INVALID_FIELD, f"{item.fn} needs numbers; {item.field} holds none.", item.field or "")
    if kind in FOLDED:
        text = f"{item.fn}({key} || {scope.context.bind(_BETWEEN)} || {raw})"
        return Output(item.column, text, kind, text, _shown_text)
    sql = f"{item.fn}({raw})"
    kind = "number" if item.fn == "avg" else kind
    return Output(item.column, sql, kind, sql, _converter(kind))


def _shown_text(pair: str | None) -> str | None:
    """The second half of ``folded BETWEEN shown``; both hold as many separators of their own."""
    if pair is None:
        return None
    parts = pair.split(_BETWEEN)
    return _BETWEEN.join(parts[len(parts) // 2 :])
