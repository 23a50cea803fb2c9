"""What people do with accounts and studies. Views, commands and jobs all call these."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.adapter import user_with_address
from study.accounts.audit import audit
from study.accounts.codes import checked_code
from study.accounts.models import Membership, Role, SigninLink, Study, User

LINK_MINUTES = 15


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def create_study(*, code: str, name: str, owner: User, simulated: bool = False) -> Study:
    """Raises ValidationError with a remedy for a bad or taken code."""
    code = checked_code(code)
    try:
        with transaction.atomic():
            study = Study.objects.create(code=code, name=name.strip() or code, simulated=simulated)
    except IntegrityError:
        raise ValidationError(_("A study “%(code)s” exists already. Choose another code.") % {"code": code}) from None
    Membership.objects.create(user=owner, study=study, role=Role.OWNER)
    audit("study.created", by=owner, study=study, target=code)
    return study


@transaction.atomic
def add_member(study: Study, user: User, role: str, *, by: User | None) -> Membership:
    membership, _made = Membership.objects.update_or_create(study=study, user=user, defaults={"role": role})
    audit("member.added", by=by, study=study, target=f"user {user.pk}", role=role)
    return membership


@transaction.atomic
def make_signin_link(email: str, *, minutes: int = LINK_MINUTES, reusable: bool = False, create: bool = False) -> str:
    """The path of a short-lived sign-in link. Raises ValidationError for an unknown address."""
    address = email.strip().lower()
    user = User.objects.filter(email=address).first()
    if user is None and not create:
        raise ValidationError(_("Nobody with the address %(email)s is known here.") % {"email": address})
    user = user or user_with_address(address)
    token = secrets.token_urlsafe(24)
    SigninLink.objects.create(
        user=user,
        token_hash=token_hash(token),
        expires_at=timezone.now() + timedelta(minutes=minutes),
        reusable=reusable,
    )
    audit("signin_link.made", by=None, target=f"user {user.pk}", minutes=minutes)
    return f"/link/{token}/"


def usable_link(token: str, *, now: datetime | None = None) -> SigninLink | None:
    link = SigninLink.objects.select_related("user").filter(token_hash=token_hash(token)).first()
    if link is None or link.expires_at <= (now or timezone.now()) or not link.user.is_active:
        return None
    return link if link.reusable or link.used_at is None else None


@transaction.atomic
def use_link(token: str) -> User | None:
    """The user whom a link signs in, once. None when it is used up, expired or unknown."""
    link = usable_link(token)
    if link is None:
        return None
    now = timezone.now()
    claimable = SigninLink.objects.filter(pk=link.pk)
    if not link.reusable:
        claimable = claimable.filter(used_at__isnull=True)
    if not claimable.update(used_at=now):
        return None
    audit("signin_link.used", by=link.user, target=f"user {link.user_id}")
    return link.user


@transaction.atomic
def unblind(study: Study, *, by: User, reason: str) -> bool:
    """Open ratings and estimates to researchers, once, with a reason (M13). False when open already."""
    reason = reason.strip()
    if len(reason) < 5:
        raise ValidationError(_("Say in a sentence why the study is unblinded; the report prints it."))
    changed = Study.objects.filter(pk=study.pk, unblinded_at__isnull=True).update(
        unblinded_at=timezone.now(), unblinded_by=by, unblind_reason=reason
    )
    if changed:
        audit("study.unblinded", by=by, study=study, target=study.code, reason=reason)
        study.refresh_from_db()
    return bool(changed)
