"""Send it to my computer: the link to the same mailbox, or a short code; limited, and nobody is signed up by it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from study.people.models import Letter, Participant, Stage
from study.people.ways import computer

pytestmark = pytest.mark.django_db


@pytest.fixture
def invited(cohort):
    from study.people.ways.invitations import invite
    from study.people.ways.tokens import make_token

    [row] = invite(cohort, "Ben.O+crm@example.test", by=None)
    return row, f"/i/{make_token(row, row.invitation.created_at)}/"


def test_the_link_goes_to_the_same_mailbox_and_signs_nobody_up(invited, client):
    row, link = invited
    page = client.get(link).content.decode()
    assert 'action="computer/"' in page, "always in the page; the style sheet shows it on narrow screens"
    mail.outbox.clear()
    for _press in range(2):
        shown = client.post(link + "computer/")
        assert "It is in your mailbox" in shown.content.decode()
    [letter] = mail.outbox
    assert letter.to == ["Ben.O+crm@example.test"]
    assert link in letter.body
    row.refresh_from_db()
    assert (row.stage, row.user) == (Stage.INVITED, None)
    assert client.get(link + "computer/").status_code == 405, "opening changes nothing (P-01)"
    for _wave in range(10):
        Letter.objects.filter(kind=computer.KIND).update(sent_at=timezone.now() - timedelta(hours=1))
        client.post(link + "computer/")
    assert len(mail.outbox) == computer.MOST


def test_a_letter_that_fails_is_said_and_tried_again(invited, client, monkeypatch):
    _row, link = invited
    monkeypatch.setattr("django.core.mail.EmailMessage.send", _refused)
    assert "could not be sent just now" in client.post(link + "computer/").content.decode()
    assert Letter.objects.get(kind=computer.KIND).state == "due"


def _refused(self, fail_silently=False):
    raise ConnectionRefusedError


def test_who_has_no_address_gets_a_code_that_works_once(cohort, client):
    type(cohort).objects.filter(pk=cohort.pk).update(open_link="open-to-all")
    client.post("/j/open-to-all/", {"once": "an-open-link-form"})
    one = Participant.objects.get()
    where = f"/hour/{one.code}/computer/"
    assert "no address" in client.get(where).content.decode()
    page = client.post(where).content.decode()
    code = page.split('<p class="code">')[1].split("<")[0]
    assert not mail.outbox
    other = Client()
    assert other.post("/hour/resume/", {"key": code.lower()})["Location"] == f"/hour/{one.code}/screener/"
    assert other.get(where).status_code == 200
    assert Client().post("/hour/resume/", {"key": code}).status_code == 422, "once"
    assert Client().post("/hour/resume/", {"key": "ABCD-EFGH"}).status_code == 422
    assert Client().get(where).status_code == 302
