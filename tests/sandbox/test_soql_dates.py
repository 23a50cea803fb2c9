"""P-46, P-47: date words in a query are half-open ranges of days of the Org's zone, counted from the today."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from study.sandbox.soql import run_soql
from study.sandbox.soql.literals import DATE_WORDS
from tests.sandbox.small_org import PREFIXES, small_registry

# Worked out by hand for 31 January 2024, a Wednesday, in a fiscal year that starts in February:
# word, first day, last day.
JANUARY = [
    ("YESTERDAY", "2024-01-30", "2024-01-30"),
    ("TODAY", "2024-01-31", "2024-01-31"),
    ("TOMORROW", "2024-02-01", "2024-02-01"),
    ("LAST_WEEK", "2024-01-21", "2024-01-27"),
    ("THIS_WEEK", "2024-01-28", "2024-02-03"),
    ("NEXT_WEEK", "2024-02-04", "2024-02-10"),
    ("LAST_MONTH", "2023-12-01", "2023-12-31"),
    ("THIS_MONTH", "2024-01-01", "2024-01-31"),
    ("NEXT_MONTH", "2024-02-01", "2024-02-29"),
    ("LAST_QUARTER", "2023-10-01", "2023-12-31"),
    ("THIS_QUARTER", "2024-01-01", "2024-03-31"),
    ("NEXT_QUARTER", "2024-04-01", "2024-06-30"),
    ("LAST_YEAR", "2023-01-01", "2023-12-31"),
    ("THIS_YEAR", "2024-01-01", "2024-12-31"),
    ("NEXT_YEAR", "2025-01-01", "2025-12-31"),
    ("LAST_FISCAL_QUARTER", "2023-08-01", "2023-10-31"),
    ("THIS_FISCAL_QUARTER", "2023-11-01", "2024-01-31"),
    ("NEXT_FISCAL_QUARTER", "2024-02-01", "2024-04-30"),
    ("LAST_FISCAL_YEAR", "2022-02-01", "2023-01-31"),
    ("THIS_FISCAL_YEAR", "2023-02-01", "2024-01-31"),
    ("NEXT_FISCAL_YEAR", "2024-02-01", "2025-01-31"),
    ("LAST_90_DAYS", "2023-11-02", "2024-01-31"),
    ("NEXT_90_DAYS", "2024-02-01", "2024-04-30"),
    ("LAST_N_DAYS:7", "2024-01-24", "2024-01-31"),
    ("NEXT_N_DAYS:7", "2024-02-01", "2024-02-07"),
    ("N_DAYS_AGO:7", "2024-01-24", "2024-01-24"),
    ("LAST_N_WEEKS:2", "2024-01-14", "2024-01-27"),
    ("NEXT_N_WEEKS:2", "2024-02-04", "2024-02-17"),
    ("N_WEEKS_AGO:2", "2024-01-14", "2024-01-20"),
    ("LAST_N_MONTHS:2", "2023-11-01", "2023-12-31"),
    ("NEXT_N_MONTHS:2", "2024-02-01", "2024-03-31"),
    ("N_MONTHS_AGO:2", "2023-11-01", "2023-11-30"),
    ("LAST_N_QUARTERS:2", "2023-07-01", "2023-12-31"),
    ("NEXT_N_QUARTERS:2", "2024-04-01", "2024-09-30"),
    ("N_QUARTERS_AGO:2", "2023-07-01", "2023-09-30"),
    ("LAST_N_YEARS:2", "2022-01-01", "2023-12-31"),
    ("NEXT_N_YEARS:2", "2025-01-01", "2026-12-31"),
    ("N_YEARS_AGO:2", "2022-01-01", "2022-12-31"),
    ("LAST_N_FISCAL_QUARTERS:2", "2023-05-01", "2023-10-31"),
    ("NEXT_N_FISCAL_QUARTERS:2", "2024-02-01", "2024-07-31"),
    ("N_FISCAL_QUARTERS_AGO:2", "2023-05-01", "2023-07-31"),
    ("LAST_N_FISCAL_YEARS:2", "2021-02-01", "2023-01-31"),
    ("NEXT_N_FISCAL_YEARS:2", "2024-02-01", "2026-01-31"),
    ("N_FISCAL_YEARS_AGO:2", "2021-02-01", "2022-01-31"),
]
LEAP = [
    ("TODAY", "2024-02-29", "2024-02-29"),
    ("THIS_FISCAL_QUARTER", "2024-02-01", "2024-04-30"),
    ("N_YEARS_AGO:1", "2023-01-01", "2023-12-31"),
    ("LAST_N_MONTHS:12", "2023-02-01", "2024-01-31"),
    ("N_DAYS_AGO:365", "2023-03-01", "2023-03-01"),
]
ZONE = ZoneInfo("America/Denver")
MOMENT = timedelta(milliseconds=1)


def test_every_date_word_is_in_the_table() -> None:
    assert {word.partition(":")[0] for word, *_ in JANUARY} == set(DATE_WORDS)


def edges(words: list[tuple[str, str, str]]) -> list[datetime]:
    """The first and last moment of each range in Denver, and the moments just outside."""
    moments = set()
    for _, first, last in words:
        start = datetime.combine(date.fromisoformat(first), datetime.min.time(), ZONE).astimezone(UTC)
        after = date.fromisoformat(last) + timedelta(days=1)
        end = datetime.combine(after, datetime.min.time(), ZONE).astimezone(UTC)
        moments |= {start - MOMENT, start, end - MOMENT, end}
    return sorted(moments)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    moments = edges(JANUARY) + edges(LEAP)
    days = sorted({one.astimezone(ZONE).date() for one in moments})
    tables = {
        "Case": [{"Id": make_id(PREFIXES["Case"], n), "CreatedDate": one} for n, one in enumerate(moments)],
        "Order": [{"Id": make_id(PREFIXES["Order"], n), "EffectiveDate": day} for n, day in enumerate(days)],
    }
    folder = Path(tmp_path_factory.mktemp("dates"))
    registry = replace(small_registry(zone="America/Denver"), fiscal_start=2)
    return open_snapshot(write_snapshot(folder / "d.sqlite", registry, tables, today=date(2024, 1, 31)).path)


@pytest.mark.parametrize(
    ("word", "first", "last", "today"),
    [(*one, date(2024, 1, 31)) for one in JANUARY] + [(*one, date(2024, 2, 29)) for one in LEAP],
)
def test_a_date_word_is_a_half_open_range(snapshot: Snapshot, word: str, first: str, last: str, today: date) -> None:
    """P-46, P-47: equal means inside, in the Org's zone; plain days are compared as days."""
    start, end = date.fromisoformat(first), date.fromisoformat(last)

    def cases(condition: str) -> set[date]:
        rows = run_soql(snapshot, f"SELECT CreatedDate FROM Case WHERE CreatedDate {condition}", today).rows
        return {row[0].astimezone(ZONE).date() for row in rows}

    def orders(condition: str) -> set[date]:
        found = run_soql(snapshot, f"SELECT EffectiveDate FROM Order WHERE EffectiveDate {condition}", today).rows
        return {row[0] for row in found}

    for asked in (cases, orders):
        everything = asked("!= null")
        inside = {day for day in everything if start <= day <= end}
        assert start in inside
        assert end in inside
        assert asked(f"= {word}") == inside
        assert asked(f"!= {word.lower()}") == everything - inside
        assert asked(f"< {word}") == {day for day in everything if day < start}
        assert asked(f"<= {word}") == {day for day in everything if day <= end}
        assert asked(f"> {word}") == {day for day in everything if day > end}
        assert asked(f">= {word}") == {day for day in everything if day >= start}
        assert asked(f"IN ({word})") == inside


def test_an_offset_is_honoured(snapshot: Snapshot) -> None:
    at = "2024-01-31T00:00:00-07:00"
    for same in (at, "2024-01-31T07:00:00Z", "2024-01-31T07:00:00.000+0000", "2024-01-31T08:00:00+01:00"):
        found = run_soql(snapshot, f"SELECT CreatedDate FROM Case WHERE CreatedDate = {same}", date(2024, 1, 31))
        assert [row[0] for row in found.rows] == [datetime(2024, 1, 31, 7, tzinfo=UTC)]
