"""Forms that come back: sent again with other words in them, after their part is over, or of another visit."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from study.fieldwork import clock
from study.fieldwork.models import Clock, FluencyMove, Note, Rationale, Save
from study.people.models import Participant, Stage
from tests.fieldwork.arms import CROSSOVER, at, cohort_for, protocol_with, second_org
from tests.fieldwork.hour import Hour, make_small_org

pytestmark = pytest.mark.django_db
LATE = "came too late for its part"


def fields_of(hour: Hour, path: str) -> dict[str, str]:
    """The hidden fields of a page's form, as a browser that goes back sends them again."""
    page = hour.get(path).content.decode()
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page))


def kept_aside(hour: Hour) -> str:
    return str(list(Save.objects.filter(visit__participant__code=hour.code, accepted=False).values_list("value")))


@pytest.fixture
def working(hour: Hour) -> Hour:
    hour.orient()
    hour.open_question()
    return hour


@pytest.fixture
def rating(working: Hour) -> Hour:
    working.work()
    return working


def test_an_answer_changed_on_a_page_got_back_is_shown_beside_the_one_before(working: Hour) -> None:
    held = fields_of(working, "work/1/")
    first = held | {"act": "keep", "answer": "wordsfirst", "scratch": "pad first"}
    assert working.post("work/1/answer/", first).status_code == 302
    assert working.post("work/1/answer/", first).status_code == 302
    assert Save.objects.count() == 2, "a double press is one save of the answer and one of the pad"
    again = working.post("work/1/answer/", first | {"answer": "wordssecond", "note": "a note beside it"})
    page = again.content.decode()
    assert again.status_code == 409
    assert "wordsfirst" in page
    assert "wordssecond" in page
    assert "wordssecond" in kept_aside(working)
    assert Note.objects.get().text == "a note beside it"
    assert working.attempt(1).draft["answer"] == ["wordsfirst"]


def test_a_card_got_back_with_other_words_loses_none(rating: Hour) -> None:
    first = fields_of(rating, "ratings/Org/") | {"choice": "4", "right": "What stood here first.", "act": "next"}
    rating.post("ratings/Org/", first)
    again = rating.post("ratings/Org/", first | {"right": "What stands here now."})
    assert again.status_code == 409
    assert "What stood here first." in again.content.decode()
    assert "What stands here now." in again.content.decode()
    assert Rationale.objects.get(side="right").text == "What stood here first."
    assert "What stands here now." in kept_aside(rating)


def test_a_form_sent_after_time_or_lock_keeps_its_words_with_the_data(working: Hour) -> None:
    """P-07, P-11: without scripts all a page holds arrives only when its button is pressed."""
    held = fields_of(working, "work/1/") | {
        "answer": "latewords",
        "scratch": "latepad",
        "note": "latenote",
        "act": "next",
    }
    Clock.objects.filter(part="work").update(active_seconds=46 * 60)
    assert working.get("work/")["Location"].endswith("/ratings/")
    told = working.client.post(working.url("work/1/answer/"), held, follow=True).content.decode()
    assert LATE in told
    assert "latewords" in kept_aside(working)
    assert "latepad" in kept_aside(working)
    assert Note.objects.get().text == "latenote"
    assert (working.attempt(1).outcome, working.attempt(1).answer) == ("time_up", None)
    card = fields_of(working, "ratings/Org/") | {"choice": "2", "right": "Words after the lock.", "act": "next"}
    working.post("lock/", {"leave_open": "yes"})
    assert working.participant.stage == Stage.LOCKED
    told = working.client.post(working.url("ratings/Org/"), card, follow=True).content.decode()
    assert LATE in told
    assert "Words after the lock." in kept_aside(working)
    assert not Rationale.objects.exists()
    assert working.visit.ratings.get(target="Org", dimension="overall").final == ""
    count = Save.objects.count()
    assert LATE not in working.client.post(working.url("ratings/Org/"), card, follow=True).content.decode()
    assert Save.objects.count() == count, "the same form again is kept once"


