"""A cohort takes on a further frozen version: what changes and for whom, then one button."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from study.accounts.access import person
from study.people.access import cohort_for
from study.people.consenting import adopting


@require_http_methods(["GET", "POST"])
def cohort_protocol(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    newer = adopting.newer_than(row)
    context = {"study": row.study, "tab": "cohorts", "cohort": row}
    if request.method == "POST" and newer:
        number = request.POST.get("number", "")
        try:
            adopted = adopting.adopt(
                row, int(number) if number.isdecimal() and len(number) < 9 else 0, by=person(request)
            )
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            if adopted:
                said = _("“%(name)s” goes by protocol %(number)d from now on.")
                messages.success(request, said % {"name": row.name, "number": row.protocol_number})
            return redirect("cohort", row.study.code, row.code)
    elif request.method == "POST":
        return redirect("cohort", row.study.code, row.code)
    context["adoptions"] = [(adopting.look(row, one), adopting.why_not(row, one)) for one in newer]
    return render(request, "people/cohort_protocol.html", context, status=422 if "problems" in context else 200)
