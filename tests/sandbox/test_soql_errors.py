"""Every fault of a query text has a code that people who write queries know, and its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.soql import SoqlError, run_soql, run_sosl
from tests.sandbox.small_org import TODAY, small_snapshot

# ^ stands where the fault is; it is taken out before the text is asked.
MALFORMED = [
    "SELECT Id ^FORM Case",
    "SELECT Id FROM Case WHERE Status = 'New' ^LIMT 5",
    'SELECT Id FROM Case WHERE Status = ^"New"',
    "SELECT Id FROM Case WHERE Status = ^New",
    "SELECT Id FROM Case WHERE Status = ^'New",
    "SELECT Id FROM Case WHERE Status = 'a' AND Priority = 'b' ^OR Priority = 'c'",
    "SELECT Id FROM Case WHERE Status = 'a' OR Priority = 'b' ^AND Priority = 'c'",
    "SELECT Id FROM Case WHERE Status =^",
    "SELECT Id FROM Case WHERE (Status = 'a'^",
    "SELECT^",
    "SELECT Id FROM Case^; DROP TABLE Case",
    "SELECT ^* FROM Case",
    "^UPDATE Case SET Status = 'x'",
    "SELECT Id FROM Case LIMIT ^-1",
    "SELECT Id FROM Case LIMIT ^1.5",
    "SELECT Id FROM Case WHERE Id = ^:caseId",
    "SELECT Id FROM Case WHERE Subject = 'a^\\qb'",
    "SELECT Id FROM Case WHERE CreatedDate > ^2024-02-30",
    "SELECT Id FROM Case WHERE CreatedDate > ^2024-02-01T00:00:00",
    "SELECT Id FROM Case WHERE CreatedDate > ^2024-02-01T25:00:00Z",
    "SELECT Id FROM Case WHERE CreatedDate = ^LAST_N_DAYS",
    "SELECT Id FROM Case WHERE CreatedDate = ^TODAY:3",
    "SELECT Id FROM OrderItem WHERE UnitPrice > ^USD5000",
    "SELECT Id, TYPEOF ^Owner WHEN User THEN Name END FROM Case",
    "SELECT Status, ^Priority FROM Case GROUP BY Status",
    "SELECT COUNT(Id), ^Status FROM Case",
    "SELECT COUNT(Id) FROM Case GROUP BY ^ROLLUP(Status)",
    "SELECT COUNT(Id) FROM Case GROUP BY ^CUBE(Status, Priority)",
    "SELECT COUNT(Id) FROM Case GROUP BY ^Description",
    "SELECT COUNT(Id) n, ^COUNT(OwnerId) n FROM Case",
    "SELECT ^Id caseId FROM Case",
    "SELECT ^COUNT(), Id FROM Case",
    "SELECT ^AVG(Subject) FROM Case",
    "SELECT ^NOPE(Subject) FROM Case",
    "SELECT ^CALENDAR_YEAR(CreatedDate) FROM Case",
    "SELECT Id FROM Case WHERE ^COUNT(Id) > 3",
    "SELECT Id FROM Case ORDER BY ^Description",
    "SELECT ^FIELDS(ALL) FROM Case",
    "SELECT ^FIELDS(CUSTOM) FROM Case LIMIT 201",
    "SELECT ^FIELDS(SOME) FROM Case LIMIT 2",
    "SELECT Id, (SELECT ^Id, (SELECT Id FROM Contacts) FROM Cases) FROM Account",
    "SELECT Id FROM Case WITH ^DATA CATEGORY a",
    "SELECT Id FROM Case USING SCOPE ^mine",
    "SELECT Id FROM Account WHERE Id IN (SELECT ^Id, Name FROM Case)",
    "SELECT Id FROM Account WHERE Id IN (SELECT ^AccountId FROM Case LIMIT 5)",
]
CODED = [
    ("INVALID_TYPE", "SELECT Id FROM ^Cse"),
    ("INVALID_TYPE", "SELECT Id, (SELECT Id FROM ^Csaes) FROM Account"),
    ("INVALID_TYPE", "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM ^Cas)"),
    ("INVALID_FIELD", "SELECT ^Subjct FROM Case"),
    ("INVALID_FIELD", "SELECT Id FROM Case WHERE ^Account.Nme = 'x'"),
    ("INVALID_FIELD", "SELECT ^Acount.Name FROM Case"),
    ("INVALID_FIELD", "SELECT ^Account FROM Case"),
    ("INVALID_FIELD", "SELECT Id FROM Case ORDER BY ^Nope"),
    ("INVALID_FIELD", "SELECT Id, Subject, ^Id FROM Case"),
    ("INVALID_FIELD", "SELECT Id FROM Case WHERE ^Description LIKE '%a%'"),
    ("INVALID_FIELD", "SELECT Id FROM Case WHERE ^Description != null"),
    ("INVALID_FIELD", "SELECT Id FROM Case WHERE Subject = ^5"),
    ("INVALID_FIELD", "SELECT Id FROM OrderItem WHERE UnitPrice = ^'5'"),
    ("INVALID_FIELD", "SELECT Id FROM Case WHERE CreatedDate = ^'2024-01-01'"),
    ("INVALID_FIELD", "SELECT Id FROM Case WHERE Subject = ^TODAY"),
    ("INVALID_FIELD", "SELECT Id FROM Order WHERE EffectiveDate = ^2024-01-01T00:00:00Z"),
    ("INVALID_FIELD", "SELECT Id FROM Product2 WHERE IsActive = ^'true'"),
    ("INVALID_FIELD", "SELECT Id FROM Case WHERE ^CALENDAR_YEAR(Subject) = 2024"),
    ("INVALID_FIELD", "SELECT Id FROM Order WHERE ^HOUR_IN_DAY(EffectiveDate) = 2"),
    ("INVALID_QUERY_FILTER_OPERATOR", "SELECT Id FROM Case WHERE Id = ^'abc'"),
    ("INVALID_QUERY_FILTER_OPERATOR", "SELECT Id FROM Case WHERE OwnerId LIKE ^'005%'"),
    ("INVALID_QUERY_FILTER_OPERATOR", "SELECT Id FROM Case WHERE CreatedDate LIKE ^'2024%'"),
    ("INVALID_QUERY_FILTER_OPERATOR", "SELECT Id FROM Product2 WHERE ^IsActive > true"),
    ("INVALID_QUERY_FILTER_OPERATOR", "SELECT Id FROM Case WHERE ^ClosedDate < null"),
    ("INVALID_QUERY_FILTER_OPERATOR", "SELECT Id FROM Case WHERE Status ^INCLUDES ('a;b')"),
    ("INVALID_QUERY_FILTER_OPERATOR", "SELECT Id FROM Case WHERE Status ^EXCLUDES ('a')"),
    ("NUMBER_OUTSIDE_VALID_RANGE", "SELECT Id FROM Case OFFSET ^2001"),
    ("NUMBER_OUTSIDE_VALID_RANGE", "SELECT Id FROM Case LIMIT ^99999999999"),
    ("NUMBER_OUTSIDE_VALID_RANGE", "SELECT Id FROM Case WHERE CreatedDate = ^LAST_N_DAYS:0"),
    ("NUMBER_OUTSIDE_VALID_RANGE", "SELECT Id FROM Case WHERE CreatedDate = ^N_DAYS_AGO:99999999"),
    ("NUMBER_OUTSIDE_VALID_RANGE", "SELECT Id FROM OrderItem WHERE UnitPrice > ^1e400"),
]
FOUND = [
    ("INVALID_SEARCH", "FIND {^*tent}"),
    ("INVALID_SEARCH", "FIND {^?ent}"),
    ("INVALID_SEARCH", "FIND {^a}"),
    ("INVALID_SEARCH", "FIND {^}"),
    ("INVALID_SEARCH", "FIND {tent AND^}"),
    ("INVALID_SEARCH", "FIND {^OR tent}"),
    ("INVALID_SEARCH", "FIND {tent ^NOT cold}"),
    ("INVALID_SEARCH", "FIND {(tent^}"),
    ("INVALID_SEARCH", "FIND {tent^)}"),
    ("INVALID_SEARCH", "FIND {tent ^\"cold}"),
    ("INVALID_TYPE", "FIND {tent} RETURNING ^Tents"),
    ("INVALID_FIELD", "FIND {tent} RETURNING Case(^Foo)"),
    ("INVALID_FIELD", "FIND {tent} RETURNING Case(^COUNT(Id))"),
    ("NUMBER_OUTSIDE_VALID_RANGE", "FIND {tent} LIMIT ^2001"),
    ("MALFORMED_QUERY", "FIND ^{tent"),
    ("MALFORMED_QUERY", "FIND ^tent"),
    ("MALFORMED_QUERY", "FIND {tent} IN ^ANY FIELDS"),
    ("MALFORMED_QUERY", "FIND {tent} RETURNING Case(Id^"),
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("errors")))


def fault(snapshot: Snapshot, marked: str) -> tuple[SoqlError, str, int]:
    at = marked.index("^")
    text = marked.replace("^", "", 1)
    with pytest.raises(SoqlError) as caught:
        (run_sosl if text.upper().startswith("FIND") else run_soql)(snapshot, text, TODAY)
    return caught.value, text, at


@pytest.mark.parametrize(
    ("code", "marked"), [("MALFORMED_QUERY", one) for one in MALFORMED] + CODED + FOUND, ids=lambda one: one[:60]
)
def test_a_fault_has_its_code_and_its_place(snapshot: Snapshot, code: str, marked: str) -> None:
    error, text, at = fault(snapshot, marked)
    assert (error.code, error.line, error.column) == (code, 1, at + 1), error.message
    shown, caret = error.excerpt.split("\n")
    under = caret.index("^")
    assert shown[:under] == text[max(0, at - under) : at]
    assert shown[under : under + 5] == text[at : at + 5]


def test_lines_and_columns_are_those_of_the_text(snapshot: Snapshot) -> None:
    with pytest.raises(SoqlError) as caught:
        run_soql(snapshot, "SELECT Id,\n\tSubject,\n\tNope\nFROM Case", TODAY)
    assert (caught.value.line, caught.value.column) == (3, 2)
    assert caught.value.excerpt == " Nope\n ^"


def test_the_excerpt_of_a_long_line_is_short(snapshot: Snapshot) -> None:
    text = "SELECT " + "Subject, " * 1 + " " * 5_000 + "Nope FROM Case" + " " * 5_000
    with pytest.raises(SoqlError) as caught:
        run_soql(snapshot, text, TODAY)
    shown, caret = caught.value.excerpt.split("\n")
    assert len(shown) < 100
    assert shown[caret.index("^") :].startswith("Nope")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("SELECT Id FROM Cases", "Did you mean Case?"),
        ("SELECT Statsu FROM Case", "Did you mean Status?"),
        ("SELECT Acount.Name FROM Case", "Did you mean Account?"),
        ("SELECT Id FORM Case", "Did you mean FROM?"),
        ("SELECT Id FROM Case WHER Id = null", "Did you mean WHERE?"),
        ("SELECT Id FROM Case WHERE CreatedDate = LAST_MOTH", "Did you mean LAST_MONTH?"),
        ("SELECT COUNTT(Id) FROM Case", "Did you mean COUNT?"),
        ("SELECT Id, (SELECT Id FROM Casess) FROM Account", "Did you mean Cases?"),
    ],
)
def test_nearly_right_names_get_a_suggestion(snapshot: Snapshot, text: str, wanted: str) -> None:
    with pytest.raises(SoqlError, match=wanted.replace("?", r"\?")):
        run_soql(snapshot, text, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "SELECT Id FROM Case WHERE " + "(" * 5_000 + "Id = null" + ")" * 5_000,
        "SELECT Id FROM Case WHERE " + "NOT " * 5_000 + "Id = null",
        "SELECT " + "FORMAT(" * 5_000 + "Id" + ")" * 5_000 + " FROM Case",
        "SELECT " + "(SELECT " * 5_000,
        "SELECT Id FROM Case WHERE Id IN " + "(SELECT Id FROM Case WHERE Id IN " * 500 + "('x')" + ")" * 500,
        "SELECT Id FROM Case WHERE " + " AND ".join(["Id = null"] * 5_000),
        "SELECT " + ", ".join(["Id"] * 5_000) + " FROM Case",
        "SELECT Id FROM Case WHERE Subject = '" + "x" * 100_001 + "'",
        "SELECT Id FROM Case WHERE Subject LIKE '%" + "_" * 9_000 + "'",
        "SELECT Id FROM Case WHERE CreatedDate IN (" + ", ".join(["TODAY"] * 900) + ")",
        "SELECT " + "a." * 300 + "Id FROM Case",
    ],
    ids=range(13),
)
def test_huge_and_deep_texts_get_an_answer_or_a_sentence(snapshot: Snapshot, text: str) -> None:
    """Never a RecursionError, and never a long wait."""
    if text.count("(") == 5_000 and "NOT" not in text and "FORMAT" not in text and "SELECT (" not in text:
        assert run_soql(snapshot, text, TODAY).total_size == 0  # parentheses alone nest nothing
        return
    with pytest.raises(SoqlError) as caught:
        run_soql(snapshot, text, TODAY)
    assert len(caught.value.message) < 300


def test_a_list_of_thousands_is_answered(snapshot: Snapshot) -> None:
    ids = ", ".join(f"'500Hy00000{n:05}'" for n in range(4_000))
    assert run_soql(snapshot, f"SELECT Id FROM Case WHERE Id IN ({ids})", TODAY).total_size == 18
