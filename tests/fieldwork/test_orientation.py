"""Orientation: the guided look, timed moves read from the trace, practice, and a check that nobody fails."""

from __future__ import annotations

from datetime import timedelta

import pytest

from study.assignment.models import Visit
from study.fieldwork import moves
from study.fieldwork.models import FluencyMove
from study.sandbox.models import TraceEvent
from study.sandbox.opened import snapshot_of

pytestmark = pytest.mark.django_db
START = "orientation/moves/{}/start/".format


def row(hour, move):
    return hour.visit.moves.get(move=move)


def do(hour, desk, move):
    """What a person does for a move, over the pages of the CRM."""
    drawn = row(hour, move)
    ways = {
        "find": f"{desk}r/{drawn.record}/",
        "filter": f"{desk}o/Case/?s.Status={drawn.value}",
        "follow": f"{desk}r/{drawn.record}/related/Case.AccountId/",
    }
    assert hour.get(ways[move]).status_code == 200


def begin(hour, move):
    hour.get("orientation/")
    return hour.post(START(move))["Location"]


def test_the_look_names_every_kind_and_ticks_what_was_opened(hour):
    page = hour.get("orientation/").content.decode()
    kinds = {"Account", "Contact", "Case", "EmailMessage", "LiveChatTranscript", "Order", "Product2", "Knowledge__kav"}
    assert all(f"/o/{kind}/" in page for kind in kinds)
    assert "opened" not in page.split('id="look"')[1].split("</section>")[0]
    desk = hour.visit.desks.get().desk
    beside = hour.get(f"/crm/{desk.code}/o/Order/").content.decode()
    assert "Kinds of record" in beside
    page = hour.get("orientation/").content.decode()
    assert page.count('class="opened"') == 1
    assert hour.get("orientation/moves/").content.decode().count("dk-opened") == 1


def test_moves_are_timed_by_the_server_and_read_from_the_trace(hour):
    """M10: each begins by a button, is done when its page was opened after that, and all together are the fluency."""
    for move in ("find", "filter", "follow"):
        desk = begin(hour, move)
        assert f'data-move="{move}"' in hour.get(desk).content.decode()
        FluencyMove.objects.filter(move=move).update(started_at=row(hour, move).started_at - timedelta(seconds=20))
        do(hour, desk, move)
        now = hour.get("orientation/moves/").content.decode()
        done = row(hour, move)
        assert done.done_at == TraceEvent.objects.filter(desk__visit_desk__visit=hour.visit).latest("sequence").at
        assert "is done" in now
        assert "How do I do that?" not in now
    seconds = [(one.done_at - one.started_at).total_seconds() for one in hour.visit.moves.all()]
    assert hour.visit.fluency_seconds == round(sum(seconds)) >= 60
    assert hour.get("orientation/").content.decode().count("done</span>") == 3
    before = list(hour.visit.moves.values_list())
    for move in ("find", "filter", "follow"):
        hour.post(START(move))
        hour.post(f"orientation/moves/{move}/leave/")
    assert list(hour.visit.moves.values_list()) == before, "a move that is done stays done"


def test_only_what_a_move_asks_for_is_the_move(hour):
    """Another record, what was opened before the start, and a filter that lets others through count for nothing."""
    hour.get("orientation/")
    desk = f"/crm/{hour.visit.desks.get().desk.code}/"
    do(hour, desk, "find")
    assert hour.post(START("filter")).status_code == 302
    assert row(hour, "filter").started_at is None, "one at a time, in order"
    begin(hour, "find")
    first = row(hour, "find").started_at
    hour.post(START("find"))
    assert row(hour, "find").started_at == first, "a double click starts one clock"
    wanted = row(hour, "find").record
    others = [one["Id"] for one in snapshot_of(hour.visit.org).records("Contact") if one["Id"] != wanted]
    hour.get(f"{desk}r/{others[0]}/")
    hour.get("orientation/moves/")
    assert row(hour, "find").done_at is None
    hour.post("orientation/moves/find/leave/")
    begin(hour, "filter")
    value = row(hour, "filter").value
    hour.get(f"{desk}o/Case/?c=Status&o=eq&v={value}&c=Priority&o=eq&v=High&logic=1+OR+2")
    hour.get(f"{desk}o/Case/?c=Status&o=ne&v={value}")
    hour.get("orientation/moves/")
    assert row(hour, "filter").done_at is None
    hour.get(f"{desk}o/Case/?c=Status&o=eq&v={value}")
    hour.get("orientation/moves/")
    assert row(hour, "filter").done_at
    assert hour.visit.fluency_seconds is None


