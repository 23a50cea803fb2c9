"""Sections of a report about people: how far they came, the tasks, who they were, and what they wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analysis.document import Figure, Heading, Paragraph, Part, Quotation, Section, Table
from analysis.figures import flow_sentence, flow_svg, flow_words, interval_words, percent

Found = Mapping[str, Any]
SIDES = {"right": "What looked right", "off": "What looked off", "why": "Why"}


def flow(found: Found) -> list[Section]:
    if not found["flow"]:
        return []
    rows = [(row["stage"], row["reached"], flow_words(row)) for row in found["flow"]]
    drawing = Figure("participant-flow", partial(_flow, found["flow"]), flow_sentence(found["flow"]))
    stages = Table(
        "flow",
        "Who reached each stage, and where the others are",
        ("Stage", "reached", "came no further"),
        rows,
        words=(2,),
    )
    sets = Table("analysis-sets", "Analysis sets", ("Set", "participants"), list(found["sets"].items()))
    return [Section("flow", "Participant flow", [drawing, stages, sets])]


def _flow(rows: Sequence[Found], theme: str, width: int) -> str:
    return flow_svg(rows, theme, width)


def tasks(found: Found) -> list[Section]:
    if not found["tasks"]:
        return []
    parts: list[Part] = [Paragraph("In this interface, within the time, on first use.")]
    for rows, by, title in ((found["strata"], "stratum", "By skill"), (found["tasks"], "task", "By task")):
        parts.append(_success(rows, by, title))
    return [Section("success", "Success at the tasks", parts)]


def _success(rows: Sequence[Found], by: str, title: str) -> Table:
    names = ("assigned", "attempted", "graded", "correct", "share_of_attempted", "low", "high", "median_minutes")
    lines = [
        (
            row[by].replace("_", " "), row["assigned"], row["attempted"], row["graded"], row["correct"],
            None if row["share_of_attempted"] is None else percent(row["share_of_attempted"]),
            interval_words(row), row["median_minutes"],
        )
        for row in rows
    ]  # fmt: skip
    head = ("", "assigned", "attempted", "graded", "correct", "of graded", "interval", "median minutes")
    data = [(by, *names), *((row[by], *(row[name] for name in names)) for row in rows)]
    return Table(f"success-by-{by}", title, head, lines, data=data)


def people(found: Found) -> list[Section]:
    """Margins only: each question by itself, small cells merged (M20)."""
    if not found["characteristics"]:
        return []
    tables = [
        Table(
            f"characteristics-{number}-{item['item'].lower()}",
            f"{item['text']} (answered by {item['participants']})",
            ("Answer", "people"),
            [(cell["answer"], cell["count"]) for cell in item["cells"]],
        )
        for number, item in enumerate(found["characteristics"], start=1)
    ]
    note = Paragraph("Each question by itself; cells under five people are merged.")
    return [Section("people", "Who took part", [note, *tables])]


def rationales(rows: Sequence[Found]) -> list[Section]:
    """What people wrote, by object; rows of `report.rationale_rows`, whose texts only those give who may be quoted."""
    if not rows:
        return []
    parts: list[Part] = []
    if silent := sum(not row["text"] for row in rows):
        parts.append(Paragraph(f"{silent} of {len(rows)} are not quoted: their writers have not agreed to it."))
    last = None
    for row in rows:
        if not row["text"]:
            continue
        if row["label"] != last:
            parts.append(Heading(row["label"]))
            last = row["label"]
        masked = " (parts masked)" if row["redacted"] else ""
        parts.append(
            Quotation(row["text"], f"{row['participant']}, {row['rating']}, {SIDES[row['side']].lower()}{masked}")
        )
    return [Section("rationales", "Rationales by object", parts)]
