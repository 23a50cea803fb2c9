"""Trees of conditions as SQL: on rows, and on groups.

An empty field makes a comparison unknown, which ``Not`` counts as not held (P-52).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from study.sandbox.engine.comparisons import comparison
from study.sandbox.engine.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError
from study.sandbox.engine.expressions import expression
from study.sandbox.engine.queryspec import (
    And,
    Compare,
    CompareFormula,
    Condition,
    Having,
    InQuery,
    Matches,
    Not,
    Or,
    Related,
)
from study.sandbox.engine.registry import FOLDED, FieldDef
from study.sandbox.engine.scope import Column, Scope
from study.sandbox.engine.snapshot_write import quoted
from study.sandbox.engine.sought import sought_sql

MAX_DEPTH = 20
_SIGNS = {"exactly": "=", "at_least": ">=", "at_most": "<="}


def condition_sql(scope: Scope, item: Condition, depth: int = 0) -> str:
    """SQL of a condition on the rows of a scope."""

    def leaf(part: object, at: int) -> str:
        match part:
            case Compare():
                return _compare(scope, scope.column(part.field), part)
            case CompareFormula():
                return _compare(scope, expression(scope, part.formula), part)
            case Related():
                return _related(scope, part, at)
            case InQuery():
                return _in_query(scope, part, at)
            case Matches():
                return sought_sql(scope.context, scope.item, scope.alias, part.words, part.fields)
        raise QueryError(MALFORMED_QUERY, f"{part!r} is not a condition on records.", "where")

    return _tree(item, leaf, depth)


def having_sql(scope: Scope, item: Condition, columns: Mapping[str, Column]) -> str:
    """SQL of a condition on groups, by the names of their columns."""

    def leaf(part: object, _at: int) -> str:
        if not isinstance(part, Having):
            raise QueryError(MALFORMED_QUERY, f"{part!r} is not a condition on groups.", "having")
        if not isinstance(part.alias, str) or part.alias not in columns:
            raise QueryError(INVALID_FIELD, f"No group or measure is called {part.alias!r}.", str(part.alias))
        return _compare(scope, columns[part.alias], part)

    return _tree(item, leaf, 0)


def _tree(item: object, leaf: Callable[[object, int], str], depth: int) -> str:
    if depth > MAX_DEPTH:
        raise QueryError(MALFORMED_QUERY, f"Conditions may be nested {MAX_DEPTH} deep.", "where")
    match item:
        case And() | Or():
            parts = [_tree(part, leaf, depth + 1) for part in item.items]
            return joined("AND" if isinstance(item, And) else "OR", parts)
        case Not():
            return f"({_tree(item.item, leaf, depth + 1)}) IS NOT TRUE"
    return leaf(item, depth)


def joined(word: str, parts: Sequence[str]) -> str:
    """Parts with AND or OR between them, halved again and again: SQLite refuses trees 1,000 deep."""
    if not parts:
        return "1" if word == "AND" else "0"
    if len(parts) <= 8:
        return f" {word} ".join(f"({part})" for part in parts)
    middle = len(parts) // 2
    return f"({joined(word, parts[:middle])}) {word} ({joined(word, parts[middle:])})"


def _compare(scope: Scope, column: Column, item: Compare | CompareFormula | Having) -> str:
    place = item.alias if isinstance(item, Having) else column.place
    if item.op in {"null", "not_null"}:
        return f"{column.sql} IS {'NOT ' if item.op == 'not_null' else ''}NULL"
    column.comparable()
    return comparison(scope.context, column.key, column.compared, item.op, item.value, place)


def _related(scope: Scope, item: Related, depth: int) -> str:
    child = Scope(scope.context, scope.context.object(item.child_object))
    link = f"{child.alias}.{quoted(child_lookup(scope, child, item.child_field).name)} = {scope.id}"
    where = f" AND ({condition_sql(child, item.where, depth + 1)})" if item.where is not None else ""
    # The joins of the child appear while its condition is compiled, so its FROM is read last.
    rows = f"FROM {child.from_sql()} WHERE {link}{where}"
    if item.op == "at_least" and item.n <= 1:
        return f"EXISTS (SELECT 1 {rows})" if item.n else "1"
    if item.n == 0:
        return f"NOT EXISTS (SELECT 1 {rows})"
    return f"(SELECT count(*) {rows}) {_SIGNS[item.op]} {scope.context.bind(item.n)}"


def child_lookup(scope: Scope, child: Scope, name: str) -> FieldDef:
    """The field by which a child points to the rows of a scope. QueryError where it points elsewhere."""
    if not isinstance(name, str):
        raise QueryError(INVALID_FIELD, f"{name!r} is not the name of a field.", child.item.name)
    reference = child.item.lookup(name)
    if scope.item.name not in reference.targets:
        message = f"{child.item.name}.{reference.name} does not point to {scope.item.name}."
        raise QueryError(INVALID_FIELD, message, f"{child.item.name}.{name}")
    return reference


def _in_query(scope: Scope, item: InQuery, depth: int) -> str:
    other = Scope(scope.context, scope.context.object(item.object))
    field, listed = scope.column(item.field).comparable(), other.column(item.select).comparable()
    if _family(field) != _family(listed):
        message = f"{item.field} and {item.object}.{item.select} hold different kinds of values."
        raise QueryError(INVALID_FIELD, message, item.field)
    where = f" AND ({condition_sql(other, item.where, depth + 1)})" if item.where is not None else ""
    inside = f"{field.key} IN (SELECT {listed.key} FROM {other.from_sql()} WHERE {listed.key} IS NOT NULL{where})"
    return f"({inside}) IS NOT TRUE" if item.negated else inside


def _family(column: Column) -> str:
    if column.type in FOLDED:
        return "text"
    return {"id": "reference", "integer": "number"}.get(column.type, column.type)
