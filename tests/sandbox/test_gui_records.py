"""Record pages, readers, search, and what the trace and the exposure counts make of them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from study.accounts.models import User
from study.sandbox import seen, trace
from study.sandbox.desks import open_desk
from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.gui import reading
from study.sandbox.models import TraceEvent
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.small_org import small_tables

pytestmark = pytest.mark.django_db
TABLES = small_tables()


def test_a_record_shows_its_fields_and_its_id(gui: Room) -> None:
    case = TABLES["Case"][8]
    for given in (case["Id"], case["Id"][:15]):
        response = gui.get(f"r/{given}/")
        text = plain(response)
        assert case["Subject"] in text
        assert case["Description"] in text
        assert f'data-copy="{case["Id"]}"' in response.content.decode()
    context = response.context
    assert (context["object_name"], context["record_id"], context["record_name"]) == (
        "Case",
        case["Id"],
        case["Subject"],
    )


def test_related_lists_count_exactly_and_lead_to_the_list(gui: Room) -> None:
    account = TABLES["Account"][1]["Id"]
    page = gui.get(f"r/{account}/").context["page"]
    counts = {related.item.name: related.count for related in page.related}
    assert counts["Case"] == sum(case["AccountId"] == account for case in TABLES["Case"])
    assert counts["Order"] == sum(order["AccountId"] == account for order in TABLES["Order"])
    for related in page.related:
        assert gui.client.get(related.url).context["view"].total == related.count


def test_the_path_shows_where_a_case_stands(gui: Room) -> None:
    page = gui.get(f"r/{TABLES['Case'][3]['Id']}/").context["page"]
    assert [state for _name, state in page.path.steps] == ["done", "now", "ahead", "ahead", "ahead"]


def test_ids_that_lead_nowhere_get_a_page_that_helps(gui: Room) -> None:
    for wrong in ("500Hy0000000zzzIAA", "short", "x" * 200, "001", "../../etc", "é" * 18):
        response = gui.client.get(f"/crm/{gui.desk.code}/r/{wrong}/")
        assert response.status_code == 404, wrong
    assert "No record here has this Id" in plain(gui.get("r/500Hy0000000zzzIAA/"))


def test_every_record_opens_with_empty_fields_and_missing_parents(gui: Room) -> None:
    """P-52: nothing is an error because a parent or a field is missing."""
    for name in ("Case", "Contact", "Account", "CaseHistory__c", "OrderItem"):
        for record in TABLES[name][:24]:
            assert gui.get(f"r/{record['Id']}/").status_code == 200


def test_long_right_to_left_and_marked_up_texts(gui: Room, tmp_path: Any, ben: User) -> None:
    """A right-to-left subject keeps its direction, mark-up is shown as text, nothing breaks."""
    from study.sandbox.engine.snapshot import write_snapshot
    from study.sandbox.orgs import register_org
    from tests.sandbox.small_org import TODAY, small_registry

    tables = small_tables()
    tables["Case"][0]["Subject"] = "حقيبة الظهر: حزام مقطوع <b>bold</b>"
    tables["Case"][1]["Subject"] = "word " * 400
    org = register_org(write_snapshot(tmp_path / "odd.sqlite", small_registry(), tables, today=TODAY), "odd")
    desk = open_desk(org=org, user=ben, purpose="rating")
    body = gui.client.get(f"/crm/{desk.code}/o/Case/").content.decode()
    assert "حزام مقطوع &lt;b&gt;bold&lt;/b&gt;" in body
    assert re.search(r'<a href="[^"]+" dir="auto">حقيبة', body)
    assert gui.client.get(f"/crm/{desk.code}/r/{tables['Case'][1]['Id']}/").status_code == 200


def test_search_finds_by_object_with_marked_words(gui: Room) -> None:
    response = gui.get("search/", q="battery cold")
    assert "<mark>Batteries</mark>" in response.content.decode()
    assert [item.name for item, _hits, _rows in response.context["found"].groups] == ["Knowledge__kav"]
    narrowed = gui.get("search/", q="battery", **{"in": "EmailMessage"})
    assert narrowed.context["found"].groups[0][1].count == 20
    assert gui.get("search/", q="battery", **{"in": "Nope"}).status_code == 400
    assert "No record holds all of these words" in gui.text("search/", q="zzzz")
    assert "O'Dell" in gui.text("search/suggest/", q="o'de")


def test_an_id_in_the_search_box_opens_the_record(gui: Room) -> None:
    case = TABLES["Case"][8]["Id"]
    response = gui.client.get(f"/crm/{gui.desk.code}/search/?q={case[:15]}")
    assert response["Location"] == f"/crm/{gui.desk.code}/r/{case}/"


def test_a_thread_shows_mails_in_order_with_quotes_folded() -> None:
    parts = reading.mail_parts("Thanks.\nIt works.\n\nOn 4 Jan 2023, Ann wrote:\n> Try this.\n> Bye")
    assert [part.quoted for part in parts] == [False, True]
    assert parts[1].text.startswith("On 4 Jan 2023, Ann wrote:")
    assert [p.quoted for p in reading.mail_parts("> old\nnew")] == [True, False]
    assert reading.mail_parts("") == []


def test_chats_are_read_in_turns() -> None:
    turns = reading.turns("Agent: Hello.\nHow can I help?\nCustomer: It broke: the zip.\n(00:41) Agent: I see.")
    assert [(t.who, t.side) for t in turns] == [("Agent", 0), ("Customer", 1), ("Agent", 0)]
    assert turns[0].text == "Hello.\nHow can I help?"
    assert turns[1].text == "It broke: the zip."
    assert turns[2].at == "00:41"
    assert [t.text for t in reading.turns("no speaker here")] == ["no speaker here"]


def test_articles_have_headings_lists_and_paragraphs() -> None:
    blocks = reading.blocks("## Returns\nWithin 30 days.\nUnworn.\n\n- box\n- slip\n\n**Refunds**\nSoon.")
    assert [b.kind for b in blocks] == ["heading", "text", "list", "heading", "text"]
    assert blocks[2].lines == ("box", "slip")


def test_events_are_numbered_without_gaps(gui: Room) -> None:
    for page in ("", "o/Case/", f"r/{TABLES['Case'][0]['Id']}/", "search/?q=tent", "report/Case/"):
        gui.get(page)
    events = list(gui.desk.events.order_by("sequence").values_list("sequence", "kind"))
    assert events == [(1, "home"), (2, "list"), (3, "record"), (4, "search"), (5, "report")]
    assert gui.desk.events.get(kind="search").query == {
        "text": "tent",
        "only": "",
        "hits": {"Knowledge__kav": 4, "Product2": 8},
    }


def test_a_number_taken_by_another_tab_is_not_used_twice(
    gui: Room,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both tabs read the same last number; the unique key refuses the second, which takes the next."""
    trace.record(gui.desk, "home")
    numbers = iter([0, 0])
    real = trace.last_sequence
    monkeypatch.setattr(trace, "last_sequence", lambda desk: next(numbers, real(desk)))
    assert trace.record(gui.desk, "home").sequence == 2
    monkeypatch.setattr(trace, "last_sequence", lambda desk: 0)
    with pytest.raises(RuntimeError, match="could not number"):
        trace.record(gui.desk, "home")


