"""Working hours of people who sell: companies rest on Saturdays, too."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw


class Hours:
    """Moments at work, spread over the hours of the day."""

    def __init__(self, branch: Branch, calendar: Calendar) -> None:
        self.calendar = calendar
        self.weekend = () if not calendar.rests else (6,) if branch.plan.consumer else (5, 6)
        self.latest = branch.now - timedelta(minutes=20)

    def day(self, day: date) -> date:
        """The day itself, or the next one that is worked on."""
        while day.weekday() in self.weekend:
            day += timedelta(days=1)
        return day

    def before(self, day: date) -> date:
        """The day itself, or the last one before it that is worked on."""
        while day.weekday() in self.weekend:
            day -= timedelta(days=1)
        return day

    def about(self, at: datetime, draw: Draw) -> datetime:
        """A moment at work on that day; weekends spread over the days before and after them. May lie in the future."""
        day = at.date()
        if day.weekday() in self.weekend:
            day = self.day(day + timedelta(days=draw.pick((-2, -1, 1, 2, 3))))
        return self.calendar.at_work(day, draw)

    def near(self, at: datetime, draw: Draw) -> datetime:
        """The same, not later than the last of all moments."""
        return min(self.about(at, draw), self.latest)

    def after(self, at: datetime, first: datetime, draw: Draw) -> datetime:
        """A moment at work near ``at``; where that lies before ``first``, soon after it."""
        found = self.near(at, draw)
        if found > first:
            return found
        return first + timedelta(minutes=draw.whole(6, 50), seconds=draw.whole(0, 59))
