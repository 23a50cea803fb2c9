"""No crafted address ends in a server error, loops, or tells participants what they must not read."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from study.sandbox.engine.daterange import WORDS
from study.sandbox.engine.queryspec import OPERATORS
from study.sandbox.models import Desk
from tests.sandbox.gui_desk import Room

pytestmark = pytest.mark.django_db
NAMES = (
    "c",
    "o",
    "v",
    "s.Status",
    "s.CreatedDate",
    "s.Account.ShippingState",
    "w.CreatedDate",
    "w.Subject",
    "q",
    "rc",
    "ro",
    "rn",
    "rf",
    "rp",
    "rv",
    "sort",
    "page",
    "col",
    "m",
    "mf",
    "u",
    "g",
    "by",
    "hm",
    "ho",
    "hv",
    "logic",
    "lately",
    "drop",
    "view",
    "record",
    "up",
    "down",
    "pick",
    "from",
    "for",
    "to",
    "in",
    "names",
    "path",
    "find",
    "at",
    "tl",
    "tn",
    "f.EmailMessage.ParentId",
    "p.CaseHistory__c.CaseId__c",
    "k",
    "chart",
    "s.",
    "w.",
)
PATHS = (
    "Id",
    "Subject",
    "Status",
    "CreatedDate",
    "ClosedDate",
    "AccountId",
    "Account.Name",
    "OrderItem.UnitPrice",
    "Description",
    "OrderItem.Product2.IsActive",
    "Owner.Account.Name",
    "OrderItem.Order.Account.ShippingState",
    "ClosedDate~CreatedDate~hours",
    "Quantity*UnitPrice",
    "UnitPrice/0",
    "RelatedTo:Case.Subject",
    ":",
    "A.B.C.D.E.F",
    "rid",
    "~Subject",
    "",
)
WORDS_GIVEN = (
    *PATHS,
    *sorted(OPERATORS),
    *sorted(WORDS),
    "during",
    "past_months:4",
    "past_months:99999999",
    "2023-04",
    "April/1-9999",
    "April/9999-1",
    "0000",
    "9999-12",
    "9999-12-31",
    "2024-02-30",
    "2024-03-31T12:00",
    "2024-03-31T12:00+99:00",
    "1e999",
    "nan",
    "-0",
    "9" * 30,
    "²",
    "true",
    "500Hy0000000008IAA",
    "O'Dell",
    "50% off",
    "\\",
    '"',
    "''; --",
    "AND",
    "NEAR(",
    "*",
    "\x00",
    "\x0b",
    "\ud7ff",
    "\U0001f600",
    "حزام",
    "CaseHistory__c.CaseId__c",
    "CaseHistory__c.",
    "Case.Nope",
    "count",
    "avg",
    "count_distinct",
    "(1 OR 2) AND NOT 3",
    "NOT 1",
    "board",
    "split",
    "at_most",
    "ClosedDate~CreatedDate",
    "~",
    "days",
    "week",
    "month_name",
    "value",
    "-n",
    "group",
    "-CreatedDate",
)
PAGES = [
    "o/Case/",
    "report/Case/",
    "o/OrderItem/",
    "report/Order/",
    "search/",
    "search/suggest/",
    "values/Case/",
    "fields/Case/",
    "r/500Hy0000000000IAA/",
    "r/500Hy0000000000IAA/thread/",
    "r/500Hy0000000000IAA/related/EmailMessage.ParentId/",
    "console/",
]
PAIRS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.one_of(st.sampled_from(WORDS_GIVEN), st.text(max_size=30))), max_size=9
)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(page=st.sampled_from(PAGES), pairs=PAIRS)
def test_no_address_is_a_server_error(gui: Room, page: str, pairs: list[tuple[str, str]]) -> None:
    """P-45: the client raises what a server would answer with 500; redirects end after one step."""
    Desk.objects.update(console=True)
    query = urlencode([(k, v.encode("utf-8", "replace")) for k, v in pairs])
    response = gui.client.get(f"/crm/{gui.desk.code}/{page}?{query}")
    assert response.status_code in {200, 302, 400, 404}
    if response.status_code == 302:
        assert gui.client.get(response["Location"]).status_code in {200, 400}


def addresses(gui: Room) -> list[str]:
    every = [f"r/{record}/" for item in gui.snapshot.registry.objects for record in gui.some(item.name, 1)]
    lists = [f"{kind}/{item.name}/" for kind in ("o", "report") for item in gui.snapshot.registry.objects]
    return [
        "",
        *every,
        *lists,
        "search/?q=battery",
        "search/suggest/?q=b",
        "report/",
        "o/Case/?sort=Nope",
        "r/nothing/",
        f"r/{gui.some('Case', 1)[0]}/thread/",
        "report/Case/?m=avg&g=OwnerId",
        "o/Case/?s.Status=New",
        "o/Case/?c=Status&o=eq&v=New&c=Priority&o=eq&v=High&logic=1+OR+2",
        "o/Case/?view=board",
        f"o/Case/?view=split&record={gui.some('Case', 1)[0]}",
        "apps/",
        "favourites/",
        "fields/Case/?from=Account",
    ]


FORBIDDEN = re.compile(
    r"\b(synthetic|generated|artificial|fake|simulated|AI|LLM|GPT|benchmark|CRMArena|realism)\b|Spring realism study",
    re.IGNORECASE,
)


def test_no_word_about_origin(gui: Room) -> None:
    """M7: not in any page, title or address of the sandbox, the stylesheets and scripts it loads among them."""
    loaded: set[str] = set()
    for address in addresses(gui):
        body = gui.get(address).content.decode()
        assert not FORBIDDEN.search(body), (address, FORBIDDEN.search(body))
        loaded |= set(re.findall(r'(?:src|href)="(/static/[^"]+)"', body))
    assert any("crm" in one for one in loaded)
    for one in loaded:
        assert not FORBIDDEN.search(one)
        if "/crm" in one:
            assert not FORBIDDEN.search(b"".join(gui.client.get(one).streaming_content).decode()), one  # type: ignore[attr-defined]


def test_pages_obey_the_strict_policy(gui: Room) -> None:
    """No inline style, script or event handler; one h1; every id once; labels point at controls."""
    for address in addresses(gui):
        response = gui.get(address)
        body = response.content.decode()
        assert "default-src 'self'" in response["Content-Security-Policy"]
        assert not re.search(r"<[^>]+\s(style|on\w+)=", body), address
        assert not re.search(r"<style|<script(?![^>]*\ssrc=)", body), address
        ids = re.findall(r'\sid="([^"]+)"', body)
        assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1]
        assert set(re.findall(r'\sfor="([^"]+)"', body)) <= set(ids), address
        if "suggest" not in address:
            assert len(re.findall(r"<h1[ >]", body)) == 1, address
            assert "Days and times are UTC" in body
