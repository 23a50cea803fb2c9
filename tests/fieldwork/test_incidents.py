"""The incident button (M21): one press holds everything, one lets it go; no time of it counts against anybody."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from study.accounts.models import AuditRow
from study.fieldwork import incidents, lapses
from study.fieldwork.models import Clock, Incident
from study.people import flows
from study.people.mail import letters
from study.people.models import Contact, Letter, Participant
from study.people.needs_me import needs
from study.results.frames import frames

pytestmark = pytest.mark.django_db
HOURS = timedelta(hours=1)


@pytest.fixture
def staff(ada):
    client = Client()
    client.force_login(ada)
    return client


@pytest.fixture
def reached(hour):
    """Ben, at work, with an address."""
    hour.orient()
    Contact.objects.create(participant=hour.participant, email="ben@example.test")
    return hour


def test_one_press_holds_everybody_and_one_lets_go(reached, study, staff, cohort, mailoutbox):
    hour = reached
    desk = hour.open_question()
    mailoutbox.clear()
    where = f"/studies/{study.code}/incidents/"
    assert staff.post(where + "begin/", {"what": " ", "told": ""}).status_code == 422
    refused = staff.post(where + "begin/", {"what": "down", "told": "The benchmark is down."})
    assert refused.status_code == 422, "M7 holds for these words too"
    assert not Incident.objects.exists()
    for _twice in range(2):
        staff.post(where + "begin/", {"what": "The CRM was not reached", "told": str(incidents.TOLD)})
    row = Incident.objects.get()
    assert (row.code, row.visits, row.told, hour.visit.incident) == ("I-1", 1, "", "I-1")
    cohort.refresh_from_db()
    assert flows.why_closed(cohort), "nobody joins"
    assert "/pause/" in hour.get(desk)["Location"]
    page = hour.get("pause/").content.decode()
    assert "Something on our side has to be put right" in page
    assert "Go on" not in page
    assert hour.save("attempt/1", {"answer": ["kept"], "none": False, "confidence": None}).status_code == 200
    hour.post("go-on/")
    hour.post("help/", {"kind": "broken"})
    assert hour.visit.paused_for == "incident", "nobody goes on before it is over"
    letters.send_letters(None)
    assert [one.kind for one in needs(study) if one.kind in ("incident", "help")] == ["incident", "help"]
    (letter,) = [one for one in mailoutbox if one.to == ["ben@example.test"]]
    assert "Every clock stands" in letter.body
    for _twice in range(2):
        staff.post(f"{where}I-1/over/")
    letters.send_letters(None)
    cohort.refresh_from_db()
    assert flows.why_closed(cohort) == ""
    assert hour.visit.paused_at, "clocks run again only when their person goes on"
    assert "It is put right" in hour.get("pause/").content.decode()
    assert Letter.objects.filter(kind="incident_over", state="sent").count() == 1
    hour.post("go-on/", {"at": desk})
    assert hour.visit.paused_at is None
    assert [one["for"] for one in Clock.objects.get(part="work").breaks] == ["incident"]
    assert AuditRow.objects.filter(act__startswith="incident.").count() == 2
    (row,) = frames(study, blind=True).tables["incidents"]
    assert (row["code"], row["visits"], row["what"]) == ("I-1", 1, "The CRM was not reached")
    listed = staff.get(where).content.decode()
    assert "The CRM was not reached" in listed
    assert staff.post(where + "I-9/over/").status_code == 404


def test_a_pause_before_it_is_measured_by_itself(reached, study, ada):
    """Whoever stood for help or a pause stands for the incident from its first moment on."""
    hour = reached
    hour.post("pause/")
    row, _new = incidents.begin(study, what="down", told="", by=ada)
    incidents.begin(study, what="down", told="", by=ada)
    incidents.over(row, by=ada)
    hour.post("go-on/")
    assert [one["for"] for one in Clock.objects.get(part="work").breaks] == ["pause", "incident"]


def test_no_time_of_an_incident_counts_against_anybody(reached, study, ada, monkeypatch):
    hour = reached
    begun = hour.visit.work_started_at
    row, _new = incidents.begin(study, what="down", told="", by=ada)
    Incident.objects.update(began_at=begun + HOURS)
    Participant.objects.update(last_seen_at=begun + HOURS)

    def lapsed(after):
        monkeypatch.setattr("django.utils.timezone.now", lambda: begun + after)
        lapses.lapse_visits(None)
        return hour.participant.end == "lapsed"

    assert not lapsed(100 * HOURS), "while it lasts nothing lapses"
    incidents.over(row, by=ada)
    assert not lapsed(100 * HOURS + 22 * HOURS)
    assert lapsed(100 * HOURS + 24 * HOURS)


def test_what_waits_goes_by_itself(reached, study, ben, ada, django_assert_max_num_queries):
    """Stuck, asked, on two devices, gone quiet: each once, with one act, in a constant number of queries."""
    hour = reached
    hour.open_question()

    def kinds():
        return sorted(one.kind for one in needs(study))

    assert kinds() == []
    other = Client()
    other.force_login(ben)
    other.get(f"/hour/{hour.code}/work/")
    assert kinds() == ["second_device"]
    long_ago = timezone.now() - timedelta(minutes=25)
    hour.visit.attempts.filter(started_at__isnull=False).update(started_at=long_ago)
    hour.participant.visits.update(
        begun_at=long_ago, oriented_at=long_ago, work_started_at=long_ago, second_device_at=None
    )
    hour.visit.moves.update(done_at=long_ago)
    hour.visit.saves.update(at=long_ago)
    assert kinds() == ["stuck"]
    hour.save("attempt/1", {"answer": ["on"], "none": False, "confidence": None})
    assert kinds() == []
    hour.post("help/", {"kind": "stuck"})
    with django_assert_max_num_queries(40):
        assert kinds() == ["help"]
    hour.post("go-on/")
    assert kinds() == []
    Participant.objects.update(last_seen_at=timezone.now() - 3 * HOURS)
    assert kinds() == ["quiet"]
    page = Client()
    page.force_login(ada)
    assert hour.code in page.get(f"/studies/{study.code}/needs-you/").content.decode()
    told = page.get(f"/studies/{study.code}/people/{hour.code}/").content.decode()
    assert all(words in told for words in ("Visit begun", "Asked for help", "Waited for help"))
