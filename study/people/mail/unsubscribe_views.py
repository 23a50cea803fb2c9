"""The page behind the link in every letter that nobody asked for. Opening it changes nothing (P-01)."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from study.people.frame import cohort_frame
from study.people.mail import unsubscribing
from study.people.models import Participant
from study.people.protocol import speak_to
from study.people.ways.doors import meet


def behind(request: HttpRequest, token: str) -> Participant:
    row = unsubscribing.participant_behind(token)
    if row is None:
        raise Http404
    # Whoever has chosen no language yet is met as at the door of their invitation.
    if row.language:
        speak_to(row)
    else:
        meet(request, row.cohort)
    return row


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """A mail program posts here without cookies or a page (RFC 8058); the token alone says whose letters these are."""
    row = behind(request, token)
    if request.method == "POST":
        unsubscribing.unsubscribe(row)
    context = cohort_frame(row.cohort) | {"token": token, "since": unsubscribing.unsubscribed_at(row)}
    context["may_join"] = not row.end and row.joined_at is None
    context["reached"] = hasattr(row, "contact") and bool(row.contact.email)
    return render(request, "people/unsubscribe.html", context)


@require_POST
def unsubscribe_undo(request: HttpRequest, token: str) -> HttpResponse:
    unsubscribing.subscribe_again(behind(request, token))
    return redirect("unsubscribe", token)
