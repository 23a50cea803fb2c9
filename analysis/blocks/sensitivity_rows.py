"""Sensitivity rows: the headline under every other choice of the plan, always all of them, per group (plan 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from analysis.blocks import Block, Earlier, Found
from analysis.care import choices
from analysis.care.headline import (
    ESTIMANDS,
    LABELS,
    Estimand,
    Headline,
    counted,
    headline,
    leave_one_object_out,
    leave_one_rater_out,
    primary_of,
)  # fmt: skip
from analysis.context import Context
from analysis.document import Paragraph, Part, Section, Table
from analysis.estimates import FEWEST, Group
from analysis.figures import interval_words, percent
from analysis.groups import labels_of
from analysis.hour.telling import number, slug

KEY = "sensitivity_rows"
CHOSEN: tuple[tuple[str, str, choices.Chooser], ...] = (
    ("first_click", "First click instead of the last choice", choices.first_click),
    ("informed", "Only ratings with a record opened", choices.informed),
    ("exposed_stricter", "Only visits with 30 active minutes or more", choices.exposed_stricter),
    ("exposed_looser", "Enough rated, however short the work", choices.exposed_looser),
    ("everyone", "Everyone who rated anything", choices.everyone),
    ("without_flags", "Without people with two strong flags", choices.without_two_strong),
    ("without_software_only", "Without low ratings for the software alone", choices.without_software_only),
    ("worst", "Can't judge and rather not say counted as not approving", choices.judged_as(1.0)),
    ("best", "Can't judge and rather not say counted as approving", choices.judged_as(5.0)),
    ("first_visit", "First visits only", choices.first_visit),
    ("without_split", "Without split visits", choices.without_split),
    ("without_ai", "Without people who used AI for solving", choices.without_ai_solving),
    ("without_knows_other", "Without people who know of another participant", choices.without_knows_other),
    ("without_incident", "Without visits with an incident", choices.without_incident),
    ("all_questions", "Only visits that reached all questions in time", choices.all_questions),
)


@dataclass(frozen=True)
class Row:
    """One row. difference: from the primary estimate, in shares. note: why there is no number, or what to know.

    Of the rows that leave one out, low and high are the range of the estimates, and `lowest` and `highest` say which
    rater (by place in the order of the codes) or object gives them.
    """

    row: str
    label: str
    estimand: Estimand
    estimate: float | None
    low: float | None
    high: float | None
    k: int | None
    n: int | None
    raters: int | None
    difference: float | None
    is_range: bool = False
    lowest: str = ""
    highest: str = ""
    note: str = ""


def compute(context: Context, earlier: Earlier) -> Found:
    primary = primary_of(context.promised)
    labels = labels_of(context.bundle)
    groups = [
        {
            "arm": group.arm, "level": group.level, "primary": primary,
            "rows": [asdict(row) for row in rows_of(context, group, primary, labels)],
        }
        for group in context.groups
    ]  # fmt: skip
    return Found({"primary": primary, "groups": groups})


def rows_of(context: Context, group: Group, primary: Estimand, labels: Mapping[str, str]) -> list[Row]:
    """Every row of a group, the primary one first."""
    base = choices.analysed(group)
    of = {name: headline(base, name, group.level) for name in ESTIMANDS}
    first = of[primary]
    rows = [_row("primary", f"{LABELS[primary]}, as promised", first, first)]
    rows += [_row(name, LABELS[name], of[name], first) for name in ESTIMANDS if name != primary]
    stricter = headline(base, primary, group.level, least=5)
    rows.append(_row("five_only", "Very Realistic only, not Realistic", stricter, first))
    rows += [_chosen(key, label, chooser(context, group), first, group) for key, label, chooser in CHOSEN]
    rows += _several("cohort", "Cohort", choices.cohorts(context, group), first, group)
    rows += _several("protocol", "Protocol", choices.protocols(context, group), first, group)
    return [*rows, *_left_out(group, first, labels)]


def _row(key: str, label: str, found: Headline, first: Headline) -> Row:
    gap = None
    if found.estimate is not None and first.estimate is not None and key != "primary":
        gap = found.estimate - first.estimate
    return Row(
        key, label, found.estimand, found.estimate, found.low, found.high, found.k, found.n, found.raters, gap,
        note=found.note,
    )  # fmt: skip


def _chosen(key: str, label: str, choice: choices.Choice, first: Headline, group: Group) -> Row:
    if choice.ratings is None:
        return _none(key, label, first, choice.reason)
    return _row(key, label, headline(choice.ratings, first.estimand, group.level), first)


def _none(key: str, label: str, first: Headline, reason: str) -> Row:
    return Row(key, label, first.estimand, None, None, None, None, None, None, None, note=reason)


def _several(key: str, label: str, found: Mapping[str, choices.Choice], first: Headline, group: Group) -> list[Row]:
    if not found:
        return [_none(key, f"By {label.lower()}", first, "the file does not tell")]
    return [_chosen(f"{key}.{name}", f"{label} {name}", choice, first, group) for name, choice in found.items()]


def _left_out(group: Group, first: Headline, labels: Mapping[str, str]) -> Iterator[Row]:
    """The range of the estimate with one rater, and with one object, left out."""
    table = counted(choices.analysed(group), first.estimand, by="rater")
    numbers = [f"rater {place}" for place in range(1, len(table.clusters) + 1)]
    raters = leave_one_rater_out(table, first.estimand)
    yield _range("leave_one_rater_out", "One rater left out", raters, numbers, first, "of one rater left out")
    key, label = "leave_one_object_out", "One object left out"
    if first.estimand == "org_approval":
        yield _none(key, label, first, "the Org as a whole is one rating")
        return
    names = [labels.get(target, target) for target in table.targets]
    yield _range(key, label, leave_one_object_out(table, first.estimand), names, first, "of one object left out")


def _range(
    key: str, label: str, values: Sequence[float | None], names: Sequence[str], first: Headline, what: str
) -> Row:
    known = sorted((value, name) for value, name in zip(values, names, strict=True) if value is not None)
    row = _none(key, label, first, "nothing is left when one is left out")
    if first.estimate is None:
        return replace(row, note=f"under {FEWEST} raters there is no percentage" if first.n else "no ratings")
    if not known:
        return row
    (low, lowest), (high, highest) = known[0], known[-1]
    far = max(low, high, key=lambda value: abs(value - (first.estimate or 0)))
    return replace(
        row, low=low, high=high, n=first.n, k=first.k, raters=first.raters, difference=far - first.estimate,
        is_range=True, lowest=lowest, highest=highest, note=f"range {what}; the largest difference",
    )  # fmt: skip


HEAD = ("Choice", "Estimate", "Interval", "n", "raters", "Difference", "Note")


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    found = results.get(KEY)
    if not found or not found["groups"]:
        return ()
    parts: list[Part] = [
        Paragraph(
            f"{LABELS[found['primary']]} under every other choice of the plan. All rows stand here, whatever they "
            "show; a row that can't be computed says why. Nothing here moves anybody out of the primary estimate."
        )
    ]
    parts += [_table(group) for group in found["groups"]]
    return (Section("sensitivity-rows", "Sensitivity rows", parts),)


def _table(group: Mapping[str, Any]) -> Table:
    rows = group["rows"]
    keys = ("row", "estimand", "estimate", "low", "high", "k", "n", "raters", "difference", "lowest", "highest", "note")
    return Table(
        f"sensitivity-rows-{slug(group['arm'])}",
        "Sensitivity rows" + (f", {group['arm']}" if group["arm"] else ""),
        HEAD,
        [_cells(row) for row in rows],
        words=(6,),
        data=[keys, *([row[key] for key in keys] for row in rows)],
        note=f"Intervals at {percent(group['level'])}. Of the rows with one left out it is the range of the estimates.",
    )


def _cells(row: Mapping[str, Any]) -> list[str | int | None]:
    estimate = percent(row["estimate"], 1) if row["estimate"] is not None else ""
    note = f"lowest without {row['lowest']}, highest without {row['highest']}" if row["is_range"] else row["note"]
    return [row["label"], estimate, interval_words(row), row["n"], row["raters"], points(row["difference"]), note]


def points(share: float | None) -> str:
    """A difference of shares in points with its sign: +2.1."""
    return "" if share is None else number(share * 100, signed=True)


BLOCK = Block(KEY, compute, sections)
