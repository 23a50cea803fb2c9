"""Reminders: when one is due by the person's own clock, who gets it, and that it goes once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.db import connection, connections
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from study.accounts.jobs import Running
from study.accounts.models import Job
from study.people.mail import letters, reminders, reminding, unsubscribing
from study.people.models import Contact, Letter, Participant, ReminderWave, StageEvent

NEW_YORK = "America/New_York"
ZONES = (
    NEW_YORK, "Europe/Berlin", "Europe/Dublin", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu",
    "Africa/Casablanca", "Pacific/Apia", "America/Santiago", "Asia/Beirut", "UTC",
)  # fmt: skip


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


def test_an_hour_that_the_clock_skips_or_repeats_comes_once() -> None:
    """P-36: New York: no 02:30 on 8 March 2026, so 03:30; 01:30 comes twice on 1 November, taken once."""
    day = datetime(2026, 3, 8).date()
    assert reminders.on_date(day, time(2, 30), NEW_YORK).astimezone(ZoneInfo(NEW_YORK)).hour == 3
    assert reminders.on_date(day, time(2, 30), NEW_YORK) == utc(2026, 3, 8, 7, 30)
    assert reminders.on_date(datetime(2026, 11, 1).date(), time(1, 30), NEW_YORK) == utc(2026, 11, 1, 5, 30)
    # Step a clock through both days by half hours, as ticks do: each date has one moment at which a wave falls due.
    for at, start in ((time(2, 30), utc(2026, 3, 6, 12)), (time(1, 30), utc(2026, 10, 30, 12))):
        due = {reminders.due_at(start + timedelta(minutes=30 * n), 1, at, NEW_YORK) for n in range(144)}
        local = sorted(moment.astimezone(ZoneInfo(NEW_YORK)).date() for moment in due)
        assert len(local) == len(set(local)) == (local[-1] - local[0]).days + 1
    # A deadline in days of the calendar: ten in the morning is ten in the morning, whatever the clock did between.
    assert reminders.due_at(utc(2026, 3, 7, 15), 3, time(10), NEW_YORK) == utc(2026, 3, 10, 14)
    assert reminders.due_at(utc(2026, 3, 7, 15, 1), 3, time(10), NEW_YORK) == utc(2026, 3, 11, 14)


@settings(max_examples=150)
@given(
    st.datetimes(datetime(2024, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC)),
    st.integers(1, 30),
    st.times(),
    st.sampled_from(ZONES),
)
def test_a_reminder_falls_on_its_time_and_never_early(since, days, at, zone) -> None:
    """P-36, over zones: at the wave's time (or as much later as the clock jumped), within a day of the earliest."""
    at = at.replace(second=0, microsecond=0)
    found, local = reminders.due_at(since, days, at, zone), ZoneInfo(zone)
    there = found.astimezone(local)
    wall = datetime.combine(there.date(), at, tzinfo=local)
    exists = wall.astimezone(UTC).astimezone(local).replace(tzinfo=None) == wall.replace(tzinfo=None)
    assert (there.time() == at and there.fold == 0) or not exists
    assert found - since >= timedelta(days=days) - timedelta(hours=1)
    assert found - since < timedelta(days=days + 1, hours=1, minutes=1)
    assert reminders.due_at(since + timedelta(hours=1), days, at, zone) >= found


def test_hours_are_decent_and_of_several_missed_only_the_newest_goes() -> None:
    """P-35: a worker that was away for days sends one reminder, in the morning, not a heap of them at night."""
    late = utc(2026, 5, 20, 3)  # 23:00 in New York
    assert reminders.next_decent(late, NEW_YORK) == utc(2026, 5, 20, 12)
    assert reminders.next_decent(utc(2026, 5, 20, 10), NEW_YORK) == utc(2026, 5, 20, 12)
    assert reminders.next_decent(utc(2026, 5, 20, 23, 59), NEW_YORK) == utc(2026, 5, 20, 23, 59)
    waves = [reminders.Wave(n, days, time(10)) for n, days in ((1, 2), (2, 5), (3, 9), (4, 40))]
    since = utc(2026, 5, 8, 12)
    assert reminders.turn(waves, frozenset(), since, late, NEW_YORK) == reminders.Turn(3, utc(2026, 5, 20, 12), (1, 2))
    assert reminders.turn(waves, frozenset({1, 2, 3}), since, late, NEW_YORK) is None
    assert reminders.turn(waves, frozenset({3}), since, late, NEW_YORK) == reminders.Turn(0, late, (1, 2))
    on_time = utc(2026, 5, 10, 14, 1)
    assert reminders.turn(waves, frozenset(), since, on_time, NEW_YORK) == reminders.Turn(1, utc(2026, 5, 10, 14), ())
    assert reminders.turn(waves, frozenset(), since, utc(2026, 5, 10, 13, 59), NEW_YORK) is None


