"""A panel's own list of submissions: its columns found, its words understood, one row per id. No database here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from study.people.ways.panels import Panel
from study.people.ways.spreadsheets import Line, Refusal, column_named, plain

AND = " / "
# Which of several submissions of one person counts: the furthest.
RANK = {"complete": 5, "screened_out": 4, "rejected": 3, "going": 2, "timed_out": 1, "returned": 0, "": 0}


@dataclass(frozen=True)
class Submission:
    """What the panel says about one id. ``status`` in its own words; several of one person are joined by " / "."""

    id: str
    status: str
    code: str = ""
    started: datetime | None = None
    finished: datetime | None = None


def submissions(panel: Panel, lines: Sequence[Line]) -> list[Submission]:
    """The panel's file, one entry per id, in the file's order. Raises Refusal when a column is missing."""
    head = lines[0]
    found = {
        key: column_named(head, (plain(panel.id), *names) if key == "id" else names)
        for key, names in panel.preset.columns.items()
    }
    missing = [name for key, name in (("id", _("the person's id")), ("status", _("the status"))) if found[key] is None]
    if missing:
        raise Refusal(
            _("This is not the list of submissions of %(panel)s: no column for %(missing)s. Its columns: %(columns)s.")
            % {
                "panel": panel.name,
                "missing": _(" and ").join(missing),
                "columns": ", ".join(cell for cell in head.cells if cell)[:200],
            }
        )
    by_id: dict[str, Submission] = {}
    for line in lines[1:]:
        one = Submission(
            id=line.cell(found["id"])[:200],
            status=line.cell(found["status"])[:40],
            code=line.cell(found["code"])[:60],
            started=_moment(line.cell(found["started"])),
            finished=_moment(line.cell(found["finished"])),
        )
        if one.id:
            key = one.id.casefold()
            by_id[key] = _joined(panel, by_id[key], one) if key in by_id else one
    if not by_id:
        raise Refusal(_("There is no submission in this list."))
    return list(by_id.values())


def _joined(panel: Panel, first: Submission, second: Submission) -> Submission:
    """Two submissions of one person: the further one counts, and the status names both."""
    better = max((first, second), key=lambda one: RANK[meaning(panel, one.status)])
    return Submission(first.id, f"{first.status}{AND}{second.status}"[:40], better.code, first.started, better.finished)


def meaning(panel: Panel, status: str) -> str:
    """Our word for the panel's: complete, screened_out, timed_out, returned, rejected, going; empty if unknown."""
    words = [panel.preset.words.get(plain(part), "") for part in status.split(AND)]
    return max(words, key=lambda word: RANK[word])


def _moment(text: str) -> datetime | None:
    """An ISO moment; without an offset it is UTC. Whatever else stands there is not kept."""
    try:
        moment = parse_datetime(text.strip())
    except ValueError:
        return None
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
