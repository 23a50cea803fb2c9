"""Write a bundle: the same rows give the same bytes, and the bytes give the bundle its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from analysis.cells import cell_text, csv_bytes
from analysis.tables import BLANKS, SCALE, TABLES, Column, Table, codebook_rows

FORMAT = 3
READABLE = (1, 2, 3)
"""Formats a reader takes; columns and tables say since which one they are there."""
_FRICTIONLESS = {"list": "array"}


def write_bundle(
    directory: Path | str,
    tables: Mapping[str, Iterable[Mapping[str, object]]],
    *,
    protocol_yaml: str,
    orgs_json: object,
    study: Mapping[str, object] | None = None,
    codebook: Iterable[Mapping[str, object]] = (),
) -> str:
    """Write a bundle and return its hash, the sha256 of checksums.txt.

    tables: rows by table name, in the order they shall stand in (sort them first); columns left out are empty,
    tables left out have no rows. Values are typed: str, int, float, bool, date, aware datetime (or ISO text),
    list, dict, None. study: facts for the first page of a report, e.g. code, title, blind, protocol_kind,
    replicates. codebook: rows for the study's own items, after the ones of the format. Nothing here may depend
    on the moment of export. Raises ValueError naming table, row and column.
    """
    target = Path(directory)
    files = {"protocol.yaml": protocol_yaml.encode(), "orgs.json": _pretty(orgs_json)}
    unknown = sorted(set(tables) - (set(TABLES) - {"codebook"}))
    if unknown:
        raise ValueError(f"a bundle has no table {', '.join(unknown)}; codebook rows go in codebook=")
    for name, table in TABLES.items():
        rows = [*codebook_rows(), *codebook] if name == "codebook" else tables.get(name, ())
        files[f"{name}.csv"] = csv_bytes(table.names, _table_rows(table, rows))
    files["datapackage.json"] = _pretty(_descriptor(files, dict(study or {})))
    sums = "".join(f"{_sha256(data)}  {name}\n" for name, data in sorted(files.items()))
    files["checksums.txt"] = sums.encode()
    _store(target, files)
    return _sha256(files["checksums.txt"])


def _store(target: Path, files: Mapping[str, bytes]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    foreign = sorted(path.name for path in target.iterdir() if path.name not in files)
    if foreign:
        raise ValueError(f"{target} holds other files ({foreign[0]}). Give an empty folder or one with a bundle.")
    # The checksums go first and come last, so that a bundle cut short is never taken for a whole one.
    (target / "checksums.txt").unlink(missing_ok=True)
    for name in sorted(files, key=lambda name: name == "checksums.txt"):
        (target / name).write_bytes(files[name])


def _table_rows(table: Table, rows: Iterable[Mapping[str, object]]) -> list[list[str]]:
    return [[_cell(table, column, row, number) for column in table.columns] for number, row in _numbered(table, rows)]


def _numbered(table: Table, rows: Iterable[Mapping[str, object]]) -> Iterable[tuple[int, Mapping[str, object]]]:
    for number, row in enumerate(rows, start=1):
        strange = sorted(set(row) - set(table.names))
        if strange:
            raise ValueError(f"{table.name}, row {number}: no column {', '.join(strange)} in the format")
        yield number, row


def _cell(table: Table, column: Column, row: Mapping[str, object], number: int) -> str:
    value = row.get(column.name)
    try:
        text = cell_text(value, column.kind)
    except ValueError as problem:
        raise ValueError(f"{table.name}, row {number}, {column.name}: {problem}") from problem
    if text == "" and column.required:
        raise ValueError(f"{table.name}, row {number}, {column.name}: must not be empty")
    if text and column.values and value not in column.values:
        raise ValueError(f"{table.name}, row {number}, {column.name}: {value!r} is not one of {column.values}")
    return text


def _descriptor(files: Mapping[str, bytes], study: dict[str, object]) -> dict[str, object]:
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": str(study.get("code") or "bundle").lower(),
        "title": str(study.get("title") or study.get("code") or "Realism study"),
        "realia": {"format": FORMAT, "scale": list(SCALE), **study},
        "resources": [_resource(table, files[f"{table.name}.csv"]) for table in TABLES.values()],
    }


def _resource(table: Table, data: bytes) -> dict[str, object]:
    schema: dict[str, object] = {
        "fields": [_field(column) for column in table.columns],
        "primaryKey": list(table.key),
        "missingValues": [{"value": "", "label": "blank; see the column's companion …_blank, if it has one"}],
    }
    if table.references:
        schema["foreignKeys"] = [
            {"fields": [column], "reference": {"resource": other, "fields": [there]}}
            for column, other, there in table.references
        ]
    return {
        "name": table.name,
        "path": f"{table.name}.csv",
        "description": table.text,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(data),
        "hash": f"sha256:{_sha256(data)}",
        "schema": schema,
    }


def _field(column: Column) -> dict[str, object]:
    field: dict[str, object] = {
        "name": column.name,
        "type": _FRICTIONLESS.get(column.kind, column.kind),
        "description": column.text + (f" ({column.unit})" if column.unit else ""),
    }
    if column.name in ("first", "final"):
        field["categories"] = [{"value": point, "label": label} for point, label in enumerate(SCALE, start=1)]
        field["categoriesOrdered"] = True
    elif column.values:
        labelled = column.name.endswith("_blank")
        field["categories"] = [
            {"value": value, "label": BLANKS[value]} if labelled else {"value": value, "label": value}
            for value in column.values
        ]
    if column.required:
        field["constraints"] = {"required": True}
    return field


def _pretty(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False) + "\n").encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