def test_a_conflict_after_the_ratings_shows_both_texts(rating: Hour) -> None:
    """P-10: pages after the lock, without scripts."""
    rating.post("lock/", {"leave_open": "yes"})
    path = rating.client.get(rating.url("closing/"), follow=True).request["PATH_INFO"].split(f"/{rating.code}/")[1]
    visit = rating.visit
    from study.fieldwork.modules import modules_of

    module = next(one for one in modules_of(visit) if f"closing/{one.id}/" == path)
    item = module.items[0]
    codes = [*item.codes, *map(str, item.points)]
    held = fields_of(rating, path)
    rating.post(path, held | {item.id: codes[0]})
    page = rating.post(path, held | {item.id: codes[1]})
    assert page.status_code == 409
    assert "Saved in another tab" in page.content.decode()


def test_a_form_of_an_earlier_visit_changes_nothing_in_the_next(study, db, ben, client, monkeypatch) -> None:
    """Pages of two visits have the same addresses: a form knows whose it is."""
    make_small_org()
    second_org()
    hour = Hour.begin(cohort_for(study, ["cross"], protocol_with(CROSSOVER)), ben, client)
    hour.orient()
    hour.open_question()
    hour.work()
    held = fields_of(hour, "ratings/Org/") | {"choice": "1", "right": "About the first CRM.", "act": "next"}
    first = hour.visit
    hour.post("lock/", {"leave_open": "yes"})
    from study.assignment import flows
    from study.fieldwork.visits import visit_of

    assert flows.end_visit(visit_of(hour.participant))
    assert hour.post("pause/").status_code == 302
    first.refresh_from_db()
    assert first.paused_at is None, "between two visits no clock runs that could be stopped"
    at(monkeypatch, flows.window_after(first).opens + timedelta(minutes=1))
    hour.post("next/begin/")
    second = hour.visit
    assert second.period == 2
    Participant.objects.update(stage=Stage.RATING)
    hour.get("ratings/Org/")
    assert LATE in hour.client.post(hour.url("ratings/Org/"), held, follow=True).content.decode()
    assert not Rationale.objects.filter(rating__visit=second).exists()
    assert second.ratings.get(target="Org").final == ""
    assert "About the first CRM." in str(list(first.saves.values_list("value")))


def test_moves_are_timed_without_pauses(hour: Hour) -> None:
    hour.get("orientation/")
    visit, now = hour.visit, timezone.now()
    row = FluencyMove.objects.create(
        visit=visit, move="x", record="r", started_at=now - timedelta(seconds=300), done_at=now
    )
    breaks = [
        {"from": (now - timedelta(seconds=400)).isoformat(), "seconds": 150, "for": "pause"},
        {"from": (now - timedelta(seconds=120)).isoformat(), "seconds": 60, "for": "help"},
    ]
    Clock.objects.filter(visit=visit, part="orientation").update(breaks=breaks)
    from study.fieldwork.moves import seconds_of

    assert round(clock.stood_between(visit, "orientation", now - timedelta(seconds=300), now)) == 110
    assert round(seconds_of(visit, row)) == 190


def test_the_time_before_an_answer_counts_for_its_question_and_part(working: Hour) -> None:
    """M15: neither the next question nor the next part takes the seconds that ended this one."""
    working.get("work/1/")
    before = working.attempt(1).active_seconds
    Clock.objects.filter(part="work").update(last_seen_at=timezone.now() - timedelta(seconds=90))
    working.answer(1)
    assert 90 <= working.attempt(1).active_seconds - before <= 95
    working.after(1)
    assert working.attempt(2).active_seconds <= 5
    Participant.objects.update(stage=Stage.RATING)
    working.get("ratings/Org/")
    Clock.objects.filter(part="rating").update(last_seen_at=timezone.now() - timedelta(seconds=80))
    working.post("lock/", {"leave_open": "yes"})
    assert 80 <= Clock.objects.get(part="rating").active_seconds <= 85


def test_a_double_press_is_one_try_of_the_check(hour: Hour) -> None:
    held = {"records": "false", "none": "true", "pay": "false", "tried": "0"}
    assert 'name="tried" value="0"' in hour.get("orientation/").content.decode()
    for _twice in range(2):
        assert hour.post("orientation/check/", held).status_code == 302
    assert hour.visit.comprehension_tries == 1
    hour.post("orientation/check/", held | {"tried": "1"})
    assert hour.visit.comprehension_tries == 2
