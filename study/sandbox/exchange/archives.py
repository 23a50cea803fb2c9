"""Archives of table files: a .zip is unpacked into a folder of its own, within limits."""

from __future__ import annotations

import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.exchange.foreign_sqlite import regular_file
from study.sandbox.orgs import orgs_folder

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
MOST_FILES = 2_000
MOST_BYTES = 4_000_000_000
MOST_RATIO = 250
"""How many times its packed size a file may have: tables of text stay far below."""
_SMALL = 10_000_000
_BLOCK = 1 << 20


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The path itself, or for a .zip a folder with its tables and schema that is gone afterwards."""
    if path.is_dir() or not path.exists() or not _is_archive(path):
        yield path
        return
    with tempfile.TemporaryDirectory(dir=orgs_folder()) as folder:
        unpack(path, Path(folder))
        yield Path(folder)


def _is_archive(path: Path) -> bool:
    regular_file(path)
    with open(path, "rb") as file:
        return file.read(4) in MAGIC


def unpack(path: Path, folder: Path) -> None:
    """Write the CSV and JSON files of an archive flat into a folder. SnapshotError past any limit."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = _wanted(path.name, archive.infolist())
            budget = MOST_BYTES
            for name, entry in entries.items():
                budget -= _unpack(archive, entry, folder / name, budget)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, ValueError) as error:
        raise SnapshotError(f"{path.name} cannot be unpacked: {error}.") from error


def _wanted(archive: str, entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    if len(entries) > MOST_FILES:
        raise SnapshotError(f"{archive} holds {len(entries):,} files; at most {MOST_FILES:,} are read.")
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        inside = PurePosixPath(entry.filename.replace("\\", "/"))
        hidden = inside.name.startswith(".") or "__MACOSX" in inside.parts
        if entry.is_dir() or hidden or inside.suffix.lower() not in {".csv", ".json"}:
            continue
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise SnapshotError(f"{archive} holds a link, {inside.name}. Pack the file itself.")
        if entry.flag_bits & 1:
            raise SnapshotError(f"{archive} is encrypted. Pack it without a password.")
        name = inside.stem + inside.suffix.lower()
        if name.lower() in {other.lower() for other in found}:
            raise SnapshotError(f"{archive} holds two files called {inside.name}.")
        found[name] = entry
    if not any(name.endswith(".csv") for name in found):
        raise SnapshotError(f"{archive} holds no CSV file.")
    return found


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, budget: int) -> int:
    """Bytes written. What the archive says about sizes is not believed; what comes out is counted."""
    allowed = max(_SMALL, entry.compress_size * MOST_RATIO)
    written = 0
    with archive.open(entry) as packed, open(target, "xb") as file:
        while block := packed.read(_BLOCK):
            written += len(block)
            if written > budget:
                raise SnapshotError(f"The archive unpacks to more than {MOST_BYTES // 1_000_000_000} GB.")
            if written > allowed:
                raise SnapshotError(f"{target.name} unpacks to more than {MOST_RATIO} times its size; it is not read.")
            file.write(block)
    return written
