"""Taking an Org out, in any form. Command and job call this."""

from __future__ import annotations

from pathlib import Path

from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.exchange.export_csv import Told, export_csv
from study.sandbox.exchange.export_sqlite import export_sqlite

FORMS = ("csv", "sqlite", "parquet")


def export_org(snapshot: Snapshot, form: str, out: Path, name: str, told: Told = lambda name: None) -> list[Path]:
    """The files written. ``out`` is a folder, or for SQLite also the file. ValueError for another form."""
    match form:
        case "csv":
            return export_csv(snapshot, out, told)
        case "parquet":
            # Arrow is large: a page of the sandbox never needs it.
            from study.sandbox.exchange.export_parquet import export_parquet

            return export_parquet(snapshot, out, told)
        case "sqlite":
            return export_sqlite(snapshot, out if out.suffix else out / f"{name}.db", told)
    raise ValueError(f"{form!r} is not a form of export; use one of {', '.join(FORMS)}.")
