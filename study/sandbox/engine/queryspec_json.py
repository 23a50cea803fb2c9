"""The JSON form of a QuerySpec, version 2; texts of version 1 are still read.

Dates, datetimes and date words are objects with one telling key, so that a text
that looks like a date stays a text. Formulas, conditions and child rows are told
apart by their keys as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from study.sandbox.engine.daterange import DateRange
from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.formulas import FORMULAS, Difference, Formula, Period, Product, Quotient
from study.sandbox.engine.queryspec import (
    And,
    ChildRows,
    Compare,
    CompareFormula,
    Condition,
    Group,
    Having,
    InQuery,
    Matches,
    Measure,
    Not,
    Or,
    Order,
    QuerySpec,
    Related,
    Selected,
)

VERSION = 2
READ = frozenset([1, VERSION])
MAX_DEPTH = 20
_PARTS = frozenset(
    ["v", "object", "select", "where", "groups", "measures", "having", "order", "limit", "offset", "match", "after"]
)


def dumps(spec: QuerySpec) -> str:
    try:
        return _dumped(spec)
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        # A value that is no part of a query was put into it by a program.
        raise QueryError(MALFORMED_QUERY, f"This query cannot be written down: {error}") from error


def _dumped(spec: QuerySpec) -> str:
    data: dict[str, Any] = {"v": VERSION, "object": spec.object}
    data["select"] = [_selected(item) for item in spec.select]
    data["where"] = _condition(spec.where)
    data["groups"] = [_some(field=g.field, by=g.by, alias=g.alias, across=g.across) for g in spec.groups]
    data["measures"] = [_measure(item) for item in spec.measures]
    data["having"] = [_condition(item) for item in spec.having or ()]
    data["order"] = [_order(item) for item in spec.order]
    data |= {"limit": spec.limit, "offset": spec.offset or None, "match": spec.match}
    data["after"] = None if spec.after is None else list(spec.after)
    kept = {key: value for key, value in data.items() if value not in (None, [])}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _some(**parts: Any) -> dict[str, Any]:
    return {key: value for key, value in parts.items() if value not in (None, "", False)}


def _formula(item: Formula) -> dict[str, Any]:
    if isinstance(item, Difference):
        return _some(end=item.end, start=item.start, unit=item.unit, alias=item.alias)
    if isinstance(item, Period):
        return _some(period=item.by, of=item.field, alias=item.alias)
    name = "product" if isinstance(item, Product) else "quotient"
    return {name: [item.left, item.right]} | _some(alias=item.alias)


def _selected(item: Selected) -> Any:
    if isinstance(item, FORMULAS):
        return _formula(item)
    if isinstance(item, ChildRows):
        return _some(
            children=item.child_object,
            field=item.child_field,
            select=[_selected(part) for part in item.select],
            where=_condition(item.where),
            order=[_order(part) for part in item.order] or None,
            alias=item.alias,
        ) | ({} if item.limit is None else {"limit": item.limit})
    return item


def _measure(item: Measure) -> dict[str, Any]:
    formula = _formula(item.formula) if item.formula else None
    return _some(fn=item.fn, field=item.field, alias=item.alias, formula=formula, where=_condition(item.where))


def _order(item: Order) -> dict[str, Any]:
    return _some(key=item.key, descending=item.descending, nulls="" if item.nulls == "first" else item.nulls)


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    if isinstance(value, DateRange):
        return {"range": value.word} if value.n is None else {"range": value.word, "n": value.n}
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise QueryError(MALFORMED_QUERY, "A time needs its zone.", str(value))
        return {"datetime": value.astimezone(UTC).isoformat().replace("+00:00", "Z")}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    return value


def _condition(item: Condition | None, depth: int = 0) -> Any:
    if item is None:
        return None
    if depth > MAX_DEPTH:
        raise _too_deep()
    if isinstance(item, Compare | CompareFormula | Having):
        return _comparison(item)
    if isinstance(item, And | Or):
        return {"and" if isinstance(item, And) else "or": [_condition(part, depth + 1) for part in item.items]}
    if isinstance(item, Not):
        return {"not": _condition(item.item, depth + 1)}
    if isinstance(item, Matches):
        return {"matches": _some(words=item.words) | ({"fields": list(item.fields)} if item.fields else {})}
    where = {} if item.where is None else {"where": _condition(item.where, depth + 1)}
    if isinstance(item, InQuery):
        found = _some(field=item.field, object=item.object, select=item.select, negated=item.negated)
        return {"in_query": found | where}
    related: dict[str, Any] = {"object": item.child_object, "field": item.child_field, "op": item.op, "n": item.n}
    return {"related": related | where}


def _too_deep() -> QueryError:
    return QueryError(MALFORMED_QUERY, f"Conditions may be nested {MAX_DEPTH} deep.", "where")


def _comparison(item: Compare | CompareFormula | Having) -> dict[str, Any]:
    if isinstance(item, Having):
        on: dict[str, Any] = {"alias": item.alias}
    else:
        on = {"field": item.field} if isinstance(item, Compare) else {"formula": _formula(item.formula)}
    plain = on | {"op": item.op}
    return plain if item.op in {"null", "not_null"} else plain | {"value": _value(item.value)}


def loads(text: str | dict[str, Any]) -> QuerySpec:
    try:
        data = json.loads(text) if isinstance(text, str) else text
        if not isinstance(data, dict) or data.get("v") not in READ or isinstance(data.get("v"), bool | float):
            raise QueryError(MALFORMED_QUERY, f"A query has the form of version {VERSION}.", "v")
        return _spec(data)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise QueryError(MALFORMED_QUERY, f"This is not a query: {error}") from error


def _spec(data: dict[str, Any]) -> QuerySpec:
    if unknown := sorted(set(data) - _PARTS):
        raise QueryError(MALFORMED_QUERY, f"A query has no part called {unknown[0]!r}.", unknown[0])
    return QuerySpec(
        object=_text(data["object"]),
        select=tuple(_parsed_selected(item) for item in data.get("select", ())),
        where=_parsed(data["where"], 0) if data.get("where") is not None else None,
        groups=tuple(_parsed_group(item) for item in data.get("groups", ())),
        measures=tuple(_parsed_measure(item) for item in data.get("measures", ())),
        having=tuple(_parsed(item, 0) for item in data.get("having", ())) or None,  # type: ignore[misc]
        order=tuple(_parsed_order(item) for item in data.get("order", ())),
        limit=data.get("limit"),
        offset=data.get("offset", 0),
        match=None if data.get("match") is None else _text(data["match"]),
        after=None if data.get("after") is None else tuple(_scalar(item) for item in data["after"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value


def _scalar(value: Any) -> Any:
    if value is not None and not isinstance(value, str | int | float | bool):
        raise TypeError(f"{value!r} is not a value")
    return value


def _only(data: Mapping[str, Any], *allowed: str) -> None:
    if unknown := sorted(set(data) - set(allowed)):
        raise KeyError(f"{unknown[0]} does not belong here")


def _parsed_group(data: dict[str, Any]) -> Group:
    _only(data, "field", "by", "alias", "across")
    by = None if data.get("by") is None else _text(data["by"])
    return Group(_text(data["field"]), by, _text(data.get("alias", "")), _flag(data.get("across", False)))


def _parsed_order(data: dict[str, Any]) -> Order:
    _only(data, "key", "descending", "nulls")
    return Order(_text(data["key"]), _flag(data.get("descending", False)), _text(data.get("nulls", "first")))


def _parsed_formula(data: dict[str, Any]) -> Formula:
    alias = _text(data.get("alias", ""))
    if "period" in data:
        _only(data, "period", "of", "alias")
        return Period(_text(data["of"]), _text(data["period"]), alias)
    for name, kind in (("product", Product), ("quotient", Quotient)):
        if name in data:
            _only(data, name, "alias")
            left, right = data[name]
            return kind(left, right, alias)
    _only(data, "end", "start", "unit", "alias")
    return Difference(_text(data["end"]), _text(data["start"]), _text(data.get("unit", "days")), alias)


def _parsed_selected(item: Any) -> Selected:
    if isinstance(item, str):
        return item
    if "children" not in item:
        return _parsed_formula(item)
    _only(item, "children", "field", "select", "where", "order", "limit", "alias")
    shown = tuple(_parsed_selected(part) for part in item["select"])
    if any(isinstance(part, ChildRows) for part in shown):
        raise TypeError("child rows hold no child rows of their own")
    return ChildRows(
        _text(item["children"]),
        _text(item["field"]),
        shown,  # type: ignore[arg-type]
        _parsed(item["where"], 0) if item.get("where") is not None else None,
        tuple(_parsed_order(part) for part in item.get("order", ())),
        item.get("limit"),
        _text(item.get("alias", "")),
    )


def _parsed_measure(data: dict[str, Any]) -> Measure:
    _only(data, "fn", "field", "alias", "formula", "difference", "where")
    # Version 1 knew one formula and called it by its name.
    formula = data.get("formula") or data.get("difference")
    return Measure(
        _text(data["fn"]),
        None if data.get("field") is None else _text(data["field"]),
        _text(data.get("alias", "")),
        _parsed_formula(formula) if formula else None,
        _parsed(data["where"], 0) if data.get("where") is not None else None,
    )


def _parsed_value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_parsed_value(item) for item in value)
    if not isinstance(value, dict):
        return _scalar(value)
    if "range" in value:
        return DateRange(_text(value["range"]), value.get("n"))
    if "datetime" in value:
        return datetime.fromisoformat(value["datetime"])
    return date.fromisoformat(value["date"])


def _parsed(data: dict[str, Any], depth: int) -> Condition:
    if depth > MAX_DEPTH:
        raise _too_deep()
    if "and" in data:
        return And(*(_parsed(item, depth + 1) for item in data["and"]))
    if "or" in data:
        return Or(*(_parsed(item, depth + 1) for item in data["or"]))
    if "not" in data:
        return Not(_parsed(data["not"], depth + 1))
    if "matches" in data:
        part = data["matches"]
        _only(part, "words", "fields")
        return Matches(_text(part.get("words", "")), tuple(_text(one) for one in part.get("fields", ())))
    if "related" in data or "in_query" in data:
        return _parsed_other_object(data, depth)
    op, value = _text(data["op"]), _parsed_value(data.get("value"))
    if "alias" in data:
        return Having(_text(data["alias"]), op, value)
    if "formula" in data:
        return CompareFormula(_parsed_formula(data["formula"]), op, value)
    return Compare(_text(data["field"]), op, value)


def _parsed_other_object(data: dict[str, Any], depth: int) -> Condition:
    part = data.get("related") or data["in_query"]
    where = _parsed(part["where"], depth + 1) if part.get("where") else None
    if "related" in data:
        return Related(_text(part["object"]), _text(part["field"]), _text(part["op"]), part["n"], where)
    negated = _flag(part.get("negated", False))
    return InQuery(_text(part["field"]), _text(part["object"]), _text(part["select"]), where, negated)
