"""Rows inside rows: the children of each record a query found, read by a second query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from study.sandbox.engine.conditions import child_lookup, condition_sql
from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.expressions import expression
from study.sandbox.engine.outputs import Columns, Compiled, Row, column_name, columns_of, converted
from study.sandbox.engine.paging import Key
from study.sandbox.engine.queryspec import ChildRows, Order
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.engine.scope import Column, Context, Scope
from study.sandbox.engine.snapshot_write import quoted

PARENTS_AT_ONCE = 500
Run = Callable[[Compiled], list[Row]]


def compile_children(
    item: ChildRows, registry: Registry, parent: ObjectDef, today: date, ids: Sequence[str], most: int
) -> Compiled:
    """The children of these parents, at most ``most`` in all: the parent's Id, then what is selected."""
    context = Context(registry, today)
    child = Scope(context, context.object(item.child_object))
    link = f"{child.alias}.{quoted(child_lookup(Scope(context, parent), child, item.child_field).name)}"
    columns = Columns([link])
    shown = [(_name(part), expression(child, part)) for part in item.select]
    outputs = tuple(columns.output(name, column) for name, column in shown)
    named = {name: column for (name, column), part in zip(shown, item.select, strict=True) if not isinstance(part, str)}
    keys = [_key(child, order, named) for order in item.order]
    keys.append(Key.of(child.column("Id"), never_empty=True))
    order = ", ".join(key.order_sql for key in keys)
    marks = context.bind_list(list(ids))
    where = f" AND ({condition_sql(child, item.where)})" if item.where is not None else ""
    inner = (
        f"SELECT {columns}, row_number() OVER (PARTITION BY {link} ORDER BY {order}) AS n "
        f"FROM {child.from_sql()} WHERE {link} IN ({marks}){where}"
    )
    kept = "" if item.limit is None else f" WHERE n <= {context.bind(item.limit)}"
    names = ", ".join(f"c{place}" for place in range(len(columns.sql)))
    sql = f"SELECT {names} FROM ({inner}){kept} ORDER BY c0, n LIMIT {context.bind(most)}"
    return Compiled(sql, context.parameters, outputs)


def _name(part: Any) -> str:
    if isinstance(part, ChildRows):
        raise QueryError(MALFORMED_QUERY, "Child rows hold no child rows of their own.", "select")
    return column_name(part)


def _key(child: Scope, order: Order, named: dict[str, Column]) -> Key:
    if not isinstance(order, Order) or not isinstance(order.key, str):
        raise QueryError(MALFORMED_QUERY, f"{order!r} is not a way to sort.", "order")
    return Key.of((named.get(order.key) or child.column(order.key)).comparable(), order)


def with_children(
    compiled: Compiled, found: list[Row], registry: Registry, parent: ObjectDef, today: date, run: Run, most: int
) -> tuple[list[Row], bool, bool]:
    """Rows found as Python values with their child rows in them, whether they were cut, and whether inside a record.

    They are cut behind the last record that has all of its children when more than
    ``most`` come together; of a first record with more, those that fit are shown.
    """
    ids = [row[compiled.record] for row in found]
    complete = len(ids)
    inside: list[dict[str, tuple[Row, ...]]] = []
    for output in compiled.outputs:
        if output.children:
            children, done = _children_of(output.children, registry, parent, today, ids, run, most)
            inside.append(children)
            complete = min(complete, done)
    shown = max(complete, min(1, len(ids)))
    plain = iter(columns_of(found[:shown], [output for output in compiled.outputs if not output.children]))
    children_cells = iter([[cells.get(one, ()) for one in ids[:shown]] for cells in inside])
    cells = [next(children_cells) if output.children else next(plain) for output in compiled.outputs]
    return list(zip(*cells, strict=True)), complete < len(ids), complete < shown


def _children_of(
    item: ChildRows, registry: Registry, parent: ObjectDef, today: date, ids: Sequence[str], run: Run, most: int
) -> tuple[dict[str, tuple[Row, ...]], int]:
    """Parent's Id -> its rows, and how many of the parents, from the first on, have all of theirs."""
    if not ids:
        compile_children(item, registry, parent, today, ids, most)  # what is wrong is told over no records as well
    found: dict[str, tuple[Row, ...]] = {}
    done, left, step = 0, most, PARENTS_AT_ONCE
    while done < len(ids):
        some = ids[done : done + step]
        compiled = compile_children(item, registry, parent, today, some, left + 1)
        rows = run(compiled)
        if len(rows) > left and len(some) > 1:
            # Too many for all of these parents; perhaps not for the first half of them.
            step = len(some) // 2
            continue
        groups: dict[str, list[Row]] = {}
        for row in rows[:left]:
            groups.setdefault(row[0], []).append(row)
        found |= {one: tuple(converted(group, compiled.outputs)) for one, group in groups.items()}
        if len(rows) > left:
            return found, done
        done, left = done + len(some), left - len(rows)
    return found, done
