"""A person with two visits, walked through the real pages and found whole in the bundle."""

import json
from collections import Counter
from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import call_command
from django.utils import timezone

from analysis.bundle import read_bundle
from analysis.cli import main
from study.accounts.flows import unblind
from study.accounts.jobs import tick
from study.assignment import flows
from study.assignment.models import Visit
from study.assignment.washout import window
from study.fieldwork.visits import visit_of
from study.people.models import Cohort, Contact, End, Letter, Participant, Stage
from study.people.where import url_for
from study.protocols.checks_texts import forbidden_in
from study.protocols.design import Washout
from tests.fieldwork.arms import AGAIN, CROSSOVER, at, cohort_for, protocol_with, second_org
from tests.fieldwork.hour import Hour, make_small_org

DAY = timedelta(days=1)
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>'


def whole_visit(hour: Hour) -> None:
    hour.orient() if hour.visit.period == 1 else hour.post("orientation/start/")
    assert hour.participant.stage == Stage.WORKING
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.close()


def first_over(hour: Hour) -> None:
    """The first visit over, without its pages."""
    Visit.objects.update(locked_at=timezone.now(), work_started_at=timezone.now())
    Participant.objects.update(stage=Stage.LOCKED)
    assert flows.end_visit(visit_of(hour.participant))


@pytest.fixture
def hour(study, db, ben, client):
    make_small_org()
    second_org()
    cohort = cohort_for(study, ["cross"], protocol_with(CROSSOVER))
    one = Hour.begin(cohort, ben, client)
    Contact.objects.create(participant=one.participant, email="ben@example.test")
    return one


def leads_to(hour: Hour) -> str:
    return hour.client.get(url_for(hour.participant), follow=True).request["PATH_INFO"].split("/", 3)[3]


def test_a_crossover_participant_is_whole_in_the_bundle(hour, study, ada, monkeypatch, tmp_path):
    """Two visits, two Orgs, both rated; between them a page that says when, a letter, and no word of origin (M7)."""
    first = hour.visit
    assert (first.allocation, first.period, first.block) == ("randomised", 1, "north:1")
    whole_visit(hour)
    page = hour.client.get(hour.url("closing/"), follow=True)
    assert page.redirect_chain[-1][0] == hour.url("next/")
    first.refresh_from_db()
    assert first.done_at
    assert set(first.places.values_list("state", flat=True)) == {"completed"}
    # Everything leads here, nothing further can be said, and the second visit cannot begin yet.
    assert leads_to(hour) == "next/"
    assert visit_of(hour.participant) == first
    for path in ("closing/", "closing/software/", "debrief/", "finish/", "orientation/", "work/"):
        assert hour.client.get(hour.url(path), follow=True).request["PATH_INFO"] == hour.url("next/"), path
    assert hour.save("closing/umux_easy", {"umux_easy": ["7"]}).status_code == 409
    assert hour.post("debrief/", {"data_choice": "keep"}).status_code == 302
    text = hour.get("next/").content.decode()
    assert "next/begin/" not in text
    assert forbidden_in(text) == ()
    hour.post("next/begin/")
    assert (hour.participant.end, Visit.objects.count()) == ("", 1)
    entry = hour.get("next/visit.ics")
    assert entry["Content-Type"].startswith("text/calendar")
    opens = flows.window_after(first).opens
    assert f"DTSTART:{opens:%Y%m%dT%H%M%SZ}" in entry.content.decode()
    # The letter goes out when the time has come, and once.
    tick()
    tick()
    assert mail.outbox == []
    at(monkeypatch, opens + timedelta(minutes=1))
    for _minute in range(3):
        tick()
    (letter,) = mail.outbox
    assert hour.url("next/") in letter.body
    assert forbidden_in(letter.subject + letter.body) == ()
    hour.client.force_login(hour.participant.user)
    assert "next/begin/" in hour.get("next/").content.decode()
    hour.post("next/begin/")
    hour.post("next/begin/")
    second = hour.visit
    assert Visit.objects.count() == 2
    assert (second.period, hour.participant.stage, leads_to(hour)) == (2, Stage.CONSENTED, "orientation/")
    assert {first.condition, second.condition} == {"north", "south"}
    assert first.org != second.org
    assert (second.seed, second.object_order) != (first.seed, first.object_order)
    had = [set(visit.places.values_list("task", flat=True)) for visit in (first, second)]
    # Eight kinds of task for ten places: no more come twice than must.
    assert len(had[0] & had[1]) == 2
    whole_visit(hour)
    assert leads_to(hour) == "debrief/"
    # What a browser still held of the first visit is not taken for the second one's.
    late = hour.save("closing/rushed", {"rushed": ["5"]}, 1, participant=hour.code)
    assert (late.status_code, late.json()["error"]) == (409, "closed")
    assert "earlier visit" in late.json()["message"]
    assert hour.save("closing/rushed", {"rushed": ["4"]}, 1).status_code == 200
    hour.finish()
    person = hour.participant
    assert (person.end, bool(person.completion_code)) == (End.COMPLETE, True)
    unblind(study, by=ada, reason="Everybody has finished.")
    call_command("export_bundle", study.code, out=tmp_path / "bundle")
    check_bundle(tmp_path / "bundle", person.code)
    # Drawing is tested where the figures are; here the report has to know what to say.
    monkeypatch.setattr("analysis.figures.svg", lambda *_args, **_more: EMPTY)
    assert main(["report", str(tmp_path / "bundle"), "--out", str(tmp_path / "report")]) == 0
    results = json.loads((tmp_path / "report" / "results.json").read_text())
    assert {row["arm"] for row in results["estimates"]} >= {"cross, north", "cross, south"}


