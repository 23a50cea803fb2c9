"""instances_check finds a mistake wherever it is planted: in the answer, the rule, the recheck or its tables."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from study.benchmark import check
from study.benchmark.flows import register_instances
from study.benchmark.models import Instance
from study.benchmark.rules import RULES, Answer
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Org
from tests.benchmark.conftest import handle_time_record as record
from tests.benchmark.hand_org import agent, issue, product

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(hand_org: Org) -> Org:
    question = record(4, task="knowledge_qa", reward_metric="fuzzy_match", answer=["blue"], rule="", params={})
    slowest = {"window": {"past_months": 2}, "more_than": 1, "extremum": "max"}
    nobody = {"window": {"past_months": 2}, "more_than": 9, "extremum": "max"}
    register_instances(
        hand_org,
        [
            record(1),
            record(2, answer=[agent("bob")], params=slowest),
            record(3, answer=[None], params=nobody),
            question,
        ],
        "by hand",
    )
    return hand_org


def checked(code: int) -> str:
    out = StringIO()
    if code:
        with pytest.raises(SystemExit) as left:
            call_command("instances_check", "by-hand", stdout=out, no_color=True)
        assert left.value.code == code
    else:
        call_command("instances_check", "by-hand", stdout=out, no_color=True)
    return out.getvalue()


def test_all_agree(asked: Org) -> None:
    said = checked(0).splitlines()
    assert [line.split() for line in said[1:3]] == [["handle_time", "3", "0", "0"], ["knowledge_qa", "0", "0", "1"]]
    assert said[-1] == "3 agree, 0 differ, 1 no rule"


@pytest.mark.parametrize("planted", [["bob"], ["ann", "bob"], [None]])
def test_a_planted_answer_is_found(asked: Org, planted: list[str | None]) -> None:
    Instance.objects.filter(idx="1").update(answer=[agent(name) if name else None for name in planted])
    said = checked(1)
    assert "2 agree, 1 differ, 1 no rule" in said
    assert f"differs: handle_time 1: stored {agent('bob') if planted[0] == 'bob' else ''}".rstrip() in said
    assert f"rule {agent('ann')}, recheck {agent('ann')}" in said


def test_the_answer_in_15_characters_is_no_difference(asked: Org) -> None:
    """P-49: either form of an Id is the same answer."""
    Instance.objects.filter(idx="1").update(answer=[agent("ann")[:15]])
    assert "0 differ" in checked(0)


def test_a_planted_change_in_a_table_is_found(asked: Org, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_case_closed_late(snapshot: Snapshot, folder: Path) -> None:
        write_tables(snapshot, folder)
        path = folder / "Case.csv"
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        rows[0]["ClosedDate"] = "2024-03-30T09:00:00+00:00"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    write_tables = check.write_tables
    monkeypatch.setattr(check, "write_tables", one_case_closed_late)
    said = checked(1)
    assert "1 agree, 2 differ, 1 no rule" in said
    assert f"stored {agent('ann')}, rule {agent('ann')}, recheck {agent('bob')}" in said


def test_a_mistake_in_a_rule_is_found(asked: Org, monkeypatch: pytest.MonkeyPatch) -> None:
    def always_bob(*_: Any) -> Answer:
        return Answer((agent("bob"),), ())

    monkeypatch.setitem(RULES, "handle_time", always_bob)
    assert "0 agree, 3 differ" in checked(1)


def test_a_rule_that_is_right_by_luck_is_found(asked: Org, monkeypatch: pytest.MonkeyPatch) -> None:
    """The winner is clear, so that a slip in the numbers leaves it where it is; the numbers are compared as well."""
    right = RULES["handle_time"]

    def a_little_more(*asking: Any) -> Answer:
        found = right(*asking)
        return replace(found, scores={name: minutes + 1 for name, minutes in found.scores.items()})

    monkeypatch.setitem(RULES, "handle_time", a_little_more)
    said = checked(1)
    assert "1 agree, 2 differ" in said  # nobody was eligible in the third
    assert f"{agent('ann')} has 61.0 by the rule, 60.0 by the recheck" in said


def test_a_table_that_is_missing_is_a_difference_and_no_crash(asked: Org, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "read_tables", lambda folder: {})
    said = checked(1)
    assert "0 agree, 3 differ" in said
    assert "cannot be worked out" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"params": {}}, "needs the parameter window"),
        ({"params": {"window": {"year": "0000"}, "more_than": 1}}, "is not known"),
        ({"rule": "knowledge_qa"}, "there is no rule"),
    ],
)
def test_a_rule_that_cannot_be_applied_is_a_difference(asked: Org, change: dict[str, Any], said: str) -> None:
    Instance.objects.filter(idx="2").update(**change)
    assert said in checked(1)


def test_an_answer_that_leads_narrowly_is_said(asked: Org) -> None:
    register_instances(
        asked,
        [
            record(
                9, task="top_issue_identification", rule="top_issue_identification", answer=[issue(0)],
                params={"window": {"past_months": 2}, "product_id": product(0)},
            )
        ],
        "narrow",
    )  # fmt: skip
    said = checked(0)
    assert "agree with a narrow lead: top_issue_identification 9" in said


def test_an_org_without_questions_and_no_org_at_all(hand_org: Org) -> None:
    with pytest.raises(CommandError, match="has no instances"):
        call_command("instances_check", "by-hand")
    with pytest.raises(CommandError, match="No Org is called"):
        call_command("instances_check", "by-foot")
