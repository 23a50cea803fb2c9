"""Sections of a report about approval: the headline with what may be said, and the objects of each group."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analysis.document import Card, Cards, Figure, Heading, Paragraph, Part, Section, Table
from analysis.figures import diverging_sentence, diverging_svg, headline_of, headline_svg, interval_words, percent
from analysis.sentences import CONVENIENCE, claims, headline_sentence, insensitive
from analysis.tables import SCALE

Found = Mapping[str, Any]
HEADLINES = {
    "org_approval": "Org approval",
    "mean_over_objects": "Mean over objects",
    "pooled_share": "Pooled share",
}
BLANK_HEADS = {
    "cannot_judge": "can't judge",
    "rather_not_say": "rather not say",
    "not_reached": "not reached",
    "not_asked": "not asked",
    "removed": "removed",
}


def slugs(found: Found) -> dict[str, str]:
    """A short name for each group, usable in file names and anchors, once in a report."""
    names: dict[str, str] = {}
    for number, group in enumerate(found["groups"], start=1):
        slug = re.sub(r"[^a-z0-9]+", "-", group["arm"].lower()).strip("-") or "all"
        names[group["arm"]] = slug if slug not in names.values() else f"{slug}-{number}"
    return names


def headline(found: Found) -> list[Section]:
    """The three headline estimates of each group, and the sentences that may be said of them."""
    parts: list[Part] = []
    for group in found["groups"]:
        own = _headlines(found, group)
        if len(found["groups"]) > 1:
            parts.append(Heading(title_of(group)))
        parts.append(Paragraph(" ".join(claims(found, group, own))))
        parts.append(Cards([_card(own[name], title, group, slugs(found)) for name, title in HEADLINES.items()]))
    parts += [Paragraph(words, "note") for words in insensitive(found)]
    return [Section("headline", "Headline", [*parts, Paragraph(CONVENIENCE)])]


def title_of(group: Found) -> str:
    control = f" (control: {group['control']})" if group.get("control") else ""
    return f"Arm {group['arm']}{control}" if group["arm"] else "All ratings"


def _headlines(found: Found, group: Found) -> dict[str, Found]:
    return {
        row["estimand"]: row
        for row in found["estimates"]
        if row["arm"] == group["arm"] and row["target"] in ("Org", "objects") and row["estimand"] in HEADLINES
    }


def _card(row: Found, title: str, group: Found, names: Mapping[str, str]) -> Card:
    text = headline_sentence(row, group)
    if row["estimate"] is None:
        return Card(title, f"{row['k']} of {row['n']}", "", "", None, text)
    name = f"{row['estimand'].replace('_', '-')}-{names[group['arm']]}"
    strip = Figure(
        name,
        lambda theme, width: headline_svg(row, theme, width, name),
        headline_of(row),
        wide=272,
        narrow=None,
        kind="strip",
    )
    return Card(title, percent(row["estimate"], 1)[:-1], "%", interval_words(row), strip, text)


def objects(found: Found) -> list[Section]:
    """Per group: diverging bars with can't judge and intervals, and all five points."""
    return [_objects(found, group, slugs(found)[group["arm"]]) for group in found["groups"]]


def _objects(found: Found, group: Found, slug: str) -> Section:
    one = len(found["groups"]) == 1
    title = "Approval by object" if one else f"Approval by object, {title_of(group)[0].lower()}{title_of(group)[1:]}"
    drawing = Figure(
        f"approval-{slug}",
        partial(_bars, group["objects"], f"approval-{slug}"),
        diverging_sentence(group["objects"]),
    )
    parts: list[Part] = [
        Paragraph(
            f"Scope: {group['scope']}. Set: {group['set']}. {group['raters']} raters, {group['ratings']} ratings, "
            f"{group['cannot_judge']} can't judge."
        ),
        Paragraph(
            "Counts of raters, centred on the middle of Neutral. Highest approval first. Wilson intervals; can't "
            "judge is left out of n."
        ),
        drawing,
        _approval(group, slug),
        _all_points(group, slug),
    ]
    return Section(f"objects-{slug}", title, parts)


def _bars(rows: Sequence[Found], name: str, theme: str, width: int) -> str:
    return diverging_svg(rows, theme, width, name)


def share(row: Found) -> str:
    """A share as a report shows it, or why there is none."""
    return str(row["note"]).partition(";")[0] if row["estimate"] is None else percent(row["estimate"], 1)


def _mean(row: Found) -> str:
    if row["estimate"] is None:
        return ""
    bounds = f"{row['low']:.2f} to {row['high']:.2f}" if row["low"] is not None else row["note"]
    return f"{row['estimate']:.2f} ({bounds})"


def _approval(group: Found, slug: str) -> Table:
    rows, data = [], []
    for r in group["objects"]:
        mean = r["mean"]
        rows.append((r["label"], r["n"], r["k"], share(r), interval_words(r), r["cannot_judge"], _mean(mean)))
        data.append(
            (r["label"], r["n"], r["k"], r["estimate"], r["low"], r["high"], r["cannot_judge"], mean["estimate"],
             mean["low"], mean["high"])
        )  # fmt: skip
    head = ("object", "n", "k", "approval", "low", "high", "cannot_judge", "mean_score", "mean_low", "mean_high")
    return Table(
        f"approval-by-object-{slug}",
        f"Approval by object, {group['level']:.0%} intervals",
        ("Object", "n", "approve", "approval", "interval", "can't judge", "mean score (t interval)"),
        rows,
        data=[head, *data],
    )


def _all_points(group: Found, slug: str) -> Table:
    rows = [
        (row["label"], *row["counts"], *(row["blanks"].get(kind, 0) for kind in BLANK_HEADS))
        for row in [group["org"], *group["objects"]]
    ]
    head = ("", *SCALE, *BLANK_HEADS.values())
    return Table(f"all-points-{slug}", "All five points, and what was left blank", head, rows)
