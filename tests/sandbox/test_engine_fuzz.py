"""Whatever is asked, the answer is a Result or a QueryError: changed queries, odd values, sizes beyond every limit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.matrix import matrix
from study.sandbox.engine.queryspec import (
    And,
    ChildRows,
    Compare,
    CompareFormula,
    DateRange,
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
    from_json,
)
from study.sandbox.engine.queryspec_url import from_short, short_form
from study.sandbox.engine.snapshot import Result, Snapshot
from tests.sandbox.differential_org import differential_snapshot
from tests.sandbox.random_specs import random_specs
from tests.sandbox.small_org import TODAY

SPECS = [json.loads(spec.to_json()) for spec in random_specs(9, 250)]
ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2**53, 2**63, 2**64, -(2**63), 10**400, 0.5, 1e308, float("inf"), float("nan"), "",
    " ", "x", "Id", "Name", "\0", "a\0b", "\ud800", "O'Dell", '"; DROP TABLE "Case" --', "%", "Id" * 500,
    "What.Name", "What.What.Name", "Account.Account", "..", ":", "2024-02-30", "2024-02-29", "9999-12-31", "0001-01-01",
    [], {}, [[]], ["x", 1, None], {"range": "last_n_months", "n": 4}, {"range": "today", "n": "x"}, {"range": "x"},
    {"date": "9999-12-31"}, {"datetime": "0001-01-01T00:00:00+14:00"}, {"datetime": "2024-01-01T00:00:00"},
    {"end": "ClosedDate", "start": "CreatedDate"}, {"product": ["Quantity", 1e308]}, {"quotient": [1, "Hours__c"]},
    {"period": "month_name", "of": "CreatedDate"}, {"children": "Task", "field": "WhatId", "select": ["Id"]},
    {"field": "Subject", "op": "eq", "value": "x"}, {"alias": "n", "op": "gt", "value": 1}, {"not": {"and": []}},
    {"fn": "count", "alias": "n"}, {"field": "Status"}, {"key": "Subject", "nulls": "last"},
    "contains", "like", "in", "lt", "not_null", "Case", "Task", "Account", "count", "share", "min", "month", "week",
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] + [deeper for key, part in inside for deeper in places(part, (*path, key))]


def changed(value: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], change)
    return copy


@st.composite
def mutated(draw: Any) -> Any:
    spec = draw(st.sampled_from(SPECS))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(spec)))
        odd = draw(st.sampled_from(ODD))
        other = draw(st.sampled_from(SPECS))
        taken = other
        for step in draw(st.sampled_from(places(other))):
            taken = taken[step]
        kind = draw(st.sampled_from(["odd", "odd", "taken", "wrapped"]))
        new = {"odd": odd, "taken": taken}
        spec = changed(spec, path, lambda old, kind=kind, new=new: [old] if kind == "wrapped" else new[kind])
    return spec


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return differential_snapshot(Path(tmp_path_factory.mktemp("org")), zone="America/New_York", fiscal_start=2)


def answered(snapshot: Snapshot, build: Callable[[], QuerySpec]) -> bool:
    """Whether a query has an answer. A refusal is a QueryError with code and words; anything else is raised."""
    try:
        spec = build()
        assert isinstance(snapshot.run(spec, TODAY), Result)
        assert snapshot.count(spec, TODAY) >= 0
        assert from_json(spec.to_json()).to_json() == spec.to_json()
    except QueryError as error:
        refusal = error
    else:
        return True
    assert refusal.code
    assert str(refusal)
    return False


@settings(max_examples=700, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(mutated())
def test_any_json_is_answered_or_refused(snapshot: Snapshot, data: Any) -> None:
    """P-45"""
    answered(snapshot, lambda: from_json(data))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=60))
@example("q")
@example("qeNo")
@example("q" + "A" * 60_000)
def test_any_text_is_a_short_form_or_refused(text: str) -> None:
    with pytest.raises(QueryError):
        from_short(text)
    with pytest.raises(QueryError):
        from_short("q" + text)


def test_a_short_form_that_unpacks_to_too_much_is_refused() -> None:
    import base64
    import zlib

    for plain in (b'{"v":2,"object":"' + b"x" * 30_000_000 + b'"}', b" " * 2_000_000):
        packed = base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
        with pytest.raises(QueryError):
            from_short("q" + packed)
    whole = short_form(QuerySpec("Case", ("Id",)))
    for text in (whole[:-3], whole + "AAAA", "p" + whole[1:], whole.replace("q", "q=", 1), " " + whole, None, 7, b"q"):
        with pytest.raises(QueryError):
            from_short(text)  # type: ignore[arg-type]


def nested(build: Callable[[Any], Any], depth: int) -> Any:
    found: Any = Compare("Subject", "not_null")
    for _ in range(depth):
        found = build(found)
    return found


DEEP = {
    "not": Not, "and": lambda x: And(x, Compare("Status", "eq", "new")), "or": lambda x: Or(x, x),
    "related": lambda x: InQuery("AccountId", "Account", "Id", Related("Case", "AccountId", "exactly", 1, x)),
    "listed": lambda x: InQuery("AccountId", "Case", "AccountId", x), "not listed": lambda x: Not(
        InQuery("AccountId", "Case", "AccountId", Or(Compare("Subject", "in", ("a", "b")), x), True)),
}  # fmt: skip


@pytest.mark.parametrize("name", DEEP)
def test_deep_conditions_are_answered_to_a_depth_and_refused_beyond(snapshot: Snapshot, name: str) -> None:
    for depth in (1, 2, 3):
        assert answered(snapshot, lambda depth=depth: QuerySpec("Case", ("Id",), nested(DEEP[name], depth)))
    for depth in (50, 2_000) if name != "or" else (50,):
        with pytest.raises(QueryError):
            snapshot.run(QuerySpec("Case", ("Id",), nested(DEEP[name], depth)), TODAY)
        with pytest.raises(QueryError):
            snapshot.run(QuerySpec("Case", measures=(Measure("count", where=nested(DEEP[name], depth)),)), TODAY)
        with pytest.raises(QueryError):
            snapshot.count(QuerySpec("Case", ("Id",), nested(DEEP[name], depth)), TODAY)


def test_conditions_on_groups_have_a_depth_too(snapshot: Snapshot) -> None:
    for depth, known in ((15, True), (50, False), (3_000, False)):
        having: Any = Having("n", "gt", 1)
        for _ in range(depth):
            having = Not(having)
        spec = QuerySpec("Case", groups=(Group("Status"),), measures=(Measure("count", alias="n"),), having=(having,))
        assert answered(snapshot, lambda spec=spec: spec) == known


def test_nineteen_deep_is_answered(snapshot: Snapshot) -> None:
    for name, depth in (("not", 19), ("and", 19), ("listed", 6), ("related", 3), ("not listed", 4)):
        spec = QuerySpec("Case", ("Id",), nested(DEEP[name], depth))
        assert answered(snapshot, lambda spec=spec: spec), name


def test_wide_conditions_are_answered(snapshot: Snapshot) -> None:
    many = [Compare("Subject", "ne", f"x{n}") for n in range(3_000)]
    assert len(snapshot.run(QuerySpec("Case", ("Id",), And(*many)), TODAY).rows) == 70
    assert snapshot.run(QuerySpec("Case", ("Id",), Or(*(Not(one) for one in many))), TODAY).rows == []
    days = tuple(date(2000, 1, 1) + timedelta(days=n) for n in range(8_000))
    assert answered(snapshot, lambda: QuerySpec("Order", ("Id",), Compare("EffectiveDate", "in", days)))
    assert answered(snapshot, lambda: QuerySpec("Case", ("Id",), Compare("CreatedDate", "not_in", days)))


def test_twenty_thousand_values_are_answered_and_more_refused(snapshot: Snapshot) -> None:
    ids = tuple(f"{n:018}" for n in range(19_900))
    assert answered(snapshot, lambda: QuerySpec("Case", ("Id",), Compare("Id", "not_in", ids)))
    assert not answered(snapshot, lambda: QuerySpec("Case", ("Id",), Compare("Id", "in", (*ids, *ids))))


def test_many_lookups_are_answered_and_too_many_refused(snapshot: Snapshot) -> None:
    paths = ["What.Name", "What.OwnerId", "What.Owner.Name", "What.Account.Name", "Owner.Name", "What:Case.Issue.Name",
             "What:Case.Contact.Account.Name", "What:Case.OrderItem.Product2.Name", "What:Case.Owner.Alias",
             "What:Case.OrderItem.Order.Account.Name", "What:Case.OrderItem.Order.Owner.Name"]  # fmt: skip
    assert answered(snapshot, lambda: QuerySpec("Task", tuple(paths)))


def test_more_tables_than_can_be_joined_are_refused(tmp_path: Path) -> None:
    from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
    from study.sandbox.engine.snapshot import open_snapshot, write_snapshot

    lookups = [FieldDef(f"L{n}", "reference", f"L{n}", targets=("Thing",)) for n in range(70)]
    item = ObjectDef("Thing", "Thing", "Things", "a00", (FieldDef("Id", "id", "Id"), *lookups), "Id")
    snapshot = open_snapshot(write_snapshot(tmp_path / "o.sqlite", Registry((item,)), {}).path)
    for number, known in ((24, True), (59, True), (60, False), (70, False)):
        spec = QuerySpec("Thing", tuple(f"L{n}.L1" for n in range(number)))
        assert answered(snapshot, lambda spec=spec: spec) == known


def test_sums_beyond_whole_numbers_are_an_error_of_the_query(tmp_path: Path) -> None:
    from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
    from study.sandbox.engine.snapshot import open_snapshot, write_snapshot

    fields = (FieldDef("Id", "id", "Id"), FieldDef("N", "integer", "N"), FieldDef("F", "number", "F"))
    registry = Registry((ObjectDef("Thing", "Thing", "Things", "a00", fields, "Id"),))
    rows = [{"Id": f"a00{n:015}", "N": 2**62, "F": 1e308} for n in range(4)]
    snapshot = open_snapshot(write_snapshot(tmp_path / "o.sqlite", registry, {"Thing": rows}).path)
    assert not answered(snapshot, lambda: QuerySpec("Thing", measures=(Measure("sum", "N"),)))
    for formula in (Product("F", "F"), Product("N", "N"), Quotient("F", 1e-308), Product("F", -(2**62))):
        assert answered(snapshot, lambda formula=formula: QuerySpec("Thing", (formula,)))
        assert answered(snapshot, lambda f=formula: QuerySpec("Thing", measures=(Measure("sum", formula=f),)))
    big = 2**53 + 1
    assert snapshot.count(QuerySpec("Thing", ("Id",), Compare("N", "gt", big)), TODAY) == 4


LATE = timezone(timedelta(hours=-14))
SMUGGLED: list[Callable[[Any], QuerySpec]] = [
    lambda odd: QuerySpec(odd, ("Id",)),
    lambda odd: QuerySpec("Case", (odd,)),
    lambda odd: QuerySpec("Case", ("Id",), odd),
    lambda odd: QuerySpec("Case", ("Id",), Compare(odd, "eq", "x")),
    lambda odd: QuerySpec("Case", ("Id",), Compare("Subject", odd, "x")),
    lambda odd: QuerySpec("Case", ("Id",), Compare("Subject", "eq", odd)),
    lambda odd: QuerySpec("Case", ("Id",), Compare("CreatedDate", "lt", odd)),
    lambda odd: QuerySpec("Order", ("Id",), Compare("EffectiveDate", "ge", odd)),
    lambda odd: QuerySpec("OrderItem", ("Id",), Compare("Quantity", "in", (odd, odd))),
    lambda odd: QuerySpec("Product2", ("Id",), Compare("IsActive", "eq", odd)),
    lambda odd: QuerySpec("Case", ("Id",), Compare("CreatedDate", "eq", DateRange("last_n_days", odd))),
    lambda odd: QuerySpec("Case", ("Id",), Compare("CreatedDate", "eq", DateRange(odd))),
    lambda odd: QuerySpec("Case", ("Id",), Not(odd)),
    lambda odd: QuerySpec("Case", ("Id",), And(odd, odd)),
    lambda odd: QuerySpec("Case", ("Id",), Related(odd, "CaseId__c", "exactly", 1)),
    lambda odd: QuerySpec("Case", ("Id",), Related("CaseHistory__c", odd, "exactly", 1)),
    lambda odd: QuerySpec("Case", ("Id",), Related("CaseHistory__c", "CaseId__c", odd, 1)),
    lambda odd: QuerySpec("Case", ("Id",), Related("CaseHistory__c", "CaseId__c", "at_most", odd)),
    lambda odd: QuerySpec("Case", ("Id",), InQuery(odd, "Order", "AccountId")),
    lambda odd: QuerySpec("Case", ("Id",), InQuery("AccountId", odd, "AccountId")),
    lambda odd: QuerySpec("Case", ("Id",), InQuery("AccountId", "Order", odd)),
    lambda odd: QuerySpec("Case", ("Id",), InQuery("AccountId", "Order", "AccountId", odd)),
    lambda odd: QuerySpec("Case", ("Id",), CompareFormula(Period("CreatedDate", "month_name"), "eq", odd)),
    lambda odd: QuerySpec("OrderItem", ("Id",), CompareFormula(Product("Quantity", odd), "eq", 1)),
    lambda odd: QuerySpec("OrderItem", (Quotient(odd, "Quantity"),)),
    lambda odd: QuerySpec("Case", (Difference(odd, "CreatedDate"),)),
    lambda odd: QuerySpec("Case", (Difference("ClosedDate", "CreatedDate", odd),)),
    lambda odd: QuerySpec("Case", (Difference("ClosedDate", "CreatedDate", alias=odd),)),
    lambda odd: QuerySpec("Case", (Period(odd, "month"),)),
    lambda odd: QuerySpec("Case", (Period("CreatedDate", odd),)),
    lambda odd: QuerySpec("Case", groups=(Group(odd),)),
    lambda odd: QuerySpec("Case", groups=(Group("CreatedDate", odd),)),
    lambda odd: QuerySpec("Case", groups=(Group("Status", alias=odd),)),
    lambda odd: QuerySpec("Case", measures=(Measure(odd, "Id"),)),
    lambda odd: QuerySpec("Case", measures=(Measure("max", odd),)),
    lambda odd: QuerySpec("Case", measures=(Measure("count", alias=odd),)),
    lambda odd: QuerySpec("Case", measures=(Measure("count", where=odd),)),
    lambda odd: QuerySpec("Case", measures=(Measure("share", where=odd),)),
    lambda odd: QuerySpec("Case", groups=(Group("Status"),), having=(odd,)),
    lambda odd: QuerySpec("Case", groups=(Group("Status"),), having=(Having(odd, "eq", 1),)),
    lambda odd: QuerySpec("Case", groups=(Group("Status"),), having=(Having("Status", "eq", odd),)),
    lambda odd: QuerySpec("Case", ("Id",), order=(odd,)),
    lambda odd: QuerySpec("Case", ("Id",), order=(Order(odd),)),
    lambda odd: QuerySpec("Case", ("Id",), order=(Order("Id", nulls=odd),)),
    lambda odd: QuerySpec("Case", ("Id",), limit=odd),
    lambda odd: QuerySpec("Case", ("Id",), offset=odd),
    lambda odd: QuerySpec("Case", ("Id",), match=odd),
    lambda odd: QuerySpec("Case", ("Id",), after=(odd,)),
    lambda odd: QuerySpec("Account", (ChildRows(odd, "AccountId", ("Id",)),)),
    lambda odd: QuerySpec("Account", (ChildRows("Case", odd, ("Id",)),)),
    lambda odd: QuerySpec("Account", (ChildRows("Case", "AccountId", (odd,)),)),
    lambda odd: QuerySpec("Account", (ChildRows("Case", "AccountId", ("Id",), odd),)),
    lambda odd: QuerySpec("Account", (ChildRows("Case", "AccountId", ("Id",), order=(Order(odd),)),)),
    lambda odd: QuerySpec("Account", (ChildRows("Case", "AccountId", ("Id",), order=(odd,)),)),
    lambda odd: QuerySpec("Account", (ChildRows("Case", "AccountId", ("Id",), limit=odd),)),
    lambda odd: QuerySpec("Account", (ChildRows("Case", "AccountId", ("Id",), alias=odd),)),
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, 0, -1, 7, 2.5, 2**53, 2**63, 10**400, -(10**30), float("inf"), float("nan"), "", "x", "a\0b", "\ud800",
    "Subject", "Case", b"x", object(), [], [1], {}, {"a": 1}, (), (1,), ("x",), set(), int, date.max, date.min,
    datetime.max, datetime.min, datetime.max.replace(tzinfo=LATE), datetime.min.replace(tzinfo=UTC), timedelta(1),
    DateRange("today"), DateRange("last_n_years", 10**9), Compare("Id", "null"), Having("n", "gt", 1), 1j, "9" * 400,
    Period("CreatedDate", "month"), Group("Status"), Measure("count"), Order("Id"), QuerySpec("Case"), "x" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(SMUGGLED)))
def test_values_of_any_kind_in_any_place_are_answered_or_refused(snapshot: Snapshot, place: int) -> None:
    """None ends in anything else, and every place refuses some of them."""
    answers = [answered(snapshot, lambda odd=odd: SMUGGLED[place](odd)) for odd in ODD_VALUES]
    assert not all(answers)


def test_a_matrix_of_any_query_is_answered_or_refused(snapshot: Snapshot) -> None:
    made = 0
    for spec in random_specs(11, 200):
        groups = tuple(replace(group, across=not n) for n, group in enumerate(spec.groups))
        try:
            matrix(snapshot, replace(spec, groups=groups), TODAY)
            made += 1
        except QueryError:
            continue
    assert made > 30
