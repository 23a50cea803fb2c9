"""Exploratory: order effects, and approval by experience and role. Unadjusted differences between people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.clusters import pooled_share_ci
from analysis.context import Context
from analysis.document import Paragraph, Part, Section, Table
from analysis.estimates import FEWEST
from analysis.hour.cells import rater_means
from analysis.hour.groupings import cells_of
from analysis.hour.means import Interval, cluster_mean, welch, within_slopes
from analysis.hour.reading import Party, group_of, items_of, labels_of_codes, parties, screened
from analysis.hour.success import graded
from analysis.hour.telling import ends, heading, number, slug

KEY = "moderators"
ITEMS = {"experience": ("experience", "S3"), "role": ("role", "S4")}
"""Use in the protocol, and the item of the recommended one."""
OBJECTS = 8
TITLES = {"experience": "years of experience", "role": "what people mainly do"}
EXPLORATORY = "Exploratory: nothing here was planned as a test, nothing is adjusted, and none of it is a finding."


def compute(context: Context, earlier: Earlier) -> Found:
    """The analysed set of each group; success by everyone who was given questions."""
    answers = {name: screened(context, *where) for name, where in ITEMS.items()}
    groups: list[dict[str, Any]] = []
    for party in parties(context):
        ratings = group_of(context, party.arm).ratings
        means = rater_means(ratings[ratings["analysed"]])
        groups.append(
            {
                "arm": party.arm,
                "level": party.level,
                "raters": len(means),
                "cards": _slope(party, _cards(context, party), "score"),
                "success": _slope(party, _answers(context, party), "correct"),
                **{name: _cells(context, name, given, means, party.level) for name, given in answers.items()},
            }
        )
    known = any(group["raters"] or group["success"]["n"] for group in groups)
    return Found({"known": known, "groups": groups})


def _cards(context: Context, party: Party) -> pd.DataFrame:
    """Object ratings with the place of their card, which is random for each person."""
    ratings = context.bundle.frames["ratings"]
    overall = (ratings["kind"] == "object") & ratings["dimension"].isin(["", "overall"])
    chosen = party.rows(ratings[overall & ratings["final"].notna() & ratings["position"].notna()])
    return chosen.assign(score=chosen["final"].astype(float))


def _answers(context: Context, party: Party) -> pd.DataFrame:
    chosen = graded(party.rows(context.bundle.frames["attempts"], everyone=True))
    return chosen.assign(correct=chosen["correct"].astype(float))


def _slope(party: Party, rows: pd.DataFrame, of: str) -> dict[str, Any]:
    """Change with each further place, one least-squares slope a rater, t over raters."""
    slopes = within_slopes(rows["position"].astype(float), rows[of], rows["rater"].astype(str))
    return vars(_enough(cluster_mean(slopes, range(len(slopes)), party.level), len(slopes)))


def _enough(found: Interval, people: int) -> Interval:
    if people >= FEWEST:
        return found
    return Interval(None, None, None, found.n, found.clusters, f"{people} raters: too few")


def _cells(
    context: Context, name: str, answers: Mapping[str, Sequence[str]], means: pd.Series[Any], level: float
) -> list[dict[str, Any]]:
    """Mean approval per rater in each cell, and its difference from all others who answered."""
    use, item = ITEMS[name]
    asked = next((entry for entry in items_of(context.bundle.protocol) if use in (entry.get("use"), entry["id"])), None)
    asked = asked or next((entry for entry in items_of(context.bundle.protocol) if entry["id"] == item), {})
    order = [str(option["code"]) for option in asked.get("options") or [] if isinstance(option, dict)]
    words = labels_of_codes(context.bundle, str(asked.get("id", item)))
    own = {code: given for code, given in answers.items() if code in means.index}
    several = any(len(given) > 1 for given in own.values()) or asked.get("type") == "multi"
    found = []
    for cell, people in cells_of(own, order, several=several):
        inside, outside = means[sorted(people)], means[sorted(set(own) - people)]
        difference = welch(inside, outside, level)
        few = len(outside) < FEWEST
        found.append(
            {
                "cell": " · ".join(words.get(code, code) for code in cell.split(" · ")),
                "mean": _share(inside, level),
                "others": len(outside),
                "difference": None if few else vars(difference),
            }
        )
    return found


def _share(means: pd.Series[Any], level: float) -> dict[str, Any]:
    """Mean of the raters' shares, each counted alike; cluster Wilson, so that it stays between 0 and 1."""
    # As if each had rated OBJECTS objects: the number decides only where the floor of the design effect lies.
    found = pooled_share_ci(means * OBJECTS, np.full(len(means), float(OBJECTS)), level)
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "n": len(means)}


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """From results.json alone."""
    found = results.get(KEY) or {}
    if not found.get("known"):
        return ()
    parts: list[Part] = [Paragraph(EXPLORATORY, "note")]
    for group in found["groups"]:
        parts += heading(group["arm"], found["groups"])
        parts.append(_slopes(group))
        for name, title in TITLES.items():
            parts += _table(group, name, title)
    return (Section("moderators", "Order, experience and role", parts),)


def _slopes(group: Mapping[str, Any]) -> Table:
    rows, data = [], []
    for key, label, factor, digits in (
        ("cards", "Scale points with each further card", 1, 3),
        ("success", "Points of success with each further question", 100, 1),
    ):
        row = group[key]
        scaled = {name: None if row[name] is None else row[name] * factor for name in ("estimate", "low", "high")}
        rows.append(
            (
                label,
                row["n"],
                number(scaled["estimate"], digits, signed=True),
                ends(scaled, digits, signed=True),
                row["note"],
            )
        )
        data.append((label, row["n"], *(row[name] for name in ("estimate", "low", "high")), row["note"]))
    head = ("Change along the order", "raters", "mean slope", "interval", "note")
    caption = f"Order effects, one slope a rater ({group['level']:.0%} t intervals)"
    columns = ("change", "raters", "estimate", "low", "high", "note")
    return Table(f"order-{slug(group['arm'])}", caption, head, rows, words=(4,), data=[columns, *data])


def _table(group: Mapping[str, Any], name: str, title: str) -> list[Part]:
    if not group[name]:
        return [Paragraph(f"Approval by {title}: not asked, or too few people.")]
    rows, data = [], []
    for cell in group[name]:
        mean, difference = cell["mean"], cell["difference"]
        apart = difference or {"estimate": None, "low": None, "high": None}
        rows.append((cell["cell"], mean["n"], *_points(mean), cell["others"], *_points(apart, signed=True)))
        exact = [row[key] for row in (mean, apart) for key in ("estimate", "low", "high")]
        data.append((cell["cell"], mean["n"], cell["others"], *exact))
    head = ("People", "raters", "mean approval", "interval", "others", "minus the others", "interval")
    columns = ("cell", "raters", "others", "mean", "low", "high", "difference", "difference_low", "difference_high")
    caption = f"Exploratory: each rater's share of objects approved, by {title} ({group['level']:.0%} intervals)"
    note = f"Different people, nothing adjusted; cells under {FEWEST} are merged. Per cent, and points for differences."
    return [Table(f"{name}-{slug(group['arm'])}", caption, head, rows, data=[columns, *data], note=note)]


def _points(row: Mapping[str, Any], *, signed: bool = False) -> tuple[str, str]:
    scaled = {key: None if row[key] is None else row[key] * 100 for key in ("estimate", "low", "high")}
    return number(scaled["estimate"], 0, signed=signed), ends(scaled, 0, signed=signed)


BLOCK = Block(KEY, compute, sections)
