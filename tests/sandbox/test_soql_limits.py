"""Nothing is cut silently: pages by a locator, groups refused beyond 2,000, semi-joins whole, COUNT() exact."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.soql import SoqlError, run_soql, run_sosl
from tests.sandbox.small_org import PREFIXES, TODAY, small_registry

CONTACTS, ACCOUNTS = 4_700, 2_001


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    accounts = [{"Id": make_id(PREFIXES["Account"], n), "LastName": f"Tent {n}"} for n in range(ACCOUNTS)]
    contacts = [
        {
            "Id": make_id(PREFIXES["Contact"], n),
            "LastName": f"Lamp {n % 7}" if n % 3 else None,
            "AccountId": accounts[n % ACCOUNTS]["Id"],
        }
        for n in range(CONTACTS)
    ]
    folder = Path(tmp_path_factory.mktemp("many"))
    tables = {"Account": accounts, "Contact": contacts}
    return open_snapshot(write_snapshot(folder / "m.sqlite", small_registry(), tables, today=TODAY).path)


def walk(snapshot: Snapshot, text: str, page: int = 2_000) -> list[list[str]]:
    pages, place = [], None
    while True:
        result = run_soql(snapshot, text, TODAY, after=place, page=page)
        pages.append([row[0] for row in result.rows])
        assert result.first == sum(map(len, pages[:-1]))
        assert result.done == (result.next is None)
        if result.done:
            assert result.total_size == sum(map(len, pages))
            return pages
        place = result.next


@pytest.mark.parametrize("order", ["", " ORDER BY LastName", " ORDER BY LastName DESC NULLS LAST, AccountId DESC"])
def test_pages_over_empty_values_lose_no_row(snapshot: Snapshot, order: str) -> None:
    """P-48: a third of the names is empty; every record comes once, 2,000 at a time."""
    pages = walk(snapshot, f"SELECT Id FROM Contact{order}")
    found = [one for page in pages for one in page]
    assert [len(page) for page in pages] == [2_000, 2_000, 700]
    assert len(set(found)) == CONTACTS
    whole = run_soql(snapshot, f"SELECT Id FROM Contact{order}", TODAY, page=10_000)
    assert found == [row[0] for row in whole.rows]


def test_a_limit_holds_over_pages(snapshot: Snapshot) -> None:
    pages = walk(snapshot, "SELECT Id FROM Contact ORDER BY LastName LIMIT 2500 OFFSET 100", page=900)
    assert [len(page) for page in pages] == [900, 900, 700]
    assert walk(snapshot, "SELECT Id FROM Contact LIMIT 0") == [[]]
    assert walk(snapshot, "SELECT Id FROM Contact LIMIT 2000 OFFSET 2000") != [[]]
    assert run_soql(snapshot, "SELECT Id FROM Contact LIMIT 2000", TODAY).done


def test_more_groups_than_one_answer_holds_are_refused(snapshot: Snapshot) -> None:
    """2,001 groups are an error, never 2,000 of them."""
    text = "SELECT AccountId, COUNT(Id) FROM Contact GROUP BY AccountId"
    with pytest.raises(SoqlError) as caught:
        run_soql(snapshot, text, TODAY)
    assert caught.value.code == "EXCEEDED_ID_LIMIT"
    assert len(run_soql(snapshot, f"{text} ORDER BY COUNT(Id) DESC LIMIT 2000", TODAY).rows) == 2_000
    some = run_soql(snapshot, f"{text} HAVING COUNT(Id) > 2", TODAY)
    assert len(some.rows) == CONTACTS - 2 * ACCOUNTS


def test_child_rows_are_all_there_or_refused(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every account has two or three contacts; an answer that may hold fewer says so."""
    text = "SELECT Id, (SELECT Id FROM Contacts) FROM Account"
    monkeypatch.setattr("study.sandbox.engine.snapshot.ROW_CAP", 1_000)
    found, place = 0, None
    while True:
        result = run_soql(snapshot, text, TODAY, after=place)
        found += sum(len(row[1]) for row in result.rows)
        if (place := result.next) is None:
            break
    assert found == CONTACTS
    monkeypatch.setattr("study.sandbox.engine.snapshot.ROW_CAP", 2)
    with pytest.raises(SoqlError, match="more child rows than one answer holds") as caught:
        run_soql(snapshot, text, TODAY)
    assert caught.value.code == "EXCEEDED_ID_LIMIT"
    limited = run_soql(snapshot, "SELECT Id, (SELECT Id FROM Contacts LIMIT 2) FROM Account LIMIT 1", TODAY)
    assert [len(row[1]) for row in limited.rows] == [2]


def test_a_semi_join_is_never_cut(snapshot: Snapshot) -> None:
    text = "SELECT COUNT() FROM Account WHERE Id IN (SELECT AccountId FROM Contact)"
    assert run_soql(snapshot, text, TODAY).total_size == ACCOUNTS
    assert run_soql(snapshot, text.replace(" IN", " NOT IN"), TODAY).total_size == 0


def test_count_is_exact(snapshot: Snapshot) -> None:
    result = run_soql(snapshot, "SELECT COUNT() FROM Contact", TODAY)
    assert (result.total_size, result.rows, result.columns, result.done) == (CONTACTS, [], (), True)


def place(*values: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(values)).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "wrong",
    ["x", "%%%", "é", "a" * 5_000, place(1), place(True, "x"), place(-1, "x"), place("1", "x"), place(1, {}),
     place(1, [1]), place(1, "x", "y", "z"), place(1, 5), base64.urlsafe_b64encode(b"[" * 9_000).decode()],
)  # fmt: skip
def test_a_made_up_locator_is_refused(snapshot: Snapshot, wrong: str) -> None:
    with pytest.raises(SoqlError) as caught:
        run_soql(snapshot, "SELECT Id FROM Contact", TODAY, after=wrong)
    assert caught.value.code == "INVALID_QUERY_LOCATOR"


def test_a_search_says_when_rows_were_kept_back(snapshot: Snapshot) -> None:
    result = run_sosl(snapshot, "FIND {lamp OR tent} RETURNING Account(Id), Contact(Id)", TODAY)
    assert [(one.object, one.total_size, len(one.rows), one.done) for one in result.found] == [
        ("Account", ACCOUNTS, 2_000, False),
        ("Contact", 2 * CONTACTS // 3, 0, False),
    ]
    assert (result.done, result.total_size) == (False, ACCOUNTS + 2 * CONTACTS // 3)
    few = run_sosl(snapshot, "FIND {lamp OR tent} RETURNING Account(Id LIMIT 5), Contact(Id LIMIT 5)", TODAY)
    assert (few.done, few.total_size) == (True, 10)
