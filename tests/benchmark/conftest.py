"""An Org made by hand, registered, and a way to ask its rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from study.benchmark.rules import Answer, answer_by_rule
from study.sandbox.models import Org
from study.sandbox.orgs import register_org
from tests.benchmark.hand_org import TODAY, HandOrg, agent

Ask = Callable[..., Answer]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """``ask(org, rule, today=…, **params)``: the rule's answer on an Org made by hand."""

    def answer(org: HandOrg, rule: str, today: date = TODAY, **params: Any) -> Answer:
        return answer_by_rule(rule, org.snapshot(tmp_path), params, today)

    return answer


@pytest.fixture
def hand_org(db: None, tmp_path: Path) -> Org:
    """Ann closes in an hour on average, Bob in three; Ann was given four cases, Bob three."""
    made = HandOrg()
    made.case("2024-03-01 09:00", hands=("ann",), hours=1, account=0, times=4)
    made.case("2024-03-05 09:00", hands=("bob",), hours=3, account=1, issue_no=1, times=3)
    return register_org(made.write(tmp_path, "registered"), "by-hand")


def handle_time_record(idx: int = 1, **changes: Any) -> dict[str, Any]:
    """A question of the published format about the Org made by hand, with its rule."""
    return {
        "idx": idx,
        "answer": [agent("ann")],
        "task": "handle_time",
        "persona": "You are curious.",
        "metadata": {"required": "- Today's date: 2024-03-31", "optional": ""},
        "reward_metric": "exact_match",
        "query": f"Question {idx}: who was quickest in the past two months? Return only the Id of the agent.",
        "rule": "handle_time",
        "params": {"window": {"past_months": 2}, "more_than": 1, "extremum": "min"},
    } | changes
