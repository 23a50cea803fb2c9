"""What must not happen in the hour, by the number of the pitfall."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from study.fieldwork import clock
from study.fieldwork.models import Attempt, Clock, Rating
from study.sandbox.models import TraceEvent
from tests.fieldwork.hour import Hour

pytestmark = pytest.mark.django_db
LATER = ["work/", "work/1/", "ratings/", "ratings/Org/", "lock/", "closing/", "closing/origin/", "debrief/", "finish/"]


def test_later_pages_stay_shut(hour):
    """P-11: every page is refused on the server before its stage, by GET and by POST."""
    for path in LATER:
        for response in (hour.get(path), hour.post(path)):
            assert response.status_code in (302, 405)
            if response.status_code == 302:
                assert response["Location"].endswith("/orientation/")
    assert hour.post("orientation/start/").status_code == 422
    assert hour.participant.stage == "consented"


def test_double_clicks_make_one_of_each(hour):
    """P-08: start, answer, lock and finish sent twice."""
    hour.orient()
    hour.post("orientation/start/")
    assert hour.visit.attempts.count() == 5
    assert hour.open_question() == hour.open_question()
    hour.answer(1)
    first = hour.attempt(1)
    hour.answer(1, "005Hy0000000005IAA")
    assert hour.attempt(1).answer == first.answer
    assert hour.attempt(1).ended_at == first.ended_at
    hour.after(1)
    hour.after(1)
    assert hour.attempt(2).started_at
    assert not hour.attempt(3).started_at


def finished(hour):
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.close()
    hour.finish()
    return hour


def test_a_finished_hour_is_closed_to_change(hour):
    """P-09: Back, a changed rating, an old form: the finish page, and nothing else happens."""
    finished(hour)
    before = list(Rating.objects.values_list()), list(Attempt.objects.values_list()), hour.participant.completion_code
    assert hour.rate("Org", "1")["Location"].endswith("/finish/")
    assert hour.answer(5)["Location"].endswith("/finish/")
    assert hour.post("debrief/", {"data_choice": "take_out"})["Location"].endswith("/finish/")
    assert hour.lock()["Location"].endswith("/finish/")
    assert hour.save("rating/Org", {"choice": "1"}, base=1).status_code == 409
    after = list(Rating.objects.values_list()), list(Attempt.objects.values_list()), hour.participant.completion_code
    assert before == after
    assert hour.participant.data_choice == "keep"


def test_after_the_lock_ratings_stay(hour):
    """P-09: between lock and debrief as well."""
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    before = list(Rating.objects.values_list())
    assert hour.rate("Org", "1").status_code == 302
    refused = hour.save("rationale/Org/right", {"text": "changed", "tags": []}, base=1)
    assert (refused.status_code, refused.json()["error"]) == (409, "closed")
    assert list(Rating.objects.values_list()) == before


def test_nothing_is_preselected_and_untouched_is_empty(hour):
    """P-18: no default, what is missing is named, can't judge is another value than untouched."""
    hour.orient()
    hour.work()
    page = hour.get("ratings/Org/").content.decode()
    assert "checked" not in page
    pressed = hour.post("ratings/Org/", {"act": "next"})
    assert pressed.status_code == 422
    assert "A rating" in pressed.content.decode()
    assert hour.visit.ratings.get(target="Org").final == ""
    half = hour.rate("Org", "4", right="")
    assert half.status_code == 422
    assert hour.visit.ratings.get(target="Org").final == "4"
    assert hour.rate("Org", "cannot_judge", right="").status_code == 422
    assert hour.rate("Org", "cannot_judge", right="", reason="not_enough").status_code == 302
    row = hour.visit.ratings.get(target="Org")
    assert (row.first, row.final, row.changes, row.cannot_judge_reason) == ("4", "cannot_judge", 1, "not_enough")
    shown = hour.lock()
    assert shown.status_code == 422
    assert hour.participant.stage == "rating"
    assert hour.post("lock/", {"leave_open": "yes"}).status_code == 302
    assert set(hour.visit.ratings.exclude(target="Org").values_list("final", flat=True)) == {""}


def test_no_object_is_rated_unseen(hour):
    """M3: the server keeps the options shut until a record was opened, or the kind is unknown."""
    hour.orient()
    hour.work()
    first, second = hour.visit.object_order[:2]
    hour.get("ratings/Org/")
    assert hour.rate(first)["Location"].endswith("/ratings/Org/")
    hour.rate("Org")
    refused = hour.rate(first, "4")
    assert refused.status_code == 422
    assert hour.visit.ratings.get(target=first).final == ""
    assert not hour.get(f"ratings/{first}/seen/").json()["may_rate"]
    hour.look(first)
    assert hour.get(f"ratings/{first}/seen/").json()["may_rate"]
    assert hour.rate(first, "4").status_code == 302
    hour.post(f"ratings/{second}/unfamiliar/")
    assert hour.rate(second, "4").status_code == 302
    looks = hour.visit.ratings.get(target=first).look_ids
    assert len(looks) == len(set(looks)) == 3


