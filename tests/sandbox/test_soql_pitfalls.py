"""P-45 to P-52, asked in SOQL and SOSL. P-46 and P-47 stand in test_soql_dates.py, P-48 also in test_soql_limits.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.queryspec import from_json
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.soql import SoqlError, run_soql, run_sosl
from tests.sandbox.small_org import LAST_NAMES, TODAY, small_registry, small_snapshot

CRAFTED = [
    "O'Dell",
    "50% off",
    "A_B",
    "\\",
    "back\\slash",
    "' OR Id != null --",
    "x') OR (Id != null",
    "%",
    "_",
    '"',
    "{}",
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("pitfalls")))


def ids(snapshot: Snapshot, text: str) -> list[str]:
    return [row[0] for row in run_soql(snapshot, text, TODAY).rows]


def literal(text: str, *, pattern: bool = False) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return quoted.replace("%", "\\%").replace("_", "\\_") if pattern else quoted


@pytest.mark.parametrize("text", CRAFTED)
def test_p45_quotes_and_wildcards_mean_themselves(snapshot: Snapshot, text: str) -> None:
    names = [(one["Id"], one["LastName"]) for one in snapshot.records("Contact")]
    equal = ids(snapshot, f"SELECT Id FROM Contact WHERE LastName = '{literal(text)}'")
    assert equal == [one for one, name in names if name.casefold() == text.casefold()]
    inside = ids(snapshot, f"SELECT Id FROM Contact WHERE LastName LIKE '%{literal(text, pattern=True)}%'")
    assert inside == [one for one, name in names if text.casefold() in name.casefold()]


def test_p45_a_text_that_closes_its_quote_is_a_fault_or_a_text(snapshot: Snapshot) -> None:
    with pytest.raises(SoqlError):
        run_soql(snapshot, "SELECT Id FROM Contact WHERE LastName = 'x' OR '1'='1'", TODAY)
    for field in ("Id) FROM User --", "Id; SELECT", "rid", "~LastName", "sqlite_version()", "Id, (SELECT 1)"):
        with pytest.raises(SoqlError):
            run_soql(snapshot, f"SELECT {field} FROM Contact", TODAY)
        with pytest.raises(SoqlError):
            run_soql(snapshot, f"SELECT Id FROM Contact ORDER BY {field}", TODAY)
    for table in ("sqlite_master", "realia_meta", "fts_Contact", '"Contact"'):
        with pytest.raises(SoqlError):
            run_soql(snapshot, f"SELECT Id FROM {table}", TODAY)


@pytest.mark.parametrize(
    "text", ["O'Dell", "50% off", "A_B", "back\\slash", "A-B:C", "O'Dell*", "NEAR(a b)", "^tent", "LastName : x"]
)
def test_p45_words_to_find_are_no_operators_of_the_index(snapshot: Snapshot, text: str) -> None:
    escaped = "".join("\\" + char if char in "\\*?(){}\"'" else char for char in text)
    found = run_sosl(snapshot, f"FIND {{{escaped}}} RETURNING Contact(Id, LastName)", TODAY).found[0]
    expected = [name for name in LAST_NAMES if name == text]
    assert {row[1] for row in found.rows} == set(expected)


def test_p48_sorting_over_empty_values_loses_no_row(snapshot: Snapshot) -> None:
    for order in ("ClosedDate", "ClosedDate DESC", "ClosedDate NULLS LAST", "Account.Name DESC NULLS LAST"):
        found, place = [], None
        while True:
            page = run_soql(snapshot, f"SELECT Id FROM Case ORDER BY {order}", TODAY, after=place, page=11)
            found += [row[0] for row in page.rows]
            place = page.next
            if page.done:
                break
        assert len(found) == len(set(found)) == page.total_size == 70


def test_p49_short_ids_are_case_sensitive_and_both_lengths_reach_the_record(snapshot: Snapshot) -> None:
    one, other = "003290000004GNyAAM", "003290000004GNYAA2"
    for given, full in ((one, one), (one[:15], one), (other, other), (other[:15], other), (one.lower(), one)):
        assert ids(snapshot, f"SELECT Id FROM Contact WHERE Id = '{given}'") == [full]
        assert ids(snapshot, f"SELECT Id FROM Contact WHERE Id IN ('{given}')") == [full]
    assert ids(snapshot, f"SELECT Id FROM Contact WHERE Id = '{one[:15].lower()}'") == []
    both = ids(snapshot, f"SELECT Id FROM Contact WHERE Id IN ('{one[:15]}', '{other}')")
    assert sorted(both) == sorted([one, other])


def test_p50_sums_of_amounts_are_grouped_by_currency_where_there_is_one(tmp_path: Path) -> None:
    """An Org without a currency field has one currency; a literal with a currency is refused, never converted."""
    registry = small_registry()
    items = [{"Id": make_id("802", n), "UnitPrice": price, "Quantity": 1.0} for n, price in enumerate((300.0, 343.19))]
    snapshot = open_snapshot(write_snapshot(tmp_path / "c.sqlite", registry, {"OrderItem": items}, today=TODAY).path)
    assert run_soql(snapshot, "SELECT SUM(UnitPrice) FROM OrderItem", TODAY).rows == [(643.19,)]
    with pytest.raises(SoqlError, match="currency"):
        run_soql(snapshot, "SELECT Id FROM OrderItem WHERE UnitPrice > EUR300", TODAY)
    with pytest.raises(SoqlError, match="CurrencyIsoCode"):
        run_soql(snapshot, "SELECT CurrencyIsoCode, SUM(UnitPrice) FROM OrderItem GROUP BY CurrencyIsoCode", TODAY)


@pytest.mark.parametrize("given", ["ALVAREZ", "alvarez", "Álvarez", "A\u0301lvarez", "\\u00c1lvarez"])
def test_p51_capitals_and_accents_do_not_count(snapshot: Snapshot, given: str) -> None:
    expected = [one["Id"] for one in snapshot.records("Contact") if one["LastName"] in ("Álvarez", "ALVAREZ")]
    assert ids(snapshot, f"SELECT Id FROM Contact WHERE LastName = '{given}'") == expected
    assert ids(snapshot, f"SELECT Id FROM Contact WHERE LastName LIKE '{given[:-2]}%'") == expected
    assert ids(snapshot, f"SELECT Id FROM Contact WHERE LastName IN ('{given}')") == expected
    if "\\" not in given:
        found = run_sosl(snapshot, f"FIND {{{given}}} RETURNING Contact(Id)", TODAY).found[0]
        assert [row[0] for row in found.rows] == expected
    mail = run_soql(snapshot, "SELECT COUNT() FROM Account WHERE PersonEmail = 'fred3@EXAMPLE.TEST'", TODAY)
    assert mail.total_size == 1


def test_p52_is_not_keeps_records_without_a_parent(snapshot: Snapshot) -> None:
    accounts = {one["Id"]: one["ShippingState"] for one in snapshot.records("Account")}
    cases = {one["Id"]: accounts.get(one["AccountId"]) for one in snapshot.records("Case")}
    for condition in ("!= 'NY'", "NOT IN ('ny')"):
        found = ids(snapshot, f"SELECT Id FROM Case WHERE Account.ShippingState {condition}")
        assert found == [one for one, state in cases.items() if state != "NY"]
    parentless = ids(snapshot, "SELECT Id FROM Case WHERE AccountId = null")
    assert set(parentless) < set(ids(snapshot, "SELECT Id FROM Case WHERE Account.ShippingState = null"))
    rows = run_soql(snapshot, "SELECT Account.Name FROM Case WHERE AccountId = null", TODAY).rows
    assert rows == [(None,)] * len(parentless)
    anti = ids(snapshot, "SELECT Id FROM Case WHERE AccountId NOT IN (SELECT Id FROM Account)")
    assert anti == parentless


def test_what_was_asked_can_be_asked_again_from_the_trace(snapshot: Snapshot) -> None:
    """The query value of every kind of text survives its JSON form."""
    for text in (
        "SELECT Id, Account.Name, (SELECT Id FROM CaseHistories__r LIMIT 1) FROM Case WHERE Subject LIKE '_a%' LIMIT 5",
        "SELECT Status s, COUNT(Id) FROM Case GROUP BY Status HAVING NOT COUNT(Id) < 3 ORDER BY MAX(CreatedDate)",
        "SELECT Id FROM Case WHERE HOUR_IN_DAY(CreatedDate) > 3 AND OwnerId IN (SELECT Id FROM User)",
    ):
        spec = run_soql(snapshot, text, TODAY).spec
        assert from_json(spec.to_json()) == spec
    for one in run_sosl(snapshot, 'FIND {te?t AND NOT "a b"} IN NAME FIELDS RETURNING Case(Id), Account', TODAY).found:
        assert from_json(one.spec.to_json()) == one.spec
        assert len(snapshot.run(one.spec, TODAY).rows) == one.total_size
