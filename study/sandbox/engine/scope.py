"""From field paths to columns: the tables a query reads and how they are joined."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from study.sandbox.engine.errors import (
    INVALID_FIELD,
    INVALID_VALUE,
    MALFORMED_QUERY,
    QueryError,
    UnknownField,
    UnknownObject,
)
from study.sandbox.engine.registry import FOLDED, FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot_write import quoted, shadow
from study.sandbox.engine.values import Stored, moment

MAX_LOOKUPS = 5
MAX_VALUES = 20_000
FEW_VALUES = 200
MAX_TABLES = 60
"""Tables read side by side; SQLite joins 64 at most."""

_CONVERTERS: dict[str, Callable[[Any], object]] = {"datetime": moment, "date": date.fromisoformat, "boolean": bool}
_FAMILIES = (frozenset({"id", "reference"}), FOLDED, FOLDED | {"text"}, frozenset({"number", "integer"}))
Way = tuple[str, ...]


@dataclass
class Context:
    """What all parts of one query share: the Org, the today, bound values and table names given so far."""

    registry: Registry
    today: date
    parameters: dict[str, Stored] = field(default_factory=dict)
    tables: int = 0
    values: int = 0

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.registry.zone)

    @property
    def in_utc(self) -> bool:
        return self.registry.zone in {"UTC", "Etc/UTC"}

    def object(self, name: str) -> ObjectDef:
        """The object of this name. UnknownObject otherwise, also for what is no name."""
        if not isinstance(name, str):
            raise UnknownObject(str(name))
        return self.registry.object(name)

    def bind(self, value: Stored) -> str:
        """A placeholder for a value; values never become part of the SQL text."""
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise QueryError(INVALID_VALUE, "A number here is too large.", str(value)[:40])
        self.values += 1
        if self.values > MAX_VALUES:
            raise QueryError(MALFORMED_QUERY, f"A query may hold {MAX_VALUES:,} values.")
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return ":" + name

    def bind_list(self, values: Sequence[Stored]) -> str:
        """What stands in the brackets of IN. SQLite reads a long list of names slowly, and one text quickly."""
        if len(values) <= FEW_VALUES or not all(isinstance(value, str) for value in values):
            return ", ".join(self.bind(value) for value in values)
        self.values += len(values) - 1
        return f"SELECT value FROM json_each({self.bind(json.dumps(values))})"

    def table(self) -> str:
        self.tables += 1
        return f"t{self.tables - 1}"


@dataclass(frozen=True)
class Column:
    """A field reached by a path, or what is worked out of fields.

    ``sql`` gives the stored value, ``key`` what it is compared, grouped and sorted by, ``kind`` the type of
    the key where it is not that of the value (the number of a month shown by its name).
    """

    sql: str
    key: str
    type: str
    place: str
    kind: str = ""
    shown: Callable[[Any], object] | None = None

    @property
    def compared(self) -> str:
        return self.kind or self.type

    @property
    def convert(self) -> Callable[[Any], object] | None:
        """What turns a stored value, if there is one, into Python; None where it is Python's already."""
        return self.shown or _CONVERTERS.get(self.type)

    def comparable(self) -> Column:
        """Itself, unless it is a long text: those are found by search only."""
        if self.type == "text":
            message = f"{self.place} is a long text: it can be searched, not filtered, grouped or sorted."
            raise QueryError(INVALID_FIELD, message, self.place)
        return self


