"""An Org as CSV files with its schema."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.exchange.cells import write_cell
from study.sandbox.exchange.org_schema import SCHEMA_FILE, write_schema

Told = Callable[[str], None]
"""Hears the name of each object before it is written."""


def export_csv(snapshot: Snapshot, folder: Path, told: Told = lambda name: None) -> list[Path]:
    """One CSV file per object and ``schema.json``; loading the folder gives the same Org hash.

    Cells are written as they are, formulas too: a guard would change the Org. Files of
    an earlier export are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, records in snapshot.tables():
        told(name)
        names = [f.name for f in snapshot.registry.object(name).fields]
        path = folder / f"{name}.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([write_cell(record[column]) for column in names] for record in records)
        written.append(path)
    return [*written, write_schema(snapshot, folder / SCHEMA_FILE)]
