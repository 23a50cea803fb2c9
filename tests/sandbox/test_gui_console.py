"""The query console and the schema: every state of the page, its trace, and where it is not offered."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from study.accounts.models import User
from study.sandbox.desks import close_desk, open_desk
from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.queryspec import from_json
from study.sandbox.gui import console as console_module
from study.sandbox.models import Desk, LongAddress, TraceEvent
from tests.sandbox.gui_desk import Room, plain

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


def events(gui: Room) -> list[TraceEvent]:
    return list(TraceEvent.objects.filter(desk=gui.desk).order_by("sequence"))


def grid(response: Any) -> list[list[str]]:
    """The rows of the first table, cell by cell, as a reader sees them."""
    return [[plain_text(cell) for _, cell in row] for row in response.context["page"].grids[0].rows]


def plain_text(cell: str) -> str:
    class Fake:
        content = str(cell).encode()

    return plain(Fake()).strip()  # type: ignore[arg-type]


def test_an_empty_console_offers_a_way_to_begin(gui: Room) -> None:
    response = gui.get("console/")
    text = plain(response)
    assert response.status_code == 200
    assert "Begin here" in text
    assert "Nothing was asked at this desk yet" in text
    for query, _url in response.context["page"].beginnings:
        assert gui.get("console/", q=query).status_code == 200
    assert [event.kind for event in events(gui)][-1:] == ["console"]


def test_rows_are_shown_as_a_query_would_write_them(gui: Room) -> None:
    q = "SELECT Id, Subject, ClosedDate, AccountId, OrderItem__r.UnitPrice FROM Case ORDER BY Id LIMIT 1"
    response = gui.get("console/", q=q)
    record = next(iter(gui.snapshot.records("Case")))
    case, subject, closed, account, price = grid(response)[0]
    assert (case, subject) == (record["Id"], record["Subject"])
    assert (closed, account, price) == ("null", "null", "null")
    body = response.content.decode()
    assert f'href="/crm/{gui.desk.code}/r/{record["Id"]}/"' in body
    assert f'data-copy="{record["Id"]}"' in body
    assert "1 row" in plain(response)
    assert html.escape(q) in body  # the text is still in its field
    moment = grid(gui.get("console/", q="SELECT CreatedDate FROM Case WHERE CreatedDate = 2024-02-29"))
    assert moment == [["2024-02-29T12:00:00Z"]]
    counted = gui.text("console/", q="SELECT COUNT() FROM Case")
    assert "70 rows" in counted


def test_child_rows_fold_into_their_cell(gui: Room) -> None:
    response = gui.get("console/", q="SELECT Id, (SELECT Id, Subject FROM Cases LIMIT 2) FROM Account LIMIT 3")
    text = plain(response)
    assert "2 rows" in text
    assert "<details><summary>2 rows" in response.content.decode()


def test_no_rows_are_said_to_be_none(gui: Room) -> None:
    assert "The query is sound; no record fits it." in gui.text("console/", q="SELECT Id FROM Case WHERE Status = 'no'")
    assert "Nothing here holds these words." in gui.text("console/", q="FIND {zzzzz}")


def test_a_search_shows_a_table_for_each_object(gui: Room) -> None:
    response = gui.get("console/", q="FIND {battery} RETURNING Case(Id, Subject LIMIT 2), Issue__c, Product2")
    assert [(one.item.name, len(one.rows)) for one in response.context["page"].grids] == [
        ("Case", 2),
        ("Issue__c", 1),
        ("Product2", 0),
    ]


@pytest.mark.parametrize(
    ("q", "code", "place"),
    [
        ("SELECT Id,\n  Statsu\nFROM Case", "INVALID_FIELD", "Line 2, column 3"),
        ("SELECT Id FROM Case WHERE", "MALFORMED_QUERY", "Line 1, column 26"),
        ("FIND {*x}", "INVALID_SEARCH", "Line 1, column 7"),
    ],
)
def test_a_fault_shows_its_place_and_keeps_the_text(gui: Room, q: str, code: str, place: str) -> None:
    response = gui.get("console/", q=q.replace("\n", "\r\n"))
    assert response.status_code == 400
    text, body = plain(response), response.content.decode()
    assert code in text
    assert place in text
    assert "Your text is still above" in text
    assert html.escape(q) in body
    assert 'aria-invalid="true"' in body
    assert response.context["page"].fault.excerpt.endswith("^")
    last = events(gui)[-1]
    assert (last.kind, last.query["error"], last.query["text"], last.n) == ("console", code, q, None)


def test_a_stopped_query_says_so_and_keeps_the_text(gui: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_args: Any, **_more: Any) -> None:
        raise QueryTimeout(5.0)

    monkeypatch.setattr(console_module, "run_soql", slow)
    response = gui.get("console/", q="SELECT Id FROM Case")
    assert response.status_code == 503
    assert "QUERY_TIMEOUT" in plain(response)
    assert "SELECT Id FROM Case" in response.content.decode()
    assert events(gui)[-1].query["error"] == "QUERY_TIMEOUT"


def test_pages_of_200_hold_every_row_once(gui: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_module, "SHOWN", 30)
    response = gui.get("console/", q="SELECT Id FROM Case ORDER BY ClosedDate")
    found, heads = [], []
    while True:
        found += [row[0] for row in grid(response)]
        heads.append(plain(response).partition("Cases ")[2])
        following = response.context["page"].next_url
        if not following:
            break
        response = gui.client.get(following)
        assert response.status_code == 200
    assert len(found) == len(set(found)) == 70
    traced = [event for event in events(gui) if event.kind == "console"]
    assert [(event.n, event.query.get("first", 0)) for event in traced] == [(70, 0), (70, 30), (70, 60)]
    wrong = gui.get("console/", q="SELECT Id FROM Case", **{"from": "nonsense"})
    assert wrong.status_code == 400
    assert "INVALID_QUERY_LOCATOR" in plain(wrong)


def test_history_holds_each_query_once_newest_first(gui: Room, ben: User) -> None:
    for q in ("SELECT Id FROM Case", "SELECT Id FROM Nope", "SELECT COUNT() FROM User", "SELECT Id FROM Case"):
        gui.get("console/", q=q)
    response = gui.get("console/")
    past = [(text, came) for text, _url, came in response.context["page"].history]
    assert past == [
        ("SELECT Id FROM Case", "70 rows"), ("SELECT COUNT() FROM User", "6 rows"),
        ("SELECT Id FROM Nope", "INVALID_TYPE"),
    ]  # fmt: skip
    assert gui.client.get(response.context["page"].history[1][1]).status_code == 200
    other = open_desk(org=gui.desk.org, user=ben, purpose="orientation")
    elsewhere = gui.client.get(reverse("crm_console", args=[other.code]))
    assert elsewhere.context["page"].history == []


def test_the_trace_holds_text_query_and_count(gui: Room) -> None:
    gui.get("console/", q="SELECT Status, COUNT(Id) FROM Case GROUP BY Status")
    gui.get("console/", q="FIND {tent} RETURNING Product2(Id), Case")
    soql, sosl = events(gui)
    assert (soql.kind, soql.object, soql.n, soql.query["lang"]) == ("console", "Case", 3, "soql")
    assert gui.snapshot.count(from_json(soql.query["spec"]), gui.desk.today) == 3
    assert (sosl.kind, sosl.object, sosl.n, sosl.query["lang"]) == ("console", "", 8, "sosl")
    assert [from_json(json.dumps(one)).object for one in sosl.query["specs"]] == ["Product2", "Case"]


def test_markup_in_a_query_stays_text(gui: Room) -> None:
    nasty = "SELECT '</textarea><script>alert(1)</script>' FROM <b>Case</b>"
    for q in (nasty, f"FIND {{{nasty[7:40]}}} RETURNING Case", "\n\nSELECT Id FROM Case"):
        response = gui.get("console/", q=q)
        body = response.content.decode()
        assert "<script>alert" not in body
        assert "</textarea><" not in body.replace("</textarea>\n", "")
    # The first line end of a text field is the browser's own; the text keeps its own behind it.
    assert ">\n\n\nSELECT Id FROM Case</textarea>" in body
    gui.get("console/", q=nasty)
    assert "<script>alert" not in gui.get("console/").content.decode()


@pytest.mark.parametrize(
    "q", ["\0", "SELECT \0", "\ud800", "SELECT Id FROM Case WHERE Subject = '\0'", "%", "x" * 3_000]
)
def test_strange_texts_are_answered_and_traced(gui: Room, q: str) -> None:
    response = gui.client.get(f"/crm/{gui.desk.code}/console/", {"q": q.encode("utf-8", "surrogatepass")})
    assert response.status_code in {200, 400}
    assert len(events(gui)) == 1


def test_a_long_query_is_kept_under_a_key(gui: Room) -> None:
    ids = ", ".join(f"'500Hy0000000{n:03}'" for n in range(400))
    q = f"SELECT Id FROM Case WHERE Id IN ({ids})"
    there = reverse("crm_console", args=[gui.desk.code])
    stored = gui.client.post(reverse("crm_long", args=[gui.desk.code]), {"to": there, "query": f"q={q}"})
    assert stored.status_code == 302
    assert len(stored["Location"]) < 150
    assert LongAddress.objects.count() == 1
    response = gui.client.get(stored["Location"])
    assert response.status_code == 200
    assert response.context["page"].text == q
    history = gui.get("console/").context["page"].history
    assert len(history[0][1]) < 150


def test_schema_pages_show_fields_and_relationships(gui: Room) -> None:
    listed = gui.text("schema/")
    assert "16 objects" in listed
    assert "Knowledge__kav" in listed
    response = gui.get("schema/Case/")
    text = plain(response)
    for part in ("IssueId__c", "lookup", "in paths: Issue__r", "long text", "Child relationships", "CaseHistories__r"):
        assert part in text
    body = response.content.decode()
    for where in ("o/Case/", "report/Case/", "schema/Account/", "console/?q=SELECT%20Id"):
        assert f"/crm/{gui.desk.code}/{where}" in body
    assert gui.get("console/", q=response.context["page"].query).status_code == 200
    assert gui.get("schema/Nope/").status_code == 404
    assert [event.kind for event in events(gui)][:2] == ["schema", "schema"]
    assert events(gui)[1].object == "Case"


def test_the_side_of_the_console_gets_names_to_insert(gui: Room) -> None:
    response = gui.client.get(f"/crm/{gui.desk.code}/schema/Case/", headers={"HX-Request": "true"})
    body = response.content.decode()
    assert "<html" not in body
    for name in ("Case", "Subject", "Account.", "Issue__r.", "(SELECT Id FROM CaseHistories__r)"):
        assert f'data-insert="{name}"' in body


def test_every_object_of_the_schema_answers_its_first_query(gui: Room) -> None:
    for item in gui.snapshot.registry.objects:
        page = gui.get(f"schema/{item.name}/").context["page"]
        assert gui.get("console/", q=page.query).status_code == 200


def pages(gui: Room) -> list[str]:
    return [
        f"/crm/{gui.desk.code}/{one}"
        for one in ("console/", "console/?q=SELECT+Id+FROM+Case", "schema/", "schema/Case/")
    ]


def test_a_desk_without_a_console_has_no_page_and_no_link(gui: Room) -> None:
    assert "console/" in gui.get("").content.decode()
    Desk.objects.filter(pk=gui.desk.pk).update(console=False)
    for page in pages(gui):
        assert gui.client.get(page).status_code == 404
    for page in ("", "o/Case/", "report/", "apps/", "search/?q=tent"):
        body = gui.client.get(f"/crm/{gui.desk.code}/{page}").content.decode()
        assert "console/" not in body
        assert "schema/" not in body
        assert "SOQL" not in body
    assert not [event for event in events(gui) if event.kind in {"console", "schema"}]


def test_nobody_else_reaches_it(gui: Room, cleo: User) -> None:
    stranger = Client()
    stranger.force_login(cleo, backend=BACKEND)
    for page in pages(gui):
        assert stranger.get(page).status_code == 404
        assert gui.client.post(page).status_code == 405
    assert events(gui) == []


def test_at_a_closed_desk_it_answers_and_nothing_counts(gui: Room) -> None:
    close_desk(gui.desk)
    assert "70 rows" in gui.text("console/", q="SELECT COUNT() FROM Case")
    assert events(gui) == []
