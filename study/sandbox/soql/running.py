"""Asking an Org by a SOQL text.

Nothing is cut silently: plain rows come in pages with a locator for the next, and
a query with more groups than one answer holds is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from study.sandbox.engine.errors import QueryError, QueryTimeout
from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.soql.errors import (
    EXCEEDED_ID_LIMIT,
    INVALID_QUERY_LOCATOR,
    SoqlError,
    from_engine,
)
from study.sandbox.soql.parser import parse_soql
from study.sandbox.soql.planning import Plan, plan

PAGE = 2_000
MAX_GROUPS = 2_000


@dataclass(frozen=True)
class SoqlResult:
    """The answer to a query, or one page of it.

    ``total_size`` is exact. ``done`` is False where more rows follow; ``next`` given
    as ``after`` then gives them. Rows of a subquery are tuples inside a cell, their
    columns in ``children`` under the cell's column. ``first`` is the number of rows before these.
    """

    total_size: int
    done: bool
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    next: str | None
    object: str
    spec: QuerySpec
    first: int = 0
    children: dict[str, tuple[str, ...]] = field(default_factory=dict)


@contextmanager
def located(text: str) -> Iterator[None]:
    """Every error of a query text inside this block leaves it as a SoqlError that knows its place."""
    try:
        yield
    except SoqlError as error:
        raise error.located(text) from None
    except QueryTimeout:
        raise
    except QueryError as error:
        raise from_engine(error).located(text) from error


def run_soql(snapshot: Snapshot, text: str, today: date, *, after: str | None = None, page: int = PAGE) -> SoqlResult:
    """The answer to a SOQL text, at most ``page`` rows of it from ``after`` on.

    SoqlError with code and place for any text that cannot be answered, QueryTimeout
    (a QueryError too) for one that takes too long.
    """
    with located(text):
        found = plan(snapshot.registry, parse_soql(text))
        if found.counting:
            total = _within(found.spec, snapshot.count(found.spec, today))
            return SoqlResult(total, True, (), (), [], None, found.spec.object, found.spec)
        if found.spec.grouped:
            return _grouped(snapshot, found, today)
        return answer(snapshot, found, today, after, page)


def _within(spec: QuerySpec, count: int) -> int:
    """How many of so many rows lie behind the offset and within the limit of a query."""
    left = max(0, count - spec.offset)
    return left if spec.limit is None else min(left, spec.limit)


def _grouped(snapshot: Snapshot, found: Plan, today: date) -> SoqlResult:
    wanted = MAX_GROUPS + 1 if found.spec.limit is None else min(found.spec.limit, MAX_GROUPS + 1)
    result = snapshot.run(replace(found.spec, limit=wanted), today)
    if len(result.rows) > MAX_GROUPS:
        message = f"This query has more than {MAX_GROUPS:,} groups. LIMIT, HAVING or a condition makes them fewer."
        raise SoqlError(EXCEEDED_ID_LIMIT, message)
    places = [result.columns.index(inside) for _, inside in found.shown]
    rows = [tuple(row[place] for place in places) for row in result.rows]
    types = tuple(result.types[place] for place in places)
    columns = tuple(name for name, _ in found.shown)
    return SoqlResult(len(rows), True, columns, types, rows, None, found.spec.object, found.spec)


def answer(snapshot: Snapshot, found: Plan, today: date, after: str | None, page: int) -> SoqlResult:
    """One page of plain rows."""
    spec = found.spec
    seen, behind = _place(after)
    left = page if spec.limit is None else min(page, max(0, spec.limit - seen))
    here = replace(spec, limit=left)
    if behind is not None:
        here = replace(here, after=behind, offset=0)
    try:
        result = snapshot.run(here, today)
    except QueryError as error:
        if after is not None and error.place == "after":
            raise _no_locator() from error
        raise
    if result.parted:
        message = "A record here has more child rows than one answer holds. LIMIT them, or ask FROM their object."
        raise SoqlError(EXCEEDED_ID_LIMIT, message)
    # A first page that holds everything needs no counting: its rows were counted as they came.
    whole = behind is None and (not result.truncated or (spec.limit is not None and len(result.rows) >= spec.limit))
    total = len(result.rows) if whole else _within(spec, snapshot.count(spec, today))
    width = len(found.shown)
    rows = [row[:width] for row in result.rows]
    done = seen + len(rows) >= total
    ahead = None if done or result.after is None else _locator(seen + len(rows), result.after)
    columns = tuple(name for name, _ in found.shown)
    return SoqlResult(
        total, done, columns, result.types[:width], rows, ahead, spec.object, spec, seen, found.children
    )  # fmt: skip


def _locator(seen: int, behind: tuple[Any, ...]) -> str:
    plain = json.dumps([seen, *behind], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def _no_locator() -> SoqlError:
    return SoqlError(INVALID_QUERY_LOCATOR, "This page of the answer is not known. Run the query again.")


def _place(locator: str | None) -> tuple[int, tuple[Any, ...] | None]:
    if not locator:
        return 0, None
    try:
        padded = locator + "=" * (-len(locator) % 4)
        seen, *behind = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, UnicodeError, TypeError, RecursionError) as error:
        raise _no_locator() from error
    known = isinstance(seen, int) and not isinstance(seen, bool) and 0 <= seen < 2**53
    if not known or not behind or any(isinstance(one, list | dict | bool) for one in behind):
        raise _no_locator()
    return seen, tuple(behind)
