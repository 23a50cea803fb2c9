"""The door to a participant's visit, and the gate of every page of the hour from orientation on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from study.assignment.models import Visit
from study.fieldwork import clock, devices, pausing, working
from study.fieldwork.answers import BadValue
from study.fieldwork.saving import Stale
from study.fieldwork.slots import Closed, UnknownField
from study.people.access import hour_page, participant_for
from study.people.consenting.consent import asked_again
from study.people.frame import hour_frame
from study.people.models import Participant, Stage
from study.people.where import url_for

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Visit, P], HttpResponse]


def visit_of(participant: Participant) -> Visit:
    """The participant's present visit; 404 before there is one."""
    visit = Visit.objects.select_related("protocol", "org").filter(participant=participant).order_by("-period").first()
    if visit is None:
        raise Http404
    visit.participant = participant
    return visit


def count_request(visit: Visit) -> bool:
    """Count this request on the visit's clock; True when it was the one that ended the work part."""
    if visit.paused_at:
        return False
    clock.touch(visit)
    if visit.participant.stage != Stage.WORKING or visit.participant.end or not clock.time_is_up(visit):
        return False
    return working.time_up(visit)


def say_time_up(request: HttpRequest) -> None:
    messages.info(
        request, _("Time is up. Your answer is saved as it stands; the ratings come next and have their own time.")
    )


def come_late(
    request: HttpRequest, code: str, stages: tuple[str, ...], keep: Callable[[Visit], object] | None
) -> HttpResponse | None:
    """What to answer to a form whose part is over, or that belongs to an earlier visit; None for any other.

    A page without scripts sends all it holds only now: it is kept aside as a late save is, and changes nothing.
    """
    participant = participant_for(request, code)
    visit = visit_of(participant)
    meant = next((one for one in participant.visits.all() if one.owner == request.POST.get("visit")), visit)
    again = asked_again(participant)
    if meant == visit and participant.stage in stages and not participant.end and not visit.done_at and not again:
        return None
    meant.participant = participant
    if keep is not None and not participant.end:
        before = meant.saves.count()
        with suppress(Closed, BadValue, Stale, UnknownField, Http404):
            keep(meant)
        if meant.saves.count() > before and again:
            messages.info(request, _("What you sent is saved."))
        elif meant.saves.count() > before:
            messages.info(request, _("What you sent came too late for its part. It is kept with your data."))
    return redirect(url_for(participant))


def visit_page(
    *stages: str, late: Callable[..., object] | None = None
) -> Callable[[View[P]], Callable[..., HttpResponse]]:
    """A view ``view(request, visit, …)`` of the hour at one of ``stages``; its requests run the clock.

    What somebody sends in the very minute the time ends is still taken: a POST
    is done first and counted after. While the clocks stand a page asks to go on
    first; what is sent meanwhile is kept. ``late(request, visit, …)`` keeps the
    texts of a form that is over.
    """

    def gate(view: View[P]) -> Callable[..., HttpResponse]:
        @hour_page(*stages)
        @wraps(view)
        def page(request: HttpRequest, participant: Participant, *args: Any, **kwargs: Any) -> HttpResponse:
            visit = visit_of(participant)
            if visit.done_at:
                return redirect("next_visit", participant.code)
            devices.noticed(request, visit)
            if request.method == "POST":
                # The time up to here is of the question and part that this very request may end.
                clock.touch(visit)
                response = view(request, visit, *args, **kwargs)
                if count_request(visit):
                    say_time_up(request)
                    return redirect(url_for(participant))
                return response
            if visit.paused_at:
                return pausing.ask_to_go_on(request, visit)
            if count_request(visit):
                say_time_up(request)
                return redirect(url_for(participant))
            return view(request, visit, *args, **kwargs)

        @never_cache
        @wraps(view)
        def door(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST":
                keep = None if late is None else lambda visit: late(request, visit, *args, **kwargs)
                if (answer := come_late(request, code, stages, keep)) is not None:
                    return answer
            return page(request, code, *args, **kwargs)

        return door

    return gate


def frame(visit: Visit, **more: Any) -> dict[str, Any]:
    """The context every page of the hour shares."""
    return hour_frame(visit.participant, visit.protocol) | {"visit": visit, "saved_words": saved_words()} | more


def saved_words() -> dict[str, str]:
    """What the line of the saved state says, for the scripts."""
    return {
        "saving": _("Saving…"),
        "saved": _("All saved"),
        "ago": _("All saved, {n} seconds ago"),
        "minutes": _("All saved, {n} minutes ago"),
        "offline": _("You are offline. Kept on this page; we will send it when you are back."),
        "conflict": _("Open in another tab too. That tab has saved something else; nothing is overwritten."),
        "theirs": _("Use that one"),
        "mine": _("Keep what stands here"),
    }