def test_a_short_reason_is_hinted_once(hour):
    """M16: one kind hint, never a demand."""
    hour.orient()
    hour.work()
    hour.get("ratings/Org/")
    hint = hour.rate("Org", "5", right="Fine.")
    assert hint.status_code == 200
    assert "A few more words help" in hint.content.decode()
    assert hour.rate("Org", "5", right="Fine.", hinted="1").status_code == 302


def pass_time(minutes):
    moved = timezone.now() - timedelta(minutes=minutes)
    for row in Clock.objects.filter(part="work"):
        Clock.objects.filter(pk=row.pk).update(last_seen_at=moved)


def test_breaks_do_not_count_and_the_rest_is_kept_when_time_is_up(hour):
    """P-19, M15: server time, idle time is a break, a draft is kept as time_up and the ratings begin."""
    hour.orient()
    desk = hour.open_question()
    hour.get(desk)
    pass_time(60)
    assert "about 45 minutes left" in hour.get(desk).content.decode()
    work = Clock.objects.get(part="work")
    assert work.active_seconds < 60
    assert work.breaks[0]["seconds"] >= 3600
    Clock.objects.filter(pk=work.pk).update(active_seconds=41 * 60)
    soon = hour.get(desk).content.decode()
    assert "5 minutes left for all questions. What you have typed is saved." in soon
    hour.save("attempt/1", {"answer": ["half a thought"], "none": False})
    Clock.objects.filter(pk=work.pk).update(active_seconds=45 * 60)
    page = hour.get(desk).content.decode()
    assert "Time is up" in page
    assert hour.participant.stage == "rating"
    assert [a.outcome for a in hour.visit.attempts.all()] == ["time_up"] + ["not_reached"] * 4
    assert hour.attempt(1).draft["answer"] == ["half a thought"]


def test_the_clock_never_runs_backwards():
    now = timezone.now()
    assert clock.step(now, now - timedelta(days=1), 300) == clock.Step(0)
    assert clock.step(now, now + timedelta(seconds=300), 300) == clock.Step(300)
    assert clock.step(now, now + timedelta(seconds=301), 300) == clock.Step(0, 301)
    assert [clock.minutes_left(s, 45) for s in (0, 1, 300, 2699, 2700, 9999)] == [45, 45, 40, 5, 0, 0]


def test_taking_out_removes_what_was_typed_and_chosen(hour):
    """M7: counts stay, words and choices go, the code is the same kind of code."""
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    hour.close()
    page = hour.finish("take_out").content.decode()
    assert hour.participant.completion_code in page
    assert set(hour.visit.ratings.values_list("final", "first")) == {("", "")}
    assert not any(row.rationales.exists() for row in hour.visit.ratings.all())
    assert not any(a.answer or a.draft for a in hour.visit.attempts.all())
    assert all(row.value is None for row in hour.visit.closing.all())
    assert all(row.value is None for row in hour.visit.saves.all())
    assert hour.visit.attempts.filter(outcome="answered").count() == 4


def test_leaving_closes_every_desk(hour):
    """M7: whoever has left and taken their answers out is not watched any further."""
    hour.orient()
    desk = hour.open_question().split("/")[2]
    hour.post("leave/", {"data": "take_out"})
    assert hour.participant.end == "withdrawn"
    events = TraceEvent.objects.filter(desk__code=desk).count()
    page = hour.client.get(f"/crm/{desk}/o/Case/")
    assert "This desk is closed" in page.content.decode()
    assert TraceEvent.objects.filter(desk__code=desk).count() == events


def test_the_key_of_the_outbox_is_its_owners_alone(hour, cohort, cleo):
    """P-05: another key for everybody, given by one answer only, to the person signed in, and never in a page."""
    hour.orient()
    mine = hour.client.get(hour.url("save/"))
    assert "no-store" in mine["Cache-Control"]
    key = mine.json()["key"]
    other = Hour.begin(cohort, cleo, Client())
    assert other.client.get(other.url("save/")).json()["key"] != key
    assert hour.client.get(hour.url("save/")).json()["key"] == key
    refused = other.client.get(hour.url("save/"))
    assert (refused.status_code, refused.json()["error"]) == (404, "other_participant")
    made_up = other.client.get("/hour/P-ZZZZ/save/")
    assert refused.content == made_up.content, "a stranger's code looks like a made-up one (P-39)"
    assert Client().get(hour.url("save/")).status_code == 401
    desk = hour.open_question()
    for path in (desk, "work/1/", "data/", "pause/", "help/"):
        assert key not in hour.get(path).content.decode()


