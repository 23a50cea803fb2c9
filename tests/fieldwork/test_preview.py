"""A preview walks the hour and leaves nothing in any count (P-14)."""

from __future__ import annotations

import pytest

from study.assignment.models import AssignmentEvent, Visit
from study.fieldwork.preview import delete_preview, start_preview
from study.people.models import Participant
from study.sandbox.models import Desk
from tests.fieldwork.hour import Hour
from tests.people.walk import GOOD, agree

pytestmark = pytest.mark.django_db


def test_a_preview_is_marked_and_the_next_one_deletes_it(cohort, ada, client):
    client.force_login(ada)
    started = client.post(f"/studies/{cohort.study.code}/preview/")
    hour = Hour(Participant.objects.get().code, client)
    assert started["Location"] == f"/hour/{hour.code}/screener/"
    client.post(f"/hour/{hour.code}/screener/", GOOD)
    agree(client, hour.code)
    assert "Preview: nothing you do here counts" in hour.get("orientation/").content.decode()
    hour.orient()
    hour.work()
    assert "Preview: nothing" in hour.get("ratings/", follow=True).content.decode()
    hour.rate("Org")
    assert Participant.objects.counted().count() == 0
    assert not AssignmentEvent.objects.exists()
    client.post(f"/studies/{cohort.study.code}/preview/")
    assert Participant.objects.count() == 1
    assert Participant.objects.get().code != hour.code
    assert (Visit.objects.count(), Desk.objects.count()) == (0, 0)


def test_only_staff_may_start_one(cohort, ben, cleo, client):
    client.force_login(cleo)
    assert client.post(f"/studies/{cohort.study.code}/preview/").status_code == 404
    assert client.get(f"/studies/{cohort.study.code}/preview/").status_code == 405


def test_a_study_without_a_cohort_says_what_to_do(study, ada, client):
    client.force_login(ada)
    client.post(f"/studies/{study.code}/preview/")
    assert "needs a cohort" in client.get("/studies/").content.decode()
    assert not Participant.objects.exists()


def test_a_real_participant_is_never_deleted_as_a_preview(hour):
    with pytest.raises(ValueError, match="not a preview"):
        delete_preview(hour.participant)


def test_previews_of_two_people_stand_side_by_side(cohort, ada, cleo):
    one, two = start_preview(cohort.study, ada), start_preview(cohort.study, cleo)
    assert {one.pk, two.pk} == set(Participant.objects.values_list("pk", flat=True))
