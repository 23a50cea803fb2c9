"""Standing still: a pause, or help asked for, stops every clock of a visit until the participant goes on (M15, M21).

What is typed meanwhile in another tab is still saved. Pages of the hour, and
desks of the visit, ask to go on first: nobody works past a clock that stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import F, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from study.accounts.models import User
from study.assignment.models import Visit
from study.fieldwork import clock
from study.fieldwork.models import HelpRequest, Incident
from study.people.consenting.consent import asked_again
from study.people.models import Participant
from study.people.protocol import file_of
from study.people.where import url_for

PAUSE, HELP, INCIDENT = "pause", "help", "incident"
LONGEST_PAGE = 200


def offered(visit: Visit) -> bool:
    """Whether there is a pause button. The published studies were done in one go, so their replications have none."""
    return file_of(visit.protocol).meta.kind != "replication" and not visit.participant.end


@transaction.atomic
def stop(visit: Visit, why: str) -> bool:
    """Stop the clocks, once; False when they stood already. A pause in which help is asked for counts as help."""
    now = timezone.now()
    clock.touch(visit, now=now)
    stopped = Visit.objects.filter(pk=visit.pk, paused_at=None).update(paused_at=now, paused_for=why)
    if not stopped and why == HELP:
        Visit.objects.filter(pk=visit.pk, paused_for=PAUSE).update(paused_for=why)
    visit.refresh_from_db(fields=["paused_at", "paused_for"])
    return bool(stopped)


@transaction.atomic
def stop_for_incident(visit: Visit) -> None:
    """Stop the clocks for an incident; a pause or a wait for help that was going on ends here, and the incident's
    begins, so that each is measured by itself."""
    now = timezone.now()
    row = Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    if row.paused_at is None:
        clock.touch(visit, now=now)
    elif row.paused_for != INCIDENT:
        clock.stand_still(visit, row.paused_at, now, row.paused_for)
    else:
        return
    Visit.objects.filter(pk=visit.pk).update(paused_at=now, paused_for=INCIDENT)
    visit.refresh_from_db(fields=["paused_at", "paused_for"])


def held(visit: Visit) -> bool:
    """Whether an incident goes on, so that nobody can go on."""
    return Incident.objects.filter(study_id=visit.participant.study_id, over_at=None).exists()


@transaction.atomic
def go_on(visit: Visit) -> bool:
    """Let the clocks run again, once; False when they ran already, and while an incident lasts.

    Requests for help count as settled.
    """
    now = timezone.now()
    row = Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    if row.paused_at is None or (row.paused_for == INCIDENT and held(visit)):
        return False
    clock.stand_still(visit, row.paused_at, now, row.paused_for)
    HelpRequest.objects.filter(visit=visit, went_on_at=None).update(went_on_at=now)
    Visit.objects.filter(pk=visit.pk).update(paused_at=None, paused_for="")
    visit.paused_at, visit.paused_for = None, ""
    return True


def page_from(text: str) -> str:
    """A page of the hour to come back to or to tell about; empty for any other address."""
    inside = text.startswith(("/hour/", "/crm/")) and url_has_allowed_host_and_scheme(text, allowed_hosts=None)
    return text if inside and len(text) <= LONGEST_PAGE else ""


def page_of_stop(visit: Visit) -> str:
    """Where somebody whose clocks stand is led."""
    return reverse("help" if visit.paused_for == HELP else "pause", args=[visit.participant.code])


def ask_to_go_on(request: HttpRequest, visit: Visit) -> HttpResponse:
    """To the page that says that the clocks stand, with the way back to the page that was asked for."""
    back = page_from(request.get_full_path()) if request.method == "GET" else ""
    return redirect(page_of_stop(visit) + ("?" + urlencode({"at": back}) if back else ""))


def way_back(participant: Participant, text: str) -> str:
    """The page that was left, else the participant's own."""
    back = page_from(text)
    own = back.startswith((f"/hour/{participant.code}/", "/crm/"))
    return back if own else url_for(participant)


class Desks:
    """Keeps the desks of a visit shut while its clocks stand, or its person has to agree to a changed text (P-44).

    The sandbox itself knows nothing of visits.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, _view: Callable[..., HttpResponse], _args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        if not request.path.startswith("/crm/") or not isinstance(request.user, User):
            return None
        code, own = str(kwargs.get("code", "")), Q(participant__user=request.user, participant__end="")
        changed = Q(participant__cohort__protocol_number__gt=F("protocol__number"))
        rows = Visit.objects.select_related("participant__cohort").filter(own, Q(paused_at__isnull=False) | changed)
        visit = next((one for one in rows if _is_desk_of(one, code)), None)
        if visit is None:
            return None
        again = asked_again(visit.participant)
        if visit.paused_at is None and not again:
            return None
        if "application/json" in request.headers.get("Accept", "") or request.headers.get("HX-Request"):
            return JsonResponse({"error": "paused", "message": _("The clocks stand. Go on first.")}, status=409)
        if again:
            return redirect("consent_again", visit.participant.code)
        return ask_to_go_on(request, visit)


def _is_desk_of(visit: Visit, code: str) -> bool:
    return visit.attempts.filter(desk__code=code).exists() or visit.desks.filter(desk__code=code).exists()
