"""SOQL against SQL written by hand over the same records. The today is 2024-03-31, the zone UTC."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.soql import conditions, run_soql
from tests.sandbox.small_org import TODAY, small_snapshot
from tests.sandbox.soql_oracle import oracle, stored

CLOSED = "plain(c.Status) = 'closed'"
PAIRS: list[tuple[str, str]] = [
    ("SELECT Id FROM Case", "SELECT Id FROM \"Case\" ORDER BY Id"),
    ("select ID, subject from CASE limit 5", 'SELECT Id, Subject FROM "Case" ORDER BY Id LIMIT 5'),
    ("SELECT Id FROM Case WHERE Status = 'CLOSED'", f'SELECT Id FROM "Case" c WHERE {CLOSED} ORDER BY Id'),
    (
        "SELECT Id FROM Case WHERE Status != 'closed'",
        f'SELECT Id FROM "Case" c WHERE NOT {CLOSED} OR Status IS NULL ORDER BY Id',
    ),
    (
        "SELECT Id FROM Case WHERE Priority <> 'High'",
        'SELECT Id FROM "Case" WHERE Priority IS NULL OR Priority <> \'High\' ORDER BY Id',
    ),
    (
        "SELECT Id FROM Case WHERE Priority = null AND AccountId != NULL",
        'SELECT Id FROM "Case" WHERE Priority IS NULL AND AccountId IS NOT NULL ORDER BY Id',
    ),
    (
        "SELECT Id FROM Case WHERE Priority IN ('high', null)",
        'SELECT Id FROM "Case" WHERE Priority = \'High\' OR Priority IS NULL ORDER BY Id',
    ),
    (
        "SELECT Id FROM Case WHERE Priority NOT IN ('High')",
        'SELECT Id FROM "Case" WHERE Priority IS NULL OR Priority <> \'High\' ORDER BY Id',
    ),
    (
        "SELECT Id FROM Case WHERE NOT Priority = 'High'",
        'SELECT Id FROM "Case" WHERE Priority IS NULL OR Priority <> \'High\' ORDER BY Id',
    ),
    (
        "SELECT Id FROM Case WHERE (Status = 'New' OR Priority = 'Low') AND NOT (ContactId = null)",
        "SELECT Id FROM \"Case\" WHERE (Status = 'New' OR Priority = 'Low') AND ContactId IS NOT NULL ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE Name = 'alvarez'",
        "SELECT Id FROM Account WHERE plain(Name) = 'alvarez' ORDER BY Id",
    ),
    (
        "SELECT Id, Name FROM Account WHERE Name LIKE '%DELL%'",
        "SELECT Id, Name FROM Account WHERE instr(plain(Name), 'dell') > 0 ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE Name LIKE 'zoë%'",
        "SELECT Id FROM Account WHERE substr(plain(Name), 1, 3) = 'zoe' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE LastName LIKE 'A\\_B'",
        "SELECT Id FROM Account WHERE LastName = 'A_B' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE LastName LIKE '%\\%%'",
        "SELECT Id FROM Account WHERE instr(LastName, '%') > 0 ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE LastName LIKE '_g'",
        "SELECT Id FROM Account WHERE length(LastName) = 2 AND substr(LastName, 2) = 'g' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE NOT LastName LIKE '%a%'",
        "SELECT Id FROM Account WHERE instr(plain(LastName), 'a') = 0 ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE LastName = 'O\\'Dell'",
        "SELECT Id FROM Account WHERE LastName = 'O''Dell' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE LastName = 'back\\\\slash'",
        "SELECT Id FROM Account WHERE LastName = 'back\\slash' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE LastName = '\\u0041_B'",
        "SELECT Id FROM Account WHERE LastName = 'A_B' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Account WHERE NumberOfEmployees >= 35 AND NumberOfEmployees < 7e1",
        "SELECT Id FROM Account WHERE NumberOfEmployees >= 35 AND NumberOfEmployees < 70 ORDER BY Id",
    ),
    (
        "SELECT Id FROM OrderItem WHERE UnitPrice > 9.5 AND UnitPrice <= +20",
        "SELECT Id FROM OrderItem WHERE UnitPrice > 9.5 AND UnitPrice <= 20 ORDER BY Id",
    ),
    ("SELECT Id FROM Product2 WHERE IsActive = TRUE", "SELECT Id FROM Product2 WHERE IsActive = 1 ORDER BY Id"),
    ("SELECT Id FROM Product2 WHERE IsActive != true", "SELECT Id FROM Product2 WHERE IsActive = 0 ORDER BY Id"),
    (
        "SELECT Id FROM Case WHERE CreatedDate = 2024-02-29",
        "SELECT Id FROM \"Case\" WHERE substr(CreatedDate, 1, 10) = '2024-02-29' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate >= 2024-02-01T00:00:00Z",
        "SELECT Id FROM \"Case\" WHERE CreatedDate >= '2024-02-01 00:00:00.000' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate < 2024-02-01T02:00:00+02:00",
        "SELECT Id FROM \"Case\" WHERE CreatedDate < '2024-02-01 00:00:00.000' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate = 2024-01-31T23:59:59.999Z",
        "SELECT Id FROM \"Case\" WHERE CreatedDate = '2024-01-31 23:59:59.999' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Order WHERE EffectiveDate > 2023-12-31 ORDER BY EffectiveDate DESC",
        "SELECT Id FROM \"Order\" WHERE EffectiveDate > '2023-12-31' ORDER BY EffectiveDate DESC, Id",
    ),
    (
        "SELECT Id FROM Order WHERE EffectiveDate IN (2024-02-29, 2024-02-20)",
        "SELECT Id FROM \"Order\" WHERE EffectiveDate IN ('2024-02-29', '2024-02-20') ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate = THIS_MONTH",
        "SELECT Id FROM \"Case\" WHERE CreatedDate >= '2024-03-01' AND CreatedDate < '2024-04-01' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate < LAST_QUARTER",
        "SELECT Id FROM \"Case\" WHERE CreatedDate < '2023-10-01' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate = LAST_N_MONTHS:2",
        "SELECT Id FROM \"Case\" WHERE CreatedDate >= '2024-01-01' AND CreatedDate < '2024-03-01' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE ClosedDate != THIS_YEAR",
        "SELECT Id FROM \"Case\" WHERE ClosedDate IS NULL OR ClosedDate < '2024-01-01' OR ClosedDate >= '2025-01-01' "
        "ORDER BY Id",
    ),
    (
        "SELECT Id, Account.Name, Account.ShippingState FROM Case WHERE Account.ShippingState = 'il'",
        'SELECT c.Id, a.Name, a.ShippingState FROM "Case" c JOIN Account a ON a.Id = c.AccountId '
        "WHERE plain(a.ShippingState) = 'il' ORDER BY c.Id",
    ),
    (
        "SELECT Id FROM Case WHERE Account.ShippingState != 'IL'",
        'SELECT c.Id FROM "Case" c LEFT JOIN Account a ON a.Id = c.AccountId '
        "WHERE a.ShippingState IS NULL OR plain(a.ShippingState) <> 'il' ORDER BY c.Id",
    ),
    (
        "SELECT Id, OrderItem__r.Product2.Name, IssueId__r.Name FROM Case WHERE OrderItemId__r.Order.Status = 'Draft'",
        'SELECT c.Id, p.Name, i.Name FROM "Case" c JOIN OrderItem oi ON oi.Id = c.OrderItemId__c '
        'JOIN "Order" o ON o.Id = oi.OrderId LEFT JOIN Product2 p ON p.Id = oi.Product2Id '
        "LEFT JOIN Issue__c i ON i.Id = c.IssueId__c WHERE o.Status = 'Draft' ORDER BY c.Id",
    ),
    (
        "SELECT c.Id, a.Name FROM Case c, c.Account a WHERE a.NumberOfEmployees > 100",
        'SELECT c.Id, a.Name FROM "Case" c JOIN Account a ON a.Id = c.AccountId '
        "WHERE a.NumberOfEmployees > 100 ORDER BY c.Id",
    ),
    (
        "SELECT Case.Id FROM Case AS k WHERE k.Owner.Alias = 'ag3'",
        'SELECT c.Id FROM "Case" c JOIN User u ON u.Id = c.OwnerId WHERE u.Alias = \'ag3\' ORDER BY c.Id',
    ),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case WHERE Status = 'New')",
        'SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM "Case" WHERE Status = \'New\') ORDER BY Id',
    ),
    (
        "SELECT Id FROM Account WHERE Id NOT IN (SELECT AccountId FROM Case WHERE Status = 'Working')",
        "SELECT Id FROM Account WHERE Id NOT IN "
        "(SELECT AccountId FROM \"Case\" WHERE Status = 'Working' AND AccountId IS NOT NULL) ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE AccountId NOT IN (SELECT Id FROM Account WHERE ShippingState = 'NY')",
        'SELECT Id FROM "Case" WHERE AccountId IS NULL OR AccountId NOT IN '
        "(SELECT Id FROM Account WHERE ShippingState = 'NY') ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE Priority = 'High' OR OwnerId IN (SELECT Id FROM User WHERE Alias = 'ag1')",
        "SELECT Id FROM \"Case\" WHERE Priority = 'High' OR OwnerId IN (SELECT Id FROM User WHERE Alias = 'ag1') "
        "ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE CALENDAR_YEAR(CreatedDate) = 2023 AND CALENDAR_MONTH(CreatedDate) IN (11, 12)",
        "SELECT Id FROM \"Case\" WHERE substr(CreatedDate, 1, 4) = '2023' AND "
        "substr(CreatedDate, 6, 2) IN ('11', '12') "
        "ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE DAY_ONLY(CreatedDate) >= 2024-02-29",
        "SELECT Id FROM \"Case\" WHERE substr(CreatedDate, 1, 10) >= '2024-02-29' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE DAY_IN_WEEK(CreatedDate) = 1",
        "SELECT Id FROM \"Case\" WHERE strftime('%w', CreatedDate) = '0' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE HOUR_IN_DAY(convertTimezone(CreatedDate)) >= 20",
        "SELECT Id FROM \"Case\" WHERE substr(CreatedDate, 12, 2) >= '20' ORDER BY Id",
    ),
    (
        "SELECT Id FROM Case WHERE DAY_IN_MONTH(CreatedDate) > 29 OR DAY_IN_YEAR(CreatedDate) = 60",
        "SELECT Id FROM \"Case\" WHERE substr(CreatedDate, 9, 2) > '29' "
        "OR strftime('%j', CreatedDate) = '060' ORDER BY Id",
    ),
    (
        "SELECT Id, ClosedDate FROM Case ORDER BY ClosedDate, Id DESC",
        'SELECT Id, ClosedDate FROM "Case" ORDER BY ClosedDate ASC NULLS FIRST, Id DESC',
    ),
    (
        "SELECT Id FROM Case ORDER BY ClosedDate DESC",
        'SELECT Id FROM "Case" ORDER BY ClosedDate DESC NULLS FIRST, Id',
    ),
    (
        "SELECT Id FROM Case ORDER BY ClosedDate DESC NULLS LAST LIMIT 7 OFFSET 3",
        'SELECT Id FROM "Case" ORDER BY ClosedDate DESC NULLS LAST, Id LIMIT 7 OFFSET 3',
    ),
    (
        "SELECT Id FROM Case ORDER BY Account.Name NULLS LAST, Subject DESC LIMIT 30",
        'SELECT c.Id FROM "Case" c LEFT JOIN Account a ON a.Id = c.AccountId '
        "ORDER BY plain(a.Name) NULLS LAST, plain(c.Subject) DESC, c.Id LIMIT 30",
    ),
    (
        "SELECT Id FROM Case ORDER BY CALENDAR_MONTH(CreatedDate) DESC LIMIT 12",
        'SELECT Id FROM "Case" ORDER BY substr(CreatedDate, 6, 2) DESC, Id LIMIT 12',
    ),
    ("SELECT toLabel(Status), FORMAT(CreatedDate) FROM Case", 'SELECT Status, CreatedDate FROM "Case" ORDER BY Id'),
    ("SELECT FIELDS(ALL) FROM Issue__c LIMIT 200", "SELECT Id, Name, Description__c FROM Issue__c ORDER BY Id"),
    ("SELECT FIELDS(STANDARD) FROM Issue__c", "SELECT Id, Name FROM Issue__c ORDER BY Id"),
    ("SELECT Id, FIELDS(CUSTOM) FROM Issue__c LIMIT 9", "SELECT Id, Description__c FROM Issue__c ORDER BY Id"),
    # groups
    ("SELECT COUNT(Id), COUNT(ClosedDate), COUNT_DISTINCT(OwnerId) FROM Case",
     'SELECT count(*), count(ClosedDate), count(DISTINCT OwnerId) FROM "Case"'),
    (
        "SELECT COUNT_DISTINCT(Status) FROM Case",
        'SELECT count(DISTINCT plain(Status)) FROM "Case"',
    ),
    (
        "SELECT SUM(Quantity), AVG(UnitPrice), MIN(UnitPrice), MAX(UnitPrice) FROM OrderItem WHERE Quantity > 1",
        "SELECT sum(Quantity), avg(UnitPrice), min(UnitPrice), max(UnitPrice) FROM OrderItem WHERE Quantity > 1",
    ),
    ("SELECT MIN(CreatedDate), MAX(CreatedDate) FROM Case", 'SELECT min(CreatedDate), max(CreatedDate) FROM "Case"'),
    (
        "SELECT OwnerId, COUNT(Id) n FROM Case GROUP BY OwnerId ORDER BY COUNT(Id) DESC, OwnerId",
        'SELECT OwnerId, count(*) FROM "Case" GROUP BY OwnerId ORDER BY count(*) DESC, OwnerId',
    ),
    (
        "SELECT COUNT(Id), Priority FROM Case GROUP BY Priority ORDER BY Priority",
        'SELECT count(*), Priority FROM "Case" GROUP BY Priority ORDER BY Priority NULLS FIRST',
    ),
    (
        "SELECT Priority, COUNT(ClosedDate) FROM Case GROUP BY Priority ORDER BY Priority DESC NULLS LAST",
        'SELECT Priority, count(ClosedDate) FROM "Case" GROUP BY Priority ORDER BY Priority DESC NULLS LAST',
    ),
    (
        "SELECT Account.ShippingState s, COUNT(Id) n FROM Case WHERE Account.ShippingState IN ('CA', 'NY', 'TX') "
        "GROUP BY Account.ShippingState HAVING COUNT(Id) > 8 ORDER BY s",
        'SELECT a.ShippingState, count(*) FROM "Case" c JOIN Account a ON a.Id = c.AccountId '
        "WHERE a.ShippingState IN ('CA', 'NY', 'TX') GROUP BY a.ShippingState HAVING count(*) > 8 ORDER BY 1",
    ),
    (
        "SELECT CALENDAR_YEAR(CreatedDate), CALENDAR_QUARTER(CreatedDate) q, COUNT(Id) FROM Case "
        "GROUP BY CALENDAR_YEAR(CreatedDate), CALENDAR_QUARTER(CreatedDate) "
        "ORDER BY CALENDAR_YEAR(CreatedDate), CALENDAR_QUARTER(CreatedDate)",
        "SELECT CAST(substr(CreatedDate, 1, 4) AS INT), (CAST(substr(CreatedDate, 6, 2) AS INT) + 2) / 3, count(*) "
        'FROM "Case" GROUP BY 1, 2 ORDER BY 1, 2',
    ),
    (
        "SELECT CALENDAR_MONTH(CreatedDate), COUNT(Id) FROM Case GROUP BY CALENDAR_MONTH(CreatedDate) "
        "HAVING CALENDAR_MONTH(CreatedDate) >= 7 AND COUNT(Id) > 1 "
        "ORDER BY COUNT(Id) DESC, CALENDAR_MONTH(CreatedDate)",
        'SELECT CAST(substr(CreatedDate, 6, 2) AS INT) m, count(*) FROM "Case" GROUP BY 1 '
        "HAVING m >= 7 AND count(*) > 1 ORDER BY 2 DESC, 1",
    ),
    (
        "SELECT OwnerId FROM Case GROUP BY OwnerId HAVING COUNT(Id) > 11 OR (MAX(CreatedDate) < 2024-03-15 AND "
        "NOT COUNT_DISTINCT(AccountId) < 5)",
        'SELECT OwnerId FROM "Case" GROUP BY OwnerId HAVING count(*) > 11 OR (max(CreatedDate) < \'2024-03-15\' AND '
        "NOT count(DISTINCT AccountId) < 5) ORDER BY OwnerId",
    ),
    (
        "SELECT OwnerId, AVG(OrderItem__r.UnitPrice) FROM Case GROUP BY OwnerId ORDER BY AVG(OrderItem__r.UnitPrice) "
        "LIMIT 3",
        'SELECT c.OwnerId, avg(o.UnitPrice) FROM "Case" c LEFT JOIN OrderItem o ON o.Id = c.OrderItemId__c '
        "GROUP BY 1 ORDER BY 2 LIMIT 3",
    ),
    (
        "SELECT Priority FROM Case GROUP BY Priority HAVING Priority LIKE 'h%' OR Priority = null ORDER BY Priority",
        'SELECT Priority FROM "Case" GROUP BY Priority HAVING Priority LIKE \'h%\' OR Priority IS NULL '
        "ORDER BY Priority NULLS FIRST",
    ),
    (
        "SELECT NewValue__c, COUNT(Id) FROM CaseHistory__c WHERE Field__c = 'Owner Assignment' AND "
        "Case__r.CreatedDate >= LAST_N_MONTHS:6 GROUP BY NewValue__c HAVING COUNT(Id) >= 2 "
        "ORDER BY COUNT(Id), NewValue__c",
        'SELECT h.NewValue__c, count(*) FROM CaseHistory__c h JOIN "Case" c ON c.Id = h.CaseId__c '
        "WHERE h.Field__c = 'Owner Assignment' AND c.CreatedDate >= '2023-09-01' GROUP BY 1 HAVING count(*) >= 2 "
        "ORDER BY 2, 1",
    ),
    (
        "SELECT DAY_ONLY(CreatedDate) d, COUNT(Id) FROM Case GROUP BY DAY_ONLY(CreatedDate) HAVING COUNT(Id) > 1",
        'SELECT substr(CreatedDate, 1, 10), count(*) FROM "Case" GROUP BY 1 HAVING count(*) > 1 ORDER BY 1',
    ),
]  # fmt: skip
COUNTS: list[tuple[str, str]] = [
    ("SELECT COUNT() FROM Case", 'SELECT count(*) FROM "Case"'),
    ("SELECT COUNT() FROM Case WHERE ClosedDate = null", 'SELECT count(*) FROM "Case" WHERE ClosedDate IS NULL'),
    (
        "SELECT COUNT() FROM CaseHistory__c WHERE CaseId__c IN (SELECT Id FROM Case WHERE Status = 'New')",
        "SELECT count(*) FROM CaseHistory__c WHERE CaseId__c IN (SELECT Id FROM \"Case\" WHERE Status = 'New')",
    ),
    ("SELECT COUNT() FROM Case LIMIT 12", "SELECT 12"),
    ("SELECT COUNT() FROM Case OFFSET 65", "SELECT 5"),
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("soql")))


@pytest.fixture(scope="module")
def by_hand() -> sqlite3.Connection:
    return oracle()


def answer(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(stored(value) for value in row) for row in rows]


@pytest.mark.parametrize(("soql", "sql"), PAIRS, ids=[soql[:70] for soql, _ in PAIRS])
def test_soql_differential(snapshot: Snapshot, by_hand: sqlite3.Connection, soql: str, sql: str) -> None:
    result = run_soql(snapshot, soql, TODAY)
    expected = by_hand.execute(sql).fetchall()
    assert expected, "a pair that finds nothing shows nothing"
    assert answer(result.rows) == answer(expected)
    assert result.done
    assert result.total_size == len(expected)


@pytest.mark.parametrize(("soql", "sql"), COUNTS, ids=[soql[:70] for soql, _ in COUNTS])
def test_soql_count_differential(snapshot: Snapshot, by_hand: sqlite3.Connection, soql: str, sql: str) -> None:
    result = run_soql(snapshot, soql, TODAY)
    assert (result.total_size, result.rows) == (by_hand.execute(sql).fetchone()[0], [])


def test_a_damaged_operator_is_noticed_by_the_differential_tests(
    snapshot: Snapshot, by_hand: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof can fail: with one sign read as another, the pairs that use it differ."""
    monkeypatch.setitem(conditions._SIGNS, "<", "le")
    monkeypatch.setitem(conditions._SIGNS, "!=", "eq")
    differ = [
        soql
        for soql, sql in PAIRS
        if answer(run_soql(snapshot, soql, TODAY).rows) != answer(by_hand.execute(sql).fetchall())
    ]
    assert len(differ) >= 6


def test_soql_child_rows_differential(snapshot: Snapshot, by_hand: sqlite3.Connection) -> None:
    soql = (
        "SELECT Id, (SELECT Id, Subject FROM Cases WHERE Status = 'New' ORDER BY CreatedDate DESC LIMIT 2) "
        "FROM Account WHERE NumberOfEmployees < 50"
    )
    result = run_soql(snapshot, soql, TODAY)
    assert result.children == {"Cases": ("Id", "Subject")}
    inner = (
        "SELECT Id, Subject FROM \"Case\" WHERE AccountId = ? AND Status = 'New' ORDER BY CreatedDate DESC, Id LIMIT 2"
    )
    accounts = by_hand.execute("SELECT Id FROM Account WHERE NumberOfEmployees < 50 ORDER BY Id").fetchall()
    expected = [(one, tuple(by_hand.execute(inner, (one,)).fetchall())) for (one,) in accounts]
    assert result.rows == expected
    assert any(rows for _, rows in expected)
