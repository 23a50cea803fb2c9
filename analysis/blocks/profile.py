"""The realism profile: seven points for each Org, each on its own scale, never averaged (method, section 2).

It reads what other blocks found and computes nothing of its own, so that a number here is the number there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from analysis.blocks import Block, Earlier, Found
from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.document import Bullets, Figure, Paragraph, Section, Table
from analysis.estimates import Estimate, Group
from analysis.figures_profile import interval_of, profile_sentence, profile_svg, value_of
from analysis.groups import control_recipe

KEY = "profile"
NO_AGENTS = "no agents' results in this bundle"


@dataclass(frozen=True)
class Point:
    """One of the seven: what it asks, what is good, its unit, and what is said where nothing was measured."""

    key: str
    name: str
    asks: str
    good: str
    unit: str
    missing: str


POINTS = (
    Point("fidelity", "Fidelity", "does what is there look right?", "high", "share", "no ratings"),
    Point("sensitivity", "Sensitivity", "would they have noticed?", "clearly above 0", "points",
          "no control Org, no dossiers"),
    Point("gap", "Gap", "how far below their own system?", "near 0", "scale", "not asked"),
    Point("coverage", "Coverage", "is what they do all week there?", "high", "share", "not asked"),
    Point("task_realism", "Task realism", "are these the questions of the job?", "high", "share", "not asked"),
    Point("elicitation_loss", "Elicitation loss", "what does asking cost?", "compared between kinds", "points",
          "nothing was withheld"),
    Point("agent_gap", "Gap to agents", "what is left to gain?", "small, the screens in mind", "points", NO_AGENTS),
)  # fmt: skip
READING = (
    "Fidelity high and sensitivity at 0: a surface that nobody would have seen through.",
    "Fidelity high and coverage low: a tidy corner of what the work is.",
    "Fidelity low and gap at 0: the experts' own systems are untidy too.",
)


def compute(context: Context, earlier: Earlier) -> Found:
    """data: one row per group with its seven points, each with marks (label, estimate, interval, n) or a note."""
    rows = [_row(group, context, earlier) for group in context.groups]
    return Found({"points": [asdict(point) for point in POINTS], "rows": rows})


def _row(group: Group, context: Context, earlier: Earlier) -> dict[str, Any]:
    control = control_recipe(group, context.controls)
    rated = group.ratings[group.ratings["analysed"] & group.ratings["score"].notna()]
    marks: dict[str, list[dict[str, Any]]] = {
        "fidelity": _estimates(earlier, group, {"mean_over_objects": "objects"}),
        "sensitivity": [] if control else _contrasts(earlier, group, "sensitivity"),
        "gap": _estimates(earlier, group, {"gap": "objects"}),
        "coverage": _estimates(earlier, group, {"coverage": "episodes", "task_coverage": "episodes"}),
        "task_realism": _estimates(earlier, group, {"task_realism": "tasks"}),
        "elicitation_loss": _contrasts(earlier, group, "elicitation_loss"),
        "agent_gap": _contrasts(earlier, group, "agent_gap"),
    }
    notes = {"sensitivity": "this is the control" if control else ""}
    return {
        "arm": group.arm,
        "control": control,
        "scope": group.scope,
        "raters": int(rated["rater"].nunique()),
        "points": [_point(point, marks[point.key], notes.get(point.key, "")) for point in POINTS],
    }


def _point(point: Point, marks: Sequence[Mapping[str, Any]], said: str) -> dict[str, Any]:
    """Marks with an estimate; where there is none, the note of what was tried, or that it wasn't measured."""
    shown = [mark for mark in marks if mark["estimate"] is not None]
    note = "" if shown else said or next((mark["note"] for mark in marks if mark["note"]), point.missing)
    return {"key": point.key, "marks": shown, "note": note}


def _estimates(earlier: Earlier, group: Group, wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    rows = [
        row
        for estimand, target in wanted.items()
        for row in earlier.estimates
        if row.arm == group.arm and row.estimand == estimand and row.target == target
    ]
    return [_mark(row.estimand.replace("_", " "), row, row.raters) for row in rows]


def _contrasts(earlier: Earlier, group: Group, estimand: str) -> list[dict[str, Any]]:
    """Differences of this group: those that name it as their first side, or whose id begins with its arm."""
    rows = [row for row in earlier.contrasts if row.estimand == estimand and _is_of(row, group)]
    return [_mark(row.id.rpartition(".")[2].replace("_", " "), row, row.n) for row in rows]


def _is_of(row: Contrast, group: Group) -> bool:
    arm = group.arm.partition(",")[0] or "all"
    return row.a == group.arm if row.a in (group.arm, row.b) else row.id.split(".")[0] in (arm, group.arm)


def _mark(label: str, row: Estimate | Contrast, raters: int) -> dict[str, Any]:
    return {
        "label": label, "estimate": row.estimate, "low": row.low, "high": row.high, "level": row.level, "n": row.n,
        "raters": raters, "estimator": row.estimator, "note": row.note,
    }  # fmt: skip


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """The figure with its table, and how to read the points together."""
    profile = results.get(KEY)
    if not profile or not profile["rows"]:
        return ()
    if not any(point["marks"] for row in profile["rows"] for point in row["points"]):
        return ()
    figure = Figure("realism-profile", partial(_drawn, profile), profile_sentence(profile))
    said = (
        "Seven points with their intervals, one row per Org. Each has its own scale, and no mean of them is formed: "
        "none of them follows from another."
    )
    return (Section(KEY, "Realism profile", [Paragraph(said), figure, _table(profile), Bullets(READING)]),)


def _drawn(profile: Mapping[str, Any], theme: str, width: int) -> str:
    return profile_svg(profile, theme, width)


def row_title(row: Mapping[str, Any]) -> str:
    control = f" (control: {row['control']})" if row["control"] else ""
    return f"{row['arm'] or 'all ratings'}{control}"


def _table(profile: Mapping[str, Any]) -> Table:
    rows = list(_cells(profile))
    exact = ("org", "point", "mark", "unit", "estimate", "low", "high", "n", "raters", "note")
    data = [
        (row_title(row), point["key"], mark.get("label"), meant["unit"], *(mark.get(name) for name in exact[4:9]),
         point["note"])
        for row in profile["rows"]
        for meant, point in zip(profile["points"], row["points"], strict=True)
        for mark in (point["marks"] or [{}])
    ]  # fmt: skip
    head = ("Org", "point", "estimate", "interval", "n", "raters", "good when")
    caption = "The seven points of each Org"
    return Table("realism-profile", caption, head, rows, words=(1, 2, 6), data=[exact, *data])


def _cells(profile: Mapping[str, Any]) -> Iterable[tuple[str | int | None, ...]]:
    """Lines of the table: the Org once, above its seven points."""
    for row in profile["rows"]:
        title = row_title(row)
        for meant, point in zip(profile["points"], row["points"], strict=True):
            for mark in point["marks"] or [None]:
                yield (title, f"{meant['name']}: {meant['asks']}", *_numbers(mark, point, meant), meant["good"])
                title = ""


def _numbers(mark: Mapping[str, Any] | None, point: Mapping[str, Any], meant: Mapping[str, Any]) -> tuple[Any, ...]:
    if mark is None:
        return point["note"], "", None, None
    label = f"{mark['label']}: " if len(point["marks"]) > 1 else ""
    value = f"{label}{value_of(mark, meant['unit'], long=True)}"
    return value, interval_of(mark, meant["unit"]), mark["n"], mark["raters"]


BLOCK = Block(KEY, compute, sections)
