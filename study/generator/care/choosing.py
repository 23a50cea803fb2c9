"""Choosing so many of a list by weights, and days within a stretch of a calendar."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import accumulate

from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw


def chosen(draw: Draw, weights: Sequence[float], n: int) -> list[int]:
    """``n`` different places by weight, in the order of places; those of weight zero only if the others run out."""
    n = min(n, len(weights))
    taken = [False] * len(weights)
    if n <= 0:
        return []
    if n == len(weights):
        return list(range(n))
    sums = list(accumulate(weights))
    count = 0
    if sums[-1] > 0:
        for _ in range(12 * n + 50):
            place = min(bisect_right(sums, draw.share() * sums[-1]), len(weights) - 1)
            if not taken[place]:
                taken[place] = True
                count += 1
                if count == n:
                    break
    if count < n:
        rest = [place for place in range(len(weights)) if not taken[place]]
        rest.sort(key=lambda place: (-weights[place], place))
        for place in rest[: n - count]:
            taken[place] = True
    return [place for place in range(len(weights)) if taken[place]]


class Days:
    """The days of a world with running sums of their weights, drawn from as a whole or in part."""

    def __init__(self, calendar: Calendar, seasons: Sequence[float] | None = None, *, weekend: float = 1.0) -> None:
        self.span = calendar.days()
        sums = calendar.sums(self.span, seasons)
        self.first = self.span[0]
        weights = [
            round((b - a) * (weekend if day.weekday() > 4 else 1.0), 6)
            for day, a, b in zip(self.span, [0.0, *sums], sums, strict=False)
        ]
        self.sums = list(accumulate(weights))
        top = max(weights)
        self.relative = [round(weight / top, 6) for weight in weights]

    def weight(self, day: date) -> float:
        """Between 0 and 1, relative to the busiest day; 0 outside the world's time."""
        place = (day - self.first).days
        return self.relative[place] if 0 <= place < len(self.relative) else 0.0

    def between(self, draw: Draw, first: date, last: date) -> date:
        """A day by its weight, both ends included; the last day where nothing has any weight."""
        low = max(0, (first - self.first).days)
        high = min(len(self.span) - 1, (last - self.first).days)
        if high <= low:
            return self.span[min(max(high, 0), len(self.span) - 1)]
        begin = self.sums[low - 1] if low else 0.0
        room = self.sums[high] - begin
        if room <= 0:
            return self.span[high]
        place = bisect_right(self.sums, begin + draw.share() * room)
        return self.span[min(max(place, low), high)]


def after(day: date, n: int) -> date:
    return day + timedelta(days=n)