NOON = utc(2026, 6, 10, 12)


@pytest.fixture
def at(monkeypatch):
    """What time it is."""

    def set_to(moment):
        monkeypatch.setattr(timezone, "now", lambda: moment)

    set_to(NOON)
    return set_to


@pytest.fixture
def people(cohort, at):
    """Ten invited on Monday at noon, their letters sent; a wave two days later at noon, and one after four."""
    from tests.people.people import invited

    rows = [invited(cohort, f"p{n}@example.test") for n in range(10)]
    Letter.objects.filter(kind="invitation").update(state="sent", sent_at=NOON)
    for number, days in ((1, 2), (2, 4)):
        ReminderWave.objects.create(cohort=cohort, number=number, to="invited", after_days=days, at_time=time(12))
    return rows


def tick() -> None:
    reminding.put_reminders(Running(Job(kind="put_reminders")))
    letters.send_letters(Running(Job(kind="send_letters")))


def reached() -> list[str]:
    return sorted(one.to[0].split("@")[0] for one in mail.outbox)


@pytest.mark.django_db
def test_whoever_finished_left_or_asked_for_none_is_not_reminded(people, cohort, at) -> None:
    """P-35: the state is asked again when sending: due letters stand, and then everything changes."""
    from study.people import flows
    from study.people.ways import invitations

    at(NOON + timedelta(days=2, minutes=1))
    assert reminding.put_due(cohort, timezone.now()) == {"put": 10, "late": 0}
    assert reminding.put_due(cohort, timezone.now()) == {"put": 0, "late": 0}
    joined, out, gone, dead, silent, excluded, erased, revoked, over, stays = people
    Participant.objects.filter(pk=joined.pk).update(stage="joined", joined_at=NOON)
    flows.end(out, "withdrawn", "left the study")
    invitations.decline(gone.invitation)
    unsubscribing.address_is_dead(dead)
    unsubscribing.unsubscribe(silent)
    Participant.objects.filter(pk=excluded.pk).update(excluded_at=NOON)
    Participant.objects.filter(pk=erased.pk).update(erased_at=NOON)
    type(revoked.invitation).objects.filter(pk=revoked.invitation.pk).update(revoked_at=NOON)
    type(over.invitation).objects.filter(pk=over.invitation.pk).update(expires_at=NOON)
    letters.send_letters(Running(Job(kind="send_letters")))
    assert reached() == ["p9"]
    letter = mail.outbox[0]
    assert letter.subject == "Still open: An hour in a CRM"
    assert letter.reply_to == [cohort.contact_email]
    said = dict(Letter.objects.filter(kind="reminder_invited").values_list("participant__contact__email_hash", "error"))
    assert said[silent.contact.email_hash] == "asked for no more letters"
    assert said[dead.contact.email_hash] == "the address is dead"
    # Nobody is reminded of the same wave twice, and a stopped wave is not sent any more.
    at(NOON + timedelta(days=4, minutes=1))
    reminding.put_due(cohort, timezone.now())
    ReminderWave.objects.filter(number=2).update(active=False)
    tick()
    assert reached() == ["p9"]
    assert stays.letters.get(wave=2).state == "dropped"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "later"),
    [({"state": "paused"}, 10), ({"state": "closed"}, 10), ({"held_by": "I"}, 10), ({"closes_at": NOON}, 0)],
)
def test_a_cohort_that_stands_still_reminds_nobody(people, cohort, at, change, later) -> None:
    at(NOON + timedelta(days=2, minutes=1))
    reminding.put_due(cohort, timezone.now())
    type(cohort).objects.filter(pk=cohort.pk).update(**change)
    tick()
    assert mail.outbox == []
    cohort.refresh_from_db()
    assert reminding.remind(people, by=None).none == 10
    # What waited meanwhile does not go out in the night when the cohort goes on.
    at(NOON + timedelta(days=2, hours=11))
    type(cohort).objects.filter(pk=cohort.pk).update(state="open", held_by="", closes_at=None)
    tick()
    assert mail.outbox == []
    at(NOON + timedelta(days=2, hours=20, minutes=1))
    tick()
    assert len(mail.outbox) == later


