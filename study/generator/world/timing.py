"""When things happen: seasons, weekdays, hours of the day, office hours. All times are in the Org's zone, UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from study.generator.world.draw import Draw

FIRST_DAY = date(2023, 5, 15)
TODAY = date(2025, 11, 14)
NOW = datetime.combine(TODAY, time(18, 30), UTC)

# January to December: grills sell in spring and before the holidays, trouble follows a little later.
ORDER_SEASON = (0.55, 0.65, 0.95, 1.35, 1.60, 1.55, 1.30, 1.00, 0.80, 0.75, 1.10, 1.25)
CASE_SEASON = (0.75, 0.70, 0.85, 1.10, 1.30, 1.40, 1.35, 1.15, 0.95, 0.80, 0.90, 1.15)
WEEKDAYS = (1.15, 1.10, 1.05, 1.00, 1.00, 0.35, 0.25)
# Customers write in the morning and again in the evening; at night few do.
HOURS = (1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 18, 16, 13, 14, 15, 14, 12, 10, 9, 9, 8, 6, 4, 2)
OPENS, CLOSES = 8, 18


def days(first: date = FIRST_DAY, last: date = TODAY) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def day_weights(span: list[date], season: tuple[float, ...], growth: float) -> list[float]:
    """Season times weekday times a business that grows by ``growth`` over the span."""
    return [
        round(season[day.month - 1] * WEEKDAYS[day.weekday()] * (1 + growth * n / len(span)), 6)
        for n, day in enumerate(span)
    ]


def moment(day: date, draw: Draw) -> datetime:
    """A moment of a day as customers choose it."""
    hour = draw.weighted(range(24), HOURS)
    return datetime.combine(day, time(hour, draw.whole(0, 59), draw.whole(0, 59)), UTC)


def in_office(at: datetime, draw: Draw) -> datetime:
    """The moment itself, or one soon after the office opens next; closed on Sundays."""
    if at.weekday() != 6 and OPENS <= at.hour < CLOSES:
        return at
    day = at.date() + timedelta(days=1 if at.hour >= CLOSES or at.weekday() == 6 else 0)
    if day.weekday() == 6:
        day += timedelta(days=1)
    opening = datetime.combine(day, time(OPENS), UTC)
    return opening + timedelta(minutes=draw.whole(1, 100), seconds=draw.whole(0, 59))
