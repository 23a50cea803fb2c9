"""Reproducible chance: one stream per part of the world, so that a change in one leaves the others alone.

Only methods of numpy's Generator are used, and numbers are rounded to the grid they are stored on before anything
is decided by them: vectorised exp, log and power differ in the last bit between processors. Uniform numbers are
taken from the generator in blocks, because a world asks for millions of them one at a time.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

import numpy as np

T = TypeVar("T")
_BLOCK = 256


class Draw:
    """A stream of chance named after what it is for."""

    def __init__(self, seed: int, purpose: str) -> None:
        digest = hashlib.sha256(f"{seed} {purpose}".encode()).digest()
        self._numbers = np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))
        self._next = self._uniform().__next__

    def _uniform(self) -> Iterator[float]:
        while True:
            yield from self._numbers.random(_BLOCK).tolist()

    def share(self) -> float:
        """Uniform in [0, 1)."""
        return self._next()

    def chance(self, probability: float) -> bool:
        return self._next() < probability

    def whole(self, low: int, high: int) -> int:
        """Uniform whole number, both ends included."""
        return low + int(self._next() * (high - low + 1))

    def between(self, low: float, high: float, digits: int = 2) -> float:
        """Uniform, rounded to ``digits``."""
        return round(low + (high - low) * self._next(), digits)

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._next() * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One item, by weights that need not sum to one. ValueError if all are zero."""
        return self.summed(items, list(accumulate(weights)))

    def summed(self, items: Sequence[T], sums: Sequence[float]) -> T:
        """One item, by running sums of its weights: for lists drawn from many times. ValueError if all are zero."""
        if not sums or sums[-1] <= 0:
            raise ValueError("Nothing can be drawn: every weight is zero.")
        return items[min(bisect_right(sums, self._next() * sums[-1]), len(items) - 1)]

    def lognormal(self, sigma: float) -> float:
        """A factor with median 1, on a grid of a thousandth."""
        return round(float(self._numbers.lognormal(0.0, sigma)), 3)

    def normal(self, mean: float, deviation: float) -> float:
        """Normal, on a grid of a thousandth."""
        return round(float(self._numbers.normal(mean, deviation)), 3)

    def geometric(self, p: float) -> int:
        """1, 2, 3, …"""
        n = 1
        while self._next() >= p and n < 1000:
            n += 1
        return n

    def some(self, items: Sequence[T], n: int) -> list[T]:
        """``n`` different items in random order."""
        rest = list(items)
        for place in range(min(n, len(rest))):
            other = place + int(self._next() * (len(rest) - place))
            rest[place], rest[other] = rest[other], rest[place]
        return rest[:n]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.some(items, len(items))


def zipf_weights(n: int, exponent: float) -> list[float]:
    """Weights 1/rank^exponent on a grid of a millionth: few do much, many do little."""
    return [round((rank + 1) ** -exponent, 6) for rank in range(n)]


def apportioned(total: int, weights: Sequence[float], *, least: int = 0, most: int | None = None) -> list[int]:
    """Whole numbers that sum to exactly ``total``, as near to proportional as ``least`` and ``most`` each allow.

    Largest remainders get what rounding leaves; equal ones go by place. ValueError where the total cannot be met.
    """
    n = len(weights)
    top = total if most is None else most
    if not least * n <= total <= top * n:
        raise ValueError(f"{total} cannot be shared out among {n} with {least} to {top} each.")
    shares = [least] * n
    left = total - least * n
    while left:
        open_places = [place for place in range(n) if shares[place] < top]
        weight = sum(weights[place] for place in open_places)
        wanted = [(left * weights[place] / weight if weight else left / len(open_places)) for place in open_places]
        given = 0
        for place, want in zip(open_places, wanted, strict=True):
            more = min(int(want), top - shares[place])
            shares[place] += more
            given += more
        if not given:
            order = sorted(range(len(open_places)), key=lambda at: (-round(wanted[at] % 1, 9), at))
            for at in order[:left]:
                shares[open_places[at]] += 1
            given = min(left, len(order))
        left -= given
    return shares
