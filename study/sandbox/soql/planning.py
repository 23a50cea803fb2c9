"""From a query that was read to a QuerySpec, and how its answer is shown: which columns, in which order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from study.sandbox.engine.errors import INVALID_FIELD, MALFORMED_QUERY
from study.sandbox.engine.queryspec import ChildRows, Order, Period, QuerySpec
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.soql.conditions import rows_condition
from study.sandbox.soql.errors import NUMBER_OUTSIDE, fault
from study.sandbox.soql.functions import AGGREGATES, DATES, Aggregate, Part, comparable, meaning
from study.sandbox.soql.grouping import grouped_spec
from study.sandbox.soql.names import Named, Names, object_named
from study.sandbox.soql.nodes import Call, Child, Column, Query, SortKey

MAX_OFFSET = 2_000
MAX_FIELDS_ALL = 200
MAX_COLUMNS = 500
_ALL = frozenset({"ALL", "STANDARD", "CUSTOM"})


@dataclass(frozen=True)
class Plan:
    """``spec`` answers the query; ``shown`` pairs each column to show with its name in the spec's answer.

    ``counting``: SELECT COUNT(), which gives a number and no rows. ``children``: the
    columns of each subquery, by the column that holds its rows.
    """

    spec: QuerySpec
    shown: tuple[tuple[str, str], ...]
    counting: bool = False
    children: dict[str, tuple[str, ...]] = field(default_factory=dict)


def plan(registry: Registry, query: Query) -> Plan:
    """The plan of a whole query. SoqlError for what the Org does not have or this place does not speak."""
    item = object_named(registry, query.sources[0].path, query.sources[0].at)
    names = Names(registry, item, query.sources)
    if query.offset and query.offset.value > MAX_OFFSET:
        raise fault(f"OFFSET goes up to {MAX_OFFSET:,}; a condition leads further.", query.offset.at, NUMBER_OUTSIDE)
    if _counts_rows(query):
        return Plan(_page(QuerySpec(item.name, ("Id",), rows_condition(names, query.where)), query), (), counting=True)
    if query.groups or query.having or any(_is_grouped(column) for column in query.columns):
        spec, shown = grouped_spec(names, query)
        return Plan(_page(spec, query), shown)
    return _plain(names, query)


def _page(spec: QuerySpec, query: Query) -> QuerySpec:
    """The spec with the limit and offset of the query."""
    limit = query.limit.value if query.limit else None
    return replace(spec, limit=limit, offset=query.offset.value if query.offset else 0)


def _counts_rows(query: Query) -> bool:
    """SELECT COUNT() alone."""
    column = query.columns[0]
    if not isinstance(column, Column) or not isinstance(column.operand, Call):
        return False
    call = column.operand
    if call.name.upper() != "COUNT" or call.arguments or call.other:
        return False
    if len(query.columns) > 1 or query.groups or query.having or query.order or column.alias:
        raise fault("COUNT() stands alone; with other columns or GROUP BY write COUNT(Id).", call.at)
    return True


def _is_grouped(column: Column | Child) -> bool:
    operand = column.operand if isinstance(column, Column) else None
    while isinstance(operand, Call):
        if operand.name.upper() in AGGREGATES or operand.name.upper() in DATES:
            return True
        operand = operand.arguments[0] if operand.arguments else None
    return False


def _plain(names: Names, query: Query) -> Plan:
    select: list[str | ChildRows] = []
    children: dict[str, tuple[str, ...]] = {}
    for column in query.columns:
        if isinstance(column, Child):
            rows = _child_rows(names, column.query)
            select.append(rows)
            children[rows.alias] = tuple(str(one) for one in rows.select)
        else:
            select += fields_of(names, column, query)
    columns = [one if isinstance(one, str) else one.alias for one in select]
    check_columns(columns, query)
    order, hidden = sort_keys(names, query.order)
    spec = QuerySpec(
        names.item.name,
        (*select, *hidden),
        rows_condition(names, query.where),
        order=order,
    )
    return Plan(_page(spec, query), tuple((name, name) for name in columns), children=children)


def check_columns(columns: list[str], query: Query) -> None:
    """SoqlError for too many columns, or for one that is selected twice."""
    if len(columns) > MAX_COLUMNS:
        raise fault(f"A query shows at most {MAX_COLUMNS} columns.", query.at)
    for place, name in enumerate(columns):
        if name in columns[:place]:
            at = query.columns[place].at if place < len(query.columns) else query.at
            raise fault(f"The column {name} is selected twice.", at, INVALID_FIELD)


def fields_of(names: Names, column: Column, query: Query) -> list[str]:
    """The paths one column stands for: one, or with FIELDS() those of the object."""
    operand = column.operand
    if isinstance(operand, Call) and operand.name.upper() == "FIELDS":
        return _all_fields(names.item, operand, query)
    if column.alias:
        raise fault("Only aggregates and groups take an alias.", column.at)
    meant = meaning(names, operand)
    if not isinstance(meant, Named):
        raise fault("A function of this kind needs GROUP BY.", column.at)
    return [meant.path]


def _all_fields(item: ObjectDef, call: Call, query: Query) -> list[str]:
    which = str(getattr(call.arguments[0], "text", "")).upper() if len(call.arguments) == 1 else ""
    if which not in _ALL or call.other:
        raise fault("FIELDS takes ALL, STANDARD or CUSTOM.", call.at)
    if which != "STANDARD" and (query.limit is None or query.limit.value > MAX_FIELDS_ALL):
        raise fault(f"FIELDS({which}) needs LIMIT {MAX_FIELDS_ALL} or less.", call.at)
    own = [one.name for one in item.fields if which == "ALL" or one.name.endswith("__c") == (which == "CUSTOM")]
    if not own:
        raise fault(f"{item.name} has no fields of its own kind.", call.at, INVALID_FIELD)
    return own


def sort_keys(names: Names, keys: tuple[SortKey, ...]) -> tuple[tuple[Order, ...], tuple[Period, ...]]:
    """The order of plain rows, and the hidden columns that date functions among the keys need."""
    order: list[Order] = []
    hidden: list[Period] = []
    for key in keys:
        meant = meaning(names, key.operand)
        if isinstance(meant, Aggregate):
            raise fault(f"{meant.name} is a number of a group: there are no groups here.", meant.at)
        comparable(meant, "sorted", MALFORMED_QUERY)
        nulls = "last" if key.last else "first"
        if isinstance(meant, Part):
            hidden.append(Period(meant.field.path, meant.by, f"~{len(hidden)}"))
            order.append(Order(hidden[-1].alias, key.descending, nulls))
        else:
            order.append(Order(meant.path, key.descending, nulls))
    return tuple(order), tuple(hidden)


def _child_rows(names: Names, query: Query) -> ChildRows:
    """A subquery among the columns."""
    source = query.sources[0]
    name, child, lookup = names.child(source.path, source.at)
    if query.groups or query.having or query.offset or len(query.sources) > 1:
        raise fault("A subquery among the columns has SELECT, FROM, WHERE, ORDER BY and LIMIT, nothing else.", query.at)
    inner = Names(names.registry, child, query.sources)
    if source.alias == "":
        inner = Names(names.registry, child)
    select: list[str] = []
    for column in query.columns:
        if isinstance(column, Child) or _is_grouped(column):
            raise fault("A subquery among the columns selects fields.", column.at)
        select += fields_of(inner, column, query)
    check_columns(select, query)
    order, hidden = sort_keys(inner, query.order)
    if hidden:
        raise fault("A subquery among the columns is sorted by fields.", query.at)
    limit = query.limit.value if query.limit else None
    where = rows_condition(inner, query.where)
    return ChildRows(child.name, lookup.name, tuple(select), where, order, limit, name)
