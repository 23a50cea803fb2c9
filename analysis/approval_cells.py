"""How the numbers of approval are written in cells and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures import interval_words, percent

Row = Mapping[str, Any]


def p_words(p: float) -> str:
    """ "p = .012", "p < .001"."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1) if p < 1 else "p = 1"


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


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def full_sentence(text: str) -> str:
    return f"{capital(text)}." if text else ""
