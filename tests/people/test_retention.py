"""P-43: limits on keeping are announced before they act, act once, and never while somebody is still to be paid."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core import mail
from django.utils import timezone

from study.accounts import retention as rules
from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.jobs import enqueue, run
from study.accounts.models import Job, Role, SigninLink, Study
from study.people.models import Contact, Import, Participant, Payment
from study.people.privacy import retention

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def pass_to(study, now) -> None:
    """The tick of a later day, and the job that it begins."""
    retention.contacts(now)
    for job in Job.objects.filter(kind=retention.KIND, state="queued"):
        run(job.pk)
    study.refresh_from_db()


def test_contacts_go_once_and_only_when_announced(study, cohort, invite, ada):
    invite("ben@example.test", "noor@example.test")
    add_member(study, user_with_address("coordinator@example.test"), Role.COORDINATOR, by=ada)
    add_member(study, user_with_address("viewer@example.test"), Role.VIEWER, by=ada)
    now = timezone.now()
    retention.set_limit(study, now.date() + 20 * DAY, by=ada)
    pass_to(study, now)
    assert (study.contacts_announced_at, len(mail.outbox)) == (None, 0)

    pass_to(study, now + 7 * DAY)
    pass_to(study, now + 7 * DAY)
    assert [sorted(one.to) for one in mail.outbox] == [["ada@example.test", "coordinator@example.test"]]
    assert "ben@example.test" not in mail.outbox[0].body
    (need,) = retention.announced(study)
    assert str((now + 21 * DAY).day) in need.text, "never less than 14 days after it was announced"
    pass_to(study, now + 20 * DAY)
    assert Contact.objects.count() == 2

    payment = Payment.objects.create(
        participant=Participant.objects.first(), reason="complete", amount=1, currency="EUR"
    )
    pass_to(study, now + 22 * DAY)
    (need,) = retention.announced(study)
    assert (Contact.objects.count(), "1 payment is open" in need.detail) == (2, True)
    payment.state = "paid"
    payment.save()

    pass_to(study, now + 22 * DAY)
    assert (Contact.objects.count(), study.erasures.filter(state="done").count()) == (0, 2)
    assert study.contacts_deleted_at
    assert list(retention.announced(study)) == []
    jobs = Job.objects.count()
    pass_to(study, now + 23 * DAY)
    assert (len(mail.outbox), Job.objects.count()) == (1, jobs)


def test_a_day_that_is_moved_is_announced_again(study, cohort, ada):
    now = timezone.now()
    retention.set_limit(study, now.date() + 3 * DAY, by=ada)
    pass_to(study, now)
    retention.set_limit(study, now.date() + 90 * DAY, by=ada)
    pass_to(study, now + 20 * DAY)
    assert (study.contacts_announced_at, study.contacts_deleted_at) == (None, None)


def test_the_proposal_is_what_the_papers_promise(study, cohort):
    found = retention.proposal(study)
    assert found.day == timezone.now().date() + 14 * DAY
    assert "14 days after the last visit" in found.why


def test_every_other_rule_acts_at_its_moment(study, cohort, ada):
    """Nothing goes before its time, everything after it, and each rule is named for the page and the docs."""
    now = timezone.now()
    enqueue("send_letters", {"of": "a day"})
    Job.objects.update(state="done", finished_at=now - 2 * DAY)
    Job.objects.create(kind="export bundle", state="done", finished_at=now, params={"kept": 1})
    SigninLink.objects.create(user=ada, token_hash="0" * 64, expires_at=now)
    Session.objects.create(session_key="s" * 32, session_data="", expire_date=now + DAY)
    Import.objects.create(cohort=cohort, file_name="a.csv", rows=[{"row": 1}], content="YQ==")

    def act(at):
        return {one.name: n for one in rules.rules() if (n := one.act(at))}

    assert act(now) == {"jobs of the tick": 1}
    assert act(now + 31 * DAY) == {"sign-in links": 1, "sessions": 1, "jobs": 1, "imports": 1}
    assert act(now + 31 * DAY) == {}
    assert (Job.objects.get().params, Import.objects.get().rows) == ({}, None)
    assert Study.objects.count() == 1
