"""What coordinators see of help: every request of a study, and the protocol's replies to choose from."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.fieldwork import helping
from study.fieldwork.models import HelpRequest

PAGE = 50


@require_GET
def help_requests(request: HttpRequest, code: str) -> HttpResponse:
    """Those that wait, then the log of the others, of the study or of one participant (``?person=P-7KQ4``)."""
    study = study_for(request, code, *MANAGE_COHORTS)
    one = request.GET.get("person", "")[:12]
    waiting = [(row, helping.replies_of(row.visit)) for row in helping.waiting_of(study, one)]
    page = Paginator(helping.settled_of(study, one), PAGE).get_page(request.GET.get("page", "1"))
    context = {"study": study, "tab": "help", "waiting": waiting, "page": page, "one": one}
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
    messages.success(request, _("The reply is with %(code)s.") % {"code": row.visit.participant.code})
    return redirect("help_requests", study.code)
