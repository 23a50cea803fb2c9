"""From a QuerySpec to one parameterised SELECT.

Values are bound, names come from the registry: no text of a user becomes SQL. The
steps are those of a query: where, groups or columns, having, order, limit. What
stands in them is made by conditions.py, expressions.py, measures.py and paging.py.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from study.sandbox.engine.conditions import condition_sql, having_sql, joined
from study.sandbox.engine.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError
from study.sandbox.engine.expressions import expression
from study.sandbox.engine.measures import group_column, measure_column
from study.sandbox.engine.outputs import CHILDREN, Columns, Compiled, Output, column_name
from study.sandbox.engine.paging import Key, behind
from study.sandbox.engine.queryspec import ChildRows, Order, QuerySpec
from study.sandbox.engine.registry import Registry
from study.sandbox.engine.scope import Column, Context, Scope
from study.sandbox.engine.words import match_conditions, parse_words

FEW = 1_000
"""Rows up to which an answer also holds what each of them is sorted by."""


def compile_rows(
    spec: QuerySpec, registry: Registry, today: date, *, limit: int, among: QuerySpec | None = None
) -> Compiled:
    """The rows (or groups) of a query, at most ``limit`` of them after its offset.

    ``among``, a grouped query over the same records, keeps the records in its groups only.
    """
    query = _Query(spec, registry, today)
    conditions = query.conditions()
    if among is not None and among.having:
        conditions.append(query.among(among))
    if spec.order and not spec.grouped and limit <= FEW:
        return _sorted_page(query, conditions, limit)
    columns = Columns()
    outputs = _outputs(columns, query.shown())
    keys = query.keys()
    record = -1 if spec.grouped else columns.place(query.scope.id)
    # In a long answer the keys of each row would cost more than asking for those of the last one again.
    places = tuple(columns.place(key.sql) for key in keys) if spec.grouped or limit <= FEW else ()
    having = query.having()
    if spec.after is not None:
        (having if spec.grouped else conditions).append(behind(query.context, keys, spec.after))
    sql = (
        f"SELECT {columns if columns.sql else '1'} FROM {query.scope.from_sql()}{_where(conditions)}{query.group_by()}"
        f"{_having(having)}{_order_by(keys)}{query.page(limit)}"
    )
    return Compiled(sql, query.context.parameters, outputs, places, record)


def _sorted_page(query: _Query, conditions: list[str], limit: int) -> Compiled:
    """First which records and in what order, often from an index alone, then what is shown of those few."""
    query.name_formulas()
    keys = query.keys()
    if query.spec.after is not None:
        conditions.append(behind(query.context, keys, query.spec.after))
    sorted_by = ", ".join(f"{key.sql} AS k{place}" for place, key in enumerate(keys))
    page = (
        f"SELECT {query.scope.alias}.rid AS rid, {sorted_by} FROM {query.scope.from_sql()}{_where(conditions)}"
        f"{_order_by(keys)}{query.page(limit)}"
    )
    shown = _Query(query.spec, query.context.registry, query.context.today, query.context)
    columns = Columns()
    outputs = _outputs(columns, shown.shown())
    record = columns.place(shown.scope.id)
    keys = [replace(key, sql=f"page.k{place}") for place, key in enumerate(keys)]
    places = tuple(columns.place(key.sql) for key in keys)
    sql = (
        f"SELECT {columns} FROM ({page}) AS page CROSS JOIN {shown.scope.from_sql()} "
        f"WHERE {shown.scope.alias}.rid = page.rid{_order_by(keys)}"
    )
    return Compiled(sql, query.context.parameters, outputs, places, record)


def _outputs(columns: Columns, shown: list[tuple[str, Column | ChildRows]]) -> tuple[Output, ...]:
    return tuple(
        Output(name, CHILDREN, children=item) if isinstance(item, ChildRows) else columns.output(name, item)
        for name, item in shown
    )


def compile_count(spec: QuerySpec, registry: Registry, today: date) -> Compiled:
    """How many rows (or groups) a query has, whatever its limit and place to continue from."""
    query = _Query(counted(spec), registry, today)
    where = _where(query.conditions())
    if not spec.grouped:
        return Compiled(f"SELECT count(*) FROM {query.scope.from_sql()}{where}", query.context.parameters)
    query.shown()
    having = _having(query.having())
    # A measure keeps one row for a query without groups, also over no records.
    inner = f"SELECT count(*) AS n FROM {query.scope.from_sql()}{where}{query.group_by()}{having}"
    return Compiled(f"SELECT count(*) FROM ({inner})", query.context.parameters)


def counted(spec: QuerySpec) -> QuerySpec:
    """The query without what makes no difference to the number of its rows: columns, order, page."""
    return replace(spec, select=(), order=(), limit=None, offset=0, after=None)


def _where(conditions: list[str]) -> str:
    return f" WHERE {joined('AND', conditions)}" if conditions else ""


def _having(conditions: list[str]) -> str:
    return f" HAVING {joined('AND', conditions)}" if conditions else ""


def _order_by(keys: list[Key]) -> str:
    return " ORDER BY " + ", ".join(key.order_sql for key in keys) if keys else ""


class _Query:
    """One query on its way to SQL. ``groups`` and ``named`` are there once its columns are shown."""

    def __init__(self, spec: QuerySpec, registry: Registry, today: date, context: Context | None = None) -> None:
        if not isinstance(spec, QuerySpec):
            raise QueryError(MALFORMED_QUERY, f"{spec!r} is not a query.")
        self.spec = spec
        self.context = context or Context(registry, today)
        self.scope = Scope(self.context, self.context.object(spec.object))
        self.groups: list[Column] = []
        self.named: dict[str, Column] = {}

    def conditions(self) -> list[str]:
        conditions: list[str] = []
        if self.spec.match is not None and not isinstance(self.spec.match, str):
            raise QueryError(MALFORMED_QUERY, "Words to look for are a text.", "match")
        if self.spec.match and self.spec.match.strip():
            words = parse_words(self.spec.match)
            conditions += match_conditions(self.context, self.scope.item, self.scope.alias, words)
        if self.spec.where is not None:
            conditions.append(condition_sql(self.scope, self.spec.where))
        return conditions

    def shown(self) -> list[tuple[str, Column | ChildRows]]:
        if not self.spec.grouped:
            return [self._selected(item) for item in self.spec.select or ("Id",)]
        self.groups = [group_column(self.scope, item) for item in self.spec.groups]
        measures = [measure_column(self.scope, item) for item in self.spec.measures]
        names = [column_name(item) for item in (*self.spec.groups, *self.spec.measures)]
        shown: list[tuple[str, Column | ChildRows]] = list(zip(names, [*self.groups, *measures], strict=True))
        for name, column in shown:
            if name in self.named:
                raise QueryError(MALFORMED_QUERY, f"Two columns are called {name!r}; give one an alias.", name)
            if isinstance(column, Column):
                self.named[name] = column
        return shown

    def _selected(self, item: Any) -> tuple[str, Column | ChildRows]:
        name = column_name(item)
        if isinstance(item, ChildRows):
            return name, item
        column = expression(self.scope, item)
        if not isinstance(item, str):
            self.named.setdefault(name, column)
        return name, column

    def name_formulas(self) -> None:
        """The columns of formulas, by which rows may be sorted, and no others."""
        for item in self.spec.select:
            if not isinstance(item, str | ChildRows):
                self._selected(item)

    def page(self, limit: int) -> str:
        offset = f" OFFSET {self.context.bind(self.spec.offset)}" if self.spec.offset else ""
        return f" LIMIT {self.context.bind(limit)}{offset}"

    def group_by(self) -> str:
        return " GROUP BY " + ", ".join(group.key for group in self.groups) if self.groups else ""

    def having(self) -> list[str]:
        return [having_sql(self.scope, item, self.named) for item in self.spec.having or ()]

    def keys(self) -> list[Key]:
        """What the rows are sorted by; the last keys together are different for each row."""
        keys = [Key.of(self._sorted_by(item), item) for item in self.spec.order]
        if self.spec.grouped:
            return keys + [Key.of(group) for group in self.groups]
        return [*keys, Key.of(self.scope.column("Id"), never_empty=True)]

    def _sorted_by(self, item: Order) -> Column:
        if not isinstance(item, Order) or not isinstance(item.key, str):
            raise QueryError(MALFORMED_QUERY, f"{item!r} is not a way to sort.", "order")
        if item.key in self.named:
            return self.named[item.key].comparable()
        if not self.spec.grouped:
            return self.scope.column(item.key).comparable()
        for group, column in zip(self.spec.groups, self.groups, strict=True):
            if group.field == item.key:
                return column
        message = f"Groups are sorted by a group or a measure; {item.key!r} is neither."
        raise QueryError(INVALID_FIELD, message, item.key)

    def among(self, spec: QuerySpec) -> str:
        """Whether a record belongs to one of the groups of another query over the same object."""
        other = _Query(spec, self.context.registry, self.context.today, self.context)
        where = _where(other.conditions())
        other.shown()
        having = _having(other.having())
        rows = f"FROM {other.scope.from_sql()}{where}{other.group_by()}{having}"
        if not spec.groups:
            return f"EXISTS (SELECT count(*) {rows})"
        mine, others = [group_column(self.scope, item) for item in spec.groups], other.groups
        return f"{_quoted(mine)} IN (SELECT {_quoted(others)} {rows})"


def _quoted(groups: list[Column]) -> str:
    """One text for the keys of a group: empty ones equal each other, and the parts stay apart."""
    return " || ',' || ".join(f"quote({group.key})" for group in groups)
