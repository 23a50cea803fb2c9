"""Answers taken out when somebody asks for it by letter, as the consent promises."""

from __future__ import annotations

import pytest
from django.test import Client

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.models import AuditRow
from study.fieldwork.models import Rationale
from study.people.models import Participant
from study.results.stored import state_of
from study.sandbox.models import Desk, Favourite, SavedView

pytestmark = pytest.mark.django_db


@pytest.fixture
def noor(study):
    """The coordinator's browser."""
    user = user_with_address("noor@example.test")
    add_member(study, user, "coordinator", by=None)
    browser = Client()
    browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return browser


def test_a_coordinator_takes_answers_out_once_and_on_purpose(study, finished, noor):
    url = f"/studies/{study.code}/people/{finished.code}/"
    assert "asked for their answers" in noor.get(url).content.decode()
    refused = noor.post(url + "take-out/", {"again": "P-OTHER"})
    assert refused.status_code == 422
    assert "Nothing was removed" in refused.content.decode()
    assert Rationale.objects.exists()
    before = state_of(study)
    assert noor.post(url + "take-out/", {"again": finished.code.lower()}).status_code == 302
    assert not Rationale.objects.exists()
    assert set(finished.visit.ratings.values_list("final", flat=True)) == {""}
    assert Participant.objects.get().completion_code
    assert state_of(study) != before, "results are computed anew"
    assert AuditRow.objects.filter(act="answers.taken_out", target=finished.code).count() == 1
    assert noor.post(url + "take-out/", {"again": finished.code}).status_code == 302
    assert AuditRow.objects.filter(act="answers.taken_out").count() == 1


def test_named_views_and_favourites_go_along(study, finished, noor):
    """What a person named and marked in the sandbox is theirs; somebody else's in the same Org stays."""
    own = Participant.objects.get(code=finished.code).user
    org = Desk.objects.filter(user=own).first().org
    other = user_with_address("other@example.test")
    for user in (own, other):
        SavedView.objects.create(user=user, org=org, kind="list", object="Case", name="Mine", query="q=private")
        Favourite.objects.create(user=user, org=org, record="500Hy0000000001IAA")
    noor.post(f"/studies/{study.code}/people/{finished.code}/take-out/", {"again": finished.code})
    assert [view.user for view in SavedView.objects.all()] == [other]
    assert [mark.user for mark in Favourite.objects.all()] == [other]


def test_nobody_is_taken_out_of_their_hour(study, cohort, ben, client, noor):
    from tests.fieldwork.hour import Hour

    hour = Hour.begin(cohort, ben, client)
    answer = noor.post(f"/studies/{study.code}/people/{hour.code}/take-out/", {"again": hour.code})
    assert answer.status_code == 422
    assert Participant.objects.get().data_choice == ""


def test_leaving_says_what_became_of_the_answers(cohort, ben, client):
    from tests.fieldwork.hour import Hour

    hour = Hour.begin(cohort, ben, client)
    page = client.post(f"/hour/{hour.code}/leave/", {"data": "take_out"}, follow=True).content.decode()
    assert "have been taken out, as you asked" in page
    assert "write to us" not in page
