"""Rules from scores, pages and work. Each gives the visits it could be applied to, and those it met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.care.patterns import Floats, irv, longstring, person_total, robust_z
from analysis.care.times import fast_pages, total_seconds
from analysis.care.unusual import unusual
from analysis.context import Context
from analysis.discrimination.anchors import auc

Where = tuple[set[str], set[str]]
LEAST_RUN, LOWEST_SPREAD, FAR = 6, 0.2, 2.5
FEWEST_FOR_MEDIAN = 5
ENDED = ("answered", "none", "withheld", "skipped")
ANSWERED = ("answered", "none", "withheld")
EACH_SIDE, EACH_SIDE_SOFT = 6, 3
FAST_PAGES = 2


def overall(context: Context) -> pd.DataFrame:
    """Overall ratings of everything on five points, in the order shown: the Org, objects, then cards after the lock."""
    ratings = context.bundle.frames["ratings"]
    chosen = ratings[ratings["kind"].isin(["org", "object", "record"]) & ratings["dimension"].isin(["", "overall"])]
    rank = chosen["kind"].map({"org": 0, "object": 1, "record": 2})
    chosen = chosen.assign(rank=rank, score=chosen["final"].astype("Float64").to_numpy(dtype=float, na_value=np.nan))
    return chosen.sort_values(["visit", "rank", "shown_at", "position", "target"], kind="stable")


def from_scores(context: Context) -> dict[str, Where]:
    """Longest run, spread, likeness to the others; anchors."""
    rows = overall(context)
    parts, objects = rows[rows["kind"] != "record"], rows[rows["kind"] == "object"]
    conditions = context.visits[["arm", "condition"]].agg("|".join, axis=1) if len(context.visits) else pd.Series()
    return {
        "longest_run": _longest_run(rows),
        "spread": _spread(parts, conditions),
        "against_others": _among_others(objects, conditions, _negative),
        "unusual": _among_others(objects, conditions, unusual),
        **anchor_rules(rows, context.bundle.frames["cards"]),
    }


def _longest_run(rows: pd.DataFrame) -> Where:
    of, met = set(), set()
    for visit, scores in rows.groupby("visit", sort=False)["score"]:
        given = int(scores.notna().sum())
        run = longstring(scores.to_numpy())
        if run is None or given < LEAST_RUN:
            continue
        of.add(str(visit))
        if run >= max(LEAST_RUN, given / 2):
            met.add(str(visit))
    return of, met


def _spread(rows: pd.DataFrame, conditions: pd.Series[Any]) -> Where:
    """Under 0.2, or a robust z above 2.5 among those who rated the same condition (five or more of them)."""
    spread = {str(visit): irv(scores.to_numpy()) for visit, scores in rows.groupby("visit", sort=True)["score"]}
    known = {visit: value for visit, value in spread.items() if value is not None}
    met = {visit for visit, value in known.items() if value < LOWEST_SPREAD}
    for same in _by_condition(sorted(known), conditions):
        if len(same) >= FEWEST_FOR_MEDIAN:
            far = robust_z([known[visit] for visit in same]) > FAR
            met |= {visit for visit, is_far in zip(same, far, strict=True) if is_far}
    return set(known), met


def _by_condition(visits: list[str], conditions: pd.Series[Any]) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for visit in visits:
        found.setdefault(str(conditions.get(visit, "")), []).append(visit)
    return list(found.values())


def _negative(table: Floats) -> list[bool | None]:
    return [None if r is None else r < 0 for r in person_total(table)]


def _among_others(
    rows: pd.DataFrame, conditions: pd.Series[Any], rule: Callable[[Floats], Sequence[bool | None]]
) -> Where:
    """A rule that looks at each person's object ratings among all who rated the same condition."""
    of, met = set(), set()
    for same in _by_condition(sorted(set(rows["visit"])), conditions):
        chosen = rows[rows["visit"].isin(same)]
        table = chosen.pivot(index="visit", columns="target", values="score").reindex(same)
        for visit, meets in zip(same, rule(table.to_numpy(dtype=float)), strict=True):
            of |= {visit} if meets is not None else set()
            met |= {visit} if meets else set()
    return of, met


