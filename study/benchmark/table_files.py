"""The tables of a snapshot as plain CSV files, for eyes and programs that know nothing of it."""

from __future__ import annotations

import csv
import datetime
from pathlib import Path

from study.sandbox.engine.snapshot import Snapshot


def write_tables(snapshot: Snapshot, folder: Path) -> None:
    """One UTF-8 file per object, named after it; empty where a field is empty, times in ISO 8601 with offset."""
    for name, records in snapshot.tables():
        fields = [field.name for field in snapshot.registry.object(name).fields]
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(fields)
            writer.writerows([_written(record[field]) for field in fields] for record in records)


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):  # a datetime too
        return value.isoformat()
    return str(value)
