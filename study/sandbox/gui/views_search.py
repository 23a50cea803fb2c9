"""Searching everything: the page of results, and what is offered while one types."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from study.sandbox.gui.recent import recent_records
from study.sandbox.gui.rooms import Room, desk_page
from study.sandbox.gui.rowformulas import any_path
from study.sandbox.gui.searching import RECENT, Search, searched_lately
from study.sandbox.gui.value_choices import value_choices


@desk_page
def search(request: HttpRequest, room: Room) -> HttpResponse:
    """Results by object. An Id of 15 or 18 characters opens its record."""
    given = request.GET
    found = Search(room, given.get("q", ""), given.get("in", ""), bool(given.get("names")), given.get("page", ""))
    if found.text and (only := found.exact_id) is not None:
        room.traced("search", query=found.query, n=1)
        return redirect(room.record_url(only))
    context = {"room": room, "found": found, "lately": searched_lately(room), "here": "search"}
    response = render(request, "sandbox/search.html", context)
    if found.text:
        room.traced("search", found.only, query=found.query, n=found.total)
    return response


@desk_page
def suggest(request: HttpRequest, room: Room) -> HttpResponse:
    """The first records that fit what was typed so far; before anything was typed, what was opened lately."""
    found = Search(room, request.GET.get("q", ""))
    if found.text:
        room.traced("suggest", query={"text": found.text}, n=len(found.suggestions))
    context = {"room": room, "found": found, "recent": [] if found.text else recent_records(room)[: RECENT - 1]}
    return render(request, "sandbox/_suggest.html", context)


@desk_page
def values(request: HttpRequest, room: Room, name: str) -> HttpResponse:
    """What the field of a condition may be compared with, while its value is typed."""
    text = request.GET.get("q", "")
    item, asked = room.object(name), request.GET.get("path", "")[:255]
    path = any_path(room.registry, item, asked) if asked else None
    choices = value_choices(room, path, text) if path else []
    if path and choices and path.field.type == "reference":
        room.traced("suggest", name, query={"text": text.strip(), "path": path.path}, n=len(choices))
    return render(request, "sandbox/_values.html", {"choices": choices})
