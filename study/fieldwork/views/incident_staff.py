"""The incident button: what it does and to how many, the two texts, the list of those before, and "it is over"."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.models import Study
from study.fieldwork import incidents as acts
from study.fieldwork.models import Incident
from study.people.models import CohortState


def page(request: HttpRequest, study: Study, status: int = 200, **more: object) -> HttpResponse:
    rows = list(Incident.objects.filter(study=study).select_related("began_by", "over_by").order_by("-began_at"))
    context = {
        "study": study,
        "tab": "needs",
        "running": next((row for row in rows if row.over_at is None), None),
        "rows": [(row, acts.words_of(row)) for row in rows],
        "in_the_hour": sum(1 for _visit in acts.visits_in_the_hour(study)),
        "cohorts": study.cohorts.filter(state=CohortState.OPEN).count(),
        "what": "",
        "told": _(acts.TOLD),
    }
    return render(request, "fieldwork/staff/incidents.html", context | more, status=status)


@require_GET
def incidents(request: HttpRequest, code: str) -> HttpResponse:
    return page(request, study_for(request, code, *MANAGE_COHORTS))


@require_POST
def incident_begin(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    what, told = request.POST.get("what", ""), request.POST.get("told", "")
    try:
        row, began = acts.begin(study, what=what, told=told, by=person(request))
    except ValidationError as error:
        return page(request, study, 422, problems=error.messages, what=what, told=told)
    if began:
        messages.success(request, _("Everything stands. %(code)s is noted.") % {"code": row.code})
    else:
        messages.info(request, _("%(code)s was going on already; nothing was done twice.") % {"code": row.code})
    return redirect("incidents", study.code)


@require_POST
def incident_over(request: HttpRequest, code: str, incident: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    row = Incident.objects.select_related("study").filter(study=study, code=incident).first()
    if row is None:
        raise Http404
    if acts.over(row, by=person(request)):
        messages.success(request, _("It is over. Cohorts take people again; whoever was stopped can go on."))
    return redirect("incidents", study.code)
