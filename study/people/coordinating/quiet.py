"""Who has gone quiet: people on their way whom nobody has seen for a while. Reading only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.people.models import Participant, ParticipantQuerySet, SlotBooking, Stage
from study.people.needs_me import Need, source

QUIET = timedelta(hours=2)
NOT_BEGUN = timedelta(hours=24)
ON_THE_WAY = (Stage.ELIGIBLE, Stage.CONSENTED, Stage.WORKING, Stage.RATING)


def gone_quiet(people: ParticipantQuerySet, now: datetime) -> ParticipantQuerySet:
    """Eligible or in the hour, and not here for two hours. Whoever has booked a slot is waited for, not missed."""
    booked = SlotBooking.objects.filter(participant=OuterRef("pk"), given_up_at=None, came=None)
    return people.active().filter(~Exists(booked), stage__in=ON_THE_WAY, last_seen_at__lt=now - QUIET)


def not_begun(people: ParticipantQuerySet, now: datetime) -> ParticipantQuerySet:
    """Opened their link and confirmed, and never answered a question, a day later."""
    return people.active().filter(stage=Stage.JOINED, joined_at__lt=now - NOT_BEGUN, last_seen_at__lt=now - NOT_BEGUN)


def _of(study: Study) -> ParticipantQuerySet:
    return Participant.objects.people().filter(study=study).select_related("cohort")


def remind_url(study: Study, code: str) -> str:
    """The page that asks whether to remind this one person."""
    return reverse("people_bulk", args=[study.code]) + f"?act=remind&who={code}"


@source("quiet")
def quiet_needs(study: Study) -> Iterator[Need]:
    for one in gone_quiet(_of(study), timezone.now()):
        where = _("%(stage)s, %(cohort)s") % {"stage": one.get_stage_display().capitalize(), "cohort": one.cohort.name}
        yield Need(
            kind="quiet",
            text=_("Has gone quiet"),
            detail=where,
            url=remind_url(study, one.code),
            act=_("Remind"),
            since=one.last_seen_at,
            code=one.code,
        )


@source("not begun")
def not_begun_needs(study: Study) -> Iterator[Need]:
    for one in not_begun(_of(study), timezone.now()):
        yield Need(
            kind="not_begun",
            text=_("Opened the link and has not begun"),
            detail=one.cohort.name,
            url=remind_url(study, one.code),
            act=_("Remind"),
            since=one.joined_at,
            code=one.code,
        )
