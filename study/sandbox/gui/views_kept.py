"""What a person keeps: favourites and named views. Each POST leads on to a page, so that reloading repeats nothing."""

from __future__ import annotations

from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve

from study.sandbox.gui import saved
from study.sandbox.gui.recording import RecordPage
from study.sandbox.gui.rooms import Missing, Room, desk_act, desk_page
from study.sandbox.models import SavedView

TAKES_LONG = frozenset({"crm_list", "crm_report", "crm_search", "crm_console", "crm_fields"})


@desk_page
def favourites(request: HttpRequest, room: Room) -> HttpResponse:
    """The page of favourites; asked for by a menu, only its list."""
    menu = bool(request.headers.get("HX-Request"))
    context = {"room": room, "marked": saved.favourites_of(room, 12 if menu else saved.MOST_FAVOURITES)}
    if not menu:
        room.traced("favourites", n=len(context["marked"]))  # type: ignore[arg-type]
    return render(request, "sandbox/_favourites.html" if menu else "sandbox/favourites.html", context)


@desk_act
def favourite(request: HttpRequest, room: Room, record_id: str) -> HttpResponse:
    """Mark a record or take its mark away, as ``keep`` says; a second click changes nothing."""
    page = RecordPage.open(room, record_id)
    kept = request.POST.get("keep") != "0"
    try:
        saved.set_favourite(room, page.record_id, kept=kept)
    except saved.NotKept as problem:
        return render(request, "sandbox/problem.html", {"room": room, "message": str(problem)}, status=422)
    room.traced("favourite", page.item.name, page.record_id, n=int(kept))
    if request.headers.get("HX-Request"):
        context = {"room": room, "record_id": page.record_id, "record_name": page.name, "starred": kept}
        return render(request, "sandbox/_star.html", context)
    return redirect(room.record_url(page.record_id))


@desk_act
def view_save(request: HttpRequest, room: Room) -> HttpResponse:
    """Keep a list or report under a name; where the name is taken, ask, with nothing lost."""
    kind, item = request.POST.get("kind", ""), room.object(request.POST.get("object", ""))
    if kind not in SavedView.Kind.values:
        raise Missing
    name, query = request.POST.get("name", ""), request.POST.get("query", "")
    try:
        view = saved.save_view(room, kind, item.name, name, query, replace=request.POST.get("replace") == "1")
    except saved.NotKept as problem:
        context = {"room": room, "item": item, "kind": kind, "name": name, "query": query, "problem": problem}
        context["taken"] = isinstance(problem, saved.NameTaken)
        return render(request, "sandbox/view_name.html", context, status=422)
    room.traced("view_saved", item.name, query={"kind": kind, "query": view.query})
    return redirect(saved.address_of(room, view))


@desk_act
def view_rename(request: HttpRequest, room: Room, pk: int) -> HttpResponse:
    view = saved.view_of(room, pk)
    name = request.POST.get("name", "")
    try:
        saved.rename_view(view, name)
    except saved.NotKept as problem:
        context = {"room": room, "item": room.object(view.object), "renamed": view, "name": name, "problem": problem}
        return render(request, "sandbox/view_name.html", context, status=422)
    return redirect(saved.address_of(room, view))


@desk_act
def view_delete(request: HttpRequest, room: Room, pk: int) -> HttpResponse:
    """Delete a view of one's own; the list it named stays on screen."""
    view = saved.view_of(room, pk)
    there = saved.address_of(room, view)
    view.delete()
    return redirect(there)


@desk_act
def long_address(request: HttpRequest, room: Room) -> HttpResponse:
    """Store a query string too long for an address and lead to its page. Any desk may: it is a question, no answer."""
    there = request.POST.get("to", "")
    if not _is_page(room, there):
        raise Missing
    query = request.POST.get("query", "").removeprefix("?")
    return redirect(room.address(there, parse_qsl(query, keep_blank_values=True)))


def _is_page(room: Room, there: str) -> bool:
    """Whether an address is a page of this desk that takes parameters; never one outside of it."""
    try:
        return there.startswith(room.base) and resolve(there).url_name in TAKES_LONG
    except Resolver404:
        return False
