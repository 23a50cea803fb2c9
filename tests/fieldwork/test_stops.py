"""Pause and help: every clock stands, what is typed is still kept, and nothing leads (M15, M21)."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from study.accounts.models import AuditRow
from study.fieldwork import clock, pausing
from study.fieldwork.models import Clock, HelpRequest
from study.sandbox.models import TraceEvent

pytestmark = pytest.mark.django_db
DRAFT = {"answer": ["typed while the clocks stand"], "none": False, "confidence": None}


def an_hour_ago(hour, minutes=60):
    moved = timezone.now() - timedelta(minutes=minutes)
    hour.participant.visits.update(paused_at=moved)
    Clock.objects.filter(visit=hour.visit).update(last_seen_at=moved)


def test_a_pause_stops_every_clock_and_asks_to_go_on(hour):
    hour.orient()
    desk = hour.open_question()
    hour.get(desk)
    assert hour.post("pause/", {"at": desk})["Location"].startswith(f"/hour/{hour.code}/pause/?at=")
    assert hour.post("pause/").status_code == 302, "a double click is the same pause"
    an_hour_ago(hour, minutes=4)
    before, seen = clock.active_seconds(hour.visit, "work"), TraceEvent.objects.count()
    for path in (desk, "work/", "work/1/", "orientation/"):
        asked = hour.get(path)
        assert asked.status_code == 302
        assert "/pause/" in (asked["Location"] if path != "orientation/" else hour.get("work/")["Location"])
    assert hour.client.get(desk, headers={"Accept": "application/json"}).status_code == 409
    assert TraceEvent.objects.count() == seen, "no page of the CRM was opened meanwhile"
    assert hour.save("attempt/1", DRAFT).status_code == 200
    assert hour.attempt(1).draft["answer"] == DRAFT["answer"]
    assert hour.visit.paused_at, "a save from another tab resumes nothing"
    assert "Your hour stands still" in hour.get("pause/").content.decode()
    assert hour.post("go-on/", {"at": desk})["Location"] == desk
    assert hour.post("go-on/", {"at": "https://example.test/"})["Location"].endswith("/work/")
    assert hour.visit.paused_at is None
    work = Clock.objects.get(part="work")
    assert work.active_seconds == before
    assert [(one["for"], one["seconds"] // 60) for one in work.breaks] == [("pause", 4)]
    assert hour.get(desk).status_code == 200


def test_an_answer_sent_while_the_clocks_stand_is_kept(hour):
    hour.orient()
    hour.open_question()
    hour.post("pause/")
    Clock.objects.filter(part="work").update(active_seconds=45 * 60)
    assert hour.answer(1, "005Hy0000000005IAA").status_code == 302
    assert hour.attempt(1).answer == ["005Hy0000000005IAA"]
    assert hour.participant.stage == "working", "time does not run out while the clocks stand"
    hour.post("go-on/")
    hour.get("work/")
    assert hour.participant.stage == "rating"


def test_help_stops_the_clocks_and_tells_the_contact(hour, study, ada, client):
    hour.orient()
    desk = hour.open_question()
    assert hour.post("help/", {"kind": "rescue"}).status_code == 422
    assert hour.visit.paused_at is None
    ask = {"kind": "unclear", "words": "Which region is meant?", "at": desk}
    hour.post("help/", ask)
    hour.post("help/", ask)
    row = HelpRequest.objects.get()
    assert (row.kind, row.words, row.page, hour.visit.paused_for) == ("unclear", "Which region is meant?", desk, "help")
    [letter] = mail.outbox
    assert letter.to == ["noor@example.test"]
    text = letter.subject + letter.body
    assert all(part in text for part in (hour.code, "I don't understand something", desk, "Which region is meant?"))
    assert "ben@example.test" not in text
    assert "Ben" not in text
    page = hour.get("help/").content.decode()
    assert "No reply yet" in page
    assert hour.get(desk)["Location"].startswith(f"/hour/{hour.code}/help/")
    client.force_login(ada)
    where = f"/studies/{study.code}/help/"
    assert hour.code in client.get(where).content.decode()
    assert client.post(f"{where}{row.pk}/reply/", {"reply": "Try the EMEA region."}).status_code == 404
    client.post(f"{where}{row.pk}/reply/", {"reply": "own_judgement"})
    client.post(f"{where}{row.pk}/reply/", {"reply": "skip"})
    row.refresh_from_db()
    assert row.reply.endswith("Your own judgement is what counts.")
    [logged] = AuditRow.objects.filter(act="help.replied")
    assert (logged.target, logged.detail["reply"]) == (hour.code, "own_judgement")
    client.force_login(hour.participant.user)
    assert row.reply in hour.get("help/").content.decode()
    hour.post("go-on/")
    row.refresh_from_db()
    assert row.went_on_at
    assert hour.visit.paused_at is None


def test_a_mail_that_cannot_be_sent_loses_no_request(hour, monkeypatch):
    def refuse(self, fail_silently=False):
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
    hour.orient()
    page = hour.post("help/", {"kind": "broken"}, follow=True).content.decode()
    assert "could not be sent" in page
    assert HelpRequest.objects.count() == 1


def test_a_replication_is_done_in_one_go(hour, monkeypatch):
    """M15: no pause button and no pause, help all the same."""
    hour.orient()
    assert "/pause/" in hour.get("work/").content.decode()
    monkeypatch.setattr(pausing, "offered", lambda visit: False)
    page = hour.get("work/").content.decode()
    assert "/pause/" not in page
    assert "/help/" in page
    hour.post("pause/")
    assert hour.visit.paused_at is None


def test_a_replication_has_no_replies_in_the_hour():
    from study.protocols.checks import check
    from study.protocols.library import builtin_text
    from study.protocols.reading import read

    added = "\nhelp:\n  replies:\n    - {code: reload, text: Reload the page.}\n"
    for text, found in ((builtin_text("crmarena") + added, True), (builtin_text("realia-hour"), False)):
        where = {finding.path[0] for finding in check(read(text).value)}
        assert ("help" in where) is found


def test_own_data_at_any_stage_and_nothing_told_early(hour):
    """Everything typed is there; no right answer, arm or Org before the end (M7, M8)."""
    hour.orient()
    hour.open_question()
    hour.save("attempt/1", {"answer": ["a first thought"], "none": False}, save_id="thought001")
    hour.save("attempt/1", {"answer": ["a stale thought"], "none": False}, save_id="thought002")
    page = hour.get("data/").content.decode()
    assert "a first thought" in page
    assert "a stale thought" in page, "what lost to another tab is still theirs"
    gold = [str(p.instance.answer[0]) for p in hour.visit.places.select_related("instance") if p.instance.answer[0]]
    visit = hour.visit
    held_back = [visit.org.name, visit.org.hash, *(g for g in gold if len(g) > 3)]
    assert [word for word in held_back if word in page] == []
    sent = hour.client.get(hour.url("data/file/"))
    assert hour.code in sent["Content-Disposition"]
    data = json.loads(sent.content)
    assert data["participant"] == hour.code
    assert any("a first thought" in line["value"] for part in data["sections"] for line in part["lines"])
    hour.post("leave/", {"data": "keep"})
    ended = hour.get("data/").content.decode()
    assert "a first thought" in ended
    assert visit.org.hash not in ended, "whoever left was not debriefed"
    assert "/pause/" not in hour.get("ended/").content.decode()
