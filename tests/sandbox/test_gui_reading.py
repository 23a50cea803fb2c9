"""Record pages of every object: paths, lines, activity, people, long texts, and finding words on a page."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from study.sandbox.desks import open_desk
from study.sandbox.engine.connections import Guarded
from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.snapshot import write_snapshot
from study.sandbox.gui.finding import Finder, Finding, places
from study.sandbox.gui.line_items import money, total_of
from study.sandbox.gui.paths import path_of
from study.sandbox.models import TraceEvent
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import register_org
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.odd_org import LONG, MISSING_ACCOUNT, TODAY, odd_id, odd_registry, odd_tables

pytestmark = pytest.mark.django_db
TABLES = odd_tables()
QUOTE, CHANCE, CASE = odd_id("Quote", 0), odd_id("Opportunity", 0), odd_id("Case", 0)
USER, CALL = odd_id("User", 0), odd_id("VoiceCallTranscript__c", 0)


def page_of(odd: Room, record_id: str, **params: Any) -> Any:
    response = odd.get(f"r/{record_id}/", **params)
    assert response.status_code == 200, response.content.decode()[:2000]
    return response.context["page"]


def test_every_record_of_all_27_objects_opens(odd: Room) -> None:
    assert len(TABLES) == 27
    for rows in TABLES.values():
        for row in rows[:4]:
            assert odd.get(f"r/{row['Id']}/").status_code == 200


@pytest.mark.parametrize(
    ("name", "status", "steps", "place"),
    [
        ("Opportunity", "Negotiation", ["Qualification", "Discovery", "Quote", "Negotiation", "Closed"], 4),
        ("Quote", "Rejected", ["Draft", "Needs Review", "In Review", "Rejected"], 4),
        ("Quote", "Denied", ["Draft", "Needs Review", "In Review", "Approved", "Presented", "Denied"], 6),
        ("Contract", "Contract Terminated", None, 7),
        ("Task", "Deferred", ["Not Started", "In Progress", "Waiting", "Deferred"], 4),
    ],
)
def test_a_path_ends_where_the_record_ended(name: str, status: str, steps: list[str] | None, place: int) -> None:
    item = odd_registry().object(name)
    path = path_of(item, {"Status": status, "StageName": status})
    assert path is not None
    assert path.now == status
    assert path.place == place
    assert steps is None or [step for step, _state in path.steps] == steps
    assert path_of(item, {"Status": "Unheard of", "StageName": None}) is None


def test_lines_show_products_prices_and_their_sum(odd: Room) -> None:
    """The sum is that of the lines as stored; where no total is stored it is quantity times price."""
    text = plain(odd.get(f"r/{odd_id('Order', 0)}/"))
    lines = TABLES["OrderItem"]
    grid = page_of(odd, odd_id("Order", 0)).grid
    assert len(grid.rows) == 3
    assert grid.quantity == "6"
    assert grid.totals == [money(sum(total_of(line) or 0 for line in lines))] == ["597.00"]
    assert "No product" in text
    assert "Quantity × price" in text
    assert "100.00" in text
    assert "Tent 1" in text
    assert page_of(odd, odd_id("Opportunity", 1)).grid is None


def test_lines_of_several_currencies_are_never_added(odd: Room) -> None:
    """P-50: a sum for each currency, never a mixed one."""
    grid = page_of(odd, QUOTE).grid
    assert grid.totals == ["EUR 371.00", "GBP 40.00"]
    assert [row.discount for row in grid.rows] == ["10%", "0%", ""]
    assert page_of(odd, CHANCE).grid.totals == ["EUR 361.00"]
    assert "411" not in odd.text(f"r/{QUOTE}/")
    # An amount says its currency wherever the record has one.
    assert dict(page_of(odd, CHANCE).highlights)["Amount"] == "EUR 1,234.50"
    assert dict(page_of(odd, odd_id("Opportunity", 1)).highlights)["Amount"] != "0.00"


def test_activity_is_counted_from_the_today_of_the_desk(odd: Room) -> None:
    page = page_of(odd, CHANCE)
    groups = {heading: [(line.words, line.ago) for line in lines] for heading, lines in page.timeline.groups}
    assert groups["To come and overdue"] == [
        ("Call back 1", "3 days ago"), ("Call back 4", "today"), ("Call back 0", "in 3 days"), ("Visit 0", "in 5 days"),
    ]  # fmt: skip
    assert [line.words for _heading, lines in page.timeline.groups for line in lines if line.overdue] == ["Call back 1"]
    assert [words for words, _ago in groups["Dated after today"]] == ["Re: zip 4", "Re: zip 3"]
    assert groups["Past"][0] == ("Call back 3", "in 2 days")


def test_activity_is_filtered_by_kind_and_tasks_by_status(odd: Room) -> None:
    def words(tl: str) -> set[str]:
        timeline = page_of(odd, CHANCE, tl=tl).timeline
        found = {line.words for _heading, lines in timeline.groups for line in lines}
        assert timeline.listed == len(found)
        return found

    assert words("Event") == {"Visit 0", "Visit 1"}
    assert words("Task:done") == {"Call back 2", "Call back 3"}
    assert words("Task:open") == {"Call back 0", "Call back 1", "Call back 4"}
    assert words("Task:Not Started") == {"Call back 0", "Call back 1"}
    assert words("Task:nonsense") == set()
    assert "Nothing of this kind" in odd.text(f"r/{CHANCE}/", tl="Task:nonsense")
    assert len(words("Nope")) == len(words("")) == page_of(odd, CHANCE).timeline.total


def test_what_comes_next_stands_first_however_much_is_to_come(odd: Room, tmp_path: Path) -> None:
    tables, other = odd_tables(), odd_id("Opportunity", 1)
    task, event = tables["Task"][0], tables["Event"][0]
    for n in range(40):
        day = TODAY + timedelta(days=n - 10)
        moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
        ends = {"WhatId": other, "Subject": f"No. {n}"}
        tables["Task"].append({**task, **ends, "Id": odd_id("Task", 100 + n), "ActivityDate": moment})
        tables["Event"].append({**event, **ends, "Id": odd_id("Event", 100 + n), "StartDateTime": moment})
    org = register_org(write_snapshot(tmp_path / "much.sqlite", odd_registry(), tables, today=TODAY), "much")
    room = replace(odd, desk=open_desk(org=org, user=odd.desk.user, purpose="orientation"), snapshot=snapshot_of(org))

    def first(heading: str, tl: str) -> list[str]:
        return [line.words for line in dict(page_of(room, other, tl=tl).timeline.groups).get(heading, [])]

    assert first("To come and overdue", "Task") == [f"No. {n}" for n in range(12)]
    assert first("To come and overdue", "Task:open") == [f"No. {n}" for n in range(12)]
    assert first("To come and overdue", "Event") == [f"No. {n}" for n in range(10, 22)]
    assert first("Past", "Event") == [f"No. {n}" for n in range(9, -1, -1)]
    assert " are shown; the related lists" not in room.text(f"r/{other}/", tl="Task")


def test_activity_that_one_page_cannot_hold_is_said(odd: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("study.sandbox.gui.timeline.SHOWN", 1)
    monkeypatch.setattr("study.sandbox.gui.timeline.MOST", 1)
    assert "1 of 2 are shown; the related lists hold them all" in odd.text(f"r/{CHANCE}/", tl="Task:done")


def test_more_activity_is_one_click_away(odd: Room) -> None:
    page = page_of(odd, odd_id("Account", 0))
    assert page.timeline.more == 24
    longer = page_of(odd, odd_id("Account", 0), tn=page.timeline.more)
    assert longer.timeline.shown == longer.timeline.listed > page.timeline.shown
    assert longer.timeline.more == 0
    assert page_of(odd, CHANCE, tn="-5").timeline.wanted == 12
    assert page_of(odd, CHANCE, tn="9999").timeline.wanted == 300


def test_a_user_page_counts_what_they_own(odd: Room) -> None:
    cases = [case for case in TABLES["Case"] if case["OwnerId"] == USER]
    owned = {one.item.name: one for one in page_of(odd, USER).owned}
    assert owned["Case"].total == len(cases) == 12
    assert owned["Case"].closed == sum(case["Status"] == "Closed" for case in cases)
    for one in owned.values():
        for url, n in ((one.url, one.total), (one.open_url, one.open), (one.closed_url, one.closed)):
            if url:
                assert odd.client.get(url).context["view"].total == n
    assert page_of(odd, CASE).owned == []


def test_a_territory_shows_its_states_and_members(odd: Room) -> None:
    page = page_of(odd, odd_id("Territory2", 0))
    assert [state for state, _url in page.states] == ["MO", "KS", "OK"]
    kansas = dict(page.states)["KS"]
    assert odd.client.get(kansas).context["view"].total == 4
    assert page.related[0].count == 2
    assert page_of(odd, odd_id("Territory2", 1)).states == []


def test_a_parent_that_is_not_in_this_org_is_named_by_its_id(odd: Room) -> None:
    """P-52: no error and no dead link."""
    response = odd.get(f"r/{odd_id('Opportunity', 1)}/")
    assert f"Not in this Org {MISSING_ACCOUNT}" in plain(response)
    assert f'href="/crm/{odd.desk.code}/r/{MISSING_ACCOUNT}/"' not in response.content.decode()
    assert odd.get(f"r/{MISSING_ACCOUNT}/").status_code == 404


def test_long_texts_are_folded_and_whole(odd: Room) -> None:
    body = odd.get(f"r/{CASE}/").content.decode()
    assert LONG.split("\n")[1] in body
    assert "40,726 characters" in body
    assert 'class="folded"' in body
    # While words are looked for in it nothing is folded.
    response = odd.get(f"r/{CASE}/", find="last NEEDLE")
    assert 'class="folded"' not in response.content.decode()
    assert '<mark id="hit-1">Last needle</mark>' in response.content.decode()


def test_words_are_found_in_a_call(odd: Room) -> None:
    """P-51: capitals and accents do not count; hits are numbered in reading order and can be walked round."""
    response = odd.get(f"r/{CALL}/", find="BUDGET")
    body = response.content.decode()
    assert [m[1] for m in re.finditer(r'<mark id="hit-\d+">(\w+)</mark>', body)] == ["budget", "budget", "Budget"]
    finding = response.context["page"].finding
    assert (finding.hits, finding.at) == (3, 1)
    assert finding.earlier == "?find=BUDGET&at=3#hit-3"
    assert odd.get(f"r/{CALL}/", find="budget", at=3).context["page"].finding.next.endswith("#hit-1")
    assert "Not on this page" in odd.text(f"r/{CALL}/", find="zzz")
    assert odd.get(f"r/{CALL}/", find="zoe").context["page"].finding.hits == 1


def test_words_are_found_in_a_thread_and_quotes_open(odd: Room) -> None:
    response = odd.get(f"r/{CASE}/thread/", find="other battery")
    assert response.context["finding"].hits == 3
    assert response.content.decode().count('<details class="quoted" open>') == 3
    assert odd.get(f"r/{CASE}/thread/").context["finding"].hits == 0


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("50% off, 50 % off", "50%", ["50%"]),
        ("A_B and AxB", "a_b", ["A_B"]),
        ("Straße in STRASSE", "strasse", ["Straße", "STRASSE"]),
        ("Çağla A\u0301lvarez", "cagla alvarez", ["Çağla A\u0301lvarez"]),
        ("two\nlines", "two lines", ["two\nlines"]),
        ("🎒🎒", "🎒", ["🎒", "🎒"]),
        ("anything", "   ", []),
        ("<b>", "<b>", ["<b>"]),
    ],
)
def test_finding_is_literal(text: str, wanted: str, found: list[str]) -> None:
    """P-45: nothing in the words is an operator; each hit is the text as it stands."""
    assert [text[start:end] for start, end in places(text, wanted)] == found
    finder = Finder(wanted)
    assert finder.html(text).count("<mark") == len(found)
    assert Finding.of(finder, "99").at == len(found)


def test_marks_never_carry_markup(odd: Room) -> None:
    assert Finder("<b>").html("a<b>c") == 'a<mark id="hit-1">&lt;b&gt;</mark>c'
    body = odd.get(f"r/{odd_id('Case', 3)}/", find='"><script>').content.decode()
    assert "<script>" not in body.split("<main")[1]


def test_a_record_is_opened_once_however_its_page_is_filtered(odd: Room) -> None:
    """What a filter fetches into the page is no new opening; an address that is opened is one."""
    odd.get(f"r/{CHANCE}/", tl="Task")
    odd.client.get(f"/crm/{odd.desk.code}/r/{CHANCE}/?tl=Event", headers={"HX-Request": "true"})
    events = list(TraceEvent.objects.order_by("sequence").values_list("kind", "object", "record", "query"))
    assert events == [
        ("record", "Opportunity", CHANCE, {"tl": "Task"}),
        ("filter", "Opportunity", CHANCE, {"tl": "Event"}),
    ]


def test_a_record_after_the_today_is_marked(odd: Room) -> None:
    early = open_desk(org=odd.desk.org, user=odd.desk.user, purpose="attempt", today=TODAY - timedelta(days=100))
    body = odd.client.get(f"/crm/{early.code}/r/{QUOTE}/").content.decode()
    assert 'class="later">after today' in body
    assert 'class="later">after today' not in odd.get(f"r/{QUOTE}/").content.decode()


def test_a_closed_desk_says_so_and_writes_nothing(odd: Room) -> None:
    from study.sandbox.desks import close_desk

    close_desk(odd.desk)
    for page in (f"r/{CHANCE}/", f"r/{USER}/related/Case.OwnerId/", f"r/{CASE}/thread/", "search/?q=zip"):
        assert "This desk is closed" in plain(odd.client.get(f"/crm/{odd.desk.code}/{page}"))
    assert not TraceEvent.objects.exists()


@pytest.mark.parametrize(
    "page", [f"r/{CHANCE}/", f"r/{USER}/related/Case.OwnerId/", f"r/{CASE}/thread/", "search/?q=zip"]
)
def test_what_takes_too_long_is_stopped_and_says_so(odd: Room, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    def slow(*_args: object, **_kwargs: object) -> None:
        raise QueryTimeout(5.0)

    monkeypatch.setattr(Guarded, "rows", slow)
    response = odd.client.get(f"/crm/{odd.desk.code}/{page}")
    assert response.status_code == 503
    assert "We stopped it; nothing is lost" in plain(response)
    assert not TraceEvent.objects.exists()


@pytest.mark.parametrize("wrong", ["Zzz", "001", "' OR 1=1", "001Hy0000000000IAA" * 3, "0" * 18, "%F0%9F%8E%92"])
def test_ids_that_are_none_lead_to_a_page_that_helps(odd: Room, wrong: str) -> None:
    for page in ("", "thread/", "related/Case.OwnerId/"):
        response = odd.client.get(f"/crm/{odd.desk.code}/r/{wrong}/{page}")
        assert response.status_code == 404
    assert not TraceEvent.objects.exists()
