"""Experts at work: success, minutes, confidence and the way to the answer (M9, M15, M23).

In this interface, within the time, on first use: nothing here says what people could do at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.context import Context
from analysis.document import Figure, Paragraph, Part, Section, Table
from analysis.estimates import FEWEST, Estimate
from analysis.figures_hour import calibration_svg
from analysis.hour.calibration import Calibration, calibration
from analysis.hour.means import cluster_mean, spread, within_slopes
from analysis.hour.reading import Party, parties
from analysis.hour.shares import mean_row, share_row
from analysis.hour.success import graded, minutes_of, settled, tried
from analysis.hour.telling import (
    MINUS,
    between,
    ends,
    estimates,
    heading,
    number,
    one,
    plain,
    quartiles,
    said,
    share,
    slug,
)
from analysis.tables import OUTCOMES

KEY = "work"
WORDING = "In this interface, within the time, on first use."
MEASURES = {
    "records_opened": "Records opened",
    "searches": "Searches",
    "filters": "Lists with a condition",
    "reformulations": "Searches put otherwise",
    "future_records_opened": "Records opened that are dated after today",
}
BY = {"task": "", "stratum": "_by_stratum", "position": "_by_position"}


def compute(context: Context, earlier: Earlier) -> Found:
    """Everyone who was given questions, whether they finished or not; left out are only those a rule left out."""
    attempts = context.bundle.frames["attempts"]
    if attempts.empty:
        why = "The file holds ratings alone." if context.bundle.plain else "Nobody was given a question."
        return Found({"asked": False, "why": why, "groups": []})
    groups, rows = [], []
    for party in parties(context):
        own = party.rows(attempts, everyone=True)
        rows += list(_rows(party, own))
        groups.append(_group(party, own))
    return Found({"asked": True, "why": "", "groups": groups}, rows)


def _rows(party: Party, own: pd.DataFrame) -> Iterator[Estimate]:
    for estimand, chosen in (("success_attempted", graded(own)), ("success_assigned", settled(own))):
        yield share_row(party, estimand, "questions", chosen["correct"], chosen, unit="questions", note=_waiting(own))
        for by, ending in BY.items():
            for name in _names(own, by):
                part = chosen[chosen[by].astype(str) == name]
                yield share_row(party, estimand + ending, name, part["correct"], part, unit="questions")
    evidence = tried(own)
    evidence = evidence[(evidence["evidence_needed"] > 0).fillna(False) & evidence["evidence_reached"].notna()]
    reached = evidence["evidence_reached"].astype(float) / evidence["evidence_needed"].astype(float)
    note = "mean over questions of records opened ÷ records the answer rests on; one may count them without opening"
    yield share_row(party, "evidence_reached", "questions", reached, evidence, unit="questions", note=note)
    found = _calibration(party, own)
    yield mean_row(party, "overconfidence", "questions", found.overconfidence, found.raters)


def _waiting(own: pd.DataFrame) -> str:
    """A text that is right word for word is graded at once, a wrong one waits: leaving those out flatters."""
    unmarked = len(tried(own)) - len(graded(own))
    return f"{unmarked} answered, not graded yet, left out: most of them are probably not right" if unmarked else ""


def _names(own: pd.DataFrame, by: str) -> list[str]:
    names = [str(name) for name in own[by].dropna().unique() if str(name)]
    return sorted(names, key=lambda name: (int(name), "") if by == "position" else (0, name))


def _calibration(party: Party, own: pd.DataFrame) -> Calibration:
    both = graded(own)
    both = both[both["confidence"].notna()]
    columns = (both["confidence"].astype(float) / 100, both["correct"].astype(float), both["rater"], both["cluster"])
    confidence, right, raters, clusters = (column.to_numpy() for column in columns)
    return calibration(confidence, right, raters.astype(str), clusters.astype(str), party.level)


def _group(party: Party, own: pd.DataFrame) -> dict[str, Any]:
    return {
        "arm": party.arm,
        "level": party.level,
        "people": int(own["rater"].nunique()),
        "attempted": len(tried(own)),
        "right": int(graded(own)["correct"].sum()),
        "unmarked": len(tried(own)) - len(graded(own)),
        "outcomes": {name: Counter(own["outcome"]).get(name, 0) for name in OUTCOMES},
        "by": {by: [_counts(own[own[by].astype(str) == name], name) for name in _names(own, by)] for by in BY},
        "minutes": spread(minutes_of(own)),
        "minutes_by_position": _slope(party, own),
        "measures": [_measure(tried(own), name, label) for name, label in MEASURES.items()],
        "future": int((own["future_records_opened"] > 0).fillna(False).sum()),
        "calibration": _calibration(party, own),
    }


def _counts(own: pd.DataFrame, name: str) -> dict[str, Any]:
    marked = graded(own)
    return {
        "name": name,
        "assigned": len(own),
        "attempted": len(tried(own)),
        "graded": len(marked),
        "right": int(marked["correct"].sum()),
        "minutes": spread(minutes_of(own)),
    }


def _measure(own: pd.DataFrame, name: str, label: str) -> dict[str, Any]:
    known = own[own[name].notna()]
    return {
        "name": name,
        "label": label,
        "raters": int(known["rater"].nunique()),
        **vars(spread(known[name].astype(float))),
    }


def _slope(party: Party, own: pd.DataFrame) -> dict[str, Any]:
    """Minutes more with each further question, one slope a rater: learning, tiredness and harder questions together."""
    answered = tried(own)
    answered = answered[answered["active_s"].notna()]
    slopes = within_slopes(answered["position"], answered["active_s"].astype(float) / 60, answered["rater"].astype(str))
    return vars(cluster_mean(slopes, range(len(slopes)), party.level))


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """From results.json alone."""
    work = results.get(KEY) or {}
    if not work.get("asked"):
        return ()
    parts: list[Part] = [
        Paragraph(
            f"{WORDING} Attempted are questions that ended with an answer, and of these only graded ones count. "
            "Assigned are all that were given out; a question skipped, not reached or ended by the clock is not right."
        )
    ]
    for group in work["groups"]:
        arm = group["arm"]
        parts += heading(arm, work["groups"])
        parts.append(Paragraph(_headline(results, group)))
        for by, first, title in (
            ("stratum", "Skill or role", "Success by skill or role"),
            ("task", "Task", "Success by task"),
            ("position", "Place", "Success and minutes by place in the order: learning on the way"),
        ):
            if group["by"][by]:
                parts.append(_success_table(results, group, by, first, title))
        parts.append(Paragraph(_learning(group)))
        parts.append(_outcomes(group))
        parts += _confidence(group)
        parts += _search(results, group)
    return (Section("work", "Experts at work", parts),)


def _headline(results: Mapping[str, Any], group: Mapping[str, Any]) -> str:
    attempted, assigned = (one(results, group["arm"], f"success_{of}", "questions") for of in ("attempted", "assigned"))
    minutes = quartiles(group["minutes"])
    time = f" Active minutes a question, median and quartiles: {minutes}." if minutes else ""
    level = group["level"]
    words = f"Right of attempted: {said(attempted, level)}. Right of assigned: {said(assigned, level)}.{time}"
    if not group["unmarked"]:
        return words
    return (
        f"{words} {group['unmarked']} answers in words have no grade yet and are left out. A text that is right word "
        "for word is graded at once and a wrong one waits to be marked, so success looks better than it is until "
        f"then: at least {group['right']} of {group['attempted']} attempted are right."
    )


def _success_table(results: Mapping[str, Any], group: Mapping[str, Any], by: str, first: str, title: str) -> Table:
    rows, data = [], []
    for row in group["by"][by]:
        tries, given = (
            one(results, group["arm"], f"success_{of}{BY[by]}", row["name"]) for of in ("attempted", "assigned")
        )
        counts = (row["assigned"], row["attempted"], row["graded"], row["right"])
        rows.append(
            (plain(row["name"]), *counts, share(tries), between(tries), share(given), between(given),
             quartiles(row["minutes"]))
        )  # fmt: skip
        exact = [one_row[key] for one_row in (tries, given) if one_row for key in ("estimate", "low", "high")]
        data.append((row["name"], *counts, *exact, row["minutes"]["median"]))
    head = (
        first,
        "assigned",
        "attempted",
        "graded",
        "right",
        "of attempted",
        "interval",
        "of assigned",
        "interval",
        "minutes",
    )
    names = (
        by, "assigned", "attempted", "graded", "right", "of_attempted", "attempted_low", "attempted_high",
        "of_assigned", "assigned_low", "assigned_high", "median_minutes",
    )  # fmt: skip
    caption = f"{title} ({group['level']:.0%} intervals, raters as clusters; minutes: median and quartiles)"
    return Table(f"success-{by}-{slug(group['arm'])}", caption, head, rows, data=[names, *data], note=WORDING)


def _learning(group: Mapping[str, Any]) -> str:
    slope = group["minutes_by_position"]
    if slope["estimate"] is None:
        return "How minutes change along the order can't be said: nobody answered two questions with known times."
    words = ends(slope, signed=True)
    interval = f", {group['level']:.0%} interval {words}" if words and slope["n"] >= FEWEST else ""
    return (
        f"With each further question the time changed by {number(slope['estimate'], 2, signed=True)} minutes within a "
        f"person (mean of {slope['n']} slopes{interval}). Questions differ, so this is not learning alone."
    )


def _outcomes(group: Mapping[str, Any]) -> Table:
    rows = [(plain(name), count) for name, count in group["outcomes"].items()]
    return Table(f"outcomes-{slug(group['arm'])}", "How questions ended", ("Outcome", "questions"), rows)


def _confidence(group: Mapping[str, Any]) -> list[Part]:
    found = group["calibration"]
    if not found["n"]:
        return [Paragraph("Confidence can't be held against success: no answer has both.")]
    over, score = found["overconfidence"], found["brier"]
    words = ends({key: None if over[key] is None else over[key] * 100 for key in ("low", "high")}, 0, signed=True)
    interval = f", {group['level']:.0%} interval {words}" if words else ""
    note = f" {found['note'].capitalize()}." if found["note"] else ""
    sentence = (
        f"Mean confidence minus share right: {number(over['estimate'] * 100, 0, signed=True)} points{interval} "
        f"({found['raters']} people, {found['n']} answers with a confidence and a grade); above 0 is overconfident. "
        f"Brier score {score['score']:.3f} = reliability {score['reliability']:.3f} {MINUS} resolution "
        f"{score['resolution']:.3f} + uncertainty {score['uncertainty']:.3f}. With few answers at each confidence, "
        f"reliability comes out too large.{note}"
    )
    name = f"calibration-{slug(group['arm'])}"
    rows = [
        (_ends(row), row["n"], row["right"], _points(row["confidence"]), _points(row["share"]),
         between({"low": row["share_low"], "high": row["share_high"]}), row["raters"])
        for row in found["bins"]
    ]  # fmt: skip
    data = [
        (_ends(row), *(row[key] for key in ("n", "right", "confidence", "share", "share_low", "share_high", "raters")))
        for row in found["bins"]
    ]
    table = Table(
        name, "Confidence and success",
        ("Confidence", "answers", "right", "mean confidence", "share right", "interval", "raters"), rows,
        data=[("bin", "n", "right", "confidence", "share", "low", "high", "raters"), *data],
    )  # fmt: skip
    sum_up = "Share right at each confidence; on the dashed line the two are equal."

    def draw(theme: str, width: int) -> str:
        return calibration_svg(found["bins"], theme, width, name)

    return [Paragraph(sentence), Figure(name, draw, sum_up), table]


def _ends(row: Mapping[str, Any]) -> str:
    first = 0 if row["low"] == 0 else round(row["low"] * 100) + 5
    return f"{first} to {min(100, round(row['high'] * 100) - (5 if row['high'] < 1 else 0))}"


def _points(value: float | None) -> str:
    return "" if value is None else f"{value * 100:.0f}%"


def _search(results: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    rows = [
        (row["label"], row["n"], quartiles(row, 0), number(row["mean"]), round(row["total"]), row["raters"])
        for row in group["measures"]
        if row["n"]
    ]
    parts: list[Part] = []
    if rows:
        head = ("", "questions", "median (quartiles)", "mean", "in all", "raters")
        parts.append(Table(f"searching-{slug(group['arm'])}", "On the way to an answer", head, rows))
    reached = next(iter(estimates(results, group["arm"], "evidence_reached")), None)
    if reached and reached["n"]:
        parts.append(
            Paragraph(
                f"Of the records an answer rests on, opened: {said(reached, group['level'])}. Records can also be "
                "counted in a list or a report without being opened, so this is no share of what was seen."
            )
        )
    if group["future"]:
        parts.append(Paragraph(f"At {group['future']} questions a record dated after today was opened (M9)."))
    return parts


BLOCK = Block(KEY, compute, sections)
