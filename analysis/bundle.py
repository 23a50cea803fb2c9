"""Read a bundle, or a plain ratings.csv, into typed frames; anything wrong is one clear error.

A frame holds text as str (the empty cell is the empty text), codes always as text, whole numbers as Int64,
numbers as Float64, yes/no as boolean, times as UTC, and dates, lists and mappings as Python objects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from analysis.cells import cell_value, csv_rows, plain_cell, safe_cell
from analysis.tables import TABLES, Column, Table
from analysis.writing import READABLE, write_bundle

__all__ = ["Bundle", "BundleError", "plain_cell", "read_bundle", "safe_cell", "write_bundle"]

BESIDE = ("datapackage.json", "protocol.yaml", "orgs.json")
_DTYPES = {"string": "str", "integer": "Int64", "number": "Float64", "boolean": "boolean"}


class BundleError(ValueError):
    """The input can't be read; the message names file, line and column and says what to do."""


@dataclass(frozen=True)
class Bundle:
    """What was read. `hash`: sha256 of checksums.txt, or of the file for a plain ratings.csv.

    `frames`: one typed frame per table of `tables.TABLES`. `study`: the block `realia` of datapackage.json.
    `plain`: read from a ratings.csv, so that only ratings are known. `notes`: what the reader left aside.
    """

    hash: str
    frames: Mapping[str, pd.DataFrame]
    study: Mapping[str, Any] = field(default_factory=dict)
    protocol: Mapping[str, Any] = field(default_factory=dict)
    orgs: Any = None
    plain: bool = False
    notes: tuple[str, ...] = ()


def read_bundle(directory: Path | str) -> Bundle:
    """Read and check a bundle directory. Raises BundleError."""
    folder = Path(directory)
    if not folder.is_dir():
        raise BundleError(f"{folder} is not a folder. Give the folder that export_bundle wrote.")
    version = _format(_bytes(folder / "datapackage.json"))
    tables = {name: table for name, table in TABLES.items() if table.since <= version}
    contents = {name: _bytes(folder / name) for name in (*BESIDE, *(f"{name}.csv" for name in tables), "checksums.txt")}
    _verify(contents)
    study = _study(contents["datapackage.json"])
    frames = {name: frame_of(table, ()) for name, table in TABLES.items() if name not in tables}
    frames |= {name: read_table(table, contents[f"{name}.csv"], version) for name, table in tables.items()}
    _check_references(frames)
    _check_sets(frames)
    _check_visits(frames["visits"])
    protocol = _yaml(contents["protocol.yaml"])
    orgs = _json(contents["orgs.json"], "orgs.json")
    return Bundle(_sha256(contents["checksums.txt"]), frames, study, protocol, orgs)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as problem:
        message = f"{path.name} is missing from {path.parent}. Is this a whole bundle? Export it again."
        raise BundleError(message) from problem
    except OSError as problem:
        raise BundleError(f"{path} can't be read: {problem.strerror}.") from problem


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _verify(contents: Mapping[str, bytes]) -> None:
    """Each file has the checksum that checksums.txt states for it (the format of sha256sum)."""
    stated: dict[str, str] = {}
    for number, line in enumerate(contents["checksums.txt"].decode("utf-8", "replace").splitlines(), start=1):
        digest, gap, name = line.partition("  ")
        if not gap or len(digest) != 64:
            raise BundleError(f"checksums.txt, line {number}: not a sha256 and a file name. Export the bundle again.")
        stated[name] = digest
    for name in contents:
        if name == "checksums.txt":
            continue
        if name not in stated:
            raise BundleError(f"{name} has no line in checksums.txt. Export the bundle again.")
        if _sha256(contents[name]) != stated[name]:
            raise BundleError(
                f"{name} is not the file that was exported: its checksum differs. Was it opened and saved in a "
                "spreadsheet? Work on a copy, and give the untouched bundle."
            )


