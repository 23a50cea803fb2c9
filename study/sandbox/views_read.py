"""Reading: record pages, and the mail of a case in one piece."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from study.sandbox import reading
from study.sandbox.mail import Thread
from study.sandbox.recording import RecordPage
from study.sandbox.rooms import Missing, Room, desk_page


@desk_page
def record(request: HttpRequest, room: Room, record_id: str) -> HttpResponse:
    page = RecordPage.open(room, record_id)
    name = page.item.name
    context = {
        "room": room, "page": page, "item": page.item, "here": name,
        "object_name": name, "record_id": page.record_id, "record_name": page.name,
    }  # fmt: skip
    if name in reading.CHATS:
        context["turns"] = reading.turns(str(page.values.get(reading.CHATS[name]) or ""))
    if name in reading.ARTICLES:
        context["blocks"] = reading.blocks(str(page.values.get(reading.ARTICLES[name]) or ""))
    if name == reading.MAIL:
        context["parts"] = reading.mail_parts(str(page.values.get(reading.MAIL_BODY) or ""))
        context["case_id"] = page.values.get(reading.MAIL_PARENT)
    response = render(request, "sandbox/record.html", context)
    room.traced("record", name, page.record_id)
    return response


@desk_page
def thread(request: HttpRequest, room: Room, record_id: str) -> HttpResponse:
    """All mail of one record in order; each mail shown in full counts as opened."""
    page = RecordPage.open(room, record_id)
    if not room.registry.has(reading.MAIL):
        raise Missing
    found = Thread.of(room, page.record_id)
    context = {"room": room, "page": page, "item": page.item, "thread": found, "here": page.item.name}
    response = render(request, "sandbox/thread.html", context)
    room.traced("thread", reading.MAIL, page.record_id, query={"shown": found.ids}, n=len(found.ids))
    return response
