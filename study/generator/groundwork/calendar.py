"""When things happen: seasons, weekdays, hours of the day, office hours. All times are in the Org's zone, UTC."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.plan import Plan

_EVEN_HOURS = (1.0,) * 24
_EVEN_WEEK = (1.0,) * 7
_EVEN_YEAR = (1.0,) * 12


class Calendar:
    """The rhythms of one world; without the ingredient ``cycles`` every day and hour is like any other."""

    def __init__(self, plan: Plan) -> None:
        self.plan, timing = plan, plan.timing
        cycles = plan.ingredients.cycles
        self.opens, self.closes = (timing.opens, timing.closes) if cycles else (0, 24)
        self.rests = (6,) if cycles else ()
        self._seasons = timing.seasons if cycles else _EVEN_YEAR
        self._weekdays = timing.weekdays if cycles else _EVEN_WEEK
        self._hours = list(accumulate(timing.hours if cycles else _EVEN_HOURS))
        self._growth = timing.growth if cycles else 0.0

    def days(self, first: date | None = None, last: date | None = None) -> list[date]:
        begin, end = first or self.plan.first_day, last or self.plan.today
        return [begin + timedelta(days=n) for n in range((end - begin).days + 1)]

    def sums(self, span: Sequence[date], seasons: Sequence[float] | None = None) -> list[float]:
        """Running sums of day weights, for ``Draw.summed``: season times weekday times a business that grows."""
        yearly = seasons if seasons is not None and self.plan.ingredients.cycles else self._seasons
        return list(
            accumulate(
                round(
                    yearly[day.month - 1] * self._weekdays[day.weekday()] * (1 + self._growth * n / len(span)), 6
                )
                for n, day in enumerate(span)
            )
        )  # fmt: skip

    def arrivals(
        self, draw: Draw, n: int, first: date | None = None, last: date | None = None,
        seasons: Sequence[float] | None = None,
    ) -> list[datetime]:  # fmt: skip
        """``n`` moments in order, by the rhythms of the world; none after its last moment."""
        span = self.days(first, last)
        sums = self.sums(span, seasons)
        latest = self.plan.now - timedelta(minutes=20)
        return sorted(min(self.moment(draw.summed(span, sums), draw), latest) for _ in range(n))

    def moment(self, day: date, draw: Draw) -> datetime:
        """A moment of a day as customers choose it."""
        hour = draw.summed(range(24), self._hours)
        return datetime.combine(day, time(hour, draw.whole(0, 59), draw.whole(0, 59)), UTC)

    def at_work(self, day: date, draw: Draw) -> datetime:
        """A moment in office hours of a day."""
        hour = draw.whole(self.opens, max(self.opens, self.closes - 1))
        return datetime.combine(day, time(hour, draw.whole(0, 59), draw.whole(0, 59)), UTC)

    def in_office(self, at: datetime, draw: Draw) -> datetime:
        """The moment itself, or one soon after the office opens next."""
        if at.weekday() not in self.rests and self.opens <= at.hour < self.closes:
            return at
        day = at.date()
        if at.hour >= self.closes or day.weekday() in self.rests:
            day += timedelta(days=1)
        while day.weekday() in self.rests:
            day += timedelta(days=1)
        opening = datetime.combine(day, time(self.opens), UTC)
        return opening + timedelta(minutes=draw.whole(1, 100), seconds=draw.whole(0, 59))

    def office_before(self, at: datetime, draw: Draw) -> datetime:
        """The moment itself, or one in the last office hour before it."""
        if at.weekday() not in self.rests and self.opens <= at.hour < self.closes:
            return at
        day = at.date()
        if at.hour < self.opens or day.weekday() in self.rests:
            day -= timedelta(days=1)
        while day.weekday() in self.rests:
            day -= timedelta(days=1)
        closing = datetime.combine(day, time(self.closes - 1), UTC)
        return closing + timedelta(minutes=draw.whole(0, 59), seconds=draw.whole(0, 59))

    def working_day(self, day: date) -> date:
        """The day itself, or the Monday after a weekend."""
        while self.rests and day.weekday() >= 5:
            day += timedelta(days=1)
        return day