def test_pages_that_fail_leave_no_event(gui: Room) -> None:
    gui.get("o/Case/", sort="Nope")
    gui.get("r/500Hy0000000zzzIAA/")
    assert not TraceEvent.objects.exists()


def test_what_was_seen(gui: Room, ben: User) -> None:
    """Distinct records, openings, active time with pauses cut at five minutes, threads counted mail by mail."""
    first, second = TABLES["Case"][0]["Id"], TABLES["Case"][1]["Id"]
    for page in (f"r/{first}/", f"r/{second}/", f"r/{first[:15]}/", f"r/{first}/thread/", ""):
        gui.get(page)
    events = list(gui.desk.events.order_by("sequence"))
    start = events[0].at
    for event, seconds in zip(events, (0, 10, 1000, 1030, 1040), strict=True):
        TraceEvent.objects.filter(pk=event.pk).update(at=start + timedelta(seconds=seconds))
    other = open_desk(org=gui.desk.org, user=ben, purpose="rating")
    trace.record(other, "record", "Case", second)
    found = seen.seen_by_object([gui.desk, other])
    assert found["Case"].records == {first, second}
    assert found["Case"].openings == 4
    # 10 s, then 990 s cut to 300 s, then 30 s; the last event of a desk counts nothing.
    assert found["Case"].active_seconds == 340
    assert found["EmailMessage"].records == {TABLES["EmailMessage"][0]["Id"]}
    assert found["EmailMessage"].active_seconds == 10
    assert seen.records_opened([gui.desk], "Case", until=start + timedelta(seconds=5)) == {first}
    assert seen.seen_by_object([]) == {}


def test_records_from_the_future_are_counted(gui: Room, ben: User) -> None:
    """M9: with an earlier today a record of a later day is from the future."""
    case = TABLES["Case"][30]
    early = open_desk(
        org=gui.desk.org, user=ben, purpose="attempt", today=case["CreatedDate"].date() - timedelta(days=1)
    )
    for desk in (gui.desk, early):
        trace.record(desk, "record", "Case", case["Id"])
        trace.record(desk, "record", "Issue__c", TABLES["Issue__c"][0]["Id"])
    assert seen.future_records_opened([gui.desk]) == frozenset()
    assert seen.future_records_opened([early]) == {case["Id"]}


def test_a_query_that_takes_too_long_is_stopped_politely(
    gui: Room,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slow(*_: object) -> None:
        raise QueryTimeout(5.0)

    monkeypatch.setattr(Snapshot, "run", slow)
    response = gui.get("o/Case/")
    assert response.status_code == 503
    assert "This took longer than 5 seconds. We stopped it; nothing is lost." in plain(response)
