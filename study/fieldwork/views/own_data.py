"""The page of one's own data, and the same as a file. Open at any stage and after the end."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from study.accounts.subject_access import as_json, as_zip
from study.fieldwork import own_data as own
from study.people.access import participant_for
from study.people.frame import hour_frame
from study.people.where import url_for


@never_cache
@require_GET
def own_data(request: HttpRequest, code: str) -> HttpResponse:
    participant = participant_for(request, code)
    context = hour_frame(participant) | {"sections": own.sections_of(participant), "back": url_for(participant)}
    return render(request, "fieldwork/own_data.html", context)


@never_cache
@require_GET
def own_data_file(request: HttpRequest, code: str) -> HttpResponse:
    participant = participant_for(request, code)
    headers = {"Content-Disposition": f'attachment; filename="{participant.code}.json"'}
    return HttpResponse(as_json(own.as_json(participant)), content_type="application/json", headers=headers)


@never_cache
@require_GET
def own_data_zip(request: HttpRequest, code: str) -> HttpResponse:
    """For programs and to be read, in one file."""
    participant = participant_for(request, code)
    headers = {"Content-Disposition": f'attachment; filename="{participant.code}.zip"'}
    return HttpResponse(as_zip(own.as_json(participant)), content_type="application/zip", headers=headers)
