"""Who is there on which day: looked up by stretches of time between comings and goings, not person by person."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date
from itertools import accumulate

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.things import Member

Weight = Callable[[Member, str], float]


class Roster:
    """Members by day, drawn by weights that depend on a member and on what they are needed for (``purpose``)."""

    def __init__(self, members: Sequence[Member], weight: Weight) -> None:
        self.members, self._weight = list(members), weight
        changes = [m.since for m in members] + [m.until for m in members if m.until is not None]
        self._changes = sorted(dict.fromkeys(changes))
        self._there: dict[int, list[Member]] = {}
        self._sums: dict[tuple[int, str], list[float]] = {}

    def there(self, day: date) -> list[Member]:
        """Who works on a day."""
        return self._at(bisect_right(self._changes, day), day)

    def _at(self, place: int, day: date) -> list[Member]:
        found = self._there.get(place)
        if found is None:
            found = self._there[place] = [member for member in self.members if member.works_on(day)]
        return found

    def one(self, draw: Draw, day: date, purpose: str) -> Member | None:
        """One of those who work on a day; None if nobody does."""
        place = bisect_right(self._changes, day)
        there = self._at(place, day)
        if not there:
            return None
        key = (place, purpose)
        sums = self._sums.get(key)
        if sums is None:
            weights = [round(self._weight(member, purpose), 6) for member in there]
            sums = self._sums[key] = list(accumulate(weights if any(weights) else [1.0] * len(there)))
        return draw.summed(there, sums)

    def staying(self, draw: Draw, day: date, until: date, purpose: str, *, but: Sequence[Member] = ()) -> Member | None:
        """One who works on a day and is still there on a later one, and is none of ``but``."""
        for _ in range(12):
            found = self.one(draw, day, purpose)
            if found is not None and found not in but and found.works_on(until):
                return found
        left = [m for m in self.there(day) if m.works_on(until) and m not in but]
        return draw.pick(left) if left else None
