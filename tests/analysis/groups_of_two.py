"""Studies of two or more groups for tests: who comes to which visit, and what they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import bundles
import pandas as pd

from analysis.blocks import Block, Earlier, comparisons, historical, realism
from analysis.bundle import Bundle, frame_of
from analysis.context import Options, context_of
from analysis.plain_json import plain_json
from analysis.tables import TABLES

ORG, CONTROL, FLAT = "a" * 64, "b" * 64, "c" * 64
OBJECTS = ("Account", "Case", "Lead", "Order")
Score = Callable[[str, str, str], int | None]
"""Score of (person, Org hash, target), None for can't judge."""


def empty() -> bundles.Tables:
    return {name: [] for name in ("participants", "visits", "attempts", "ratings", "rationales", "opened", "cards")}


def add_visit(
    made: bundles.Tables, code: str, arm: str, org: str, score: Score, *, period: int = 1, condition: str = "",
    allocation: str = "fixed", cohort: str = "one", analysed: bool = True, objects: Sequence[str] = OBJECTS,
) -> str:  # fmt: skip
    """One visit of one person, with ratings of the Org and its objects."""
    visit = f"{code}.{period}"
    if code not in {row["code"] for row in made["participants"]}:
        made["participants"].append({**bundles.participant(code, 1), "cohort": cohort})
    made["visits"].append(
        {"id": visit, "participant": code, "arm": arm, "allocation": allocation, "period": period, "org_hash": org,
         "exposed": True, "analysed": analysed, "end_state": "done", "condition": condition}
    )  # fmt: skip
    for position, target in enumerate(("Org", *objects)):
        given = score(code, org, target)
        blank = "" if given is not None else "cannot_judge"
        made["ratings"].append(bundles.rating(visit, target, position, given, blank))
    return visit


def codes(number: int, start: int = 0) -> list[str]:
    return [f"P-{one:04d}" for one in range(start, start + number)]


def crossover(people: int, score: Score, orgs: tuple[str, str] = (ORG, CONTROL), a_first: int | None = None) -> Any:
    """Everybody in both; the first `a_first` (half, without a number) see the first Org first."""
    made = empty()
    first = people // 2 if a_first is None else a_first
    for number, code in enumerate(codes(people)):
        for place, name in enumerate(("x", "y")):
            period = place + 1 if number < first else 2 - place
            add_visit(made, code, "cross", orgs[place], score, period=period, condition=name, allocation="randomised")
    return made


def arms(sizes: Mapping[str, tuple[str, int]], score: Score, **visit: Any) -> Any:
    """Different people per arm; sizes: arm to (Org, people)."""
    made, start = empty(), 0
    for arm, (org, people) in sizes.items():
        for code in codes(people, start):
            add_visit(made, code, arm, org, score, **visit)
        start += people
    return made


def bundle_of(
    made: bundles.Tables, *, controls: Mapping[str, str] | None = None, protocol: Mapping[str, Any] | None = None,
    **study: Any,
) -> Bundle:  # fmt: skip
    """As read from a folder. controls: recipe by the hash of a control of ORG."""
    known = dict(controls or {})
    hashes = sorted({visit["org_hash"] for visit in made["visits"]} | set(known))
    orgs = [{"hash": code, **({"parent": ORG, "recipe": known[code]} if code in known else {})} for code in hashes]
    frames = {**EMPTY, **{name: _frame(name, rows) for name, rows in made.items() if rows}}
    said = dict(protocol or {"meta": {"name": "demo"}})
    return Bundle("0" * 64, frames, {**bundles.STUDY, **study}, said, orgs)


def _frame(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    table = TABLES[name]
    defaults = {column.name: "" if column.kind == "string" else None for column in table.columns}
    return frame_of(table, [{key: one.get(key, value) for key, value in defaults.items()} for one in rows])


EMPTY = {name: frame_of(table, ()) for name, table in TABLES.items()}


def found_in(bundle: Bundle, options: Options | None = None) -> dict[str, Any]:
    """What the three blocks give, as results.json has it."""
    context = context_of(bundle, options or Options(replicates=500))
    earlier = Earlier()
    for block in BLOCKS:
        part = block.compute(context, earlier)
        earlier.data[block.key] = plain_json(part.data)
        earlier.contrasts += part.contrasts
    rows = [row.to_json() for row in earlier.contrasts]
    return {**earlier.data, "comparisons": rows, "study": {"plain": bundle.plain}}


BLOCKS: tuple[Block, ...] = (comparisons.BLOCK, historical.BLOCK, realism.BLOCK)


def row(found: Mapping[str, Any], row_id: str) -> dict[str, Any]:
    rows = {one["id"]: one for one in found["comparisons"]}
    assert row_id in rows, sorted(rows)
    return dict(rows[row_id])


def words(found: Mapping[str, Any]) -> str:
    """Everything the sections of the three blocks say, tables too."""
    from analysis.document import Bullets, Heading, Paragraph, Table

    said: list[str] = []
    for block in BLOCKS:
        for section in block.sections(found):
            for part in section.parts:
                if isinstance(part, Paragraph | Heading):
                    said.append(part.text)
                elif isinstance(part, Bullets):
                    said += part.items
                elif isinstance(part, Table):
                    said += [part.caption, part.note, *(str(cell) for line in part.rows for cell in line)]
    return "\n".join(said)
