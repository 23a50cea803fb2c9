"""The coverage page, and benching from it. It shows who was given what, never an answer or a rating."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import SEE_DATA, person, study_for
from study.accounts.models import Study
from study.assignment import benching
from study.assignment.coverage import PER_PAGE, instances_of_study
from study.assignment.coverage import coverage as parts_of
from study.assignment.overview import protocol_to_show
from study.benchmark.models import Instance


def page_of(request: HttpRequest, study: Study, **more: Any) -> HttpResponse:
    protocol, file = protocol_to_show(study)
    asked = request.GET.get("page", "")
    page = int(asked) if asked.isdecimal() and 0 < int(asked) < 10_000 else 1
    parts = parts_of(study, file, page=page) if file else []
    pages = max((part.count + PER_PAGE - 1) // PER_PAGE for part in parts) if parts else 1
    context = {
        "study": study,
        "tab": "coverage",
        "protocol": protocol,
        "file": file,
        "parts": parts,
        "page": page,
        "earlier": page - 1 if page > 1 else None,
        "later": page + 1 if page < pages else None,
        "first": (page - 1) * PER_PAGE + 1,
        "reported": benching.reported(study, file.tasks.bench_after) if file else [],
        **more,
    }
    return render(request, "assignment/coverage.html", context, status=422 if more else 200)


@require_GET
def coverage(request: HttpRequest, code: str) -> HttpResponse:
    return page_of(request, study_for(request, code, *SEE_DATA))


@require_POST
def bench(request: HttpRequest, code: str, instance: int) -> HttpResponse:
    return _mark(request, code, instance, benching.bench)


@require_POST
def unbench(request: HttpRequest, code: str, instance: int) -> HttpResponse:
    return _mark(request, code, instance, benching.unbench)


def _mark(request: HttpRequest, code: str, instance: int, act: Any) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    _protocol, file = protocol_to_show(study)
    if file is None or instance not in instances_of_study(study, file):
        raise Http404
    row = get_object_or_404(Instance, pk=instance)
    try:
        act(study, row, reason=request.POST.get("reason", ""), by=person(request))
    except benching.NoReason:
        return page_of(request, study, without_reason=row.pk)
    return redirect("coverage", study.code)
