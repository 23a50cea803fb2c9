"""Home, the launcher, lists, and the fields they are made of. Every state is a GET address."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from study.sandbox.gui import facets
from study.sandbox.gui.beside import Beside
from study.sandbox.gui.boards import Board
from study.sandbox.gui.choosing import FieldChooser
from study.sandbox.gui.home import Home
from study.sandbox.gui.list_chart import ListChart
from study.sandbox.gui.listing import ListView
from study.sandbox.gui.menus import Menus
from study.sandbox.gui.picker import Picker
from study.sandbox.gui.rooms import Room, desk_page

LARGE = 100_000
QUICK = 0.02


def has_blank(request: HttpRequest) -> bool:
    """Whether a control of a form was left empty: it says nothing, so the page moves to the address without it."""
    said = [key for key in request.GET if key[:2] != "s." and key not in {"g", "v"}]
    return any("" in request.GET.getlist(key) for key in said)


@desk_page
def home(request: HttpRequest, room: Room) -> HttpResponse:
    response = render(request, "sandbox/home.html", {"room": room, "home": Home(room), "here": "home"})
    room.traced("home")
    return response


@desk_page
def apps(request: HttpRequest, room: Room) -> HttpResponse:
    """Everything there is at this desk: a page, or the inside of a menu."""
    menu = bool(request.headers.get("HX-Request"))
    if not menu:
        room.traced("apps")
    context = {"room": room, "here": "apps", "menu": menu}
    return render(request, "sandbox/_launcher.html" if menu else "sandbox/launcher.html", context)


def _patience(request: HttpRequest, room: Room, name: str) -> float | None:
    """A list of a large object is shown at once; its exact counts follow in a request of their own."""
    return QUICK if room.count_of(name) > LARGE and not request.GET.get("count") else None


@desk_page
def list_view(request: HttpRequest, room: Room, name: str) -> HttpResponse:
    view = ListView(room, room.object(name), request.GET, patience=_patience(request, room, name))
    moved = request.GET.get("up") or request.GET.get("down")
    if (has_blank(request) or moved) and (short := view.address(page=view.page)) != request.get_full_path():
        return redirect(short)
    context: dict[str, Any] = {"room": room, "item": view.item, "view": view, "here": name}
    context |= {"facets": facets.facets(view), "windows": facets.windows(view), "pills": facets.pills(view)}
    context["counting"] = view.known is None or not all(facet.counted for facet in context["facets"])
    context["carried"] = facets.carried(view, context["facets"], context["windows"])
    context["menus"] = Menus(room.registry, view.item, view.criteria, request.GET.get("pick", ""))
    context |= {"picker": Picker(view), "chart": ListChart(view)}
    context["board"] = Board(view) if view.layout == "board" else None
    context["split"] = split = Beside.of(view) if view.layout == "split" else None
    if split and split.page:
        # The record beside the list stands open as it does on a page of its own.
        context |= {"page": split.page, "record_id": split.record_id, "record_name": split.page.name,
                    "object_name": split.page.item.name}  # fmt: skip
    response = render(request, "sandbox/list.html", context)
    if request.headers.get("HX-Request") and request.GET.get("count"):
        # The page itself is in the trace already.
        return response
    if split is None or not request.headers.get("HX-Request") or not split.page:
        room.traced("list", name, query=view.query, n=view.known)
    if split and split.page:
        room.traced("record", split.page.item.name, split.record_id)
    return response


@desk_page
def fields(request: HttpRequest, room: Room, name: str) -> HttpResponse:
    """The fields at one step of a path: a page, or the inside of a chooser."""
    chooser = FieldChooser(room, room.object(name), request.GET)
    part = bool(request.headers.get("HX-Request"))
    context = {"room": room, "item": chooser.item, "chooser": chooser, "here": name}
    return render(request, "sandbox/_fields.html" if part else "sandbox/fields.html", context)
