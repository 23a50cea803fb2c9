"""Small studies for the tests of care and cards: bundles changed frame by frame, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any

import bundles
import pandas as pd

from analysis.bundle import Bundle, frame_of
from analysis.context import Context, Options, context_of
from analysis.tables import TABLES

PROTOCOL: dict[str, Any] = {
    "screener": {
        "items": [
            {"id": "S2", "options": [{"code": "real"}, {"code": "corvane", "flag": "overclaim"}]},
            {"id": "S6a", "options": [{"code": "good", "flag": "correct"}, {"code": "bad"}]},
            {"id": "S6b", "options": [{"code": "good", "flag": "correct"}, {"code": "bad"}]},
        ]
    },
    "rating": {"look": {"records": 3}, "org": {"stem": "How realistic is the company and its records all together?"}},
    "modules": [{"id": "own_system", "for_each": "object", "items": [{"id": "own"}]}],
    "analysis": {
        "primary": "mean_over_objects",
        "sets": {"exposed_minutes": 20, "exposed_attempts": 3, "analysed_cards_share": 0.75},
    },
}


def tables(experts: int = 8) -> bundles.Tables:
    """Eight careful people: every card 30 seconds, records opened, reasons of their own."""
    made = bundles.tables(experts)
    for number, row in enumerate(made["ratings"]):
        shown = bundles.START + timedelta(minutes=number)
        row |= {"shown_at": shown, "first_at": shown, "final_at": shown + timedelta(seconds=30), "unopened": False}
    words = (
        "amber",
        "birch",
        "cedar",
        "delta",
        "ember",
        "fjord",
        "grove",
        "harbour",
        "inlet",
        "jetty",
        "knoll",
        "reed",
    )
    for number, row in enumerate(made["rationales"]):
        row["text"] = f"{words[number % 12]} {words[number // 12 % 12]} number{number} looked right"
    return made


def bundle(made: bundles.Tables | None = None, **protocol: Any) -> Bundle:
    """The rows as a bundle would hold them once read, with a protocol; nothing is written."""
    return in_memory(tables() if made is None else made, {**PROTOCOL, **protocol})


def in_memory(made: bundles.Tables, protocol: Mapping[str, Any]) -> Bundle:
    frames = {name: _filled(name, made[name]) if made.get(name) else _empty(name) for name in TABLES}
    return Bundle("0" * 64, frames, study=bundles.STUDY, protocol=protocol)


def _filled(name: str, rows: list[dict[str, Any]]) -> pd.DataFrame:
    blank = {column.name: "" if column.kind == "string" else None for column in TABLES[name].columns}
    return frame_of(TABLES[name], [blank | row for row in rows])


@cache
def _empty(name: str) -> pd.DataFrame:
    """Shared by all studies; nobody changes a frame in place."""
    return frame_of(TABLES[name], ())


def context(given: Bundle) -> Context:
    return context_of(given, Options(replicates=200))


def changed(given: Bundle, **frames: pd.DataFrame) -> Bundle:
    return replace(given, frames={**given.frames, **frames})


def mirrored(given: Bundle, kinds: tuple[str, ...]) -> Bundle:
    """The same study with 1 and 5, 2 and 4 changed round on the ratings of these kinds."""
    ratings = given.frames["ratings"].copy()
    chosen = ratings["kind"].isin(list(kinds))
    for column in ("first", "final"):
        ratings.loc[chosen, column] = 6 - ratings.loc[chosen, column]
    return changed(given, ratings=ratings)


def anchors(
    visit: str, scores: Mapping[str, tuple[int, int | None]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of cards and ratings: by target its grade, and the score or None."""
    cards, ratings = [], []
    for position, (target, (grade, score)) in enumerate(scores.items(), start=1):
        cards.append(
            {"visit": visit, "module": "anchors", "position": position, "target": target, "kind": "anchors",
             "side": "", "card_set": "small", "card": target, "object": "Case", "grade": grade,
             "fault": "some_fault" if grade else ""}
        )  # fmt: skip
        ratings.append(
            {"visit": visit, "kind": "record", "target": target, "dimension": "overall", "position": position,
             "first": score, "first_blank": "" if score else "cannot_judge", "final": score,
             "final_blank": "" if score else "cannot_judge"}
        )  # fmt: skip
    return cards, ratings


def with_anchors(made: bundles.Tables, score: Callable[[int, int, int], int | None], each: int = 6) -> bundles.Tables:
    """Every visit rates `each` clean and `each` broken cards; score(rater, card, grade)."""
    made["cards"] = []
    for number, visit in enumerate(row["id"] for row in made["visits"]):
        grades = [0] * each + [place % 3 + 1 for place in range(each)]
        wanted = {f"anchors_{c + 1}": (grade, score(number, c, grade)) for c, grade in enumerate(grades)}
        cards, ratings = anchors(visit, wanted)
        made["cards"] += cards
        made["ratings"] += ratings
    return made
