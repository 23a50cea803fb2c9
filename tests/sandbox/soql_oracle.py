"""The small Org in a plain SQLite database of its own, for answers worked out by hand-written SQL.

Moments are texts in UTC, days ISO texts, true and false 1 and 0. ``plain(text)`` is the
comparable form of a text as naive.py sees it; nothing here comes from the engine.
"""

from __future__ import annotations

import sqlite3
from datetime import date, datetime
from typing import Any

from tests.sandbox.naive_values import plain
from tests.sandbox.small_org import small_registry, small_tables


def oracle() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.create_function("plain", 1, lambda text: None if text is None else plain(text), deterministic=True)
    registry, tables = small_registry(), small_tables()
    for item in registry.objects:
        names = [field.name for field in item.fields]
        connection.execute(f'CREATE TABLE "{item.name}" ({", ".join(f"{chr(34)}{name}{chr(34)}" for name in names)})')
        marks = ", ".join("?" * len(names))
        for record in tables.get(item.name, []):
            if "LastName" in record:
                record = record | {"Name": " ".join(filter(None, (record["FirstName"], record["LastName"])))}
            values = [stored(record.get(name)) for name in names]
            connection.execute(f'INSERT INTO "{item.name}" VALUES ({marks})', values)
    return connection


def stored(value: Any) -> Any:
    """A Python value as the oracle holds it; also how answers are made comparable."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.") + f"{value.microsecond // 1000:03}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return round(value, 6)
    return value
