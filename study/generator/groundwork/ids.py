"""Record Ids, in the order records came into being and with the gaps of a used system."""

from __future__ import annotations

from study.generator.groundwork.draw import Draw
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.published import KEY_PREFIXES

# No branch of a world has more records of one object than this, gaps included.
_BRANCH = 500_000


class Ids:
    """The Ids of one object in one branch."""

    def __init__(self, seed: int, object_name: str, *, branch: int = 0) -> None:
        start = Draw(seed, f"ids {object_name}").whole(200_000, 900_000)
        self._draw = Draw(seed, f"ids {object_name} {branch}")
        self._prefix = KEY_PREFIXES[object_name]
        self._n = start + branch * _BRANCH

    def next(self) -> str:
        self._n += self._draw.whole(1, 6)
        return make_id(self._prefix, self._n)


def foreign_id(draw: Draw, prefix: str) -> str:
    """The Id of a record outside the Org, such as a record type."""
    return make_id(prefix, draw.whole(1_000, 90_000))
