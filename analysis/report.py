"""Write a report: results.json, tables as CSV, figures as SVG, and one self-contained report.html."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.bundle import Bundle, BundleError, read_bundle
from analysis.cells import csv_bytes, safe_cell
from analysis.estimates import Estimate
from analysis.figures import diverging_svg, flow_svg, flow_words, headline_svg
from analysis.groups import labels_of
from analysis.page import HEADLINES, report_html
from analysis.plain import read_plain
from analysis.results import results, results_text
from analysis.tables import SCALE

QUOTATIONS = "quotations"
__all__ = ["rationale_rows", "read_input", "results", "write_report"]


def read_input(path: Path | str) -> Bundle:
    """A bundle directory or a plain ratings.csv. Raises BundleError."""
    place = Path(path)
    if not place.exists():
        raise BundleError(f"{place} does not exist. Give a bundle's folder or a ratings.csv.")
    return read_bundle(place) if place.is_dir() else read_plain(place)


def write_report(bundle: Bundle, out: Path | str) -> dict[str, Any]:
    """Write the whole report into a folder and return the results. The same bundle gives the same bytes."""
    folder = Path(out)
    found = results(bundle)
    files = {"results.json": results_text(found).encode()}
    files |= {f"tables/{name}.csv": data for name, data in _tables(found).items()}
    files |= {f"figures/{name}.svg": text.encode() for name, text in figures(found).items()}
    files["report.html"] = report_html(found, rationale_rows(bundle)).encode()
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return found


def figures(found: Mapping[str, Any]) -> dict[str, str]:
    """All figures of a report by name, wide and narrow, light and dark."""
    drawn = {}
    for theme in ("light", "dark"):
        for number, group in enumerate(found["groups"], start=1):
            for form, width in (("wide", 872), ("narrow", 320)):
                drawn[f"approval-{number}-{form}-{theme}"] = diverging_svg(group["objects"], theme, width)
            for row in found["estimates"]:
                if row["arm"] == group["arm"] and row["estimand"] in HEADLINES:
                    drawn[f"{row['estimand'].replace('_', '-')}-{number}-{theme}"] = headline_svg(row, theme)
        for form, width in (("wide", 872), ("narrow", 320)):
            drawn[f"flow-{form}-{theme}"] = flow_svg(found["flow"], theme, width)
    return drawn


def rationale_rows(bundle: Bundle) -> list[dict[str, Any]]:
    """Rationales with their rating, the Org first, then objects by label, then participant.

    Where being quoted was an optional line of the consent, the words of those who do not stand by it are left out.
    """
    texts = bundle.frames["rationales"]
    texts = texts[texts["text"] != ""]
    visits = bundle.frames["visits"]
    person = dict(zip(visits["id"], visits["participant"], strict=True))
    silent = _not_quoted(bundle)
    labels = labels_of(bundle)
    ratings = {
        (row.visit, row.kind, row.target): _rating_words(row.final, row.final_blank)
        for row in bundle.frames["ratings"].itertuples()
    }
    rows = [
        {
            "label": "The Org as a whole" if row.kind == "org" else labels.get(str(row.target), str(row.target)),
            "target": row.target,
            "participant": person[str(row.visit)],
            "rating": ratings.get((row.visit, row.kind, row.target), "no rating"),
            "side": row.side,
            "text": "" if person[str(row.visit)] in silent else row.text,
            "tags": row.tags or [],
            "redacted": row.redacted is True,
        }
        for row in texts.itertuples()
    ]
    order = {"right": 0, "off": 1, "why": 2}
    return sorted(rows, key=lambda row: (row["target"] != "Org", row["label"], row["participant"], order[row["side"]]))


def _not_quoted(bundle: Bundle) -> set[str]:
    """Codes of people who were asked whether they may be quoted and do not agree (now)."""
    consent = bundle.protocol.get("consent")
    optional = consent.get("optional") if isinstance(consent, dict) else None
    if not any(isinstance(one, dict) and one.get("id") == QUOTATIONS for one in optional or ()):
        return set()
    return {
        str(row.code)
        for row in bundle.frames["participants"].itertuples()
        if QUOTATIONS not in _listed(getattr(row, "agreed_to", None))
    }


def _listed(cell: object) -> list[Any]:
    return cell if isinstance(cell, list) else []


def _rating_words(final: object, blank: object) -> str:
    return str(blank).replace("_", " ") if final is pd.NA else SCALE[int(str(final)) - 1]


def _tables(found: Mapping[str, Any]) -> dict[str, bytes]:
    estimates = [[row[name] for name in Estimate.__dataclass_fields__] for row in found["estimates"]]
    objects = [
        [group["arm"], row["target"], row["label"], *row["counts"], row["n"], row["k"], row["estimate"], row["low"],
         row["high"], row["cannot_judge"], row["note"]]
        for group in found["groups"]
        for row in [group["org"], *group["objects"]]
    ]  # fmt: skip
    flow = [[row["stage"], row["reached"], flow_words(row)] for row in found["flow"]]
    tasks = [
        [by, row[by], row["assigned"], row["attempted"], row["graded"], row["correct"], row["participants"],
         row["share_of_attempted"], row["low"], row["high"], row["median_minutes"]]
        for by, rows in (("stratum", found["strata"]), ("task", found["tasks"]))
        for row in rows
    ]  # fmt: skip
    people = [
        [item["item"], item["text"], cell["answer"], cell["count"]]
        for item in found["characteristics"]
        for cell in item["cells"]
    ]
    points = [label.lower().replace(" ", "_") for label in SCALE]
    return {
        "estimates": _csv(list(Estimate.__dataclass_fields__), estimates),
        "objects": _csv(
            ["arm", "target", "label", *points, "n", "k", "estimate", "low", "high", "cannot_judge", "note"], objects
        ),
        "flow": _csv(["stage", "reached", "came_no_further"], flow),
        "success": _csv(
            ["by", "name", "assigned", "attempted", "graded", "correct", "participants", "share_of_attempted", "low",
             "high", "median_minutes"], tasks,
        ),
        "characteristics": _csv(["item", "text", "answer", "participants"], people),
    }  # fmt: skip


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    return csv_bytes(head, [[_cell(value) for value in row] for row in rows])


def _cell(value: object) -> str:
    if value is None:
        return ""
    return safe_cell(value) if isinstance(value, str) else str(value)
