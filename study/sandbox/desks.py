"""Opening and closing places in an Org."""

from __future__ import annotations

from datetime import date

from django.db import IntegrityError, transaction
from django.utils import timezone

from study.accounts.models import Study, User, new_code
from study.sandbox.models import Desk, Org, Purpose

CODE_LENGTH = 12
ATTEMPTS = 5


def open_desk(
    *,
    org: Org,
    user: User,
    purpose: str,
    today: date | None = None,
    study: Study | None = None,
    console: bool = True,
) -> Desk:
    """A new desk for one person. Without ``today`` the Org's last day is the today (M9).

    ``console``: whether the query console and the schema are offered there.
    ValueError for a purpose that does not exist.
    """
    if purpose not in Purpose.values:
        raise ValueError(f"{purpose!r} is not a purpose of a desk; use one of {', '.join(Purpose.values)}.")
    for _ in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return Desk.objects.create(
                    code=new_code(CODE_LENGTH),
                    org=org,
                    user=user,
                    study=study,
                    purpose=purpose,
                    today=today or org.last_day,
                    console=console,
                )
        except IntegrityError:
            # Two desks drew one code; the next draw decides.
            continue
    raise RuntimeError("No free desk code was found; the codes are too short for this many desks.")


def close_desk(desk: Desk) -> bool:
    """Close a desk once. It stays readable and says that it is closed. False if it was closed before."""
    closed = Desk.objects.filter(pk=desk.pk, closed_at=None).update(closed_at=timezone.now())
    if closed:
        desk.refresh_from_db(fields=["closed_at"])
    return bool(closed)
