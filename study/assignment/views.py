"""Consent, which gives the visit; the study's overview; opening a cohort."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import person, study_for
from study.assignment import flows, second_visit
from study.assignment.models import Visit
from study.assignment.overview import overview
from study.people import flows as people
from study.people.access import cohort_for, hour_page
from study.people.consenting.consent import consent_text, missing_ticks, text_hash
from study.people.frame import hour_frame
from study.people.models import Participant, Stage
from study.people.moderated import slots
from study.people.moderated.calendar_file import as_file
from study.people.protocol import file_of, protocol_of
from study.people.sample.cohort_views import cohort_context
from study.people.ways.doors import notice
from study.people.where import url_for


def something_missing(request: HttpRequest, frame: dict[str, Any]) -> HttpResponse:
    """No visit can be made now; what the participant did is kept."""
    said = _("Something is missing on our side, so the work cannot begin. Nothing is lost; tell the study team.")
    return notice(request, _("Not just now"), said, 503, **frame)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@hour_page(Stage.ELIGIBLE)
def consent(request: HttpRequest, participant: Participant) -> HttpResponse:
    """What is agreed to is the text on this page; an older text that was still open is shown anew (P-44)."""
    if slots.holds_back(participant) or not people.hold_again(participant):
        return redirect(url_for(participant))
    protocol = protocol_of(participant.cohort)
    frame = hour_frame(participant, protocol)
    file = file_of(protocol)
    sha256 = text_hash(consent_text(file))
    ticked = request.POST.getlist("statement")
    changed = request.method == "POST" and request.POST.get("sha256") != sha256
    missing = missing_ticks(file, ticked) if request.method == "POST" and not changed else []
    if request.method != "POST" or changed or missing:
        kept = [] if changed else ticked
        context = frame | {"sha256": sha256, "ticked": kept, "missing": missing, "changed": changed}
        return render(request, "people/consent.html", context, status=409 if changed else 422 if missing else 200)
    try:
        flows.consent_and_begin(participant, protocol, ticked)
    except people.NotOpen as closed:
        return notice(request, _("Not just now"), str(closed), 409, **frame)
    except flows.CannotBegin:
        return something_missing(request, frame)
    participant.refresh_from_db()
    return redirect(url_for(participant))


@never_cache
@require_GET
@hour_page(Stage.LOCKED)
def next_visit(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Between two visits: from when to when the next one can begin, and its button once it can."""
    visit = second_visit.waiting(participant)
    if visit is None:
        return redirect(url_for(participant))
    return render(request, "assignment/next_visit.html", next_frame(participant, visit))


def next_frame(participant: Participant, visit: Visit) -> dict[str, Any]:
    window, now = flows.window_after(visit), timezone.now()
    return hour_frame(participant, visit.protocol) | {
        "window": window,
        "may_begin": participant.preview or window.is_open(now),
        "over": window.is_over(now) and not participant.preview,
        "number": visit.period + 1,
        "total": len(flows.plans_of(participant, visit.protocol).plans),
        "done": visit,
    }


@require_POST
@hour_page(Stage.LOCKED)
def next_visit_begin(request: HttpRequest, participant: Participant) -> HttpResponse:
    visit = second_visit.waiting(participant)
    try:
        flows.begin_next(participant)
    except flows.TooEarly:
        return redirect("next_visit", participant.code)
    except people.NotOpen as closed:
        return notice(request, _("Not just now"), str(closed), 409, **hour_frame(participant))
    except flows.CannotBegin:
        return something_missing(request, hour_frame(participant, visit.protocol if visit else None))
    participant.refresh_from_db()
    return redirect(url_for(participant))


@never_cache
@require_GET
@hour_page(Stage.LOCKED)
def next_visit_calendar(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The entry for one's own calendar: only the time and the way back."""
    visit = second_visit.waiting(participant)
    if visit is None:
        return redirect(url_for(participant))
    file = file_of(visit.protocol)
    text = second_visit.calendar(participant, visit, file.meta.public_title, file.length.at_most)
    return as_file(text)


@require_GET
def study(request: HttpRequest, code: str) -> HttpResponse:
    row = study_for(request, code)
    return render(request, "assignment/study.html", {"study": row, "tab": "study", "overview": overview(row)})


@require_POST
def cohort_open(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    try:
        flows.open_cohort(row, by=person(request))
    except flows.NotReady as missing:
        context = cohort_context(request, row) | {"opening_problems": missing.problems}
        return render(request, "people/cohort.html", context, status=409)
    return redirect("cohort", row.study.code, row.code)
