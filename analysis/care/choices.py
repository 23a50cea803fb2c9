"""Which ratings a sensitivity row counts: a choice of rows of a group, or the reason why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.care.flags import with_strong_flags
from analysis.care.sets import SETTLED_BLANKS, limits_of, sets_by_rule
from analysis.care.software_only import software_only
from analysis.context import Context
from analysis.estimates import Group

STRICTER_MINUTES = 30


@dataclass(frozen=True)
class Choice:
    """ratings: what a row counts, `analysed` rows only unless the row says otherwise; None with the reason."""

    ratings: pd.DataFrame | None
    reason: str = ""


Chooser = Callable[[Context, Group], Choice]
NOT_IN_FILE = "the file does not tell"


def analysed(group: Group) -> pd.DataFrame:
    return group.ratings[group.ratings["analysed"]]


def as_it_is(context: Context, group: Group) -> Choice:
    return Choice(analysed(group))


def first_click(context: Context, group: Group) -> Choice:
    if group.ratings["first"].isna().all():
        return Choice(None, "first choices are not known")
    rows = analysed(group)
    return Choice(rows.assign(score=rows["first"]))


def informed(context: Context, group: Group) -> Choice:
    if group.ratings["informed"].isna().all():
        return Choice(None, "it is not known which records were opened")
    rows = analysed(group)
    return Choice(rows[rows["informed"].fillna(False).astype(bool)])


def exposed_stricter(context: Context, group: Group) -> Choice:
    minutes = context.visits["work_active_s"] / 60
    if minutes.isna().all():
        return Choice(None, "active minutes are not known")
    enough = {str(name) for name in minutes.index[(minutes >= STRICTER_MINUTES).fillna(False).astype(bool)]}
    return Choice(_of_visits(analysed(group), enough))


def exposed_looser(context: Context, group: Group) -> Choice:
    """Everybody with the Org and enough cards rated, however short the work was."""
    limits = limits_of(context.promised)
    if limits is None or context.bundle.plain:
        return Choice(None, "no sets in the protocol")
    found = sets_by_rule(context.bundle, limits)
    stored = set(context.visits.index[context.visits["analysed"].fillna(False).astype(bool)])
    looser = set(found.index[found["enough_rated"] & found["started"] & ~found["gone"]]) - _left_out(context)
    return Choice(_of_visits(group.ratings, stored | looser))


def _left_out(context: Context) -> set[str]:
    people = context.people
    out = set(people.index[(people["exclusion_reason"] != "") | (people["end"] == "excluded")])
    return set(context.visits.index[context.visits["participant"].isin(list(out))])


def everyone(context: Context, group: Group) -> Choice:
    return Choice(group.ratings)


def without_two_strong(context: Context, group: Group) -> Choice:
    if context.bundle.plain:
        return Choice(None, NOT_IN_FILE)
    rows = analysed(group)
    return Choice(rows[~rows["rater"].isin(list(with_strong_flags(context)))])


def without_software_only(context: Context, group: Group) -> Choice:
    if context.bundle.frames["rationales"].empty:
        return Choice(None, "no reasons in the bundle")
    rows = analysed(group)
    low = software_only(context.bundle)
    places = zip(rows["visit"], rows["kind"], rows["target"], strict=True)
    return Choice(rows[np.array([place not in low for place in places], dtype=bool)])


def judged_as(point: float) -> Chooser:
    """What was answered without a score, by can't judge or by rather not say, counted as this point (plan 8)."""

    def choose(context: Context, group: Group) -> Choice:
        rows = analysed(group)
        return Choice(rows.assign(score=rows["score"].mask(rows["blank"].isin(SETTLED_BLANKS), point)))

    return choose


def first_visit(context: Context, group: Group) -> Choice:
    rows = analysed(group)
    if len(rows) and rows["period"].isna().all():
        return Choice(None, NOT_IN_FILE)
    return Choice(rows[(rows["period"] == 1).fillna(False).astype(bool)])


def without_split(context: Context, group: Group) -> Choice:
    if context.visits["split"].isna().all():
        return Choice(None, NOT_IN_FILE)
    split = context.visits["split"].fillna(False).astype(bool)
    return Choice(_of_visits(analysed(group), set(context.visits.index[~split])))


def without_ai_solving(context: Context, group: Group) -> Choice:
    found = used_ai(context, "ai_solving")
    if found is None:
        return Choice(None, "help used was not asked")
    rows = analysed(group)
    return Choice(rows[~rows["rater"].isin(list(found))])


def used_ai(context: Context, code: str) -> set[str] | None:
    """People who said so at any visit; None where nobody was asked."""
    closing = context.bundle.frames["closing"]
    given = closing[(closing["item"] == "help_used") & (closing["value"] != "")]
    if given.empty:
        return None
    visits = {visit for visit, value in zip(given["visit"], given["value"], strict=True) if code in _codes(value)}
    return set(context.visits.loc[context.visits.index.isin(list(visits)), "participant"])


def _codes(value: str) -> Iterable[Any]:
    try:
        read = json.loads(value)
    except ValueError:
        return (value,)
    return read if isinstance(read, list) else (value,)


def without_knows_other(context: Context, group: Group) -> Choice:
    if (context.people["knows_other"] == "").all():
        return Choice(None, "it was not asked")
    rows = analysed(group)
    return Choice(rows[~rows["rater"].isin(list(knows_other(context)))])


def knows_other(context: Context) -> set[str]:
    people = context.people
    return set(people.index[~people["knows_other"].isin(["", "no"])])


def without_incident(context: Context, group: Group) -> Choice:
    if context.bundle.plain:
        return Choice(None, NOT_IN_FILE)
    return Choice(_of_visits(analysed(group), set(context.visits.index[context.visits["incident"] == ""])))


def all_questions(context: Context, group: Group) -> Choice:
    attempts = context.bundle.frames["attempts"]
    if attempts.empty:
        return Choice(None, "no questions in the bundle")
    short = set(attempts.loc[attempts["outcome"].isin(["time_up", "not_reached"]), "visit"])
    rows = analysed(group)
    return Choice(rows[~rows["visit"].isin(list(short))])


def cohorts(context: Context, group: Group) -> dict[str, Choice]:
    """One choice per cohort, by its code."""
    rows = analysed(group)
    own = rows["rater"].map(context.people["cohort"]).fillna("") if len(rows) else pd.Series(dtype="str")
    return {str(name): Choice(rows[own == name]) for name in sorted(set(own)) if name}


def protocols(context: Context, group: Group) -> dict[str, Choice]:
    """One choice per frozen protocol, by the first eight places of its sha256."""
    rows = analysed(group)
    own = rows["visit"].map(context.visits["protocol_sha256"]).fillna("") if len(rows) else pd.Series(dtype="str")
    return {str(name)[:8]: Choice(rows[own == name]) for name in sorted(set(own)) if name}


def _of_visits(rows: pd.DataFrame, visits: set[str]) -> pd.DataFrame:
    return rows[rows["visit"].isin(list(visits))]
