"""Codes of the rationales: reading what coders gave, and which codes count in the end.

The file is a CSV with the columns coder, visit, kind, target, side, code: one row per code given. A rationale that a
coder has read without giving a code has one row with an empty code. Rows of the coder `resolved` hold what the coders
settled on afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.bundle import BundleError
from analysis.cells import csv_rows, plain_cell

COLUMNS = ("coder", "visit", "kind", "target", "side", "code")
RESOLVED = "resolved"
EPISODE = "episode"
"""Rows of this kind are about what people did in their week; `analysis.hour.episodes` reads them."""
Rationale = tuple[str, str, str, str]
"""visit, kind, target, side: the key of a row of rationales.csv."""


class CodingError(BundleError):
    """The file of codes can't be used; the message names file and line and says what to do."""


@dataclass(frozen=True)
class Coding:
    """What coders gave.

    given: per coder the codes of each rationale they read, an empty set where they gave none. coders: who coded
    before anything was settled, in name order. codes: every code given by anybody, in name order.
    """

    given: Mapping[str, Mapping[Rationale, frozenset[str]]]

    @property
    def coders(self) -> tuple[str, ...]:
        return tuple(sorted(name for name in self.given if name != RESOLVED))

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(sorted({code for read in self.given.values() for codes in read.values() for code in codes}))

    @property
    def rationales(self) -> tuple[Rationale, ...]:
        """All that anybody read, in order."""
        return tuple(sorted({key for read in self.given.values() for key in read}))

    def read_by_all(self) -> tuple[Rationale, ...]:
        """What every coder read."""
        sets = [set(self.given[name]) for name in self.coders]
        return tuple(sorted(set.intersection(*sets))) if sets else ()


@dataclass(frozen=True)
class Settled:
    """The codes that count. codes: by rationale; by_resolution, by_all: how many rationales got theirs which way;
    alone: rationales that one coder read and nobody settled, which have no codes that count; disputed: rationales on
    which coders differ and which nobody settled."""

    codes: Mapping[Rationale, frozenset[str]]
    by_resolution: int
    by_all: int
    alone: int
    disputed: int


def read_codes(path: Path | str, known: Iterable[Rationale] | None = None) -> Coding:
    """Read a file of codes. known: the rationales of the bundle; None: not checked. Raises CodingError."""
    source = Path(path)
    try:
        data = source.read_bytes()
    except OSError as problem:
        raise CodingError(
            f"{source} can't be read: {problem.strerror}. Give the path of the CSV with codes."
        ) from problem
    try:
        rows = csv_rows(data, source.name)
    except ValueError as problem:
        raise CodingError(str(problem)) from problem
    places = _places(source.name, rows)
    there = None if known is None else set(known)
    given: dict[str, dict[Rationale, set[str]]] = {}
    lines: dict[tuple[str, Rationale, str], int] = {}
    for line, cells in rows[1:]:
        if len(cells) > places["kind"] and cells[places["kind"]].strip() == EPISODE:
            continue
        coder, rationale, code = _row(source.name, line, cells, places, len(rows[0][1]))
        if there is not None and rationale not in there:
            raise CodingError(
                f"{source.name}, line {line}: rationales.csv has no row {_words(rationale)}. Code the bundle that is "
                "analysed, and copy its four cells as they stand."
            )
        _once(source.name, line, lines, coder, rationale, code)
        codes = given.setdefault(coder, {}).setdefault(rationale, set())
        if code:
            codes.add(code)
    _no_code_beside_codes(source.name, lines, given)
    return Coding({name: {key: frozenset(codes) for key, codes in read.items()} for name, read in given.items()})


def settle(coding: Coding) -> Settled:
    """Resolved codes win; elsewhere a code counts that every coder gave who read the rationale, two at least."""
    resolved = coding.given.get(RESOLVED, {})
    codes: dict[Rationale, frozenset[str]] = {}
    by_all = alone = disputed = 0
    for key in coding.rationales:
        if key in resolved:
            codes[key] = resolved[key]
            continue
        sets = [coding.given[name][key] for name in coding.coders if key in coding.given[name]]
        if len(sets) < 2:
            alone += 1
            continue
        codes[key] = frozenset.intersection(*sets)
        by_all += 1
        disputed += len(set(sets)) > 1
    return Settled(codes, len(resolved), by_all, alone, disputed)


def _places(name: str, rows: Sequence[tuple[int, list[str]]]) -> dict[str, int]:
    if not rows:
        raise CodingError(f"{name} is empty. Its first line must be {','.join(COLUMNS)}.")
    header = [cell.strip().lower() for cell in rows[0][1]]
    for column in COLUMNS:
        if header.count(column) != 1:
            what = "is missing" if column not in header else "stands twice"
            raise CodingError(f"{name}, line 1: column {column} {what}. The columns are {', '.join(COLUMNS)}.")
    return {column: header.index(column) for column in COLUMNS}


def _row(
    name: str, line: int, cells: Sequence[str], places: Mapping[str, int], width: int
) -> tuple[str, Rationale, str]:
    if len(cells) != width:
        raise CodingError(f"{name}, line {line}: {len(cells)} cells where the header has {width}.")
    values = {column: plain_cell(cells[place].strip()) for column, place in places.items()}
    for column in COLUMNS[:-1]:
        if not values[column]:
            raise CodingError(f"{name}, line {line}, {column}: empty. Only the code may be, where none was given.")
    return values["coder"], (values["visit"], values["kind"], values["target"], values["side"]), values["code"]


def _once(
    name: str, line: int, lines: dict[tuple[str, Rationale, str], int], coder: str, rationale: Rationale, code: str
) -> None:
    key = (coder, rationale, code)
    if key in lines:
        raise CodingError(
            f"{name}, lines {lines[key]} and {line}: {coder} gives {code or 'no code'} to {_words(rationale)} twice. "
            "Take one of them out."
        )
    lines[key] = line


def _no_code_beside_codes(
    name: str, lines: Mapping[tuple[str, Rationale, str], int], given: Mapping[str, Mapping[Rationale, set[str]]]
) -> None:
    for (coder, rationale, code), line in lines.items():
        if not code and given[coder][rationale]:
            raise CodingError(
                f"{name}, line {line}: {coder} has both codes and an empty code for {_words(rationale)}. Take the row "
                "with the empty code out, or the codes."
            )


def _words(rationale: Rationale) -> str:
    return ", ".join(rationale)
