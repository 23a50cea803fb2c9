"""An Org as the checks read it: records one after the other and questions in SQL, never a whole table in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from study.generator.groundwork.facts import read_facts
from study.sandbox.engine.connections import plain_reader
from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_write import quoted
from study.sandbox.engine.values import milliseconds

DAY = 86_400_000
NUMBERS = {
    "order": ("Order", "OrderNumber"),
    "case": ("Case", "CaseNumber"),
    "quote": ("Quote", "QuoteNumber"),
    "contract": ("Contract", "ContractNumber"),
}
"""Running numbers that people quote in letters, and the field each stands in."""


@dataclass
class Source:
    """One Org under examination. ``truth`` is its truth file, if there is one."""

    snapshot: Snapshot
    connection: sqlite3.Connection
    truth: Path | None = None
    _world: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def own(self) -> bool:
        """Whether one of our generators made it, so that our rules of form hold."""
        return str(self.snapshot.manifest.get("generator", "")).startswith("realia")

    @property
    def objects(self) -> tuple[ObjectDef, ...]:
        return self.snapshot.registry.objects

    def has(self, *paths: str) -> bool:
        """Whether the Org has all of these objects (``Case``) and fields (``Case.ClosedDate``)."""
        registry = self.snapshot.registry
        for path in paths:
            name, _, field_name = path.partition(".")
            if not registry.has(name) or (field_name and not registry.object(name).has(field_name)):
                return False
        return True

    def count(self, object_name: str) -> int:
        return self.snapshot.counts.get(object_name, 0)

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> Iterator[tuple[Any, ...]]:
        yield from self.connection.execute(sql, parameters or {})

    def one(self, sql: str, parameters: Mapping[str, Any] | None = None) -> Any:
        """The first value of the first row, or None."""
        row = self.connection.execute(sql, parameters or {}).fetchone()
        return row[0] if row else None

    def values(self, item: ObjectDef, field_name: str) -> Iterator[tuple[str, Any]]:
        """Id and stored value of a field, wherever it has one."""
        column = quoted(field_name)
        yield from self.rows(f"SELECT Id, {column} FROM {quoted(item.name)} WHERE {column} IS NOT NULL")

    def fields(self, *types: str) -> Iterator[tuple[ObjectDef, FieldDef]]:
        """Every field of these types."""
        for item in self.objects:
            for one in item.fields:
                if one.type in types:
                    yield item, one

    def texts_of(self, object_name: str, field_name: str, ids: Iterable[str]) -> dict[str, str]:
        """Id -> text, for the records that exist; at most some thousands at a time."""
        marks = {f"p{n}": one for n, one in enumerate(ids)}
        names = ", ".join(":" + name for name in marks)
        sql = f"SELECT Id, {quoted(field_name)} FROM {quoted(object_name)} WHERE Id IN ({names})"
        return {record_id: text or "" for record_id, text in self.rows(sql, marks)}

    @cached_property
    def last_moment(self) -> int:
        """The end of the last day on the clocks of the Org, in milliseconds."""
        after = self.snapshot.last_day + timedelta(days=1)
        return milliseconds(datetime.combine(after, time(0), ZoneInfo(self.snapshot.zone))) - 1

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """What the questions in SQL may name: the last moment and day, a day's milliseconds."""
        return {"end": self.last_moment, "today": self.snapshot.last_day.isoformat(), "day": DAY}

    @cached_property
    def world(self) -> Mapping[str, Any]:
        """The settings of the world by the truth file; empty without one."""
        if self.truth is None:
            return {}
        found = next(iter(read_facts(self.truth, frozenset({"world"}))), None)
        return found.values if found else {}

    @cached_property
    def ingredients(self) -> Mapping[str, Any]:
        """Which ingredients of realism the Org was made with, by its manifest; empty means all."""
        found = self.snapshot.manifest.get("ingredients")
        return found if isinstance(found, Mapping) else {}


@contextmanager
def reading(snapshot: Snapshot, truth: Path | None = None) -> Iterator[Source]:
    """The Org for as long as it is read."""
    with plain_reader(snapshot.path) as connection:
        connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA temp_store=FILE")
        yield Source(snapshot, connection, truth if truth is not None and truth.exists() else None)