@pytest.mark.django_db
def test_each_group_is_reminded_by_its_own_day_in_its_own_zone(cohort, at) -> None:
    """Joined counts from joining, quiet from the last page; who came back meanwhile is not quiet any more."""
    from tests.people.people import invited

    joined, quiet, back = (invited(cohort, f"{name}@example.test") for name in ("joined", "quiet", "back"))
    Letter.objects.all().delete()
    Participant.objects.filter(pk=joined.pk).update(stage="eligible", joined_at=NOON, zone="Asia/Tokyo")
    for one in (quiet, back):
        Participant.objects.filter(pk=one.pk).update(stage="working", joined_at=NOON, last_seen_at=NOON)
        StageEvent.objects.create(participant=one, stage="working")
    for number, to in ((1, "joined"), (2, "quiet")):
        ReminderWave.objects.create(cohort=cohort, number=number, to=to, after_days=2, at_time=time(10))
    at(utc(2026, 6, 13, 1, 1))  # ten past in Tokyo, where noon of Wednesday was nine in the evening
    tick()
    assert reached() == ["joined"]
    at(utc(2026, 6, 13, 10, 1))
    reminding.put_due(cohort, timezone.now())
    Participant.objects.filter(pk=back.pk).update(last_seen_at=timezone.now())
    tick()
    assert reached() == ["joined", "quiet"]
    assert "/i/" in mail.outbox[0].body
    assert "List-Unsubscribe" in mail.outbox[0].extra_headers


@pytest.mark.django_db
def test_a_reminder_by_hand_goes_once_a_day(people, cohort, ada, at) -> None:
    at(NOON + timedelta(hours=1))
    unsubscribing.unsubscribe(people[0])
    assert reminding.remind(people, by=ada) == reminding.Reminded(9, 0, 1)
    assert reminding.remind(people, by=ada) == reminding.Reminded(0, 9, 1)
    tick()
    assert len(mail.outbox) == 9
    at(NOON + timedelta(days=1, hours=10))  # ten in the evening: it waits for the morning
    assert reminding.remind(people[1:2], by=ada).put == 1
    tick()
    assert len(mail.outbox) == 9
    # A wave of the cohort is not used up by it.
    at(NOON + timedelta(days=2, minutes=1))
    tick()
    assert len(mail.outbox) == 19


def twice_at_once(act) -> list[BaseException]:
    """Two schedulers and one by hand, at the same moment, each with a connection of its own."""
    start, failed = threading.Barrier(3), []

    def go() -> None:
        try:
            start.wait()
            act()
        except BaseException as error:
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def run_at_once(people) -> None:
    assert twice_at_once(tick) == []
    rows = Letter.objects.filter(kind="reminder_invited", wave=1)
    print(f"{len(people)} due, 3 schedulers, {len(mail.outbox)} sent, {rows.count()} rows on {connection.vendor}")
    assert reached() == sorted(f"p{n}" for n in range(10))
    assert set(rows.values_list("state", "attempts")) == {("sent", 1)}


@pytest.mark.django_db(transaction=True)
def test_waves_run_twice_at_once_send_once(people, at) -> None:
    """P-35: two schedulers and a hand at the same moment."""
    at(NOON + timedelta(days=2, minutes=1))
    run_at_once(people)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_waves_run_twice_at_once_send_once_where_rows_lock(people, at) -> None:
    """P-35 again, where two writers really write at once."""
    at(NOON + timedelta(days=2, minutes=1))
    run_at_once(people)


@pytest.mark.django_db
def test_waves_are_set_at_decent_hours(cohort, study, ada, client) -> None:
    client.force_login(ada)
    page = f"/studies/{study.code}/cohorts/{cohort.code}/reminders/"
    assert "No reminders" in client.get(page).content.decode()
    good = {"to": "invited", "after_days": "3", "at_time": "19:59"}
    for wrong in ({"at_time": "20:00"}, {"at_time": "07:59"}, {"at_time": "noon"}, {"after_days": "0"}, {"to": "all"}):
        assert client.post(page + "add/", good | wrong).status_code == 422
    assert not ReminderWave.objects.exists()
    for _ in range(2):
        assert client.post(page + "add/", good).status_code == 302
    assert ReminderWave.objects.get().at_time == time(19, 59)
    assert client.post(page + "1/", {"after_days": "5", "at_time": "10:00"}).status_code == 302
    wave = ReminderWave.objects.get()
    assert (wave.after_days, wave.at_time, wave.active) == (5, time(10), False)
    assert "stopped" in client.get(page).content.decode()
    assert Contact.objects.count() == 0
