"""Slots of moderated visits: chosen once, never more than there are places, begun in time, missed (M21)."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from study.assignment import readiness
from study.assignment.readiness import cohort_problems
from study.people import flows
from study.people.mail import letters
from study.people.models import Letter, Participant, Slot, SlotBooking, Stage
from study.people.moderated import slots
from study.people.needs_me import needs
from study.people.protocol import file_of
from tests.people.walk import agree, code_of, to_consent

pytestmark = pytest.mark.django_db
START = datetime(2026, 5, 4, 13, 0, tzinfo=UTC)
DAYS = timedelta(days=1)


@pytest.fixture
def clock(monkeypatch):
    """Where the server's clock stands; a test moves it."""

    class Clock:
        now = START - 3 * DAYS

    monkeypatch.setattr("django.utils.timezone.now", lambda: Clock.now)
    return Clock


@pytest.fixture
def moderated(clock, cohort):
    cohort.moderated, cohort.zone = True, "Europe/Oslo"
    cohort.save()
    return cohort


def make(cohort, **more):
    fields = {"minutes": 90, "places": 1, "moderator": "M1", "where": "Room 3", "by": None} | more
    return slots.make_series(cohort, START, **fields)


def test_the_hour_begins_at_the_slot_and_nowhere_else(moderated, invite, clock):
    """Eligible people choose; the consent opens at their button, around the slot; the moderator is in the visit."""
    first, second = make(moderated, times=2, every_days=1)
    assert make(moderated, times=2, every_days=1) == [], "a double click makes no second series"
    client = Client()
    (path,) = invite("rene@example.test")
    code = to_consent(client, path)
    where = f"/hour/{code}/slot/"
    page = client.get(where).content.decode()
    assert "4 May 2026, 15:00 (Europe/Oslo)" in page
    assert "4 May 2026, 13:00 UTC" in page, "P-20: their zone and UTC"
    assert client.get(f"/hour/{code}/consent/")["Location"] == where
    assert agree(client, code).status_code == 302
    assert client.post(where, {"slot": "no number"}).status_code == 422
    for _twice in range(2):
        assert client.post(where, {"slot": first.pk}).status_code == 302
    assert SlotBooking.objects.count() == 1
    assert client.post(where + "begin/")["Location"] == where, "not the time yet"
    assert client.post(where + "zone/", {"zone": "Mars/North"}).status_code == 422
    client.post(where + "zone/", {"zone": "America/New_York"})
    assert "4 May 2026, 09:00 (America/New_York)" in client.get(where).content.decode()
    file = client.get(where + "visit.ics").content.decode()
    assert "DTSTART:20260504T130000Z" in file
    assert "LOCATION:Room 3" in file
    assert client.post(where, {"slot": second.pk}).status_code == 302, "another one instead"
    assert client.post(where, {"slot": first.pk}).status_code == 302
    clock.now = START - timedelta(hours=11)
    assert client.post(where, {"slot": second.pk}).status_code == 409
    assert client.post(where + "give-up/").status_code == 409
    clock.now = START + timedelta(minutes=14)
    assert client.post(where + "begin/")["Location"].endswith("/consent/")
    clock.now = START + timedelta(minutes=20)
    assert client.get(f"/hour/{code}/consent/").status_code == 200, "whoever is there may read in peace"
    agree(client, code)
    one = Participant.objects.get()
    assert (one.stage, one.visits.get().moderator) == (Stage.CONSENTED, "M1")
    clock.now = START + timedelta(hours=1)
    assert slots.slots_missed(None) == {}


