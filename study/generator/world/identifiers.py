"""Record Ids and running numbers, in the order records came into being and with the gaps of a used system."""

from __future__ import annotations

from study.generator.world.draw import Draw
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.published import KEY_PREFIXES


class Ids:
    """The Ids of one object."""

    def __init__(self, seed: int, object_name: str) -> None:
        self._draw = Draw(seed, f"ids {object_name}")
        self._prefix = KEY_PREFIXES[object_name]
        self._n = self._draw.whole(200_000, 900_000)

    def next(self) -> str:
        self._n += self._draw.whole(1, 6)
        return make_id(self._prefix, self._n)


def foreign_id(draw: Draw, prefix: str) -> str:
    """The Id of a record outside the Org, such as a record type."""
    return make_id(prefix, draw.whole(1_000, 90_000))
