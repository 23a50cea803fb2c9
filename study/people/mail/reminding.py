"""Reminders: whom a wave is for, what it says, the tick that puts what is due, and a reminder by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.audit import audit
from study.accounts.jobs import Running, enqueue, job_kind
from study.accounts.models import User
from study.people.mail import letters, reminders, unsubscribing
from study.people.mail.letter_builtin import own_link as own_link
from study.people.mail.letter_kinds import LINK, UNTIL, Words, worded
from study.people.models import Cohort, CohortState, Contact, Letter, Participant, ReminderWave, Stage, StageEvent
from study.people.wording_dates import last_moment

BEFORE_WORK = (Stage.JOINED, Stage.ELIGIBLE, Stage.CONSENTED)
# Reminders by hand are counted by days, apart from the waves of a cohort (1 to 99).
BY_HAND, FIRST_DAY = 1000, date(2025, 1, 1)


def reminded(to: str, now: datetime) -> QuerySet[Participant]:
    """The people a wave to ``to`` is for, as they are now: whoever finished, left or is excluded is not among them."""
    begun = StageEvent.objects.filter(participant=OuterRef("pk"), stage=Stage.WORKING)
    rows = Participant.objects.people().active().filter(simulated=False, excluded_at=None, erased_at=None)
    if to == "invited":
        unused = Q(invitation__used_at=None, invitation__declined_at=None, invitation__revoked_at=None)
        return rows.filter(unused, stage=Stage.INVITED, invitation__expires_at__gt=now)
    if to == "joined":
        return rows.filter(~Exists(begun), stage__in=BEFORE_WORK)
    return rows.filter(Q(stage__in=[Stage.WORKING, Stage.RATING]) | Q(Exists(begun), stage=Stage.CONSENTED))


def kind_for(to: str) -> str:
    return f"reminder_{to}"


def going(cohort: Cohort, now: datetime) -> bool:
    """Whether anybody of this cohort is reminded at all."""
    open_ = cohort.state == CohortState.OPEN and not cohort.held_by
    return open_ and not (cohort.closes_at and cohort.closes_at <= now)


def since(participant: Participant, to: str) -> datetime | None:
    """From when the days of a wave count; None for somebody whose invitation never went out."""
    if to == "joined":
        return participant.joined_at
    if to == "quiet":
        return participant.last_seen_at
    sent = [one.sent_at for one in participant.letters.all() if one.kind == "invitation" and one.sent_at]
    return max(sent, default=None)


def still_wanted(letter: Letter) -> bool:
    """P-35: asked again when sending. A wave that was stopped, or whose moment moved on since, is not sent either."""
    participant, now, to = letter.participant, timezone.now(), letter.kind.removeprefix("reminder_")
    if not going(participant.cohort, now) or not reminded(to, now).filter(pk=participant.pk).exists():
        return False
    if letter.wave >= BY_HAND:
        return True
    wave = ReminderWave.objects.filter(cohort=participant.cohort_id, number=letter.wave, to=to, active=True).first()
    start = since(participant, to)
    if wave is None or start is None:
        return False
    # Somebody who came back meanwhile is not quiet any more.
    return reminders.due_at(start, wave.after_days, wave.at_time, letters.zone_of(participant)) <= now


def could_be_due(cohort: Cohort, to: str, waves: list[ReminderWave], now: datetime) -> QuerySet[Participant]:
    """Narrowed in the database, since this is asked each minute: long enough ago, and the last wave not had yet."""
    started = {"invited": "invited_at", "joined": "joined_at", "quiet": "last_seen_at"}[to]
    # A day less than the shortest wait, whatever the clocks do.
    latest = now - timedelta(days=min(wave.after_days for wave in waves) - 1)
    last = max(waves, key=lambda wave: (wave.after_days, wave.at_time))
    had = Letter.objects.filter(participant=OuterRef("pk"), kind=kind_for(to), wave=last.number)
    return reminded(to, now).filter(~Exists(had), cohort=cohort, **{f"{started}__lte": latest})


def put_due(cohort: Cohort, now: datetime) -> dict[str, int]:
    """Put what is due in one cohort. Two at once put the same rows; the database keeps one of each."""
    counts = {"put": 0, "late": 0}
    waves: dict[str, list[ReminderWave]] = defaultdict(list)
    for row in cohort.waves.filter(active=True):
        waves[row.to].append(row)
    for to, mine in waves.items():
        kind, plan = kind_for(to), [reminders.Wave(one.number, one.after_days, one.at_time) for one in mine]
        for participant in could_be_due(cohort, to, mine, now).prefetch_related("letters"):
            start = since(participant, to)
            if start is None:
                continue
            had = frozenset(one.wave for one in participant.letters.all() if one.kind == kind)
            found = reminders.turn(plan, had, start, now, participant.zone or cohort.zone)
            if found is not None:
                _put(participant, kind, found, counts)
    return counts


def _put(participant: Participant, kind: str, found: reminders.Turn, counts: dict[str, int]) -> None:
    if not Contact.objects.filter(participant=participant).exclude(email_hash="").exists():
        return
    if found.number:
        # What a server has put off until now would come in a heap with this one.
        waiting = Letter.objects.filter(participant=participant, kind=kind, state="due", wave__lt=BY_HAND)
        counts["late"] += waiting.exclude(wave=found.number).update(state="dropped", error=LATE)
        counts["put"] += bool(letters.put(participant, kind, wave=found.number, due_at=found.due))
    for number in found.late:
        _row, made = Letter.objects.get_or_create(
            participant=participant, kind=kind, wave=number, defaults={"state": "dropped", "error": LATE}
        )
        counts["late"] += made


LATE = "a later reminder came in its place"


@job_kind("put_reminders", every_tick=True)
def put_reminders(running: Running) -> dict[str, int]:
    """Put the reminders that are due in every open cohort; sending is a job of its own."""
    now, total = timezone.now(), {"put": 0, "late": 0}
    cohorts = Cohort.objects.filter(state=CohortState.OPEN, waves__active=True).distinct()
    for cohort in cohorts:
        if going(cohort, now):
            for name, n in put_due(cohort, now).items():
                total[name] += n
    if total["put"]:
        enqueue("send_letters", once_key="tick:send_letters")
    return {name: n for name, n in total.items() if n}


@dataclass(frozen=True)
class Reminded:
    """What a reminder by hand did: put now, had one today already, and people for whom there is none."""

    put: int
    already: int
    none: int


def remind(participants: Iterable[Participant], *, by: User) -> Reminded:
    """A reminder by hand, once per person and day; each gets the one that fits where they are.

    Goes within the decent hours of their day, apart from the waves of the cohort. Nobody is reminded who finished,
    left, is excluded, asked for no letters or belongs to a cohort that stands still.
    """
    now, put, already, none = timezone.now(), 0, 0, 0
    people = list(participants)
    fits = {to: set(reminded(to, now).filter(pk__in=[p.pk for p in people]).values_list("pk", flat=True)) for to in TO}
    for one in people:
        to = next((to for to in TO if one.pk in fits[to]), "")
        if not to or not going(one.cohort, now) or unsubscribing.why_silent(one, unasked=True):
            none += 1
            continue
        day = now.astimezone(reminders.zone_named(letters.zone_of(one))).date()
        wave = BY_HAND + (day - FIRST_DAY).days
        if one.letters.filter(kind=kind_for(to), wave=wave).exists():
            already += 1
            continue
        letters.put(one, kind_for(to), wave=wave, due_at=reminders.next_decent(now, letters.zone_of(one)))
        put += 1
    if put:
        audit("people.reminded", by=by, study=people[0].study, n=put)
        enqueue("send_letters", once_key="tick:send_letters")
    return Reminded(put, already, none)


TO = ("invited", "joined", "quiet")
TO_WORDS = {
    "invited": _("invited, not confirmed"),
    "joined": _("confirmed, not begun"),
    "quiet": _("begun, not here for a while"),
}


@worded(
    kind_for("invited"),
    Words(
        label=_("Reminder to those invited"),
        told=_("Confirmed nothing and said no to nothing yet."),
        template="people/letters/reminder_invited.txt",
        subject=_("Still open: %(title)s"),
        places=(LINK, UNTIL),
        button=_("Look at the invitation"),
    ),
    wanted=still_wanted,
    unasked=True,
    by_day=True,
)
def to_invited(letter: Letter) -> dict[str, str]:
    return {"link": own_link(letter.participant), "until": last_moment(letter.participant.invitation)}


@worded(
    kind_for("joined"),
    Words(
        label=_("Reminder to those who joined"),
        told=_("Confirmed, and the work has not begun."),
        template="people/letters/reminder_joined.txt",
        subject=_("Your hour is waiting: %(title)s"),
        button=_("Go on"),
    ),
    wanted=still_wanted,
    unasked=True,
    by_day=True,
)
def to_joined(letter: Letter) -> dict[str, str]:
    return {"link": own_link(letter.participant)}


@worded(
    kind_for("quiet"),
    Words(
        label=_("Reminder to those who are quiet"),
        told=_("The work has begun, and they have not been here for a while."),
        template="people/letters/reminder_quiet.txt",
        subject=_("You can go on where you stopped: %(title)s"),
        button=_("Go on"),
    ),
    wanted=still_wanted,
    unasked=True,
    by_day=True,
)
def to_quiet(letter: Letter) -> dict[str, str]:
    return {"link": own_link(letter.participant)}
