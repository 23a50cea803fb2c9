"""How long people took: seconds per item of each page whose times are known, and of the whole visit."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd

FAST = 2.0
"""Seconds per item under which a page was hardly read (Huang et al. 2012; Bowling et al. 2023)."""


def rating_pages(ratings: pd.DataFrame) -> pd.DataFrame:
    """Pages with ratings: visit, items, seconds from shown to the last choice. One row per page.

    Rows shown in the same instant stood on one page (a matrix). A page that was shown and answered in one instant has
    no time of its own; it is left out. Coming back to a page makes it longer, never shorter.
    """
    known = ratings[ratings["shown_at"].notna() & ratings["final_at"].notna()]
    pages = known.groupby(["visit", "shown_at"], sort=True).agg(items=("final_at", "size"), last=("final_at", "max"))
    pages = pages.reset_index()
    pages["seconds"] = (pages["last"] - pages["shown_at"]).dt.total_seconds()
    return pages.loc[pages["seconds"] > 0, ["visit", "items", "seconds"]]


def closing_pages(closing: pd.DataFrame, repeated: Collection[str] = ()) -> pd.DataFrame:
    """Closing pages: visit, answered items, seconds until the next page was shown. The last page has no end.

    Pages on which nothing was answered are left out: an optional text is rightly passed over at once. repeated: ids
    of questions asked once for each object or episode; all lines of such a one count as one item, read once.
    """
    known = closing[closing["shown_at"].notna()]
    known = known[(known["value"] != "") | (known["value_blank"] == "rather_not_say")]
    stems = [next((name for name in repeated if item.startswith(f"{name}_")), item) for item in known["item"]]
    counts = known.assign(stem=stems).groupby(["visit", "shown_at"])["stem"].nunique()
    every = closing.loc[closing["shown_at"].notna(), ["visit", "shown_at"]].drop_duplicates()
    table = every.sort_values(["visit", "shown_at"]).reset_index(drop=True)
    table["items"] = counts.reindex(pd.MultiIndex.from_frame(table), fill_value=0).to_numpy()
    following = table.groupby("visit")["shown_at"].shift(-1)
    table["seconds"] = (following - table["shown_at"]).dt.total_seconds()
    return table.loc[(table["items"] > 0) & (table["seconds"] > 0), ["visit", "items", "seconds"]]


def fast_pages(ratings: pd.DataFrame, closing: pd.DataFrame, repeated: Collection[str] = ()) -> pd.DataFrame:
    """Per visit (index) the pages with known times and those under 2 seconds per item."""
    parts = [part for part in (rating_pages(ratings), closing_pages(closing, repeated)) if len(part)]
    if not parts:
        return pd.DataFrame({"pages": [], "fast": []}, dtype=int)
    pages = pd.concat(parts, ignore_index=True)
    marked = pages.assign(fast=(pages["seconds"] / pages["items"] < FAST).astype(int))
    return marked.groupby("visit").agg(pages=("fast", "size"), fast=("fast", "sum"))


def total_seconds(visits: pd.DataFrame, ratings: pd.DataFrame) -> pd.Series[Any]:
    """Active seconds of the work plus seconds from the first rating shown to the lock, by visit; known ones only."""
    by_visit = visits.set_index("id")
    rated = ratings[ratings["kind"].isin(["org", "object"])].groupby("visit")["shown_at"].min()
    block = (by_visit["locked_at"] - rated.reindex(by_visit.index)).dt.total_seconds()
    work = by_visit["work_active_s"].astype("Float64")
    total: pd.Series[Any] = (work + block.astype("Float64")).dropna().astype(float)
    return total[total > 0]
