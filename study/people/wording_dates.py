"""Moments as letters say them: with their zone (P-20)."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import formats

from study.people.models import Invitation


def last_day(moment: datetime) -> str:
    """``29 January 2027, 18:30 UTC``, in the language being spoken."""
    return f"{formats.date_format(moment.astimezone(UTC), 'j F Y, H:i')} UTC"


def open_until(invitation: Invitation) -> datetime:
    """Until when somebody can begin by their link: its own last day, or the cohort's closing if that comes first."""
    closes = invitation.participant.cohort.closes_at
    return min(invitation.expires_at, closes) if closes else invitation.expires_at


def last_moment(invitation: Invitation) -> str:
    return last_day(open_until(invitation))
