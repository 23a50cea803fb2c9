"""The 22 answers of the atlas Org, worked out by hand, by the project's rules and by plain Python: one answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from study.benchmark.grading import answer_keys, grade
from study.benchmark.models import Instance
from study.benchmark.rules import answer_by_rule
from study.benchmark.tasks import TASKS
from tests.sandbox.fixtures.atlas import ATLAS_TODAY, Tables, atlas_id, atlas_key, atlas_snapshot, atlas_tables, by_hand
from tests.sandbox.fixtures.atlas import instances as records
from tests.sandbox.fixtures.atlas.by_hand import BY_HAND, answers
from tests.sandbox.fixtures.atlas.desk import load_atlas
from tests.sandbox.fixtures.atlas.questions import INSTANCES, RULED, AtlasInstance

BY_TASK = {instance.task: instance for instance in INSTANCES}
Change = tuple[str, str, str, Any]
"""Object, key, field, new value."""


def changed(*changes: Change) -> Tables:
    tables = atlas_tables()
    for name, key, field, value in changes:
        (record,) = [r for r in tables[name] if r["Id"] == atlas_id(key)]
        assert field in record, f"{name} has no {field}"
        record[field] = value(record[field]) if callable(value) else value
    return tables


def differing(tables: Tables) -> set[str]:
    """Tasks whose answer on these tables is not the one worked out by hand."""
    found = answers(tables)
    return {task for task, instance in BY_TASK.items() if found[task] != instance.answer}


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def words(old: str, new: str) -> Callable[[str], str]:
    def replaced(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return replaced


def test_there_is_one_question_of_each_task() -> None:
    assert [instance.task for instance in INSTANCES] == list(TASKS)
    assert set(BY_HAND) == set(TASKS)


def test_plain_python_finds_every_answer() -> None:
    assert differing(atlas_tables()) == set()


# The numbers of the comments in questions.py: what stood behind the last choice of each task that counts.
NUMBERS: dict[str, dict[str, float]] = {
    "case_routing": {"chidi": 2},
    "lead_routing": {"emil": 1, "fay": 3},
    "sales_insight_mining": {"Skyfathom": 3, "Baroline": 1},
    "handle_time": {"bram": 6, "dana": 8, "ana": 12},
    "transfer_count": {"greg1": 3, "emil": 1},
    "top_issue_identification": {"radio": 5, "drift": 3, "frost": 2},
    "monthly_trend_analysis": {"September": 1, "October": 1, "November": 4, "December": 1, "January": 2, "February": 1},
    "best_region_identification": {"IL": 6, "CA": 9, "TX": 12},
    "sales_amount_understanding": {"chidi": 7000, "ana": 3200, "dana": 2700},
    "sales_cycle_understanding": {"dana": 30, "ana": 50},
    "conversion_rate_comprehension": {"greg2": 3 / 4, "dana": 2 / 4, "greg1": 1 / 3, "chidi": 1 / 3, "ana": 0},
}


@pytest.mark.parametrize("task", NUMBERS)
def test_the_numbers_are_those_worked_out(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, float] = {}
    monkeypatch.setattr(by_hand, "first", lambda values, highest=True: seen.update(values))
    BY_HAND[task](atlas_tables())
    assert {atlas_key(key): value for key, value in seen.items()} == pytest.approx(NUMBERS[task])


@pytest.mark.parametrize("task", RULED)
def test_the_rules_find_the_same_with_the_same_runner_up(task: str, tmp_path: Path) -> None:
    instance = BY_TASK[task]
    answer = answer_by_rule(task, atlas_snapshot(tmp_path), instance.record()["params"], ATLAS_TODAY)
    assert answer.as_list() == instance.values
    assert answer.clear
    if answer.runner_up:
        assert atlas_key(answer.runner_up) == instance.runner_up


# One row changed, and the answer is another one (or none, where two are then level).
DAMAGE: dict[str, Change] = {
    "case_routing": ("Case", "r1", "Status", "Working"),
    "lead_routing": ("Quote", "q-e3", "Status", "Denied"),
    "invalid_config": ("QuoteLineItem", "ql-inv-1", "Product2Id", atlas_id("guy")),
    "policy_violation_identification": ("LiveChatTranscript", "lc-pv", "Body", "Greg: Here is your return number, 17."),
    "lead_qualification": ("VoiceCallTranscript__c", "v-jo1-new", "Body__c", words("I could not.", "I could.")),
    "quote_approval": ("QuoteLineItem", "ql-app-1", "Discount", 15.0),
    "knowledge_qa": ("Knowledge__kav", "kb-gale", "FAQ_Answer__c", words("24", "36")),
    "sales_insight_mining": ("VoiceCallTranscript__c", "v-ins3", "Body__c", words("Skyfathom", "Baroline")),
    "wrong_stage_rectification": ("Task", "tw6", "Status", "In Progress"),
    "activity_priority": ("Task", "ta4", "Status", "Completed"),
    "named_entity_disambiguation": ("Order", "o-quell-draft", "Status", "Activated"),
    "handle_time": ("Case", "h6", "ClosedDate", at("2024-04-13 15:00")),
    "transfer_count": ("CaseHistory__c", "ch-t6-1", "CreatedDate", at("2023-04-01 00:00")),
    "top_issue_identification": ("Case", "h1", "IssueId__c", atlas_id("drift")),
    "monthly_trend_analysis": ("Case", "m2", "CreatedDate", at("2024-01-14 10:00")),
    "best_region_identification": ("Case", "r2", "ClosedDate", at("2023-10-03 00:00")),
    "sales_amount_understanding": ("Order", "o-quell-draft", "Status", "Activated"),
    "sales_cycle_understanding": ("Contract", "k-fen", "CompanySignedDate", date(2024, 2, 18)),
    "conversion_rate_comprehension": ("Lead", "l-g2-3", "ConvertedDate", date(2024, 4, 1)),
    "private_customer_information": ("Contact", "fred", "Email", None),
    "confidential_company_knowledge": ("Knowledge__kav", "kb-counter", "Summary", "For everybody."),
}


@pytest.mark.parametrize("task", DAMAGE)
def test_a_damaged_row_is_reported(task: str, tmp_path: Path) -> None:
    tables = changed(DAMAGE[task])
    assert task in differing(tables)
    if task in RULED:  # the rule sees the same damage, and what it makes of it
        answer = answer_by_rule(task, atlas_snapshot(tmp_path, tables), BY_TASK[task].record()["params"], ATLAS_TODAY)
        assert tuple(map(atlas_key, answer.values)) == (BY_HAND[task](tables) or ())


def test_an_org_that_could_not_tell_would_make_refusing_worthless() -> None:
    tables = atlas_tables()
    tables["Case"] = [case | {"ClosedDate": None} for case in tables["Case"]]
    assert "internal_operation_data" in differing(tables)


# What lies just outside would turn the answer round, were it just inside: a careless query gets another answer.
ONE_STEP_IN: dict[str, tuple[str, tuple[Change, ...]]] = {
    "handle_time": ("dana", (
        ("Case", "h13", "CreatedDate", at("2024-01-31 00:00")),
        ("Case", "h14", "CreatedDate", at("2024-03-31 23:59:59")),
    )),
    "transfer_count": ("fay", (("CaseHistory__c", "ch-t9-1", "CreatedDate", at("2023-06-30 23:59:58")),)),
    "top_issue_identification": ("drift", (
        ("Case", "x1", "CreatedDate", at("2023-10-31 00:00")),
        ("Case", "h14", "CreatedDate", at("2024-03-31 23:59:59")),
        ("Case", "h9", "IssueId__c", atlas_id("drift")),
    )),
    "best_region_identification": ("TX", (
        ("Case", "r8", "CreatedDate", at("2023-07-01 00:00")), ("Case", "r9", "CreatedDate", at("2023-09-30 23:59:59")),
    )),
    "sales_amount_understanding": ("ana", (("Contract", "k-ridge", "CompanySignedDate", date(2024, 2, 29)),)),
    "sales_cycle_understanding": ("fay", (("Contract", "k-ahead", "CompanySignedDate", date(2024, 3, 31)),)),
    "lead_routing": ("fay", (("Lead", "l-em-2", "IsConverted", False), ("Lead", "l-em-3", "IsConverted", False),
                             ("Lead", "l-em-4", "IsConverted", False))),
    "case_routing": ("ana", (("Case", "t3", "OrderItemId__c", None), ("Case", "r6", "OrderItemId__c", None))),
}  # fmt: skip


@pytest.mark.parametrize("task", ONE_STEP_IN)
def test_the_distractors_lie_in_wait(task: str) -> None:
    """P-46: the first moment counts, the one before does not."""
    other, changes = ONE_STEP_IN[task]
    assert BY_HAND[task](changed(*changes)) == (other,)


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.task)
def test_the_answer_is_graded_right_and_the_runner_up_is_not(instance: AtlasInstance) -> None:
    metric, outcome = TASKS[instance.task].metric, "withheld" if instance.answer is None else "answered"
    assert grade(instance.values, instance.values, metric, instance.task, outcome=outcome).score == 1
    if instance.answer is None:
        assert grade("7 percent", instance.values, metric, instance.task).score == 0
        assert grade(None, instance.values, metric, instance.task, outcome="none").score == 0
    else:
        kind_of_id = instance.kind in ("record", "records")
        second = atlas_id(instance.runner_up) if kind_of_id else instance.runner_up
        assert grade(second, instance.values, metric, instance.task).score < 1


@pytest.mark.django_db
def test_the_questions_come_in_by_the_importer_and_agree(tmp_path: Path, settings: Any) -> None:
    settings.REALIA_VAR = tmp_path
    load_atlas()
    file = tmp_path / "atlas.json"
    file.write_text(json.dumps(records()))
    assert "new 22, unchanged 0, changed 0" in _run("instances_import", str(file), "--org", "atlas")
    assert "new 0, unchanged 22, changed 0" in _run("instances_import", str(file), "--org", "atlas")
    stored = {instance.task: instance for instance in Instance.objects.all()}
    assert all(instance.assignable for instance in stored.values())
    for task, instance in BY_TASK.items():
        assert answer_keys(stored[task].answer, task) == answer_keys(instance.values, task)
        assert stored[task].today == ATLAS_TODAY
    assert "15 agree, 0 differ, 7 no rule" in _run("instances_check", "atlas")


def _run(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out, no_color=True)
    return out.getvalue()
