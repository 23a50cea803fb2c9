"""The coordinator's cohort pages: the board, the form, one cohort. Opening a cohort stands in assignment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.models import Study
from study.people.access import cohort_for
from study.people.coordinating import board
from study.people.models import Cohort, CohortState
from study.people.protocol import file_of, newest_frozen
from study.people.sample import cohort_board
from study.people.sample import cohorts as acts
from study.people.sample.moments import Terms, read_terms, to_type, zones
from study.people.sample.places import promised_most


def arms_of(study: Study) -> list[tuple[str, str]]:
    """Code and label of each arm of the newest frozen protocol; empty while there is none."""
    frozen = newest_frozen(study.pk)
    return [(arm.code, arm.label) for arm in file_of(frozen).arms] if frozen else []


def typed_cohort(form: dict[str, str], before: Terms | None = None) -> dict[str, Any]:
    """The fields of the cohort form, with a target of 0 for a text that is no number. Raises ValidationError."""
    target = form.get("target", "").strip()
    return {
        "name": form.get("name", ""),
        "channel": form.get("channel", ""),
        "target": int(target) if target.isdecimal() and len(target) < 9 else 0,
        "contact_email": form.get("contact_email", ""),
        "open_link": bool(form.get("open_link")),
        "pilot": bool(form.get("pilot")),
        "terms": read_terms(form, timezone.now(), before),
    }


def form_terms(terms: Terms, form: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the form's fields of the terms hold: as typed, else as stored, in the cohort's zone."""
    held: dict[str, Any] = {
        "zone": terms.zone,
        "opens_at": to_type(terms.opens_at, terms.zone),
        "closes_at": to_type(terms.closes_at, terms.zone),
        "most_started": terms.most_started or "",
        "hold_hours": terms.hold_hours,
        "moderated": terms.moderated,
    }
    return {"zones": zones(), "held": held | ({name: form.get(name, "") for name in held} if form else {})}


@require_GET
def cohorts(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    rows = cohort_board.board(study)
    context = {
        "study": study,
        "tab": "cohorts",
        "rows": rows,
        "completed": sum(row.completed for row in rows if not row.cohort.pilot),
        "target": sum(row.cohort.target for row in rows if not row.cohort.pilot),
        "going": sum(row.going for row in rows),
    }
    return render(request, "people/cohorts.html", context)


@require_http_methods(["GET", "POST"])
def cohort_new(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    arms = [code for typed in request.POST.getlist("arm") for code in typed.split(",")]
    context: dict[str, Any] = {"study": study, "tab": "cohorts", "arms": arms_of(study), "typed": request.POST}
    context |= {"chosen": arms, "may_pilot": True} | form_terms(Terms(), request.POST or None)
    if request.method == "POST":
        try:
            row = acts.create_cohort(
                study,
                code=request.POST.get("code", ""),
                arms=arms,
                by=person(request),
                **typed_cohort(request.POST.dict()),
            )
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            return redirect("cohort", study.code, row.code)
    return render(request, "people/cohort_form.html", context, status=422 if "problems" in context else 200)


@require_http_methods(["GET", "POST"])
def cohort_change(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    context: dict[str, Any] = {"study": row.study, "tab": "cohorts", "cohort": row, "typed": request.POST or row}
    context |= {"may_pilot": acts.may_become_pilot(row), "promised": promised_most(row)}
    context |= form_terms(acts.terms_of(row), request.POST or None)
    if request.method == "POST":
        try:
            typed = typed_cohort(request.POST.dict(), acts.terms_of(row))
            # A box that cannot be ticked any more is not sent, and says nothing.
            typed["pilot"] = typed["pilot"] if context["may_pilot"] else None
            acts.change_cohort(row, by=person(request), **typed)
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            return redirect("cohort", row.study.code, row.code)
    return render(request, "people/cohort_form.html", context, status=422 if "problems" in context else 200)


def cohort_context(request: HttpRequest, row: Cohort) -> dict[str, Any]:
    people = [(one, [board.letter_words(letter) for letter in one.letters.all()]) for one in board.people_of(row)]
    link = request.build_absolute_uri(f"/j/{row.open_link}/") if row.open_link else ""
    return {
        "study": row.study,
        "tab": "cohorts",
        "cohort": row,
        "row": cohort_board.row_of(row),
        "people": people,
        "link": link,
    }


@require_GET
def cohort(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    return render(request, "people/cohort.html", cohort_context(request, cohort_for(request, code, cohort)))


@require_POST
def cohort_pause(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    acts.set_state(row, CohortState.PAUSED, by=person(request))
    return redirect("cohort", row.study.code, row.code)


@require_POST
def cohort_close(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    acts.set_state(row, CohortState.CLOSED, by=person(request))
    return redirect("cohort", row.study.code, row.code)
