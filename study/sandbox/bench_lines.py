"""What is measured of the engine, each line beside SQL written by hand for the same columns.

Both go through the same guarded connection. The engine's side also builds the SQL and
turns stored values into Python ones; the other side does not.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from study.sandbox.engine.compiler import compile_count
from study.sandbox.engine.daterange import DateRange, resolve
from study.sandbox.engine.formulas import Difference
from study.sandbox.engine.queryspec import And, Compare, Group, Having, Measure, Order, QuerySpec, Related
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.search import search
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_tables import quoted, word_index
from study.sandbox.engine.typing_ahead import type_ahead
from study.sandbox.engine.values import day_start
from study.sandbox.soql import run_soql

NEEDED = ("Case", "CaseHistory__c", "Account", "User", "OrderItem", "Product2")
Drawn = dict[str, Any]
Side = Callable[[Drawn], Any]


@dataclass(frozen=True)
class Line:
    """One thing to measure. Both sides get the same drawn values; ``size`` of their answers must agree."""

    name: str
    engine: Side
    sql: Side
    size: Callable[[Any], int] = len


_LIST = """SELECT c."Id", c."Subject", c."Status", c."Priority", c."CreatedDate", a."Name", u."Name" FROM "Case" AS c
LEFT JOIN "Account" AS a ON a."Id" = c."AccountId" LEFT JOIN "User" AS u ON u."Id" = c."OwnerId"
WHERE c."~Status" = :status AND c."~Priority" = :priority ORDER BY c."CreatedDate" DESC, c."Id" LIMIT 50"""
_COUNT = """SELECT count(*) FROM "Case" WHERE "~Status" = :status AND "~Priority" = :priority
AND "CreatedDate" >= :first AND "CreatedDate" < :end"""
_BY_NAME = """SELECT c."Id", c."Subject", a."Name" FROM "Case" AS c LEFT JOIN "Account" AS a ON a."Id" = c."AccountId"
ORDER BY a."~Name", c."Id" LIMIT 50"""
_GROUPED = """SELECT min(p."Name"), count(*) AS n FROM "Case" AS c
LEFT JOIN "OrderItem" AS i ON i."Id" = c."OrderItemId__c" LEFT JOIN "Product2" AS p ON p."Id" = i."Product2Id"
WHERE c."CreatedDate" >= :first AND c."CreatedDate" < :end GROUP BY p."~Name" ORDER BY n DESC, p."~Name" LIMIT 200"""
_HAVING = """SELECT c."OwnerId", count(*) AS n, avg((c."ClosedDate" - c."CreatedDate") / 86400000.0) AS days
FROM "Case" AS c WHERE c."ClosedDate" >= :first AND c."ClosedDate" < :end AND (SELECT count(*)
FROM "CaseHistory__c" AS h WHERE h."CaseId__c" = c."Id" AND h."~Field__c" = 'owner assignment') = 1
GROUP BY c."OwnerId" HAVING n > 1 ORDER BY days, c."OwnerId" """
_MATRIX = """SELECT strftime('%Y-%m', "CreatedDate" / 1000.0, 'unixepoch') AS month, min("Status"), count(*)
FROM "Case" GROUP BY month, "~Status" ORDER BY month, "~Status" """
_SOQL = """SELECT c."Id", c."Subject", c."CreatedDate", a."Name" FROM "Case" AS c
LEFT JOIN "Account" AS a ON a."Id" = c."AccountId"
WHERE c."~Status" = :status AND c."CreatedDate" >= :first AND c."CreatedDate" < :end
ORDER BY c."CreatedDate" DESC LIMIT 50"""


class Lines:
    """The lines over one Org, and what is drawn for them."""

    def __init__(self, snapshot: Snapshot, seed: int = 7) -> None:
        self.snapshot = snapshot
        self.today = snapshot.last_day
        self._draw = random.Random(seed)  # noqa: S311 - which questions are asked, nothing secret
        case = snapshot.registry.object("Case")
        self._values = {name: case.field(name).values for name in ("Status", "Priority")}
        found = self._run(QuerySpec("Case", ("Id", "Subject"), order=(Order("CreatedDate", True),), limit=2_000))
        self._ids = [row[0] for row in found]
        self._words = sorted({word for row in found for word in str(row[1] or "").split() if len(word) > 4})

    def drawn(self, count: int) -> list[Drawn]:
        """So many sets of values, the same ones every time."""
        return [self._one() for _ in range(count)]

    def _one(self) -> Drawn:
        status, priority = (self._draw.choice(self._values[name]) for name in ("Status", "Priority"))
        months = self._draw.randint(3, 9)
        first, end = resolve(DateRange("past_months", months), self.today, self.snapshot.registry.fiscal_start)
        zone = ZoneInfo(self.snapshot.zone)
        words = " ".join(self._draw.sample(self._words, 2)) if len(self._words) > 1 else "case"
        return {
            "given": {"Status": status, "Priority": priority}, "months": months, "words": words,
            "typed": words[: self._draw.randint(2, 5)], "id": self._draw.choice(self._ids),
            "sql": {
                "status": status.lower(), "priority": priority.lower(),
                "first": day_start(first, zone), "end": day_start(end, zone),
            },
            "day": self.today - timedelta(days=self._draw.randint(0, 900)),
        }  # fmt: skip

    def all(self) -> list[Line]:
        return [
            Line("list", self._list, self._hand(_LIST)),
            Line("count", self._count, self._hand(_COUNT), size=_number),
            Line("record", self._record, self._record_sql, size=lambda found: len(found) if found else 0),
            Line("sorted by a lookup's name", self._by_name, self._hand(_BY_NAME)),
            Line("grouped report", self._grouped, self._hand(_GROUPED)),
            Line("having report", self._having, self._hand(_HAVING)),
            Line("matrix", self._matrix, self._hand(_MATRIX)),
            Line("search", self._search, self._search_sql, size=int),
            Line("type-ahead", self._type_ahead, self._type_ahead_sql, size=lambda found: min(1, len(found))),
            Line("SOQL", self._soql, self._hand(_SOQL)),
        ]

    def _run(self, spec: QuerySpec) -> list[tuple[Any, ...]]:
        return self.snapshot.run(spec, self.today).rows

    def _rows(self, sql: str, values: Drawn) -> list[tuple[Any, ...]]:
        return self.snapshot.connection.rows(sql, values)

    def _hand(self, sql: str) -> Side:
        named = [name for name in ("status", "priority", "first", "end") if ":" + name in sql]
        return lambda drawn: self._rows(sql, {name: drawn["sql"][name] for name in named})

    def _both(self, drawn: Drawn) -> tuple[Compare, ...]:
        return tuple(Compare(name, "eq", value) for name, value in drawn["given"].items())

    def _window(self, drawn: Drawn, field: str = "CreatedDate") -> Compare:
        return Compare(field, "eq", DateRange("past_months", drawn["months"]))

    def _list(self, drawn: Drawn) -> Any:
        columns = ("Id", "Subject", "Status", "Priority", "CreatedDate", "Account.Name", "Owner.Name")
        return self._run(
            QuerySpec("Case", columns, And(*self._both(drawn)), order=(Order("CreatedDate", True),), limit=50)
        )

    def _count(self, drawn: Drawn) -> Any:
        # Not through Snapshot.count, which keeps what it counted once.
        spec = QuerySpec("Case", where=And(*self._both(drawn), self._window(drawn)))
        compiled = compile_count(spec, self.snapshot.registry, self.today)
        return self._rows(compiled.sql, compiled.parameters)

    def _record(self, drawn: Drawn) -> Any:
        return self.snapshot.record("Case", drawn["id"])

    def _record_sql(self, drawn: Drawn) -> Any:
        columns = ", ".join(quoted(field.name) for field in self.snapshot.registry.object("Case").fields)
        return self._rows(f'SELECT {columns} FROM "Case" WHERE "Id" = :id', {"id": drawn["id"]})[0]

    def _by_name(self, drawn: Drawn) -> Any:
        return self._run(QuerySpec("Case", ("Id", "Subject", "Account.Name"), order=(Order("Account.Name"),), limit=50))

    def _grouped(self, drawn: Drawn) -> Any:
        path = "OrderItemId__c.Product2Id.Name"
        return self._run(
            QuerySpec(
                "Case", where=self._window(drawn), groups=(Group(path),), measures=(Measure("count", alias="n"),),
                order=(Order("n", True),), limit=200,
            )
        )  # fmt: skip

    def _having(self, drawn: Drawn) -> Any:
        once = Related("CaseHistory__c", "CaseId__c", "exactly", 1, Compare("Field__c", "eq", "Owner Assignment"))
        days = Measure("avg", alias="days", formula=Difference("ClosedDate", "CreatedDate"))
        return self._run(
            QuerySpec(
                "Case", where=And(self._window(drawn, "ClosedDate"), once), groups=(Group("OwnerId"),),
                measures=(Measure("count", alias="n"), days), having=(Having("n", "gt", 1),), order=(Order("days"),),
            )
        )  # fmt: skip

    def _matrix(self, drawn: Drawn) -> Any:
        groups = (Group("CreatedDate", by="month"), Group("Status"))
        return self._run(QuerySpec("Case", groups=groups, measures=(Measure("count", alias="n"),)))

    def _search(self, drawn: Drawn) -> Any:
        return search(self.snapshot, drawn["words"]).total

    def _search_sql(self, drawn: Drawn) -> Any:
        """Counts of all objects; of each that has any the best five with name, second field and snippet."""
        values, total = {"words": " ".join(f'"{word}"' for word in drawn["words"].split())}, 0
        for item in self.snapshot.registry.objects:
            if not item.searched:
                continue
            index = word_index(item)
            count = self._rows(f"SELECT count(*) FROM {index} WHERE {index} MATCH :words", values)[0][0]
            total += count
            if count:
                weights = ", ".join("10.0" if field.name == item.name_field else "1.0" for field in item.searched)
                second, joined = self._second(item)
                best = (
                    f"SELECT {index}.rowid AS rid FROM {index} JOIN {quoted(item.name)} AS o ON o.rid = {index}.rowid "
                    f'WHERE {index} MATCH :words ORDER BY bm25({index}, {weights}), o."Id" LIMIT 5'
                )
                self._rows(
                    f'SELECT o."Id", o.{quoted(item.name_field)}, {second}, '
                    f"snippet({index}, -1, '<', '>', '…', 14) FROM {index} "
                    f"JOIN {quoted(item.name)} AS o ON o.rid = {index}.rowid {joined} "
                    f"WHERE {index} MATCH :words AND {index}.rowid IN ({best})",
                    values,
                )
        return total

    def _second(self, item: ObjectDef) -> tuple[str, str]:
        """The second field of a hit, and the join that brings the name behind a lookup."""
        if not item.has(item.second_field):
            return "NULL", ""
        field = item.field(item.second_field)
        if field.type != "reference" or not field.targets:
            return f"o.{quoted(field.name)}", ""
        target = self.snapshot.registry.object(field.targets[0])
        join = f'LEFT JOIN {quoted(target.name)} AS s ON s."Id" = o.{quoted(field.name)}'
        return f"s.{quoted(target.name_field)}", join

    def _type_ahead(self, drawn: Drawn) -> Any:
        return type_ahead(self.snapshot, drawn["typed"])

    def _type_ahead_sql(self, drawn: Drawn) -> Any:
        """The first names that begin so with their second fields, object by object, until there are five."""
        found: list[tuple[Any, ...]] = []
        typed = drawn["typed"].lower()
        for item in self.snapshot.registry.objects:
            if item.searched and item.field(item.name_field).type == "string" and len(found) < 5:
                key = f"o.{quoted('~' + item.name_field)}"
                second, joined = self._second(item)
                found += self._rows(
                    f'SELECT o."Id", o.{quoted(item.name_field)}, {second} FROM {quoted(item.name)} AS o {joined} '
                    f'WHERE {key} >= :typed AND {key} < :last ORDER BY {key}, o."Id" LIMIT 5',
                    {"typed": typed, "last": typed + "\U0010ffff"},
                )
        return found

    def _soql(self, drawn: Drawn) -> Any:
        first, end = resolve(DateRange("past_months", drawn["months"]), self.today)
        text = (
            f"SELECT Id, Subject, CreatedDate, Account.Name FROM Case WHERE Status = '{drawn['given']['Status']}' "
            f"AND CreatedDate >= {first}T00:00:00Z AND CreatedDate < {end}T00:00:00Z "
            f"ORDER BY CreatedDate DESC LIMIT 50"
        )
        return run_soql(self.snapshot, text, self.today).rows


def _number(found: Any) -> int:
    return int(found[0][0])
