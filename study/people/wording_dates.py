"""Moments as letters say them: with their zone (P-20)."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import formats


def last_day(moment: datetime) -> str:
    """``29 January 2027, 18:30 UTC``, in the language being spoken."""
    return f"{formats.date_format(moment.astimezone(UTC), 'j F Y, H:i')} UTC"
