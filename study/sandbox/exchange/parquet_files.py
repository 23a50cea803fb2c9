"""A folder of Parquet files as raw tables: every value becomes the cell that stands for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.exchange.cells import cell
from study.sandbox.exchange.foreign_sqlite import regular_file
from study.sandbox.exchange.table_files import Problem, RawTable, Row

_BATCH = 2_000


def parquet_tables(folder: Path) -> Iterator[RawTable]:
    """Every ``Object.parquet`` of a folder, in order of name. SnapshotError for one that cannot be read."""
    for path in sorted(folder.glob("*.parquet")):
        regular_file(path)
        try:
            yield _table(path)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise SnapshotError(f"{path.name} cannot be read as Parquet: {error}") from error


def _table(path: Path) -> RawTable:
    with pq.ParquetFile(path) as file:
        flat = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
        nested = [field.name for field in file.schema_arrow if pa.types.is_nested(field.type)]
        problems = [Problem(path.stem, 1, name, "a nested column", "it was not read") for name in nested]
        rows: list[tuple[int, Row]] = []
        for batch in file.iter_batches(_BATCH, columns=flat):
            for record in batch.to_pylist():
                rows.append((len(rows) + 2, {name: cell(value) for name, value in record.items()}))
    return RawTable(path.stem, tuple(flat), rows, tuple(problems))
