"""Where branches wait on disk until they are written: one file per object and branch, and one of facts."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from study.generator.groundwork.facts import Fact, write_facts
from study.generator.groundwork.things import Row

_BLOCK = 2_000


@dataclass(frozen=True)
class Spool:
    """A folder of our own making: nothing in it comes from elsewhere, and it is gone when the Org is written."""

    folder: Path

    def _file(self, what: str, number: int) -> Path:
        return self.folder / f"{number:05d}-{what}"

    def put(self, number: int, tables: dict[str, list[Row]], facts: Iterable[Fact]) -> None:
        """Store a branch. Its tables are taken apart on the way, so that it is not in memory twice."""
        for name in sorted(tables):
            with self._file(name, number).open("wb") as file:
                rows = iter(tables[name])
                while block := list(islice(rows, _BLOCK)):
                    pickle.dump(block, file, protocol=5)
            tables[name] = []
        write_facts(self._file("facts", number), facts)

    def rows(self, name: str, numbers: Sequence[int]) -> Iterator[Row]:
        """The records of an object, branch after branch; each can be read once."""
        for number in numbers:
            path = self._file(name, number)
            if not path.exists():
                continue
            with path.open("rb") as file:
                while True:
                    try:
                        yield from pickle.load(file)  # noqa: S301 - written by put
                    except EOFError:
                        break
            path.unlink()

    def append_facts(self, path: Path, numbers: Sequence[int]) -> None:
        """The facts of branches, in order, at the end of a truth file."""
        with path.open("ab") as out:
            for number in numbers:
                with self._file("facts", number).open("rb") as file:
                    shutil.copyfileobj(file, out, 1 << 20)
