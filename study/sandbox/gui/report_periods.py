"""What the dates of a report are gathered by, in words, and the words of one period or part of the calendar."""

from __future__ import annotations

from datetime import date

from django.utils.translation import gettext_lazy

from study.sandbox.gui.terms import part_words, period_words

GROUPINGS = {
    "month": gettext_lazy("by month"),
    "month_name": gettext_lazy("by month of any year"),
    "quarter": gettext_lazy("by quarter"),
    "year": gettext_lazy("by year"),
    "week": gettext_lazy("by week"),
    "day": gettext_lazy("by day"),
    "hour_of_day": gettext_lazy("by hour of day"),
    "day_of_week": gettext_lazy("by day of week"),
    "day_of_month": gettext_lazy("by day of month"),
    "week_of_year": gettext_lazy("by week of year"),
    "quarter_of_year": gettext_lazy("by quarter of any year"),
    "fiscal_quarter_of_year": gettext_lazy("by fiscal quarter of any year"),
    "fiscal_year": gettext_lazy("by fiscal year"),
}
COMPARISONS = {
    "gt": gettext_lazy("more than"),
    "ge": gettext_lazy("at least"),
    "eq": gettext_lazy("exactly"),
    "ne": gettext_lazy("not exactly"),
    "le": gettext_lazy("at most"),
    "lt": gettext_lazy("less than"),
}
IN_A_ROW = frozenset({"month", "quarter", "year", "week", "day", "fiscal_year"})
"""Groupings that run on through time; a line chart fits them."""


def fits(by: str, kind: str) -> bool:
    """Whether dates of this type can be gathered so: plain days have no hours."""
    return by != "hour_of_day" or kind == "datetime"


def said(by: str, value: object) -> str:
    """One group in words: November 2024, Q2 2023, Sunday, 14:00 to 15:00."""
    if isinstance(value, int) and not isinstance(value, bool):
        return part_words(by, value)
    period = value.isoformat() if isinstance(value, date) else str(value)
    return period_words(f"{period}/7" if by == "week" else period)
