"""The way one came: the page before this one, and the records opened before at this desk."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from django.http import HttpRequest
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.naming import names_of
from study.sandbox.gui.recent import Recent, recent_records
from study.sandbox.gui.rooms import Room


@dataclass(frozen=True)
class Step:
    """A page one came from: its address and what to call it."""

    url: str
    words: str


@dataclass(frozen=True)
class Trail:
    """``came``: the page this one was opened from, if it belongs to this desk; ``before``: records opened earlier.

    The browser says where a click came from, so several tabs never mix their trails.
    """

    came: Step | None
    before: tuple[Recent, ...]

    @classmethod
    def of(cls, request: HttpRequest, room: Room, item: ObjectDef, record_id: str) -> Trail:
        before = tuple(one for one in recent_records(room) if one.record_id != record_id)
        return cls(_came(request, room, item, record_id), before)


def _came(request: HttpRequest, room: Room, item: ObjectDef, record_id: str) -> Step | None:
    came = urlsplit(request.headers.get("Referer", ""))
    if came.netloc != request.get_host() or not came.path.startswith(room.base):
        return None
    kind, _slash, rest = came.path.removeprefix(room.base).partition("/")
    words = _words(room, kind, rest.strip("/"), came.query)
    here = kind == "r" and rest.split("/")[:1] == [record_id] and "/" not in rest.strip("/")
    plain_list = kind == "o" and rest.strip("/") == item.name and not came.query
    if not words or here or plain_list:
        return None
    return Step(came.path + (f"?{came.query}" if came.query else ""), words)


def _words(room: Room, kind: str, rest: str, query: str) -> str:
    given = parse_qs(query)
    name = rest.partition("/")[0]
    if kind == "search":
        return _("Search: %(text)s") % {"text": given.get("q", [""])[0][:60]}
    if kind in {"o", "report"} and room.registry.has(name):
        plural = room.registry.object(name).plural
        if kind == "report":
            return _("Report on %(plural)s") % {"plural": plural}
        return _("%(plural)s, filtered") % {"plural": plural} if set(given) - {"sort", "page", "col"} else plural
    if kind == "r":
        return _record_words(room, rest)
    return _("Reports") if kind == "report" else ""


def _record_words(room: Room, rest: str) -> str:
    given, _slash, page = rest.partition("/")
    record_id = normal_id(given)
    try:
        said = names_of(room.snapshot, [record_id]).get(record_id or "", "")
    except QueryError:
        return ""
    if said and page == "thread":
        return _("Emails of %(name)s") % {"name": said}
    return said