class Scope:
    """One object as the root of paths; joins appear as paths need them, each once.

    Joins are outer joins: a record without a parent stays, with empty fields (P-52).
    """

    def __init__(self, context: Context, item: ObjectDef) -> None:
        self.context = context
        self.item = item
        self.alias = context.table()
        self._joins: dict[Way, tuple[str, ObjectDef]] = {(): (self.alias, item)}
        self._sql: list[str] = [f"{quoted(item.name)} AS {self.alias}"]

    @property
    def id(self) -> str:
        return f"{self.alias}.{quoted('Id')}"

    def from_sql(self) -> str:
        return " ".join(self._sql)

    def column(self, path: str) -> Column:
        """The column a path ends in. QueryError names the step that leads nowhere.

        Behind a lookup to several objects it is the value of the first of them that has the
        rest of the path; ``What:Order.Status`` follows the lookup to one object only.
        """
        if not isinstance(path, str):
            raise QueryError(INVALID_FIELD, f"{path!r} is not the name of a field.", "field")
        steps = path.split(".")
        if len(steps) > MAX_LOOKUPS + 1:
            raise QueryError(INVALID_FIELD, f"A path may follow {MAX_LOOKUPS} lookups.", path)
        ways: list[Way] = [()]
        for place in range(len(steps) - 1):
            ways = [onward for way in ways for onward in self._follow(way, steps[place:], path)]
        return _first_there([self._own(way, steps[-1], path) for way in ways], path)

    def _own(self, way: Way, name: str, path: str) -> Column:
        alias, item = self._joins[way]
        found = item.field(name)
        sql = f"{alias}.{quoted(name)}"
        return Column(sql, f"{alias}.{shadow(found)}" if found.type in FOLDED else sql, found.type, path)

    def _follow(self, way: Way, steps: Sequence[str], path: str) -> list[Way]:
        """The ways on from ``way`` by the first of the steps, one for each object that has the others."""
        alias, item = self._joins[way]
        name, _, wanted = steps[0].partition(":")
        reference = item.lookup(name)
        found = []
        for target in self._targets(item, reference, wanted, steps[1:], path):
            onward = (*way, reference.name, target.name)
            if onward not in self._joins:
                self._join(onward, f"{alias}.{quoted(reference.name)}", target, path)
            found.append(onward)
        return found

    def _join(self, way: Way, reference: str, target: ObjectDef, path: str) -> None:
        if len(self._joins) >= MAX_TABLES:
            message = f"A query may follow lookups to {MAX_TABLES - 1} places; this one follows more."
            raise QueryError(MALFORMED_QUERY, message, path)
        joined = self.context.table()
        self._sql.append(f"LEFT JOIN {quoted(target.name)} AS {joined} ON {joined}.{quoted('Id')} = {reference}")
        self._joins[way] = (joined, target)

    def _targets(
        self, item: ObjectDef, reference: FieldDef, wanted: str, rest: Sequence[str], path: str
    ) -> list[ObjectDef]:
        """The objects a lookup leads to that have the rest of the path; the one that was named, if one was."""
        registry = self.context.registry
        targets = [registry.object(name) for name in reference.targets if registry.has(name)]
        if not targets:
            raise QueryError(INVALID_FIELD, f"{item.name}.{reference.name} leads outside this Org.", path)
        if wanted:
            targets = [target for target in targets if target.name == wanted]
            if not targets:
                raise QueryError(INVALID_FIELD, f"{item.name}.{reference.name} never leads to {wanted!r}.", path)
        near = [target for target in targets if _leads_on(registry, target, rest[:1])]
        if not near:
            raise UnknownField(rest[0], targets[0].name)
        return [target for target in near if _leads_on(registry, target, rest)] or near[:1]


def _leads_on(registry: Registry, item: ObjectDef, steps: Sequence[str]) -> bool:
    name, _, wanted = steps[0].partition(":")
    if len(steps) == 1 and item.has(name):
        return True
    try:
        targets = item.lookup(name).targets
    except UnknownField:
        return False
    if len(steps) == 1:
        return True
    known = [registry.object(one) for one in targets if registry.has(one) and wanted in {"", one}]
    return any(_leads_on(registry, target, steps[1:]) for target in known)


def _first_there(columns: list[Column], path: str) -> Column:
    """The first value that is there among columns of one kind."""
    if len(columns) == 1:
        return columns[0]
    types = {column.type for column in columns}
    if len(types) > 1 and not any(types <= family for family in _FAMILIES):
        message = f"{path} holds different kinds of values; name one object, as in What:Order.Status."
        raise QueryError(INVALID_FIELD, message, path)
    kind = types.pop() if len(types) == 1 else _common(types)
    sql, key = (f"coalesce({', '.join(parts)})" for parts in zip(*((c.sql, c.key) for c in columns), strict=True))
    return Column(sql, key, kind, path, shown=float if kind == "number" else None)


def _common(types: set[str]) -> str:
    if "text" in types:
        return "text"
    return "string" if types <= FOLDED else "number" if "number" in types else "reference"
