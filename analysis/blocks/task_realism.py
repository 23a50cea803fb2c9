"""Whether the questions are those of the job: how often they come up, and whether there was one clear answer (M11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.bundle import Bundle
from analysis.context import Context
from analysis.document import Paragraph, Part, Section, Table
from analysis.estimates import Estimate
from analysis.hour.reading import DECLINED, Party, closing, counted, parties
from analysis.hour.shares import share_row
from analysis.hour.telling import between, estimates, heading, one, plain, said, share, slug

KEY = "task_realism"
OFTEN = ("daily", "weekly", "monthly")
FREQUENCIES = (*OFTEN, "less_often", "never")
NOT_MINE = "not_my_area"
UNCLEAR = ("unclear_wording", "several_answers", "data_missing", "other")
CLEAR = ("yes", *UNCLEAR)
ENOUGH_TO_LOOK = 2
"""People who call an instance unclear before somebody looks at its answer rule."""


def compute(context: Context, earlier: Earlier) -> Found:
    """The analysed set of each group; unclear instances by everyone, for they are to be looked at."""
    answers = answered(context.bundle)
    groups: list[dict[str, Any]] = []
    rows: list[Estimate] = []
    for party in parties(context):
        own = party.rows(answers)
        rows += _rows(party, own)
        groups.append(
            {
                "arm": party.arm,
                "level": party.level,
                "asked": int((own["frequency"] != "").sum()),
                "frequency": counted(own["frequency"], (*FREQUENCIES, NOT_MINE, DECLINED)),
                "clear": counted(own["clear"], (*CLEAR, DECLINED)),
                "tasks": _names(own, "task"),
                "strata": _names(own, "stratum"),
            }
        )
    asked = bool(((answers["frequency"] != "") | (answers["clear"] != "")).any())
    return Found({"asked": asked, "groups": groups, "unclear": _unclear(context, answers)}, rows)


def answered(bundle: Bundle) -> pd.DataFrame:
    """Attempts with frequency and clear: asked after each question, or as a list after the ratings in a replication."""
    attempts = bundle.frames["attempts"]
    asked = {"frequency": "frequency_at_work", "clear": "one_clear_answer"}
    frame = attempts[["visit", "position", "instance", "task", "stratum"]].copy()
    for name, column in asked.items():
        later = closing(bundle, rf"{name}_(?P<position>\d+)")
        given = {
            (visit, int(position)): value or blank
            for visit, position, value, blank in zip(
                later["visit"], later.get("position", ()), later["value"], later["blank"], strict=True
            )
        }
        places = zip(attempts["visit"], attempts["position"], strict=True)
        listed = pd.Series([given.get((visit, int(place)), "") for visit, place in places], attempts.index, dtype=str)
        frame[name] = attempts[column].where(attempts[column] != "", listed)
    return frame


def _names(own: pd.DataFrame, by: str) -> list[str]:
    return sorted({str(name) for name in own[by]} - {""})


def _rows(party: Party, own: pd.DataFrame) -> Iterator[Estimate]:
    """Monthly or oftener among those whose area it is; and one clear answer among those who said."""
    mine = own[own["frequency"].isin(FREQUENCIES)]
    told = own[own["clear"].isin(CLEAR)]
    for estimand, chosen, true in (
        ("task_realism", mine, mine["frequency"].isin(OFTEN)),
        ("one_clear_answer", told, told["clear"] == "yes"),
    ):
        yield share_row(party, estimand, "tasks", true, chosen)
        for by, ending in (("task", ""), ("stratum", "_by_stratum")):
            for name in _names(own, by):
                part = chosen[by] == name
                yield share_row(party, estimand + ending, name, true[part], chosen[part])


def _unclear(context: Context, answers: pd.DataFrame) -> list[dict[str, Any]]:
    """Instances that two or more people called unclear, with their reasons."""
    person = answers["visit"].map(context.visits["participant"])
    found = []
    for instance, part in answers.assign(person=person).groupby("instance", sort=True):
        said_no = part[part["clear"].isin(UNCLEAR)]
        people = int(said_no["person"].nunique())
        if people >= ENOUGH_TO_LOOK:
            found.append(
                {
                    "instance": str(instance),
                    "task": str(part["task"].iloc[0]),
                    "people": people,
                    "asked": int(part.loc[part["clear"].isin(CLEAR), "person"].nunique()),
                    "reasons": counted(said_no["clear"]),
                }
            )
    return sorted(found, key=lambda row: (-row["people"], row["instance"]))


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """From results.json alone."""
    found = results.get(KEY) or {}
    if not found.get("asked"):
        return ()
    parts: list[Part] = [
        Paragraph(
            "Task realism is the share of “monthly” or oftener among those whose area it is; “not my area” is left out "
            "and shown. Raters are the clusters."
        )
    ]
    for group in found["groups"]:
        parts += heading(group["arm"], found["groups"])
        parts += _group(results, group)
    parts += _queue(found["unclear"])
    return (Section("task-realism", "Are these the questions of the job?", parts),)


def _group(results: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    arm, level = group["arm"], group["level"]
    often, clear = (one(results, arm, name, "tasks") for name in ("task_realism", "one_clear_answer"))
    aside = f"Not my area: {group['frequency'][NOT_MINE]}; rather not say: {group['frequency'][DECLINED]}."
    parts: list[Part] = [
        Paragraph(f"Comes up monthly or oftener: {said(often, level)}. {aside} One clear answer: {said(clear, level)}.")
    ]
    rows, data = [], []
    for ending, kind in (("_by_stratum", "all of"), ("", "")):
        for row in estimates(results, arm, f"task_realism{ending}"):
            answer = one(results, arm, f"one_clear_answer{ending}", row["target"])
            if row["target"] == "tasks" or answer is None:
                continue
            label = f"{kind} {plain(row['target'])}".strip()
            rows.append(
                (label, row["n"], share(row), between(row), answer["n"], share(answer), between(answer))
            )  # fmt: skip
            exact = [entry[key] for entry in (row, answer) for key in ("k", "n", "estimate", "low", "high", "raters")]
            data.append((row["target"], *exact))
    names = ("k", "n", "share", "low", "high", "raters")
    head = ("Task", "whose area", "monthly or oftener", "interval", "said", "one clear answer", "interval")
    columns = ("target", *(f"often_{name}" for name in names), *(f"clear_{name}" for name in names))
    caption = f"Task realism and clear answers ({level:.0%} intervals, raters as clusters)"
    parts.append(Table(f"task-realism-{slug(arm)}", caption, head, rows, data=[columns, *data]))
    reasons = [(plain(code), group["clear"][code]) for code in UNCLEAR]
    parts.append(Table(f"unclear-{slug(arm)}", "Why there was not one clear answer", ("Reason", "answers"), reasons))
    return parts


def _queue(unclear: Sequence[Mapping[str, Any]]) -> list[Part]:
    if not unclear:
        return [Paragraph("No question was called unclear by two people.")]
    rows = [
        (row["instance"], plain(row["task"]), row["people"], row["asked"], ", ".join(
            f"{plain(code)} {count}" for code, count in row["reasons"].items()))
        for row in unclear
    ]  # fmt: skip
    caption = "Questions that two or more people called unclear: their answer rule should be looked at"
    head = ("Instance", "task", "called it unclear", "of", "reasons")
    return [Table("unclear-instances", caption, head, rows, words=(1, 4))]


BLOCK = Block(KEY, compute, sections)
