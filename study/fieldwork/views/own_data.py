"""The page of one's own data, and the same as a file. Open at any stage and after the end."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

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
    response = JsonResponse(own.as_json(participant), json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="{participant.code}.json"'
    return response
