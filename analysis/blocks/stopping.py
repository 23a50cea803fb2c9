"""Stopping: what was promised, whether it was followed, and what somebody who looked all the time may say."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.blocks import Block, Earlier, Found
from analysis.context import Context
from analysis.document import Figure, Heading, Paragraph, Part, Section, Table
from analysis.estimates import FEWEST
from analysis.figures import interval_words, percent
from analysis.figures_stopping import course_svg, sentence
from analysis.hour.telling import slug
from analysis.planning.course import Course, courses
from analysis.planning.followed import Followed, followed
from analysis.planning.stopping import StoppingRule, interval, rule_of, sequence_path, summed
from analysis.planning.telling import rule_words

KEY = "stopping"
Data = Mapping[str, Any]
NOTHING = StoppingRule("fixed", 1, 1)  # its estimand is the headline's, where nothing was promised
NAMES = {"mean_over_objects": "mean over objects", "org_approval": "Org approval", "pooled_share": "pooled share"}


def compute(context: Context, earlier: Earlier) -> Found:
    rule, why = _promised(context)
    found = courses(context, rule or NOTHING)
    arms = []
    if rule is not None and not context.bundle.plain and any(one.codes for one in found):
        by_arm = itertools.groupby(sorted(found, key=lambda one: (one.arm, one.group)), key=lambda one: one.arm)
        arms = [_arm(followed(rule, list(of_arm))) for _, of_arm in by_arm]
    # The rows of a plain file are in no order of time, so there is no course to follow.
    timed = [] if context.bundle.plain else [one for one in found if one.codes]
    groups = [_group(rule or _rule_without(context), one) for one in timed]
    if not any(one.codes for one in found):
        why = "; ".join(part for part in (why, "no ratings of analysed people in this bundle") if part)
    told = None if rule is None else {
        "kind": rule.kind, "target": rule.target, "most": rule.most, "estimand": rule.estimand, "level": rule.level,
        "planned": list(rule.planned), "words": rule_words(rule),
    }  # fmt: skip
    return Found({"why": why, "promised": told, "arms": arms, "groups": groups})


def _promised(context: Context) -> tuple[StoppingRule | None, str]:
    if context.bundle.plain:
        return None, "a plain file promises nothing, and its rows are in no order of time"
    try:
        rule = rule_of(context.promised)
    except ValueError as problem:
        return None, f"the promised rule can't be read: {problem}"
    return rule, "" if rule else "the protocol in this bundle promises no stopping rule"


def _rule_without(context: Context) -> StoppingRule:
    return StoppingRule("fixed", 1, 1, level=context.level)


def _arm(found: Followed) -> dict[str, Any]:
    looks = [
        {
            "n": one.n,
            "verdict": one.verdict,
            "groups": [
                {"group": name, "half_width": look.half_width, "z": look.z, "critical": look.critical}
                for name, look in one.of_groups.items()
            ],
        }
        for one in found.looks
    ]
    return {
        "arm": found.arm, "analysed": found.analysed, "looks": looks, "stop_at": found.stop_at,
        "finished_at": found.finished_at.isoformat() if found.finished_at is not None else None,
        "late": found.late, "began_later": found.began_later, "state": found.state, "sentence": found.sentence,
    }  # fmt: skip


def _group(rule: StoppingRule, one: Course) -> dict[str, Any]:
    """The interval of the fixed n beside the sequence, and the path; under five raters none of it (P-30)."""
    raters = int((one.valid.sum(axis=1) > 0).sum())
    empty: dict[str, Any] = {"estimate": None, "low": None, "high": None, "path": []}
    told: dict[str, Any] = {"group": one.group, "arm": one.arm, "control": one.control, "raters": raters}
    if raters < FEWEST:
        return {**told, **empty, "note": f"{raters} raters: too few for a percentage"}
    y, m = summed(one.approvals, one.valid, one.clusters)
    low, high = interval(rule, y, m)
    notes = []
    if one.clusters is not None:
        notes.append("The sequence takes raters as independent; it says nothing beyond these Orgs.")
    if None in one.locked:
        notes.append("Of some raters no time of the lock is known; they come last.")
    note = " ".join(notes)
    return {**told, "estimate": _share(rule, one), "low": low, "high": high, "path": _path(rule, one), "note": note}


def _share(rule: StoppingRule, one: Course) -> float:
    """The primary estimand over all raters."""
    if rule.estimand == "mean_over_objects":
        rated = one.valid.sum(axis=0) > 0
        return float((one.approvals.sum(axis=0)[rated] / one.valid.sum(axis=0)[rated]).mean())
    return float(one.approvals.sum() / one.valid.sum())


def _path(rule: StoppingRule, one: Course) -> list[dict[str, float]]:
    """After each rater: the mean of the raters' own shares so far (what the sequence is about) and its limits."""
    counted = one.valid.sum(axis=1)
    used = counted > 0
    shares = one.approvals.sum(axis=1)[used] / counted[used]
    means = shares.cumsum() / np.arange(1, len(shares) + 1)
    low, high = sequence_path(rule, one.approvals, one.valid)
    rows = zip(means, low, high, strict=True)
    return [
        {"n": n, "estimate": float(e), "low": float(a), "high": float(b)} for n, (e, a, b) in enumerate(rows, start=1)
    ]


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    data = results.get(KEY)
    if not data:
        return ()
    parts: list[Part] = [Paragraph(_opening(data))]
    of_arms = _slugs([arm["arm"] for arm in data["arms"]])
    for arm in data["arms"]:
        if len(data["arms"]) > 1:
            parts.append(Heading(f"Arm {arm['arm']}"))
        parts.append(Paragraph(arm["sentence"], "note" if arm["state"] not in ("followed", "nobody") else ""))
        if arm["looks"]:
            parts.append(_looks_table(arm, data["promised"], of_arms[arm["arm"]]))
    shown = [group for group in data["groups"] if group["path"]]
    if shown:
        parts.append(Heading("If somebody had looked all the time"))
        parts.append(Paragraph(SEQUENCE))
        parts.append(_ends_table(shown, data))
        looks = data["promised"]["planned"] if data["promised"] else []
        names = _slugs([group["group"] for group in shown])
        for group in shown:
            parts += [_figure(group, looks, names[group["group"]]), _path_table(group, names[group["group"]])]
    return [Section("stopping", "Planning and stopping", parts)]


