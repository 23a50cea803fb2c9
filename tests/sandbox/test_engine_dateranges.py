"""Date words as half-open ranges of days."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.sandbox.engine.daterange import WORDS, DateRange, add_months, resolve
from study.sandbox.engine.errors import QueryError

D = date


@pytest.mark.parametrize(
    ("word", "n", "today", "start", "end"),
    [
        ("today", None, D(2024, 2, 29), D(2024, 2, 29), D(2024, 3, 1)),
        ("yesterday", None, D(2024, 3, 1), D(2024, 2, 29), D(2024, 3, 1)),
        ("tomorrow", None, D(2023, 12, 31), D(2024, 1, 1), D(2024, 1, 2)),
        # Weeks start on Sunday; 31 March 2024 is one.
        ("this_week", None, D(2024, 3, 31), D(2024, 3, 31), D(2024, 4, 7)),
        ("this_week", None, D(2024, 3, 30), D(2024, 3, 24), D(2024, 3, 31)),
        ("last_week", None, D(2024, 3, 31), D(2024, 3, 24), D(2024, 3, 31)),
        ("last_n_weeks", 2, D(2024, 3, 30), D(2024, 3, 10), D(2024, 3, 24)),
        ("this_month", None, D(2024, 2, 29), D(2024, 2, 1), D(2024, 3, 1)),
        ("last_month", None, D(2024, 3, 31), D(2024, 2, 1), D(2024, 3, 1)),
        ("last_n_months", 4, D(2024, 3, 31), D(2023, 11, 1), D(2024, 3, 1)),
        ("next_n_months", 2, D(2024, 1, 31), D(2024, 2, 1), D(2024, 4, 1)),
        ("n_months_ago", 1, D(2024, 3, 31), D(2024, 2, 1), D(2024, 3, 1)),
        ("past_months", 1, D(2024, 3, 31), D(2024, 2, 29), D(2024, 4, 1)),
        ("past_months", 1, D(2023, 3, 31), D(2023, 2, 28), D(2023, 4, 1)),
        ("past_months", 4, D(2024, 5, 10), D(2024, 1, 10), D(2024, 5, 11)),
        ("past_months", 12, D(2024, 2, 29), D(2023, 2, 28), D(2024, 3, 1)),
        ("past_quarters", 1, D(2024, 5, 31), D(2024, 2, 29), D(2024, 6, 1)),
        ("past_quarters", 3, D(2024, 3, 31), D(2023, 6, 30), D(2024, 4, 1)),
        ("past_years", 2, D(2024, 2, 29), D(2022, 2, 28), D(2024, 3, 1)),
        ("last_n_days", 7, D(2024, 3, 3), D(2024, 2, 25), D(2024, 3, 4)),
        ("next_n_days", 7, D(2024, 2, 25), D(2024, 2, 26), D(2024, 3, 4)),
        ("n_days_ago", 1, D(2024, 3, 1), D(2024, 2, 29), D(2024, 3, 1)),
        ("this_quarter", None, D(2024, 3, 31), D(2024, 1, 1), D(2024, 4, 1)),
        ("last_quarter", None, D(2024, 1, 1), D(2023, 10, 1), D(2024, 1, 1)),
        ("next_quarter", None, D(2023, 12, 31), D(2024, 1, 1), D(2024, 4, 1)),
        ("last_year", None, D(2024, 2, 29), D(2023, 1, 1), D(2024, 1, 1)),
        ("last_90_days", None, D(2024, 3, 31), D(2024, 1, 1), D(2024, 4, 1)),
    ],
)
def test_words(word: str, n: int | None, today: date, start: date, end: date) -> None:
    """P-46: date words are ranges, start included, end excluded."""
    assert resolve(DateRange(word, n), today) == (start, end)


@pytest.mark.parametrize(
    ("word", "today", "start", "end"),
    [
        ("this_fiscal_quarter", D(2024, 1, 31), D(2023, 11, 1), D(2024, 2, 1)),
        ("this_fiscal_quarter", D(2024, 2, 1), D(2024, 2, 1), D(2024, 5, 1)),
        ("last_fiscal_quarter", D(2024, 2, 29), D(2023, 11, 1), D(2024, 2, 1)),
        ("this_fiscal_year", D(2024, 1, 31), D(2023, 2, 1), D(2024, 2, 1)),
        ("this_fiscal_year", D(2024, 2, 1), D(2024, 2, 1), D(2025, 2, 1)),
    ],
)
def test_a_fiscal_year_that_starts_in_february(word: str, today: date, start: date, end: date) -> None:
    """P-46: fiscal start is a fixed setting of the Org."""
    assert resolve(DateRange(word), today, fiscal_start=2) == (start, end)


@given(st.sampled_from(sorted(WORDS)), st.dates(D(1950, 1, 1), D(2100, 1, 1)), st.integers(1, 40), st.integers(1, 12))
def test_ranges_are_never_empty_and_units_follow_each_other(word: str, today: date, n: int, fiscal: int) -> None:
    start, end = resolve(DateRange(word, n if WORDS[word] else None), today, fiscal)
    assert start < end
    if word.startswith("this_"):
        before, after = (resolve(DateRange(word.replace("this", other)), today, fiscal) for other in ("last", "next"))
        assert before[1] == start <= today < end == after[0]


@pytest.mark.parametrize(
    "item",
    [
        DateRange("someday"),
        DateRange("last_n_days"),
        DateRange("today", 3),
        DateRange("last_n_days", 0),
        DateRange("last_n_years", 5_000),
        DateRange("next_n_days", 10**12),
    ],
)
def test_words_that_mean_nothing_are_refused(item: DateRange) -> None:
    with pytest.raises(QueryError) as caught:
        resolve(item, D(2024, 3, 31))
    assert caught.value.code == "INVALID_QUERY_VALUE"


def test_months_clip_to_their_last_day() -> None:
    assert add_months(D(2024, 1, 31), 1) == D(2024, 2, 29)
    assert add_months(D(2024, 2, 29), -12) == D(2023, 2, 28)
    assert add_months(D(2024, 3, 31), 0) == D(2024, 3, 31)
    assert add_months(D(2024, 3, 30), -1) + timedelta(days=1) == D(2024, 3, 1)
