"""What waits for a coordinator about people in the hour: stuck, help, a second device, quiet at the end, incidents."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.assignment.models import Visit
from study.fieldwork import incidents
from study.fieldwork.models import Attempt, FluencyMove, HelpRequest, Save
from study.people.coordinating.quiet import QUIET
from study.people.models import Participant, Stage
from study.people.needs_me import Need, source

STUCK = timedelta(minutes=20)
HERE = timedelta(minutes=10)
SECOND_DEVICE_FOR = timedelta(hours=1)
IN_WORK = (Stage.CONSENTED, Stage.WORKING, Stage.RATING)


def _going(study: Study) -> QuerySet[Visit]:
    """The visits of people in the hour whose clocks run."""
    people = Participant.objects.people().active().filter(study=study)
    rows = Visit.objects.filter(participant__in=people, done_at=None, paused_at=None)
    return rows.select_related("participant__cohort")


def _newest(rows: QuerySet[Attempt] | QuerySet[Save] | QuerySet[FluencyMove], name: str) -> Subquery:
    of_visit = rows.filter(visit=OuterRef("pk")).order_by().values("visit")
    return Subquery(of_visit.annotate(newest=Max(name)).values("newest")[:1])


def moved_at(visit: Visit) -> datetime:
    """When this visit last got on: a part begun, a question opened or ended, a move made, a save, a pause over."""
    moments = [visit.begun_at, visit.oriented_at, visit.work_started_at, visit.work_ended_at, visit.rating_started_at]
    moments += [getattr(visit, name) for name in ("saved", "opened", "ended", "done_move")]
    for clock in visit.clocks.all():
        moments += [
            datetime.fromisoformat(one["from"]) + timedelta(seconds=one["seconds"]) for one in clock.breaks[-1:]
        ]
    return max(moment for moment in moments if moment)


def stuck_visits(study: Study, now: datetime) -> list[tuple[Visit, datetime]]:
    """People who are here and have not got on for twenty minutes, with the moment they last did."""
    rows = _going(study).filter(
        participant__stage__in=IN_WORK,
        participant__last_seen_at__gte=now - HERE,
        begun_at__lt=now - STUCK,
        locked_at=None,
    )
    rows = rows.annotate(
        saved=_newest(Save.objects.all(), "at"),
        opened=_newest(Attempt.objects.all(), "started_at"),
        ended=_newest(Attempt.objects.all(), "ended_at"),
        done_move=_newest(FluencyMove.objects.all(), "done_at"),
    ).prefetch_related("clocks")
    told = [(visit, moved_at(visit)) for visit in rows]
    return [(visit, moment) for visit, moment in told if now - moment >= STUCK]


@source("stuck")
def stuck(study: Study) -> Iterator[Need]:
    for visit, moment in stuck_visits(study, timezone.now()):
        person = visit.participant
        yield Need(
            kind="stuck",
            text=_("Is here and does not get on"),
            detail=_("%(stage)s; nothing opened, saved or answered")
            % {"stage": person.get_stage_display().capitalize()},
            url=reverse("participant", args=[study.code, person.code]),
            act=_("Look at what happened"),
            since=moment,
            code=person.code,
        )


@source("help")
def help_waits(study: Study) -> Iterator[Need]:
    rows = HelpRequest.objects.filter(
        visit__participant__study=study, visit__participant__preview=False, visit__participant__end="",
        replied_at=None, went_on_at=None,
    ).select_related("visit__participant")  # fmt: skip
    for row in rows:
        code = row.visit.participant.code
        yield Need(
            kind="help",
            text=_("Asks for help"),
            detail=str(row.get_kind_display()),
            url=reverse("help_requests", args=[study.code]) + f"#help-{row.pk}",
            act=_("Reply"),
            since=row.at,
            code=code,
        )


@source("second device")
def second_device(study: Study) -> Iterator[Need]:
    since = timezone.now() - SECOND_DEVICE_FOR
    for visit in _going(study).filter(second_device_at__gte=since):
        code = visit.participant.code
        yield Need(
            kind="second_device",
            text=_("Works on two devices"),
            detail=_("A second sign-in, while the first had just been there. It may be a change of computer."),
            url=reverse("participant", args=[study.code, code]),
            act=_("Look at what happened"),
            since=visit.second_device_at,
            code=code,
        )


@source("quiet at the end")
def quiet_at_the_end(study: Study) -> Iterator[Need]:
    """Ratings locked, the last pages open, and not here for two hours. Whoever waits for a next visit is not missed."""
    rows = _going(study).filter(participant__stage=Stage.LOCKED, participant__last_seen_at__lt=timezone.now() - QUIET)
    for visit in rows:
        person = visit.participant
        yield Need(
            kind="quiet",
            text=_("Has gone quiet"),
            detail=_("Ratings locked, last pages open, %(cohort)s") % {"cohort": person.cohort.name},
            url=reverse("participant", args=[study.code, person.code]),
            act=_("Look at what happened"),
            since=person.last_seen_at,
            code=person.code,
        )


@source("incident")
def incident_goes_on(study: Study) -> Iterator[Need]:
    if row := incidents.going_on(study.pk):
        yield Need(
            kind="incident",
            text=_("%(code)s is going on: everything stands") % {"code": row.code},
            detail=row.what,
            url=reverse("incidents", args=[study.code]),
            act=_("Say that it is over"),
            since=row.began_at,
        )
