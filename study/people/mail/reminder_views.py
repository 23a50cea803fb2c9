"""The page on which a cohort's reminders are set: to whom, how many days after what, at which hour of their day."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import person
from study.people.access import cohort_for
from study.people.mail import reminding
from study.people.mail.reminder_waves import MOST_WAVES, add_wave, change_wave, went
from study.people.models import Cohort


def page(request: HttpRequest, cohort: Cohort, **more: Any) -> HttpResponse:
    waves = [(wave, reminding.TO_WORDS[wave.to], went(wave)) for wave in cohort.waves.all()]
    context = {"study": cohort.study, "tab": "cohorts", "cohort": cohort, "waves": waves}
    context |= {"to": reminding.TO_WORDS.items(), "may_add": len(waves) < MOST_WAVES}
    return render(request, "people/staff/reminders.html", context | more, status=422 if "problems" in more else 200)


@require_GET
def cohort_reminders(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    return page(request, cohort_for(request, code, cohort))


@require_POST
def cohort_reminder_add(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    try:
        add_wave(row, request.POST.get("to", ""), request.POST.dict(), by=person(request))
    except ValidationError as error:
        return page(request, row, problems=error.messages, typed=request.POST)
    messages.success(request, _("The reminder stands. It goes to each person when their day comes."))
    return redirect("cohort_reminders", row.study.code, row.code)


@require_POST
def cohort_reminder_change(request: HttpRequest, code: str, cohort: str, number: int) -> HttpResponse:
    row = cohort_for(request, code, cohort)
    wave = row.waves.filter(number=number).first()
    if wave is not None:
        try:
            change_wave(wave, request.POST.dict(), by=person(request))
        except ValidationError as error:
            return page(request, row, problems=error.messages)
        messages.success(request, _("Reminder %(n)d is changed.") % {"n": number})
    return redirect("cohort_reminders", row.study.code, row.code)
