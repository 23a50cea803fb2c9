"""Setting up a study step by step, and making one from another."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import EDIT_PROTOCOL, MANAGE_COHORTS, person, study_for
from study.accounts.models import Role
from study.assignment import wizard as acts
from study.assignment.duplicating import duplicate
from study.assignment.overview import overview


@require_GET
def wizard(request: HttpRequest, code: str) -> HttpResponse:
    """The five steps with what each lacks; it can be left and opened again at any time."""
    study = study_for(request, code)
    role = getattr(request, "role", "")
    context = {
        "study": study,
        "tab": "study",
        "overview": overview(study),
        "sources": acts.sources(study, person(request)),
        "to_open": acts.to_open(study),
        "to_mend": acts.to_mend(study),
        "edits": role in EDIT_PROTOCOL,
        "recruits": role in MANAGE_COHORTS,
        "walks": role != Role.VIEWER,
    }
    return render(request, "assignment/wizard.html", context)


@require_POST
def wizard_protocol(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *EDIT_PROTOCOL)
    try:
        acts.take_protocol(study, request.POST.get("source", ""), by=person(request))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("wizard", study.code)


@require_http_methods(["GET", "POST"])
def study_duplicate(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    context: dict[str, object] = {"study": study, "tab": "study"}
    context |= {"code": request.POST.get("code", ""), "name": request.POST.get("name", "")}
    if request.method == "POST":
        try:
            made = duplicate(study, code=str(context["code"]), name=str(context["name"]), by=person(request))
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            messages.success(request, _("The copy is made. It holds no people and no links."))
            return redirect("wizard", made.code)
    return render(request, "assignment/duplicate.html", context, status=422 if "problems" in context else 200)
