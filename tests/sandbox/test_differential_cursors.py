"""Walking a query page by page: each row once, in the order of one run, whatever it is sorted by (P-48)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from study.sandbox.engine import snapshot as snapshots
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.queryspec import (
    ChildRows,
    Compare,
    Group,
    Having,
    Measure,
    Order,
    Period,
    QuerySpec,
    Quotient,
    from_json,
)
from study.sandbox.engine.snapshot import Snapshot
from tests.sandbox.differential import difference, naive_of
from tests.sandbox.differential_org import differential_snapshot
from tests.sandbox.naive_values import stored
from tests.sandbox.random_specs import random_specs
from tests.sandbox.small_org import TODAY


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return differential_snapshot(Path(tmp_path_factory.mktemp("org")), zone="America/New_York")


def walk(snapshot: Snapshot, spec: QuerySpec, size: int) -> list[tuple[Any, ...]]:
    """All rows of a query, read in pages; each page is asked for as an address would ask."""
    seen: list[tuple[Any, ...]] = []
    page = replace(spec, limit=size)
    while True:
        result = snapshot.run(page, TODAY)
        assert len(result.rows) <= size
        assert result.truncated == (result.after is not None)
        seen += result.rows
        if result.after is None:
            return seen
        page = from_json(replace(page, after=result.after).to_json())


def test_differential_walks_meet_each_row_once_in_order(snapshot: Snapshot) -> None:
    """P-48: 280 drawn queries in pages of 1 to 7."""
    walked = 0
    for n, drawn in enumerate(random_specs(5, 280)):
        spec = replace(drawn, limit=None, offset=0)
        rows = snapshot.run(spec, TODAY).rows
        assert walk(snapshot, spec, n % 7 + 1) == rows, spec.to_json()
        walked += len(rows) > 7
    assert walked > 100


@pytest.mark.parametrize("nulls", ["first", "last"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("size", range(1, 8))
def test_differential_walks_by_keys_with_many_empties(
    snapshot: Snapshot, size: int, descending: bool, nulls: str
) -> None:
    """P-48: a date, a folded text, a formula and a text of several objects, empty in many rows."""
    ratio = Quotient("Hours__c", "Rank__c", "ratio")
    for keys in (["Due__c"], ["Subject", "Hours__c"], ["ratio"], ["What.Name", "Done__c"], []):
        order = tuple(Order(key, descending, nulls) for key in keys)
        spec = QuerySpec("Task", ("Id", "Subject", ratio), order=order)
        rows = snapshot.run(spec, TODAY).rows
        assert len({row[0] for row in rows}) == len(rows) == 48
        assert walk(snapshot, spec, size) == rows


def test_differential_pages_begin_behind_any_place(snapshot: Snapshot) -> None:
    """A place to continue from need not be that of a row that is there."""
    naive, random = naive_of(snapshot), Random(1)
    compared = 0
    for drawn in random_specs(6, 420):
        spec = replace(drawn, limit=random.choice([None, 3]), offset=0)
        found = naive.grouped(spec) if spec.grouped else [(naive.row_keys(spec, row), row) for row in naive.rows(spec)]
        if len(found) < 2 or not found[0][0]:
            continue
        # The keys of one row and the last key of another; of groups all come from one.
        keys = [stored(key) for key in random.choice(found)[0]]
        if not spec.grouped:
            keys[-1] = random.choice(found)[0][-1]
        if any(isinstance(key, float) and key != round(key, 6) for key in keys):
            continue  # worked out in another order, the last digits may differ
        spec = replace(spec, after=tuple(keys))
        wanted = naive.run(spec)
        assert not (said := difference(snapshot, naive, spec, wanted, naive.whole)), f"{spec.to_json()}: {said}"
        compared += 1
    assert compared > 150


def test_groups_by_month_name_and_by_measure_are_walked(snapshot: Snapshot) -> None:
    spec = QuerySpec(
        "Case",
        groups=(Group("CreatedDate", "month_name", "month"), Group("Account.ShippingState")),
        measures=(Measure("count", alias="n"), Measure("min", "Subject", "first")),
        having=(Having("n", "ge", 1),),
        order=(Order("n", descending=True), Order("first")),
    )
    rows = snapshot.run(spec, TODAY).rows
    assert len(rows) > 20
    for size in (1, 5):
        assert walk(snapshot, spec, size) == rows


def test_a_query_without_groups_has_nothing_behind_its_one_row(snapshot: Snapshot) -> None:
    spec = QuerySpec("Case", measures=(Measure("count", alias="n"),))
    assert snapshot.run(spec, TODAY).after is None
    assert snapshot.run(replace(spec, after=()), TODAY).rows == []


@pytest.mark.parametrize(
    "after",
    [(), ("x",), (None, None), (1, 2, 3), (True, "a"), (10**30, "a"), (float("nan"), "a"), ("2024-01-01", "a"),
     (1.5, "a"), (1, 7), (1, "a\0b"), (1, "\ud800"), (b"x", "a"), ([], "a")],
)  # fmt: skip
def test_a_place_that_cannot_be_is_refused(snapshot: Snapshot, after: tuple[Any, ...]) -> None:
    """A wrong number of values, or a value the key cannot have, is an error with its place, never an odd page."""
    spec = QuerySpec("Case", ("Id",), order=(Order("CreatedDate"),), after=after)
    with pytest.raises(QueryError) as caught:
        snapshot.run(spec, TODAY)
    assert caught.value.place == "after"


def test_the_number_of_rows_does_not_depend_on_the_page(snapshot: Snapshot) -> None:
    spec = QuerySpec("Case", ("Id",), Compare("Status", "eq", "closed"), order=(Order("CreatedDate"),), limit=5)
    first = snapshot.run(spec, TODAY)
    later = replace(spec, after=first.after)
    assert (
        snapshot.count(later, TODAY) == snapshot.count(spec, TODAY) == snapshot.count(replace(spec, limit=None), TODAY)
    )


def test_what_the_cap_cuts_is_always_said_and_can_be_continued(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, groups and child rows beyond the cap are never left out silently."""
    monkeypatch.setattr(snapshots, "ROW_CAP", 10)
    cut = snapshot.run(QuerySpec("Case", ("Id",)), TODAY)
    assert (len(cut.rows), cut.truncated) == (10, True)
    assert snapshot.run(QuerySpec("Case", ("Id",), limit=10_000), TODAY).truncated
    assert snapshot.run(QuerySpec("Case", ("Id",), limit=10), TODAY).truncated
    groups = snapshot.run(QuerySpec("Case", groups=(Group("CreatedDate", "day"),)), TODAY)
    assert (len(groups.rows), groups.truncated) == (10, True)
    inside = ChildRows("Case", "AccountId", ("Id", Period("CreatedDate", "month")), alias="cases")
    spec = QuerySpec("Account", ("Id", inside), limit=8)
    seen, result = [], snapshot.run(spec, TODAY)
    while True:
        assert sum(len(row[1]) for row in result.rows) <= 10
        seen += result.rows
        if result.after is None:
            break
        result = snapshot.run(replace(spec, after=result.after), TODAY)
    monkeypatch.setattr(snapshots, "ROW_CAP", 50_000)
    assert seen == snapshot.run(replace(spec, limit=None), TODAY).rows
    monkeypatch.setattr(snapshots, "ROW_CAP", 2)
    one = snapshot.run(replace(spec, limit=1), TODAY)
    assert one.truncated
    assert len(one.rows[0][1]) == 2
