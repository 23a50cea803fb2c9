"""The log of letters, and what a coordinator knows about an address that no server has said."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.audit import viewed
from study.people.access import person_of_study
from study.people.mail import letter_log, unsubscribing


@require_GET
def log(request: HttpRequest, code: str) -> HttpResponse:
    """Rows by kind, state and cohort. Addresses only when they are asked for, and that is written down."""
    study = study_for(request, code, *MANAGE_COHORTS)
    typed = {name: request.GET.get(name, "") for name in ("kind", "state", "cohort")}
    shown = letter_log.page_of(study, letter_log.Wish(**typed), request.GET.get("page", "1"))
    addresses = request.GET.get("addresses") == "1"
    if addresses:
        viewed("letters", by=person(request), study=study, n=len({letter.participant_id for letter in shown}))
    context = {
        "study": study, "tab": "letters", "typed": typed, "page": shown, "addresses": addresses,
        "rows": [letter_log.row_of(letter) for letter in shown], "totals": letter_log.totals(study),
        "kinds": letter_log.kinds_of(study), "states": letter_log.STATES.items(), "cohorts": study.cohorts.all(),
        "query": urlencode({name: value for name, value in typed.items() if value}),
    }  # fmt: skip
    return render(request, "people/staff/letter_log.html", context)


@require_POST
def participant_bounced(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """A letter came back to the team: nothing more is sent to that address."""
    row = person_of_study(request, code, participant)
    if unsubscribing.address_is_dead(row, by=person(request)):
        messages.success(request, _("Nothing more is sent to the address of %(code)s.") % {"code": row.code})
    return redirect("participant", row.study.code, row.code)


@require_POST
def participant_address_works(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    row = person_of_study(request, code, participant)
    if unsubscribing.address_works(row, by=person(request)):
        messages.success(request, _("Letters go to %(code)s again.") % {"code": row.code})
    return redirect("participant", row.study.code, row.code)
