"""Finding: the home page, lists, search and reports of a desk. Every state is a GET address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from study.sandbox import facets, measuring
from study.sandbox.listing import ListView, newest
from study.sandbox.menus import Menus
from study.sandbox.recent import recent_records
from study.sandbox.reporting import BARS, COMPARISONS, PERIODS, SORTS, Report
from study.sandbox.rooms import Room, desk_page
from study.sandbox.searching import Search


@desk_page
def home(request: HttpRequest, room: Room) -> HttpResponse:
    room.traced("home")
    context = {"room": room, "recent": recent_records(room), "newest": newest(room, 8), "here": "home"}
    return render(request, "sandbox/home.html", context)


def has_blank(request: HttpRequest) -> bool:
    """Whether a control of a form was left empty: it says nothing, so the page moves to the address without it."""
    said = [key for key in request.GET if key[:2] != "s." and key not in {"g", "v"}]
    return any("" in request.GET.getlist(key) for key in said)


@desk_page
def list_view(request: HttpRequest, room: Room, name: str) -> HttpResponse:
    view = ListView(room, room.object(name), request.GET)
    if has_blank(request) and (short := view.address(page=view.page)) != request.get_full_path():
        return redirect(short)
    context = {"room": room, "item": view.item, "view": view, "facets": facets.facets(view), "here": name}
    context |= {"windows": facets.windows(view), "pills": facets.pills(view)}
    context["menus"] = Menus(room.registry, view.item, view.criteria)
    response = render(request, "sandbox/list.html", context)
    room.traced("list", name, query=view.query, n=view.total)
    return response


@desk_page
def search(request: HttpRequest, room: Room) -> HttpResponse:
    found = Search(room, request.GET.get("q", ""), request.GET.get("in", ""))
    if found.text and (only := found.exact_id) is not None:
        room.traced("search", query=found.query, n=1)
        return redirect(room.record_url(only))
    response = render(request, "sandbox/search.html", {"room": room, "found": found, "here": "search"})
    if found.text:
        room.traced("search", found.only, query=found.query, n=found.total)
    return response


@desk_page
def suggest(request: HttpRequest, room: Room) -> HttpResponse:
    found = Search(room, request.GET.get("q", ""), "")
    if found.text:
        room.traced("suggest", query={"text": found.text}, n=len(found.suggestions))
    context = {"room": room, "found": found, "recent": [] if found.text else recent_records(room)[:5]}
    return render(request, "sandbox/_suggest.html", context)


@desk_page
def reports(request: HttpRequest, room: Room) -> HttpResponse:
    room.traced("reports")
    return render(request, "sandbox/reports.html", {"room": room, "here": "report"})


@desk_page
def report(request: HttpRequest, room: Room, name: str) -> HttpResponse:
    view = Report(room, room.object(name), request.GET)
    if has_blank(request) and (short := view.address()) != request.get_full_path():
        return redirect(short)
    context = {"room": room, "item": view.item, "view": view, "here": "report", "bars": view.rows[:BARS]}
    context |= {"menus": Menus(room.registry, view.item, view.criteria), "pills": facets.pills(view)}
    context |= {"measures": measuring.choices(room.registry, view.item), "functions": measuring.FUNCTIONS}
    context |= {"units": measuring.UNITS, "periods": PERIODS, "sorts": SORTS, "comparisons": COMPARISONS}
    context["heading"] = measuring.words(room.registry, view.item, view.fn, view.over, view.unit)
    response = render(request, "sandbox/report.html", context)
    room.traced("report", name, query=view.query, n=view.groups)
    return response
