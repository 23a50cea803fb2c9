"""Reports: the page of all of them, and the report builder. Every state is a GET address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui import facets
from study.sandbox.gui.menus import Menus
from study.sandbox.gui.report_chart import ReportChart
from study.sandbox.gui.report_form import ReportForm
from study.sandbox.gui.report_matrix import MatrixReport
from study.sandbox.gui.report_ready import ready_made
from study.sandbox.gui.report_recall import lately
from study.sandbox.gui.report_table import ReportTable
from study.sandbox.gui.reporting import Report
from study.sandbox.gui.rooms import Room, desk_page
from study.sandbox.gui.saved import address_of
from study.sandbox.models import SavedView


def own_reports(room: Room) -> list[tuple[SavedView, ObjectDef, str]]:
    """The reports this person keeps in this Org, by name: (view, object, address)."""
    kept = SavedView.objects.filter(user=room.desk.user, org=room.desk.org, kind=SavedView.Kind.REPORT)
    known = [view for view in kept if room.registry.has(view.object)]
    return [(view, room.object(view.object), address_of(room, view)) for view in known]


@desk_page
def reports(request: HttpRequest, room: Room) -> HttpResponse:
    context = {"room": room, "here": "report", "lately": lately(room), "own": own_reports(room)}
    context["ready"] = [(item, ready_made(room.registry, item)) for item in room.objects]
    room.traced("reports")
    return render(request, "sandbox/reports.html", context)


@desk_page
def report(request: HttpRequest, room: Room, name: str) -> HttpResponse:
    view = Report(room, room.object(name), request.GET)
    if view.asked.across:
        view = MatrixReport(room, view.item, request.GET)
    form = ReportForm(view)
    if form.untidy and not view.asked.errors and (short := view.address()) != request.get_full_path():
        return redirect(short)
    chart = ReportChart(view)
    context = {"room": room, "item": view.item, "view": view, "form": form, "here": "report"}
    context["kept"] = form.kept
    context |= {"chart": chart, "table": ReportTable(view, chart)}
    context |= {
        "menus": Menus(room.registry, view.item, view.criteria, request.GET.get("pick", ""), view.asked.sifted.faulty),
        "pills": facets.pills(view),
    }
    if view.asked.errors:
        return render(request, "sandbox/report.html", context, status=400)
    try:
        context["body"] = view.body
    except QueryError as error:
        view.asked.errors["run"] = error.message
        return render(request, "sandbox/report.html", context, status=400)
    response = render(request, "sandbox/report.html", context)
    room.traced("report", name, query=view.query, n=view.groups)
    return response
