"""The exported tables as data frames, and periods worked out from scratch.

Nothing here or beside it imports the query engine or the answer rules: a mistake there must not repeat itself here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

Tables = Mapping[str, pd.DataFrame]

FIRST_MONTH = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every CSV file of ``folder`` by its name; all columns text, empty where the field is."""
    return {
        path.stem: pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
        for path in sorted(folder.glob("*.csv"))
    }


def plain(column: pd.Series) -> pd.Series:
    """Texts without capitals and accents: what people would call the same word is the same word."""
    return column.str.normalize("NFKD").str.replace("[\u0300-\u036f]", "", regex=True).str.casefold()


def named(column: pd.Series, record_ids: Iterable[str]) -> pd.Series:
    """True where the column names one of the records; the last three of 18 characters add nothing to an Id."""
    return column.str[:15].isin([record_id[:15] for record_id in record_ids])


def moments(column: pd.Series, zone: str) -> pd.Series:
    """Dates and times with offset, in the zone of the Org; NaT where empty."""
    return pd.to_datetime(column.where(column != "", None), utc=True, format="ISO8601").dt.tz_convert(zone)


def in_window(column: pd.Series, window: Mapping[str, Any], today: pd.Timestamp, zone: str) -> pd.Series:
    """True where the moment lies in the period of an instance's parameters, whole days, both ends included."""
    first, last = period(window, today)
    day = moments(column, zone).dt.tz_localize(None).dt.normalize()
    inside: pd.Series[bool] = day.between(first, last)
    return inside


def dated_in_window(column: pd.Series, window: Mapping[str, Any], today: pd.Timestamp) -> pd.Series:
    """True where a date without a time lies in the period, both ends included; false where it is empty."""
    first, last = period(window, today)
    days = pd.to_datetime(column.where(column != "", None), format="ISO8601")
    inside: pd.Series[bool] = days.between(first, last)
    return inside


def period(window: Mapping[str, Any], today: pd.Timestamp) -> tuple[pd.Timestamp, pd.Timestamp]:
    """First and last day of a period."""
    ((kind, value),) = window.items()
    if kind.startswith("past_"):
        unit = kind.removeprefix("past_")
        if unit in ("months", "quarters"):
            return today - pd.DateOffset(months=int(value) * (3 if unit == "quarters" else 1)), today
        return today - pd.Timedelta(days=int(value) * {"days": 1, "weeks": 7}[unit]), today
    if kind == "year":
        return pd.Timestamp(int(value), 1, 1), pd.Timestamp(int(value), 12, 31)
    if kind == "month":
        month = pd.Period(value, freq="M")
        return month.start_time.normalize(), month.end_time.normalize()
    if kind == "quarter":
        quarter = pd.Period(value.replace("-", ""), freq="Q")
        return quarter.start_time.normalize(), quarter.end_time.normalize()
    if kind == "season":
        year, season = value.lower().split("-")
        first = pd.Timestamp(int(year), FIRST_MONTH[season], 1)
        return first, first + pd.DateOffset(months=3) - pd.Timedelta(days=1)
    raise ValueError(f"the period {kind!r} is not known")


class Ranked(list[str | None]):
    """An answer with the scores it was chosen by, so that these can be compared too."""

    def __init__(self, values: Iterable[str | None], scores: pd.Series) -> None:
        super().__init__(values)
        self.scores = {str(label): float(score) for label, score in scores.items()}


def one(scores: pd.Series, *, highest: bool) -> Ranked:
    """The label of the one best score; [None] where there is none or the first place is shared."""
    if scores.empty:
        return Ranked([None], scores)
    best = scores.max() if highest else scores.min()
    leaders = scores.index[(scores - best).abs() <= 1e-9 * max(1.0, abs(float(best)))]
    return Ranked([str(leaders[0])] if len(leaders) == 1 else [None], scores)
