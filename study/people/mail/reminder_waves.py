"""The waves of a cohort: added, changed, stopped, and how many people each has reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import time
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import User
from study.people.flows import lock_cohort
from study.people.mail import reminders, reminding
from study.people.models import Cohort, Letter, ReminderWave

MOST_WAVES, MOST_DAYS = 20, 90
CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def checked(form: Mapping[str, str]) -> dict[str, Any]:
    """``after_days`` and ``at_time`` of a form. Raises ValidationError with a remedy."""
    found, days = [], form.get("after_days", "").strip()
    if not (days.isdecimal() and len(days) < 4 and 1 <= int(days) <= MOST_DAYS):
        found.append(_("The days are a number from 1 to %(n)d.") % {"n": MOST_DAYS})
    clock = CLOCK.fullmatch(form.get("at_time", "").strip())
    at = time(int(clock[1]), int(clock[2])) if clock else None
    if at is None:
        found.append(_("The time is written like 10:00."))
    elif not reminders.is_decent(at):
        found.append(_("Reminders go between 08:00 and 20:00 of the person's day. Choose a time from 08:00 to 19:59."))
    if found:
        raise ValidationError(found)
    return {"after_days": int(days), "at_time": at}


@transaction.atomic
def add_wave(cohort: Cohort, to: str, form: Mapping[str, str], *, by: User) -> ReminderWave:
    """One more wave. A second press adds none: the same people, days and time are one wave."""
    if to not in reminding.TO:
        raise ValidationError(_("Choose who is reminded."))
    fields = checked(form)
    lock_cohort(cohort.pk)
    if same := cohort.waves.filter(to=to, **fields).first():
        return same
    if cohort.waves.count() >= MOST_WAVES:
        raise ValidationError(_("A cohort has %(n)d reminders at most.") % {"n": MOST_WAVES})
    number = (cohort.waves.aggregate(last=Max("number"))["last"] or 0) + 1
    wave = ReminderWave.objects.create(cohort=cohort, number=number, to=to, **fields)
    audit("wave.added", by=by, study=cohort.study, target=f"cohort {cohort.code}", wave=number, to=to)
    return wave


@transaction.atomic
def change_wave(wave: ReminderWave, form: Mapping[str, str], *, by: User) -> None:
    """Other days, another time, or stopped. Whoever had this wave already does not get it again."""
    fields = checked(form) | {"active": form.get("active") == "1"}
    ReminderWave.objects.filter(pk=wave.pk).update(**fields)
    audit(
        "wave.changed",
        by=by,
        study=wave.cohort.study,
        target=f"cohort {wave.cohort.code}",
        wave=wave.number,
        days=fields["after_days"],
        active=fields["active"],
    )


def went(wave: ReminderWave) -> int:
    """How many people this wave has reached: letters that the mail server took."""
    rows = Letter.objects.filter(participant__cohort=wave.cohort, kind=reminding.kind_for(wave.to), wave=wave.number)
    return rows.filter(state="sent").count()
