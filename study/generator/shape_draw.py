"""Chance by the thousand: columns of values for rows of the right shape and skew.

Only methods of numpy's Generator, whole numbers and products are used: they are the
same on every machine, which vectorised exp, log and power are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]

TODAY = date(2024, 6, 30)
DAYS = 4 * 365 + 1
DAY_MS = 86_400_000
FIRST_DAY = TODAY - timedelta(days=DAYS - 1)
_FIRST_MS = (FIRST_DAY - date(1970, 1, 1)).days * DAY_MS
# Five working days for one at the weekend (Monday first); within a day two peaks, by the hour.
_WEEK = (6, 6, 6, 5, 5, 1, 1)
_HOURS = (1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 18, 14, 10, 14, 18, 18, 14, 9, 6, 5, 4, 3, 2, 1)
_SYLLABLES = (
    "ba", "ren", "to", "li", "mor", "ka", "den", "su", "vel", "ni", "par", "go", "tas", "fe", "rum", "hal", "wi",
    "con", "de", "ster",
)  # fmt: skip
_ACCENTED = ("Álva", "Bjørn", "Łuka", "Zoé", "O'Ren", "Müko")
WORDS = 6_000


def _word(number: int) -> str:
    """The n-th word: two or three syllables, all different."""
    base = len(_SYLLABLES)
    first, second, third = number % base, number // base % base, number // base // base
    return _SYLLABLES[first] + _SYLLABLES[second] + (_SYLLABLES[third - 1] if third else "")


VOCABULARY: tuple[str, ...] = tuple(_word(number) for number in range(WORDS))
NAMES: tuple[str, ...] = tuple(
    _ACCENTED[n % 6] + VOCABULARY[n] if n % 29 == 0 else VOCABULARY[n * 7].capitalize() for n in range(800)
)


def pool(weights: Sequence[int]) -> Whole:
    """Places of a list, each as often as its weight: drawing one of them evenly is drawing by weight."""
    return np.repeat(np.arange(len(weights)), weights)


_DAY_POOL = pool([_WEEK[(FIRST_DAY + timedelta(days=n)).weekday()] for n in range(DAYS)])
_HOUR_POOL = pool(_HOURS)


class ShapeDraw:
    """A stream of chance for one object; every method gives a column of ``size`` values."""

    def __init__(self, seed: int, purpose: str) -> None:
        entropy = [seed, *purpose.encode()]
        self.numbers = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))

    def whole(self, low: int, high: int, size: int) -> Whole:
        """Even whole numbers, both ends included."""
        return self.numbers.integers(low, high + 1, size)

    def skewed(self, n: int, size: int) -> Whole:
        """Places below ``n``, few of them often and most of them seldom (a power law of about -2/3), scattered."""
        share = self.numbers.random(size)
        rank = (share * share * share * n).astype(np.int64)
        step = next(step for step in range(max(1, n * 5 // 13), n + 2) if gcd(step, n) == 1)
        return rank * step % n

    def of(self, items: Sequence[Any], size: int) -> list[Any]:
        """Items of a long list, skewed."""
        return [items[place] for place in self.skewed(len(items), size).tolist()]

    def weighted(self, items: Sequence[Any], weights: Sequence[int], size: int) -> list[Any]:
        places = pool(weights)
        return [items[place] for place in places[self.whole(0, len(places) - 1, size)].tolist()]

    def holes(self, values: list[Any], share: float) -> list[Any]:
        """The values with a share of them missing."""
        if not share:
            return values
        missing = (self.numbers.random(len(values)) < share).tolist()
        return [None if gone else value for gone, value in zip(missing, values, strict=True)]

    def moments(self, size: int) -> Whole:
        """Milliseconds since 1970 within the four years, by the pattern of week and day."""
        days = _DAY_POOL[self.whole(0, len(_DAY_POOL) - 1, size)]
        hours = _HOUR_POOL[self.whole(0, len(_HOUR_POOL) - 1, size)]
        return _FIRST_MS + days * DAY_MS + hours * 3_600_000 + self.whole(0, 3_599, size) * 1_000

    def durations(self, median_hours: float, sigma: float, size: int) -> Whole:
        """Lognormal times in whole seconds, given in milliseconds."""
        factor = np.rint(self.numbers.lognormal(0.0, sigma, size) * 1_000)
        return (np.minimum(factor, 500_000) * (median_hours * 3.6)).astype(np.int64) * 1_000

    def texts(self, low: int, high: int, size: int) -> list[str]:
        """Texts of ``low`` to ``high`` words, common words being much more common than rare ones."""
        lengths = self.whole(low, high, size)
        words = self.skewed(WORDS, int(lengths.sum())).tolist()
        found, start = [], 0
        for length in lengths.tolist():
            text = " ".join([VOCABULARY[word] for word in words[start : start + length]])
            found.append(text[0].upper() + text[1:])
            start += length
        return found

    def money(self, low: int, high: int, size: int) -> list[float]:
        """Prices in cents, more low than high ones."""
        share = self.numbers.random(size)
        cents = (low + share * share * (high - low)).astype(np.int64) * 100 - 1
        return [cent / 100 for cent in cents.tolist()]


def as_moments(milliseconds: Whole) -> list[datetime]:
    return [moment.replace(tzinfo=UTC) for moment in milliseconds.astype("datetime64[ms]").tolist()]


def as_days(milliseconds: Whole) -> list[date]:
    days: list[date] = (milliseconds // DAY_MS).astype("datetime64[D]").tolist()
    return days
