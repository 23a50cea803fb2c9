"""Counts and means by key for all readings of a period, and whether one key leads in all of them.

A period can be read with its first or last day left out, and in any zone of the United States; a question is asked
only if every reading has the same winner. This is a filter on questions: the answers come from the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from study.benchmark.gates import LEAST_IN_A_MEAN, LEAST_OTHERS
from study.benchmark.rules.answer import CLEAR_COUNT, CLEAR_SHARE
from study.generator.instances.periods import Period
from study.generator.instances.source import DAY, midnight

HOUR = 3_600_000
# The clocks of the United States are four to ten hours behind UTC; 0 is the Org's own.
ZONES = (0, 4, 5, 6, 7, 8, 9, 10)
Measure = Literal["count", "mean", "share", "sum"]
Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


class Readings(NamedTuple):
    """All ways to read a period, the plain one first: first moment and the one after the last, and the same as days
    since 1970. ``kinds`` says how each differs."""

    starts: Places
    ends: Places
    firsts: Places
    afters: Places
    kinds: tuple[str, ...]


HOURS = np.repeat(np.array(ZONES, dtype=np.int64), 4)
"""How far behind UTC the clocks of each reading are."""
_LATE = np.tile(np.array([0, 1, 0, 1], dtype=np.int64), len(ZONES))
_EARLY = np.tile(np.array([0, 0, 1, 1], dtype=np.int64), len(ZONES))
_KINDS = tuple("" if not place else "ends" if place < 4 else "zone" for place in range(len(HOURS)))


@lru_cache(maxsize=20_000)
def readings(period: Period) -> Readings:
    found = period.window
    firsts = midnight(found.first) // DAY + _LATE
    afters = midnight(found.end) // DAY - _EARLY
    return Readings(firsts * DAY + HOURS * HOUR, afters * DAY + HOURS * HOUR, firsts, afters, _KINDS)


Span = tuple[int, int]
Rows = list[tuple[str, tuple[Span, ...]]]
"""For each reading that differs from the others its kind ("", ends, zone) and the spans of places it takes."""


@dataclass
class Timed:
    """Things that happened, in order of time, each with the place of its key and a value. ``dated`` ones have a day
    instead of a moment: no zone moves them."""

    at: Places
    key: Places
    value: Numbers
    dated: bool = False

    @classmethod
    def of(
        cls, at: Sequence[int], key: Sequence[int], value: Sequence[float] | None = None, *, dated: bool = False
    ) -> Timed:
        order = np.argsort(np.array(at, dtype=np.int64), kind="stable")
        values = np.ones(len(at)) if value is None else np.array(value, dtype=np.float64)
        return cls(np.array(at, np.int64)[order], np.array(key, np.int64)[order], values[order], dated)

    def spans(self, period: Period) -> list[Span]:
        """The places each reading of the period takes."""
        read = readings(period)
        first = self.at.searchsorted(read.firsts if self.dated else read.starts)
        after = self.at.searchsorted(read.afters if self.dated else read.ends)
        return list(zip(first.tolist(), np.maximum(first, after).tolist(), strict=True))


def rows(period: Period, *timed: Timed) -> Rows:
    """The readings of a period over some things, those that come to the same left out."""
    found: dict[tuple[Span, ...], str] = {}
    for kind, *spans in zip(_KINDS, *(one.spans(period) for one in timed), strict=True):
        found.setdefault(tuple(spans), kind)
    return [(kind, spans) for spans, kind in found.items()]


@dataclass
class Board:
    """For each reading and key a value and the number of things behind it; none behind it: does not take part."""

    values: Numbers
    behind: Places
    kinds: list[str]

    def only(self, eligible: NDArray[np.bool_]) -> Board:
        return Board(self.values, np.where(eligible, self.behind, 0), self.kinds)

    @property
    def silent(self) -> bool:
        """Whether nobody takes part however the period is read."""
        return not self.behind.any()

    def beside(self, other: Board) -> Board:
        """With the readings of another board behind those of this one."""
        return Board(
            np.vstack((self.values, other.values)), np.vstack((self.behind, other.behind)), self.kinds + other.kinds
        )


class Verdict(NamedTuple):
    """The place of the winner, or why there is none."""

    winner: int | None
    reason: str = ""


def counts(timed: Timed, keys: int, found: Rows, which: int = 0) -> Board:
    """Things per key in each reading; ``which`` of the spans is that of ``timed``."""
    parts = [np.bincount(timed.key[slice(*spans[which])], minlength=keys) for _kind, spans in found]
    behind = np.array(parts, dtype=np.int64).reshape(len(found), keys)
    return Board(behind.astype(np.float64), behind, [kind for kind, _spans in found])


def totals(timed: Timed, keys: int, found: Rows, which: int = 0) -> Board:
    """Sums of values per key in each reading."""
    board = counts(timed, keys, found, which)
    for row, (_kind, spans) in enumerate(found):
        part = slice(*spans[which])
        board.values[row] = np.bincount(timed.key[part], weights=timed.value[part], minlength=keys)
    return board


def means(timed: Timed, keys: int, found: Rows, which: int = 0) -> Board:
    board = totals(timed, keys, found, which)
    return Board(board.values / np.maximum(board.behind, 1), board.behind, board.kinds)


def verdict(board: Board, *, highest: bool, measure: Measure, others: int = LEAST_OTHERS) -> Verdict:
    """The winner of every reading of the board, whose first row is the plain one, and who beats so many others."""
    first = _leader(board.values[0], board.behind[0], highest, measure)
    if first.winner is None:
        return first
    if np.count_nonzero(board.behind[0]) < 1 + others:
        return Verdict(None, "distractors")
    for row in range(1, len(board.kinds)):
        if _leader(board.values[row], board.behind[row], highest, measure).winner != first.winner:
            return Verdict(None, board.kinds[row])
    return first


def _leader(values: Numbers, behind: Places, highest: bool, measure: Measure) -> Verdict:
    part = np.flatnonzero(behind)
    if len(part) < 2:
        return Verdict(None, "alone" if len(part) else "nobody")
    scores = values[part] if highest else -values[part]
    best = int(np.argmax(scores))
    top = scores[best]
    scores[best] = -np.inf
    second = float(np.max(scores))
    gap, smaller = float(top) - second, min(abs(float(top)), abs(second))
    clear = gap >= CLEAR_COUNT if measure == "count" else gap > 0 and gap >= CLEAR_SHARE * smaller
    if not clear:
        return Verdict(None, "margin")
    # A mean of one or two things is an accident, however far ahead it is.
    if measure in ("mean", "share") and behind[part[best]] < LEAST_IN_A_MEAN:
        return Verdict(None, "few")
    return Verdict(int(part[best]))


@dataclass
class Refusals:
    """How many candidates each gate turned away, by task."""

    by_task: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, task: str, reason: str) -> None:
        self.by_task.setdefault(task, Counter())[reason] += 1

    def lines(self) -> list[str]:
        """ "refused: handle_time margin 41, window ends 12"."""
        return [
            f"refused: {task} " + ", ".join(f"{REASONS.get(reason, reason)} {n}" for reason, n in counted.most_common())
            for task, counted in sorted(self.by_task.items())
        ]


REASONS: Mapping[str, str] = {
    "ends": "window ends",
    "alone": "nobody to beat",
    "nobody": "no candidate",
    "rule": "rule says otherwise",
    "told": "answer in the question",
    "opened": "too many records to open",
    "near": "another purchase near the day",
}


def days(values: Sequence[str | None]) -> list[int]:
    """Dates as texts in days since 1970; missing ones long before any period."""
    return [date.fromisoformat(value[:10]).toordinal() - 719_163 if value else -10_000_000 for value in values]
