"""Cohorts: made, changed, paused, closed. Opening is checked by assignment, which sees Orgs and instances."""

from __future__ import annotations

import re
import secrets

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.codes import checked_code
from study.accounts.models import Study, User
from study.people.models import Cohort, CohortState
from study.people.protocol import file_of, newest_frozen

HIGHEST_TARGET = 100_000


def checked_contact(email: str) -> str:
    email = email.strip()
    if email:
        try:
            validate_email(email)
        except ValidationError:
            raise ValidationError(_("“%(email)s” is not an e-mail address.") % {"email": email}) from None
    return email


def checked_target(target: int) -> int:
    if not 1 <= target <= HIGHEST_TARGET:
        raise ValidationError(_("The target is a number of people, from 1 to 100,000."))
    return target


@transaction.atomic
def create_cohort(
    study: Study,
    *,
    code: str,
    name: str,
    arm: str,
    target: int,
    contact_email: str = "",
    channel: str = "",
    open_link: bool = False,
    by: User | None,
) -> Cohort:
    """A cohort that takes nobody yet. Raises ValidationError with a remedy."""
    code = checked_code(code)
    checked_arm(study, arm.strip())
    try:
        with transaction.atomic():
            cohort = Cohort.objects.create(
                study=study,
                code=code,
                name=name.strip()[:120] or code,
                channel=channel.strip()[:120],
                arm=arm.strip(),
                target=checked_target(target),
                contact_email=checked_contact(contact_email),
                open_link=new_open_link() if open_link else "",
            )
    except IntegrityError:
        raise ValidationError(_("A cohort “%(code)s” exists already. Choose another code.") % {"code": code}) from None
    audit("cohort.created", by=by, study=study, target=f"cohort {cohort.code}", arm=cohort.arm, target_size=target)
    return cohort


def checked_arm(study: Study, arm: str) -> None:
    """Raises ValidationError for no arm, or one that the study's protocol does not have."""
    if not arm:
        raise ValidationError(_("Choose the arm of the protocol that these people belong to."))
    protocol = newest_frozen(study.pk)
    arms = [one.code for one in file_of(protocol).arms] if protocol else [arm]
    if arm not in arms:
        raise ValidationError(
            _("The protocol has no arm “%(arm)s”. Its arms: %(arms)s.") % {"arm": arm, "arms": ", ".join(arms)}
        )


def new_open_link() -> str:
    return re.sub(r"[-_]", "x", secrets.token_urlsafe(15))


@transaction.atomic
def change_cohort(
    cohort: Cohort, *, name: str, target: int, contact_email: str, channel: str, open_link: bool, by: User | None
) -> Cohort:
    """Change what may change while people take part. Nobody already working is put out by a lower target (P-12)."""
    row = Cohort.objects.select_for_update().get(pk=cohort.pk)
    before = row.target
    row.name = name.strip()[:120] or row.code
    row.channel = channel.strip()[:120]
    row.target = checked_target(target)
    row.contact_email = checked_contact(contact_email)
    if open_link != bool(row.open_link):
        row.open_link = new_open_link() if open_link else ""
    row.save()
    audit(
        "cohort.changed",
        by=by,
        study=row.study,
        target=f"cohort {row.code}",
        target_before=before,
        target_size=row.target,
        open_link=open_link,
    )
    return row


@transaction.atomic
def mark_open(cohort: Cohort, *, by: User | None) -> bool:
    """Take people from now on. Only assignment calls this, after its checks.

    The first opening fixes the protocol version; a pause does not change it.
    """
    frozen = newest_frozen(cohort.study_id)
    changed = Cohort.objects.filter(pk=cohort.pk).exclude(state=CohortState.OPEN).update(state=CohortState.OPEN)
    if changed and frozen:
        Cohort.objects.filter(pk=cohort.pk, protocol_number=None).update(
            protocol_number=frozen.number, opened_at=timezone.now()
        )
    cohort.refresh_from_db()
    if changed:
        number = cohort.protocol_number
        audit("cohort.opened", by=by, study=cohort.study, target=f"cohort {cohort.code}", protocol=number)
    return bool(changed)


@transaction.atomic
def set_state(cohort: Cohort, state: str, *, by: User | None) -> bool:
    """Pause or close. People who have begun go on; nobody new joins."""
    if state not in (CohortState.PAUSED, CohortState.CLOSED):
        raise ValueError(f"{state!r} is neither paused nor closed.")
    changed = Cohort.objects.filter(pk=cohort.pk).exclude(state=state).update(state=state)
    cohort.refresh_from_db()
    if changed:
        audit(f"cohort.{state}", by=by, study=cohort.study, target=f"cohort {cohort.code}")
    return bool(changed)