def _json(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as problem:
        raise BundleError(f"{name}: not JSON ({problem}). Export the bundle again.") from problem


def _format(data: bytes) -> int:
    """The format a bundle says it has; the newest where the description can't be read, which is told later."""
    try:
        package = json.loads(data)
    except ValueError:
        return READABLE[-1]
    study = package.get("realia") if isinstance(package, dict) else None
    stated = study.get("format") if isinstance(study, dict) else None
    return stated if stated in READABLE else READABLE[-1]


def _study(data: bytes) -> Mapping[str, Any]:
    package = _json(data, "datapackage.json")
    study = package.get("realia") if isinstance(package, dict) else None
    if not isinstance(study, dict) or study.get("format") not in READABLE:
        known = " or ".join(map(str, READABLE))
        raise BundleError(f"datapackage.json: not a bundle of format {known}. Read it with the version that wrote it.")
    return study


def _yaml(data: bytes) -> Mapping[str, Any]:
    try:
        protocol = yaml.safe_load(data)
    except yaml.YAMLError as problem:
        raise BundleError(f"protocol.yaml: {problem}. Export the bundle again.") from problem
    return protocol if isinstance(protocol, dict) else {}


def read_table(table: Table, data: bytes, version: int = READABLE[-1]) -> pd.DataFrame:
    """One CSV of a bundle as a typed frame. Raises BundleError with file, line and column.

    Columns that a bundle of an earlier format doesn't have are there and empty.
    """
    name = f"{table.name}.csv"
    try:
        rows = csv_rows(data, name)
    except ValueError as problem:
        raise BundleError(str(problem)) from problem
    header = rows[0][1] if rows else []
    names = table.names_in(version)
    if tuple(header) != names:
        missing = [column for column in names if column not in header]
        detail = f"column {missing[0]} is missing" if missing else f"the columns are not {', '.join(names)}"
        raise BundleError(f"{name}, line 1: {detail}. Export the bundle again.")
    there = tuple(column for column in table.columns if column.since <= version)
    records = [_record(table, there, name, line, cells) for line, cells in rows[1:]]
    _check_key(table, name, [line for line, _ in rows[1:]], records)
    return frame_of(table, records)


def _record(table: Table, there: Sequence[Column], name: str, line: int, cells: Sequence[str]) -> dict[str, object]:
    if len(cells) != len(there):
        raise BundleError(f"{name}, line {line}: {len(cells)} cells where the header has {len(there)}.")
    record: dict[str, object] = {column.name: "" if column.kind == "string" else None for column in table.columns}
    for column, cell in zip(there, cells, strict=True):
        try:
            record[column.name] = _checked(column, cell)
        except ValueError as problem:
            raise BundleError(f"{name}, line {line}, {column.name}: {problem}.") from problem
    for column in table.columns:
        if column.blanks:
            _check_blank(table, name, line, column.name, record)
    return record


def _checked(column: Column, cell: str) -> object:
    value = cell_value(cell, column.kind)
    if value in (None, ""):
        if column.required:
            raise ValueError("must not be empty")
        return value
    if column.values and value not in column.values:
        raise ValueError(f"{value!r} is not one of {', '.join(column.values)}")
    if column.bounds and isinstance(value, int) and not column.bounds[0] <= value <= column.bounds[1]:
        raise ValueError(f"{value} is not between {column.bounds[0]} and {column.bounds[1]}")
    return value


def _check_blank(table: Table, name: str, line: int, column: str, record: Mapping[str, object]) -> None:
    empty, kind = record[column] in (None, ""), record[f"{column}_blank"]
    if kind and not empty:
        raise BundleError(f"{name}, line {line}, {column}: has a value and the blank {kind}; only one can be true.")
    if table.name == "ratings" and column == "final" and empty and not kind:
        raise BundleError(f"{name}, line {line}, final: empty, and final_blank does not say why.")


def _check_key(table: Table, name: str, lines: Sequence[int], records: Sequence[Mapping[str, object]]) -> None:
    seen: dict[tuple[object, ...], int] = {}
    for line, record in zip(lines, records, strict=True):
        key = tuple(record[column] for column in table.key)
        if key in seen:
            what = ", ".join(f"{column} {value}" for column, value in zip(table.key, key, strict=True))
            raise BundleError(f"{name}, lines {seen[key]} and {line}: {what} stands twice. Nothing is averaged.")
        seen[key] = line


def frame_of(table: Table, records: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Records with every column of the table, typed as the module's docstring says."""
    columns: dict[str, pd.Series[Any]] = {}
    for column in table.columns:
        values = [record[column.name] for record in records]
        if column.kind == "datetime":
            columns[column.name] = pd.Series(values, dtype="datetime64[us, UTC]")
        else:
            columns[column.name] = pd.Series(values, dtype=_DTYPES.get(column.kind, "object"))
    return pd.DataFrame(columns)


def _check_references(frames: Mapping[str, pd.DataFrame]) -> None:
    for table in TABLES.values():
        for column, other, there in table.references:
            known = set(frames[other][there])
            for value in frames[table.name][column]:
                if value not in known:
                    raise BundleError(f"{table.name}.csv: {column} {value} is not in {other}.csv. Export again.")


def _check_sets(frames: Mapping[str, pd.DataFrame]) -> None:
    """A participant is analysed exactly when one of their visits is (M17)."""
    visits = frames["visits"]
    by_visit = set(visits.loc[visits["analysed"].fillna(False), "participant"])
    people = frames["participants"]
    by_person = set(people.loc[people["analysed"].fillna(False), "code"])
    odd = sorted(by_visit ^ by_person)
    if odd:
        raise BundleError(f"participant {odd[0]}: `analysed` differs between participants.csv and visits.csv.")


def _check_visits(visits: pd.DataFrame) -> None:
    """Of one participant at most one visit of a condition (without conditions, of a period) is analysed (P-28)."""
    own = visits[visits["analysed"].fillna(False).astype(bool)]
    told = own["condition"].where(own["condition"] != "", own["period"].astype("string").fillna(""))
    again = own[own.assign(told=told).duplicated(["participant", "arm", "told"])]
    if len(again):
        who, arm = again.iloc[0][["participant", "arm"]]
        raise BundleError(
            f"visits.csv: {who} has two analysed visits to the same part of arm {arm}; which one counts isn't said. "
            "Nothing is averaged."
        )
