"""From when to when the next visit of a person can begin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from study.protocols.design import Washout

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Window:
    opens: datetime
    closes: datetime

    def is_open(self, now: datetime) -> bool:
        return self.opens <= now < self.closes

    def is_over(self, now: datetime) -> bool:
        return now >= self.closes

    @property
    def last_minute(self) -> datetime:
        """The last moment as people are told it."""
        return self.closes - timedelta(minutes=1)


def window(done_at: datetime, washout: Washout) -> Window:
    """Whole days of 24 hours until it opens, at the next full hour; it closes with the end of its last day (UTC).

    Never shorter than a day, however the protocol counts.
    """
    opens = done_at + washout.at_least_days * DAY
    if washout.at_least_days and opens != (hour := opens.replace(minute=0, second=0, microsecond=0)):
        opens = hour + timedelta(hours=1)
    last = (done_at + washout.at_most_days * DAY).astimezone(UTC)
    closes = last.replace(hour=0, minute=0, second=0, microsecond=0) + DAY
    return Window(opens, max(closes, opens + DAY))