def test_help_is_shown_on_demand_and_kept_and_a_move_can_always_be_left(hour):
    begin(hour, "find")
    assert "The search box" not in hour.get("orientation/").content.decode()
    desk = f"/crm/{hour.visit.desks.get().desk.code}/"
    back = hour.post("orientation/moves/find/help/", {"back": f"{desk}o/Contact/"})
    assert back["Location"] == f"{desk}o/Contact/"
    assert "The search box" in hour.get(desk).content.decode()
    assert row(hour, "find").helped
    refused = hour.post("orientation/start/")
    assert refused.status_code == 422
    assert "Each can be left" in refused.content.decode()
    assert hour.post("orientation/moves/find/leave/", {"back": "https://elsewhere.test/"})["Location"].startswith(
        "/hour/"
    )
    hour.orient()
    assert hour.participant.stage == "working"
    left = hour.visit.moves.all()
    assert all(one.left_at and not one.done_at for one in left)
    assert hour.visit.fluency_seconds is None
    assert hour.post(START("find"))["Location"].endswith("/work/"), "the orientation is over"


def test_what_is_looked_for_is_the_visits_own_and_stays(hour):
    hour.get("orientation/")
    visit = hour.visit
    drawn = {one.move: (one.record, one.value) for one in visit.moves.all()}
    hour.get("orientation/")
    assert {one.move: (one.record, one.value) for one in visit.moves.all()} == drawn
    items = {step.move.id: step.move for step in moves.steps_of(visit)}
    assert {code: moves.draw(visit, item) for code, item in items.items()} == drawn
    snapshot = snapshot_of(visit.org)
    others = set()
    for seed in range(8):
        visit.seed = seed
        record, _none = moves.draw(visit, items["follow"])
        assert sum(one["AccountId"] == record for one in snapshot.records("Case")) >= 2
        others.add(moves.draw(visit, items["find"])[0])
    assert len(others) > 3


def test_the_practice_can_be_answered_beside_the_list(hour):
    hour.get("orientation/")
    for move in ("find", "filter", "follow"):
        hour.post(f"orientation/moves/{move}/leave/")
    here = f"/crm/{hour.visit.desks.get().desk.code}/o/Issue__c/"
    assert 'name="practice"' in hour.get(here).content.decode()
    assert hour.post("orientation/practice/", {"practice": "3", "back": here})["Location"] == here
    assert "The list says 4" in hour.get(here).content.decode()
    hour.post("orientation/practice/", {"practice": "4"})
    assert "You know your way around" in hour.get("orientation/").content.decode()
    assert hour.post("orientation/practice/", {"practice": " "}).status_code == 422


def test_the_check_has_two_tries_then_the_right_answers_and_nobody_fails(hour):
    hour.get("orientation/")
    half = hour.post("orientation/check/", {"records": "true"})
    assert half.status_code == 422
    assert hour.visit.comprehension_tries == 0
    wrong = {"records": "false", "none": "true", "pay": "true"}
    hour.post("orientation/check/", wrong)
    page = hour.get("orientation/").content.decode()
    assert "one more try" in page
    assert "False. You are paid for your time" not in page
    hour.post("orientation/check/", wrong)
    page = hour.get("orientation/").content.decode()
    assert "False. You are paid for your time" in page
    hour.post("orientation/check/", {"records": "true", "none": "true", "pay": "false"})
    assert hour.visit.comprehension_tries == 2
    hour.orient()
    assert hour.participant.stage == "working"


def test_a_second_visit_has_the_look_alone(hour):
    Visit.objects.update(period=2)
    page = hour.get("orientation/").content.decode()
    assert 'id="look"' in page
    assert not any(part in page for part in ('id="moves"', 'id="practice"', 'id="check"'))
    assert hour.visit.moves.count() == 0
    assert hour.post("orientation/start/").status_code == 302
    assert hour.participant.stage == "working"
