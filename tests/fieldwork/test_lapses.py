"""Hours nobody came back to end by themselves, once, with a code; nothing that was done is lost."""

from datetime import timedelta

import pytest
from django.utils import timezone

from study.accounts.jobs import tick
from study.assignment.models import PlaceState, Visit
from study.fieldwork import lapses, locking
from study.people.models import End, Participant, Stage
from tests.fieldwork.arms import CROSSOVER, at, cohort_for, protocol_with, second_org
from tests.fieldwork.hour import Hour, make_small_org

HOURS = timedelta(hours=1)


def working(hour) -> None:
    hour.orient()
    hour.open_question()
    hour.answer(1)


def run(monkeypatch, moment) -> None:
    at(monkeypatch, moment)
    tick()
    tick()


def test_an_hour_not_resumed_lapses_and_is_told_kindly(hour, monkeypatch):
    """Places go back, the answer given stays, and whoever returns reads what is kept beside their code."""
    working(hour)
    begun = hour.visit.work_started_at
    run(monkeypatch, begun + 23 * HOURS)
    assert hour.participant.end == ""
    run(monkeypatch, begun + 25 * HOURS)
    person = hour.participant
    assert (person.end, person.stage, bool(person.completion_code)) == (End.LAPSED, Stage.WORKING, True)
    states = list(hour.visit.places.values_list("state", flat=True))
    assert states == [PlaceState.COMPLETED, *[PlaceState.RELEASED] * 4]
    assert hour.attempt(1).outcome == "answered"
    hour.client.force_login(person.user)
    page = hour.client.get(f"/hour/{hour.code}/", follow=True).content.decode()
    assert person.completion_code in page
    assert "kept" in page
    code = person.completion_code
    run(monkeypatch, begun + 26 * HOURS)
    assert (hour.participant.completion_code, hour.participant.stage_events.filter(end="lapsed").count()) == (code, 1)


def test_nobody_is_cut_off_in_the_middle_of_a_page(hour, monkeypatch):
    """Somebody who is still at it goes on, whatever the hour; half an hour later they have been away."""
    working(hour)
    begun = hour.visit.work_started_at
    at(monkeypatch, begun + 25 * HOURS)
    hour.client.force_login(hour.participant.user)
    hour.get("work/")
    run(monkeypatch, begun + 25 * HOURS + timedelta(minutes=10))
    assert hour.participant.end == ""
    run(monkeypatch, begun + 25 * HOURS + timedelta(minutes=45))
    assert hour.participant.end == End.LAPSED


def test_ratings_once_locked_never_lapse(hour, monkeypatch):
    """Also where the lock is pressed in the very moment in which the hour would have lapsed."""
    working(hour)
    late = hour.visit.work_started_at + 48 * HOURS
    Participant.objects.update(stage=Stage.RATING)
    at(monkeypatch, late)
    (found,) = lapses.due()
    visit = hour.visit
    visit.participant = hour.participant
    assert locking.lock(visit)
    assert not lapses.lapse(found)
    run(monkeypatch, late)
    assert (hour.participant.end, hour.participant.stage) == ("", Stage.LOCKED)


@pytest.mark.parametrize(("hours", "end"), [(11, ""), (13, End.LAPSED)])
def test_in_one_go_means_until_the_next_morning(hour, monkeypatch, hours, end):
    from study.people.protocol import file_of

    file = file_of(hour.visit.protocol)
    clocks = file.clocks.model_copy(update={"resume_hours": 0})
    monkeypatch.setattr(lapses, "file_of", lambda _protocol: file.model_copy(update={"clocks": clocks}))
    working(hour)
    run(monkeypatch, hour.visit.work_started_at + hours * HOURS)
    assert hour.participant.end == end


def test_who_waits_for_help_and_previews_do_not_lapse(hour, monkeypatch):
    working(hour)
    late = hour.visit.work_started_at + 48 * HOURS
    Visit.objects.update(paused_at=late, paused_for="help")
    run(monkeypatch, late)
    assert hour.participant.end == ""
    Visit.objects.update(paused_at=None, paused_for="")
    Participant.objects.update(preview=True)
    run(monkeypatch, late)
    assert hour.participant.end == ""


def test_a_second_visit_not_begun_in_its_time_lapses_and_keeps_the_first(study, db, ben, client, monkeypatch):
    from study.assignment.flows import end_visit, window_after

    make_small_org()
    second_org()
    hour = Hour.begin(cohort_for(study, ["cross"], protocol_with(CROSSOVER)), ben, client)
    Visit.objects.update(locked_at=timezone.now(), work_started_at=timezone.now())
    Participant.objects.update(stage=Stage.LOCKED)
    visit = hour.visit
    end_visit(visit)
    closes = window_after(visit).closes
    run(monkeypatch, closes - timedelta(minutes=1))
    assert hour.participant.end == ""
    run(monkeypatch, closes)
    person = hour.participant
    assert (person.end, bool(person.completion_code), hour.visit.period) == (End.LAPSED, True, 1)
    assert set(visit.places.values_list("state", flat=True)) == {PlaceState.COMPLETED}
    hour.client.force_login(person.user)
    page = hour.client.get(f"/hour/{hour.code}/next/", follow=True).content.decode()
    assert "Your earlier visit is complete" in page
