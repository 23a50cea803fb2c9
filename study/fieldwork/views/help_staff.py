"""What coordinators see of help: every request of a study, and the protocol's replies to choose from."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.fieldwork import helping
from study.fieldwork.models import HelpRequest


@require_GET
def help_requests(request: HttpRequest, code: str) -> HttpResponse:
    """All requests of the study, or of one participant (``?person=P-7KQ4``)."""
    study = study_for(request, code, *MANAGE_COHORTS)
    one = request.GET.get("person", "")
    rows = [(row, helping.replies_of(row.visit)) for row in helping.requests_of(study, one)]
    waiting = sum(1 for row, _replies in rows if not row.replied_at and not row.went_on_at)
    context = {"study": study, "tab": "help", "rows": rows, "waiting": waiting, "one": one}
    return render(request, "fieldwork/help_requests.html", context)


@require_POST
def help_reply(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    rows = HelpRequest.objects.select_related("visit__participant__study", "visit__protocol")
    row = rows.filter(pk=pk, visit__participant__study=study, visit__participant__preview=False).first()
    if row is None:
        raise Http404
    try:
        helping.reply(row, request.POST.get("reply", ""), by=person(request))
    except KeyError:
        raise Http404 from None
    return redirect("help_requests", study.code)
