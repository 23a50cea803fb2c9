"""Where staff are signed in: noted by the doors of staff pages, shown to each person, ended by them.

A participant passes none of these doors, so nothing of their browser or network is kept.
"""

from __future__ import annotations

import time
from datetime import timedelta
from importlib import import_module

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from study.accounts.audit import audit
from study.accounts.models import StaffSession, User

MARK = "staff_session"
SEEN_EVERY = 5 * 60
KEPT = timedelta(days=30)
# The first word found names the browser: each also claims to be those below it.
BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)  # fmt: skip


def browser_of(agent: str) -> str:
    """The family of a browser and its system, such as "Firefox, Windows"; what else it tells is not kept."""
    found = [next((name for sign, name in signs if sign in agent), "") for signs in (BROWSERS, SYSTEMS)]
    return ", ".join(part for part in found if part)


def note(request: HttpRequest, user: User) -> None:
    """Remember that somebody of the staff is at work in this session; written at most every five minutes."""
    key = request.session.session_key
    mark = request.session.get(MARK, {})
    if not key or (mark.get("key") == key and time.time() - mark.get("at", 0) < SEEN_EVERY):
        return
    known = {"seen_at": timezone.now(), "ip": _network(request), "user": user}
    known["browser"] = browser_of(request.headers.get("User-Agent", ""))
    if mark.get("key") != key:
        # Signing in and a new password give a session a new key; it stays the same session.
        StaffSession.objects.filter(user=user, session_key=mark.get("key", "")).update(session_key=key)
    StaffSession.objects.update_or_create(session_key=key, defaults=known)
    request.session[MARK] = {"key": key, "at": int(time.time())}


def _network(request: HttpRequest) -> str | None:
    try:
        return str(get_adapter().get_client_ip(request))
    except PermissionDenied:
        return None


def sessions_of(user: User) -> list[StaffSession]:
    """The sessions that are still open, the one seen last first."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    rows = StaffSession.objects.filter(user=user).order_by("-seen_at")
    return [row for row in rows if store().exists(row.session_key)]


@transaction.atomic
def end(user: User, pk: int) -> str:
    """End one of a person's own sessions, at once; its key, or "" when it is no open session of theirs."""
    row = StaffSession.objects.filter(user=user, pk=pk).first()
    if row is None:
        return ""
    import_module(settings.SESSION_ENGINE).SessionStore().delete(row.session_key)
    row.delete()
    audit("session.ended", by=user, target=f"user {user.pk}")
    return row.session_key


def forget_old() -> int:
    """Remove what was last seen more than 30 days ago (the tick does this)."""
    return StaffSession.objects.filter(seen_at__lt=timezone.now() - KEPT).delete()[0]
