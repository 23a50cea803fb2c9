"""Answers taken out when somebody asks for it by letter, as the consent promises; and who is analysed, kept with the
participant as the bundle works it out, left out in both (M17)."""

from __future__ import annotations

import pytest
from django.test import Client

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.models import AuditRow
from study.fieldwork.models import Rating, Rationale
from study.people import flows
from study.people.models import End, Participant, Stage
from study.people.sample import excluding
from study.people.sample.places import places
from study.results.frames import frames
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


def row(study):
    return frames(study, blind=False).tables["participants"][0]


def kept(study):
    """What is kept, once it is seen that the bundle says the same."""
    one = Participant.objects.get(study=study)
    told = row(study)
    assert told["analysed"] == bool(one.analysed)
    return one.analysed, told["complete"], told["usable"], told["exclusion_reason"]


def test_what_is_kept_is_what_the_bundle_says(study, finished):
    """From the lock on; left out and in again; taken out at last. The end and the data stay until then."""
    assert kept(study) == (True, True, True, "")
    one, before = finished.participant, state_of(study)
    visits = frames(study, blind=False).tables["visits"]
    ratings = frames(study, blind=False).tables["ratings"]
    reason = excluding.reasons(one)[0].code
    assert excluding.exclude(one, reason, by=None)
    assert kept(study) == (False, True, False, reason)
    assert frames(study, blind=False).tables["ratings"] == ratings
    assert frames(study, blind=False).tables["visits"] == [line | {"analysed": False} for line in visits]
    assert state_of(study) != before, "results are computed anew"
    assert places(one.cohort).taken == 0
    assert excluding.include(one, by=None)
    assert kept(study) == (True, True, True, "")
    assert places(one.cohort).taken == 1
    flows.take_out_on_request(one, by=None)
    assert kept(study)[:3] == (False, True, False)
    assert places(one.cohort).taken == 0


def test_p13_a_complete_hour_with_too_little_rated_opens_its_place(study, finished):
    """P-13, M17: complete asks more than analysed as a rule, but a set that was cut short is not what was wanted."""
    one = finished.participant
    Participant.objects.filter(pk=one.pk).update(end="", stage=Stage.LOCKED, analysed=None, completion_code="")
    mine = Rating.objects.filter(visit__participant=one, kind="object")
    mine.filter(pk__in=list(mine.values_list("pk", flat=True))[3:]).update(final="")
    one.refresh_from_db()
    assert places(one.cohort).taken == 1
    assert flows.end(one, End.COMPLETE)
    assert kept(study)[:2] == (False, True)
    assert places(one.cohort).taken == 0
