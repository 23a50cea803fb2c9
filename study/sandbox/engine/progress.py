"""How far the writing of an Org is, in one line: how much of it, which stage, how long it may still take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from study.sandbox.engine.snapshot_write import STAGES

# Parts of the whole time, as measured with half a million and five million records.
_WEIGHTS = dict(zip(STAGES, (0.48, 0.11, 0.21, 0.13, 0.07), strict=True))
_WORDS = {
    "read": "rows read",
    "made": "records made",
    "rows": "records written",
    "index": "indexes",
    "words": "words for search",
    "hash": "hash of the content",
    "check": "check of the file",
}
_OFTEN, _SELDOM = 0.2, 5.0
_WIDTH = 79


class Output(Protocol):
    """Where the line goes: a command's stdout."""

    def write(self, msg: str, /, *, ending: str | None = None) -> object: ...

    def isatty(self) -> bool: ...


class ProgressLine:
    """A ``Progress`` that keeps one line up to date on a terminal and writes one every few seconds elsewhere."""

    def __init__(self, output: Output, clock: Callable[[], float] = time.monotonic) -> None:
        self._output = output
        self._clock = clock
        self._began = self._told = clock()
        self._terminal = output.isatty()
        self._open = False

    def __call__(self, done: int, total: int | None, stage: str) -> None:
        now = self._clock()
        if now - self._told < (_OFTEN if self._terminal else _SELDOM):
            return
        self._told = now
        line = self.line(done, total, stage, now - self._began)
        if self._terminal:
            self._output.write("\r" + line.ljust(_WIDTH)[:_WIDTH], ending="")
            self._open = True
        else:
            self._output.write(line, ending="\n")

    def line(self, done: int, total: int | None, stage: str, seconds: float) -> str:
        """``42 %, records written: 2,100,000 of 5,000,000, about 2 min left``"""
        what = _WORDS.get(stage, stage)
        if not total:
            return f"{what}: {done:,}"
        said = f"{_share(done, total, stage):.0%}".replace("%", " %")
        counted = f": {done:,} of {total:,}" if stage != "check" else ""
        left = time_left(done, total, stage, seconds)
        return f"{said}, {what}{counted}" + (f", {left}" if left else "")

    def close(self) -> None:
        """End the line on a terminal."""
        if self._open:
            self._output.write("\r" + " " * _WIDTH + "\r", ending="")
            self._open = False


def time_left(done: int, total: int | None, stage: str, seconds: float) -> str:
    """``about 2 min left``, after so many seconds; empty while nobody can tell."""
    share = _share(done, total, stage) if total else 0.0
    return f"about {_time(seconds * (1 - share) / share)} left" if share > 0.01 and seconds > 1 else ""


def _share(done: int, total: int, stage: str) -> float:
    """How much of the whole is done, 0 to 1."""
    before = sum(_WEIGHTS[one] for one in STAGES[: STAGES.index(stage)]) if stage in STAGES else 0.0
    return min(0.999, before + _WEIGHTS.get(stage, 1.0) * min(1.0, done / total))


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min"
