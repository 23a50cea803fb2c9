"""Queries as people and answer rules ask them, each against hand-written SQL on the same file."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.queryspec import (
    And,
    Compare,
    DateRange,
    Difference,
    Group,
    Having,
    Measure,
    Order,
    QuerySpec,
    Related,
    from_json,
    spec_hash,
)
from study.sandbox.engine.snapshot import Snapshot
from tests.sandbox.small_org import TODAY, small_snapshot


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return small_snapshot(Path(tmp_path_factory.mktemp("org")))


def by_hand(snapshot: Snapshot, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(snapshot.path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


ASSIGNED_ONCE = Related("CaseHistory__c", "CaseId__c", "exactly", 1, Compare("Field__c", "eq", "Owner Assignment"))


def test_handle_time_per_agent_of_cases_never_passed_on(snapshot: Snapshot) -> None:
    spec = QuerySpec(
        "Case",
        where=And(Compare("ClosedDate", "eq", DateRange("past_months", 6)), ASSIGNED_ONCE),
        groups=(Group("OwnerId", alias="agent"),),
        measures=(
            Measure("count", alias="n"),
            Measure("avg", alias="hours", formula=Difference("ClosedDate", "CreatedDate", "hours")),
        ),
        having=(Having("n", "gt", 1),),
        order=(Order("hours"),),
    )
    wanted = by_hand(
        snapshot,
        """SELECT c.OwnerId, count(*), avg((c.ClosedDate - c.CreatedDate) / 3600000.0) AS hours FROM "Case" c
           WHERE c.ClosedDate >= strftime('%s', '2023-09-30') * 1000
           AND c.ClosedDate < strftime('%s', '2024-04-01') * 1000
           AND 1 = (SELECT count(*) FROM CaseHistory__c h WHERE h.CaseId__c = c.Id AND h.Field__c = 'Owner Assignment')
           GROUP BY c.OwnerId HAVING count(*) > 1 ORDER BY hours, c.OwnerId""",
    )
    result = snapshot.run(spec, TODAY)
    assert result.columns == ("agent", "n", "hours")
    assert len(wanted) > 1
    assert [row[:2] for row in result.rows] == [row[:2] for row in wanted]
    assert [row[2] for row in result.rows] == pytest.approx([row[2] for row in wanted])
    assert snapshot.count(spec, TODAY) == len(wanted)


def test_top_issue_of_a_product_through_two_lookups(snapshot: Snapshot) -> None:
    spec = QuerySpec(
        "Case",
        where=And(Compare("OrderItemId__c.Product2.Name", "eq", "tent 5"), Compare("IssueId__c", "not_null")),
        groups=(Group("Issue.Name", alias="issue"),),
        measures=(Measure("count", alias="n"),),
        order=(Order("n", descending=True),),
        limit=2,
    )
    wanted = by_hand(
        snapshot,
        """SELECT s.Name, count(*) AS n FROM "Case" c JOIN OrderItem i ON i.Id = c.OrderItemId__c
           JOIN Product2 p ON p.Id = i.Product2Id JOIN Issue__c s ON s.Id = c.IssueId__c
           WHERE p.Name = 'Tent 5' GROUP BY s.Name ORDER BY n DESC, lower(s.Name) LIMIT 2""",
    )
    assert snapshot.run(spec, TODAY).rows == wanted
    assert wanted


def test_months_as_year_and_month_and_by_name(snapshot: Snapshot) -> None:
    for by, text in (("month", "%Y-%m"), ("year", "%Y")):
        spec = QuerySpec("Case", groups=(Group("CreatedDate", by, "when"),), measures=(Measure("count", alias="n"),))
        wanted = by_hand(
            snapshot,
            f"""SELECT strftime('{text}', CreatedDate / 1000.0, 'unixepoch') AS m, count(*)
                FROM "Case" GROUP BY m ORDER BY m""",
        )
        found = [(str(period), n) for period, n in snapshot.run(spec, TODAY).rows]
        assert found == wanted
    named = QuerySpec("Case", groups=(Group("CreatedDate", "month_name"),), measures=(Measure("count"),))
    rows = snapshot.run(named, TODAY).rows
    assert [name for name, _ in rows][:3] == ["January", "February", "March"]
    assert sum(n for _, n in rows) == 70


def test_pages_hold_each_record_once_whichever_way_empties_sort(snapshot: Snapshot) -> None:
    """P-48: paging over empty values loses no row; empties come first unless the order says last."""
    for descending in (False, True):
        for nulls in ("first", "last"):
            seen: list[tuple[Any, ...]] = []
            for offset in range(0, 70, 9):
                order = (Order("ClosedDate", descending, nulls),)
                page = snapshot.run(QuerySpec("Case", ("Id", "ClosedDate"), order=order, limit=9, offset=offset), TODAY)
                assert page.truncated == (offset + 9 < 70)
                seen += page.rows
            assert len({row[0] for row in seen}) == len(seen) == 70
            empties = [row[1] is None for row in seen]
            assert empties == sorted(empties, reverse=nulls == "first")
            dates = [row[1] for row in seen if row[1]]
            assert dates == sorted(dates, reverse=descending)


def test_a_difference_of_two_dates_as_a_column(snapshot: Snapshot) -> None:
    spec = QuerySpec(
        "Case",
        ("Id", Difference("ClosedDate", "CreatedDate", "days", "open for")),
        order=(Order("open for", True),),
        limit=3,
    )
    wanted = by_hand(
        snapshot,
        """SELECT Id, (ClosedDate - CreatedDate) / 86400000.0 AS d FROM "Case"
           ORDER BY d DESC NULLS FIRST, Id LIMIT 3""",
    )
    assert snapshot.run(spec, TODAY).rows == wanted
    mixed = QuerySpec("Case", (Difference("CreatedDate", "OrderItem.Order.EffectiveDate", "days"),))
    assert any(isinstance(row[0], float) for row in snapshot.run(mixed, TODAY).rows)


def test_min_and_max_of_texts_show_the_text_as_it_is_written(snapshot: Snapshot) -> None:
    result = snapshot.run(
        QuerySpec("Account", measures=(Measure("min", "LastName"), Measure("max", "LastName"))), TODAY
    )
    assert result.rows == [("50% off", "van der Berg")]
    assert result.columns == ("min(LastName)", "max(LastName)")


def test_spellings_that_differ_in_capitals_are_one_group(snapshot: Snapshot) -> None:
    """P-51"""
    spec = QuerySpec("Account", groups=(Group("ShippingState"),), measures=(Measure("count", alias="n"),))
    rows = dict(snapshot.run(spec, TODAY).rows)
    assert rows == {None: 3, "CA": 4, "IL": 7, "NY": 3, "TX": 3}


def test_totals_over_nothing_are_one_row(snapshot: Snapshot) -> None:
    nothing = Compare("Subject", "eq", "no such subject")
    spec = QuerySpec("Case", where=nothing, measures=(Measure("count"), Measure("max", "CreatedDate")))
    assert snapshot.run(spec, TODAY).rows == [(0, None)]
    assert snapshot.count(spec, TODAY) == 1
    grouped = QuerySpec("Case", where=nothing, groups=(Group("Status"),), measures=(Measure("count"),))
    assert snapshot.run(grouped, TODAY).rows == []
    assert snapshot.count(grouped, TODAY) == 0


def test_the_given_today_decides_not_the_clock(snapshot: Snapshot) -> None:
    spec = QuerySpec("Case", where=Compare("CreatedDate", "eq", DateRange("this_month")))
    counts = [snapshot.count(spec, day) for day in (date(2023, 8, 1), date(2024, 2, 2), date(1999, 1, 1))]
    assert counts[2] == 0
    assert counts[0] > 0
    assert counts[1] > 0


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: QuerySpec("Nothing", ("Id",)), "INVALID_TYPE"),
        (lambda: QuerySpec("case", ("Id",)), "INVALID_TYPE"),
        (lambda: QuerySpec("Case", ("Id; DROP TABLE x",)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", ("Id",), order=(Order("Description"),)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", ("Id",), order=(Order('Id" DESC --'),)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", ("Id",), groups=(Group("Status"),)), "MALFORMED_QUERY"),
        (lambda: QuerySpec("Case", ("Id",), having=(Having("n", "gt", 1),)), "MALFORMED_QUERY"),
        (lambda: QuerySpec("Case", groups=(Group("Status"),), having=(Having("n", "gt", 1),)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", groups=(Group("Status"),), order=(Order("Subject"),)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", groups=(Group("Status", "month"),)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", measures=(Measure("sum", "Subject"),)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", measures=(Measure("count"), Measure("count"))), "MALFORMED_QUERY"),
        (lambda: QuerySpec("Case", ("Id",), Related("OrderItem", "OrderId", "exactly", 1)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", ("Id",), Compare("Id", "like", "x")), "INVALID_QUERY_FILTER_OPERATOR"),
        (lambda: QuerySpec("Case", ("Id",), limit=-1), "MALFORMED_QUERY"),
        (lambda: QuerySpec("Case", ("OrderItem.Order.Account.Id.Id",)), "INVALID_FIELD"),
        (lambda: QuerySpec("Case", (".".join(["Account"] * 7),)), "INVALID_FIELD"),
    ],
)
def test_queries_that_cannot_be_answered_say_why(snapshot: Snapshot, build: Any, code: str) -> None:
    """P-45: only known objects, fields and directions are accepted."""
    with pytest.raises(QueryError) as caught:
        snapshot.run(build(), TODAY)
    assert caught.value.code == code
    assert str(caught.value)


def test_a_spec_has_one_json_form_and_one_hash() -> None:
    spec = QuerySpec("Case", ["Id"], Compare("CreatedDate", "eq", DateRange("last_n_months", 4)), limit=10)  # type: ignore[arg-type]
    assert from_json(spec.to_json()) == spec
    assert spec.to_json() == (
        '{"limit":10,"object":"Case","select":["Id"],"v":2,'
        '"where":{"field":"CreatedDate","op":"eq","value":{"n":4,"range":"last_n_months"}}}'
    )
    assert spec_hash(spec) == spec_hash(from_json(spec.to_json())) != spec_hash(QuerySpec("Case", ("Id",), limit=10))


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"v":3,"object":"Case"}', '{"v":2}', '{"v":1,"object":"Case","where":{"field":"Id"}}',
        '{"v":2,"object":"Case","where":{"and":5}}', '{"v":1,"object":"Case","extra":1}', '{"v":1,"object":7}',
        '{"v":2,"object":"Case","where":{"field":"Id","op":"eq","value":{"date":"x"}}}',
        '{"v":2,"object":"Case","select":[{"end":"a"}]}', '{"v":1,"object":"Case","limit":"ten"}',
        '{"v":2,"object":"Case","where":' + '{"not":' * 60 + '{"field":"Id","op":"null"}' + "}" * 61,
    ],
)  # fmt: skip
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        from_json(text)
    assert caught.value.code == "MALFORMED_QUERY"
