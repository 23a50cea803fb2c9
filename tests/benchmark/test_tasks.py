"""The 22 published tasks, and the page that explains them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from study.benchmark.rules import RULES
from study.benchmark.tasks import ORIGINAL_TASKS, TASKS, task_label

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")


def test_there_are_22_tasks_and_nine_originals() -> None:
    assert len(TASKS) == 22
    assert len(ORIGINAL_TASKS) == 9
    assert Counter(task.skill for task in TASKS.values()) == {
        "WORKFLOW": 2,
        "POLICY": 4,
        "TEXT": 5,
        "DATABASE": 8,
        "CONFIDENTIALITY": 3,
    }


def test_metrics_and_answers_fit() -> None:
    for task in TASKS.values():
        assert (task.metric == "privacy_rejection") == (task.answer_type == "refusal"), task.code
        assert (task.metric == "fuzzy_match") == (task.answer_type == "text"), task.code
        assert bool(task.answer_object) == (task.answer_type in ("record", "records")), task.code
        assert not task.answer_object or task.answer_object in task.objects, task.code


def test_the_page_lists_every_task_as_it_is() -> None:
    rows = {
        cells[0].strip("`"): cells
        for line in DOCUMENT.splitlines()
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 8 and cells[0].startswith("`")
    }
    assert set(rows) == set(TASKS)
    for code, (_code, skill, role, _answer, _metric, objects, minutes, original) in rows.items():
        task = TASKS[code]
        assert (skill, role, float(minutes)) == (task.skill, task.role, task.minutes_by_hand), code
        assert tuple(objects.split(", ")) == task.objects, code
        assert (original == "yes") == task.original, code


def test_the_page_explains_every_rule() -> None:
    assert set(re.findall(r"^### `(\w+)`", DOCUMENT, re.MULTILINE)) == set(RULES)


def test_an_unknown_task_keeps_its_name() -> None:
    assert task_label("handle_time") == "Handle time"
    assert task_label("my_refunds") == "my refunds"
