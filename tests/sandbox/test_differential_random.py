"""Random queries: the engine against a naive reading of the same query, in two zones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from study.sandbox.engine import connections
from study.sandbox.engine.queryspec import from_json
from study.sandbox.engine.queryspec_url import from_short, short_form
from study.sandbox.engine.snapshot import Snapshot
from tests.sandbox.differential import LINES, Comparison, compare, naive_of
from tests.sandbox.differential_org import differential_snapshot
from tests.sandbox.naive import Naive
from tests.sandbox.random_specs import random_specs

NUMBER = 1_400
"""Queries in each zone."""
ZONES = [("UTC", 1), ("America/New_York", 2)]
_SEEN: dict[str, Comparison] = {}


@pytest.fixture(scope="module", params=ZONES, ids=[zone for zone, _ in ZONES])
def org(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Naive]:
    zone, fiscal_start = request.param
    folder = Path(tmp_path_factory.mktemp("org"))
    snapshot = differential_snapshot(folder, zone=zone, fiscal_start=fiscal_start)
    return snapshot, naive_of(snapshot)


def test_the_engine_answers_as_a_naive_reading_does(org: tuple[Snapshot, Naive]) -> None:
    """P-46, P-47, P-48, P-51, P-52: 2,800 queries of every part, none answered differently."""
    snapshot, naive = org
    specs = random_specs(ZONES.index((snapshot.zone, snapshot.registry.fiscal_start)) + 1, NUMBER)
    _SEEN[snapshot.zone] = found = compare(snapshot, naive, specs)
    both = list(_SEEN.values())
    whole = Comparison(
        sum(one.compared for one in both), sum(one.telling for one in both), [d for one in both for d in one.differing]
    )
    LINES[:] = [str(whole)]
    assert not found.differing, "\n".join(found.differing)
    assert found.compared == NUMBER
    if len(both) == len(ZONES):
        assert whole.compared >= 2_000
        assert whole.telling >= 300


def test_every_query_has_one_json_form_and_one_short_form() -> None:
    for spec in random_specs(3, 300):
        assert from_json(spec.to_json()) == spec
        assert from_short(short_form(spec)) == spec


BROKEN = {
    "less than is less or equal": (" < :", " <= :"),
    "at least is more than": (") >= :", ") > :"),
    "not forgets empty fields": (" IS NOT TRUE", " IS FALSE"),
    "is not forgets empty fields": (" IS NOT :", " <> :"),
    "not in forgets empty fields": (" IS NOT 1", " = 0"),
    "records without a parent fall out": ("LEFT JOIN", "JOIN"),
    "empty values come last": ("NULLS FIRST", "NULLS LAST"),
    "every value counts": ("count(DISTINCT ", "count("),
    "a measure forgets its condition": ("FILTER (WHERE", "FILTER (WHERE 1 OR"),
    "groups keep what having leaves out": (" HAVING ", " HAVING 1 OR "),
    "days of the week begin on Monday": ("strftime('%w'", "strftime('%u'"),
    "months are those of Greenwich": ("local_ms(", "("),
    "one child row too many": ("WHERE n <= ", "WHERE n - 1 <= "),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_differential_run_sees_a_broken_operator(org: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The comparison can fail: each of these faults is one in the SQL the engine makes."""
    snapshot, naive = org
    old, new = BROKEN[name]
    if "local_ms" in old and snapshot.zone == "UTC":
        pytest.skip("all clocks are those of Greenwich here")
    rows = connections.Guarded.rows
    broken: list[str] = []

    def faulty(self: Any, sql: str, *rest: Any) -> Any:
        broken.extend([old] if old in sql else [])
        return rows(self, sql.replace(old, new), *rest)

    monkeypatch.setattr(connections.Guarded, "rows", faulty)
    snapshot._counted.clear()
    found = compare(snapshot, naive, random_specs(4, 400), most=1)
    snapshot._counted.clear()
    assert broken
    assert found.differing, f"{name}: nobody noticed"
    assert str(found).endswith("1 differ")
