"""Names: capitals do not count; keywords are names where no keyword can stand; all spellings of a relationship."""

from __future__ import annotations

from pathlib import Path

import pytest

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.soql import SoqlError, run_soql
from tests.sandbox.small_org import TODAY, small_snapshot

WORDS = [
    "From",
    "Where",
    "Limit",
    "Order",
    "Group",
    "Having",
    "Count",
    "First",
    "Last",
    "Asc",
    "End",
    "Fields",
    "Like",
    "Null",
]


@pytest.fixture(scope="module")
def keywords(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """An object called Select whose fields are called like keywords."""
    fields = (
        FieldDef("Id", "id", "Id"),
        *(FieldDef(word, "string", word) for word in WORDS),
        FieldDef("Not__c", "number", "N"),
    )
    registry = Registry((ObjectDef("Select", "Select", "Selects", "a99", fields, "From"),))
    records = [
        {"Id": make_id("a99", n), **{word: f"{word}{n}" for word in WORDS}, "Not__c": float(n)} for n in range(3)
    ]
    folder = Path(tmp_path_factory.mktemp("words"))
    return open_snapshot(write_snapshot(folder / "k.sqlite", registry, {"Select": records}, today=TODAY).path)


@pytest.mark.parametrize("word", WORDS)
def test_keywords_are_names_where_no_keyword_can_stand(keywords: Snapshot, word: str) -> None:
    text = f"SELECT Id, {word} FROM Select WHERE {word} = '{word}1' OR NOT__C > 5 ORDER BY {word} DESC LIMIT 2"
    assert [row[1] for row in run_soql(keywords, text, TODAY).rows] == [f"{word}1"]
    text = f"SELECT {word.upper()}, COUNT(Id) FROM Select GROUP BY {word} HAVING MAX({word}) > 'a' ORDER BY {word}"
    assert run_soql(keywords, text, TODAY).columns == (word, "expr0")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT Id FROM Case WHERE Account.Name = '50% off'",
        "select id from case where ACCOUNT.NAME = '50% off'",
        "SELECT c.Id FROM Case c WHERE c.Account.Name = '50% off'",
        "SELECT C.ID FROM Case AS c WHERE Case.Account.Name = '50% off'",
        "SELECT Case.Id FROM Case WHERE Case.Account.Name = '50% off'",
        "SELECT k.Id FROM Case k, k.Account a WHERE a.Name = '50% off'",
        "SELECT Id FROM Case WHERE AccountId.Name = '50% off'",
        "SELECT\n\tId\r\nFROM\tCase\nWHERE(Account.Name='50% off')",
        "SELECT Id FROM Case USING SCOPE everything WHERE Account.Name = '50% off' WITH SECURITY_ENFORCED "
        "FOR VIEW FOR REFERENCE",
        "SELECT Id FROM Case WHERE Account.Name = '50% off' ALL ROWS",
    ],
)
def test_one_question_in_many_spellings(text: str, snapshot: Snapshot) -> None:
    rows = run_soql(snapshot, text, TODAY).rows
    assert rows == run_soql(snapshot, "SELECT Id FROM Case WHERE Account.Name IN ('50% OFF')", TODAY).rows
    assert rows


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("names")))


@pytest.mark.parametrize("step", ["IssueId__r", "Issue__r", "Issue", "issueid__R", "IssueId__c"])
def test_a_custom_lookup_in_all_its_names(snapshot: Snapshot, step: str) -> None:
    result = run_soql(snapshot, f"SELECT {step}.Name FROM Case LIMIT 2", TODAY)
    assert result.columns == ("Issue__r.Name",)
    assert result.rows[1] == ("Screen cracked",)


@pytest.mark.parametrize(
    "name", ["CaseHistories__r", "casehistories__R", "CaseHistory__cs", "Case.CaseHistories__r", "c.CaseHistories__r"]
)
def test_a_child_relationship_in_all_its_names(snapshot: Snapshot, name: str) -> None:
    text = f"SELECT Id, (SELECT Field__c FROM {name} ORDER BY CreatedDate LIMIT 1) FROM Case c LIMIT 2"
    result = run_soql(snapshot, text, TODAY)
    assert [row[1] for row in result.rows] == [(("Case Creation",),)] * 2


def test_unnamed_aggregates_are_numbered_past_the_named_ones(snapshot: Snapshot) -> None:
    text = "SELECT COUNT(Id), MAX(CreatedDate) newest, CALENDAR_YEAR(CreatedDate), MIN(Subject) FROM Case GROUP BY "
    result = run_soql(snapshot, text + "CALENDAR_YEAR(CreatedDate)", TODAY)
    assert result.columns == ("expr0", "newest", "expr1", "expr2")
    assert result.types == ("integer", "datetime", "integer", "string")


def test_a_path_goes_up_five_lookups_and_no_further(snapshot: Snapshot) -> None:
    up = "Case.OrderItem__r.Order.Account"
    assert run_soql(snapshot, f"SELECT {up}.Name FROM CaseHistory__c LIMIT 1", TODAY).total_size == 1
    with pytest.raises(SoqlError, match="5 lookups"):
        run_soql(snapshot, f"SELECT {up}.a.b.Name FROM CaseHistory__c", TODAY)
