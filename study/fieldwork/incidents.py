"""Incidents (M21): something broke for people in the hour. One press holds everything, one lets it go again.

While one lasts nobody joins or begins, the clocks of everybody in the hour stand, and nothing lapses. When it is over
people go on by themselves: each clock runs again when its person goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from study.accounts.audit import audit
from study.accounts.jobs import enqueue
from study.accounts.models import Study, User
from study.accounts.typed_text import visible_text
from study.assignment.models import Visit
from study.fieldwork import clock, pausing
from study.fieldwork.models import Incident
from study.people.mail import letters
from study.people.models import Cohort, CohortState, Letter, Participant
from study.protocols.checks_texts import forbidden_in

TOLD = gettext_noop(
    "Something on our side has to be put right, and it is none of your doing. Every clock stands, what you typed is"
    " saved, and your pay stays the same. We write to you as soon as you can go on."
)
"""What participants read unless a coordinator says it otherwise: stored as the empty text, told in each language."""
LETTER, OVER_LETTER = "incident", "incident_over"
LONGEST_WHAT, LONGEST_TOLD = 400, 2000


def going_on(study_id: int) -> Incident | None:
    return Incident.objects.filter(study_id=study_id, over_at=None).first()


def words_of(incident: Incident) -> str:
    """What participants are told, in the language of the page or letter being made."""
    return incident.told or _(TOLD)


def visits_in_the_hour(study: Study) -> Iterator[Visit]:
    """The visits that are begun and not over, of people who have not ended."""
    people = Participant.objects.people().active().filter(study=study, stage__in=list(clock.PART_OF_STAGE))
    rows = Visit.objects.filter(participant__in=people, done_at=None).select_related("participant__contact", "protocol")
    yield from rows.order_by("pk")


@transaction.atomic
def begin(study: Study, *, what: str, told: str, by: User) -> tuple[Incident, bool]:
    """Hold everything; the incident, and whether this press began it. Two coordinators at once begin one.

    Raises ValidationError when nobody says what happened.
    """
    what, told = " ".join(visible_text(what).split()), visible_text(told).strip()
    if not what:
        raise ValidationError(_("Say in a few words what happened: the report lists it."))
    if len(what) > LONGEST_WHAT or len(told) > LONGEST_TOLD:
        raise ValidationError(_("That is too long: 400 characters for the team, 2,000 for participants."))
    for word in forbidden_in(told):
        raise ValidationError(
            _("Participants must not read “%(word)s” before the end. Say it otherwise.") % {"word": word}
        )
    _hold_back(study)
    if running := going_on(study.pk):
        return running, False
    number = Incident.objects.filter(study=study).count() + 1
    told = "" if told == _(TOLD) else told
    row = Incident.objects.create(study=study, code=f"I-{number}", what=what, told=told, began_by=by)
    held = Cohort.objects.filter(study=study, held_by="").exclude(state=CohortState.CLOSED).update(held_by=row.code)
    row.visits = sum(_hold(visit, row, number) for visit in visits_in_the_hour(study))
    row.save(update_fields=["visits"])
    audit("incident.began", by=by, study=study, target=row.code, visits=row.visits, cohorts=held)
    enqueue("send_letters", once_key="tick:send_letters")
    return row, True


def _hold_back(study: Study) -> None:
    """Let nobody begin, and no second press through, until this one is done.

    Cohorts before visits, and the study's row not at all, since people hold theirs while they wait for it: whoever
    joins, saves or ends meanwhile waits, and nobody in a ring.
    """
    if not list(Cohort.objects.select_for_update(no_key=True).filter(study=study).order_by("pk")):
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    visits = [visit.pk for visit in visits_in_the_hour(study)]
    list(Visit.objects.select_for_update(no_key=True).filter(pk__in=visits).order_by("pk"))


def _hold(visit: Visit, row: Incident, number: int) -> int:
    pausing.stop_for_incident(visit)
    marks = f"{visit.incident} {row.code}".split()
    Visit.objects.filter(pk=visit.pk).update(incident=" ".join(marks)[:40])
    letters.put(visit.participant, LETTER, wave=number)
    return 1


@transaction.atomic
def over(row: Incident, *, by: User) -> bool:
    """Let it go again, once: cohorts take people, and everybody who was written to hears that they can go on."""
    if not Incident.objects.filter(pk=row.pk, over_at=None).update(over_at=timezone.now(), over_by=by):
        return False
    row.refresh_from_db()
    Cohort.objects.filter(study_id=row.study_id, held_by=row.code).update(held_by="")
    number = number_of(row)
    told = Participant.objects.active().filter(
        study_id=row.study_id, letters__kind=LETTER, letters__wave=number, letters__state__in=("sent", "sending")
    )
    for person in told:
        letters.put(person, OVER_LETTER, wave=number)
    # Whoever has not been written to yet need not be frightened now.
    Letter.objects.filter(
        participant__study_id=row.study_id, kind=LETTER, wave=number, state="due"
    ).update(state="dropped")  # fmt: skip
    audit("incident.over", by=by, study=row.study, target=row.code)
    enqueue("send_letters", once_key="tick:send_letters")
    return True


def number_of(row: Incident) -> int:
    return int(row.code.rpartition("-")[2])


def of_letter(letter: Letter) -> Incident | None:
    return Incident.objects.filter(study_id=letter.participant.study_id, code=f"I-{letter.wave}").first()


def last_of(visit: Visit) -> Incident | None:
    """The newest incident that this visit was in."""
    codes = visit.incident.split()
    if not codes:
        return None
    return Incident.objects.filter(study_id=visit.participant.study_id, code=codes[-1]).first()


def stood_since(study_id: int, since: datetime, now: datetime | None = None) -> timedelta:
    """How long incidents have lasted since a moment: time that counts against nobody."""
    now = now or timezone.now()
    stood = timedelta()
    for began, ended in Incident.objects.filter(study_id=study_id).values_list("began_at", "over_at"):
        stood += max(timedelta(), (ended or now) - max(began, since))
    return stood
