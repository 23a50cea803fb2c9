"""Moved, left out and taken in again, invited again: each once, with its reason, told on the timeline and audited."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from study.accounts.models import AuditRow
from study.people import flows
from study.people.models import CohortState, End, Letter, Stage
from study.people.sample import excluding, moving
from study.people.sample.cohorts import create_cohort
from study.people.sample.places import places
from study.people.sample.quotas import set_quota
from study.people.ways import invitations, inviting_again
from study.people.ways.tokens import make_token
from tests.people.test_places import begin, person
from tests.people.test_quotas import YEARS, screen
from tests.people.walk import agree, to_consent

pytestmark = pytest.mark.django_db


@pytest.fixture
def south(cohort):
    from study.assignment.flows import open_cohort

    row = create_cohort(
        cohort.study, code="south", name="South", arm="main", target=2, contact_email="n@example.test", by=None
    )
    open_cohort(row, by=None)
    return row


@pytest.fixture
def desk(ada):
    client = Client()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_somebody_is_moved_before_they_consent_and_their_link_goes_along(cohort, south, invite, desk):
    path = invite("p1@example.test")[0]
    one = cohort.participants.get()
    page = desk.get(f"/studies/spring/people/{one.code}/move/").content.decode()
    assert 'value="south"' in page
    assert 'value="north"' not in page
    assert desk.post(f"/studies/spring/people/{one.code}/move/", {"to": "south"}).status_code == 302
    one.refresh_from_db()
    assert (one.cohort, one.moved_from, one.invitation.cohort) == (south, "north", south)
    assert not moving.move(one, south, by=None), "a second press changes nothing"
    client = Client()
    assert to_consent(client, path) == one.code
    assert places(south).taken == 1
    assert places(cohort).taken == 0
    agree(client, one.code)
    assert desk.post(f"/studies/spring/people/{one.code}/move/", {"to": "north"}).status_code == 422
    assert "has consented" in desk.get(f"/studies/spring/people/{one.code}/move/").content.decode()
    assert AuditRow.objects.filter(act="people.moved", target=one.code).count() == 1
    assert one.stage_events.filter(reason="moved from north").count() == 1


def test_a_move_asks_for_room_and_for_the_cell_there(cohort, south, invite):
    """P-12: the place is asked for under the lock of both; the first answers decide the cell of the new cohort."""
    set_quota(south, [YEARS], {"new": 0, "old": 2}, by=None)
    paths = invite("p1@example.test", "p2@example.test", "p3@example.test")
    young, old = screen(Client(), paths[0]), screen(Client(), paths[1], S3="over_10")
    before = young.eligible_at
    with pytest.raises(ValidationError, match="no place left"):
        moving.move(young, south, by=None)
    young.refresh_from_db()
    assert (young.cohort, young.cell, young.eligible_at) == (cohort, "", before)
    assert moving.move(old, south, by=None)
    old.refresh_from_db()
    assert (old.cell, old.cohort.code, places(south).taken) == ("old", "south", 1)
    south.refresh_from_db()
    south.target = 1
    south.save()
    waiting = cohort.participants.get(stage=Stage.INVITED)
    with pytest.raises(ValidationError, match="no place left"):
        moving.move(waiting, south, by=None)
    south.target, south.pilot = 3, True
    south.save()
    assert moving.move(waiting, south, by=None)
    waiting.refresh_from_db()
    assert waiting.pilot, "whether they count is the cohort's"
    south.state = CohortState.CLOSED
    south.save()
    with pytest.raises(ValidationError, match="is closed"):
        moving.move(young, south, by=None)
    flows.end(young, End.WITHDRAWN)
    with pytest.raises(ValidationError, match="has ended"):
        moving.move(young, south, by=None)


def test_somebody_is_left_out_for_a_reason_of_the_protocol_and_taken_in_again(cohort, desk):
    """P-13: the place opens once; data, end and code stay; the way back is audited too."""
    one, _visit = begin(cohort)
    flows.end(one, End.COMPLETE)
    cohort.participants.update(analysed=True)
    one.refresh_from_db()
    before = (one.stage, one.end, one.completion_code, one.consents.count(), one.visits.count())
    assert places(cohort).taken == 1
    reason = excluding.reasons(one)[0]
    url = f"/studies/spring/people/{one.code}/leave-out/"
    assert reason.text in desk.get(url).content.decode()
    assert desk.post(url, {"reason": "because", "note": "kept"}).status_code == 422
    assert "kept" in desk.post(url, {"note": "kept"}).content.decode(), "what was typed is still there"
    for _ in range(2):
        assert desk.post(url, {"reason": reason.code, "note": "Told us so."}).status_code == 302
    one.refresh_from_db()
    assert (one.exclusion, one.analysed, places(cohort).taken) == (reason.code, False, 0)
    assert (one.stage, one.end, one.completion_code, one.consents.count(), one.visits.count()) == before
    rows = AuditRow.objects.filter(act="people.excluded", target=one.code)
    assert [row.detail for row in rows] == [{"reason": reason.code}], "typed words never enter what is sealed (P-43)"
    assert one.stage_events.last().reason == f"left out: {reason.code}. Told us so."
    assert "Take" in desk.get(url).content.decode()
    for _ in range(2):
        assert desk.post(f"/studies/spring/people/{one.code}/take-in/").status_code == 302
    one.refresh_from_db()
    assert (one.exclusion, one.excluded_at) == ("", None)
    assert AuditRow.objects.filter(act="people.included").count() == 1
    with pytest.raises(ValidationError, match="has joined"):
        excluding.exclude(person(cohort, Stage.CONSENTED, preview=True), reason.code, by=None)


def test_somebody_whose_invitation_ended_is_invited_again(cohort, invite, desk, django_capture_on_commit_callbacks):
    """The same person gets a new link; the old one is dead; who said no has to have asked for it."""
    with django_capture_on_commit_callbacks(execute=True):
        old = invite("p1@example.test")[0]
    one = cohort.participants.get()
    url = f"/studies/spring/people/{one.code}/invite-again/"
    assert "still holds" in desk.get(url).content.decode()
    Client().post(old + "decline/")
    one.refresh_from_db()
    assert (one.end, inviting_again.needs_consent_to_be_asked(one)) == (End.WITHDRAWN, True)
    assert desk.post(url).status_code == 422
    with django_capture_on_commit_callbacks(execute=True):
        assert desk.post(url, {"asked": "1"}).status_code == 302
    one.refresh_from_db()
    invitation = one.invitation
    assert (one.end, one.stage, invitation.declined_at) == ("", Stage.INVITED, None)
    new = f"/i/{make_token(one, invitation.created_at)}/"
    assert [link in letter.body for link, letter in zip((old, new), mail.outbox, strict=True)] == [True, True]
    assert Client().get(old).status_code == 404
    assert desk.post(url, {"asked": "1"}).status_code == 422, "a second press sends nothing"
    assert Letter.objects.filter(participant=one, kind="invitation").count() == 2
    invitations.revoke(one, by=None)
    assert inviting_again.invite_again(cohort.participants.get(), by=None)
    invitation.refresh_from_db()
    type(invitation).objects.update(expires_at=timezone.now() - timedelta(days=1))
    assert inviting_again.invite_again(cohort.participants.get(), by=None)
    one.refresh_from_db()
    one.invitation.refresh_from_db()
    client = Client()
    assert to_consent(client, f"/i/{make_token(one, one.invitation.created_at)}/") == one.code
    with pytest.raises(ValidationError, match="used the invitation"):
        inviting_again.invite_again(cohort.participants.get(), by=None)
    assert AuditRow.objects.filter(act="people.invited_again").count() == 3
