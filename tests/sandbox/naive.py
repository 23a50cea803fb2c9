"""A second, slow reading of what a QuerySpec means: plain loops over dicts, nothing shared with the compiler.

Covers what the random specs use. Dates are judged in UTC.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Any

from study.sandbox.queryspec import And, Compare, Condition, Group, Measure, Not, Or, QuerySpec, Related

Record = dict[str, Any]
SHORT = {"string", "picklist"}


def plain(text: str) -> str:
    for whole, parts in (("ł", "l"), ("Ł", "l"), ("ß", "ss"), ("ø", "o")):
        text = text.replace(whole, parts)
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


class Naive:
    def __init__(self, registry: Any, tables: dict[str, list[Record]]) -> None:
        self.registry = registry
        self.tables = tables
        self.by_id = {name: {row["Id"]: row for row in rows} for name, rows in tables.items()}

    def value(self, object_name: str, row: Record | None, path: str) -> tuple[Any, str]:
        item = self.registry.object(object_name)
        step, _, rest = path.partition(".")
        if not rest:
            return (row or {}).get(step), item.field(step).type
        field = next(f for f in item.fields if f.type == "reference" and step in (f.name, f.relationship))
        parent = self.by_id[field.targets[0]].get((row or {}).get(field.name))
        return self.value(field.targets[0], parent, rest)

    def key(self, object_name: str, row: Record, path: str) -> Any:
        value, kind = self.value(object_name, row, path)
        return plain(value) if kind in SHORT and value is not None else value

    def holds(self, object_name: str, row: Record, item: Condition | None) -> bool:
        match item:
            case None:
                return True
            case And():
                return all(self.holds(object_name, row, part) for part in item.items)
            case Or():
                return any(self.holds(object_name, row, part) for part in item.items)
            case Not():
                return not self.holds(object_name, row, item.item)
            case Related():
                children = [
                    child for child in self.tables[item.child_object]
                    if child.get(item.child_field) == row["Id"] and self.holds(item.child_object, child, item.where)
                ]  # fmt: skip
                return len(children) == item.n if item.op == "exactly" else len(children) >= item.n
            case Compare():
                return self.compares(object_name, row, item)
        raise AssertionError(item)

    def compares(self, object_name: str, row: Record, item: Compare) -> bool:
        value, kind = self.value(object_name, row, item.field)
        if item.op in {"null", "not_null"}:
            return (value is None) == (item.op == "null")
        if item.op in {"in", "not_in"}:
            inside = any(
                value is None if one is None else self.compares(object_name, row, Compare(item.field, "eq", one))
                for one in item.value
            )
            return inside == (item.op == "in")
        if value is None:
            return item.op == "ne"
        if item.op == "like":
            return like(plain(value), item.value)
        if kind in SHORT:
            return _ordered(item.op, plain(value), plain(item.value))
        if isinstance(item.value, date) and not isinstance(item.value, datetime):
            return _by_day(item.op, value, item.value)
        return _ordered(item.op, value, item.value)

    def rows(self, spec: QuerySpec) -> list[Record]:
        kept = [row for row in self.tables[spec.object] if self.holds(spec.object, row, spec.where)]
        kept.sort(key=lambda row: row["Id"])
        for order in reversed(spec.order):
            # Stable: equal keys stay in the order of their Ids also when descending.
            kept.sort(key=lambda row: _sortable(self.key(spec.object, row, order.key)), reverse=order.descending)
            kept.sort(key=lambda row: self.key(spec.object, row, order.key) is not None)
        return kept

    def run(self, spec: QuerySpec) -> list[tuple[Any, ...]]:
        if spec.groups or spec.measures:
            return self.grouped(spec)
        rows = self.rows(spec)[spec.offset :][: spec.limit]
        return [tuple(self.value(spec.object, row, path)[0] for path in spec.select) for row in rows]

    def grouped(self, spec: QuerySpec) -> list[tuple[Any, ...]]:
        """(key, *measures) per group, in order of key, texts by their plain form."""
        rows = [row for row in self.tables[spec.object] if self.holds(spec.object, row, spec.where)]
        keyed = [(tuple(self.period(spec.object, row, group) for group in spec.groups), row) for row in rows]
        keyed.sort(key=lambda pair: [_sortable(part) for part in pair[0]])
        found = [
            (*key, *(self.measure(spec.object, [row for _, row in members], m) for m in spec.measures))
            for key, group in groupby(keyed, key=lambda pair: pair[0])
            for members in [list(group)]
        ]
        if not spec.groups and not rows:
            found = [tuple(0 if m.fn in {"count", "count_distinct"} else None for m in spec.measures)]
        place = {m.column: len(spec.groups) + n for n, m in enumerate(spec.measures)}
        for item in spec.having or ():
            found = [r for r in found if r[place[item.alias]] is not None or item.op == "ne"]
            found = [r for r in found if _ordered(item.op, r[place[item.alias]], item.value)]
        return found

    def period(self, object_name: str, row: Record, group: Group) -> Any:
        value = self.key(object_name, row, group.field)
        if group.by is None or value is None:
            return value
        day = value.date() if isinstance(value, datetime) else value
        return {
            "year": day.year, "quarter": f"{day.year:04}-Q{(day.month + 2) // 3}",
            "month": f"{day.year:04}-{day.month:02}",
            "month_name": day.month, "week": day - timedelta(days=day.isoweekday() % 7), "day": day,
        }[group.by]  # fmt: skip

    def measure(self, object_name: str, rows: list[Record], item: Measure) -> Any:
        if item.formula:
            ends, starts = (
                [self.value(object_name, row, path)[0] for row in rows]
                for path in (item.formula.end, item.formula.start)
            )
            seconds = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}[item.formula.unit]
            values = [
                (end - start).total_seconds() / seconds
                for end, start in zip(ends, starts, strict=True)
                if end and start
            ]
        elif item.field is None:
            return len(rows)
        else:
            values = [v for row in rows if (v := self.key(object_name, row, item.field)) is not None]
        if item.fn == "count":
            return len(values)
        if item.fn == "count_distinct":
            return len(set(values))
        if not values:
            return None
        return {"avg": lambda: sum(values) / len(values), "sum": lambda: sum(values),
                "min": lambda: min(values), "max": lambda: max(values)}[item.fn]()  # fmt: skip


def _sortable(value: Any) -> tuple[bool, Any]:
    return (False, 0) if value is None else (True, value.encode() if isinstance(value, str) else value)


def like(text: str, pattern: str) -> bool:
    """Whether a plain text fits a pattern with % and _; a backslash takes the next character as it is."""
    if not pattern:
        return not text
    first, rest = pattern[0], pattern[1:]
    if first == "%":
        return any(like(text[place:], rest) for place in range(len(text) + 1))
    if first == "\\" and rest:
        first, rest = rest[0], rest[1:]
    elif first == "_":
        return bool(text) and like(text[1:], rest)
    letters = plain(first)
    return text.startswith(letters) and like(text[len(letters) :], rest)


def _ordered(op: str, left: Any, right: Any) -> bool:
    if op in {"contains", "starts"}:
        return right in left if op == "contains" else left.startswith(right)
    if isinstance(left, str):
        left, right = left.encode(), right.encode()
    return {"eq": left == right, "ne": left != right}[op] if op in {"eq", "ne"} else {
        "lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[op]  # fmt: skip


def _by_day(op: str, value: date, day: date) -> bool:
    if isinstance(value, datetime):
        start = datetime.combine(day, time(), UTC)
        end: date = start + timedelta(days=1)
    else:
        start, end = day, day + timedelta(days=1)
    inside = start <= value < end
    return {"eq": inside, "ne": not inside, "lt": value < start, "le": value < end,
            "gt": value >= end, "ge": value >= start}[op]  # fmt: skip
