"""Drawn time: while hands work through the flows, the server's now is the moment the simulation has come to.

Only in the process of the command, which serves nobody and has one thread. Columns whose default is the time keep the
real one; the hands write those that count.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.utils import timezone


class Moments:
    """A clock that moves when it is told to."""

    def __init__(self, start: datetime) -> None:
        self.moment = self.last_counted = start

    def read(self) -> datetime:
        return self.moment

    def pass_seconds(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)

    def go_to(self, moment: datetime) -> None:
        self.moment = max(self.moment, moment)

    def counted(self) -> None:
        """A request has been counted at this moment."""
        self.last_counted = self.moment

    @property
    def since_counted(self) -> float:
        """Seconds since the last request that was counted."""
        return (self.moment - self.last_counted).total_seconds()

    @contextmanager
    def running(self) -> Iterator[None]:
        real = timezone.now
        timezone.now = self.read
        try:
            yield
        finally:
            timezone.now = real
