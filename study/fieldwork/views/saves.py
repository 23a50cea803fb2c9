"""Autosave: one JSON request, one field. Every answer says in words what became of the text."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from study.accounts.access import SigninNeeded
from study.assignment.models import Visit
from study.fieldwork import outbox, saving
from study.fieldwork.answers import BadValue
from study.fieldwork.slots import Closed, UnknownField, slot_for
from study.fieldwork.visits import count_request, visit_of
from study.people.access import participant_for
from study.people.consenting.consent import asked_again
from study.people.where import url_for

MOST_FIELDS = 60


def refused(error: str, message: str, status: int, **more: Any) -> JsonResponse:
    return JsonResponse({"error": error, "message": message, **more}, status=status)


@never_cache
@require_http_methods(["GET", "POST"])
def save(request: HttpRequest, code: str) -> HttpResponse:
    """One field of the hour.

    GET gives a fresh token, the key of the outbox and what is stored; POST takes
    ``{field, value, base, save_id, participant}`` and answers 200, 401, 403, 404,
    409 or 422 with words. It is taken while the clocks stand, and lets them stand.
    """
    try:
        participant = participant_for(request, code)
    except Http404:
        # The same words for somebody else's code and for a made-up one (P-39).
        return refused("other_participant", outbox.words()["other"], 404)
    except SigninNeeded:
        return refused(
            "signin", _("You have been signed out. Sign in again in another tab; your text stays here."), 401
        )
    visit = visit_of(participant)
    if request.method == "GET":
        return current(request, visit)
    try:
        # A form's body has been read by then; only JSON is an autosave.
        sent = json.loads(request.body) if request.content_type == "application/json" else None
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        return refused("value", _("This is not an answer."), 422)
    if sent.get("participant") != visit.owner:
        if str(sent.get("participant")).startswith(participant.code):
            words = _("This page belongs to an earlier visit, which is over. Nothing was saved; your text stays here.")
            return refused("closed", words, 409, next=url_for(participant), page=data_page(visit))
        words = _(
            "This page belongs to someone else than the person signed in now. Nothing was saved; your text stays here."
        )
        return refused("other_participant", words, 403)
    return store(visit, sent)


def store(visit: Visit, sent: dict[str, Any]) -> HttpResponse:
    field = sent.get("field", "")
    try:
        done = saving.save(
            visit, field=field, value=sent.get("value"), base=sent.get("base", 0), save_id=sent.get("save_id", "")
        )
    except saving.Stale as stale:
        words = _("Another tab has saved something else since.")
        more = shown(stale.stored) | {"by": stale.stored.by, "page": page_of(visit, stale.stored.field)}
        return refused("stale", words, 409, typed=stale.typed, **more)
    except Closed as closed:
        return refused("closed", str(closed), 409, next=url_for(visit.participant), page=data_page(visit))
    except BadValue as bad:
        return refused("value", str(bad), 422)
    except UnknownField:
        raise Http404 from None
    answer = shown(done)
    if count_request(visit) or asked_again(visit.participant):
        # What was on its way is stored; where to go next is said beside it.
        answer["next"] = url_for(visit.participant)
    return JsonResponse(answer)


def current(request: HttpRequest, visit: Visit) -> HttpResponse:
    participant = visit.participant
    answer: dict[str, Any] = {"csrf": get_token(request), "participant": visit.owner}
    answer |= {"key": outbox.key_for(participant), "say": outbox.words()}
    found: dict[str, Any] = {}
    for field in request.GET.getlist("field")[:MOST_FIELDS]:
        try:
            version, value, at = slot_for(visit, field).stored()
        except UnknownField:
            raise Http404 from None
        found[field] = {"field": field, "version": version, "value": value, "at": at and at.isoformat()}
    answer |= {"fields": found} | (next(iter(found.values())) if len(found) == 1 else {})
    return JsonResponse(answer)


def page_of(visit: Visit, field: str) -> str:
    """Where a field is typed, for somebody who has to choose between two texts of it."""
    kind, _slash, rest = field.partition("/")
    code, name = visit.participant.code, rest.partition("/")[0]
    if kind in ("attempt", "scratch"):
        return reverse("attempt", args=[code, int(name)])
    return reverse("rate", args=[code, name]) if kind in ("rating", "rationale") else reverse("hour_of", args=[code])


def data_page(visit: Visit) -> str:
    return reverse("own_data", args=[visit.participant.code])


def shown(done: saving.Acknowledged) -> dict[str, Any]:
    return {"field": done.field, "version": done.version, "value": done.value, "at": done.at.isoformat()}
