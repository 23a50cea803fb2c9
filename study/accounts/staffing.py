"""Who works on a study: inviting by address, accepting, changing roles, taking out. Web and commands call these."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.adapter import user_with_address
from study.accounts.audit import audit
from study.accounts.encrypted import address_hash
from study.accounts.flows import token_hash
from study.accounts.models import Membership, Role, StaffInvitation, Study, User

DAYS = 7
IN_AN_HOUR = 30
"""Letters that one person can have sent in an hour: an account in wrong hands is no mail gun (P-57)."""

Conflict = Callable[[Study, str], str]
_conflicts: list[Conflict] = []


def conflict(check: Conflict) -> Conflict:
    """Let an app say why an address cannot work on a study ("" if it can); registered in ``AppConfig.ready``."""
    if check not in _conflicts:
        _conflicts.append(check)
    return check


def why_not(study: Study, email: str) -> str:
    return next((reason for check in _conflicts if (reason := check(study, email))), "")


def may_give(giver: str, role: str) -> bool:
    """A role is never above the giver's: only owners let anybody in, and any role is at most theirs."""
    return giver == Role.OWNER and role in Role.values


def is_owner(study: Study, user: User | None) -> bool:
    return user is not None and Membership.objects.filter(study=study, user=user, role=Role.OWNER).exists()


@transaction.atomic
def invite(study: Study, email: str, role: str, *, by: User) -> tuple[StaffInvitation, str]:
    """A new invitation and its token, which is kept nowhere. An open one to the same address is withdrawn.

    Raises ValidationError with a remedy.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    address = email.strip().lower()
    validate_email(address)
    if not (is_owner(study, by) and may_give(Role.OWNER, role)):
        raise ValidationError(_("Only an owner can invite, and only to one of the four roles."))
    if Membership.objects.filter(study=study, user__email=address).exists():
        raise ValidationError(_("This person works on the study already. Change the role in the list."))
    if reason := why_not(study, address):
        raise ValidationError(reason)
    now = timezone.now()
    if StaffInvitation.objects.filter(invited_by=by, created_at__gt=now - timedelta(hours=1)).count() >= IN_AN_HOUR:
        raise ValidationError(_("%(n)s invitations went out in the last hour. Go on later.") % {"n": IN_AN_HOUR})
    _open(study).filter(email_hash=address_hash(address)).update(revoked_at=now)
    token = secrets.token_urlsafe(24)
    row = StaffInvitation.objects.create(
        study=study,
        email=address,
        email_hash=address_hash(address),
        role=role,
        token_hash=token_hash(token),
        invited_by=by,
        expires_at=now + timedelta(days=DAYS),
    )
    audit("staff.invited", by=by, study=study, target=f"staff invitation {row.pk}", role=role)
    return row, token


def _open(study: Study):  # type: ignore[no-untyped-def]
    return StaffInvitation.objects.filter(study=study, accepted_at__isnull=True, revoked_at__isnull=True)


def pending(study: Study) -> list[StaffInvitation]:
    """Invitations neither accepted nor withdrawn, the newest first; those past their day among them."""
    return list(_open(study).select_related("invited_by").order_by("-created_at"))


def invitation_of(token: str) -> StaffInvitation | None:
    return StaffInvitation.objects.select_related("study", "invited_by").filter(token_hash=token_hash(token)).first()


def why_over(row: StaffInvitation, *, now: datetime | None = None) -> str:
    """Why an invitation cannot be accepted any more; "" if it can.

    Whoever invited must still be an owner: what somebody gave away while they could ends with their right to.
    """
    if row.accepted_at:
        return _("It was accepted already. Sign in with your address.")
    if row.revoked_at or not is_owner(row.study, row.invited_by):
        return _("It was withdrawn. Ask the team for a new one.")
    if row.expires_at <= (now or timezone.now()):
        return _("Its time is over. Ask the team for a new one.")
    if row.study.archived_at:
        return _("The study is archived.")
    return why_not(row.study, row.email)


@transaction.atomic
def accept(row: StaffInvitation) -> User:
    """The link proved the mailbox: its user becomes staff, once. Raises ValidationError when that cannot be."""
    study = Study.objects.select_for_update(no_key=True).get(pk=row.study_id)
    row = (
        StaffInvitation.objects.select_for_update(of=("self",), no_key=True)
        .select_related("study", "invited_by")
        .get(pk=row.pk)
    )
    if reason := why_over(row):
        raise ValidationError(reason)
    user = user_with_address(row.email, verified=True)
    if not user.is_active:
        raise ValidationError(_("This account is closed. Ask the team."))
    Membership.objects.get_or_create(study=study, user=user, defaults={"role": row.role})
    StaffInvitation.objects.filter(pk=row.pk).update(accepted_at=timezone.now(), accepted_by=user)
    audit("staff.joined", by=user, study=study, target=f"staff invitation {row.pk}", role=row.role)
    return user


@transaction.atomic
def revoke(study: Study, pk: int, *, by: User) -> bool:
    """Withdraw an open invitation. False when it is accepted, withdrawn or not this study's."""
    changed = _open(study).filter(pk=pk).update(revoked_at=timezone.now())
    if changed:
        audit("staff.invitation_withdrawn", by=by, study=study, target=f"staff invitation {pk}")
    return bool(changed)


def member(study: Study, user_pk: int) -> Membership | None:
    return Membership.objects.select_related("user").filter(study=study, user_id=user_pk).first()


@transaction.atomic
def change_role(study: Study, user_pk: int, role: str, *, by: User) -> bool:
    """Give a member another role; the next page they open goes by it. False when there is nothing to change."""
    row = _locked(study, user_pk)
    if role not in Role.values or row is None or row.role == role:
        return False
    _keep_an_owner(study, row, role)
    was, row.role = row.role, role
    row.save(update_fields=["role"])
    audit("member.changed", by=by, study=study, target=f"user {user_pk}", was=was, role=role)
    return True


@transaction.atomic
def remove(study: Study, user_pk: int, *, by: User) -> bool:
    """Take a member out; the next page they open is closed to them. False when they were no member."""
    row = _locked(study, user_pk)
    if row is None:
        return False
    _keep_an_owner(study, row, "")
    row.delete()
    audit("member.removed", by=by, study=study, target=f"user {user_pk}", was=row.role)
    return True


def _locked(study: Study, user_pk: int) -> Membership | None:
    """The membership, behind the lock of its study: of two owners who take each other out, one stays."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    return member(study, user_pk)


def _keep_an_owner(study: Study, row: Membership, role: str) -> None:
    others = Membership.objects.filter(study=study, role=Role.OWNER, user__is_active=True).exclude(pk=row.pk)
    if row.role == Role.OWNER and role != Role.OWNER and not others.exists():
        raise ValidationError(_("This is the last owner. Make somebody else an owner first."))
