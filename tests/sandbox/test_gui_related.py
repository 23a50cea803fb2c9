"""Related lists: exact counts, a filter each, a page of their own, and the way one came."""

from __future__ import annotations

import re
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from study.accounts.models import User
from study.sandbox.models import TraceEvent
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.odd_desk import open_odd
from tests.sandbox.odd_org import odd_id, odd_tables

pytestmark = pytest.mark.django_db
TABLES = odd_tables()
USER, ACCOUNT = odd_id("User", 0), odd_id("Account", 0)
OWNED = [case for case in TABLES["Case"] if case["OwnerId"] == USER]
PAGE = f"r/{USER}/related/Case.OwnerId/"


def lists_of(odd: Room, record_id: str, **params: Any) -> dict[str, Any]:
    response = odd.get(f"r/{record_id}/", **params)
    assert response.status_code == 200
    return {one.key: one for one in response.context["page"].related}


def test_counts_are_exact_and_every_list_has_its_page(odd: Room) -> None:
    for record_id in (USER, ACCOUNT):
        for key, one in lists_of(odd, record_id).items():
            name, field = key.split(".")
            assert one.count == sum(row.get(field) == record_id for row in TABLES[name]), key
            if record_id == USER:
                continue
            view = odd.client.get(one.url).context["view"]
            assert view.total == view.whole == one.count
            assert odd.client.get(view.as_list).context["view"].total == one.count


def test_a_list_on_the_page_is_filtered_by_words_and_its_first_picklist(odd: Room) -> None:
    key = "Case.OwnerId"
    filtered = lists_of(odd, USER, **{f"f.{key}": "stuck", f"p.{key}": "Low"})[key]
    assert (filtered.text, filtered.picked) == ("stuck", "Low")
    # The first picklist of a case is its priority; right-to-left subjects do not hold the word.
    assert filtered.found == sum("stuck" in c["Subject"] and c["Priority"] == "Low" for c in OWNED)
    assert filtered.count == len(OWNED)
    assert f"{filtered.found} of {filtered.count}" in odd.text(f"r/{USER}/", **{f"f.{key}": "stuck", f"p.{key}": "Low"})
    assert lists_of(odd, USER, **{f"f.{key}": "zzzz"})[key].rows == ()
    assert "No record here fits" in odd.text(f"r/{USER}/", **{f"f.{key}": "zzzz"})
    # One list's filter leaves the others alone, and what is made up is not asked.
    assert lists_of(odd, USER, **{f"f.{key}": "zzzz"})["Task.OwnerId"].found == 5
    assert lists_of(odd, USER, **{"f.Nope.Field": "x", "p.": "y"})[key].found == len(OWNED)


def test_filters_of_several_lists_stand_side_by_side(odd: Room) -> None:
    body = odd.get(f"r/{USER}/", **{"f.Case.OwnerId": "stuck"}).content.decode()
    activity = odd.get(f"r/{ACCOUNT}/", tl="Case", **{"f.Case.AccountId": "stuck"}).content.decode()
    assert '<input class="inp" id="f.Case.OwnerId" name="f.Case.OwnerId" value="stuck"' in body
    assert '<input type="hidden" name="f.Case.AccountId" value="stuck">' in activity
    assert '<input type="hidden" name="tl" value="Case">' in activity


def test_the_page_of_a_list_sorts_filters_and_says_how_many(odd: Room) -> None:
    def ids(**params: Any) -> list[str]:
        response = odd.get(PAGE, **params)
        assert response.status_code == 200
        return [row.record_id for row in response.context["view"].rows]

    by_date = sorted(OWNED, key=lambda case: case["CreatedDate"])
    assert ids(sort="CreatedDate") == [case["Id"] for case in by_date]
    assert ids(sort="-CreatedDate") == [case["Id"] for case in reversed(by_date)] == ids()
    low = [case["Id"] for case in OWNED if case["Priority"] == "Low"]
    assert set(ids(**{"s.Priority": "Low"})) == set(low)
    assert f"{len(low)} of {len(OWNED)}" in odd.text(PAGE, **{"s.Priority": "Low"})
    assert ids(q="zzzz") == []
    assert odd.get(PAGE, sort="Nope").status_code == 400
    # Empty controls leave the address.
    moved = odd.client.get(f"/crm/{odd.desk.code}/{PAGE}?q=&s.Priority=Low&sort=CreatedDate")
    assert moved["Location"] == f"/crm/{odd.desk.code}/{PAGE}?s.Priority=Low&sort=CreatedDate"


def test_lists_that_do_not_exist_are_not_found(odd: Room) -> None:
    for key in ("Case.AccountId", "Nope.OwnerId", "Case", "Case.OwnerId.Name", "x" * 300):
        assert odd.get(f"r/{USER}/related/{key}/").status_code == 404
    assert odd.get(f"r/{odd_id('User', 900)}/related/Case.OwnerId/").status_code == 404


