"""Reading: record pages, their related lists, and the mail of a case in one piece."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from study.sandbox.gui import reading
from study.sandbox.gui.finding import Finding
from study.sandbox.gui.mail import Thread
from study.sandbox.gui.recording import RecordPage
from study.sandbox.gui.rooms import Missing, Room, desk_page
from study.sandbox.gui.trail import Trail


@desk_page
def record(request: HttpRequest, room: Room, record_id: str) -> HttpResponse:
    """A record. A part of its page fetched under another filter is no new opening of the record."""
    page = RecordPage.open(room, record_id, request.GET)
    name = page.item.name
    context = {
        "room": room, "page": page, "item": page.item, "here": name, "object_name": name,
        "record_id": page.record_id, "record_name": page.name,
        "trail": Trail.of(request, room, page.item, page.record_id),
    }  # fmt: skip
    if name == reading.MAIL:
        context["case_id"] = page.values.get(reading.MAIL_PARENT)
    response = render(request, "sandbox/record.html", context)
    kind = "filter" if request.headers.get("HX-Request") else "record"
    room.traced(kind, name, page.record_id, query=page.state or None)
    return response


@desk_page
def related(request: HttpRequest, room: Room, record_id: str, key: str) -> HttpResponse:
    """All records that point here by one lookup, a list like any other; ``part`` is its short form on a record page."""
    part = bool(request.GET.get("part"))
    page = RecordPage.open(room, record_id, request.GET if part else None)
    link = page.lists.link(key)
    if part:
        one = page.lists.related(link, page.lists.count(link))
        return render(request, "sandbox/_related.html", {"room": room, "page": page, "related": one})
    view = page.lists.view(link, request.GET)
    if any(request.GET.get(name) == "" for name in request.GET) and (short := view.address(page=view.page)):
        return redirect(short)
    context = {
        "room": room, "page": page, "item": link.child, "parent": page.item, "view": view, "here": page.item.name,
        "label": page.lists.label(link), "link": link,
    }  # fmt: skip
    response = render(request, "sandbox/related.html", context)
    room.traced("related", link.child.name, page.record_id, query=view.query, n=view.total)
    return response


@desk_page
def thread(request: HttpRequest, room: Room, record_id: str) -> HttpResponse:
    """All mail of one record in order; each mail shown in full counts as opened."""
    page = RecordPage.open(room, record_id, request.GET)
    if not room.registry.has(reading.MAIL):
        raise Missing
    found = Thread.of(room, page.record_id, page.finder)
    context = {"room": room, "page": page, "item": page.item, "thread": found, "here": page.item.name}
    context["finding"] = Finding.of(page.finder, request.GET.get("at", ""))
    response = render(request, "sandbox/thread.html", context)
    room.traced("thread", reading.MAIL, page.record_id, query={"shown": found.ids}, n=len(found.ids))
    return response
