"""Intercurrent events of the plan (8): how often each happened, how it is handled, and the estimate without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from analysis.care import choices
from analysis.care.headline import Estimand, headline
from analysis.context import Context
from analysis.tables import STAGES

LOOKED = ("time_up", "not_reached")
RATING = STAGES.index("rating")


@dataclass(frozen=True)
class Event:
    """One event. count: how many, of `of`, in `unit`; None with the reason in `note` where the bundle does not tell.

    without: per group the primary estimate without them, where the plan asks for it.
    """

    code: str
    event: str
    handling: str
    sensitivity: str
    unit: str
    count: int | None
    of: int | None
    without: tuple[dict[str, Any], ...] = ()
    note: str = ""


Counts = tuple[int | None, int | None, str]


def events(context: Context, primary: Estimand) -> list[Event]:
    """The table of the plan in its order. Counts are of people, visits or ratings, whoever is analysed or not."""
    rows = context.ratings
    return [
        Event("left_before_ratings", "left before the ratings", "not in the set, replaced", "bounds and tipping point",
              "people", *_told(_left(context))),
        _with(context, primary, "time_up", "time up, or questions not reached", "kept if exposed",
              "without", "visits", _time_up(context), choices.all_questions),
        Event("cannot_judge", "can't judge", "out of that object's n, shown", "worst and best", "ratings",
              int(rows["cannot_judge"].sum()), _asked(rows)),
        Event("rather_not_say", "rather not say", "out of that object's n, shown", "worst and best",
              "ratings", int((rows["blank"] == "rather_not_say").sum()), _asked(rows)),
        _with(context, primary, "unopened", "rated, no record opened", "kept", "informed approval", "ratings",
              _unopened(rows), choices.informed),
        _with(context, primary, "split", "split visit", "kept", "without", "visits",
              _visits(context, context.visits["split"]), choices.without_split),
        _with(context, primary, "ai_solving", "AI used for solving", "kept", "without", "people",
              _ai(context, "ai_solving"), choices.without_ai_solving),
        Event("ai_wording", "AI used for wording", "kept", "none", "people", *_told(_ai(context, "ai_wording"))),
        _with(context, primary, "knows_other", "knew of another participant", "kept", "without", "people",
              _knows(context), choices.without_knows_other),
        Event("origin_known", "learned the origin beforehand", "kept", "without", "people", None, None,
              note="no question asks it; deviations and incidents would say so"),
        _with(context, primary, "incident", "incident during the visit", "kept unless the ratings were touched",
              "without", "visits", _incidents(context), choices.without_incident),
        Event("new_protocol", "new protocol version", "material: separate stratum; editorial: pooled", "by version",
              "protocols", *_told(_protocols(context))),
        Event("taken_out", "taken out after the debrief", "deleted", "count by arm", "people",
              *_told(_removed(context))),
    ]  # fmt: skip


def _told(counts: Counts) -> tuple[Any, ...]:
    count, of, note = counts
    return count, of, (), note


def _with(
    context: Context, primary: Estimand, code: str, event: str, handling: str, sensitivity: str, unit: str,
    counts: Counts, chooser: Callable[..., choices.Choice],
) -> Event:  # fmt: skip
    found = []
    for group in context.groups:
        choice = chooser(context, group)
        if choice.ratings is None:
            found.append({"arm": group.arm, "estimate": None, "note": choice.reason})
            continue
        row = asdict(headline(choice.ratings, primary, group.level))
        kept = ("estimate", "low", "high", "k", "n", "raters", "note")
        found.append({"arm": group.arm, **{key: row[key] for key in kept}})
    count, of, note = counts
    return Event(code, event, handling, sensitivity, unit, count, of, tuple(found), note)


def _asked(rows: pd.DataFrame) -> int:
    return int((~rows["blank"].isin(["not_asked", "not_reached", "removed"])).sum())


def _left(context: Context) -> Counts:
    """People who came to the questions and whose participation ended before the first rating page."""
    if context.bundle.plain:
        return None, None, choices.NOT_IN_FILE
    people = context.people[context.people["started"].fillna(False).astype(bool)]
    place = people["stage"].map({stage: number for number, stage in enumerate(STAGES)})
    left = (place < RATING) & (people["end"] != "")
    return int(left.sum()), len(people), ""


def _time_up(context: Context) -> Counts:
    attempts = context.bundle.frames["attempts"]
    if attempts.empty:
        return None, None, "no questions in the bundle"
    return int(attempts.loc[attempts["outcome"].isin(LOOKED), "visit"].nunique()), int(attempts["visit"].nunique()), ""


def _unopened(rows: pd.DataFrame) -> Counts:
    known = rows[(rows["kind"] == "object") & rows["score"].notna() & rows["informed"].notna()]
    if known.empty:
        return None, None, "it is not known which records were opened"
    return int((~known["informed"].astype(bool)).sum()), len(known), ""


def _visits(context: Context, marked: pd.Series[Any]) -> Counts:
    known = marked.dropna()
    return (None, None, choices.NOT_IN_FILE) if known.empty else (int(known.astype(bool).sum()), len(known), "")


def _ai(context: Context, code: str) -> Counts:
    found = choices.used_ai(context, code)
    if found is None:
        return None, None, "help used was not asked"
    closing = context.bundle.frames["closing"]
    asked = closing.loc[(closing["item"] == "help_used") & (closing["value"] != ""), "visit"]
    return len(found), int(context.visits.loc[context.visits.index.isin(list(asked)), "participant"].nunique()), ""


def _knows(context: Context) -> Counts:
    asked = context.people[(context.people["knows_other"] != "") & context.people["started"].fillna(False).astype(bool)]
    if asked.empty:
        return None, None, "it was not asked"
    return int((asked["knows_other"] != "no").sum()), len(asked), ""


def _incidents(context: Context) -> Counts:
    if context.bundle.plain:
        return None, None, choices.NOT_IN_FILE
    return int((context.visits["incident"] != "").sum()), len(context.visits), ""


def _protocols(context: Context) -> Counts:
    different = set(context.visits["protocol_sha256"]) - {""}
    return (len(different), len(different), "") if different else (None, None, choices.NOT_IN_FILE)


def _removed(context: Context) -> Counts:
    if context.bundle.plain or context.bundle.frames["ratings"].empty:
        return None, None, "no ratings in the bundle" if not context.bundle.plain else choices.NOT_IN_FILE
    ratings = context.bundle.frames["ratings"]
    gone = context.visits.loc[
        context.visits.index.isin(list(set(ratings.loc[ratings["final_blank"] == "removed", "visit"]))),
        ["participant", "arm"],
    ].drop_duplicates()
    by_arm = gone["arm"].value_counts().sort_index()
    note = "; ".join(f"{arm} {n}" for arm, n in by_arm.items()) if len(by_arm) else ""
    return int(gone["participant"].nunique()), int(context.visits["participant"].nunique()), note
