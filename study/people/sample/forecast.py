"""When a cohort will be finished, from the pace so far: a range, never one day. No database here.

Usable people complete at random moments of an unknown, steady pace: *k* of them in the time *T* since the opening. What
is still open needs *r* more. Then the time until the r-th divided by T follows a beta prime distribution with r and k
(the pace is a gamma variable of shape k and rate T; the wait for r more is a gamma variable of shape r and that pace).
The range holds 80 of 100 cohorts whose pace stays as it was; a pause, a new channel or a holiday is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

FEWEST = 5
"""Below so many completions nothing is said."""
INSIDE = 0.8
SHORTEST = timedelta(days=1)
"""A pace of the first hours says nothing about weeks."""
LONGEST = timedelta(days=3650)


@dataclass(frozen=True)
class Forecast:
    """``early``, ``middle`` and ``late`` are empty when nothing can be said, or when nothing is open any more."""

    done: int
    open: int
    per_week: float | None = None
    early: datetime | None = None
    middle: datetime | None = None
    late: datetime | None = None
    young: bool = False

    @property
    def too_early(self) -> bool:
        return self.open > 0 and (self.young or self.done < FEWEST)

    @property
    def missing(self) -> int:
        """How many completions are missing until something can be said."""
        return max(0, FEWEST - self.done)


def waits(open_: int, done: int, so_far: timedelta, shares: tuple[float, ...]) -> list[timedelta]:
    """Quantiles of the time until ``open_`` more have completed; ``LONGEST`` at most."""
    from scipy.special import betaincinv

    found = []
    for share in shares:
        x = float(betaincinv(open_, done, share))
        seconds = so_far.total_seconds() * x / (1 - x) if x < 1 else float("inf")
        found.append(min(LONGEST, timedelta(seconds=min(seconds, LONGEST.total_seconds()))))
    return found


def forecast(done: int, *, target: int, opened: datetime, now: datetime) -> Forecast:
    """The range in which the ``target``-th usable person will have completed."""
    still = max(0, target - done)
    so_far = now - opened
    if done < FEWEST or so_far < SHORTEST:
        return Forecast(done, still, young=so_far < SHORTEST)
    pace = done / (so_far / timedelta(weeks=1))
    if not still:
        return Forecast(done, 0, pace)
    tail = (1 - INSIDE) / 2
    early, middle, late = (now + wait for wait in waits(still, done, so_far, (tail, 0.5, 1 - tail)))
    return Forecast(done, still, pace, early, middle, late)
