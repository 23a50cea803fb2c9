"""Pause and help: the pages on which the clocks stand, and the button that lets them run again."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from study.assignment.models import Visit
from study.fieldwork import clock, helping, incidents, pausing
from study.fieldwork.answers import BadValue
from study.fieldwork.models import HelpKind
from study.fieldwork.visits import frame, visit_of
from study.people.access import participant_for
from study.people.models import Participant
from study.people.where import url_for


def visit_under_way(participant: Participant) -> Visit | None:
    """The visit whose clocks can be stopped; None before orientation, between two visits and after the end."""
    if participant.end or participant.stage not in clock.PART_OF_STAGE:
        return None
    visit = visit_of(participant)
    return None if visit.done_at else visit


def address(name: str, code: str, at: str) -> str:
    """The page of a stop, with the page that was left."""
    return reverse(name, args=[code]) + ("?" + urlencode({"at": at}) if at else "")


@never_cache
@require_http_methods(["GET", "POST"])
def pause(request: HttpRequest, code: str) -> HttpResponse:
    """POST stops the clocks; the page says that they stand, or offers to stop them."""
    participant = participant_for(request, code)
    visit = visit_under_way(participant)
    if visit is None or not (pausing.offered(visit) or visit.paused_at):
        return redirect(url_for(participant))
    at = pausing.page_from(request.POST.get("at") or request.GET.get("at", ""))
    if request.method == "POST":
        pausing.stop(visit, pausing.PAUSE)
        return redirect(address("pause", code, at))
    if visit.paused_for == pausing.HELP:
        return redirect("help", code)
    if visit.paused_for == pausing.INCIDENT:
        return stopped(request, visit, at)
    return render(request, "fieldwork/pause.html", frame(visit, at=at, no_stops=True))


def stopped(request: HttpRequest, visit: Visit, at: str) -> HttpResponse:
    """What people in the hour read while an incident lasts, and the way on once it is over."""
    row = incidents.last_of(visit)
    context = frame(visit, at=at, no_stops=True, text=incidents.words_of(row) if row else "", held=pausing.held(visit))
    return render(request, "fieldwork/stopped.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
def ask_for_help(request: HttpRequest, code: str) -> HttpResponse:
    """Three kinds, a few words if one likes. Sending stops the clocks; the page waits for the reply."""
    participant = participant_for(request, code)
    visit = visit_under_way(participant)
    if visit is None:
        return redirect(url_for(participant))
    problem = ""
    if request.method == "POST":
        try:
            return asked(request, visit)
        except BadValue as bad:
            problem = str(bad)
    at = pausing.page_from(request.POST.get("at") or request.GET.get("at", ""))
    rows = visit.help_requests.filter(went_on_at=None)
    context = frame(visit, at=at, rows=rows, kinds=HelpKind.choices, problem=problem, no_stops=True)
    context |= {"waits": visit.paused_for == pausing.HELP or (visit.paused_at and rows), "typed": request.POST}
    return render(request, "fieldwork/help.html", context, status=422 if problem else 200)


def asked(request: HttpRequest, visit: Visit) -> HttpResponse:
    form, code = request.POST, visit.participant.code
    at = pausing.page_from(form.get("at", ""))
    row, new = helping.ask(visit, kind=form.get("kind", ""), words=form.get("words", ""), page=at)
    if new and not helping.tell(row):
        messages.warning(request, _("The mail to the study team could not be sent. Write to them yourself, too."))
    return redirect(address("help", code, at))


@require_POST
def go_on(request: HttpRequest, code: str) -> HttpResponse:
    """Let the clocks run again, and go back to the page that was left."""
    participant = participant_for(request, code)
    visit = visit_under_way(participant)
    if visit is not None:
        pausing.go_on(visit)
    return redirect(pausing.way_back(participant, request.POST.get("at", "")))
