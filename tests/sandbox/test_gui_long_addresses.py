"""Addresses too long for a server's line are stored under their hash, and whatever is stored stays a question (A8)."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from django.test import Client

from study.accounts.models import User
from study.sandbox.desks import close_desk, open_desk
from study.sandbox.gui import long_addresses
from study.sandbox.models import LongAddress
from tests.sandbox.gui_desk import Room, plain

pytestmark = pytest.mark.django_db
MANY = [
    pair for n in range(90) for pair in (("c", "Subject"), ("o", "ne"), ("v", f"a rather long subject, number {n}"))
]
QUERY = urlencode(MANY)


def stored(gui: Room, query: str = QUERY, to: str = "o/Case/") -> Any:
    there = to if to.startswith(("/", "http")) else f"/crm/{gui.desk.code}/{to}"
    return gui.client.post(f"/crm/{gui.desk.code}/long/", {"query": query, "to": there})


def test_a_long_query_is_stored_once_under_its_hash(gui: Room) -> None:
    for _click in range(2):
        response = stored(gui)
        key = hashlib.sha256(QUERY.encode()).hexdigest()
        assert response["Location"] == f"/crm/{gui.desk.code}/o/Case/?k={key}"
    assert LongAddress.objects.get().query == QUERY
    page = gui.client.get(response["Location"])
    assert page.status_code == 200
    assert page.context["view"].criteria.size == 90
    assert page.context["view"].total == 70


def test_a_short_query_stays_readable(gui: Room) -> None:
    assert stored(gui, "s.Status=New")["Location"] == f"/crm/{gui.desk.code}/o/Case/?s.Status=New"
    assert not LongAddress.objects.exists()


def test_no_link_of_a_long_list_is_longer_than_a_server_takes(gui: Room) -> None:
    """Sorting, paging, dropping a condition: each link works, and the page stores one row, not one a link."""
    page = gui.client.get(stored(gui)["Location"])
    view = page.context["view"]
    assert LongAddress.objects.count() <= 2
    links = [view.next, view.usual, *(head["url"] for head in view.heads if head["url"])]
    links += [pill["url"] for pill in page.context["pills"]] + [
        url for _n, url, *_rest in page.context["picker"].layouts
    ]
    assert len(links) > 95
    for link in links:
        assert len(link) <= long_addresses.LONGEST + 100
    assert gui.client.get(view.next).context["view"].page == 2
    both = {row.record_id for page in (view, gui.client.get(view.next).context["view"]) for row in page.rows}
    assert len(both) == 70
    one_less = gui.client.get(page.context["pills"][5]["url"]).context["view"]
    assert one_less.criteria.size == 89
    assert not [term for term in one_less.criteria.terms if term.values[0].endswith("number 5")]


def test_a_report_on_the_same_records_takes_the_key(gui: Room) -> None:
    view = gui.client.get(stored(gui)["Location"]).context["view"]
    assert view.conditions.startswith("?k=")
    assert gui.get(f"report/Case/{view.conditions}").status_code == 200
    assert gui.get(f"search/{view.conditions}").status_code == 200


def test_a_condition_beside_the_key_is_one_more(gui: Room) -> None:
    """The numbers of a report on a long state lead to its rows: the group stands beside the key."""
    there = stored(gui)["Location"]
    one_more = gui.client.get(f"{there}&c=Status&o=eq&v=New&sort=Subject&page=1").context["view"]
    assert one_more.criteria.size == 91
    assert one_more.total == gui.total("Case", c="Status", o="eq", v="New") > 0
    sorted_twice = gui.client.get(f"{there}&sort=-Subject").context["view"]
    assert sorted_twice.sort[1] is True


def test_an_unknown_key_is_a_calm_404(gui: Room) -> None:
    for key in ("0" * 64, "", "x", "é", "\x00", "1" * 5000, "../" * 9, "%2e", "A" * 64):
        for page in ("o/Case/", "report/Case/", "search/", ""):
            response = gui.get(page, k=key)
            assert response.status_code == 404, (page, key)
            assert "Back to Home" in plain(response)


@pytest.mark.parametrize(
    "query",
    [
        "k=" + "0" * 64,
        "%00=%00&s.Status=%00",
        "c=%ff&o=eq&v=%f0%9f",
        "&&&===;;;",
        "<script>alert(1)</script>",
        "s.Status=" + "'" * 4000,
        "next=https://elsewhere.example&c=Subject&o=eq&v=" + "%F0%9F%91%8D" * 900,
        "logic=" + "(" * 5000,
        "drop=-1&page=" + "9" * 4000,
        "\ud7ff" + "x" * 4000,
    ],
)
def test_hostile_texts_are_stored_or_refused_never_run(gui: Room, query: str) -> None:
    """P-45: whatever is stored, its page is an answer or a clear error at this desk."""
    response = stored(gui, query)
    assert response.status_code in {302, 400}
    if response.status_code == 302:
        assert response["Location"].startswith(f"/crm/{gui.desk.code}/o/Case/")
        found = gui.client.get(response["Location"])
        assert found.status_code in {200, 302, 400, 404}
        assert b"<script>alert" not in found.content


def test_it_leads_to_pages_of_this_desk_only(gui: Room, ben: User) -> None:
    other = open_desk(org=gui.desk.org, user=ben, purpose="attempt")
    for there in (
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "/home/",
        f"/crm/{other.code}/o/Case/",
        f"/crm/{gui.desk.code}/../../home/",
        f"/crm/{gui.desk.code}/long/",
        f"/crm/{gui.desk.code}/nothing/here/",
        "",
    ):
        assert stored(gui, to=there or "/").status_code == 404, there
    assert not LongAddress.objects.exists()


def test_too_much_is_refused_with_words(gui: Room) -> None:
    for query in (urlencode([("v", "x" * 200_000)]), urlencode([("s.Status", "x")] * 2000)):
        response = stored(gui, query)
        assert response.status_code == 400
        assert "too long to be kept" in plain(response)
    assert not LongAddress.objects.exists()


def test_any_desk_answers_a_key_from_its_own_org(gui: Room, cleo: User) -> None:
    """A key names a question: another person's desk answers it with what that desk may see."""
    key = dict(parse_qsl(stored(gui)["Location"].partition("?")[2]))["k"]
    desk = open_desk(org=gui.desk.org, user=cleo, purpose="orientation")
    client = Client()
    client.force_login(cleo, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(f"/crm/{desk.code}/o/Case/?k={key}").context["view"].total == 70
    assert client.get(f"/crm/{gui.desk.code}/o/Case/?k={key}").status_code == 404
    assert client.get(f"/crm/{desk.code}/o/Account/?k={key}").status_code == 400


def test_a_closed_desk_stores_nothing(gui: Room) -> None:
    close_desk(gui.desk)
    assert stored(gui).status_code == 409
    assert not LongAddress.objects.exists()


def test_a_hundred_conditions_and_no_more(gui: Room) -> None:
    pairs = [pair for n in range(101) for pair in (("c", "Subject"), ("o", "ne"), ("v", f"{n}"))]
    assert gui.client.get(f"/crm/{gui.desk.code}/o/Case/?{urlencode(pairs[:300])}").status_code == 200
    response = gui.client.get(f"/crm/{gui.desk.code}/o/Case/?{urlencode(pairs)}")
    assert response.status_code == 400
    assert "at most 100 conditions" in plain(response)
