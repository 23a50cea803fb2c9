"""From field paths to columns: the tables a query reads and how they are joined."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from zoneinfo import ZoneInfo

from study.sandbox.errors import INVALID_FIELD, MALFORMED_QUERY, QueryError, UnknownField
from study.sandbox.registry import FOLDED, FieldDef, ObjectDef, Registry
from study.sandbox.snapshot_write import quoted, shadow
from study.sandbox.values import Stored

MAX_LOOKUPS = 5
MAX_VALUES = 20_000


@dataclass
class Context:
    """What all parts of one query share: the Org, the today, bound values and table names given so far."""

    registry: Registry
    today: date
    parameters: dict[str, Stored] = field(default_factory=dict)
    tables: int = 0

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.registry.zone)

    @property
    def in_utc(self) -> bool:
        return self.registry.zone in {"UTC", "Etc/UTC"}

    def bind(self, value: Stored) -> str:
        """A placeholder for a value; values never become part of the SQL text."""
        if len(self.parameters) >= MAX_VALUES:
            raise QueryError(MALFORMED_QUERY, f"A query may hold {MAX_VALUES:,} values.")
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return ":" + name

    def table(self) -> str:
        self.tables += 1
        return f"t{self.tables - 1}"


@dataclass(frozen=True)
class Column:
    """A field reached by a path: its SQL, and the SQL it is compared, grouped and sorted by."""

    sql: str
    key: str
    field: FieldDef
    path: str

    @property
    def type(self) -> str:
        return self.field.type

    def comparable(self) -> Column:
        """Itself, unless it is a long text: those are found by search only."""
        if self.type == "text":
            message = f"{self.path} is a long text: it can be searched, not filtered, grouped or sorted."
            raise QueryError(INVALID_FIELD, message, self.path)
        return self


class Scope:
    """One object as the root of paths; joins appear as paths need them, each once.

    Joins are outer joins: a record without a parent stays, with empty fields (P-52).
    """

    def __init__(self, context: Context, item: ObjectDef) -> None:
        self.context = context
        self.item = item
        self.alias = context.table()
        self._joins: dict[tuple[str, ...], tuple[str, ObjectDef]] = {(): (self.alias, item)}
        self._sql: list[str] = [f"{quoted(item.name)} AS {self.alias}"]

    def from_sql(self) -> str:
        return " ".join(self._sql)

    def column(self, path: str) -> Column:
        """The column a path ends in. QueryError names the step that leads nowhere."""
        *steps, last = path.split(".")
        if len(steps) > MAX_LOOKUPS:
            raise QueryError(INVALID_FIELD, f"A path may follow {MAX_LOOKUPS} lookups.", path)
        way: tuple[str, ...] = ()
        for place, step in enumerate(steps):
            way = self._follow(way, step, (*steps, last)[place + 1], path)
        alias, item = self._joins[way]
        found = item.field(last)
        sql = f"{alias}.{quoted(last)}"
        return Column(sql, f"{alias}.{shadow(found)}" if found.type in FOLDED else sql, found, path)

    def _follow(self, way: tuple[str, ...], step: str, then: str, path: str) -> tuple[str, ...]:
        alias, item = self._joins[way]
        reference = item.lookup(step)
        target = self._target(item, reference, then, path)
        onward = (*way, reference.name, target.name)
        if onward not in self._joins:
            joined = self.context.table()
            on = f"{joined}.{quoted('Id')} = {alias}.{quoted(reference.name)}"
            self._sql.append(f"LEFT JOIN {quoted(target.name)} AS {joined} ON {on}")
            self._joins[onward] = (joined, target)
        return onward

    def _target(self, item: ObjectDef, reference: FieldDef, then: str, path: str) -> ObjectDef:
        """The object a lookup leads to; of several, the one that has the next step."""
        registry = self.context.registry
        targets = [registry.object(name) for name in reference.targets if registry.has(name)]
        if not targets:
            raise QueryError(INVALID_FIELD, f"{item.name}.{reference.name} leads outside this Org.", path)
        fitting = [target for target in targets if _leads_on(target, then)]
        if not fitting:
            raise UnknownField(then, targets[0].name)
        if len(fitting) > 1:
            names = " and ".join(target.name for target in fitting)
            message = f"{item.name}.{reference.name} may lead to {names}; {then!r} does not tell which."
            raise QueryError(INVALID_FIELD, message, path)
        return fitting[0]


def _leads_on(item: ObjectDef, step: str) -> bool:
    if item.has(step):
        return True
    try:
        item.lookup(step)
    except UnknownField:
        return False
    return True
