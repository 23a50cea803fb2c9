"""Coming in and coming back: by invitation, by open link, by resume key."""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.adapter import user_with_address
from study.accounts.encrypted import readable
from study.accounts.models import User
from study.people import flows
from study.people.models import Cohort, CohortState, End, Invitation, Participant, Stage
from study.people.ways import invitations
from study.people.ways.tokens import hash_of, new_resume_key

SAME_FORM = 30 * 60


@transaction.atomic
def confirm(invitation: Invitation) -> tuple[Participant, User]:
    """The button of the confirm page: the link proved the mailbox, so the address counts as verified.

    Returns the participation to go on with and its user. Raises NotOpen while the cohort takes nobody.
    """
    # The second of two presses waits here and then finds the first one's user (P-08).
    flows.lock_cohort(invitation.cohort_id)
    participant = Participant.objects.select_related("user", "cohort", "study", "contact").get(
        pk=invitation.participant_id
    )
    if participant.user is not None:
        sign_out_elsewhere(participant.user)
        return participant, participant.user
    if not readable(participant.contact.email):
        raise flows.NotOpen(_("This link cannot be opened at the moment. Write to the study team, please."))
    user = user_with_address(participant.contact.email, verified=True)
    if user.memberships.filter(study_id=participant.study_id).exists():
        raise flows.NotOpen(_("This address belongs to the study team, and the team does not take part."))
    going_on = flows.join(participant, user)
    invitations.use(invitation)
    return going_on, user


def sign_out_elsewhere(user: User) -> None:
    """The link was pressed again before any answer: the session moves here, the earlier one (a scanner's) is over."""
    if not user.has_usable_password():
        # Sessions are bound to what stands in this field.
        user.set_unusable_password()
        user.save(update_fields=["password"])


@transaction.atomic
def join_by_link(cohort: Cohort, once: str, channel: str = "open link") -> tuple[Participant, str]:
    """Somebody without an address joins through the cohort's open link; returns also their resume key.

    ``once`` is the random value of one form: sending that form twice (P-08)
    leads to one participant. Raises NotOpen while the cohort takes nobody.
    """
    cohort = flows.lock_cohort(cohort.pk)
    # The lock makes the second of two requests wait here until the first is through.
    made = Participant.objects.filter(pk=made_by(cohort, once), cohort=cohort).first()
    if made is not None:
        return made, renew_key(made)
    if reason := flows.why_closed(cohort):
        raise flows.NotOpen(reason)
    key = new_resume_key()
    now = timezone.now()
    participant = flows.new_participant(
        cohort,
        user=User.objects.create_user(),
        stage=Stage.JOINED,
        channel=channel,
        joined_at=now,
        last_seen_at=now,
        resume_key_hash=hash_of(flows.normal_key(key)),
    )
    if not flows.has_room(cohort, participant):
        flows.end(participant, End.FULL, "the cohort was full when joining")
    cache.set(_form(cohort, once), participant.pk, SAME_FORM)
    return participant, key


def made_by(cohort: Cohort, once: str) -> int:
    """Who joined with this form a moment ago; 0 for a form that was not sent yet."""
    return cache.get(_form(cohort, once)) or 0


def _form(cohort: Cohort, once: str) -> str:
    return f"open-link:{cohort.pk}:{hash_of(once)}"


def renew_key(participant: Participant) -> str:
    """A new resume key in place of the last: only its hash was kept."""
    key = new_resume_key()
    Participant.objects.filter(pk=participant.pk).update(resume_key_hash=hash_of(flows.normal_key(key)))
    return key


def keep_language(participant: Participant, language: str) -> None:
    """Remember the language chosen at the door, until consent is given: then it is the language of what was signed."""
    early = Participant.objects.filter(pk=participant.pk, stage=Stage.JOINED, end="")
    if early.update(language=language):
        participant.language = language


def by_resume_key(text: str) -> Participant | None:
    """The participant a resume key belongs to; None for any other text."""
    key = flows.normal_key(text)
    if len(key) < 12:
        return None
    return Participant.objects.select_related("user").filter(resume_key_hash=hash_of(key), user__is_active=True).first()


def newest_of(user: User) -> Participant | None:
    """Where ``/hour/`` leads: the newest participation still going, else the newest of all."""
    mine = Participant.objects.filter(user=user).select_related("cohort", "study").order_by("-pk")
    return mine.filter(end="").first() or mine.first()


def cohorts_on_show() -> list[Cohort]:
    """Cohorts the demo offers to anybody who comes by; elsewhere open links are sent, never listed."""
    if not settings.REALIA_DEMO:
        return []
    rows = Cohort.objects.filter(state=CohortState.OPEN).exclude(open_link="").select_related("study")
    return [cohort for cohort in rows if not cohort.panel and not flows.why_closed(cohort)]
