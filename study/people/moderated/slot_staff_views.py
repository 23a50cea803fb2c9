"""The slots of a cohort as its coordinator sees them: made, who comes, who came, cancelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from study.accounts.access import person
from study.people.access import cohort_for
from study.people.models import Cohort, Slot, SlotBooking
from study.people.moderated import slots
from study.people.sample.moments import read_moment, told


def number(form: Mapping[str, str], name: str, default: int) -> int:
    """What is typed in a field; 0 for what is no number, so that the check refuses it."""
    text = form.get(name, "").strip()
    return default if not text else int(text) if text.isdecimal() and len(text) < 6 else 0


def make(request: HttpRequest, row: Cohort) -> list[Slot]:
    form = request.POST.dict()
    starts = read_moment(form.get("starts", ""), row.zone)
    if starts is None:
        raise ValidationError(_("Say when the slot begins."))
    return slots.make_series(
        row,
        starts,
        minutes=number(form, "minutes", 90),
        places=number(form, "places", 1),
        moderator=form.get("moderator", ""),
        where=form.get("where", ""),
        every_days=number(form, "every_days", 0),
        times=number(form, "times", 1),
        by=person(request),
    )


@require_http_methods(["GET", "POST"])
def cohort_slots(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    context: dict[str, Any] = {"study": row.study, "tab": "cohorts", "cohort": row, "typed": request.POST}
    if request.method == "POST":
        try:
            n = len(make(request, row))
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            messages.success(request, ngettext("%d slot is open.", "%d slots are open.", n) % n)
            return redirect("cohort_slots", row.study.code, row.code)
    bookings = SlotBooking.objects.filter(given_up_at=None).select_related("participant").order_by("pk")
    found = slots.with_taken(row, Prefetch("bookings", bookings, to_attr="booked"))
    now = timezone.now()
    context["slots"] = [(slot, told(slot.starts_at, row.zone), slot.starts_at < now) for slot in found]
    return render(request, "people/staff/slots.html", context, status=422 if "problems" in context else 200)


@require_POST
def slot_cancel(request: HttpRequest, code: str, cohort: str, pk: int) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    slot = Slot.objects.select_related("cohort__study").filter(cohort=row, pk=pk).first()
    if slot is None:
        raise Http404
    if slots.cancel(slot, by=person(request)):
        messages.success(request, _("The slot is cancelled. Everybody who had chosen it gets a letter."))
    return redirect("cohort_slots", row.study.code, row.code)


@require_POST
def slot_mark(request: HttpRequest, code: str, cohort: str, pk: int) -> HttpResponse:
    """``came=1`` lets somebody in although it is late, ``came=0`` says that they did not come."""
    row = cohort_for(request, code, cohort)
    booking = SlotBooking.objects.select_related("participant__study", "slot").filter(slot__cohort=row, pk=pk).first()
    if booking is None or request.POST.get("came") not in ("0", "1"):
        raise Http404
    slots.mark(booking, request.POST["came"] == "1", by=person(request))
    return redirect("cohort_slots", row.study.code, row.code)
