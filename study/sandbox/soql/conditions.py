"""WHERE and HAVING: from what was written to conditions of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from study.sandbox.engine.errors import INVALID_FIELD, INVALID_OPERATOR, MALFORMED_QUERY
from study.sandbox.engine.queryspec import And, Compare, CompareFormula, Condition, Having, InQuery, Not, Or
from study.sandbox.soql.building import MAX_CONDITIONS
from study.sandbox.soql.errors import fault
from study.sandbox.soql.functions import Aggregate, Meant, Part, comparable, is_short_text, meaning
from study.sandbox.soql.literals import pieces, value_of, whole
from study.sandbox.soql.names import Named, Names, object_named
from study.sandbox.soql.nodes import Column, Compared, Joined, Literal, Negated, Node, Query, Values

_SIGNS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_DATED = frozenset({"date", "datetime"})
_IDS = frozenset({"id", "reference"})
Leaf = Callable[[Compared], Condition]


def tree(node: Node, leaf: Leaf) -> Condition:
    """A tree of conditions with its leaves made by ``leaf``; how deep it is was settled when it was read."""
    if isinstance(node, Joined):
        items = [tree(item, leaf) for item in node.items]
        return And(*items) if node.word == "AND" else Or(*items)
    if isinstance(node, Negated):
        return Not(tree(node.item, leaf))
    return leaf(node)


def rows_condition(names: Names, node: Node | None) -> Condition | None:
    """A WHERE."""
    return None if node is None else tree(node, lambda item: _row_leaf(names, item))


def _row_leaf(names: Names, item: Compared) -> Condition:
    meant = meaning(names, item.operand)
    if isinstance(meant, Aggregate):
        raise fault(f"{meant.name} is a number of a group: its condition stands in HAVING.", meant.at)
    comparable(meant, "filtered", INVALID_FIELD)
    if isinstance(item.value, Query):
        return _semi_join(names, item, meant, item.value)
    op, value = comparison(item, meant)
    return Compare(meant.path, op, value) if isinstance(meant, Named) else CompareFormula(meant.formula, op, value)


def groups_condition(names: Names, node: Node | None, column: Callable[[Meant], str]) -> Condition | None:
    """A HAVING; ``column`` tells what the engine calls an aggregate or a group, and refuses anything else."""

    def leaf(item: Compared) -> Condition:
        meant = meaning(names, item.operand)
        if isinstance(item.value, Query):
            raise fault("HAVING takes no subquery.", item.at)
        name = column(meant)
        op, value = comparison(item, meant)
        return Having(name, op, value)

    return None if node is None else tree(node, leaf)


def comparison(item: Compared, meant: Meant) -> tuple[str, Any]:
    """Operator and value of the engine for a comparison as it was written."""
    place = _shown(meant)
    if isinstance(item.value, Values):
        return _among(item, meant, item.value, place)
    assert isinstance(item.value, Literal)  # noqa: S101 - subqueries were dealt with
    if item.operator == "LIKE":
        return _pattern(item.value, meant, place)
    value = value_of(item.value, meant.type, place)
    # A text of nothing but NULs is empty to the engine, which drops them.
    if value is None or (isinstance(value, str) and not value.replace("\0", "")):
        if item.operator not in {"=", "!="}:
            raise fault(
                f"Nothing is smaller or greater than null: {place} takes = or != here.", item.at, INVALID_OPERATOR
            )
        return ("null" if item.operator == "=" else "not_null"), None
    if meant.type == "boolean" and item.operator not in {"=", "!="}:
        raise fault(f"{place} is true or false: it has no order.", item.at, INVALID_OPERATOR)
    return _SIGNS[item.operator], value


def _shown(meant: Meant) -> str:
    if isinstance(meant, Named):
        return meant.path
    return meant.field.path if isinstance(meant, Part) else meant.name


def _among(item: Compared, meant: Meant, values: Values, place: str) -> tuple[str, Any]:
    if meant.type in _DATED and len(values.items) > MAX_CONDITIONS:
        raise fault(f"A list of dates may hold {MAX_CONDITIONS}; a range with >= and < says more.", values.at)
    found = tuple(value_of(value, meant.type, place) for value in values.items)
    return ("in" if item.operator == "IN" else "not_in"), found


def _pattern(literal: Literal, meant: Meant, place: str) -> tuple[str, Any]:
    """LIKE: the index's own operators where they say the same, a pattern otherwise."""
    if not is_short_text(meant):
        raise fault(f"LIKE is for short texts; {place} is none. Use = or IN.", literal.at, INVALID_OPERATOR)
    if literal.kind != "text":
        raise fault("LIKE takes a text in single quotes.", literal.at, INVALID_FIELD)
    core = [(char, behind) for part, behind in pieces(literal) for char in part]
    leading = bool(core) and core[0] == ("%", False)
    core = core[leading:]
    trailing = bool(core) and core[-1] == ("%", False)
    core = core[: len(core) - trailing]
    if any(char in "%_" and not behind for char, behind in core) or (leading and not trailing and core):
        return "like", whole("".join(_quoted(part, behind) for part, behind in pieces(literal)))
    text = whole("".join(char for char, _ in core))
    if not text:
        return ("not_null" if leading else "null"), None
    if not trailing:
        return "eq", text
    return ("contains" if leading else "starts"), text


def _quoted(part: str, behind: bool) -> str:
    """A piece of a pattern: behind a backslash, a mark means itself."""
    return "\\" + part if behind and part in {"%", "_", "\\"} else part


def _semi_join(names: Names, item: Compared, meant: Meant, query: Query) -> Condition:
    if not isinstance(meant, Named):
        raise fault("The left side of a subquery is a field.", item.at)
    if item.operator not in {"IN", "NOT IN"}:
        raise fault("A subquery stands behind IN or NOT IN.", item.at)
    only_rows = not (query.groups or query.having or query.order or query.limit or query.offset)
    if not only_rows or len(query.sources) != 1:
        raise fault("A subquery in WHERE has SELECT, FROM and WHERE, nothing else.", query.at)
    column = query.columns[0]
    if len(query.columns) != 1 or not isinstance(column, Column) or column.alias:
        raise fault("A subquery in WHERE selects one field.", query.at)
    inner = Names(
        names.registry, object_named(names.registry, query.sources[0].path, query.sources[0].at), query.sources
    )
    selected = meaning(inner, column.operand)
    if not isinstance(selected, Named):
        raise fault("A subquery in WHERE selects one field.", query.at)
    comparable(selected, "compared", INVALID_FIELD)
    if selected.type != meant.type and not {selected.type, meant.type} <= _IDS:
        message = f"{meant.path} and {selected.path} hold different kinds of values."
        raise fault(message, item.at, MALFORMED_QUERY)
    where = rows_condition(inner, query.where)
    return InQuery(meant.path, inner.item.name, selected.path, where, item.operator == "NOT IN")
