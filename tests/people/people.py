"""People of a cohort as rows, for tests that need no walk through the hour."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone


def invited(cohort, address, **fields):
    """Somebody invited by address, with their letter due."""
    from study.accounts.encrypted import address_hash
    from study.people.flows import new_participant
    from study.people.models import Contact, Invitation, Letter
    from study.people.tokens import hash_of, make_token

    now = timezone.now()
    row = new_participant(cohort, invited_at=now, **fields)
    Contact.objects.create(participant=row, email=address)
    Invitation.objects.create(
        cohort=cohort,
        participant=row,
        email_hash=address_hash(address),
        token_hash=hash_of(make_token(row, now)),
        created_at=now,
        expires_at=now + timedelta(days=60),
    )
    Letter.objects.create(participant=row, kind="invitation", due_at=now)
    return row
