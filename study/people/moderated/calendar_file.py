"""An entry for one's own calendar (iCalendar, RFC 5545): only the time, the public title and the way back."""

from __future__ import annotations

from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone


def entry(uid: str, *, starts: datetime, ends: datetime, title: str, text: str, where: str = "") -> str:
    """A file with one entry. ``uid`` is unique on this site: the same entry again replaces the first."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Realia//Visit//EN",
        "BEGIN:VEVENT",
        f"UID:{uid}@{settings.REALIA_URL.split('//')[-1].split('/')[0]}",
        f"DTSTAMP:{_stamp(timezone.now())}",
        f"DTSTART:{_stamp(starts)}",
        f"DTEND:{_stamp(ends)}",
        f"SUMMARY:{_escaped(title)}",
        f"DESCRIPTION:{_escaped(text)}",
        *([f"LOCATION:{_escaped(where)}"] if where else []),
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def as_file(text: str, name: str = "visit.ics") -> HttpResponse:
    """The entry as a download."""
    response = HttpResponse(text, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    for mark in ("\\", ";", ","):
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def _folded(line: str) -> str:
    """Lines of at most 75 bytes; what follows begins with a blank."""
    parts, now = [], ""
    for character in line:
        if len((now + character).encode()) > 73:
            parts.append(now)
            now = ""
        now += character
    return "\r\n ".join([*parts, now])
