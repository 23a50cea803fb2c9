"""The doors of the sandbox: a desk for its own user, an Org for those who may see it."""

from __future__ import annotations

import logging

from django.db.models import Q
from django.http import Http404, HttpRequest

from study.accounts.access import person
from study.accounts.models import User
from study.sandbox.models import Desk, Org, Purpose

logger = logging.getLogger(__name__)


def visible_orgs(user: User) -> Q:
    """Which Orgs this person's staff pages may name (A15).

    An Org bound to studies is seen by their members alone; one bound to none
    belongs to the installation: operators and members of any study see it.
    """
    own = Q(study_orgs__study__memberships__user=user)
    if user.is_operator or user.memberships.exists():
        return own | Q(study_orgs__isnull=True)
    return own


def org_for(request: HttpRequest, hash_or_name: str) -> Org:
    """The Org of this hash or name, for staff. 404 for anybody else, as for a made-up name (P-39)."""
    user = person(request)
    named = Q(hash=hash_or_name) | Q(name=hash_or_name)
    org = Org.objects.filter(visible_orgs(user), named).distinct().first()
    if org is None:
        raise Http404
    return org


def desk_for(request: HttpRequest, code: str) -> Desk:
    """The desk of this code, for the one person it was opened for; sets ``request.desk``.

    Everybody else gets 404, exactly as for a made-up code (P-39), and the
    attempt is logged. A staff desk closes to a person who may no longer see the Org.
    """
    user = person(request)
    desk = Desk.objects.select_related("org", "study").filter(code=code).first()
    if desk is None:
        raise Http404
    if desk.user_id != user.pk:
        logger.warning("user %s asked for desk %s of somebody else", user.pk, desk.pk)
        raise Http404
    if desk.purpose == Purpose.STAFF and not Org.objects.filter(visible_orgs(user), pk=desk.org_id).exists():
        raise Http404
    request.desk = desk  # type: ignore[attr-defined]
    return desk
