"""The close-out page: the checklist, closing, the archive and the way back from it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from study.accounts import archiving
from study.accounts.access import EDIT_PROTOCOL, person, study_for
from study.accounts.models import Role, Study
from study.accounts.reauth import dangerous
from study.results import closing_out as acts

STAFF = (Role.OWNER, Role.RESEARCHER, Role.COORDINATOR)


def closing_page(request: HttpRequest, study: Study, status: int = 200, **said: Any) -> HttpResponse:
    typed, lacking = said.pop("typed", {}), said.pop("lacking", {})
    lines = [(line, typed.get(line.key, ""), lacking.get(line.key)) for line in acts.lines(study)]
    told = acts.closing_told(study)
    titles = {line.key: line.title for line, _typed, _lacks in lines}
    left = [(titles.get(key, key), why) for key, why in told.detail.get("left_open", {}).items()] if told else []
    context = {
        "study": study,
        "tab": "study",
        "lines": lines,
        "open": sum(1 for line, _typed, _lacks in lines if not line.done),
        "told": told,
        "left": left,
        "may": getattr(request, "role", "") == Role.OWNER,
        "may_look": getattr(request, "role", "") in EDIT_PROTOCOL,
    }
    return render(request, "results/closing_out.html", context | said, status=status)


@require_GET
def closing_out(request: HttpRequest, code: str) -> HttpResponse:
    return closing_page(request, study_for(request, code, *STAFF))


@require_POST
def deviations_looked(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *EDIT_PROTOCOL)
    acts.look_through(study, by=person(request))
    return redirect("closing_out", study.code)


@require_POST
@dangerous
def study_close(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    typed = {name: text for name, text in request.POST.items() if isinstance(text, str)}
    try:
        acts.close(study, typed, by=person(request))
    except ValidationError as error:
        return closing_page(request, study, 422, typed=typed, lacking=error.message_dict)
    return redirect("closing_out", study.code)


@require_POST
@dangerous
@archiving.even_archived
def study_reopen(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    archiving.reopen(study, by=person(request))
    return redirect("closing_out", study.code)


@require_POST
@dangerous
@archiving.even_archived
def study_archive(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    try:
        acts.archive(study, by=person(request))
    except ValidationError as error:
        return closing_page(request, study, 409, problems=error.messages)
    return redirect("closing_out", study.code)


@require_POST
@dangerous
@archiving.even_archived
def study_unarchive(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    archiving.unarchive(study, by=person(request))
    return redirect("closing_out", study.code)
