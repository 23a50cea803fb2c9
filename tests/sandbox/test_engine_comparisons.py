"""Every kind of field with every operator and many values, one by one, against a naive reading."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.queryspec import Compare, DateRange, Measure, Not, Order, QuerySpec
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.soql import run_soql
from tests.sandbox.naive import Naive
from tests.sandbox.small_org import EDGES, ISSUES, LAST_NAMES, TODAY, small_registry, small_snapshot, small_tables

PLAIN = ("eq", "ne", "lt", "le", "gt", "ge")
TEXTS = (
    *LAST_NAMES,
    *ISSUES,
    "fred o'dell",
    "ZOE",
    "il",
    "closed",
    "High",
    "%",
    "_",
    "\\",
    "'",
    "ss",
    "ł",
    "x' OR 1=1 --",
)
TEXT_PATHS = ("Subject", "Status", "Priority", "Account.Name", "Account.ShippingState", "OrderItem.Product2.Name")
NUMBERS = (0, 7, 12.0, 9.5, -1, 133)
DAYS = (
    date(2024, 1, 31),
    date(2024, 2, 1),
    date(2024, 2, 29),
    date(2024, 3, 1),
    TODAY,
    date(1969, 12, 31),
    date(2023, 9, 2),
)
CASES: list[tuple[str, str, Any]] = [
    *product(TEXT_PATHS, (*PLAIN, "contains", "starts"), TEXTS),
    *product(("OrderItem.UnitPrice", "Account.NumberOfEmployees"), PLAIN, NUMBERS),
    *product(("CreatedDate", "ClosedDate"), PLAIN, (*DAYS, *EDGES, EDGES[0] + timedelta(milliseconds=1))),
    *product(("OrderItem.Order.EffectiveDate",), PLAIN, DAYS),
    *product(("OrderItem.Product2.IsActive",), ("eq", "ne"), (True, False)),
    *product(("Status", "Account.Name"), ("in", "not_in"), ((), ("CLOSED", "álvarez"), ("new", None), (None,))),
    *product(("CreatedDate",), ("in", "not_in"), ((DAYS[0], DAYS[2]), (None,), (EDGES[3], DAYS[1]))),
    *product(("ClosedDate", "Account.ShippingState", "Description", "AccountId"), ("null", "not_null"), (None,)),
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("org")))


def test_every_operator_on_every_kind_of_field(snapshot: Snapshot) -> None:
    """P-45, P-46, P-51, P-52: one documented rule per kind of field, and no text is an operator."""
    naive = Naive(snapshot.registry, {name: list(rows) for name, rows in snapshot.tables()})
    seen = set()
    for path, op, value in CASES:
        for where in (Compare(path, op, value), Not(Compare(path, op, value))):
            spec = QuerySpec("Case", ("Id",), where)
            found = snapshot.run(spec, TODAY).rows
            assert found == naive.run(spec), where
            seen.add(0 < len(found) < 70)
    assert seen == {True, False}


def ids(snapshot: Snapshot, object_name: str, where: Compare, today: date = TODAY) -> list[str]:
    return [row[0] for row in snapshot.run(QuerySpec(object_name, ("Id",), where), today).rows]


def test_a_parentless_record_is_not_energy(snapshot: Snapshot) -> None:
    """P-52: "is not" keeps records whose lookup is empty; "is empty" across a lookup finds them."""
    odd = snapshot.count(QuerySpec("Case", where=Compare("AccountId", "null")), TODAY)
    assert odd == 10
    nowhere = ids(snapshot, "Case", Compare("Account.Name", "null"))
    unlike = ids(snapshot, "Case", Compare("Account.Name", "ne", "Fred O'Dell"))
    assert odd <= len(nowhere)
    assert set(nowhere) <= set(unlike)


def test_short_ids_are_case_sensitive_and_both_lengths_reach_the_same_record(snapshot: Snapshot) -> None:
    """P-49: 15- and 18-character Ids."""
    for short, full in (("003290000004GNy", "003290000004GNyAAM"), ("003290000004GNY", "003290000004GNYAA2")):
        assert ids(snapshot, "Contact", Compare("Id", "eq", short)) == [full]
        assert ids(snapshot, "Contact", Compare("Id", "in", (full.lower(),))) == [full]
        record = snapshot.record("Contact", short)
        assert record is not None
        assert record["Id"] == full
        assert snapshot.names([short])[short][0] == "Contact"
    assert ids(snapshot, "Contact", Compare("Id", "eq", "003290000004gny")) == []


@pytest.mark.parametrize("word", ["ALVAREZ", "álvarez", "a\u0301lvarez"])
def test_capitals_and_accents_do_not_count(snapshot: Snapshot, word: str) -> None:
    """P-51: one rule in filters, whatever way an accent is written."""
    accounts = ids(snapshot, "Account", Compare("LastName", "eq", word))
    assert len(accounts) == 4
    assert ids(snapshot, "Account", Compare("PersonEmail", "eq", "fred3@EXAMPLE.TEST"))


def test_date_words_are_ranges_in_the_snapshots_zone(tmp_path: Path) -> None:
    """P-46, P-47: start included, end excluded; a plain date is never shifted by a zone."""
    denver = small_snapshot(tmp_path, zone="America/Denver")
    january = denver.count(
        QuerySpec("Case", where=Compare("CreatedDate", "eq", DateRange("last_month"))), date(2024, 2, 5)
    )
    starts, ends = datetime(2024, 1, 1, 7, tzinfo=UTC), datetime(2024, 2, 1, 7, tzinfo=UTC)
    created = [row["CreatedDate"] for row in denver.records("Case")]
    assert january == sum(starts <= moment < ends for moment in created) > 0
    assert datetime(2024, 2, 1, 0, 0, tzinfo=UTC) in [moment for moment in created if moment < ends]
    due = QuerySpec("Order", where=Compare("EffectiveDate", "eq", DateRange("today")))
    assert denver.count(due, date(2024, 2, 29)) == 1
    assert denver.count(due, date(2024, 2, 28)) == 0


@pytest.mark.parametrize(
    ("where", "code"),
    [
        (Compare("Nonsense", "eq", "x"), "INVALID_FIELD"),
        (Compare("Account.Nonsense", "eq", "x"), "INVALID_FIELD"),
        (Compare("Subject.Name", "eq", "x"), "INVALID_FIELD"),
        (Compare("Description", "contains", "x"), "INVALID_FIELD"),
        (Compare("CreatedDate", "eq", "soon"), "INVALID_QUERY_VALUE"),
        (Compare("CreatedDate", "eq", datetime(2024, 1, 1)), "INVALID_QUERY_VALUE"),
        (Compare("CreatedDate", "eq", DateRange("last_n_days")), "INVALID_QUERY_VALUE"),
        (Compare("CreatedDate", "eq", DateRange("last_n_years", 99_999)), "INVALID_QUERY_VALUE"),
        (Compare("CreatedDate", "contains", "2024"), "INVALID_QUERY_FILTER_OPERATOR"),
        (Compare("OrderItem.UnitPrice", "gt", "dear"), "INVALID_QUERY_VALUE"),
        (Compare("OrderItem.UnitPrice", "gt", float("nan")), "INVALID_QUERY_VALUE"),
        (Compare("OrderItem.Product2.IsActive", "gt", True), "INVALID_QUERY_FILTER_OPERATOR"),
        (Compare("Subject", "eq", 5), "INVALID_QUERY_VALUE"),
        (Compare("CreatedDate", "gt", None), "INVALID_QUERY_VALUE"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_says_so(snapshot: Snapshot, where: Compare, code: str) -> None:
    with pytest.raises(QueryError) as caught:
        snapshot.run(QuerySpec("Case", ("Id",), where), TODAY)
    assert caught.value.code == code
    assert caught.value.message
    assert caught.value.place


def test_whole_numbers_beyond_2_to_the_53_are_told_apart(tmp_path: Path) -> None:
    """As a number, as a text of an address and as SOQL: none of them goes by way of a broken number."""
    tables, numbers = small_tables(), [2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1]
    for account, number in zip(tables["Account"], numbers, strict=False):
        account["NumberOfEmployees"] = number
    snapshot = open_snapshot(write_snapshot(tmp_path / "o.sqlite", small_registry(), tables, today=TODAY).path)
    for account, number in zip(tables["Account"], numbers, strict=False):
        for value in (number, str(number), f" +{number}"):
            spec = QuerySpec("Account", where=Compare("NumberOfEmployees", "eq", value))
            assert snapshot.run(spec, TODAY).rows == [(account["Id"],)], value
        text = f"SELECT Id FROM Account WHERE NumberOfEmployees = {number}"
        assert run_soql(snapshot, text, TODAY).rows == [(account["Id"],)]


def test_the_least_and_greatest_text_are_those_that_sorting_gives(tmp_path: Path) -> None:
    """Also beside texts with line ends and tabs, which come before any mark between two texts."""
    tables, texts = small_tables(), ["ab\nc", "AB", "ab\tc", "ab\x1fc"]
    for issue, text in zip(tables["Issue__c"], texts, strict=True):
        issue["Name"] = text
    snapshot = open_snapshot(write_snapshot(tmp_path / "o.sqlite", small_registry(), tables, today=TODAY).path)
    ordered = [row[0] for row in snapshot.run(QuerySpec("Issue__c", ("Name",), order=(Order("Name"),)), TODAY).rows]
    both = QuerySpec("Issue__c", measures=(Measure("min", "Name"), Measure("max", "Name")))
    assert snapshot.run(both, TODAY).rows == [(ordered[0], ordered[-1])] == [("AB", "ab\x1fc")]