SEQUENCE = (
    "A confidence sequence holds after every rater at once, so it may be looked at, and stopped on, at any time; the "
    "interval of a fixed n may not, and is narrower. The sequence is about the mean of the raters' own shares, in the "
    "order in which they locked their ratings, and needs raters who come from one kind of population all along: a line "
    "that drifts speaks against that."
)


def _opening(data: Data) -> str:
    if data["promised"] is None:
        return f"Nothing is checked here: {data['why']}."
    said = f"Promised: {data['promised']['words']}"
    said += " The looks below are found again from the data, each on the first raters in the order of their locks."
    return f"{said} Not checked: {data['why']}." if data["why"] else said


def _looks_table(arm: Data, promised: Data, name: str) -> Table:
    tested = promised["kind"] == "alpha_spending"
    head = ["Group", "Raters", "Half-width", *(["|Z|", "Bound"] if tested else []), "Look"]
    rows, exact = [], []
    for look in arm["looks"]:
        for group in look["groups"]:
            half = "–" if group["half_width"] is None else f"± {100 * group['half_width']:.1f}"
            z = (
                [f"{abs(group['z']):.2f}" if group["z"] is not None else "–", f"{group['critical']:.2f}"]
                if tested
                else []
            )
            rows.append([group["group"] or "all", look["n"], half, *z, look["verdict"]])
            exact.append(
                [group["group"], look["n"], group["half_width"], group["z"], group["critical"], look["verdict"]]
            )
    return Table(
        f"stopping-looks-{name}", f"Planned looks{_of(arm['arm'])}", head, rows, words=(len(head) - 1,),
        data=[["group", "raters", "half_width", "z", "critical", "verdict"], *exact],
        note="Half-widths in percentage points. While the study was blind only the last column was told.",
    )  # fmt: skip


def _ends_table(groups: Sequence[Data], data: Data) -> Table:
    rows = [
        [group["group"] or "all", group["raters"], percent(group["estimate"]), interval_words(group),
         interval_words(group["path"][-1])]
        for group in groups
    ]  # fmt: skip
    exact = [
        [group["group"], group["raters"], group["estimate"], group["low"], group["high"], group["path"][-1]["low"],
         group["path"][-1]["high"]]
        for group in groups
    ]  # fmt: skip
    estimand = NAMES[data["promised"]["estimand"] if data["promised"] else "mean_over_objects"]
    notes = " ".join(dict.fromkeys(group["note"] for group in groups if group["note"]))
    return Table(
        "stopping-ends", f"The {estimand} at the end: interval of the fixed n, and confidence sequence",
        ["Group", "Raters", "Estimate", "Fixed n", "Sequence"], rows,
        data=[["group", "raters", "estimate", "low", "high", "sequence_low", "sequence_high"], *exact], note=notes,
    )  # fmt: skip


def _figure(group: Data, looks: Sequence[int], place: str) -> Figure:
    name = f"stopping-course-{place}"
    reached = [n for n in looks if n <= len(group["path"])]
    return Figure(name, lambda theme, width: course_svg(group, reached, theme, width, name), sentence(group))


def _path_table(group: Data, name: str) -> Table:
    path = group["path"]
    shown = [row for row in path if row["n"] % 5 == 0 or row is path[-1]]
    return Table(
        f"stopping-path-{name}", f"Cumulative approval{_of(group['group'])}, with its confidence sequence",
        ["Raters", "Mean of their shares", "Sequence"],
        [[row["n"], percent(row["estimate"]), interval_words(row)] for row in shown],
        data=[["raters", "estimate", "low", "high"], *([r["n"], r["estimate"], r["low"], r["high"]] for r in path)],
        note="Every fifth rater; the file has each one.",
    )  # fmt: skip


def _slugs(names: Sequence[str]) -> dict[str, str]:
    """Parts of file names, one for each name and none twice."""
    found: dict[str, str] = {}
    for number, name in enumerate(names, start=1):
        short = slug(name)
        found[name] = short if short not in found.values() else f"{short}-{number}"
    return found


def _of(name: str) -> str:
    return f" of {name}" if name else ""


BLOCK = Block(KEY, compute, sections)
