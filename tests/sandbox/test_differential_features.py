"""Each part of a query by name, against SQL written by hand or pandas on the same records."""

from __future__ import annotations

import sqlite3
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pytest

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.queryspec import (
    And,
    ChildRows,
    Compare,
    CompareFormula,
    Difference,
    Group,
    Having,
    InQuery,
    Measure,
    Not,
    Or,
    Order,
    Period,
    Product,
    QuerySpec,
    Quotient,
    Related,
)
from study.sandbox.engine.snapshot import Snapshot
from tests.sandbox.differential_org import differential_snapshot
from tests.sandbox.small_org import TODAY

NEW_YORK = ZoneInfo("America/New_York")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """Clocks of New York, fiscal years from February."""
    return differential_snapshot(Path(tmp_path_factory.mktemp("org")), zone="America/New_York", fiscal_start=2)


@pytest.fixture(scope="module")
def frames(snapshot: Snapshot) -> dict[str, pd.DataFrame]:
    return {name: pd.DataFrame(list(rows)) for name, rows in snapshot.tables()}


def by_hand(snapshot: Snapshot, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(snapshot.path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def found(snapshot: Snapshot, where: Any, name: str = "Case") -> list[str]:
    return [row[0] for row in snapshot.run(QuerySpec(name, ("Id",), where), TODAY).rows]


def assert_same(snapshot: Snapshot, where: Any, sql: str, name: str = "Case") -> None:
    wanted = [row[0] for row in by_hand(snapshot, sql)]
    assert 0 < len(wanted) < snapshot.counts[name]
    assert found(snapshot, where, name) == wanted


ASSIGNED = Compare("Field__c", "eq", "owner assignment")


@pytest.mark.parametrize(("op", "sign"), [("exactly", "="), ("at_least", ">="), ("at_most", "<=")])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_related_counts(snapshot: Snapshot, op: str, sign: str, n: int) -> None:
    if (op, n) in {("at_least", 0), ("at_most", 2)}:
        assert len(found(snapshot, Related("CaseHistory__c", "CaseId__c", op, n, ASSIGNED))) == 70
        return
    assert_same(
        snapshot, Related("CaseHistory__c", "CaseId__c", op, n, ASSIGNED),
        f"""SELECT c.Id FROM "Case" c LEFT JOIN CaseHistory__c h ON h.CaseId__c = c.Id
            AND h.Field__c = 'Owner Assignment' GROUP BY c.Id HAVING count(h.Id) {sign} {n} ORDER BY c.Id""",
    )  # fmt: skip


def test_related_records_with_related_records_of_their_own(snapshot: Snapshot) -> None:
    passed_on = Related("CaseHistory__c", "CaseId__c", "at_least", 2, ASSIGNED)
    assert_same(
        snapshot, Related("Case", "AccountId", "at_least", 2, passed_on),
        """SELECT a.Id FROM Account a WHERE (SELECT count(*) FROM "Case" c WHERE c.AccountId = a.Id AND
           (SELECT count(*) FROM CaseHistory__c h WHERE h.CaseId__c = c.Id AND h.Field__c = 'Owner Assignment') > 1) > 1
           ORDER BY a.Id""",
        "Account",
    )  # fmt: skip


def test_a_semi_join(snapshot: Snapshot) -> None:
    drafts = InQuery("AccountId", "Order", "AccountId", Compare("Status", "eq", "draft"))
    assert_same(
        snapshot, drafts,
        """SELECT DISTINCT c.Id FROM "Case" c JOIN "Order" o ON o.AccountId = c.AccountId AND o.Status = 'Draft'
           ORDER BY c.Id""",
    )  # fmt: skip


def test_an_anti_join_keeps_empty_fields_and_takes_no_notice_of_empty_values(snapshot: Snapshot) -> None:
    """P-52: the list holds empty values, some records have no account; both would empty a plain NOT IN."""
    drafts = InQuery("AccountId", "Task", "What:Case.AccountId", None, negated=True)
    assert by_hand(snapshot, "SELECT count(*) FROM Task WHERE WhatId IS NULL")[0][0]
    assert_same(
        snapshot, drafts,
        """SELECT c.Id FROM "Case" c WHERE NOT EXISTS (SELECT 1 FROM Task t JOIN "Case" d ON d.Id = t.WhatId
           WHERE d.AccountId = c.AccountId) ORDER BY c.Id""",
    )  # fmt: skip
    assert {None} < {row[0] for row in snapshot.run(QuerySpec("Case", ("AccountId",), drafts), TODAY).rows}


def test_a_semi_join_compares_texts_folded(snapshot: Snapshot) -> None:
    """P-51: Álvarez and ALVAREZ are one name."""
    owners = InQuery("LastName", "User", "LastName", Compare("LastName", "eq", "alvarez"))
    assert_same(
        snapshot, owners, "SELECT Id FROM Account WHERE LastName IN ('Álvarez', 'ALVAREZ') ORDER BY Id", "Account"
    )


def test_a_semi_join_is_of_values_of_one_kind(snapshot: Snapshot) -> None:
    with pytest.raises(QueryError) as caught:
        found(snapshot, InQuery("CreatedDate", "Order", "EffectiveDate"))
    assert caught.value.place == "CreatedDate"


def test_products_and_quotients(snapshot: Snapshot) -> None:
    spec = QuerySpec(
        "OrderItem",
        ("Id", Product("Quantity", "UnitPrice", "amount"), Quotient("UnitPrice", "Quantity")),
        CompareFormula(Product("Quantity", "UnitPrice"), "gt", 100),
        order=(Order("amount", descending=True),),
    )
    wanted = by_hand(
        snapshot,
        """SELECT Id, Quantity * UnitPrice AS a, UnitPrice / Quantity FROM OrderItem WHERE a > 100
           ORDER BY a DESC, Id""",
    )
    result = snapshot.run(spec, TODAY)
    assert result.rows == wanted
    assert len(wanted) > 10
    assert result.columns == ("Id", "amount", "UnitPrice / Quantity")


def test_dividing_by_zero_is_empty_and_whole_numbers_divide_into_broken_ones(snapshot: Snapshot) -> None:
    spec = QuerySpec("Task", ("Rank__c", Quotient("Rank__c", 2), Quotient(6, "Rank__c")))
    rows = set(snapshot.run(spec, TODAY).rows)
    assert rows == {(3, 1.5, 2.0), (-1, -0.5, -6.0), (None, None, None), (0, 0.0, None)}


def test_differences_of_days_and_times_count_from_midnight_of_the_org(snapshot: Snapshot) -> None:
    spec = QuerySpec("Task", ("Id", Difference("Due__c", "What:Case.CreatedDate", "hours", "h")), order=(Order("Id"),))
    rows = {row[0]: row[1] for row in snapshot.run(spec, TODAY).rows if row[1] is not None}
    raw = by_hand(
        snapshot,
        """SELECT t.Id, t.Due__c, c.CreatedDate FROM Task t JOIN "Case" c ON c.Id = t.WhatId
           WHERE t.Due__c IS NOT NULL ORDER BY t.Id""",
    )
    wanted = {
        one: (datetime.fromisoformat(due).replace(tzinfo=NEW_YORK).timestamp() - created / 1000) / 3600
        for one, due, created in raw
    }
    assert rows == pytest.approx(wanted)
    assert rows


@pytest.mark.parametrize(
    ("by", "pandas"),
    [
        ("year", lambda at: at.dt.year),
        ("quarter", lambda at: at.dt.year.astype(str) + "-Q" + at.dt.quarter.astype(str)),
        ("month", lambda at: at.dt.strftime("%Y-%m")),
        ("month_name", lambda at: at.dt.month_name()),
        ("week", lambda at: (at - pd.to_timedelta((at.dt.day_of_week + 1) % 7, unit="D")).dt.date),
        ("day", lambda at: at.dt.date),
        ("hour_of_day", lambda at: at.dt.hour),
        ("day_of_week", lambda at: (at.dt.day_of_week + 1) % 7 + 1),
        ("day_of_month", lambda at: at.dt.day),
        ("day_of_year", lambda at: at.dt.day_of_year),
        ("week_of_month", lambda at: (at.dt.day - 1) // 7 + 1),
        ("week_of_year", lambda at: (at.dt.day_of_year - 1) // 7 + 1),
        ("month_of_year", lambda at: at.dt.month),
        ("quarter_of_year", lambda at: at.dt.quarter),
        ("fiscal_year", lambda at: at.dt.tz_localize(None).dt.to_period("Q-JAN").dt.qyear),
        ("fiscal_quarter_of_year", lambda at: at.dt.tz_localize(None).dt.to_period("Q-JAN").dt.quarter),
        ("fiscal_month_of_year", lambda at: (at.dt.month - 2) % 12 + 1),
    ],
)
def test_periods_and_parts_on_clocks_that_change(
    snapshot: Snapshot, frames: dict[str, pd.DataFrame], by: str, pandas: Any
) -> None:
    """P-47: grouped in the Org's zone, daylight saving included; the same as a column and in a condition."""
    at = pd.to_datetime(frames["Case"]["CreatedDate"], utc=True).dt.tz_convert(NEW_YORK)
    values = pandas(at)
    rows = snapshot.run(
        QuerySpec("Case", groups=(Group("CreatedDate", by, "when"),), measures=(Measure("count", alias="n"),)), TODAY
    ).rows
    assert dict(rows) == values.value_counts().to_dict()
    column = snapshot.run(QuerySpec("Case", (Period("CreatedDate", by),)), TODAY).rows
    assert [row[0] for row in column] == list(values)
    one = values.iloc[10]
    chosen = found(snapshot, CompareFormula(Period("CreatedDate", by), "eq", one if by in {"week", "day"} else
                                            one if isinstance(one, str) else int(one)))  # fmt: skip
    assert chosen == list(frames["Case"]["Id"][values == one])
    assert chosen


def test_the_clocks_of_new_york_are_not_those_of_greenwich(snapshot: Snapshot) -> None:
    """P-47: 04:59 UTC on New Year's Day is still December there."""
    december = CompareFormula(Period("CreatedDate", "month"), "eq", "2023-12")
    ids = [row[0] for row in by_hand(snapshot, """SELECT Id FROM "Case" WHERE CreatedDate = 1704085140000""")]
    assert ids
    assert set(ids) <= set(found(snapshot, december))


def test_months_have_names(snapshot: Snapshot) -> None:
    named = Period("CreatedDate", "month_name")
    spring = found(snapshot, CompareFormula(named, "in", ("march", "April", 5)))
    assert spring == found(snapshot, CompareFormula(Period("CreatedDate", "month_of_year"), "in", (3, 4, 5)))
    assert spring
    with pytest.raises(QueryError):
        found(snapshot, CompareFormula(named, "eq", "Smarch"))


@pytest.mark.parametrize(("descending", "way"), [(False, "ASC"), (True, "DESC")])
@pytest.mark.parametrize("nulls", ["first", "last"])
def test_empty_values_first_or_last(snapshot: Snapshot, descending: bool, way: str, nulls: str) -> None:
    """P-48"""
    spec = QuerySpec("Case", ("Id", "Priority"), order=(Order("Priority", descending, nulls),))
    wanted = by_hand(
        snapshot,
        f"""SELECT Id, Priority FROM "Case"
            ORDER BY (Priority IS NULL) {"DESC" if nulls == "first" else "ASC"}, lower(Priority) {way}, Id""",
    )
    assert snapshot.run(spec, TODAY).rows == wanted


def test_having_is_a_tree_over_groups_and_measures(snapshot: Snapshot) -> None:
    spec = QuerySpec(
        "Case",
        groups=(Group("Account.ShippingState", alias="state"), Group("Priority")),
        measures=(Measure("count", alias="n"), Measure("max", "Subject", "last"), Measure("count", "ClosedDate", "c")),
        having=(
            Or(Having("n", "ge", 5), And(Having("state", "eq", "il"), Not(Having("Priority", "eq", "low")))),
            Not(Having("c", "lt", 2)),
            Having("last", "contains", "WON'T"),
        ),
    )
    wanted = by_hand(
        snapshot,
        """SELECT upper(a.ShippingState) AS s, c.Priority AS p, count(*), count(c.ClosedDate) FROM "Case" c
           LEFT JOIN Account a ON a.Id = c.AccountId GROUP BY s, p
           HAVING (count(*) >= 5 OR (s = 'IL' AND p IS NOT 'Low')) AND count(c.ClosedDate) >= 2
           AND max(lower(c.Subject)) LIKE '%won''t%' ORDER BY s, p""",
    )
    rows = snapshot.run(spec, TODAY).rows
    assert [(state and state.upper(), priority, n, c) for state, priority, n, _, c in rows] == wanted
    assert wanted
    assert snapshot.count(spec, TODAY) == len(wanted)


def test_measures_with_a_condition_of_their_own_and_shares(snapshot: Snapshot) -> None:
    closed, passed_on = Compare("ClosedDate", "not_null"), Related("CaseHistory__c", "CaseId__c", "at_least", 3)
    spec = QuerySpec(
        "Case",
        groups=(Group("Status"),),
        measures=(
            Measure("count", alias="n"), Measure("count", alias="closed", where=closed),
            Measure("share", alias="part", where=closed), Measure("count", alias="passed", where=passed_on),
            Measure("avg", alias="hours", formula=Difference("ClosedDate", "CreatedDate", "hours"),
                    where=Compare("Priority", "eq", "high")),
            Measure("count_distinct", "OwnerId", "owners", where=Not(closed)),
        ),
        order=(Order("part", descending=True),),
    )  # fmt: skip
    wanted = by_hand(
        snapshot,
        """SELECT lower(Status) AS s, count(*), sum(ClosedDate IS NOT NULL),
           1.0 * sum(ClosedDate IS NOT NULL) / count(*),
           sum((SELECT count(*) FROM CaseHistory__c h WHERE h.CaseId__c = c.Id) >= 3),
           avg(CASE WHEN Priority = 'High' THEN (ClosedDate - CreatedDate) / 3600000.0 END),
           count(DISTINCT CASE WHEN ClosedDate IS NULL THEN OwnerId END)
           FROM "Case" c GROUP BY s ORDER BY 4 DESC, s""",
    )
    rows = snapshot.run(spec, TODAY).rows
    assert [(status.lower(), *rest) for status, *rest in rows] == [pytest.approx(row) for row in wanted]
    assert [row[0] for row in wanted] == [row[0].lower() for row in rows]


def test_child_rows_with_a_limit_for_each_parent(snapshot: Snapshot, frames: dict[str, pd.DataFrame]) -> None:
    inside = ChildRows(
        "Case", "AccountId", ("Subject", "Owner.Alias", "CreatedDate", Period("CreatedDate", "month_of_year", "m")),
        Compare("Status", "ne", "new"), (Order("ClosedDate", True, "last"),), 2, "latest",
    )  # fmt: skip
    result = snapshot.run(QuerySpec("Account", ("Id", inside, "Name"), limit=15), TODAY)
    assert result.columns == ("Id", "latest", "Name")
    cases = frames["Case"]
    cases = cases[cases["Status"] != "New"].merge(frames["User"], left_on="OwnerId", right_on="Id", suffixes=("", "_u"))
    cases = cases.sort_values("Id").sort_values("ClosedDate", ascending=False, na_position="last", kind="stable")
    for account, rows, _ in result.rows:
        wanted = cases[cases["AccountId"] == account].head(2)
        assert [row[:2] for row in rows] == list(zip(wanted["Subject"], wanted["Alias"], strict=True))
        assert all(row[2].tzinfo is UTC and row[2].astimezone(NEW_YORK).month == row[3] for row in rows)
    assert {len(row[1]) for row in result.rows} == {0, 2}
    nobody = ChildRows("Case", "AccountId", ("Id",), Compare("Subject", "eq", "no such"), alias="none")
    assert {row for (row,) in snapshot.run(QuerySpec("Account", (nobody,)), TODAY).rows} == {()}


def test_paths_behind_a_lookup_to_several_objects(snapshot: Snapshot) -> None:
    spec = QuerySpec("Task", ("Id", "What.Name", "What:Order.Status", "What.Account.Name"))
    wanted = by_hand(
        snapshot,
        """SELECT t.Id, coalesce(a.Name, p.Name), o.Status, coalesce(x.Name, y.Name) FROM Task t
           LEFT JOIN "Case" c ON c.Id = t.WhatId LEFT JOIN "Order" o ON o.Id = t.WhatId
           LEFT JOIN Account a ON a.Id = t.WhatId LEFT JOIN Product2 p ON p.Id = t.WhatId
           LEFT JOIN Account x ON x.Id = c.AccountId LEFT JOIN Account y ON y.Id = o.AccountId ORDER BY t.Id""",
    )
    assert snapshot.run(spec, TODAY).rows == wanted
    assert all(any(row[place] for row in wanted) for place in (1, 2, 3))
    assert_same(
        snapshot, Compare("What.Name", "contains", "O'DELL"),
        """SELECT t.Id FROM Task t JOIN Account a ON a.Id = t.WhatId WHERE a.Name LIKE '%o''dell%' ORDER BY t.Id""",
        "Task",
    )  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["What:User.Name", "What:Order.Subject", "What.Nothing", "What:.Name:x", "Owner:Case.Name", "What:Order:Case.Id"],
)
def test_paths_that_lead_nowhere_say_so(snapshot: Snapshot, path: str) -> None:
    with pytest.raises(QueryError) as caught:
        snapshot.run(QuerySpec("Task", (path,)), TODAY)
    assert caught.value.code == "INVALID_FIELD"


def test_a_path_to_different_kinds_of_values_must_name_one(tmp_path: Path) -> None:
    from dataclasses import replace

    from study.sandbox.engine.snapshot import open_snapshot, write_snapshot
    from tests.sandbox.differential_org import differential_registry

    registry = differential_registry()
    objects = [
        replace(item, fields=tuple(replace(f, type="date") if f.name == "CreatedDate" else f for f in item.fields))
        if item.name == "Case" else
        replace(item, fields=tuple(replace(f, name="CreatedDate") if f.name == "Status" else f for f in item.fields))
        if item.name == "Order" else item
        for item in registry.objects
    ]  # fmt: skip
    snapshot = open_snapshot(write_snapshot(tmp_path / "o.sqlite", replace(registry, objects=tuple(objects)), {}).path)
    with pytest.raises(QueryError, match="different kinds"):
        snapshot.run(QuerySpec("Task", ("What.CreatedDate",)), TODAY)
    assert snapshot.run(QuerySpec("Task", ("What:Case.CreatedDate", "What:Order.CreatedDate")), TODAY).rows == []


def test_dates_in_a_semi_join_and_lists_of_days(snapshot: Snapshot) -> None:
    assert_same(
        snapshot, Compare("EffectiveDate", "in", (date(2024, 2, 29), date(2024, 2, 20), None)),
        """SELECT Id FROM "Order" WHERE EffectiveDate IN ('2024-02-29', '2024-02-20') ORDER BY Id""", "Order",
    )  # fmt: skip
