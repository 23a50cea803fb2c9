"""What a pull has got so far, in a folder: descriptions, records line by line, and how far each object is.

A line is written before the state that counts it; what stands behind the counted bytes
is cut off when the pull goes on. No credential is ever here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.exchange.table_files import RawTable, Row

_FORMAT = "realia-pull"
_STATE, _DESCRIBED = "state.json", "described.json"


@dataclass
class Progress:
    """How far one object is. ``job`` and ``locator`` stand for a bulk query that is under way."""

    rows: int = 0
    bytes: int = 0
    last_id: str = ""
    job: str = ""
    locator: str = ""
    done: bool = False
    dropped: list[str] = field(default_factory=list)


class PullState:
    """The folder of one pull."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects: dict[str, Progress] = {}
        self.about: dict[str, Any] = {}

    @classmethod
    def opened(cls, folder: Path) -> PullState:
        """A new state, or the one that the folder holds. SnapshotError if it holds something else."""
        state = cls(folder)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / _STATE
        if not file.exists():
            if any(folder.iterdir()):
                raise SnapshotError(f"{folder} holds other files. Name an empty folder, or that of an earlier pull.")
            return state
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if data["format"] != _FORMAT:
                raise ValueError("it is of another kind")
            state.about = dict(data["about"])
            state.objects = {name: Progress(**one) for name, one in data["objects"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise SnapshotError(
                f"{file} is not the state of a pull: {error}. Delete the folder to begin anew."
            ) from error
        return state

    @property
    def begun(self) -> bool:
        return bool(self.about)

    def begin(self, about: dict[str, Any], described: list[dict[str, Any]]) -> None:
        self.about = about
        self.objects = {str(item["name"]): Progress() for item in described}
        self._write(_DESCRIBED, described)
        self.save()

    def described(self) -> list[dict[str, Any]]:
        try:
            found: list[dict[str, Any]] = json.loads((self.folder / _DESCRIBED).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SnapshotError(f"{self.folder} is damaged: {error}. Delete the folder to begin anew.") from error
        return found

    def save(self) -> None:
        objects = {name: asdict(progress) for name, progress in self.objects.items()}
        self._write(_STATE, {"format": _FORMAT, "version": 1, "about": self.about, "objects": objects})

    def _write(self, name: str, data: object) -> None:
        beside = self.folder / f"{name}.part"
        with open(beside, "w", encoding="utf-8", opener=_private) as file:
            json.dump(data, file, ensure_ascii=False, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.folder / name)

    def add(self, name: str, rows: Iterable[dict[str, str]]) -> None:
        """Append one page and count it."""
        progress = self.objects[name]
        with open(self._file(name), "ab", opener=_private) as file:
            file.truncate(progress.bytes)
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
                progress.rows += 1
                progress.last_id = row.get("Id", progress.last_id)
            file.flush()
            os.fsync(file.fileno())
            progress.bytes = file.tell()
        self.save()

    def forget(self, name: str) -> None:
        """Begin an object anew, keeping what is known about fields that are gone."""
        self.objects[name] = Progress(dropped=self.objects[name].dropped)
        self.save()

    def table(self, name: str, columns: tuple[str, ...]) -> RawTable:
        return RawTable(name, columns, self._rows(name, columns))

    def _rows(self, name: str, columns: tuple[str, ...]) -> Iterator[tuple[int, Row]]:
        progress, file = self.objects[name], self._file(name)
        if not progress.rows:
            return
        with open(file, encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 2):
                if number - 2 >= progress.rows:
                    return
                row = json.loads(line)
                yield number, {column: row.get(column) for column in columns}

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"


def _private(path: str, flags: int) -> int:
    """Real records may lie here: nobody else on the machine reads them."""
    return os.open(path, flags, 0o600)
