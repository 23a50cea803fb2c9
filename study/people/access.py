"""The doors to participants and cohorts, and the gate that keeps each page of the hour to its stage."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.people.consenting.consent import asked_again
from study.people.models import Cohort, Participant
from study.people.protocol import speak_to
from study.people.where import url_for

SEEN_EVERY = timedelta(minutes=1)
P = ParamSpec("P")


def participant_for(request: HttpRequest, code: str) -> Participant:
    """The signed-in person's own participant; 404 for anybody else's, as for a made-up code (P-39)."""
    user = person(request)
    row = Participant.objects.select_related("cohort", "study").filter(code=code, user=user).first()
    if row is None:
        raise Http404
    speak_to(row)
    return row


def cohort_for(request: HttpRequest, code: str, cohort: str) -> Cohort:
    """The cohort, for an owner or coordinator of its study."""
    study = study_for(request, code, *MANAGE_COHORTS)
    row = Cohort.objects.select_related("study").filter(study=study, code=cohort).first()
    if row is None:
        raise Http404
    return row


def person_of_study(request: HttpRequest, code: str, participant: str) -> Participant:
    """A participant as their study's owner or coordinator sees them, contact included."""
    study = study_for(request, code, *MANAGE_COHORTS)
    row = Participant.objects.select_related("cohort", "study").filter(study=study, code=participant).first()
    if row is None:
        raise Http404
    return row


def seen(participant: Participant) -> None:
    """Remember when they were last here, at most once a minute."""
    now = timezone.now()
    if participant.last_seen_at is None or now - participant.last_seen_at > SEEN_EVERY:
        Participant.objects.filter(pk=participant.pk).update(last_seen_at=now)
        participant.last_seen_at = now


def hour_page(
    *stages: str, bound: bool = True
) -> Callable[[Callable[Concatenate[HttpRequest, Participant, P], HttpResponse]], Callable[..., HttpResponse]]:
    """A view of the hour: ``view(request, participant, …)`` behind URLs with the participant's ``code``.

    Anyone whose stage is not among ``stages``, or who has ended, is led to the
    page where they are: later pages stay shut (P-11), earlier ones do not open
    again (P-09), and a second press of a button lands where the first one did (P-08).
    Whoever has to agree to a changed text is led there first (P-44), except where ``bound`` is false.
    """

    def gate(view: Callable[Concatenate[HttpRequest, Participant, P], HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def page(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
            participant = participant_for(request, code)
            if participant.end or participant.stage not in stages or (bound and asked_again(participant)):
                return redirect(url_for(participant))
            seen(participant)
            return view(request, participant, *args, **kwargs)

        return page

    return gate
