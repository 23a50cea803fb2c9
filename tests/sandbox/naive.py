"""A second, slow reading of what a QuerySpec means: plain loops over dicts, nothing shared with the compiler.

It takes the tables as Python values and answers with Python values. Texts shown for
a group are any of the group's spellings: compare them by ``plain``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from functools import cmp_to_key
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from study.sandbox.engine.queryspec import (
    And,
    ChildRows,
    Compare,
    CompareFormula,
    DateRange,
    Difference,
    Group,
    Having,
    InQuery,
    Measure,
    Not,
    Or,
    Period,
    Product,
    QuerySpec,
    Related,
)
from tests.sandbox.naive_values import MONTHS, SHORT, as_shown, before, fits, key, like, means, plain, sortable, stored

Record = dict[str, Any]
Typed = tuple[Any, str]
SECONDS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}


class Naive:
    def __init__(self, registry: Any, tables: dict[str, list[Record]], today: date = date(2024, 3, 31)) -> None:
        self.registry = registry
        self.tables = tables
        self.today = today
        self.zone = ZoneInfo(registry.zone)
        self.by_id = {name: {row["Id"]: row for row in rows} for name, rows in tables.items()}
        self.kinds: dict[tuple[str, str], set[str]] = {}
        self.common: dict[tuple[str, str], str] = {}
        self.values: dict[tuple[str, str, str], Any] = {}
        self.pointing: dict[tuple[str, str], dict[str, list[Record]]] = {}
        self.lists: dict[int, set[Any]] = {}
        self.whole = 0  # rows or groups of the query answered last, whatever its page
        self.spans: dict[DateRange, tuple[date, date]] = {}

    # Values

    def kind(self, name: str, path: str) -> set[str]:
        """The types of the fields a path may end in; none where it leads nowhere."""
        if (name, path) not in self.kinds:
            step, _, rest = path.partition(".")
            if not rest:
                self.kinds[name, path] = {f.type for f in self.registry.object(name).fields if f.name == step}
            else:
                self.kinds[name, path] = {kind for to in self.targets(name, step) for kind in self.kind(to, rest)}
        return self.kinds[name, path]

    def reference(self, name: str, step: str) -> Any:
        step = step.partition(":")[0]
        found = [f for f in self.registry.object(name).fields if f.type == "reference"]
        return next((f for f in found if step in (f.name, f.relationship)), None)

    def targets(self, name: str, step: str) -> list[str]:
        field, only = self.reference(name, step), step.partition(":")[2]
        return [to for to in field.targets if only in ("", to)] if field else []

    def value(self, name: str, row: Record | None, path: str) -> Typed:
        if (name, path) not in self.common:
            kinds = self.kind(name, path)
            assert kinds, f"{name} has no {path}"
            self.common[name, path] = next((one for one in ("text", "number") if one in kinds), sorted(kinds)[-1])
        return self._value(name, row, path), self.common[name, path]

    def _value(self, name: str, row: Record | None, path: str) -> Any:
        if row is None:
            return None
        if "." not in path:
            return row.get(path)
        if (name, row["Id"], path) not in self.values:
            step, _, rest = path.partition(".")
            wanted = row.get(self.reference(name, step).name)
            found = [self._value(to, self.by_id[to].get(wanted), rest) for to in self.leading_on(name, step, rest)]
            self.values[name, row["Id"], path] = next((value for value in found if value is not None), None)
        return self.values[name, row["Id"], path]

    def leading_on(self, name: str, step: str, rest: str) -> list[str]:
        return [to for to in self.targets(name, step) if self.kind(to, rest)]

    def worked_out(self, name: str, row: Record, item: Any) -> Typed:
        """The value of a path or formula, and its type; ``month`` is a month shown by its name."""
        if isinstance(item, str):
            return self.value(name, row, item)
        if isinstance(item, Period):
            return self.period(self.value(name, row, item.field)[0], item.by)
        if isinstance(item, Difference):
            end, start = (self.instant(self.value(name, row, path)[0]) for path in (item.end, item.start))
            return (
                None if end is None or start is None else (end - start).total_seconds() / SECONDS[item.unit]
            ), "number"
        left, right = (
            self.value(name, row, part)[0] if isinstance(part, str) else part for part in (item.left, item.right)
        )
        if left is None or right is None:
            return None, "number"
        if isinstance(item, Product):
            return float(left) * right, "number"
        return (float(left) / right if right else None), "number"

    def instant(self, value: Any) -> datetime | None:
        if value is None or isinstance(value, datetime):
            return value
        return datetime.combine(value, time(), self.zone).astimezone(UTC)

    def period(self, value: Any, by: str) -> Typed:
        kind = {"month": "string", "quarter": "string", "week": "date", "day": "date", "month_name": "month"}
        if value is None:
            return None, kind.get(by, "integer")
        local = value.astimezone(self.zone) if isinstance(value, datetime) else value
        day = local.date() if isinstance(local, datetime) else local
        start = self.registry.fiscal_start
        months = (day.month - start) % 12  # whole months since the fiscal year began
        found = {
            "year": lambda: day.year, "quarter": lambda: f"{day.year:04}-Q{(day.month + 2) // 3}",
            "month": lambda: f"{day.year:04}-{day.month:02}", "month_name": lambda: day.month,
            "week": lambda: day - timedelta(days=day.isoweekday() % 7), "day": lambda: day,
            "hour_of_day": lambda: local.hour, "day_of_week": lambda: day.isoweekday() % 7 + 1,
            "day_of_month": lambda: day.day, "day_of_year": lambda: (day - date(day.year, 1, 1)).days + 1,
            "week_of_month": lambda: -(-day.day // 7),
            "week_of_year": lambda: (day - date(day.year, 1, 1)).days // 7 + 1,
            "month_of_year": lambda: day.month, "quarter_of_year": lambda: -(-day.month // 3),
            "fiscal_year": lambda: day.year + 1 if start > 1 and day.month >= start else day.year,
            "fiscal_quarter_of_year": lambda: months // 3 + 1, "fiscal_month_of_year": lambda: months + 1,
        }[by]()  # fmt: skip
        return found, kind.get(by, "integer")

    # Conditions

    def holds(self, name: str, row: Record, item: Any) -> bool:
        match item:
            case None:
                return True
            case And():
                return all(self.holds(name, row, part) for part in item.items)
            case Or():
                return any(self.holds(name, row, part) for part in item.items)
            case Not():
                return not self.holds(name, row, item.item)
            case Related():
                n = len(self.children(item.child_object, item.child_field, row, item.where))
                return {"exactly": n == item.n, "at_least": n >= item.n, "at_most": n <= item.n}[item.op]
            case InQuery():
                value = key(*self.value(name, row, item.field))
                inside = value is not None and value in self.listed(item)
                return inside != item.negated
            case Compare():
                return self.compares(*self.value(name, row, item.field), item.op, item.value)
            case CompareFormula():
                return self.compares(*self.worked_out(name, row, item.formula), item.op, item.value)
        raise AssertionError(item)

    def children(self, name: str, field: str, row: Record, where: Any) -> list[Record]:
        if (name, field) not in self.pointing:
            found = self.pointing[name, field] = {}
            for one in self.tables[name]:
                found.setdefault(one.get(field), []).append(one)
        return [one for one in self.pointing[name, field].get(row["Id"], []) if self.holds(name, one, where)]

    def listed(self, item: InQuery) -> set[Any]:
        if id(item) not in self.lists:
            rows = [row for row in self.tables[item.object] if self.holds(item.object, row, item.where)]
            self.lists[id(item)] = {key(*self.value(item.object, row, item.select)) for row in rows} - {None}
        return self.lists[id(item)]

    def compares(self, value: Any, kind: str, op: str, wanted: Any) -> bool:
        if op in {"null", "not_null"}:
            return (value is None) == (op == "null")
        if op in {"in", "not_in"}:
            inside = any(value is None if one is None else self.compares(value, kind, "eq", one) for one in wanted)
            return inside == (op == "in")
        if value is None:
            return op == "ne"
        if op == "like":
            return like(plain(value), wanted)
        if kind == "month":
            return fits(op, value, MONTHS.index(wanted.title()) + 1 if isinstance(wanted, str) else wanted)
        if kind in SHORT:
            return fits(op, plain(value), plain(wanted))
        if isinstance(wanted, DateRange):
            return self.by_day(op, value, *self.span(wanted))
        if isinstance(wanted, date) and not isinstance(wanted, datetime):
            return self.by_day(op, value, wanted, wanted + timedelta(days=1))
        return fits(op, value, wanted)

    def span(self, word: DateRange) -> tuple[date, date]:
        """First day and the day after the last of a date word: of all days about today, those that it means."""
        if word not in self.spans:
            about = [self.today + timedelta(days=n) for n in range(-900, 900)]
            inside = [day for day in about if means(word, day, self.today, self.registry.fiscal_start)]
            self.spans[word] = inside[0], inside[-1] + timedelta(days=1)
        return self.spans[word]

    def by_day(self, op: str, value: Any, first: date, after: date) -> bool:
        day = value.astimezone(self.zone).date() if isinstance(value, datetime) else value
        inside = first <= day < after
        return {"eq": inside, "ne": not inside, "lt": day < first, "le": day < after,
                "gt": day >= after, "ge": day >= first}[op]  # fmt: skip

    # Rows

    def rows(self, spec: QuerySpec) -> list[Record]:
        """The records of a query in order, whatever its page."""
        return self.ordered(spec, self.tables[spec.object])

    def ordered(self, spec: QuerySpec, rows: list[Record]) -> list[Record]:
        self.lists.clear()
        kept = [row for row in rows if self.holds(spec.object, row, spec.where)]
        keyed = [(self.row_keys(spec, row), row) for row in kept]
        return [row for _, row in sorted(keyed, key=cmp_to_key(lambda a, b: before(a[0], b[0], spec.order)))]

    def row_keys(self, spec: QuerySpec, row: Record) -> tuple[Any, ...]:
        formulas = {item.column: item for item in spec.select if not isinstance(item, str | ChildRows)}
        found = [key(*self.worked_out(spec.object, row, formulas.get(order.key, order.key))) for order in spec.order]
        return (*found, row["Id"])

    def run(self, spec: QuerySpec) -> list[tuple[Any, ...]]:
        if spec.grouped:
            found = self.grouped(spec)
        else:
            found = [(self.row_keys(spec, row), self.shown(spec, row)) for row in self.rows(spec)]
        self.whole = len(found)
        if spec.after is not None:
            found = [one for one in found if before(tuple(map(stored, one[0])), spec.after, spec.order) > 0]
        return [row for _, row in found[spec.offset :][: spec.limit]]

    def shown(self, spec: QuerySpec, row: Record) -> tuple[Any, ...]:
        return tuple(
            self.inside(item, row) if isinstance(item, ChildRows)
            else as_shown(*self.worked_out(spec.object, row, item))
            for item in spec.select or ("Id",)
        )  # fmt: skip

    def inside(self, item: ChildRows, row: Record) -> tuple[Any, ...]:
        spec = QuerySpec(item.child_object, item.select, item.where, order=item.order)
        rows = self.ordered(spec, self.children(item.child_object, item.child_field, row, None))
        return tuple(self.shown(spec, one) for one in rows[: item.limit])

    # Groups

    def grouped(self, spec: QuerySpec) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """(sort keys, row) of each group, in order."""
        self.lists.clear()
        rows = [row for row in self.tables[spec.object] if self.holds(spec.object, row, spec.where)]
        keyed = [(self.group_keys(spec.object, row, spec.groups), row) for row in rows]
        by_groups = cmp_to_key(lambda a, b: before(a[0], b[0], ()))
        keyed.sort(key=by_groups)
        sets = [(k, [row for _, row in some]) for k, some in groupby(keyed, key=lambda pair: pair[0])]
        if not spec.groups and spec.measures:
            sets = [((), rows)]
        found = []
        for keys, members in sets:
            cells = {g.column: (k, kind) for g, k, kind in zip(spec.groups, keys, self.group_kinds(spec), strict=True)}
            cells |= {m.column: self.measure(spec.object, members, m) for m in spec.measures}
            if all(self.group_holds(cells, item) for item in spec.having or ()):
                named = {g.field: cells[g.column] for g in reversed(spec.groups)} | cells
                sort = (*(key(*named[order.key]) for order in spec.order), *keys)
                found.append((sort, tuple(as_shown(*cell) for cell in cells.values())))
        return sorted(found, key=cmp_to_key(lambda a, b: before(a[0], b[0], spec.order)))

    def group_keys(self, name: str, row: Record, groups: Iterable[Group]) -> tuple[Any, ...]:
        return tuple(key(*self.worked_out(name, row, Period(g.field, g.by) if g.by else g.field)) for g in groups)

    def group_kinds(self, spec: QuerySpec) -> list[str]:
        return [self.period(None, g.by)[1] if g.by else self.value(spec.object, None, g.field)[1] for g in spec.groups]

    def group_holds(self, cells: dict[str, Typed], item: Any) -> bool:
        match item:
            case And():
                return all(self.group_holds(cells, part) for part in item.items)
            case Or():
                return any(self.group_holds(cells, part) for part in item.items)
            case Not():
                return not self.group_holds(cells, item.item)
            case Having():
                return self.compares(*cells[item.alias], item.op, item.value)
        raise AssertionError(item)

    def measure(self, name: str, rows: list[Record], item: Measure) -> Typed:
        fitting = [row for row in rows if self.holds(name, row, item.where)]
        if item.fn == "share":
            return (len(fitting) / len(rows) if rows else None), "number"
        if item.field is None and item.formula is None:
            return len(fitting), "integer"
        over = item.formula or item.field
        typed = [self.worked_out(name, row, over) for row in fitting]
        values = [key(*one) for one in typed if one[0] is not None]
        if item.fn == "count":
            return len(values), "integer"
        if item.fn == "count_distinct":
            return len(set(values)), "integer"
        kind = typed[0][1] if typed else "string"
        if not values:
            return None, kind
        if item.fn == "avg":
            return sum(values) / len(values), "number"
        if item.fn == "sum":
            return sum(values), kind
        return (min if item.fn == "min" else max)(values, key=sortable), kind
