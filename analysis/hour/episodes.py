"""What people did in their week, coded by coders into the tasks of the study and "none" (M12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.cells import csv_rows, plain_cell
from analysis.coding import EPISODE, RESOLVED, CodingError

NONE = "none"
NEEDED = ("coder", "visit", "kind", "target", "code")
Said = dict[tuple[str, str, str], str]
"""Participant, number and coder, to the code."""


@dataclass(frozen=True)
class Coded:
    """One row per episode: participant, number, share (of its coders who named a task), code, coders, agreed.

    code: what its coders agree on or settled afterwards, else empty; agreed: two or more gave one code before that.
    coders: how many different ones there are in all.
    """

    episodes: pd.DataFrame
    coders: int


def covered(code: str) -> bool:
    """Whether a code names a task of the study. `none: appointments` names a kind of work that no task is of."""
    return code.partition(":")[0].strip() != NONE


def read_codes(path: Path, participant_of: Mapping[str, str]) -> Coded:
    """Rows of kind `episode` of a file of codes, whose target is the number of the episode; the side may be empty.

    participant_of: visit to participant. What coders settled on as `resolved` counts instead of theirs; one coder
    alone counts as they said; an empty code is none. Raises CodingError for a file that can't be read so, for a visit
    that the bundle does not have, and for a second code of one episode.
    """
    try:
        rows = csv_rows(path.read_bytes(), path.name)
    except (OSError, ValueError) as problem:
        raise CodingError(f"{path} can't be read: {problem}. Give the path of the CSV with codes.") from problem
    header = [cell.strip().casefold() for cell in rows[0][1]] if rows else []
    for column in NEEDED:
        if header.count(column) != 1:
            raise CodingError(f"{path.name}, line 1: needs the column {column} once; it has {', '.join(header)}.")
    place = {name: header.index(name) for name in NEEDED}
    said: Said = {}
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise CodingError(f"{path.name}, line {line}: {len(cells)} cells where the header has {len(header)}.")
        row = {name: plain_cell(cells[number].strip()) for name, number in place.items()}
        if row["kind"] != EPISODE or not row["code"]:
            continue
        person = participant_of.get(row["visit"], "")
        if not person:
            raise CodingError(f"{path.name}, line {line}: visit {row['visit']} is not in the bundle.")
        key, code = (person, row["target"], row["coder"]), row["code"].casefold()
        # A person who came twice named the episodes once; the same code under the other visit is the same act.
        if said.setdefault(key, code) != code:
            raise CodingError(
                f"{path.name}, line {line}: {row['coder']} codes episode {row['target']} of {person} twice. Keep one."
            )
    return _coded(said)


def _coded(said: Said) -> Coded:
    by_episode: dict[tuple[str, str], dict[str, str]] = {}
    for (person, target, coder), code in sorted(said.items()):
        by_episode.setdefault((person, target), {})[coder] = code
    rows = []
    for (person, target), given in by_episode.items():
        codes = [code for coder, code in given.items() if coder != RESOLVED]
        counts = [given[RESOLVED]] if RESOLVED in given else codes
        share = sum(map(covered, counts)) / len(counts)
        settled = counts[0] if len(set(counts)) == 1 else ""
        rows.append((person, target, share, settled, len(codes), len(codes) > 1 and len(set(codes)) == 1))
    frame = pd.DataFrame(rows, columns=["participant", "number", "share", "code", "coders", "agreed"])
    return Coded(frame, len({coder for _, _, coder in said if coder != RESOLVED}))
