"""The engine beside the naive reading, query by query, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from study.sandbox.engine.queryspec import And, Compare, InQuery, Not, Or, QuerySpec, Related
from study.sandbox.engine.snapshot import Snapshot
from tests.sandbox.naive import Naive
from tests.sandbox.naive_values import plain

LINES: list[str] = []
"""What was compared in this run; conftest.py prints it at the end, whatever else is printed."""


@dataclass
class Comparison:
    """How many queries were compared, how many of them tell something, and which differ."""

    compared: int = 0
    telling: int = 0
    differing: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.compared:,} specs compared, {self.telling:,} non-empty with having/related/nulls/month, "
            f"{len(self.differing):,} differ"
        )


def naive_of(snapshot: Snapshot) -> Naive:
    return Naive(snapshot.registry, {name: list(rows) for name, rows in snapshot.tables()})


def compare(snapshot: Snapshot, naive: Naive, specs: Iterable[QuerySpec], most: int = 5) -> Comparison:
    """Each query answered both ways; stops after ``most`` differences."""
    found = Comparison()
    for spec in specs:
        found.compared += 1
        wanted, whole = naive.run(spec), naive.whole
        found.telling += bool(wanted) and telling(spec)
        if said := difference(snapshot, naive, spec, wanted, whole):
            found.differing.append(f"{spec.to_json()}: {said}")
            if len(found.differing) >= most:
                break
    return found


def difference(snapshot: Snapshot, naive: Naive, spec: QuerySpec, wanted: list[tuple[Any, ...]], whole: int) -> str:
    """What the engine says otherwise; empty if nothing."""
    try:
        result = snapshot.run(spec, naive.today)
        count = snapshot.count(spec, naive.today)
    except Exception as error:  # whatever it is, an answer was wanted: it counts as a difference
        return f"{type(error).__name__}: {error}"
    if len(result.rows) != len(wanted):
        return f"{len(result.rows)} rows, not {len(wanted)}"
    for row, expected in zip(result.rows, wanted, strict=True):
        for value, other, kind in zip(row, expected, result.types, strict=True):
            if not same(value, other, folded=spec.grouped and kind in {"string", "picklist"}):
                return f"{row}, not {expected}"
    if count != whole:
        return f"counts {count}, not {whole}"
    more = spec.limit is not None and spec.after is None and whole - spec.offset > spec.limit
    if spec.after is None and result.truncated != more:
        return f"truncated is {result.truncated}"
    return ""


def same(value: object, other: object, *, folded: bool) -> bool:
    if isinstance(value, float) and isinstance(other, int | float):
        return math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(value, tuple) and isinstance(other, tuple):
        pairs = zip(value, other, strict=False)
        return len(value) == len(other) and all(same(one, two, folded=folded) for one, two in pairs)
    if folded and isinstance(value, str) and isinstance(other, str):
        return plain(value) == plain(other)
    return value == other and type(value) is type(other)


def telling(spec: QuerySpec) -> bool:
    """Whether it has conditions on groups, related records, empty values, or groups by month."""
    months = any(group.by in {"month", "month_name", "month_of_year"} for group in spec.groups)
    last = any(order.nulls == "last" for order in spec.order)
    return bool(spec.having) or months or last or _in(spec.where)


def _in(item: Any) -> bool:
    match item:
        case And() | Or():
            return any(_in(part) for part in item.items)
        case Not():
            return _in(item.item)
        case Compare():
            return item.op in {"null", "not_null"}
    return isinstance(item, Related | InQuery)
