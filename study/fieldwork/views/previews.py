"""Starting a preview of the hour."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from study.accounts.access import EDIT_PROTOCOL, MANAGE_COHORTS, person, study_for
from study.fieldwork.preview import start_preview
from study.people.where import url_for


@require_POST
def preview(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *EDIT_PROTOCOL, *MANAGE_COHORTS)
    try:
        chosen = request.POST.get("arm", ""), request.POST.get("language", "")
        participant = start_preview(study, person(request), *chosen)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("study", study.code)
    return redirect(url_for(participant))