def test_a_slot_missed_can_be_chosen_anew_once(moderated, invite, clock):
    made = make(moderated, times=4, every_days=2)
    client = Client()
    (path,) = invite("rene@example.test")
    code = to_consent(client, path)
    where = f"/hour/{code}/slot/"
    for n in range(2):
        assert client.post(where, {"slot": made[n].pk}).status_code == 302
        clock.now = made[n].starts_at + timedelta(minutes=29)
        assert slots.slots_missed(None) == {}
        assert client.post(where + "begin/")["Location"] == where, "a quarter of an hour has passed"
        clock.now = made[n].starts_at + timedelta(minutes=31)
        assert slots.slots_missed(None) == {"missed": 1}
    assert client.post(where, {"slot": made[3].pk}).status_code == 409
    assert "Two slots went by without you" in client.get(where).content.decode()
    row = SlotBooking.objects.order_by("-pk").first()
    assert slots.mark(row, True, by=None), "the coordinator lets them in all the same"
    assert client.get(f"/hour/{code}/consent/").status_code == 200


def test_a_slot_has_no_more_bookings_than_places(moderated, invite, ada, clock):
    """P-12 for slots; cancelling gives them back and tells everybody."""
    (slot,) = make(moderated)
    people = []
    for path in invite("a@example.test", "b@example.test"):
        client = Client()
        to_consent(client, path)
        people.append((client, f"/hour/{code_of(client)}/slot/"))
    (first, where), (second, there) = people
    assert first.post(where, {"slot": slot.pk}).status_code == 302
    refused = second.post(there, {"slot": slot.pk})
    assert refused.status_code == 409
    assert "the last place" in refused.content.decode()
    first.post(where + "give-up/")
    assert second.post(there, {"slot": slot.pk}).status_code == 302
    assert slot.bookings.filter(slots.OPEN).count() == 1
    staff = Client()
    staff.force_login(ada)
    page = f"/studies/{moderated.study.code}/cohorts/{moderated.code}/slots/"
    assert [need.text for need in needs(moderated.study) if need.kind == "slot"] == ["1 person finds no free slot"]
    assert "M1" in staff.get(page).content.decode()
    for _twice in range(2):
        staff.post(f"{page}{slot.pk}/cancel/")
    assert Slot.objects.get().cancelled_at == clock.now
    assert sorted(Letter.objects.exclude(kind="invitation").values_list("kind", flat=True)) == [
        "slot_booked", "slot_booked", "slot_cancelled", "slot_reminder", "slot_reminder",
    ]  # fmt: skip
    assert second.get(there).status_code == 200
    assert slots.make_series(moderated, START + DAYS, minutes=60, places=1, moderator="M3", where="", by=ada)
    second.post(there, {"slot": Slot.objects.get(moderator="M3").pk})
    flows.end(SlotBooking.objects.get(slots.OPEN).participant, "withdrawn")
    assert not SlotBooking.objects.filter(slots.OPEN).exists(), "whoever leaves leaves the slot to somebody else"
    past = {"starts": "2026-01-01T10:00", "moderator": "M2"}
    assert staff.post(page, past).status_code == 422
    assert staff.post(page, {"starts": "2026-06-01T10:00", "moderator": "M2", "times": "3"}).status_code == 302
    assert Slot.objects.filter(moderator="M2").count() == 3


def test_letters_of_a_slot_ask_again_when_they_go(moderated, invite, clock, mailoutbox):
    (slot,) = make(moderated)
    client = Client()
    (path,) = invite("rene@example.test")
    code = to_consent(client, path)
    mailoutbox.clear()
    client.post(f"/hour/{code}/slot/", {"slot": slot.pk})
    letters.send_letters(None)
    (letter,) = [one for one in mailoutbox if "slot" in one.subject.lower()]
    assert "15:00 (Europe/Oslo)" in letter.body
    assert "Room 3" in letter.body
    client.post(f"/hour/{code}/slot/give-up/")
    clock.now = START - DAYS + timedelta(minutes=1)
    letters.send_letters(None)
    assert Letter.objects.get(kind="slot_reminder").state == "dropped"


def test_a_replication_has_no_moderator(moderated, frozen, monkeypatch):
    """M2: the published study had none."""
    assert cohort_problems(moderated) == []
    file = file_of(frozen)
    strict = file.model_copy(update={"meta": file.meta.model_copy(update={"kind": "replication"})})
    monkeypatch.setattr(readiness, "file_of", lambda _protocol: strict)
    assert ["moderator" in problem.text for problem in cohort_problems(moderated)] == [True]
