"""The query console and the schema browser, where a desk offers them; elsewhere they are not found."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from study.sandbox.gui.console import Console
from study.sandbox.gui.rooms import Missing, Page, Room, desk_page
from study.sandbox.gui.schema_pages import SchemaPage


def where_offered(view: Page) -> Page:
    """A page of desks that offer the console."""

    @wraps(view)
    def opened(request: HttpRequest, room: Room, **names: Any) -> HttpResponse:
        if not room.desk.console:
            raise Missing
        return view(request, room, **names)

    return desk_page(opened)


@where_offered
def console(request: HttpRequest, room: Room) -> HttpResponse:
    page = Console(room, request.GET.get("q", ""), request.GET.get("from", ""))
    context = {"room": room, "page": page, "here": "console"}
    response = render(request, "sandbox/console.html", context, status=page.status)
    page.trace()
    return response


@where_offered
def schema(request: HttpRequest, room: Room) -> HttpResponse:
    room.traced("schema")
    return render(request, "sandbox/schema.html", {"room": room, "here": "console"})


@where_offered
def schema_object(request: HttpRequest, room: Room, name: str) -> HttpResponse:
    """An object's page; asked for by the console's side, only the names to insert."""
    page = SchemaPage(room, room.object(name))
    room.traced("schema", name)
    template = "sandbox/_schema_names.html" if request.headers.get("HX-Request") else "sandbox/schema_object.html"
    return render(request, template, {"room": room, "page": page, "item": page.item, "here": "console"})
