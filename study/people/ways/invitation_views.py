"""The door of a personal invitation. Opening it changes nothing (P-01); each button is a URL of its own."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.models import User
from study.accounts.views import PASSWORDLESS
from study.people import flows
from study.people.frame import cohort_frame
from study.people.language import offered
from study.people.models import Invitation
from study.people.moderated import calendar_file
from study.people.ways import invitations, joining
from study.people.ways.doors import OPENING, meet, notice, somebody_else
from study.people.where import url_for
from study.people.wording_dates import open_until

SUGGESTED_HOUR = time(10)


def invitation_of(token: str) -> Invitation:
    """The invitation behind a link; 404 for a token nobody was given."""
    row = invitations.invitation_for(token)
    if row is None:
        raise Http404
    return row


@never_cache
@require_http_methods(OPENING)
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The confirm page. Opening it changes nothing, however often and by whomever (P-01)."""
    row = invitation_of(token)
    language = meet(request, row.cohort)
    frame = cohort_frame(row.cohort)
    other = somebody_else(request, row.participant.contact.email)
    if row.used_at and (not invitations.opens_again(row) or (isinstance(request.user, User) and not other)):
        return used_invitation(request, row)
    if reason := invitations.why_unusable(row):
        return over(request, row, reason)
    if request.method != "POST" or (other and not request.POST.get("switch")):
        context = frame | {"invitation": row, "other": other, "address": row.participant.contact.email}
        context |= {"languages": offered(frame["protocol"], language)}
        return render(request, "people/invitation.html", context, status=409 if request.method == "POST" else 200)
    try:
        participant, user = joining.confirm(row)
    except flows.NotOpen as closed:
        return notice(request, _("Not just now"), str(closed), 409, **frame)
    joining.keep_language(participant, language)
    login(request, user, backend=PASSWORDLESS)
    return redirect(url_for(participant))


def used_invitation(request: HttpRequest, row: Invitation) -> HttpResponse:
    """A link opened again leads its own person on; anybody else has to prove the mailbox by a code."""
    if isinstance(request.user, User) and not somebody_else(request, row.participant.contact.email):
        return redirect("hour")
    context = cohort_frame(row.cohort) | {"other": somebody_else(request, row.participant.contact.email)}
    return render(request, "people/invitation_used.html", context)


def over(request: HttpRequest, row: Invitation, reason: str, status: int = 410) -> HttpResponse:
    """Why the link opens nothing; a no can be taken back from here."""
    declined = bool(row.declined_at) and not row.revoked_at and row.expires_at > timezone.now()
    context = cohort_frame(row.cohort) | {"title": _("This invitation is over"), "text": reason}
    if status == 200:
        context["title"] = _("Thank you for letting us know")
    return render(request, "people/invitation_over.html", context | {"declined": declined}, status=status)


@require_POST
def invitation_decline(request: HttpRequest, token: str) -> HttpResponse:
    row = invitation_of(token)
    if row.used_at:
        return used_invitation(request, row)
    meet(request, row.cohort)
    invitations.decline(row)
    row.refresh_from_db()
    return over(request, row, _("That is noted. Nobody will write to you about this study again."), 200)


@require_POST
def invitation_undo(request: HttpRequest, token: str) -> HttpResponse:
    """The no is taken back; a confirmation is still asked for."""
    row = invitation_of(token)
    invitations.undo_decline(row)
    return redirect("invitation", token)


@never_cache
@require_POST
def invitation_tomorrow(request: HttpRequest, token: str) -> HttpResponse:
    """The same letter once more the next morning; nothing else happens."""
    row = invitation_of(token)
    meet(request, row.cohort)
    if row.used_at or invitations.why_unusable(row):
        raise Http404
    letter = invitations.tomorrow(row)
    text = _("You have been reminded often enough by now; the link in the first letter keeps working.")
    if letter:
        zone = ZoneInfo(row.participant.zone or row.cohort.zone or "UTC")
        moment = f"{date_format(letter.due_at.astimezone(zone), 'j F, H:i')} ({zone.key})"
        text = _("The same letter comes to you once more, %(moment)s. Nothing else has happened.") % {"moment": moment}
    return notice(request, _("Until tomorrow"), text, 200, **cohort_frame(row.cohort))


@never_cache
@require_GET
def invitation_calendar(request: HttpRequest, token: str) -> HttpResponse:
    """An entry for one's own calendar: the next working day at ten, to be moved by whoever keeps it."""
    row = invitation_of(token)
    meet(request, row.cohort)
    if invitations.why_unusable(row):
        raise Http404
    frame = cohort_frame(row.cohort)
    zone = ZoneInfo(row.participant.zone or row.cohort.zone or "UTC")
    day = timezone.now().astimezone(zone).date() + timedelta(days=1)
    while day.weekday() > 4:
        day += timedelta(days=1)
    starts = datetime.combine(day, SUGGESTED_HOUR, zone)
    link = settings.REALIA_URL + reverse("invitation", args=[token])
    until = _("Last day: %(day)s UTC") % {"day": f"{open_until(row):%Y-%m-%d %H:%M}"}
    text = calendar_file.entry(
        f"invitation-{row.pk}",
        starts=starts,
        ends=starts + timedelta(minutes=frame["protocol"].length.at_most),
        title=frame["public_title"],
        text=f"{link} {until}",
    )
    return calendar_file.as_file(text, "invitation.ics")
