"""How the numbers of approval are written in cells and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures import interval_words, percent
from analysis.number_words import capital

Row = Mapping[str, Any]


def share(row: Row) -> str:
    return "" if row.get("estimate") is None else percent(row["estimate"])


def limits(row: Row) -> str:
    return interval_words(row) if row.get("low") is not None else ""


def with_interval(row: Row) -> str:
    """ "62% (48 to 75)"; the counts where there is no percentage."""
    if row["estimate"] is None:
        return counted(row)
    between = limits(row)
    return f"{percent(row['estimate'])} ({between})" if between else percent(row["estimate"])


def counted(row: Row) -> str:
    return f"{row['k']} of {row['n']}"


def raters(number: int) -> str:
    return f"{number} rater{'' if number == 1 else 's'}"


def full_sentence(text: str) -> str:
    return f"{capital(text)}." if text else ""
