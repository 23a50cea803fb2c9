"""An Org as Parquet files: one per object, typed, with its schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.exchange.export_csv import Told
from study.sandbox.exchange.org_schema import SCHEMA_FILE, write_schema

_ROWS = 20_000
_TYPES: dict[str, Callable[[], pa.DataType]] = {
    "datetime": lambda: pa.timestamp("ms", tz="UTC"),
    "date": pa.date32,
    "boolean": pa.bool_,
    "integer": pa.int64,
    "number": pa.float64,
}


def export_parquet(snapshot: Snapshot, folder: Path, told: Told = lambda name: None) -> list[Path]:
    """One Parquet file per object and ``schema.json``; loading the folder gives the same Org hash.

    Columns carry their label, type and lookup targets as metadata. Files of an earlier export are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, records in snapshot.tables():
        told(name)
        item = snapshot.registry.object(name)
        path = folder / f"{name}.parquet"
        about = {"object": name, "label": item.label, "org": snapshot.hash, "last_day": snapshot.last_day.isoformat()}
        schema = pa.schema([_column(field) for field in item.fields], metadata=about)
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in _batches(item, schema, records):
                writer.write_batch(batch)
        written.append(path)
    return [*written, write_schema(snapshot, folder / SCHEMA_FILE)]


def _column(field: FieldDef) -> pa.Field:
    about = {"label": field.label, "type": field.type, "targets": ",".join(field.targets)}
    return pa.field(field.name, _TYPES.get(field.type, pa.string)(), nullable=field.type != "id", metadata=about)


def _batches(item: ObjectDef, schema: pa.Schema, records: Iterable[dict[str, object]]) -> Iterator[pa.RecordBatch]:
    waiting = iter(records)
    while rows := list(islice(waiting, _ROWS)):
        columns = [pa.array([row[f.name] for row in rows], schema.field(f.name).type) for f in item.fields]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
