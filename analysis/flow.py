"""Participant flow, analysis sets, and who they were: counts that must add up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.bundle import Bundle
from analysis.hour.success import success as success
from analysis.tables import ENDS, STAGES

SETS = ("eligible", "started", "exposed", "analysed", "complete", "usable")
SMALLEST_CELL = 5


def participant_flow(bundle: Bundle) -> list[dict[str, Any]]:
    """One row per stage: how many reached it; of those who came no further, how it ended and how many are there.

    reached = reached of the next stage + the sum of lost + waiting, for every row but the last, where complete
    takes the place of the next stage.
    """
    people = bundle.frames["participants"]
    place = people["stage"].map({stage: number for number, stage in enumerate(STAGES)})
    rows = []
    for number, stage in enumerate(STAGES):
        ends = Counter(people.loc[place == number, "end"])
        waiting = ends.pop("", 0)
        complete = ends.pop("complete", 0) if stage == "done" else 0
        rows.append(
            {
                "stage": stage,
                "reached": int((place >= number).sum()),
                "lost": {end: ends[end] for end in ENDS if ends[end]},
                "waiting": waiting,
                "complete": complete,
            }
        )
    return rows


def set_sizes(bundle: Bundle) -> dict[str, int]:
    """Participants in each analysis set (M17)."""
    people = bundle.frames["participants"]
    return {name: int(people[name].fillna(False).sum()) for name in SETS}


def characteristics(bundle: Bundle) -> list[dict[str, Any]]:
    """Who the analysed participants were: one margin per screener item, cells under five merged (M20)."""
    people = bundle.frames["participants"]
    people = people[people["analysed"].fillna(False)]
    texts = _item_texts(bundle.frames["codebook"])
    answers: dict[str, Counter[str]] = {}
    given: Counter[str] = Counter()
    for screener in people["screener"].dropna():
        for item, value in screener.items():
            given[item] += 1
            answers.setdefault(item, Counter()).update(_labels(value, texts.get(item, {})))
    return [
        {
            "item": item,
            "text": texts.get(item, {}).get("", item),
            "participants": given[item],
            "cells": merged_cells(answers[item]),
        }
        for item in sorted(answers)
    ]


def merged_cells(counts: Counter[str]) -> list[dict[str, Any]]:
    """Cells by size; those under five become one, with the next smallest while it is itself under five."""
    cells = sorted(counts.items(), key=lambda cell: (-cell[1], cell[0]))
    small = [cell for cell in cells if cell[1] < SMALLEST_CELL]
    kept = cells[: len(cells) - len(small)]
    while small and kept and sum(n for _, n in small) < SMALLEST_CELL:
        small.insert(0, kept.pop())
    rows: list[dict[str, Any]] = [{"answer": answer, "count": n} for answer, n in kept]
    total = sum(n for _, n in small)
    if small and total < SMALLEST_CELL:
        return [{"answer": f"fewer than {SMALLEST_CELL} people; not shown", "count": None}]
    if small:
        rows.append({"answer": f"{len(small)} answers together, each or all under {SMALLEST_CELL}", "count": total})
    return rows


def _labels(value: object, codes: dict[str, str]) -> Sequence[str]:
    if isinstance(value, dict):
        return [f"({str(value.get('blank', 'blank')).replace('_', ' ')})"]
    values = value if isinstance(value, list) else [value]
    return [codes.get(_plain(item), _plain(item)) for item in values]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _item_texts(codebook: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Per screener item the text of each answer code, and under "" the question."""
    texts: dict[str, dict[str, str]] = {}
    for column, values, text in zip(codebook["column"], codebook["values"], codebook["text"], strict=True):
        if not column.startswith("screener."):
            continue
        pairs = (part.partition("=") for part in values.split("|") if part)
        texts[column.removeprefix("screener.")] = {code: label or code for code, _, label in pairs} | {"": text}
    return texts
