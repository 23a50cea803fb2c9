"""Erased rows must leave the file as well: what the database does with deleted text, and what is done about it.

SQLite overwrites deleted text with zeros (``secure_delete``, set on every connection); copies of old pages in its
write-ahead log go when the log is emptied. PostgreSQL keeps dead rows until VACUUM has been over the table.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from django.apps import apps
from django.db import DatabaseError, connection

TRIES, WAIT = 5, 0.1
BUSY = "busy"


def tables_of(columns: Iterable[str]) -> list[str]:
    """The tables that columns such as ``people.Contact.email`` belong to."""
    labels = {column.rsplit(".", 1)[0] for column in columns}
    return sorted(apps.get_model(label)._meta.db_table for label in labels)


def clean(columns: Iterable[str]) -> dict[str, object]:
    """Get rid of what the database still holds of deleted rows; says what was done, ``busy`` if it must be repeated."""
    if connection.in_atomic_block:
        return {"file": BUSY, "why": "inside a transaction"}
    return _empty_log() if connection.vendor == "sqlite" else _vacuum(tables_of(columns))


def _empty_log() -> dict[str, object]:
    """Somebody who reads at this moment holds the log; a few tries are enough unless a long export runs."""
    for attempt in range(TRIES):
        try:
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                busy, *_rest = cursor.fetchone()
                cursor.execute("PRAGMA freelist_count")
                (free,) = cursor.fetchone()
                cursor.execute("PRAGMA secure_delete")
                (zeroed,) = cursor.fetchone()
        except DatabaseError:
            busy = 1
        if not busy:
            return {"file": "clean", "free_pages": free, "zeroed": bool(zeroed)}
        if attempt < TRIES - 1:
            time.sleep(WAIT)
    return {"file": BUSY, "why": "the write-ahead log is being read"}


def _vacuum(tables: list[str]) -> dict[str, object]:
    try:
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f"VACUUM {connection.ops.quote_name(table)}")
    except DatabaseError as error:
        return {"file": BUSY, "why": type(error).__name__}
    return {"file": "clean", "vacuumed": len(tables)}
