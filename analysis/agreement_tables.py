"""What a report shows of agreement: sections of the block `agreement`, from results.json alone.

Coefficients stand with their interval and no adjective: what is high or low depends on what the numbers are for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.document import Cell, Heading, Paragraph, Part, Section, Table
from analysis.figures import percent

Row = Mapping[str, Any]
MEANING = (
    "Agreement asks whether raters tell objects apart in the same way. It is no measure of realism, and nothing here "
    "depends on it. Where all objects look alike there is little to tell apart: alpha is then low although the ratings "
    "are sound. Gwet's coefficients do not fall when most answers are the same, so they stand beside it."
)
INTERVALS = (
    "Intervals leave out one rater at a time and take the t distribution: these objects are given, the raters are the "
    "sample. The scale is always all five points. An answer that was not given is no category."
)
MEANS = (
    "ICC(2,k) speaks of the objects' means over the k raters, ICC(2,1) of a single rater, as if the five points were "
    "equally far apart. They need ratings without gaps and rest on the larger part of the data that has none."
)
RETEST = (
    "The same people rated the same Org twice. Kappa has quadratic weights over all pairs of first and second answers; "
    "people are the clusters of its interval."
)
HEAD = ("Coefficient", "Value", "Interval", "Agreeing pairs", "with credit for near answers", "Objects", "Raters",
        "Note")  # fmt: skip


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """One section for the groups with ratings, one where people rated an Org twice; none where nobody rated."""
    found = results.get("agreement") or {}
    groups = [group for group in found.get("groups", ()) if group["ratings"]]
    made = []
    if groups:
        parts: list[Part] = [Paragraph(MEANING)]
        for group in groups:
            parts += _group(group, headed=len(groups) > 1)
        parts.append(Paragraph(INTERVALS))
        made.append(Section("agreement", "Agreement between raters", parts))
    if found.get("retest"):
        made.append(Section("retest", "The same Org rated twice", [Paragraph(RETEST), _retest(found["retest"])]))
    return made


def _group(group: Row, headed: bool) -> list[Part]:
    heading: list[Part] = [Heading(group["arm"])] if headed and group["arm"] else []
    if group["few"]:
        raters = f"{group['raters']} rater" + ("" if group["raters"] == 1 else "s")
        return [*heading, Paragraph(f"{raters}: too few for agreement; {group['ratings']} ratings stand above.")]
    parts = [*heading, _coefficients(group)]
    if group["snapshots"] > 1:
        parts.append(Paragraph(_SEVERAL.format(group["snapshots"])))
    reasons = {row["reason"] for row in group["reliability"]}
    if len(reasons) == 1 and "" not in reasons:
        return [*parts, Paragraph(f"Intraclass correlations: {reasons.pop()}.")]
    return [*parts, _reliability(group), Paragraph(MEANS)]


_SEVERAL = (
    "Ratings of {} Orgs. An object of one Org and the same object of another are different things: only people who "
    "rated the same Org form pairs."
)


def _coefficients(group: Row) -> Table:
    rows = [
        (
            row["coefficient"], number(row["value"]), limits(row), share(row["percent"]),
            share(row["weighted_percent"]), row["units"], row["raters"], row["reason"] or row["note"] or None,
        )
        for row in group["coefficients"]
    ]  # fmt: skip
    fields = ("coefficient", "value", "low", "high", "percent", "weighted_percent", "units", "dropped", "raters", "se",
              "unit_se", "unit_low", "unit_high", "reason", "note")  # fmt: skip
    dropped = max((row["dropped"] for row in group["coefficients"]), default=0)
    note = f"Objects with one rating, which no pair can be made of: {dropped}." if dropped else ""
    caption = f"Agreement on objects, {group['level']:.0%} intervals"
    return Table(
        f"agreement-{slug(group['arm'])}", caption, HEAD, rows, (7,), _data(fields, group["coefficients"]), note
    )


def _reliability(group: Row) -> Table:
    rows = [
        (
            row["form"].replace("k", str(row["raters"])) if row["form"].endswith("k)") else row["form"],
            number(row["value"]), limits(row), _normal(row), row["objects"], row["raters"],
            row["reason"] or row["note"] or None,
        )
        for row in group["reliability"]
    ]  # fmt: skip
    head = ("Form", "Value", "Interval", "Interval for normal ratings", "Objects", "Raters", "Note")
    fields = ("form", "value", "low", "high", "f_low", "f_high", "objects", "raters", "kept", "reason", "note")
    kept = group["reliability"][0]["kept"]
    note = f"Kept: {kept}." if kept and group["reliability"][0]["objects"] else ""
    caption = f"Intraclass correlations, {group['level']:.0%} intervals"
    return Table(
        f"intraclass-{slug(group['arm'])}", caption, head, rows, (6,), _data(fields, group["reliability"]), note
    )


def _normal(row: Row) -> str | None:
    return None if row["f_low"] is None else f"{number(row['f_low'])} to {number(row['f_high'])}"


def _retest(entries: Sequence[Row]) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            f"{entry['arm'] or 'all'}, Org {entry['org_hash'][:12]}", number(entry["value"]), limits(entry),
            f"{entry['equal']} of {entry['n']}" if entry["few"] else share(entry["percent"]),
            share(entry["within_one"]), None if entry["change"] is None else f"{entry['change']:+.2f}",
            entry["n"], entry["raters"], entry["reason"] or entry["note"] or None,
        )
        for entry in entries
    ]  # fmt: skip
    head = ("Arm and Org", "Kappa", "Interval", "The same answer", "within one point", "Mean change", "Pairs", "People",
            "Note")  # fmt: skip
    fields = ("arm", "org_hash", "value", "low", "high", "percent", "percent_low", "percent_high", "within_one",
              "change", "n", "raters", "reason", "note")  # fmt: skip
    level = entries[0]["level"]
    return Table("retest", f"First and second ratings, {level:.0%} intervals", head, rows, (8,), _data(fields, entries))


def _data(fields: Sequence[str], rows: Sequence[Row]) -> list[Sequence[str | int | float | None]]:
    return [fields, *([row[field] for field in fields] for row in rows)]


def number(value: float | None) -> str | None:
    """A coefficient as it is printed: three decimals, a true minus."""
    return None if value is None else f"{value:.3f}".replace("-", "−")


def limits(row: Row) -> str | None:
    """An interval of a coefficient in words."""
    return None if row["low"] is None or row["high"] is None else f"{number(row['low'])} to {number(row['high'])}"


def share(value: float | None) -> str | None:
    return None if value is None else percent(value, 1)


def slug(arm: str) -> str:
    """A group's name as part of a file's."""
    return re.sub(r"[^a-z0-9]+", "-", arm.lower()).strip("-") or "all"
