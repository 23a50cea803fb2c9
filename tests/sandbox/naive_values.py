"""Single values in the naive reading: how they are folded, ordered, matched and told apart."""

from __future__ import annotations

import unicodedata
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from study.sandbox.engine.queryspec import DateRange, Order

SHORT = {"string", "picklist"}
MONTHS = [date(2000, n, 1).strftime("%B") for n in range(1, 13)]


@lru_cache(maxsize=100_000)
def plain(text: str) -> str:
    for whole, parts in (("ł", "l"), ("Ł", "l"), ("ß", "ss"), ("ø", "o")):
        text = text.replace(whole, parts)
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def key(value: Any, kind: str) -> Any:
    """What a value is compared, grouped and sorted by."""
    return plain(value) if value is not None and kind in SHORT else value


def stored(value: Any) -> Any:
    """A key as a place to continue from holds it."""
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    return value.isoformat() if isinstance(value, date) else int(value) if isinstance(value, bool) else value


def as_shown(value: Any, kind: str) -> Any:
    return MONTHS[value - 1] if kind == "month" and value is not None else value


def before(left: tuple[Any, ...], right: tuple[Any, ...], orders: tuple[Order, ...]) -> int:
    """Below 0 where the left row comes first. Keys beyond the orders: up, empty ones first."""
    for place, (a, b) in enumerate(zip(left, right, strict=True)):
        order = orders[place] if place < len(orders) else Order("", False)
        if a is None or b is None:
            if a is not b:
                return -1 if (a is None) == (order.nulls == "first") else 1
        elif sortable(a) != sortable(b):
            return -1 if (sortable(a) < sortable(b)) != order.descending else 1
    return 0


def sortable(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def means(word: DateRange, day: date, today: date, fiscal_start: int) -> bool:
    months = (today.year - day.year) * 12 + today.month - day.month
    fiscal = [(d.year * 12 + d.month - fiscal_start) // 12 for d in (day, today)]
    quarters = [(d.year * 12 + d.month - 1 - (fiscal_start - 1)) // 3 for d in (day, today)]
    sundays = [d - timedelta(days=d.isoweekday() % 7) for d in (day, today)]
    n = word.n or 0
    # From the same day of the month, or its last, three times n months ago.
    rolled = day.day >= min(today.day, monthrange(day.year, day.month)[1])
    return {
        "today": day == today, "this_month": months == 0, "last_month": months == 1, "next_month": months == -1,
        "last_n_months": 1 <= months <= n, "n_months_ago": months == n, "this_year": day.year == today.year,
        "last_year": day.year == today.year - 1, "this_week": sundays[0] == sundays[1],
        "last_n_weeks": timedelta(0) < sundays[1] - sundays[0] <= timedelta(weeks=n),
        "last_n_days": timedelta(0) <= today - day <= timedelta(days=n),
        "past_quarters": day <= today and (months < 3 * n or (months == 3 * n and rolled)),
        "next_n_days": timedelta(0) < day - today <= timedelta(days=n),
        "this_fiscal_year": fiscal[0] == fiscal[1], "last_fiscal_quarter": quarters[0] == quarters[1] - 1,
    }[word.word]  # fmt: skip


def like(text: str, pattern: str) -> bool:
    """Whether a plain text fits a pattern with % and _; a backslash takes the next character as it is."""
    if not pattern:
        return not text
    first, rest = pattern[0], pattern[1:]
    if first == "%":
        return any(like(text[place:], rest) for place in range(len(text) + 1))
    if first == "\\" and rest:
        first, rest = rest[0], rest[1:]
    elif first == "_":
        return bool(text) and like(text[1:], rest)
    letters = plain(first)
    return text.startswith(letters) and like(text[len(letters) :], rest)


def fits(op: str, left: Any, right: Any) -> bool:
    if op in {"contains", "starts"}:
        return right in left if op == "contains" else left.startswith(right)
    left, right = sortable(left), sortable(right)
    return {"eq": left == right, "ne": left != right}[op] if op in {"eq", "ne"} else {
        "lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[op]  # fmt: skip
