"""Every gate refuses what it should, on the Org made by hand, and lets a clear question through."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from study.benchmark.gates import GATES, passes
from study.sandbox.engine.snapshot import Snapshot
from tests.benchmark.hand_org import HandOrg, agent, issue, product
from tests.sandbox.fixtures.atlas import Tables, atlas_id, atlas_snapshot, atlas_tables
from tests.sandbox.fixtures.atlas import instances as atlas_instances
from tests.sandbox.fixtures.atlas.questions import RULED

Make = Callable[[HandOrg], Snapshot]
ATLAS = {record["task"]: record | {"minutes_by_hand": 5} for record in atlas_instances()}


@pytest.fixture
def made(tmp_path: Path) -> Make:
    return lambda org: org.snapshot(tmp_path)


def busy_month() -> HandOrg:
    """Issue 1 five times in March, issues 2 and 3 once each, none near the ends."""
    org = HandOrg().case("2024-03-10 12:00", issue_no=1, times=5)
    return org.case("2024-03-11 12:00", issue_no=2).case("2024-03-12 12:00", issue_no=3)


def asked(**changes: Any) -> dict[str, Any]:
    return {
        "task": "top_issue_identification",
        "question": "What was reported most often in March?",
        "definitions": "",
        "answer": [issue(1)],
        "rule": "top_issue_identification",
        "params": {"window": {"month": "2024-03"}, "product_id": product(0)},
        "today": "2024-03-31",
        "minutes_by_hand": 3.5,
    } | changes


def codes(question: dict[str, Any], snapshot: Snapshot, **more: Any) -> list[str]:
    refused = passes(question, snapshot, **more)
    assert all(refusal.code in GATES for refusal in refused)
    return [refusal.code for refusal in refused]


def test_a_clear_question_passes(made: Make) -> None:
    assert passes(asked(), made(busy_month())) == []


def test_a_question_nobody_can_answer_passes_too(made: Make) -> None:
    nothing = {"window": {"year": 2021}, "product_id": product(0)}
    assert passes(asked(answer=[None], params=nothing), made(busy_month())) == []


def test_tie_margin_and_another_answer(made: Make) -> None:
    org = busy_month()
    assert codes(asked(answer=[issue(2)]), made(org)) == ["answer"]
    org.case("2024-03-12 12:00", issue_no=2, times=3)
    assert codes(asked(), made(org)) == ["margin"]
    org.case("2024-03-12 12:00", issue_no=2)
    assert codes(asked(), made(org)) == ["tie"]


def test_the_ends_of_the_period(made: Make) -> None:
    org = busy_month().case("2024-03-31 12:00", issue_no=2, times=7)
    assert codes(asked(answer=[issue(2)]), made(org)) == ["ends"]


def test_both_ends_left_out_together(made: Make) -> None:
    org = busy_month().case("2024-03-31 12:00", issue_no=2, times=3).case("2024-03-01 12:00", issue_no=2, times=3)
    assert codes(asked(answer=[issue(2)]), made(org)) == ["ends"]  # 7 to 5; without either end 4 to 5


def test_days_of_another_zone(made: Make) -> None:
    """Two hours after midnight in UTC is the evening before in New York: April's first cases are March's there."""
    org = busy_month().case("2024-04-01 02:00", issue_no=2, times=7)
    assert codes(asked(), made(org)) == ["zone"]
    far = busy_month().case("2024-04-01 09:00", issue_no=2, times=7)  # still 31 March in Honolulu alone
    refused = passes(asked(), made(far))
    assert [refusal.code for refusal in refused] == ["zone"]
    assert "Pacific/Honolulu" in str(refused[0])


def test_months_are_those_of_the_other_zone_as_well(made: Make) -> None:
    org = (
        HandOrg().case("2024-03-01 03:00", times=3).case("2024-02-10 12:00", times=1).case("2024-01-10 12:00", times=1)
    )
    question = asked(
        task="monthly_trend_analysis", rule="monthly_trend_analysis", answer=["March"], question="Which month?",
        params={"window": {"year": 2024}, "product_id": product(0)},
    )  # fmt: skip
    assert codes(question, made(org)) == ["zone"]


def test_distractors(made: Make) -> None:
    org = HandOrg().case("2024-03-10 12:00", issue_no=1, times=5)
    assert codes(asked(), made(org)) == ["distractors"]
    # Issues are few and known to everybody: one other will do.
    assert codes(asked(), made(org.case("2024-03-11 12:00", issue_no=2))) == []


def test_a_mean_of_two(made: Make) -> None:
    org = HandOrg()
    for name, hours in (("ann", 1), ("bob", 5), ("cat", 9)):
        org.case("2024-03-10 12:00", hands=(name,), hours=hours, times=2)
    question = asked(
        task="handle_time", rule="handle_time", answer=[agent("ann")],
        params={"window": {"month": "2024-03"}, "more_than": 1, "extremum": "min"},
    )  # fmt: skip
    assert codes(question, made(org)) == ["few"]
    org.case("2024-03-10 12:00", hands=("ann",), hours=1)
    assert codes(question, made(org)) == []


@pytest.mark.parametrize(
    "text",
    ["Is {id} it?", "Is {short} it?", "Was it ISSUE 1?"],
)
def test_the_answer_in_the_question(made: Make, text: str) -> None:
    said = text.format(id=issue(1), short=issue(1)[:15])
    assert codes(asked(question=said), made(busy_month())) == ["told"]
    assert codes(asked(definitions=said), made(busy_month())) == ["told"]


@pytest.mark.parametrize(
    ("task", "answer", "question", "told"),
    [
        ("monthly_trend_analysis", "March", "Was it March?", True),
        ("monthly_trend_analysis", "May", "Which month may it be?", True),  # better one question fewer
        ("monthly_trend_analysis", "June", "Which month?", False),
        ("best_region_identification", "OR", "Was it fast or slow?", False),
        ("best_region_identification", "OR", "Was it Oregon?", True),
        ("best_region_identification", "OR", "Was it OR?", True),
        ("knowledge_qa", "every 24 months", "Is it every 24 months?", True),
        ("knowledge_qa", "every 24 months", "How often?", False),
        ("lead_qualification", "Budget", "Budget, Authority, Need or Timeline?", False),
    ],
)
def test_words_in_the_question(made: Make, task: str, answer: str, question: str, told: bool) -> None:
    found = codes(asked(task=task, rule="", answer=[answer], question=question), made(HandOrg()), evidence=[issue(1)],
                  others=["a", "b"])  # fmt: skip
    assert ("told" in found) is told


@pytest.mark.parametrize("minutes", [None, 0, -1, 16, "5"])
def test_minutes(made: Make, minutes: Any) -> None:
    assert codes(asked(minutes_by_hand=minutes), made(busy_month())) == ["minutes"]


@pytest.mark.parametrize("params", [{}, {"window": {"moon": 1}, "product_id": product(0)}])
def test_a_rule_that_cannot_be_applied(made: Make, params: dict[str, Any]) -> None:
    assert codes(asked(params=params), made(busy_month())) == ["rule"]
    assert codes(asked(rule="guessing"), made(busy_month())) == ["rule"]


def test_evidence_of_questions_without_a_rule(made: Make) -> None:
    question = asked(task="policy_violation_identification", rule="", answer=[None], params={})
    snapshot = made(busy_month())
    assert codes(question, snapshot) == ["evidence", "distractors"]
    two = {"others": ["a", "b"]}
    assert codes(question, snapshot, evidence=[issue(1)], **two) == []
    assert codes(question, snapshot, evidence=[atlas_id("kb-ret")], **two) == ["evidence"]
    many = [row["Id"] for row in busy_month().case("2024-03-10 12:00", times=9).tables["Case"]]
    crowded = made(busy_month().case("2024-03-10 12:00", times=9))
    assert codes(question, crowded, evidence=many[:12], **two) == []
    assert codes(question, crowded, evidence=many[:13], **two) == ["opened"]


# The Org of all 27 objects that was put together by hand.


# Two questions of the Org by hand are harder than any that people are asked: whether today counts decides one, and
# in the other only two people have deals at all.
EXPECTED: dict[str, list[str]] = {
    "sales_cycle_understanding": ["distractors"],
    "conversion_rate_comprehension": ["ends"],
}


@pytest.mark.parametrize("task", RULED)
def test_questions_of_the_atlas_org(task: str, tmp_path: Path) -> None:
    assert [refusal.code for refusal in passes(ATLAS[task], atlas_snapshot(tmp_path))] == EXPECTED.get(task, [])


def atlas_with(folder: Path, *changes: tuple[str, str, str, Any]) -> Snapshot:
    tables: Tables = atlas_tables()
    for name, key, field, value in changes:
        (record,) = [row for row in tables[name] if row["Id"] == atlas_id(key)]
        record[field] = value
    return atlas_snapshot(folder, tables)


def test_a_quote_that_breaks_a_rule_of_the_other_kind(tmp_path: Path) -> None:
    """Products in order, prices not: who is asked about "this quote" may name either article."""
    snapshot = atlas_with(tmp_path, ("QuoteLineItem", "ql-inv-1", "Discount", 30.0))
    assert codes(ATLAS["invalid_config"], snapshot) == ["reading"]


def test_an_event_that_took_place_at_a_later_stage(tmp_path: Path) -> None:
    subject = ("Event", "ev1", "Subject", "Both signatures in the town hall")
    begun = ("Event", "ev1", "StartDateTime", datetime(2024, 3, 30, 9, tzinfo=UTC))
    assert codes(ATLAS["wrong_stage_rectification"], atlas_with(tmp_path, subject, begun)) == ["reading"]
    later = ("Event", "ev1", "StartDateTime", datetime(2024, 4, 1, 0, tzinfo=UTC))
    assert codes(ATLAS["wrong_stage_rectification"], atlas_with(tmp_path, subject, later)) == []


def test_days_counted_from_the_hour_or_from_the_day(tmp_path: Path) -> None:
    """Ana's deals are created late in the evening: by the hour she needs 1.05 days, by the day 2."""
    late = datetime(2024, 3, 10, 23, tzinfo=UTC)
    early = datetime(2024, 3, 10, 1, tzinfo=UTC)
    changes = [("Opportunity", key, "CreatedDate", late) for key in ("oa1", "oa2", "oa3")]
    changes += [("Opportunity", key, "CreatedDate", early) for key in ("od1", "od2", "od3")]
    signed = [("Contract", key, "CompanySignedDate", date(2024, 3, 12)) for key in ("k-alvaro", "k-quell", "k-ridge")]
    signed += [("Contract", key, "CompanySignedDate", date(2024, 3, 12)) for key in ("k-odell", "k-fifty", "k-ab")]
    third = [("Opportunity", "ob1", "CreatedDate", datetime(2024, 1, 1, tzinfo=UTC))]
    third += [("Contract", "k-fen", "CompanySignedDate", date(2024, 3, 12))]
    snapshot = atlas_with(tmp_path, *changes, *signed, *third)
    question = ATLAS["sales_cycle_understanding"] | {"answer": [atlas_id("ana")]}
    assert codes(question, snapshot) == ["reading"]
