"""The pilot's page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from study.accounts.access import SEE_DATA, study_for
from study.results.pilot import pilot_report


@require_GET
def pilot(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    context = {"study": study, "tab": "coverage", "report": pilot_report(study)}
    return render(request, "results/pilot.html", context)
