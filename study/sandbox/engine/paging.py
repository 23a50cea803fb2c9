"""Continuing behind a row: the sort keys of a query, and the condition that a row comes after given ones.

Every order ends in a key that no two rows share, so a walk in pages meets each row
once, empty values among them (P-48).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from study.sandbox.engine.errors import INVALID_VALUE, QueryError
from study.sandbox.engine.queryspec import Order
from study.sandbox.engine.scope import Column, Context
from study.sandbox.engine.values import Stored

_TEXTS = frozenset({"id", "reference", "string", "picklist", "date"})
_WHOLE = frozenset({"datetime", "boolean"})


@dataclass(frozen=True)
class Key:
    """What rows are sorted by: SQL, the type of its values, its direction and where its empty values come."""

    sql: str
    kind: str
    place: str
    descending: bool = False
    nulls: str = "first"
    never_empty: bool = False

    @classmethod
    def of(cls, column: Column, order: Order | None = None, *, never_empty: bool = False) -> Key:
        if order is None:
            return cls(column.key, column.compared, column.place, never_empty=never_empty)
        return cls(column.key, column.compared, order.key, order.descending, order.nulls)

    @property
    def order_sql(self) -> str:
        if self.never_empty:
            return self.sql
        return f"{self.sql} {'DESC' if self.descending else 'ASC'} NULLS {self.nulls.upper()}"

    def checked(self, value: object) -> Stored:
        """A value this key can have. QueryError for any other."""
        if value is None and not self.never_empty:
            return None
        if isinstance(value, str) and self.kind in _TEXTS and value.isprintable():
            return value
        if isinstance(value, str) and self.kind in _TEXTS and "\0" not in value and _can_be_stored(value):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool) and self.kind not in _TEXTS:
            whole = isinstance(value, int) and abs(value) < 2**63
            if whole or (isinstance(value, float) and math.isfinite(value) and self.kind not in _WHOLE):
                return value
        raise QueryError(INVALID_VALUE, f"No page ends at {value!r}: {self.place} holds no such value.", "after")


def _can_be_stored(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def behind(context: Context, keys: Sequence[Key], after: Sequence[Stored]) -> str:
    """SQL that holds for the rows that come after the row with these values."""
    if len(after) != len(keys):
        message = f"A page of this query continues behind {len(keys)} values, not {len(after)}."
        raise QueryError(INVALID_VALUE, message, "after")
    values = [key.checked(value) for key, value in zip(keys, after, strict=True)]
    sql = "0"
    for key, value in reversed(list(zip(keys, values, strict=True))):
        mark = None if value is None else context.bind(value)
        same = f"{key.sql} IS NULL" if mark is None else f"{key.sql} = {mark}"
        sql = f"({_follows(key, mark)} OR ({same} AND {sql}))" if sql != "0" else _follows(key, mark)
    return f"{_from(context, keys[0], values[0])}{sql}" if keys else sql


def _follows(key: Key, mark: str | None) -> str:
    if mark is None:
        return f"{key.sql} IS NOT NULL" if key.nulls == "first" else "0"
    further = f"{key.sql} {'<' if key.descending else '>'} {mark}"
    return f"({further} OR {key.sql} IS NULL)" if key.nulls == "last" and not key.never_empty else further


def _from(context: Context, key: Key, value: Stored) -> str:
    """Says once more, in a form an index can serve, where the first key goes on."""
    if value is None or (key.nulls == "last" and not key.never_empty):
        return ""
    return f"{key.sql} {'<=' if key.descending else '>='} {context.bind(value)} AND "
