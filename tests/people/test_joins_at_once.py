"""P-12 over the real flows on PostgreSQL: many people at once, never one place too many, and nobody meets an error."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import connection, connections
from django.utils import timezone

from study.accounts.models import User
from study.assignment.flows import consent_and_begin
from study.assignment.models import AssignmentEvent, Visit
from study.people import flows
from study.people.items import Filled
from study.people.models import Consent, End, Participant, Stage
from study.people.protocol import file_of, protocol_of
from study.people.sample.cohort_board import row_of
from study.people.sample.cohorts import change_cohort
from study.people.sample.places import places
from study.people.screener import submit
from tests.people.walk import GOOD, TICKS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
AT_ONCE = 40
"""Requests that a server has under way together; everybody else waits for one of them, as at a real door."""


def invited(cohort, n, stage=Stage.INVITED):
    """Rows as inviting makes them, each with the account that will confirm."""
    User.objects.bulk_create([User(email=f"p{k}@example.test", password="!") for k in range(n)])
    users = list(User.objects.filter(email__startswith="p", email__endswith="@example.test").order_by("pk"))
    joined = timezone.now() if stage != Stage.INVITED else None
    Participant.objects.bulk_create(
        Participant(
            study=cohort.study,
            cohort=cohort,
            code=f"P-{k:04d}",
            stage=stage,
            joined_at=joined,
            user=users[k] if joined else None,
        )
        for k in range(n)
    )
    return list(zip(Participant.objects.filter(cohort=cohort).order_by("pk"), users, strict=True))


def all_at_once(people, act: Callable[..., object]) -> list[object]:
    """What each got, or the error it met; the first ``AT_ONCE`` set out in the same moment."""
    waiting, outcomes = iter(people), []
    gate, turn = threading.Barrier(min(AT_ONCE, len(people))), threading.Lock()

    def serve():
        gate.wait()
        while True:
            with turn:
                one, user = next(waiting, (None, None))
            if one is None:
                break
            try:
                outcomes.append(act(Participant.objects.select_related("cohort", "study").get(pk=one.pk), user))
            except Exception as error:
                outcomes.append(error)
        connections.close_all()

    threads = [threading.Thread(target=serve) for _ in range(gate.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_200_joins_at_once_never_exceed_the_target(cohort):
    """Confirm, screener, consent: ten of two hundred get in, the others are greeted before any work."""
    protocol = protocol_of(cohort)
    file = file_of(protocol)

    def come(one, user):
        one = flows.join(one, user)
        if not one.end:
            submit(one, file, Filled(GOOD))
        return None if one.end else consent_and_begin(one, protocol, TICKS)

    outcomes = all_at_once(invited(cohort, 200), come)
    errors = [found for found in outcomes if isinstance(found, Exception)]
    admitted = sum(isinstance(found, Visit) for found in outcomes)
    greeted = Participant.objects.filter(cohort=cohort, end=End.FULL, stage__in=["joined"], consents=None, visits=None)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM people_participant p JOIN people_consent c ON c.participant_id = p.id"
            " WHERE p.cohort_id = %s AND p.\"end\" = '' AND p.stage = 'consented'",
            [cohort.pk],
        )
        rows = cursor.fetchone()[0]
    counter = (places(cohort).taken, row_of(cohort).places.taken)
    same = "=" if counter == (rows, rows) else f"{counter} is not {rows}"
    print(
        f"\n{len(outcomes)} asked, {admitted} admitted, {greeted.count()} greeted, {len(errors)} errors,"
        f" counter {same} rows"
    )
    assert errors == []
    assert (admitted, greeted.count(), counter) == (10, 190, (rows, rows))
    assert rows == 10
    assert all(code for code in greeted.values_list("completion_code", flat=True))
    assert list(AssignmentEvent.objects.order_by("sequence").values_list("sequence", flat=True)) == list(range(1, 51))


def test_a_target_lowered_meanwhile_lets_nobody_in_and_nobody_out(cohort):
    """P-12: who has begun goes on; from the moment the lower target is stored nobody gets in above it."""
    protocol, lowered = protocol_of(cohort), threading.Event()
    people = invited(cohort, 24, stage=Stage.ELIGIBLE)

    def begin(one, user):
        visit = consent_and_begin(one, protocol, TICKS)
        if visit is not None and Consent.objects.count() >= 4 and not lowered.is_set():
            lowered.set()
            change_cohort(
                cohort, name="", target=5, contact_email="n@example.test", channel="", open_link=False, by=None
            )
        return visit

    outcomes = all_at_once(people, begin)
    assert [found for found in outcomes if isinstance(found, Exception)] == []
    assert lowered.is_set()
    moment = _moment_of_change()
    before = Consent.objects.filter(at__lt=moment).count()
    begun = sum(isinstance(found, Visit) for found in outcomes)
    assert 4 <= begun <= max(5, before)
    assert begun == Participant.objects.filter(end="", stage=Stage.CONSENTED).count()
    assert Participant.objects.filter(end=End.FULL).count() == 24 - begun


def _moment_of_change():
    from study.accounts.models import AuditRow

    return AuditRow.objects.get(act="cohort.changed").at