def test_what_was_typed_is_back_after_the_session_has_ended(hour):
    """P-07: drafts were saved as typed; after signing in again the same text and rating stand there."""
    hour.orient()
    hour.work()
    hour.get("ratings/Org/")
    hour.save("rating/Org", {"choice": "4", "reason": ""})
    hour.save("rationale/Org/right", {"text": "six hundred words", "tags": []})
    hour.client.logout()
    assert hour.save("rationale/Org/right", {"text": "lost?", "tags": []}, base=1).status_code == 401
    hour.client.force_login(hour.participant.user)
    page = hour.get("ratings/Org/").content.decode()
    assert "six hundred words" in page
    assert hour.save("rationale/Org/right", {"text": "not lost", "tags": []}, base=1).status_code == 200


def test_a_text_that_comes_too_late_is_kept_beside_and_changes_nothing(hour):
    """P-07, P-09: an old save after the lock is no answer, and is not thrown away; after the end nothing is stored."""
    hour.orient()
    hour.work()
    hour.get("ratings/Org/")
    hour.save("rationale/Org/right", {"text": "in time", "tags": []})
    hour.post("lock/", {"leave_open": "yes"})
    late = {"text": "from the train", "tags": []}
    for _again in range(2):
        answer = hour.save("rationale/Org/right", late, base=1, save_id="latelate01")
        assert (answer.status_code, answer.json()["error"]) == (409, "closed")
    assert hour.visit.saves.get(accepted=False).value["text"] == "from the train"
    assert hour.visit.ratings.get(target="Org").rationales.get().text == "in time"
    hour.post("leave/", {"data": "take_out"})
    hour.save("rationale/Org/right", {"text": "after the end", "tags": []}, base=1)
    assert not [row for row in hour.visit.saves.all() if "after the end" in str(row.value)]


def visible_fields(page):
    for tag in re.findall(r"<(?:input|textarea|select)\b[^>]*>", page):
        if 'type="hidden"' not in tag:
            yield tag


def test_no_field_of_the_hour_invites_the_browser_to_fill_it_in(hour):
    """P-10, P-18: every field, or its form, says autocomplete=off, and nothing is chosen before somebody chose it."""
    hour.orient()
    desk = hour.open_question()
    pages = {path: hour.get(path).content.decode() for path in (desk, "work/1/", "help/", "leave/")}
    hour.work()
    pages |= {path: hour.get(path).content.decode() for path in ("ratings/Org/", "lock/")}
    for path, page in pages.items():
        dock = page[page.index('id="dock"') :] if path == desk else page
        for form in re.findall(r"<form\b.*?</form>", dock, re.S):
            opening = form[: form.index(">")]
            for tag in visible_fields(form):
                assert 'autocomplete="off"' in opening + tag, (path, tag)
                assert " checked" not in tag, (path, tag)


def test_a_time_that_a_page_sends_is_never_taken_for_one(hour):
    """P-19: whatever a request says about the time, the server's own is stored."""
    hour.orient()
    hour.open_question()
    body = {
        "field": "attempt/1",
        "value": {"answer": ["a"]},
        "base": 0,
        "save_id": "timetime01",
        "participant": hour.code,
    }
    body |= {"at": "1999-01-01T00:00:00Z", "active_seconds": -5}
    late = {"Accept": "application/json", "Date": "Fri, 01 Jan 1999 00:00:00 GMT"}
    answer = hour.client.post(hour.url("save/"), json.dumps(body), content_type="application/json", headers=late)
    assert answer.json()["at"] >= timezone.now().strftime("%Y-%m-%d")
    assert all(row.active_seconds >= 0 and row.started_at.year > 2000 for row in Clock.objects.all())


def test_no_countdown_runs_anywhere(hour):
    """M15: minutes are told in steps of five by the server; no script knows how many are left."""
    hour.orient()
    desk = hour.open_question()
    for seconds in (0, 61, 17 * 60 + 1, 41 * 60):
        Clock.objects.filter(part="work").update(active_seconds=seconds)
        page = hour.get(desk).content.decode()
        told = [int(n) for n in re.findall(r"(\d+) minutes left", page)]
        assert told
        assert all(n % 5 == 0 for n in told)
        assert "http-equiv" not in page
    root = Path(__file__).resolve().parents[2]
    counting = re.compile(r"countdown|count-down|deadline|(time|minutes|seconds)[_-]?left|dk-t\b", re.I)
    scripts = list((root / "static/js").glob("*.js"))
    found = {path.name: counting.findall(path.read_text()) for path in scripts}
    assert scripts
    assert {name: words for name, words in found.items() if words} == {}
