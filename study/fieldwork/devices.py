"""A second device in the hour: a new sign-in works at a visit while the last one was there a moment ago (M21).

Only a mark of the session is kept, never an address or what kind of browser it is. Nobody is stopped: moving from one
computer to another is allowed, and a coordinator sees it.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db.models import Max
from django.http import HttpRequest
from django.utils import timezone

from study.assignment.models import Visit

A_MOMENT_AGO = timedelta(minutes=20)


def mark_of(request: HttpRequest) -> str:
    key = request.session.session_key or ""
    return hashlib.sha256(f"seat:{key}".encode()).hexdigest()[:16] if key else ""


def noticed(request: HttpRequest, visit: Visit) -> bool:
    """Remember which session is at this visit; True when another was there within twenty minutes."""
    mark = mark_of(request)
    if not mark or mark == visit.seat:
        return False
    now = timezone.now()
    # The clocks tell when the other one was here; the person's own moment is this very request.
    seen = visit.clocks.aggregate(newest=Max("last_seen_at"))["newest"] if visit.seat else None
    second = seen is not None and now - seen < A_MOMENT_AGO
    changed = {"seat": mark, "second_device_at": now} if second else {"seat": mark}
    Visit.objects.filter(pk=visit.pk).update(**changed)
    visit.seat = mark
    return second
