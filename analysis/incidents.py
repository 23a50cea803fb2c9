"""Incidents in a report: when the study stood for everybody, how many visits it met, and what it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.bundle import Bundle
from analysis.document import Paragraph, Section, Table

HEAD = ("Incident", "From (UTC)", "To (UTC)", "visits", "What")


def incidents(bundle: Bundle) -> list[dict[str, Any]]:
    """The lines in the order of time; none in a plain file."""
    frame = bundle.frames.get("incidents")
    if frame is None or frame.empty:
        return []
    rows = frame.sort_values(["began", "code"]).to_dict("records")
    return [
        {
            "code": str(row["code"]),
            "began": _moment(row["began"]),
            "over": _moment(row["over"]),
            "visits": int(row["visits"]),
            "what": str(row["what"]),
        }
        for row in rows
    ]


def _moment(value: Any) -> str:
    """To the minute; empty for none."""
    return "" if pd.isna(value) else f"{value:%Y-%m-%d %H:%M}"


def section(rows: Sequence[Mapping[str, Any]], *, plain: bool) -> list[Section]:
    """The part of a report; a study without one says so, a plain file says nothing."""
    if plain:
        return []
    if not rows:
        return [Section("incidents", "Incidents", [Paragraph("There was none.")])]
    cells = [(row["code"], row["began"], row["over"] or "going on", row["visits"], row["what"]) for row in rows]
    said = Table("incidents", "When the study stood for everybody", HEAD, cells, words=(1, 2, 4))
    return [Section("incidents", "Incidents", [said])]
