"""Global search: objects, pages, names only, what tells people apart, advice, and what is offered while typing."""

from __future__ import annotations

from typing import Any

import pytest

from study.sandbox.gui.searching import told_apart
from study.sandbox.models import TraceEvent
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.odd_org import odd_id, odd_tables

pytestmark = pytest.mark.django_db
TABLES = odd_tables()


def found(odd: Room, q: str, **params: Any) -> Any:
    response = odd.get("search/", q=q, **params)
    assert response.status_code == 200, response.content.decode()[:2000]
    return response.context["found"]


def counts(search: Any) -> dict[str, int]:
    return {item.name: hits.count for item, hits, _rows in search.groups}


def test_hits_are_counted_by_object(odd: Room) -> None:
    search = found(odd, "zip")
    zips = sum("zip" in f"{case['Subject']} {case['Description']}".lower() for case in TABLES["Case"])
    assert counts(search)["Case"] == zips
    assert search.total == sum(counts(search).values())
    assert {item.name: url for item, _n, url in search.scopes}["Case"] == "?q=zip&in=Case"


def test_one_object_is_paged(odd: Room) -> None:
    """Pages never repeat and never skip; a page past the end says so."""
    small = found(odd, "zip", **{"in": "Case"})
    assert small.next == ""
    everything = small.total
    ids = [hit.id for _item, _hits, rows in small.groups for _url, hit, _title in rows]
    assert len(ids) == len(set(ids)) == everything
    assert (small.first, small.last) == (1, everything)
    assert "past the last record" in odd.text("search/", q="zip", **{"in": "Case", "page": 9})
    assert found(odd, "zip", page=3).page == 1
    assert found(odd, "zip", page="x", **{"in": "Case"}).page == 1


