"""The log of deviations in a report: where the study left its protocol, line by line, in the team's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.bundle import Bundle
from analysis.document import Paragraph, Section, Table

HEAD = ("No.", "Day", "What", "Why", "Ratings by then", "Protocol", "By")


def deviations(bundle: Bundle) -> list[dict[str, Any]]:
    """The lines in their order; none in a plain file or a bundle from before there was a log."""
    frame = bundle.frames.get("deviations")
    if frame is None or frame.empty:
        return []
    rows = frame.sort_values("number").to_dict("records")
    return [
        {
            "number": int(row["number"]),
            "happened_on": str(row["happened_on"])[:10],
            "what": str(row["what"]),
            "why": str(row["why"]),
            "ratings_open": row["ratings_open"] is True,
            "protocol_number": int(row["protocol_number"]),
            "by": str(row["by"]),
        }
        for row in rows
    ]


def section(rows: Sequence[Mapping[str, Any]], *, plain: bool) -> list[Section]:
    """The part of a report; a study without deviations says so, a plain file says nothing."""
    if plain:
        return []
    if not rows:
        return [Section("deviations", "Deviations", [Paragraph("None was written down.")])]
    cells = [
        (row["number"], row["happened_on"], row["what"], row["why"], "open" if row["ratings_open"] else "closed",
         row["protocol_number"], row["by"])
        for row in rows
    ]  # fmt: skip
    said = Table("deviations", "Where the study left its protocol", HEAD, cells, words=(1, 2, 3, 4, 6))
    return [Section("deviations", "Deviations", [said])]
