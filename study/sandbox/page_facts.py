"""What the browser says of a page of a desk: how long it stood in view, and which record Ids were copied from it.

These are client facts. They come from somebody else's machine, so they are checked against the server's own clock,
kept beside the trace, and decide nothing: no limit, no clock and no order uses them (P-19).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.http import HttpResponse

from study.sandbox.engine.ids import normal_id
from study.sandbox.models import Desk, PageFact, Purpose, TraceEvent
from study.sandbox.opened import snapshot_of

# A page cannot have been looked at for longer than it has existed; clocks that run unevenly get this much.
SLACK = timedelta(seconds=5)
MOST_COPIED = 200
LONGEST_BODY = 16 * 1024
WIDEST = 20_000
EVENT = "X-Page-Event"
_MARK = b'<meta name="page-event" content="'
_NUMBERS = ("sequence", "visible", "focused", "idle")
_NUMBER = re.compile(r"\d{1,12}", re.ASCII)
# Where the layouts change: below the first a phone's, below the second (method M23) too narrow for the work.
PHONE_BELOW, DESKTOP_FROM = 640, 1024


class Unreadable(ValueError):
    """A report that no page of ours sends."""


@dataclass(frozen=True)
class Report:
    """One report of one page: milliseconds by the browser's own clock, Ids, and the width of the window."""

    sequence: int
    visible_ms: int
    focused_ms: int
    idle_ms: int
    copied: tuple[str, ...] = ()
    width: int | None = None

    @classmethod
    def read(cls, sent: Mapping[str, str]) -> Report:
        """Raises Unreadable for anything but whole numbers and words of an Id's form."""
        sequence, visible, focused, idle = (_number(sent.get(name, "")) for name in _NUMBERS)
        width = _number(sent["width"]) if sent.get("width") else None
        copied = [one for text in sent.get("copied", "").split()[:MOST_COPIED] if (one := normal_id(text))]
        wide = width if width and width <= WIDEST else None
        return cls(sequence, visible, focused, idle, tuple(dict.fromkeys(copied)), wide)

    def is_odd(self, event_at: datetime, now: datetime) -> bool:
        """Whether these times cannot be: longer than the page exists, or a part longer than the whole."""
        most = (now - event_at + SLACK) / timedelta(milliseconds=1)
        return self.visible_ms > most or self.focused_ms > self.visible_ms or self.idle_ms > self.visible_ms


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Unreadable(f"{text[:40]!r} is not a whole number")
    return int(text)


def keep(desk: Desk, report: Report, now: datetime) -> PageFact | None:
    """Keep a report; the same one again changes nothing, a later one only adds. None where no event has its number.

    Odd times are not kept: only that they came is.
    """
    event = TraceEvent.objects.filter(desk=desk, sequence=report.sequence).first()
    if event is None:
        return None
    copied = _records_of(desk, report.copied)
    try:
        with transaction.atomic():
            PageFact.objects.create(desk=desk, sequence=report.sequence, at=now)
    except IntegrityError:
        pass
    with transaction.atomic():
        fact = PageFact.objects.select_for_update(no_key=True).get(desk=desk, sequence=report.sequence)
        if report.is_odd(event.at, now):
            fact.odd = True
        else:
            fact.visible_ms = max(fact.visible_ms, report.visible_ms)
            fact.focused_ms = max(fact.focused_ms, report.focused_ms)
            fact.idle_ms = max(fact.idle_ms, report.idle_ms)
        fact.copied = list(dict.fromkeys([*fact.copied, *copied]))[:MOST_COPIED]
        fact.width = fact.width or report.width
        fact.save(update_fields=["odd", "visible_ms", "focused_ms", "idle_ms", "copied", "width"])
    return fact


def _records_of(desk: Desk, ids: Iterable[str]) -> list[str]:
    """Those that are records of the desk's Org: a word of fifteen letters never stays."""
    known = snapshot_of(desk.org).names(ids)
    return [one for one in ids if one in known]


def answering(response: HttpResponse, desk: Desk, sequences: list[int]) -> HttpResponse:
    """Tell the page which trace event it answers, so that it can report on itself. Desks of staff are not measured."""
    if not sequences or desk.purpose == Purpose.STAFF or response.streaming:
        return response
    number = str(sequences[-1])
    response[EVENT] = number
    # A page is drawn before it is in the trace: what could not be shown was not seen.
    response.content = response.content.replace(_MARK, _MARK + number.encode(), 1)
    return response


def device_class(width: int | None) -> str:
    """phone, tablet or desktop by the width of the window; empty where it is not known."""
    if not width:
        return ""
    return "phone" if width < PHONE_BELOW else "tablet" if width < DESKTOP_FROM else "desktop"
