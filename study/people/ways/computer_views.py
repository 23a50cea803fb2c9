"""The pages of "Send it to my computer": from the confirm page, by its link, and from the hour."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from study.people.access import participant_for
from study.people.frame import cohort_frame, hour_frame
from study.people.ways import computer, invitations
from study.people.ways.doors import meet
from study.people.where import url_for


@never_cache
@require_POST
def invitation_computer(request: HttpRequest, token: str) -> HttpResponse:
    """The same link once more to the same mailbox. Nobody is signed up by it."""
    row = invitations.invitation_for(token)
    if row is None or invitations.why_unusable(row):
        raise Http404
    meet(request, row.cohort)
    letter = computer.send_link(row.participant)
    context = cohort_frame(row.cohort) | {
        "letter": letter,
        "pressed": True,
        "back": reverse("invitation", args=[token]),
    }
    return render(request, "people/computer.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hour_computer(request: HttpRequest, code: str) -> HttpResponse:
    """Mails the link, or shows a short code to somebody without an address."""
    participant = participant_for(request, code)
    mails = computer.has_address(participant)
    context = hour_frame(participant) | {"mails": mails, "back": url_for(participant)}
    if request.method == "POST" and not participant.end:
        context["pressed"] = True
        if mails:
            context["letter"] = computer.send_link(participant)
        else:
            context["short_code"] = computer.new_short_code(participant)
            context["where"] = settings.REALIA_URL + reverse("hour")
            context["minutes"] = computer.CODE_MINUTES
    return render(request, "people/computer.html", context)
