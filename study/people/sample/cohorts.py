"""Cohorts: made, changed, paused, closed. Opening is checked by assignment, which sees Orgs and instances."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.codes import checked_code
from study.accounts.models import AuditRow, Study, User
from study.people.models import Cohort, CohortState
from study.people.protocol import file_of, newest_frozen
from study.people.sample.moments import Terms

HIGHEST_TARGET = 100_000
NOT_OPENED = "cohort.not_opened"


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
    arm: str = "",
    arms: Sequence[str] = (),
    target: int,
    contact_email: str = "",
    channel: str = "",
    open_link: bool = False,
    pilot: bool = False,
    terms: Terms | None = None,
    by: User | None,
) -> Cohort:
    """A cohort that takes nobody yet. Raises ValidationError with a remedy.

    ``arms``: more than one, and its people are randomised over them (M1). ``pilot``: they try the study and never
    count (M14).
    """
    code = checked_code(code)
    several = checked_arms(study, arms or [arm])
    terms = checked_terms(terms or Terms(), target)
    try:
        with transaction.atomic():
            cohort = Cohort.objects.create(
                study=study,
                code=code,
                name=name.strip()[:120] or code,
                channel=channel.strip()[:120],
                arm=several[0],
                arms=several if len(several) > 1 else [],
                pilot=pilot,
                target=checked_target(target),
                contact_email=checked_contact(contact_email),
                open_link=new_open_link() if open_link else "",
                **vars(terms),
            )
    except IntegrityError:
        raise ValidationError(_("A cohort “%(code)s” exists already. Choose another code.") % {"code": code}) from None
    audit(
        "cohort.created",
        by=by,
        study=study,
        target=f"cohort {cohort.code}",
        arms=several,
        pilot=pilot,
        target_size=target,
        **told_terms(terms),
    )
    return cohort


def terms_of(cohort: Cohort) -> Terms:
    return Terms(**{field.name: getattr(cohort, field.name) for field in fields(Terms)})


def checked_terms(terms: Terms, target: int) -> Terms:
    if terms.most_started is not None and terms.most_started < target:
        raise ValidationError(
            _("At most %(most)d may start, but %(target)d are wanted. Leave room for people who drop out.")
            % {"most": terms.most_started, "target": target}
        )
    return terms


def told_terms(terms: Terms) -> dict[str, Any]:
    """As the audit log keeps them."""
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in vars(terms).items()}


def checked_arms(study: Study, arms: Sequence[str]) -> list[str]:
    """The codes without blanks and repeats. Raises ValidationError for none, or one that the protocol does not have."""
    chosen = list(dict.fromkeys(code for arm in arms if (code := arm.strip())))
    if not chosen:
        raise ValidationError(_("Choose the arm of the protocol that these people belong to."))
    protocol = newest_frozen(study.pk)
    known = [one.code for one in file_of(protocol).arms] if protocol else chosen
    for arm in chosen:
        if arm not in known:
            raise ValidationError(
                _("The protocol has no arm “%(arm)s”. Its arms: %(arms)s.") % {"arm": arm, "arms": ", ".join(known)}
            )
    # The order they were ticked in says nothing; that of the protocol makes the draw repeatable.
    return [arm for arm in known if arm in chosen]


def may_become_pilot(cohort: Cohort) -> bool:
    """Whether it can still be said that these people never count, or that they do: until one of them has joined."""
    return not cohort.participants.people().filter(joined_at__isnull=False).exists()


def _set_pilot(cohort: Cohort, pilot: bool) -> None:
    if pilot == cohort.pilot:
        return
    if not may_become_pilot(cohort):
        raise ValidationError(
            _("Somebody has joined this cohort already, so whether its people count stays as it is. Make another one.")
        )
    cohort.pilot = pilot
    cohort.participants.update(pilot=pilot)


def new_open_link() -> str:
    return re.sub(r"[-_]", "x", secrets.token_urlsafe(15))


@transaction.atomic
def change_cohort(
    cohort: Cohort,
    *,
    name: str,
    target: int,
    contact_email: str,
    channel: str,
    open_link: bool,
    pilot: bool | None = None,
    terms: Terms | None = None,
    by: User | None,
) -> Cohort:
    """Change what may change while people take part. Nobody already working is put out by a lower target (P-12)."""
    row = Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
    before = row.target
    row.name = name.strip()[:120] or row.code
    row.channel = channel.strip()[:120]
    row.target = checked_target(target)
    row.contact_email = checked_contact(contact_email)
    if open_link != bool(row.open_link):
        row.open_link = new_open_link() if open_link else ""
    if pilot is not None:
        _set_pilot(row, pilot)
    for name, value in vars(checked_terms(terms or terms_of(row), row.target)).items():
        setattr(row, name, value)
    row.save()
    audit(
        "cohort.changed",
        by=by,
        study=row.study,
        target=f"cohort {row.code}",
        target_before=before,
        target_size=row.target,
        open_link=open_link,
        pilot=row.pilot,
        **told_terms(terms_of(row)),
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
def set_state(cohort: Cohort, state: str, *, by: User | None, at_moment: datetime | None = None) -> bool:
    """Pause or close. People who have begun go on; nobody new joins.

    ``at_moment``: its closing moment has come by then. A moment that was put off meanwhile closes nothing.
    """
    if state not in (CohortState.PAUSED, CohortState.CLOSED):
        raise ValueError(f"{state!r} is neither paused nor closed.")
    rows = Cohort.objects.filter(pk=cohort.pk).exclude(state=state)
    if at_moment is not None:
        rows = rows.filter(closes_at__lte=at_moment)
    changed = rows.update(state=state)
    cohort.refresh_from_db()
    if changed:
        detail = {} if at_moment is None or cohort.closes_at is None else {"moment": cohort.closes_at.isoformat()}
        audit(f"cohort.{state}", by=by, study=cohort.study, target=f"cohort {cohort.code}", **detail)
    return bool(changed)


def not_opened(cohort: Cohort) -> list[str]:
    """Why a cohort did not open at its moment, as the audit log holds it; empty when it opened or still waits."""
    if cohort.state != CohortState.DRAFT or cohort.opens_at is None:
        return []
    rows = AuditRow.objects.filter(study_id=cohort.study_id, act=NOT_OPENED, target=f"cohort {cohort.code}")
    last = rows.order_by("-pk").first()
    if last is None or last.detail.get("moment") != cohort.opens_at.isoformat():
        return []
    return [str(reason) for reason in last.detail.get("reasons", [])]
