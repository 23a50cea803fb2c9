"""Matrices against pandas: cells, and totals that are asked for and not added up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pytest

from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.matrix import matrix
from study.sandbox.engine.queryspec import Compare, Difference, Group, Having, Measure, Order, QuerySpec
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


def pivot(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    cases = frames["Case"].copy()
    at = pd.to_datetime(cases["CreatedDate"], utc=True).dt.tz_convert(NEW_YORK)
    cases["quarter"] = at.dt.year.astype(str) + "-Q" + at.dt.quarter.astype(str)
    cases["status"] = cases["Status"].str.lower()
    closed = pd.to_datetime(cases["ClosedDate"], utc=True) - pd.to_datetime(cases["CreatedDate"], utc=True)
    cases["hours"] = closed.dt.total_seconds() / 3600
    return cases


MATRIX = QuerySpec(
    "Case",
    groups=(Group("Status"), Group("CreatedDate", "quarter", "quarter", across=True)),
    measures=(
        Measure("count", alias="n"), Measure("avg", None, "hours", Difference("ClosedDate", "CreatedDate", "hours")),
        Measure("count_distinct", "OwnerId", "owners"),
    ),
)  # fmt: skip


def test_a_matrix_has_totals_of_its_own(snapshot: Snapshot, frames: dict[str, pd.DataFrame]) -> None:
    """Averages and numbers of different values don't add up: each total is asked for."""
    cases = pivot(frames)
    found = matrix(snapshot, MATRIX, TODAY)

    def said(some: pd.DataFrame) -> Any:
        hours = None if some["hours"].isna().all() else some["hours"].mean()
        return (len(some), pytest.approx(hours), some["OwnerId"].nunique()) if len(some) else None

    assert list(found.columns) == sorted(cases["quarter"].unique())
    assert [row[0].lower() for row in found.rows] == sorted(cases["status"].unique())
    for (status,), cells, total in zip(found.rows, found.cells, found.row_totals, strict=True):
        row = cases[cases["status"] == status.lower()]
        assert total == said(row)
        for quarter, cell in zip(found.columns, cells, strict=True):
            assert cell == said(row[row["quarter"] == quarter])
    for quarter, total in zip(found.columns, found.column_totals, strict=True):
        assert total == said(cases[cases["quarter"] == quarter])
    assert found.total == said(cases)
    assert sum(total[2] for total in found.row_totals) > found.total[2]


def test_having_chooses_rows_of_a_matrix_and_totals_are_of_what_is_left(
    snapshot: Snapshot, frames: dict[str, pd.DataFrame]
) -> None:
    cases = pivot(frames).fillna({"Priority": ""})
    spec = replace(
        MATRIX, groups=(Group("Priority"), *MATRIX.groups), having=(Having("n", "ge", 7),),
        order=(Order("n", descending=True), Order("quarter", descending=True)),
    )  # fmt: skip
    found = matrix(snapshot, spec, TODAY)
    sizes = cases.groupby(["Priority", "status"])["Id"].transform("size")
    kept = cases[sizes >= 7]
    assert 0 < len(kept) < len(cases)
    assert found.total[0] == len(kept) == sum(total[0] for total in found.row_totals)
    assert {((p or ""), s.lower()) for p, s in found.rows} == set(zip(kept["Priority"], kept["status"], strict=True))
    assert [total[0] for total in found.row_totals] == sorted((t[0] for t in found.row_totals), reverse=True)
    assert list(found.columns) == sorted(kept["quarter"].unique(), reverse=True)
    assert [t[0] for t in found.column_totals] == [int((kept["quarter"] == q).sum()) for q in found.columns]
    for total, cells in zip(found.row_totals, found.cells, strict=True):
        assert total[0] == sum(cell[0] for cell in cells if cell)
    first = matrix(snapshot, replace(spec, limit=1), TODAY)
    assert first.rows == found.rows[:1]
    assert first.truncated
    assert first.cells == found.cells[:1]


def test_a_matrix_of_one_row(snapshot: Snapshot) -> None:
    found = matrix(snapshot, replace(MATRIX, groups=MATRIX.groups[1:]), TODAY)
    assert found.rows == ((),)
    assert found.row_totals == (found.total,)
    assert found.cells == (found.column_totals,)
    empty = matrix(snapshot, replace(MATRIX, where=Compare("Subject", "eq", "no such")), TODAY)
    assert (empty.rows, empty.columns, empty.cells, empty.total) == ((), (), (), (0, None, 0))


def test_what_is_no_matrix_is_refused(snapshot: Snapshot) -> None:
    for spec in (
        QuerySpec("Case", ("Id",)),
        replace(MATRIX, groups=MATRIX.groups[:1]),
        replace(MATRIX, measures=()),
        replace(MATRIX, having=(Having("quarter", "eq", "2024-Q1"),)),
        replace(MATRIX, after=("new",)),
    ):
        with pytest.raises(QueryError):
            matrix(snapshot, spec, TODAY)