def test_pages_of_one_object_follow_each_other(odd: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("study.sandbox.gui.searching.ALONE", 4)
    seen: list[str] = []
    address = "?q=zip&in=Case"
    while address:
        search = odd.client.get(f"/crm/{odd.desk.code}/search/{address}").context["found"]
        seen += [hit.id for _item, _hits, rows in search.groups for _url, hit, _title in rows]
        address = search.next
    assert len(seen) == len(set(seen)) == search.total > 8


def test_where_pages_end_before_the_hits_do_it_is_said(odd: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("study.sandbox.gui.searching.ALONE", 4)
    monkeypatch.setattr("study.sandbox.gui.searching.MOST_PAGES", 2)
    words = "Pages end here"
    assert words not in odd.text("search/", q="zip", **{"in": "Case"})
    assert words in odd.text("search/", q="zip", **{"in": "Case", "page": 2})
    assert found(odd, "zip", page=2, **{"in": "Case"}).next == ""
    assert words not in odd.text("search/", q="zip")


def test_names_only_leaves_texts_out(odd: Room) -> None:
    assert "Contact" in counts(found(odd, "dell", names=1))
    assert set(counts(found(odd, "tent"))) >= {"Product2", "Knowledge__kav"}
    # "week" stands in an article's text, in no name.
    assert counts(found(odd, "week")) == {"Knowledge__kav": 1}
    assert counts(found(odd, "week", names=1)) == {}
    assert "No record's name holds all of these words" in odd.text("search/", q="week", names=1)
    # Any part of a name counts, whatever its capitals and accents; nothing in it is an operator (P-45).
    assert counts(found(odd, "LVAREZ zoe", names=1))["Contact"] == 1
    assert counts(found(odd, "%", names=1)) == {}


def test_two_people_of_one_name_are_told_apart(odd: Room) -> None:
    search = found(odd, "O'Dell", **{"in": "Contact"})
    shown = [(hit.name, hit.second) for _item, _hits, rows in search.groups for _url, hit, _title in rows]
    assert sorted(shown) == [("Ana O'Dell", "c0@example.test"), ("Ana O'Dell", "c1@example.test")]
    named = found(odd, "O'Dell", names=1, **{"in": "User"})
    assert all("example.test" in hit.second for _i, _h, rows in named.groups for _url, hit, _title in rows)


def test_suggestions_that_read_the_same_carry_their_ids(odd: Room) -> None:
    from study.sandbox.engine.search import Hit
    from study.sandbox.gui.rooms import Room as Desk

    room = Desk(odd.desk, odd.snapshot, "/crm/x/")
    twins = [Hit("Lead", odd_id("Lead", n), "Łukasz Ng", "same") for n in (0, 1)]
    assert {hit.second for hit in told_apart(room, twins, ids=True).values()} == {f"same · {hit.id}" for hit in twins}
    assert {hit.second for hit in told_apart(room, twins).values()} == {"same"}
    # A record without its second field is told by the first thing it has.
    bare = told_apart(room, [Hit("Issue__c", odd_id("Issue__c", 0), "Zip stuck")], ids=True)
    assert bare[odd_id("Issue__c", 0)].name == "Zip stuck"


def test_snippets_are_marked_and_names_not_said_twice(odd: Room) -> None:
    body = odd.get("search/", q="unworn").content.decode()
    assert "<mark>unworn</mark>" in body
    again = odd.get("search/", q="warranty", **{"in": "Knowledge__kav"})
    _url, hit, title = again.context["found"].groups[0][2][0]
    assert ("Warranty", True) in title
    assert hit.snippet == ()


def test_nothing_found_comes_with_advice(odd: Room) -> None:
    text = odd.text("search/", q="zip zzzz")
    assert "No record holds all of these words" in text
    assert "One word alone is found: zip" in text
    assert "zzzz (" not in text
    assert "Search in all objects" in odd.text("search/", q="unworn", **{"in": "Case"})
    assert "shorter word" in odd.text("search/", q="zzzz")


def test_an_id_opens_its_record_in_either_length(odd: Room) -> None:
    """P-49"""
    lead = odd_id("Lead", 1)
    for given in (lead, lead[:15], f"  {lead} ", lead.lower()):
        response = odd.client.get(f"/crm/{odd.desk.code}/search/", {"q": given})
        assert response["Location"] == f"/crm/{odd.desk.code}/r/{lead}/", given
    assert odd.get("search/", q=lead[:15].lower()).status_code == 200


def test_searches_are_remembered_at_the_desk(odd: Room) -> None:
    for text in ("zip", "tent", "zip", "<b>"):
        odd.get("search/", q=text)
    lately = odd.get("search/").context["lately"]
    assert [text for text, _url in lately] == ["<b>", "zip", "tent"]
    assert "&lt;b&gt;" in odd.get("search/").content.decode()


def test_suggestions_are_options_of_a_list(odd: Room) -> None:
    body = odd.get("search/suggest/", q="ana").content.decode()
    assert body.count('role="option"') >= 3
    assert 'id="suggested-1"' in body
    assert "example.test" in body
    assert 'aria-disabled="true"' in odd.get("search/suggest/", q="zzzz").content.decode()
    assert odd.get("search/suggest/").content.decode().strip() == ""
    odd.get(f"r/{odd_id('Quote', 0)}/")
    assert "Quote A" in plain(odd.get("search/suggest/"))


@pytest.mark.parametrize(
    "text", ["'", '"', "%", "_", "\\", "a" * 5000, "AND OR NOT", "🎒", "حقيبة", "NEAR(x)", "\x00", "*"]
)
def test_any_text_gets_an_answer(odd: Room, text: str) -> None:
    """P-45: an answer, never an error, in every form of the search."""
    for page in ("search/", "search/suggest/"):
        for params in ({}, {"in": "Case"}, {"names": "1"}, {"in": "Case", "page": "2"}):
            assert odd.client.get(f"/crm/{odd.desk.code}/{page}", {"q": text, **params}).status_code in {200, 302, 400}


def test_the_trace_keeps_what_was_searched(odd: Room) -> None:
    odd.get("search/", q="zip", names=1, **{"in": "Case"})
    event = TraceEvent.objects.get()
    assert (event.kind, event.object, event.query["names"]) == ("search", "Case", True)
    assert event.n == event.query["hits"]["Case"]
