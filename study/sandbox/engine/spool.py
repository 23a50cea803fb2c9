"""Records set aside on disk while the rest of their Org is read: many of them take no memory.

The file has no name, so nothing of it is left behind however the program ends.
"""

from __future__ import annotations

import pickle
import tempfile
import weakref
from collections.abc import Iterator
from typing import Any

_BATCH = 1_000


class Spool:
    """Numbered records of one table: put in once, then read as often as needed."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the spool
        weakref.finalize(self, self._file.close)
        self._held: list[tuple[int, dict[str, Any]]] = []
        self._count = 0

    def add(self, number: int, record: dict[str, Any]) -> None:
        """A record and the number of its row in the input."""
        self._held.append((number, record))
        self._count += 1
        if len(self._held) >= _BATCH:
            self._put_away()

    def _put_away(self) -> None:
        self._file.seek(0, 2)
        pickle.dump(self._held, self._file, pickle.HIGHEST_PROTOCOL)
        self._held = []

    def numbered(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(number of its row, record), in the order they came."""
        if self._held:
            self._put_away()
        end, place = self._file.seek(0, 2), 0
        while place < end:
            # Another reading may have moved on in the file meanwhile.
            self._file.seek(place)
            batch = pickle.load(self._file)  # noqa: S301 - this program's own file, which nobody else can open
            place = self._file.tell()
            yield from batch

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (record for _number, record in self.numbered())

    def __len__(self) -> int:
        return self._count
