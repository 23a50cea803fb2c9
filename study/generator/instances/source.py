"""What questions are made from: the tables of a snapshot, the truth file, and the words of the world.

Only the columns that are asked for are read, each table once. Moments are whole milliseconds since 1970 UTC and dates
texts, as the file stores them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

from study.generator.groundwork.facts import Fact, Truth
from study.generator.groundwork.material import Material
from study.sandbox.engine.connections import plain_reader
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_write import quoted

DAY = 86_400_000
Column = list[Any]


@dataclass
class Source:
    """One Org to ask about."""

    snapshot: Snapshot
    truth: Truth
    world: str
    _columns: dict[tuple[str, tuple[str, ...]], tuple[Column, ...]] = field(default_factory=dict)

    @property
    def today(self) -> date:
        return self.snapshot.last_day

    @cached_property
    def material(self) -> Material:
        return Material(self.world)

    @cached_property
    def settings(self) -> dict[str, Any]:
        return dict(self.truth.world())

    @property
    def consumer(self) -> bool:
        """Whether customers are people rather than companies."""
        return bool(self.settings.get("consumer", "Name" not in self.fields("Account")))

    def has(self, *objects: str) -> bool:
        """Whether the Org has records of all these objects."""
        return all(self.snapshot.counts.get(name) for name in objects)

    def fields(self, name: str) -> frozenset[str]:
        return frozenset(item.name for item in self.snapshot.registry.object(name).fields)

    def columns(self, name: str, *fields: str) -> tuple[Column, ...]:
        """Columns of an object in the order of Ids; a field or an object the Org lacks is empty throughout."""
        key = (name, fields)
        if key not in self._columns:
            self._columns[key] = self._read(name, fields)
        return self._columns[key]

    def _read(self, name: str, fields: tuple[str, ...]) -> tuple[Column, ...]:
        if name not in self.snapshot.counts:
            return tuple([] for _ in fields)
        known = self.fields(name)
        wanted = ", ".join(quoted(item) if item in known else "NULL" for item in fields)
        with plain_reader(self.snapshot.path) as connection:
            rows = connection.execute(f"SELECT {wanted} FROM {quoted(name)} ORDER BY {quoted('Id')}").fetchall()
        return tuple(map(list, zip(*rows, strict=True))) if rows else tuple([] for _ in fields)

    def mapping(self, name: str, of: str, to: str) -> dict[str, Any]:
        """One field of an object by another, such as names by Id."""
        keys, values = self.columns(name, of, to)
        return dict(zip(keys, values, strict=True))

    def grouped(self, name: str, of: str, *fields: str) -> dict[str, list[tuple[Any, ...]]]:
        """Rows of some fields by the value of a lookup; rows without one are left out."""
        found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for key, *values in zip(*self.columns(name, of, *fields), strict=True):
            if key:
                found[key].append(tuple(values))
        return found

    @cached_property
    def first_day(self) -> date:
        """The day of the earliest case or order: before it there was nothing to ask about."""
        (opened,) = self.columns("Case", "CreatedDate")
        (ordered,) = self.columns("Order", "EffectiveDate")
        days = [day_of(min(filter(None, opened)))] if any(opened) else []
        days += [date.fromisoformat(min(filter(None, ordered)))] if any(ordered) else []
        return min(days, default=self.today)

    def facts(self, kind: str) -> list[Fact]:
        return self.truth.of_kind(kind)


def day_of(ms: int) -> date:
    return datetime.fromtimestamp(ms // 1000, UTC).date()


def midnight(day: date) -> int:
    """The first moment of a day in UTC, in milliseconds."""
    return (day.toordinal() - 719_163) * DAY
