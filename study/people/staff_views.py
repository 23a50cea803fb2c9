"""Inviting by pasted addresses. The pages of cohorts stand in cohort_views, one participant's in person_views."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from study.accounts.access import person
from study.people import invitations
from study.people.access import cohort_for
from study.people.models import CohortState


@require_http_methods(["GET", "POST"])
def cohort_invite(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """Paste, then see what would go out. Nothing is sent or stored here."""
    row = cohort_for(request, code, cohort)
    text = request.POST.get("addresses", "")
    context: dict[str, Any] = {"study": row.study, "tab": "cohorts", "cohort": row, "text": text}
    if request.method == "POST":
        context["preview"] = invitations.preview(row, text)
    return render(request, "people/invite.html", context)


@require_POST
def cohort_invite_send(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    text = request.POST.get("addresses", "")
    try:
        n = len(invitations.invite(row, text, by=person(request)))
    except ValidationError as error:
        context = {"study": row.study, "tab": "cohorts", "cohort": row, "text": text, "problems": error.messages}
        return render(request, "people/invite.html", context, status=422)
    said = ngettext("%d person is invited.", "%d people are invited.", n) % n
    if n and row.state != CohortState.OPEN:
        said += " " + _("The letters wait until the cohort is open.")
    messages.success(request, said)
    return redirect("cohort", row.study.code, row.code)
