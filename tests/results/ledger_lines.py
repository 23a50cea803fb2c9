"""What Ben's browser was told is saved, as the lines of a ledger."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from study.fieldwork.modules import modules_of
from tests.fieldwork.hour import CLOSING, first_answer

RIGHT, OFF = "The totals add up and so do dates.", "Dates repeat too often here."


def lines_of_ben(hour) -> list[dict[str, Any]]:
    """What Ben's browser was told is saved, written down by hand from the steps of the hour."""
    given: list[tuple[str, Any]] = []
    for n in range(1, 5):
        given.append((f"attempt/{n}", {"outcome": "answered", "answer": [hour.right_answer(n)], "reason": ""}))
        given.append((f"after/{n}", {"confidence": "70", "frequency_at_work": "weekly", "one_clear_answer": "yes"}))
    given.append(("attempt/5", {"outcome": "skipped", "answer": None, "reason": "too_long"}))
    given.append(("after/5", {"confidence": "", "frequency_at_work": "weekly", "one_clear_answer": "yes"}))
    given.append(("rating/Org", {"choice": "1", "reason": ""}))  # replaced by the next line
    given.append(("rating/Org", {"choice": "4", "reason": ""}))
    given.append(("rationale/Org/right", {"text": RIGHT, "tags": []}))
    for target in hour.visit.object_order:
        given.append((f"rating/{target}", {"choice": "2", "reason": ""}))
        given.append((f"rationale/{target}/right", {"text": RIGHT, "tags": []}))
        given.append((f"rationale/{target}/off", {"text": OFF, "tags": ["values"]}))
    given += [
        (f"closing/{item.id}", CLOSING.get(item.id, first_answer(item)))
        for module in modules_of(hour.visit)
        for item in module.items
    ]
    at = "2026-03-02T09:00:00+00:00"
    return [{"participant": hour.code, "field": field, "value": value, "at": at} for field, value in given]


def lines_after_the_lock(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line["field"].startswith("closing/")]


def write_ledger(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path
