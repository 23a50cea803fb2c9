"""Values at the ends of what a calendar and a number hold, as files bring them: an answer or words, no error."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from study.sandbox.desks import open_desk
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.formulas import Product
from study.sandbox.engine.queryspec import Compare, Group, Measure, Order, QuerySpec
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import register_org
from study.sandbox.soql import run_soql
from tests.sandbox.small_org import TODAY, Tables, small_registry, small_tables

ZONES = ("America/New_York", "Asia/Kolkata", "UTC")
FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
COUNT = Measure("count", alias="n")


def extreme_tables() -> Tables:
    """The first and last day for "always" and "never", as some write them; numbers as large as they get."""
    tables = small_tables()
    cases, orders, items, accounts = (tables[name] for name in ("Case", "Order", "OrderItem", "Account"))
    cases[0] |= {"CreatedDate": FIRST, "ClosedDate": LAST}
    cases[1] |= {"CreatedDate": LAST}
    orders[0]["EffectiveDate"], orders[1]["EffectiveDate"] = date(1, 1, 1), date(9999, 12, 31)
    for item in items[:2]:
        item["Quantity"], item["UnitPrice"] = 1e300, 1e308
    for account in accounts[:2]:
        account["NumberOfEmployees"] = 2**63 - 1
    return tables


def extreme_snapshot(folder: Path, zone: str) -> Snapshot:
    info = write_snapshot(folder / "o.sqlite", small_registry(zone=zone), extreme_tables(), today=TODAY)
    return open_snapshot(info.path)


@pytest.mark.parametrize("zone", ZONES)
def test_every_period_holds_the_ends_of_the_calendar(tmp_path: Path, zone: str) -> None:
    snapshot = extreme_snapshot(tmp_path, zone)
    for field, name in (("CreatedDate", "Case"), ("EffectiveDate", "Order")):
        for by in ("day", "week", "month", "quarter", "year", "fiscal_year", "day_of_week"):
            rows = snapshot.run(QuerySpec(name, groups=(Group(field, by),), measures=(COUNT,)), TODAY).rows
            assert sum(row[1] for row in rows) == snapshot.counts[name], by
    days = snapshot.run(QuerySpec("Case", groups=(Group("CreatedDate", "day"),), measures=(COUNT,)), TODAY).rows
    assert (days[0][0], days[-1][0]) == (date(1, 1, 1), date(9999, 12, 31))


@pytest.mark.parametrize("zone", ZONES)
def test_the_last_day_of_the_calendar_is_a_day_like_others(tmp_path: Path, zone: str) -> None:
    """P-46: many write it for "never"."""
    snapshot, never = extreme_snapshot(tmp_path, zone), date(9999, 12, 31)
    counts = {
        op: snapshot.count(QuerySpec("Order", where=Compare("EffectiveDate", op, never)), TODAY)
        for op in ("eq", "ne", "lt", "le", "gt", "ge")
    }
    assert counts == {"eq": 1, "ne": 29, "lt": 29, "le": 30, "gt": 0, "ge": 1}
    among = QuerySpec("Order", where=Compare("EffectiveDate", "in", (never, date(9999, 12, 30))))
    assert snapshot.count(among, TODAY) == 1
    found = run_soql(snapshot, "SELECT Id FROM Case WHERE CreatedDate = 9999-12-31", TODAY)
    assert found.rows == [(extreme_tables()["Case"][1]["Id"],)]


def test_numbers_too_large_to_hold_are_said_or_empty(tmp_path: Path) -> None:
    snapshot = extreme_snapshot(tmp_path, "UTC")
    for fn, field, name in (("sum", "UnitPrice", "OrderItem"), ("sum", "NumberOfEmployees", "Account")):
        with pytest.raises(QueryError):
            snapshot.run(QuerySpec(name, measures=(Measure(fn, field),)), TODAY)
    product = Product("Quantity", "UnitPrice", alias="total")
    spec = QuerySpec("OrderItem", ("Id", product), order=(Order("total", True, "last"),), limit=7)
    seen: list[Any] = []
    after = None
    while True:
        page = snapshot.run(QuerySpec(spec.object, spec.select, order=spec.order, limit=7, after=after), TODAY)
        seen, after = seen + page.rows, page.after
        if after is None:
            break
    assert len({row[0] for row in seen}) == len(seen) == 50
    assert [row[1] for row in seen[-2:]] == [None, None]
    assert None not in [row[1] for row in seen[:-2]]


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ZONES)
def test_no_page_breaks_on_them(tmp_path: Path, settings: Any, ben: Any, zone: str) -> None:
    settings.REALIA_VAR = tmp_path
    tables = extreme_tables()
    info = write_snapshot(tmp_path / "o.sqlite", small_registry(zone=zone), tables, today=TODAY)
    org = register_org(info, "extreme")
    desk = open_desk(org=org, user=ben, purpose="attempt")
    client = Client()
    client.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    first = {name: records[0]["Id"] for name, records in tables.items()}
    second = {name: records[1]["Id"] for name, records in tables.items() if len(records) > 1}
    places = [
        "", "o/Case/", "o/Case/?view=board", "o/Order/", "o/OrderItem/", "o/Account/",
        "o/Case/?c=ClosedDate~CreatedDate&o=gt&v=100",
        "o/Order/?c=EffectiveDate&o=eq&v=9999-12-31", "search/?q=battery",
        "console/?q=SELECT+Id,CreatedDate,ClosedDate+FROM+Case",
        "report/Case/?g=CreatedDate&by=month&m=count", "report/Case/?g=CreatedDate&by=week&m=count&chart=line",
        "report/Case/?g=CreatedDate&by=year&x=Status&m=count", "report/Order/?g=EffectiveDate&by=week&m=count",
        "report/OrderItem/?g=OrderId&m=sum&mf=UnitPrice",
        "report/OrderItem/?g=OrderId&m=sum&mf=Quantity*UnitPrice&chart=donut",
        *(f"r/{one}/" for one in (*first.values(), *second.values())),
    ]  # fmt: skip
    for place in places:
        answer = client.get(f"/crm/{desk.code}/{place}", follow=True)
        assert answer.status_code in {200, 400}, place
        assert answer.status_code == 200 or "report/" in place, place
    assert snapshot_of(org).hash == info.hash


@pytest.mark.parametrize("today", [None, date.max, date.min])
def test_an_org_that_seems_to_end_with_the_calendar_has_days_around_its_today(
    tmp_path: Path, today: date | None
) -> None:
    info = write_snapshot(tmp_path / "o.sqlite", small_registry(zone="Asia/Kolkata"), extreme_tables(), today=today)
    assert date(1, 12, 31) < info.last_day < date(9999, 1, 1)
