"""People of a cohort as rows, for tests that need no walk through the hour."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone


def invited(cohort, address, **fields):
    """Somebody invited by address, with their letter due."""
    from study.accounts.encrypted import address_hash
    from study.people.flows import new_participant
    from study.people.models import Contact, Invitation, Letter
    from study.people.ways.tokens import hash_of, make_token

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


def many_invited(cohort, number):
    """``n1@example.test`` and so on, in four statements."""
    from study.accounts.encrypted import address_hash
    from study.people.models import Contact, Invitation, Letter, Participant
    from study.people.ways.tokens import hash_of, make_token

    now = timezone.now()
    rows = Participant.objects.bulk_create(
        Participant(study=cohort.study, cohort=cohort, code=f"P-{n:04}", invited_at=now) for n in range(1, number + 1)
    )
    mails = [f"n{n}@example.test" for n in range(1, number + 1)]
    Contact.objects.bulk_create(
        Contact(participant=row, email=at, email_hash=address_hash(at)) for row, at in zip(rows, mails, strict=True)
    )
    Invitation.objects.bulk_create(
        Invitation(
            cohort=cohort,
            participant=row,
            email_hash=address_hash(at),
            token_hash=hash_of(make_token(row, now)),
            created_at=now,
            expires_at=now + timedelta(days=60),
        )
        for row, at in zip(rows, mails, strict=True)
    )
    Letter.objects.bulk_create(Letter(participant=row, kind="invitation", due_at=now) for row in rows)
    return rows
