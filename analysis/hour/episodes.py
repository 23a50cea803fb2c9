"""What people did in their week, coded by coders into the tasks of the study and "none" (M12)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.cells import csv_rows

NONE = "none"
NEEDED = ("coder", "kind", "target", "code")


@dataclass(frozen=True)
class Coded:
    """One row per episode: participant, number, share (of its coders who named a task), code, coders.

    code: what its coders agree on, else empty. coders: how many different ones there are in all.
    """

    episodes: pd.DataFrame
    coders: int


def covered(code: str) -> bool:
    """Whether a code names a task of the study. `none: appointments` names a kind of work that no task is of."""
    return code.partition(":")[0].strip() != NONE


def read_codes(path: Path, people: Collection[str], participant_of: Mapping[str, str]) -> Coded:
    """Rows of kind `episode` of a file of codes: coder, kind, target (1, 2, 3), code, and participant or visit.

    people: participants of the bundle; participant_of: visit to participant. One coder alone counts as they said.
    Raises ValueError for a file that can't be read so, for a participant or visit that the bundle does not have, and
    when a coder codes an episode twice.
    """
    rows = csv_rows(path.read_bytes(), path.name)
    header = [cell.strip().casefold() for cell in rows[0][1]] if rows else []
    who = "participant" if "participant" in header else "visit"
    for column in (*NEEDED, who):
        if header.count(column) != 1:
            raise ValueError(f"{path.name}, line 1: needs the column {column} once; it has {', '.join(header)}.")
    place = {name: header.index(name) for name in (*NEEDED, who)}
    said: dict[tuple[str, str, str], str] = {}
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise ValueError(f"{path.name}, line {line}: {len(cells)} cells where the header has {len(header)}.")
        row = {name: cells[number].strip() for name, number in place.items()}
        if row["kind"].casefold() != "episode" or not row["code"]:
            continue
        person = participant_of.get(row[who], "") if who == "visit" else row[who]
        if person not in people:
            raise ValueError(f"{path.name}, line {line}: {who} {row[who]} is not in the bundle.")
        key = (person, row["target"], row["coder"])
        # A person who came twice named the episodes once; the same code under the other visit is the same act.
        if said.setdefault(key, row["code"].casefold()) != row["code"].casefold():
            raise ValueError(
                f"{path.name}, line {line}: {row['coder']} codes episode {row['target']} of {person} twice."
            )
    return _coded(said)


def _coded(said: dict[tuple[str, str, str], str]) -> Coded:
    by_episode: dict[tuple[str, str], list[str]] = {}
    for (person, target, _), code in sorted(said.items()):
        by_episode.setdefault((person, target), []).append(code)
    rows = [
        (person, target, sum(map(covered, codes)) / len(codes), codes[0] if len(set(codes)) == 1 else "", len(codes))
        for (person, target), codes in by_episode.items()
    ]
    frame = pd.DataFrame(rows, columns=["participant", "number", "share", "code", "coders"])
    return Coded(frame, len({coder for _, _, coder in said}))