def check_bundle(folder, code):
    frames = read_bundle(folder).frames
    visits = frames["visits"]
    names = [f"{code}-1", f"{code}-2"]
    assert list(visits.index if visits.index.name == "id" else visits["id"]) == names
    assert list(visits["allocation"]) == ["randomised"] * 2
    assert list(visits["block"]) == ["north:1"] * 2
    assert list(visits["period"]) == [1, 2]
    assert list(visits["end_state"]) == ["done"] * 2
    assert list(visits["analysed"]) == [True] * 2
    assert visits["org_hash"].nunique() == 2
    attempts = frames["attempts"].reset_index()
    assert Counter(attempts["visit"]) == dict.fromkeys(names, 5)
    ratings = frames["ratings"].reset_index()
    overall = ratings[ratings["dimension"] == "overall"]
    cards = overall[overall["kind"].isin(["org", "object"])]
    assert Counter(cards["visit"]) == dict.fromkeys(names, 9)
    assert cards["final"].notna().all()
    closing = frames["closing"].reset_index()
    said = closing[closing["item"] == "umux_requirements"]
    assert sorted(said["visit"]) == names
    assert said["value"].notna().all()
    log = frames["assignment_log"].reset_index()
    assigned = log[log["event"] == "assigned"]
    assert Counter(assigned["visit"]) == dict.fromkeys(names, 5)
    assert list(log[log["event"] == "allocated"]["participant"]) == [code]
    people = frames["participants"].reset_index()
    assert list(people["complete"]) == [True]


def test_whoever_leaves_between_two_visits_keeps_the_first_and_gets_a_code(hour):
    first_over(hour)
    hour.post("leave/", {"data": "keep"})
    person = hour.participant
    assert (person.end, bool(person.completion_code)) == (End.WITHDRAWN, True)
    assert set(hour.visit.places.values_list("state", flat=True)) == {"completed"}
    assert hour.get("next/").headers["Location"] == hour.url("ended/")
    assert Letter.objects.get(kind="second_visit").state == "due"
    Letter.objects.update(due_at=timezone.now())
    tick()
    tick()
    assert mail.outbox == []
    assert Letter.objects.get(kind="second_visit").state == "dropped"


def test_retest_has_the_same_org_and_the_same_tasks_in_an_order_of_its_own(study, db, ben, client, monkeypatch):
    make_small_org()
    hour = Hour.begin(cohort_for(study, ["again"], protocol_with(AGAIN)), ben, client)
    first = hour.visit
    first_over(hour)
    assert not flows.end_visit(visit_of(hour.participant))
    with pytest.raises(flows.TooEarly):
        flows.begin_next(hour.participant)
    at(monkeypatch, timezone.now() + 2 * DAY)
    Cohort.objects.update(held_by="I-1")
    assert hour.post("next/begin/").status_code == 409, "no visit begins while an incident goes on"
    Cohort.objects.update(held_by="")
    second = flows.begin_next(hour.participant)
    assert (second.org, second.condition, second.allocation) == (first.org, "retest", "fixed")
    assert set(second.places.values_list("instance", flat=True)) == set(first.places.values_list("instance", flat=True))
    assert second.seed != first.seed


def test_the_time_between_two_visits():
    """It opens at a full hour, whole days later, and closes with the end of its last day; never shorter than a day."""
    done = timezone.datetime.fromisoformat("2026-03-02T14:20:30+00:00")
    found = window(done, Washout(at_least_days=1, at_most_days=14))
    assert (found.opens.isoformat(), found.closes.isoformat()) == (
        "2026-03-03T15:00:00+00:00",
        "2026-03-17T00:00:00+00:00",
    )
    assert f"{found.last_minute:%d %H:%M}" == "16 23:59"
    late = timezone.datetime.fromisoformat("2026-03-02T23:58:00+00:00")
    none = window(late, Washout(at_least_days=0, at_most_days=0))
    assert none.opens == late
    assert none.closes - none.opens == DAY