def test_ten_thousand_related_records_are_paged_without_gaps(ben: User, tmp_path: Path, settings: Any) -> None:
    """P-48 on a related list: each record once over all pages; the record page stays quick."""
    settings.REALIA_VAR = tmp_path
    busy = open_odd(ben, tmp_path, busy=10_000)
    start = perf_counter()
    response = busy.get(f"r/{USER}/")
    assert perf_counter() - start < 2
    assert {one.key: one.count for one in response.context["page"].related}["Case.OwnerId"] == 10_000
    view = busy.get(PAGE, sort="Priority").context["view"]
    assert (view.total, view.pages) == (10_000, 200)
    seen: list[str] = []
    for page in (1, 2, 3, 67, 68, 134, 135, 199, 200):
        seen += [row.record_id for row in busy.get(PAGE, sort="Priority", page=page).context["view"].rows]
    assert len(seen) == len(set(seen)) == 450
    assert "This page is past the last record" in busy.text(PAGE, page=201)


def test_lists_far_down_are_fetched_when_they_come_into_view(odd: Room) -> None:
    lists = lists_of(odd, USER)
    late = [one for one in lists.values() if one.rows is None]
    assert late
    body = odd.get(f"r/{USER}/").content.decode()
    for one in late:
        assert f'hx-get="{one.url}?part=1"' in body
        assert re.search(rf'<a href="{re.escape(one.url)}">Show the records', body)
        part = odd.client.get(f"{one.url}?part=1")
        assert "<html" not in part.content.decode()
        assert part.content.decode().count("<tr data-url=") == min(one.count, 5)
    assert not TraceEvent.objects.filter(kind="related").exists()


def test_a_page_with_many_lists_has_a_table_of_contents(odd: Room) -> None:
    response = odd.get(f"r/{USER}/")
    body = response.content.decode()
    anchors = [anchor for anchor, _words, _count in response.context["page"].jumps]
    assert len(anchors) > 6
    for anchor in anchors:
        assert f'href="#{anchor}"' in body
        assert f'id="{anchor}"' in body
    assert odd.get(f"r/{odd_id('Territory2', 0)}/").context["page"].jumps == []


def test_two_lists_of_one_object_say_which_is_which(odd: Room) -> None:
    labels = {one.key: one.label for one in lists_of(odd, odd_id("User", 2)).values()}
    assert labels["CaseHistory__c.OldValue__c"] == "Case history (Old value)"
    assert labels["CaseHistory__c.NewValue__c"] == "Case history (New value)"
    assert labels["Case.OwnerId"] == "Cases"
    # Mails that point here by both lookups are one list.
    emails = [one for one in lists_of(odd, odd_id("Case", 0)).values() if one.item.name == "EmailMessage"]
    assert [one.label for one in emails] == ["Emails"]


def test_what_holds_nothing_is_named_once(odd: Room) -> None:
    text = odd.text(f"r/{odd_id('User', 3)}/")
    assert "Nothing in these lists" in text
    assert "Opportunities" in text.split("Nothing in these lists")[1]


def test_the_trace_keeps_what_a_related_list_showed(odd: Room) -> None:
    odd.get(PAGE, **{"s.Priority": "Low"})
    event = TraceEvent.objects.get()
    assert (event.kind, event.object, event.record) == ("related", "Case", USER)
    assert event.n == sum(case["Priority"] == "Low" for case in OWNED)
    assert USER in str(event.query)


def test_the_trail_names_the_page_one_came_from(odd: Room) -> None:
    base = f"/crm/{odd.desk.code}/"
    case = OWNED[0]["Id"]

    def came(referer: str) -> Any:
        headers = {"Referer": f"http://testserver{referer}"}
        return odd.client.get(f"{base}r/{case}/", headers=headers).context["trail"].came

    assert came(f"{base}o/Case/?s.Status=New").words == "Cases, filtered"
    assert came(f"{base}o/Case/?s.Status=New").url == f"{base}o/Case/?s.Status=New"
    assert came(f"{base}search/?q=zip").words == "Search: zip"
    assert came(f"{base}r/{ACCOUNT}/").words == "Ana O'Dell"
    assert came(f"{base}r/{ACCOUNT}/related/Case.AccountId/?page=2").url.endswith("?page=2")
    assert came(f"{base}report/Case/?g=Status").words == "Report on Cases"
    for nothing in (
        f"{base}r/{case}/?find=x",
        f"{base}o/Case/",
        "/studies/",
        f"{base}r/nonsense/",
        f"{base}o/Nope/",
        "",
    ):
        assert came(nothing) is None, nothing
    other = odd.client.get(f"{base}r/{case}/", headers={"Referer": f"https://elsewhere.test{base}o/Case/?q=x"})
    assert other.context["trail"].came is None


def test_records_opened_before_are_one_click_away(odd: Room) -> None:
    for record_id in (ACCOUNT, OWNED[0]["Id"], USER):
        response = odd.get(f"r/{record_id}/")
    assert [one.record_id for one in response.context["trail"].before] == [OWNED[0]["Id"], ACCOUNT]
    assert "Opened before" in plain(response)
