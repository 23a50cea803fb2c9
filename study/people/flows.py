"""How a participation moves: join, advance, end. Each move is a claim with its event in the same transaction."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import CODE_ALPHABET, User, new_code
from study.people import withdrawal
from study.people.models import Cohort, CohortState, End, Participant, Stage, StageEvent
from study.people.sample.moments import told
from study.people.sample.places import has_room as has_room
from study.people.sample.places import hold_is_over
from study.people.sample.places import is_over as is_over
from study.people.sample.places import lock_cohort as lock_cohort

ORDER: tuple[str, ...] = tuple(Stage.values)
DECLINED = "declined the invitation"
TWICE = "takes part already"


class WrongStage(Exception):
    """The participant is not at the stage a move starts from."""


class NotOpen(Exception):
    """Nobody can join or go on now; the text says why and what to do."""


def new_participant(cohort: Cohort, **fields: object) -> Participant:
    """A participant with a fresh code such as ``P-7KQ4`` and its first stage event."""
    while True:
        code = f"P-{new_code(4)}"
        if Participant.objects.filter(code=code).exists():
            continue
        try:
            with transaction.atomic():
                row = Participant.objects.create(
                    study_id=cohort.study_id, cohort=cohort, pilot=cohort.pilot, code=code, **fields
                )
        except IntegrityError:
            if Participant.objects.filter(code=code).exists():
                continue
            raise
        StageEvent.objects.create(participant=row, stage=row.stage)
        return row


@transaction.atomic
def advance(participant: Participant, from_: str, to: str) -> bool:
    """Move from one stage to a later one, once.

    True for the request that moved; False when another request has done so
    already (a double click). Raises WrongStage when the participant has ended
    or is not yet at ``from_``.
    """
    if ORDER.index(to) <= ORDER.index(from_):
        raise ValueError(f"{to} does not come after {from_}.")
    now = timezone.now()
    moved = Participant.objects.filter(pk=participant.pk, stage=from_, end="").update(stage=to, last_seen_at=now)
    participant.refresh_from_db(fields=["stage", "end", "last_seen_at"])
    if moved:
        StageEvent.objects.create(participant=participant, stage=to, at=now)
        return True
    if participant.end or ORDER.index(participant.stage) < ORDER.index(to):
        raise WrongStage(f"{participant.code} is at {participant.stage} {participant.end}".strip())
    return False


@transaction.atomic
def begin_again(participant: Participant, reason: str) -> bool:
    """From the end of one visit to the beginning of the next: the only way back, taken once.

    The stage is always that of the newest visit, so it goes back to ``consented`` in the
    transaction that makes the visit.
    """
    now = timezone.now()
    moved = Participant.objects.filter(pk=participant.pk, stage=Stage.LOCKED, end="").update(
        stage=Stage.CONSENTED, last_seen_at=now
    )
    participant.refresh_from_db(fields=["stage", "end", "last_seen_at"])
    if moved:
        StageEvent.objects.create(participant=participant, stage=Stage.CONSENTED, reason=reason[:200], at=now)
    return bool(moved)


def completion_code(participant: Participant) -> str:
    return f"REAL-{participant.code.removeprefix('P-')}-{new_code(4)}"


@transaction.atomic
def end(participant: Participant, end: str, reason: str = "") -> bool:
    """End a participation, once, with a code for whoever had joined.

    True for the request that ended it; False when it had ended already (the
    first end stands). A complete participant also reaches the stage ``done``.
    """
    now = timezone.now()
    participant.refresh_from_db(fields=["joined_at", "code"])
    changes: dict[str, object] = {"end": end, "end_reason": reason[:200], "ended_at": now, "last_seen_at": now}
    if participant.joined_at:
        changes["completion_code"] = completion_code(participant)
    if end == End.COMPLETE:
        changes["stage"] = Stage.DONE
    claimed = Participant.objects.filter(pk=participant.pk, end="").update(**changes)
    participant.refresh_from_db()
    if not claimed:
        return False
    StageEvent.objects.create(participant=participant, stage=participant.stage, end=end, reason=reason[:200], at=now)
    withdrawal.run_ended(participant)
    return True


@transaction.atomic
def withdraw(participant: Participant, *, data_choice: str, reason: str = "") -> bool:
    """The participant leaves. ``data_choice`` is keep or take_out; pay is the same."""
    if not end(participant, End.WITHDRAWN, reason or "left the study"):
        return False
    choose_data(participant, data_choice)
    return True


@transaction.atomic
def choose_data(participant: Participant, data_choice: str) -> bool:
    """Store the answer to "keep or take out", once; taking out runs what the apps registered for it."""
    if data_choice not in (withdrawal.KEEP, withdrawal.TAKE_OUT):
        raise ValueError(f"{data_choice!r} is neither keep nor take_out.")
    chosen = Participant.objects.filter(pk=participant.pk, data_choice="").update(data_choice=data_choice)
    participant.refresh_from_db(fields=["data_choice"])
    if chosen and data_choice == withdrawal.TAKE_OUT:
        withdrawal.run_taken_out(participant)
    return bool(chosen)


@transaction.atomic
def take_out_on_request(participant: Participant, *, by: User) -> bool:
    """Take somebody's answers out after they wrote to the team, whatever they chose before. Once; False afterwards.

    Raises ValidationError while they are still in the hour: they can leave by themselves.
    """
    if not participant.end:
        raise ValidationError(
            _("%(code)s has not ended. People in the hour can leave by themselves.") % {"code": participant.code}
        )
    rows = Participant.objects.filter(pk=participant.pk).exclude(data_choice=withdrawal.TAKE_OUT)
    if not rows.update(data_choice=withdrawal.TAKE_OUT):
        return False
    participant.refresh_from_db(fields=["data_choice"])
    StageEvent.objects.create(
        participant=participant, stage=participant.stage, end=participant.end, reason="answers taken out on request"
    )
    withdrawal.run_taken_out(participant)
    audit("answers.taken_out", by=by, study=participant.study, target=participant.code)
    return True


def held() -> str:
    """What people read who come while an incident goes on."""
    return _("Something has to be put right first, so nobody can begin just now. Your link keeps working.")


def why_closed(cohort: Cohort) -> str:
    """Why nobody can join this cohort now; empty when it is open."""
    if cohort.study.archived_at:
        return _("This study is closed. Thank you for your interest.")
    if cohort.held_by and not is_over(cohort):
        return held()
    if cohort.state == CohortState.PAUSED:
        return _("The study team has paused for the moment. Your link keeps working; try again later.")
    if is_over(cohort):
        return _("This study is closed. Thank you for your interest.")
    if cohort.state == CohortState.DRAFT and cohort.opens_at and cohort.opens_at > timezone.now():
        opens = told(cohort.opens_at, cohort.zone)
        return _("This study opens on %(moment)s. Your link keeps working; come back then.") % {"moment": opens}
    if cohort.state == CohortState.DRAFT:
        return _("This study has not opened yet. Your link keeps working; try again later.")
    return ""


@transaction.atomic
def join(participant: Participant, user: User) -> Participant:
    """Bind an invited participant to its user and move to ``joined``.

    Returns the participation to go on with: this one, or the one the user has
    in this study already (a second invitation opens no second try, P-11).
    Raises NotOpen while the cohort takes nobody.
    """
    cohort = lock_cohort(participant.cohort_id)
    mine = Participant.objects.filter(study_id=participant.study_id, user=user, preview=False)
    if other := mine.exclude(pk=participant.pk).first():
        end(participant, End.EXCLUDED, f"{TWICE}: {other.code}")
        return other
    participant.refresh_from_db()
    if participant.stage != Stage.INVITED or participant.end:
        return participant
    if reason := why_closed(cohort):
        raise NotOpen(reason)
    now = timezone.now()
    claimed = Participant.objects.filter(pk=participant.pk, stage=Stage.INVITED, end="").update(
        user=user, stage=Stage.JOINED, joined_at=now, last_seen_at=now
    )
    participant.refresh_from_db()
    if claimed:
        StageEvent.objects.create(participant=participant, stage=Stage.JOINED, at=now)
        if not has_room(cohort, participant):
            end(participant, End.FULL, "the cohort was full when joining")
    return participant


@transaction.atomic
def become_eligible(participant: Participant, cohort: Cohort, said: str) -> bool:
    """The way on to the consent, with a place held from now; ends as ``full`` where there is none.

    Call it with the cohort locked. Whatever was full, the person reads the same words (P-11).
    """
    if is_over(cohort) and not participant.preview:
        end(participant, End.FULL, f"the cohort was closed {said}")
    elif not has_room(cohort, participant, screened=True):
        end(participant, End.FULL, f"the cohort was full {said}")
    else:
        Participant.objects.filter(pk=participant.pk).update(eligible_at=timezone.now())
        participant.refresh_from_db(fields=["eligible_at"])
        if participant.stage == Stage.JOINED:
            advance(participant, Stage.JOINED, Stage.ELIGIBLE)
        return True
    return False


@transaction.atomic
def hold_again(participant: Participant) -> bool:
    """Somebody eligible who comes back: their place while it is held, else another one if there is room (P-13)."""
    if not hold_is_over(participant):
        return True
    cohort = lock_cohort(participant.cohort_id)
    participant.refresh_from_db()
    if participant.stage != Stage.ELIGIBLE or participant.end or cohort.state == CohortState.PAUSED:
        return True
    return become_eligible(participant, cohort, "when they came back")


@transaction.atomic
def preview_participant(cohort: Cohort, user: User, arm: str = "") -> Participant:
    """A staff member's walk through the hour of an arm; no counter, export or statistic sees it (P-14)."""
    now = timezone.now()
    return new_participant(
        cohort, user=user, preview=True, arm=arm, stage=Stage.JOINED, channel="preview", joined_at=now, last_seen_at=now
    )


def normal_key(text: str) -> str:
    """A resume key as stored: upper case, only characters keys are made of."""
    return "".join(c for c in text.upper() if c in CODE_ALPHABET)
