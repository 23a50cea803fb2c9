"""The questions: enough of each, clear winners, one in five without a record, nothing given away."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest

from study.benchmark.rules import answer_by_rule
from study.benchmark.tasks import TASKS
from study.generator.world.asking.counting import Tally, steady_winner
from study.generator.world.asking.periods import past_months, quarter
from study.generator.world.asking.purchases import spoken_days
from study.generator.world.service import World
from study.sandbox.engine.snapshot import Snapshot

ASKED = (
    "handle_time",
    "transfer_count",
    "top_issue_identification",
    "monthly_trend_analysis",
    "best_region_identification",
    "case_routing",
    "named_entity_disambiguation",
    "knowledge_qa",
)


def test_at_least_twelve_of_each_task(instances: list[dict]) -> None:
    counts = Counter(record["task"] for record in instances)
    assert sorted(counts) == sorted(ASKED)
    assert min(counts.values()) >= 12
    assert len(dict.fromkeys(record["idx"] for record in instances)) == len(instances)


@pytest.mark.parametrize("task", [task for task in ASKED if task != "knowledge_qa"])
def test_about_one_in_five_has_no_record(instances: list[dict], task: str) -> None:
    answers = [record["answer"] for record in instances if record["task"] == task]
    assert 0.15 <= answers.count([None]) / len(answers) <= 0.27


def test_every_answer_is_the_rules_and_clear(instances: list[dict], snapshot: Snapshot) -> None:
    checked = 0
    for record in instances:
        if record["rule"]:
            found = answer_by_rule(record["rule"], snapshot, record["params"], snapshot.last_day)
            assert found.as_list() == record["answer"], record["question"]
            assert found.clear
            checked += 1
    assert checked >= 7 * 12


def test_winners_do_not_hang_on_the_ends_of_the_period(
    instances: list[dict], snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same rule with the first day, the last day or both left out names the same winner."""
    from study.benchmark.rules import agents, patterns, windows

    for cut in ((1, 0), (0, 1), (1, 1)):

        def narrower(params: Any, today: date, cut: tuple[int, int] = cut) -> windows.Window:
            whole = windows.window(params, today)
            return windows.Window(whole.first + timedelta(days=cut[0]), whole.end - timedelta(days=cut[1]))

        monkeypatch.setattr(agents, "window", narrower)
        monkeypatch.setattr(patterns, "window", narrower)
        for record in instances:
            if "window" in record["params"]:
                found = answer_by_rule(record["rule"], snapshot, record["params"], snapshot.last_day)
                assert found.as_list() == record["answer"], (cut, record["question"])
                assert found.clear, (cut, record["question"])


def test_questions_never_hold_their_answer(instances: list[dict]) -> None:
    for record in instances:
        if (answer := record["answer"][0]) is not None:
            # The period of a busiest month is named by its first and last day, hence by months.
            keys = ("question", "query") if record["answer_type"] == "month" else ("question", "query", "definitions")
            for key in keys:
                assert not re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", record[key]), record["question"]


def test_names_of_the_answers_are_not_given_away(instances: list[dict], world: World) -> None:
    products = {row["Id"]: row["Name"] for row in world.tables["Product2"]}
    issues = {row["Id"]: row["Name"] for row in world.tables["Issue__c"]}
    for record in instances:
        if record["answer"] == [None]:
            continue
        named = {"Product2": products, "Issue__c": issues}.get(record["answer_object"])
        if named:
            assert named[record["answer"][0]].lower() not in record["question"].lower()


def test_questions_carry_no_format_and_no_id(instances: list[dict]) -> None:
    for record in instances:
        assert "Return only" not in record["question"]
        assert record["query"].startswith(record["question"])
        assert not re.search(r"\b[0-9a-zA-Z]{15}(?:[A-Z0-5]{3})\b", record["question"] + record["definitions"])


def test_records_say_who_asks_and_what_words_mean(instances: list[dict], world: World) -> None:
    for record in instances:
        kind = TASKS[record["task"]]
        assert record["today"] == world.today.isoformat()
        assert record["asks"].endswith(":")
        assert record["role"] == kind.role
        assert record["definitions"]
        assert record["minutes_by_hand"] > 0
        assert record["answer_type"] == kind.answer_type
        assert record["reward_metric"] == kind.metric
        assert record["today"] in record["metadata"]["required"]


def test_wordings_vary(instances: list[dict]) -> None:
    for task in ASKED:
        starts = Counter(record["question"][:12] for record in instances if record["task"] == task)
        assert len(starts) >= 3
    assert len(dict.fromkeys(record["question"] for record in instances)) == len(instances)


def test_purchases_are_told_apart_by_the_day(instances: list[dict], world: World) -> None:
    """A customer who is asked about has a name of their own, and bought nothing else that fits nearby."""
    names = Counter((row["FirstName"].lower(), row["LastName"].lower()) for row in world.tables["Contact"])
    contacts = {row["Id"]: row for row in world.tables["Contact"]}
    for record in instances:
        if record["task"] == "named_entity_disambiguation":
            contact = contacts[record["params"]["contact_id"]]
            assert names[contact["FirstName"].lower(), contact["LastName"].lower()] == 1
            assert contact["Email"] in record["definitions"]


def test_a_winner_that_hangs_on_one_day_is_refused() -> None:
    period = quarter(2025, 1, date(2025, 11, 14))

    def on_the_first_day(first: date, end: date) -> dict[str, Tally]:
        return {"a": Tally(5 if first == date(2025, 1, 1) else 3, 5), "b": Tally(3, 3)}

    def always(first: date, end: date) -> dict[str, Tally]:
        return {"a": Tally(5, 5), "b": Tally(3, 3)}

    assert steady_winner(on_the_first_day, period, highest=True, means=False) is None
    assert steady_winner(always, period, highest=True, means=False) == "a"
    assert steady_winner(always, period, highest=False, means=False) == "b"


def test_a_mean_of_two_cases_wins_nothing() -> None:
    period = past_months(4, date(2025, 11, 14))
    assert steady_winner(lambda *_: {"a": Tally(1.0, 2), "b": Tally(9.0, 9)}, period, highest=False, means=True) is None
    assert steady_winner(lambda *_: {"a": Tally(1.0, 3), "b": Tally(9.0, 9)}, period, highest=False, means=True) == "a"
    assert steady_winner(lambda *_: {"a": Tally(8.5, 3), "b": Tally(9.0, 9)}, period, highest=False, means=True) is None


def test_days_as_people_say_them() -> None:
    assert [spoken_days(n) for n in (7, 21, 9, 17, 147)] == [
        "a week ago",
        "three weeks ago",
        "nine days ago",
        "17 days ago",
        "21 weeks ago",
    ]
    assert past_months(4, date(2025, 11, 14)).meaning == (
        "The past four months means 14 July 2025 to today, 14 November 2025, both days included."
    )
