"""The slot page of a participant: choose, change, give up, an entry for the calendar, and the way into the hour."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.people.access import hour_page
from study.people.frame import hour_frame
from study.people.models import Participant, Stage
from study.people.moderated import slots
from study.people.moderated.calendar_file import as_file, entry
from study.people.sample.moments import told, zones
from study.people.where import url_for

MOST_SHOWN = 60


def zone_of(participant: Participant) -> str:
    return participant.zone or participant.cohort.zone


def page(request: HttpRequest, participant: Participant, problem: str = "", status: int = 200) -> HttpResponse:
    booking, zone = slots.booking_of(participant), zone_of(participant)
    missed = slots.missed(participant)
    may_choose = (booking is None or slots.may_change(booking)) and missed < slots.MOST_MISSED
    offered = [one for one in slots.on_offer(participant) if not booking or one.pk != booking.slot_id]
    context = hour_frame(participant) | {
        "booking": booking,
        "when": told(booking.slot.starts_at, zone) if booking else None,
        "is_time": bool(booking and slots.is_time(booking)),
        "opens": told(booking.slot.starts_at - slots.EARLY, zone) if booking else None,
        "may_change": bool(booking and slots.may_change(booking)),
        "may_choose": may_choose,
        "missed": missed,
        "offered": [(one, told(one.starts_at, zone)) for one in offered[:MOST_SHOWN]] if may_choose else [],
        "zone": zone,
        "zones": zones(),
        "zone_is_own": bool(participant.zone),
        "problem": problem,
    }
    return render(request, "people/slot.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@hour_page(Stage.ELIGIBLE)
def slot(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Between the screener and the consent of a moderated visit. POST chooses a slot."""
    if not participant.cohort.moderated or participant.preview:
        return redirect(url_for(participant))
    if request.method != "POST":
        return page(request, participant)
    typed = request.POST.get("slot", "")
    if not typed.isdecimal() or len(typed) > 12:
        return page(request, participant, _("Choose one of the slots."), 422)
    try:
        slots.book(participant, int(typed))
    except slots.NoPlace as problem:
        return page(request, participant, str(problem), 409)
    return redirect("slot", participant.code)


@require_POST
@hour_page(Stage.ELIGIBLE)
def slot_begin(request: HttpRequest, participant: Participant) -> HttpResponse:
    """They are there: from here on the consent is open."""
    slots.arrive(participant)
    return redirect(url_for(participant))


@require_POST
@hour_page(Stage.ELIGIBLE)
def slot_give_up(request: HttpRequest, participant: Participant) -> HttpResponse:
    try:
        slots.give_up(participant)
    except slots.NoPlace as problem:
        return page(request, participant, str(problem), 409)
    return redirect(url_for(participant))


@require_POST
@hour_page(Stage.ELIGIBLE)
def slot_zone(request: HttpRequest, participant: Participant) -> HttpResponse:
    """In which zone this person is told times, here and in letters."""
    zone = request.POST.get("zone", "").strip()
    if zone not in zones():
        return page(request, participant, _("Choose a time zone of the list, such as Europe/Oslo."), 422)
    Participant.objects.filter(pk=participant.pk).update(zone=zone)
    return redirect("slot", participant.code)


@never_cache
@require_GET
@hour_page(Stage.ELIGIBLE)
def slot_calendar(request: HttpRequest, participant: Participant) -> HttpResponse:
    booking = slots.booking_of(participant)
    if booking is None:
        return redirect(url_for(participant))
    link = settings.REALIA_URL + reverse("slot", args=[participant.code])
    text = entry(
        f"{participant.code}-slot-{booking.pk}",
        starts=booking.slot.starts_at,
        ends=booking.slot.starts_at + timedelta(minutes=booking.slot.minutes),
        title=hour_frame(participant)["public_title"],
        text=_("Begin here: %(link)s") % {"link": link},
        where=booking.slot.where,
    )
    return as_file(text)
