"""The JSON form of a QuerySpec, version 1.

Dates, datetimes and date words are objects with one telling key, so that a text
that looks like a date stays a text.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

from study.sandbox.daterange import DateRange
from study.sandbox.errors import MALFORMED_QUERY, QueryError
from study.sandbox.queryspec import (
    And,
    Compare,
    Condition,
    Difference,
    Group,
    Having,
    Measure,
    Not,
    Or,
    Order,
    QuerySpec,
    Related,
)

VERSION = 1
MAX_DEPTH = 20


def dumps(spec: QuerySpec) -> str:
    data: dict[str, Any] = {"v": VERSION, "object": spec.object}
    data["select"] = [_difference(item) if isinstance(item, Difference) else item for item in spec.select]
    data["where"] = _condition(spec.where)
    data["groups"] = [_some(field=g.field, by=g.by, alias=g.alias) for g in spec.groups]
    data["measures"] = [_measure(item) for item in spec.measures]
    data["having"] = [{"alias": h.alias, "op": h.op, "value": _value(h.value)} for h in spec.having or ()]
    data["order"] = [_order(item) for item in spec.order]
    data |= {"limit": spec.limit, "offset": spec.offset or None, "match": spec.match}
    kept = {key: value for key, value in data.items() if value not in (None, [])}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _some(**parts: Any) -> dict[str, Any]:
    return {key: value for key, value in parts.items() if value not in (None, "", False)}


def _difference(item: Difference) -> dict[str, Any]:
    return _some(end=item.end, start=item.start, unit=item.unit, alias=item.alias)


def _measure(item: Measure) -> dict[str, Any]:
    difference = _difference(item.difference) if item.difference else None
    return _some(fn=item.fn, field=item.field, alias=item.alias, difference=difference)


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


def _condition(item: Condition | None) -> Any:
    if item is None:
        return None
    if isinstance(item, Compare):
        plain: dict[str, Any] = {"field": item.field, "op": item.op}
        return plain if item.op in {"null", "not_null"} else plain | {"value": _value(item.value)}
    if isinstance(item, And | Or):
        return {"and" if isinstance(item, And) else "or": [_condition(part) for part in item.items]}
    if isinstance(item, Not):
        return {"not": _condition(item.item)}
    related: dict[str, Any] = {"object": item.child_object, "field": item.child_field, "op": item.op, "n": item.n}
    return {"related": related | ({"where": _condition(item.where)} if item.where else {})}


def loads(text: str | dict[str, Any]) -> QuerySpec:
    try:
        data = json.loads(text) if isinstance(text, str) else text
        if not isinstance(data, dict) or data.get("v") != VERSION:
            raise QueryError(MALFORMED_QUERY, f"A query has the form of version {VERSION}.", "v")
        return _spec(data)
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise QueryError(MALFORMED_QUERY, f"This is not a query: {error}") from error


def _spec(data: dict[str, Any]) -> QuerySpec:
    known = {"v", "object", "select", "where", "groups", "measures", "having", "order", "limit", "offset", "match"}
    if unknown := sorted(set(data) - known):
        raise QueryError(MALFORMED_QUERY, f"A query has no part called {unknown[0]!r}.", unknown[0])
    return QuerySpec(
        object=_text(data["object"]),
        select=tuple(Difference(**i) if isinstance(i, dict) else _text(i) for i in data.get("select", ())),
        where=_parsed(data["where"], 0) if data.get("where") is not None else None,
        groups=tuple(Group(**item) for item in data.get("groups", ())),
        measures=tuple(_parsed_measure(item) for item in data.get("measures", ())),
        having=tuple(Having(h["alias"], h["op"], _parsed_value(h["value"])) for h in data.get("having", ())) or None,
        order=tuple(Order(**item) for item in data.get("order", ())),
        limit=data.get("limit"),
        offset=data.get("offset", 0),
        match=None if data.get("match") is None else _text(data["match"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _parsed_measure(data: dict[str, Any]) -> Measure:
    difference = data.get("difference")
    return Measure(**(data | {"difference": Difference(**difference) if difference else None}))


def _parsed_value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_parsed_value(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "range" in value:
        return DateRange(_text(value["range"]), value.get("n"))
    if "datetime" in value:
        return datetime.fromisoformat(value["datetime"])
    return date.fromisoformat(value["date"])


def _parsed(data: dict[str, Any], depth: int) -> Condition:
    if depth > MAX_DEPTH:
        raise QueryError(MALFORMED_QUERY, f"Conditions may be nested {MAX_DEPTH} deep.", "where")
    if "and" in data:
        return And(*(_parsed(item, depth + 1) for item in data["and"]))
    if "or" in data:
        return Or(*(_parsed(item, depth + 1) for item in data["or"]))
    if "not" in data:
        return Not(_parsed(data["not"], depth + 1))
    if "related" in data:
        part = data["related"]
        where = _parsed(part["where"], depth + 1) if part.get("where") else None
        return Related(_text(part["object"]), _text(part["field"]), part["op"], part["n"], where)
    return Compare(_text(data["field"]), _text(data["op"]), _parsed_value(data.get("value")))
