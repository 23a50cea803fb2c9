"""Who is in the primary analysis set (M17), from stored rows: visit by visit, and kept on the participant.

What is kept only decides whether a place of the cohort is open again (``people.places``); the bundle works it out anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from study.assignment.flows import has_more
from study.assignment.models import Visit
from study.fieldwork.models import Attempt, Rating, RatingKind
from study.fieldwork.sets import Course, Sets, sets
from study.people.models import Participant, Stage
from study.people.protocol import file_of
from study.people.withdrawal import TAKE_OUT

ANSWERED = {"1", "2", "3", "4", "5", "cannot_judge", "rather_not_say"}
POINTS = {"1", "2", "3", "4", "5"}
OVERALL = ("", "overall")


def was_eligible(participant: Participant) -> bool:
    order = list(Stage.values)
    return order.index(participant.stage) >= order.index(Stage.ELIGIBLE)


def sets_of(
    visit: Visit,
    attempts: Iterable[Attempt],
    ratings: Mapping[str, Rating],
    work_active_seconds: int,
    *,
    eligible: bool,
) -> Sets:
    """The sets of one visit; ``ratings`` are those of the Org and its objects, by target."""
    person = visit.participant
    finals = {target: rating.final for target, rating in ratings.items()}
    org = next((rating.final for rating in ratings.values() if rating.kind == RatingKind.ORG), "")
    course = Course(
        eligible=eligible,
        started=visit.work_started_at is not None,
        work_active_seconds=work_active_seconds,
        outcomes=tuple(attempt.outcome for attempt in attempts),
        settled=visit.locked_at is not None or bool(person.end),
        org_rated=org in POINTS,
        cards=len(visit.object_order),
        cards_answered=sum(finals.get(target, "") in ANSWERED for target in visit.object_order),
        end=person.end,
        taken_out=person.data_choice == TAKE_OUT,
        left_out=person.excluded_at is not None,
    )
    return sets(course, file_of(visit.protocol).analysis.sets)


def in_analysis_set(participant: Participant) -> bool | None:
    """Whether any visit is analysed; None while that can still change."""
    visits = list(
        Visit.objects.filter(participant=participant)
        .select_related("participant", "protocol")
        .prefetch_related("attempts", "ratings", "clocks")
        .order_by("period")
    )
    for visit in visits:
        rated = {
            row.target: row
            for row in visit.ratings.all()
            if row.kind in (RatingKind.ORG, RatingKind.OBJECT) and row.dimension in OVERALL
        }
        work = next((clock.active_seconds for clock in visit.clocks.all() if clock.part == "work"), 0)
        found = sets_of(visit, visit.attempts.all(), rated, work, eligible=was_eligible(visit.participant))
        if found.analysed:
            return True
    person = visits[-1].participant if visits else participant
    settled = bool(person.end or person.excluded_at) or (
        bool(visits) and visits[-1].locked_at is not None and not has_more(visits[-1])
    )
    return False if settled else None


def keep(participant: Participant) -> None:
    """Store what is known now: at the lock, at every end, when answers are taken out, and when somebody is left out."""
    if participant.preview:
        return
    participant.analysed = in_analysis_set(participant)
    Participant.objects.filter(pk=participant.pk).update(analysed=participant.analysed)
