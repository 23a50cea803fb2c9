"""Reproducible chance: one stream per part of the world, so that a change in one leaves the others alone.

Only methods of numpy's Generator are used, and numbers are rounded to the grid they are stored on before anything
is decided by them: vectorised exp, log and power differ in the last bit between processors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Draw:
    """A stream of chance named after what it is for."""

    def __init__(self, seed: int, purpose: str) -> None:
        entropy = [seed, *purpose.encode()]
        self._numbers = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))

    def share(self) -> float:
        """Uniform in [0, 1)."""
        return float(self._numbers.random())

    def chance(self, probability: float) -> bool:
        return self.share() < probability

    def whole(self, low: int, high: int) -> int:
        """Uniform whole number, both ends included."""
        return int(self._numbers.integers(low, high + 1))

    def pick(self, items: Sequence[T]) -> T:
        return items[self.whole(0, len(items) - 1)]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One item, by weights that need not sum to one. ValueError if all are zero."""
        sums = list(accumulate(weights))
        if not sums or sums[-1] <= 0:
            raise ValueError("Nothing can be drawn: every weight is zero.")
        return items[min(bisect_right(sums, self.share() * sums[-1]), len(items) - 1)]

    def lognormal(self, sigma: float) -> float:
        """A factor with median 1, on a grid of a thousandth."""
        return round(float(self._numbers.lognormal(0.0, sigma)), 3)

    def geometric(self, p: float) -> int:
        """1, 2, 3, …"""
        return int(self._numbers.geometric(p))

    def some(self, items: Sequence[T], n: int) -> list[T]:
        """``n`` different items in random order."""
        places = [int(i) for i in self._numbers.permutation(len(items))]
        return [items[i] for i in places[:n]]


def zipf_weights(n: int, exponent: float) -> list[float]:
    """Weights 1/rank^exponent on a grid of a millionth: few do much, many do little."""
    return [round((rank + 1) ** -exponent, 6) for rank in range(n)]
