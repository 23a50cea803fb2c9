"""A plain ratings.csv (participant, object, rating) as input: any team with a form can have honest intervals."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from analysis.bundle import Bundle, BundleError, frame_of
from analysis.cells import csv_rows
from analysis.tables import SCALE, TABLES

_WANTED = ("participant", "object", "rating")
_LABELS = {label.casefold(): point for point, label in enumerate(SCALE, start=1)}
_POINTS = {str(point): point for point in range(1, 6)}
_CANNOT = ("cannot_judge", "cannot judge", "can't judge", "can’t judge")


def read_plain(path: Path | str) -> Bundle:
    """Read a ratings.csv: rating 1 to 5 or a label of the scale, empty = not asked, `cannot_judge`.

    Object `Org` is the whole. Everyone who rated is analysed, since the file can't say more. Raises BundleError
    with the line of every kind of fault, and for a pair of participant and object that stands twice (P-28).
    """
    source = Path(path)
    try:
        data = source.read_bytes()
    except OSError as problem:
        raise BundleError(f"{source} can't be read: {problem.strerror}.") from problem
    name = source.name
    try:
        rows = csv_rows(data, name)
    except ValueError as problem:
        raise BundleError(str(problem)) from problem
    places, ignored = _places(name, rows)
    notes = (f"Columns not used: {', '.join(ignored)}.",) if ignored else ()
    ratings = _ratings(name, rows[1:], places, len(rows[0][1]))
    return Bundle(hashlib.sha256(data).hexdigest(), _frames(ratings), plain=True, notes=notes)


def _places(name: str, rows: Sequence[tuple[int, list[str]]]) -> tuple[dict[str, int], list[str]]:
    header = [cell.strip().casefold() for cell in rows[0][1]] if rows else []
    if len(header) == 1 and ";" in header[0]:
        raise BundleError(f"{name}, line 1: the cells are separated by semicolons. Save it as CSV with commas.")
    for column in _WANTED:
        if header.count(column) != 1:
            found = ", ".join(header) or "nothing"
            message = f"{name}, line 1: needs the columns participant, object and rating, once each; found {found}."
            raise BundleError(message)
    return {column: header.index(column) for column in _WANTED}, [cell for cell in header if cell not in _WANTED]


def _ratings(
    name: str, rows: Sequence[tuple[int, list[str]]], places: Mapping[str, int], width: int
) -> list[tuple[str, str, int | None, str]]:
    """(participant, object, score or None, blank) of each row."""
    seen: dict[tuple[str, str], int] = {}
    ratings = []
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != width:
            raise BundleError(f"{name}, line {line}: {len(cells)} cells where the header has {width}.")
        person, target, rating = (cells[places[column]].strip() for column in _WANTED)
        if not person or not target:
            raise BundleError(f"{name}, line {line}: participant and object must not be empty.")
        target = "Org" if target.casefold() == "org" else target
        if (person, target) in seen:
            raise BundleError(
                f"{name}, lines {seen[person, target]} and {line}: {person} rates {target} twice. Nothing is "
                "averaged: take out the one that does not count."
            )
        seen[person, target] = line
        ratings.append((person, target, *_score(name, line, rating)))
    return ratings


def _score(name: str, line: int, rating: str) -> tuple[int | None, str]:
    folded = rating.casefold()
    if folded == "":
        return None, "not_asked"
    if folded in _CANNOT:
        return None, "cannot_judge"
    point = _POINTS.get(folded) or _LABELS.get(" ".join(folded.split()))
    if point is None:
        raise BundleError(
            f"{name}, line {line}: {rating!r} is no rating. Give 1 to 5, {', '.join(SCALE)}, cannot_judge, or "
            "leave it empty for not asked."
        )
    return point, ""


def _frames(ratings: Sequence[tuple[str, str, int | None, str]]) -> dict[str, pd.DataFrame]:
    """The frames of a bundle in which only people, their one visit and their ratings are known."""
    people = list(dict.fromkeys(person for person, *_ in ratings))
    known: dict[str, list[dict[str, object]]] = {
        "participants": [{"code": person, "analysed": True} for person in people],
        "visits": [{"id": person, "participant": person, "analysed": True} for person in people],
        "ratings": [
            {
                "visit": person,
                "kind": "org" if target == "Org" else "object",
                "target": target,
                "dimension": "overall",
                "final": score,
                "final_blank": blank,
            }
            for person, target, score, blank in ratings
        ],
    }
    return {name: _typed(name, known.get(name, [])) for name in TABLES}


def _typed(name: str, rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    table = TABLES[name]
    empty = {column.name: "" if column.kind == "string" else None for column in table.columns}
    return frame_of(table, [{**empty, **row} for row in rows])