def anchor_rules(rows: pd.DataFrame, cards: pd.DataFrame) -> dict[str, Where]:
    """Area of .5 or less between clean and broken cards: strong with six of either shown, soft with three to five."""
    anchors = cards.loc[cards["kind"] == "anchors", ["visit", "target", "grade"]]
    rated = anchors.merge(rows.loc[rows["kind"] == "record", ["visit", "target", "score"]], on=["visit", "target"])
    found: dict[str, Where] = {"anchors": (set(), set()), "anchors_few": (set(), set())}
    for name, own in rated.groupby("visit"):
        broken = (own["grade"] > 0).to_numpy(dtype=bool, na_value=False)
        fewest = min(int(broken.sum()), int((~broken).sum()))
        area = auc(own["score"][~broken], own["score"][broken])
        if area is None or fewest < EACH_SIDE_SOFT:
            continue
        of, met = found["anchors" if fewest >= EACH_SIDE else "anchors_few"]
        of.add(str(name))
        if area <= 0.5:
            met.add(str(name))
    return found


def from_pages(context: Context) -> dict[str, Where]:
    """Rated unseen, pages under 2 seconds per item, and all of it in under half of the median."""
    frames = context.bundle.frames
    pages = fast_pages(frames["ratings"], frames["closing"], _repeated(context))
    total = total_seconds(frames["visits"], frames["ratings"])
    slow: set[str] = set()
    # A second hour goes faster for everybody, so it has a median of its own.
    for _, own in total.groupby(context.visits["period"].reindex(total.index).fillna(1)):
        if len(own) >= FEWEST_FOR_MEDIAN:
            slow |= {str(visit) for visit in own.index[own < own.median() / 2]}
    return {
        "rated_unseen": _unseen(context),
        "fast_pages": (set(map(str, pages.index)), set(map(str, pages.index[pages["fast"] >= FAST_PAGES]))),
        "speed": (set(map(str, total.index)), slow),
    }


def _repeated(context: Context) -> set[str]:
    """Ids of closing questions asked for each object or episode; the bundle has one row for each, `<id>_<which>`."""
    modules = context.bundle.protocol.get("modules")
    chosen = [one for one in modules if isinstance(one, dict)] if isinstance(modules, list) else []
    return {str(item["id"]) for one in chosen if one.get("for_each") for item in one.get("items") or []}


def has_looks(context: Context) -> bool:
    """Whether the protocol offers records to look at before each card (M3)."""
    rating = context.bundle.protocol.get("rating")
    return isinstance(rating, dict) and bool(rating.get("look"))


def _unseen(context: Context) -> Where:
    ratings = context.bundle.frames["ratings"]
    chosen = ratings[
        (ratings["kind"] == "object") & ratings["dimension"].isin(["", "overall"]) & ratings["final"].notna()
    ]
    known = chosen[chosen["opened_work"].notna() & chosen["opened_look"].notna()]
    if not has_looks(context):
        return set(), set()
    none = (known["opened_work"] == 0) & (known["opened_look"] == 0)
    return set(known["visit"]), set(known.loc[none.astype(bool), "visit"])


def from_work(context: Context) -> dict[str, Where]:
    """Questions that ended without any time on them, and answers without a record, a search or a filter."""
    attempts = context.bundle.frames["attempts"]
    timed = attempts[attempts["outcome"].isin(ENDED) & attempts["active_s"].notna()]
    done = attempts[attempts["outcome"].isin(ANSWERED) & attempts["records_opened"].notna()]
    moves = done[["records_opened", "searches", "filters"]].fillna(0).sum(axis=1)
    by_visit = moves.groupby(done["visit"].to_numpy()).sum()
    return {
        "task_unopened": (set(timed["visit"]), set(timed.loc[(timed["active_s"] == 0).astype(bool), "visit"])),
        "no_records": (set(map(str, by_visit.index)), set(map(str, by_visit.index[by_visit == 0]))),
    }
