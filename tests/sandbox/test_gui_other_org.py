"""Never another Org's row (P-45): two Orgs with the same objects and Ids, and one person with a desk in each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from study.sandbox.desks import open_desk
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.snapshot import write_snapshot
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import register_org
from tests.sandbox.gui_desk import Room, plain
from tests.sandbox.small_org import PREFIXES, TODAY, small_registry, small_tables
from tests.sandbox.test_gui_crafted import addresses

pytestmark = pytest.mark.django_db
MARK = "Zanzibar"
MARKED = {"Subject", "LastName", "Name", "Title", "Description", "TextBody"}
CASE, ACCOUNT = (make_id(PREFIXES[name], 900) for name in ("Case", "Account"))
HIDDEN = "Quince"
# What leads to the case or the account that only the other Org holds, without its hidden word in the address.
WAYS = [
    f"r/{CASE}/",
    f"r/{CASE[:15]}/",
    f"r/{CASE}/thread/",
    f"r/{ACCOUNT}/related/Case.AccountId/",
    f"o/Case/?c=Id&o=eq&v={CASE}",
    f"o/Case/?c=AccountId&o=eq&v={ACCOUNT}",
    "o/Case/?q=marmalade",
    f"o/Case/?view=split&record={CASE}",
    f"report/Case/?g=AccountId&c=AccountId&o=eq&v={ACCOUNT}",
    f"search/?q={CASE}",
    "search/?q=marmalade",
    "search/suggest/?q=marmalade",
    "values/Case/?path=AccountId&q=marmalade",
    f"console/?q=SELECT+Subject+FROM+Case+WHERE+Id='{CASE}'",
    "console/?q=SELECT+Account.Name,+COUNT(Id)+FROM+Case+WHERE+Account.FirstName='marmalade'+GROUP+BY+Account.Name",
    "console/?q=FIND+{marmalade}+RETURNING+Case(Subject)",
    "favourites/",
    "",
]


@pytest.fixture
def here(gui: Room) -> Room:
    gui.desk.console = True
    gui.desk.save()
    return gui


@pytest.fixture
def elsewhere(here: Room, tmp_path: Path) -> Room:
    """Ben's desk in an Org with all Ids of the first, other words in every record, and two records more."""
    tables: dict[str, list[dict[str, Any]]] = {
        name: [
            {key: f"{MARK} {value}" if key in MARKED and value else value for key, value in row.items()} for row in rows
        ]
        for name, rows in small_tables().items()
    }
    tables["Account"].append({"Id": ACCOUNT, "FirstName": "Marmalade", "LastName": HIDDEN})
    tables["Case"].append({**tables["Case"][0], "Id": CASE, "Subject": f"{HIDDEN} marmalade", "AccountId": ACCOUNT})
    org = register_org(write_snapshot(tmp_path / "other.sqlite", small_registry(), tables, today=TODAY), "other")
    desk = open_desk(org=org, user=here.desk.user, purpose="orientation")
    desk.console = True
    desk.save()
    return replace(here, desk=desk, snapshot=snapshot_of(org))


def test_no_page_shows_a_record_of_another_org(here: Room, elsewhere: Room) -> None:
    """The other Org is asked first, so that nothing it kept in mind answers here."""
    shown = 0
    for address in addresses(here):
        there = plain(elsewhere.get(address))
        shown += MARK in there
        assert MARK not in plain(here.get(address)), address
    assert shown > 30


def test_no_question_reaches_a_record_of_another_org(here: Room, elsewhere: Room) -> None:
    assert elsewhere.client.post(f"/crm/{elsewhere.desk.code}/r/{CASE}/favourite/", {"keep": "1"}).status_code == 302
    assert here.client.post(f"/crm/{here.desk.code}/r/{CASE}/favourite/", {"keep": "1"}).status_code == 404
    for address in WAYS:
        there = elsewhere.get(address)
        assert HIDDEN in there.content.decode(), address
        response = here.get(address)
        assert response.status_code in {200, 400, 404}, address
        assert HIDDEN not in response.content.decode(), address


def test_views_of_another_org_are_not_offered(here: Room, elsewhere: Room) -> None:
    kept = {"object": "Case", "kind": "list", "name": f"{HIDDEN} view", "query": "s.Status=New"}
    assert elsewhere.client.post(f"/crm/{elsewhere.desk.code}/views/save/", kept).status_code == 302
    assert HIDDEN in elsewhere.get("o/Case/").content.decode()
    assert HIDDEN not in here.get("o/Case/").content.decode()
