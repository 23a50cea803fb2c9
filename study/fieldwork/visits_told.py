"""What the hour adds to a participant's timeline: visits, their parts, pauses, help, incidents. No answer, no arm."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork.models import Incident
from study.people.coordinating.timeline import Moment, tells
from study.people.models import Participant


@tells("visits")
def visits(participant: Participant) -> Iterator[Moment]:
    rows = list(participant.visits.prefetch_related("clocks", "help_requests__replied_by").order_by("period"))
    for visit in rows:
        which = _(" (visit %(n)d)") % {"n": visit.period} if len(rows) > 1 else ""
        yield from _parts(visit, which)
        yield from _stops(visit)
        yield from _help(visit)


def _parts(visit: Visit, which: str) -> Iterator[Moment]:
    told = (
        (visit.begun_at, _("Visit begun")),
        (visit.work_started_at, _("First question opened")),
        (visit.work_ended_at, _("Questions over")),
        (visit.rating_started_at, _("Ratings begun")),
        (visit.locked_at, _("Ratings locked")),
        (visit.done_at, _("Visit over")),
        (visit.second_device_at, _("Second device")),
    )
    for at, what in told:
        if at:
            beside = visit.moderator if at == visit.begun_at and visit.moderator else ""
            yield Moment(at, what + which, beside, "visit")


def _stops(visit: Visit) -> Iterator[Moment]:
    words = {"pause": _("Paused"), "help": _("Waited for help"), "incident": _("Stood for an incident")}
    for clock in visit.clocks.all():
        for one in clock.breaks:
            if what := words.get(one.get("for", "")):
                minutes = _("%(n)d minutes") % {"n": round(one["seconds"] / 60)}
                yield Moment(datetime.fromisoformat(one["from"]), what, minutes, "pause")
    if visit.paused_at:
        yield Moment(visit.paused_at, words.get(visit.paused_for, words["pause"]), _("until now"), "pause")
    rows = Incident.objects.filter(study_id=visit.participant.study_id, code__in=visit.incident.split())
    for row in rows if visit.incident else ():
        yield Moment(row.began_at, _("Incident %(code)s") % {"code": row.code}, row.what, "incident")


def _help(visit: Visit) -> Iterator[Moment]:
    for row in visit.help_requests.all():
        yield Moment(row.at, _("Asked for help"), str(row.get_kind_display()), "help")
        if row.replied_at:
            yield Moment(row.replied_at, _("Help answered"), row.reply[:200], "help")
