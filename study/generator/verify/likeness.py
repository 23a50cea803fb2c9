"""Texts that are nearly the same: MinHash over three-word shingles, found by bands, settled exactly.

Texts whose sets of shingles have a Jaccard similarity of 0.6 share one of 20 bands of three with a probability of
0.99; every such pair is then compared exactly, so nothing is called alike that is not.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

SIMILAR = 0.6
_BANDS, _ROWS = 20, 3
_COMPARED = 12
"""Earlier texts of a band that a text is compared with; in a crowd of likes one of the last is near enough."""

Array = npt.NDArray[np.uint64]


def _odd(n: int, salt: int) -> Array:
    state, found = (0x9E3779B97F4A7C15 * salt) % 2**64, []
    for _ in range(n):
        # splitmix64: fixed numbers that look like chance, the same on every machine.
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) % 2**64
        found.append(mixed | 1)
    return np.array(found, dtype=np.uint64)


_FACTORS = _odd(_BANDS * _ROWS, 1)[:, None]
_BAND_FACTORS = _odd(_ROWS, 2)


class Likeness:
    """Texts of one field, one after the other; ``alike`` holds those that have one nearly the same."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.alike: dict[str, str] = {}
        self._shingles: list[Array] = []
        self._bands: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(_BANDS)]
        self._codes: dict[str, int] = {}

    def add(self, record_id: str, words: Sequence[str]) -> None:
        """A text by its words; one of fewer than three has nothing to compare."""
        shingles = self._set_of(words)
        if not len(shingles):
            return
        place = len(self.ids)
        self.ids.append(record_id)
        self._shingles.append(shingles)
        least = ((_FACTORS * shingles[None, :]) >> np.uint64(32)).min(axis=1).reshape(_BANDS, _ROWS)
        keys = (least * _BAND_FACTORS).sum(axis=1).tolist()
        met: set[int] = set()
        for band, key in zip(self._bands, keys, strict=True):
            fellows = band[key]
            for other in fellows[-_COMPARED:]:
                if other not in met and (record_id not in self.alike or self.ids[other] not in self.alike):
                    met.add(other)
                    self._compare(place, other)
            fellows.append(place)

    def _compare(self, place: int, other: int) -> None:
        if similarity(self._shingles[place], self._shingles[other]) >= SIMILAR:
            self.alike.setdefault(self.ids[place], self.ids[other])
            self.alike.setdefault(self.ids[other], self.ids[place])

    def _set_of(self, words: Sequence[str]) -> Array:
        known = self._codes
        codes = [known.get(word) or known.setdefault(word, zlib.crc32(word.encode()) + 1) for word in words]
        row = np.array(codes, dtype=np.uint64)
        if len(row) < 3:
            return row[:0]
        mixed = (row[:-2] * np.uint64(0x9E3779B97F4A7C15)) ^ (row[1:-1] * np.uint64(0xC2B2AE3D27D4EB4F))
        mixed = (mixed + row[2:]) * np.uint64(0x165667B19E3779F9)
        return np.unique(mixed ^ (mixed >> np.uint64(29)))


def similarity(one: Array, other: Array) -> float:
    """Jaccard: shared shingles among all of both."""
    if min(len(one), len(other)) < SIMILAR * max(len(one), len(other)):
        return 0.0
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared)
