"""Someone to ask: facts obtained, what a fact costs, and what it costs that things are withheld (M19)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.context import Context
from analysis.contrasts import Contrast, Kind
from analysis.document import Paragraph, Part, Section, Table
from analysis.estimates import FEWEST, Estimate
from analysis.hour.adjusted import within_strata_difference
from analysis.hour.means import Interval, cluster_mean, ratio
from analysis.hour.reading import Party, parties
from analysis.hour.shares import mean_row, share_row
from analysis.hour.success import graded
from analysis.hour.telling import between, ends, heading, number, one, plain, said, share, slug

KEY = "requester"
NOTHING = "none"
WITHHELD = ("policy", "definitions", "diagnosis")
CLASSES = ("needed", "repeated", "unneeded", "other")
BY = {"withhold": "_by_withhold", "style": "_by_style"}
STRATA = "least squares within tasks, raters as clusters, t"
PAIRED = "t over raters' own differences, tasks asked both ways"
NOBODY = "This study had no requester: every question was asked whole, and there was nobody to ask."
NOT_A_MEASURE = "not a measure of skill"


def compute(context: Context, earlier: Earlier) -> Found:
    """Everyone who was given questions. `withhold` is empty where there was nobody to ask."""
    attempts = context.bundle.frames["attempts"]
    asked = attempts[attempts["withhold"] != ""]
    if asked.empty:
        return Found({"asked": False, "why": NOBODY, "groups": []})
    groups: list[dict[str, Any]] = []
    rows: list[Estimate] = []
    contrasts: list[Contrast] = []
    for party in parties(context):
        own = party.rows(asked, everyone=True)
        rows += _rows(party, own)
        contrasts += _losses(party, own)
        groups.append(
            {
                "arm": party.arm,
                "level": party.level,
                "people": int(own["rater"].nunique()),
                "questions": {name: int(own[f"questions_{name}"].fillna(0).sum()) for name in CLASSES},
                "withhold": _names(own, "withhold"),
                "style": _names(own, "style"),
                "attempts": {by: own[by].value_counts().to_dict() for by in BY},
            }
        )
    return Found({"asked": True, "why": "", "groups": groups}, rows, contrasts)


def _names(own: pd.DataFrame, by: str) -> list[str]:
    order = (NOTHING, *WITHHELD)
    return sorted(set(own[by]) - {""}, key=lambda name: (order.index(name) if name in order else len(order), name))


def _rows(party: Party, own: pd.DataFrame) -> Iterator[Estimate]:
    """Overall, by what was withheld and by style: facts obtained ÷ needed, questions a fact, success with all facts."""
    hiding = own[(own["facts_needed"] > 0).fillna(False) & own["facts_obtained"].notna()]
    yield from _measures(party, hiding, "", "questions")
    for by, ending in BY.items():
        for name in _names(hiding, by):
            yield from _measures(party, hiding[hiding[by] == name], ending, name)
    known = graded(own)
    for name in _names(own, "withhold"):
        part = known[known["withhold"] == name]
        yield share_row(party, "success_attempted_by_withhold", name, part["correct"], part, unit="questions")


def _measures(party: Party, own: pd.DataFrame, ending: str, target: str) -> Iterator[Estimate]:
    needed, obtained = own["facts_needed"].astype(int), own["facts_obtained"].astype(int)
    facts = own.loc[own.index.repeat(needed)]
    # One row per fact needed: the first of an attempt are those obtained.
    got = facts.groupby(level=0).cumcount() < obtained.reindex(facts.index)
    yield share_row(party, f"facts_obtained{ending}", target, got, facts, unit="facts")
    questions = own[[f"questions_{name}" for name in CLASSES]].fillna(0).astype(float).sum(axis=1)
    cost = _cost(questions, obtained, own["cluster"], party.level)
    raters = int(own.loc[obtained > 0, "rater"].nunique())
    estimator = "ratio of sums, t, raters as clusters"
    yield mean_row(party, f"questions_per_fact{ending}", target, cost, raters, estimator=estimator)
    full = graded(own[(obtained >= needed)])
    yield share_row(party, f"success_given_all_facts{ending}", target, full["correct"], full, unit="questions")


def _cost(questions: pd.Series[Any], obtained: pd.Series[Any], clusters: pd.Series[Any], level: float) -> Interval:
    """Questions ÷ facts obtained. Questions of people who obtained nothing count too, so the sums are taken first."""
    _, place = np.unique(clusters.to_numpy(dtype=str), return_inverse=True)
    if obtained.sum() == 0:
        return Interval(None, None, None, 0, 0, "no fact was obtained")
    asked, got = np.bincount(place, weights=questions), np.bincount(place, weights=obtained.to_numpy(dtype=float))
    return ratio(asked, got, level)


def _losses(party: Party, own: pd.DataFrame) -> Iterator[Contrast]:
    """Success with nothing withheld minus with it withheld. Forms are drawn by chance for each question."""
    known = graded(own)
    known = known.assign(correct=known["correct"].astype(float))
    for kind in _names(own, "withhold"):
        if kind == NOTHING:
            continue
        both = known[known["withhold"].isin([NOTHING, kind])]
        treated = (both["withhold"] == kind).astype(float)
        task, cluster = both["task"].astype(str), both["cluster"].astype(str)
        found = within_strata_difference(both["correct"], treated, task, cluster, party.level)
        raters = [int(both.loc[both["withhold"] == name, "rater"].nunique()) for name in (NOTHING, kind)]
        yield _contrast(party, "elicitation_loss", kind, "randomised", STRATA, found, raters)
        paired = _paired(both, kind, party.level)
        yield _contrast(party, "elicitation_loss_within_rater", kind, "within rater", PAIRED, paired, [paired.n] * 2)


def _paired(both: pd.DataFrame, kind: str, level: float) -> Interval:
    """Mean difference of raters who answered both ways, over tasks that were asked both ways."""
    ways = both.groupby("task")["withhold"].nunique()
    shared = both[both["task"].isin(ways.index[ways == 2])]
    if shared.empty:
        return Interval(None, None, None, 0, 0, "no task was asked both ways")
    means = shared.pivot_table(index=["rater", "cluster"], columns="withhold", values="correct").dropna()
    if means.empty:
        return Interval(None, None, None, 0, 0, "nobody answered both ways")
    clusters = means.index.get_level_values("cluster").astype(str)
    return cluster_mean(means[NOTHING] - means[kind], clusters, level)


def _contrast(
    party: Party, estimand: str, kind: str, comparison: Kind, estimator: str, found: Interval, raters: Sequence[int]
) -> Contrast:
    few = min(raters) < FEWEST
    note = "; ".join(part for part in (found.note, "under five raters: no estimate" if few else "") if part)
    shown = Interval(None, None, None, found.n, found.clusters, note) if few else found
    return Contrast(
        f"{party.arm or 'all'}.{estimand}.{kind}", estimand, comparison, "nothing withheld", f"{kind} withheld",
        party.scope, estimator, shown.estimate, shown.low, shown.high, party.level, found.n, raters[0], raters[1],
        note=note,
    )  # fmt: skip


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """From results.json alone. A study without a requester says so."""
    found = results.get(KEY) or {}
    if not found:
        return ()
    if not found["asked"]:
        return (Section("requester", "Someone to ask", [Paragraph(found["why"])]),)
    parts: list[Part] = [
        Paragraph(
            "What a requester holds back is drawn by chance for each question, among the forms it has. Facts obtained "
            "are the facts held back and needed that were asked for and given."
        )
    ]
    for group in found["groups"]:
        parts += heading(group["arm"], found["groups"])
        parts += _group(results, group)
    return (Section("requester", "Someone to ask", parts),)


def _group(results: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    arm, level = group["arm"], group["level"]
    whole, full = (one(results, arm, name, "questions") for name in ("facts_obtained", "success_given_all_facts"))
    cost = one(results, arm, "questions_per_fact", "questions")
    words = "" if cost is None else number(cost["estimate"], 2)
    interval = f" ({ends(cost, 2)})" if cost and cost["low"] is not None else ""
    counts = "; ".join(f"{name} {count}" for name, count in group["questions"].items())
    parts: list[Part] = [
        Paragraph(
            f"Needed facts obtained: {said(whole, level)}. Questions per fact obtained: "
            f"{words or 'none obtained'}{interval}. "
            f"Right once all facts were known: {said(full, level)}. Questions asked ({NOT_A_MEASURE}): {counts}."
        )
    ]
    parts += [_table(results, group, by) for by in BY if group[by]]
    losses = [row for row in results["comparisons"] if row["id"].startswith(f"{arm or 'all'}.elicitation_loss")]
    if losses:
        parts.append(_loss_table(losses, group))
        parts.append(
            Paragraph(
                "Elicitation loss is success with nothing withheld minus success with it withheld. Which form a "
                "question got was drawn by chance, and only questions of the same task are compared; beside it stand "
                "people's own differences."
            )
        )
    return parts


def _table(results: Mapping[str, Any], group: Mapping[str, Any], by: str) -> Table:
    arm, rows, data = group["arm"], [], []
    for name in group[by]:
        facts, cost, full = (
            one(results, arm, f"{estimand}{BY[by]}", name)
            for estimand in ("facts_obtained", "questions_per_fact", "success_given_all_facts")
        )
        rows.append(
            (plain(name), group["attempts"][by].get(name, 0), facts["n"] if facts else 0, share(facts), between(facts),
             number(cost["estimate"], 2) if cost else "", full["n"] if full else 0, share(full), between(full))
        )  # fmt: skip
        exact = [row[key] if row else None for row in (facts, cost, full) for key in ("estimate", "low", "high", "n")]
        data.append((name, group["attempts"][by].get(name, 0), *exact))
    first = {"withhold": "Withheld", "style": "Style of the requester"}[by]
    head = (
        first,
        "questions",
        "facts needed",
        "obtained",
        "interval",
        "questions per fact",
        "all facts known",
        "right",
        "interval",
    )
    names = [f"{what}_{key}" for what in ("obtained", "per_fact", "right") for key in ("estimate", "low", "high", "n")]
    caption = f"Asking, by {first.lower()} ({group['level']:.0%} intervals, raters as clusters)"
    return Table(f"asking-by-{by}-{slug(arm)}", caption, head, rows, data=[(by, "questions", *names), *data])


def _loss_table(losses: Sequence[Mapping[str, Any]], group: Mapping[str, Any]) -> Table:
    rows = [
        (row["b"], row["kind"], _points(row["estimate"]), _between(row), row["n"], row["raters_b"], row["note"])
        for row in losses
    ]
    data = [
        (row["b"], row["kind"], *(row[key] for key in ("estimate", "low", "high", "n", "raters_a", "raters_b", "note")))
        for row in losses
    ]
    columns = ("withheld", "kind", "estimate", "low", "high", "n", "raters_a", "raters_b", "note")
    head = ("Withheld", "comparison", "loss in points", "interval", "n", "raters", "note")
    caption = f"Elicitation loss ({group['level']:.0%} intervals, raters as clusters)"
    return Table(
        f"elicitation-loss-{slug(group['arm'])}", caption, head, rows, words=(1, 6), data=[columns, *data],
        note="n: answers; in the rows within rater: people who answered both ways.",
    )  # fmt: skip


def _points(value: float | None) -> str:
    return "" if value is None else number(value * 100, 0, signed=True)


def _between(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return ""
    return f"{_points(row['low'])} to {_points(row['high'])}"


BLOCK = Block(KEY, compute, sections)
