"""The list of people, searching it, and acts on many of them at once, each with a page that asks first."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.audit import viewed
from study.accounts.models import Study
from study.people.coordinating import bulk, finding, roster
from study.people.coordinating.roster import Filters
from study.people.models import End, Stage


def listed(request: HttpRequest, study: Study, filters: Filters, **more: Any) -> HttpResponse:
    """The list with these filters; opening it with addresses is in the audit log, once per page seen."""
    addresses = request.GET.get("addresses") == "1"
    page, rows = roster.page_of(study, filters, request.GET.get("page", "1"), with_contacts=addresses)
    if addresses and (n := sum(1 for row in rows if row.contact)):
        viewed("people", by=person(request), study=study, n=n)
    context = {
        "study": study,
        "tab": "people",
        "filters": filters,
        "page": page,
        "rows": rows,
        "addresses": addresses,
        "counts": roster.counts(study),
        "cohorts": list(study.cohorts.values_list("code", "name")),
        "stages": Stage.choices,
        "ends": [(roster.GOING, _("has not ended")), *End.choices],
        "only": [(name, label) for name, (label, _narrow) in roster.ONLY.items()],
        "acts": [(name, act.label) for name, act in bulk.ACTS.items()],
    }
    return render(request, "people/staff/people.html", context | more)


@require_GET
def people(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    return listed(request, study, Filters.read(request.GET.dict()))


@require_http_methods(["GET", "POST"])
def people_search(request: HttpRequest, code: str) -> HttpResponse:
    """By POST only: an address that somebody types must not stand in a URL or a log."""
    study = study_for(request, code, *MANAGE_COHORTS)
    if request.method != "POST":
        return redirect("people", study.code)
    typed = request.POST.get("q", "")[:320]
    found, by_contact = finding.find(study, typed)
    codes = tuple(found.order_by("code").values_list("code", flat=True)[: roster.PAGE])
    if by_contact:
        viewed("search", by=person(request), study=study, n=len(codes))
    if len(codes) == 1:
        return redirect("participant", study.code, codes[0])
    return listed(request, study, Filters(codes=codes or ("",)), searched=True, typed=typed)


def chosen(request: HttpRequest, study: Study) -> list[str]:
    """The codes that are meant: those ticked, or everybody whom the filters of the list let through."""
    form = request.POST if request.method == "POST" else request.GET
    if form.get("everybody"):
        found = roster.narrowed(study, Filters.read(form.dict()))
        return list(found.order_by("code").values_list("code", flat=True)[: bulk.MOST])
    return [code for typed in form.getlist("who") for code in typed.split()]


@require_http_methods(["GET", "POST"])
def people_bulk(request: HttpRequest, code: str) -> HttpResponse:
    """Says how many are meant, who is left out and why, and asks. Changes nothing."""
    study = study_for(request, code, *MANAGE_COHORTS)
    form = request.POST if request.method == "POST" else request.GET
    codes = chosen(request, study)
    if form.get("act") not in bulk.ACTS or not codes:
        messages.warning(request, _("Tick the people you mean and choose what to do."))
        return redirect("people", study.code)
    context = {"study": study, "tab": "people", "plan": bulk.plan(study, form["act"], codes)}
    return render(request, "people/staff/people_bulk.html", context)


@require_POST
def people_bulk_do(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    act, codes = request.POST.get("act", ""), chosen(request, study)
    if act not in bulk.ACTS:
        raise Http404
    if act == "codes":
        text = bulk.codes_csv(study, codes, by=person(request))
        response = HttpResponse(text, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.code}-codes.csv"'
        return response
    n = bulk.carry_out(study, act, codes, by=person(request))
    done = ngettext("%(act)s: done for %(n)d person.", "%(act)s: done for %(n)d people.", n)
    messages.success(request, done % {"act": bulk.ACTS[act].label, "n": n})
    return redirect("people", study.code)
