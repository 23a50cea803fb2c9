"""Whose place it is: held, active and kept places by rows, given back once, and who is greeted instead."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from study.assignment.flows import consent_and_begin
from study.people import flows
from study.people.models import End, Slot, SlotBooking, Stage
from study.people.protocol import protocol_of
from study.people.sample.cohort_board import row_of
from study.people.sample.places import has_room, holders, most_started, places
from tests.people.walk import TICKS, agree, to_consent

pytestmark = pytest.mark.django_db


def person(cohort, stage, **more):
    """A row as the hour leaves it, with its events."""
    one = flows.new_participant(cohort, stage=stage, joined_at=cohort.created_at, **more)
    if stage in (Stage.WORKING, Stage.RATING, Stage.LOCKED, Stage.DONE):
        one.stage_events.create(stage=Stage.WORKING)
    return one


def begin(cohort):
    one = person(cohort, Stage.ELIGIBLE, eligible_at=timezone.now())
    return one, consent_and_begin(one, protocol_of(cohort), TICKS)


def test_a_place_is_taken_by_whoever_may_still_count_and_by_those_who_do(cohort):
    """M17: one row of each kind; what the rule says stands beside it."""
    now = timezone.now()
    long_ago = now - timedelta(hours=25)
    kinds = {
        "at the screener": (Stage.JOINED, {}, False),
        "eligible since a moment ago": (Stage.ELIGIBLE, {"eligible_at": now - timedelta(hours=23)}, True),
        "eligible since yesterday": (Stage.ELIGIBLE, {"eligible_at": long_ago}, False),
        "consented": (Stage.CONSENTED, {}, True),
        "working": (Stage.WORKING, {}, True),
        "working, left out": (Stage.WORKING, {"excluded_at": now, "exclusion": "duplicate"}, False),
        "locked, too little rated": (Stage.LOCKED, {"analysed": False}, False),
        "complete": (Stage.DONE, {"end": End.COMPLETE}, True),
        "complete and analysed": (Stage.DONE, {"end": End.COMPLETE, "analysed": True}, True),
        "complete, not analysed": (Stage.DONE, {"end": End.COMPLETE, "analysed": False}, False),
        "complete, taken out": (Stage.DONE, {"end": End.COMPLETE, "data_choice": "take_out"}, False),
        "complete, left out": (Stage.DONE, {"end": End.COMPLETE, "analysed": True, "excluded_at": now}, False),
        "left with enough rated": (Stage.LOCKED, {"end": End.WITHDRAWN, "analysed": True}, True),
        "left": (Stage.WORKING, {"end": End.WITHDRAWN, "analysed": False}, False),
        "lapsed": (Stage.RATING, {"end": End.LAPSED}, False),
        "found it full": (Stage.JOINED, {"end": End.FULL}, False),
        "a preview": (Stage.WORKING, {"preview": True}, False),
    }
    rows = {name: person(cohort, stage, **more) for name, (stage, more, _takes) in kinds.items()}
    taking = set(holders(cohort))
    assert {name for name, one in rows.items() if one in taking} == {n for n, (_s, _m, takes) in kinds.items() if takes}
    assert set(cohort.participants.holding_a_place()) == taking, "one rule for one cohort and for many"
    seen = places(cohort)
    started = sum(stage in ("working", "rating", "locked", "done") and not more.get("preview")
                  for stage, more, _takes in kinds.values())  # fmt: skip
    assert (seen.taken, seen.begun) == (len(taking), started + 2), "a place from which somebody may still start counts"
    assert row_of(cohort).places == seen


def test_replacement_ends_when_enough_have_started(cohort):
    """M17: until the target is analysed or so many have started, whichever comes first."""
    cohort.target, cohort.most_started = 2, 3
    cohort.save()
    for _ in range(2):
        flows.end(person(cohort, Stage.WORKING), End.LAPSED)
    assert places(cohort).free == 1
    begin(cohort)
    assert places(cohort).taken == 1
    late, nothing = begin(cohort)
    assert nothing is None
    late.refresh_from_db()
    assert late.end == End.FULL
    assert row_of(cohort).most_reached
    cohort.most_started = None
    cohort.save()
    assert most_started(cohort) == 40, "the protocol's n_max for one arm"
    assert begin(cohort)[1] is not None


def test_p13_a_lost_place_comes_back_once(cohort):
    """P-13: who lapses, leaves or is left out opens one place, however often it is said; nobody is put out later."""
    cohort.target = 2
    cohort.save()
    (one, _), (two, _) = begin(cohort), begin(cohort)
    assert begin(cohort)[1] is None
    assert flows.end(one, End.LAPSED)
    assert not flows.end(one, End.WITHDRAWN)
    assert begin(cohort)[1] is not None
    assert begin(cohort)[1] is None
    two.refresh_from_db()
    assert (two.end, places(cohort).taken) == ("", 2)


def test_p13_whoever_comes_back_after_their_hold_is_asked_for_room_anew(cohort, invite):
    """While there is room the page opens and holds again; once somebody else has the place it says so at once."""
    cohort.target = 1
    cohort.save()
    client, other = Client(), Client()
    code = to_consent(client, invite("p1@example.test")[0])
    one = cohort.participants.get(code=code)
    assert one.eligible_at is not None
    long_ago = timezone.now() - timedelta(hours=25)
    cohort.participants.update(eligible_at=long_ago)
    assert client.get(f"/hour/{code}/consent/").status_code == 200
    one.refresh_from_db()
    assert one.eligible_at > long_ago, "held again"
    cohort.participants.update(eligible_at=long_ago)
    second = to_consent(other, invite("p2@example.test")[0])
    assert agree(other, second).status_code == 302
    page = client.get(f"/hour/{code}/consent/", follow=True)
    one.refresh_from_db()
    assert (one.end, one.consents.count(), bool(one.completion_code)) == (End.FULL, 0, True)
    assert "statement" not in page.content.decode()


def test_a_booked_slot_holds_a_place_however_far_off_it_is(cohort):
    cohort.target, cohort.moderated = 1, True
    cohort.save()
    long_ago = timezone.now() - timedelta(days=3)
    one = person(cohort, Stage.ELIGIBLE, eligible_at=long_ago)
    assert has_room(cohort)
    slot = Slot.objects.create(cohort=cohort, starts_at=timezone.now() + timedelta(days=5), moderator="M1")
    booked = SlotBooking.objects.create(slot=slot, participant=one)
    assert not has_room(cohort)
    assert list(cohort.participants.holding_a_place()) == [one]
    assert flows.hold_again(one)
    booked.given_up_at = timezone.now()
    booked.save()
    assert has_room(cohort)


def test_p14_previews_and_pilots_are_in_no_count_of_a_cohort(cohort, ada):
    """P-14: four previews walk in while the cohort is full and nothing on the board moves."""
    cohort.target = 1
    cohort.save()
    begin(cohort)
    before = row_of(cohort)
    for _ in range(4):
        preview = flows.preview_participant(cohort, ada)
        flows.advance(preview, Stage.JOINED, Stage.ELIGIBLE)
        assert consent_and_begin(preview, protocol_of(cohort), TICKS) is not None
        flows.advance(preview, Stage.CONSENTED, Stage.WORKING)
        flows.end(preview, End.COMPLETE)
        preview.refresh_from_db()
        assert preview.analysed is None
    assert row_of(cohort) == before
