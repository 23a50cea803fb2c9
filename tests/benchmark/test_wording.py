"""What people read: no instruction on how to write the answer, no persona, no today in the text (M8, M9)."""

from __future__ import annotations

import json

import pytest

from study.benchmark.records import Record, parse
from study.benchmark.wording import definitions_for_people, question_for_people, today_in


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("Who was quickest? Return only the Id of the agent.", "Who was quickest?"),
        ("Which state? Return only the two-letter abbreviation of the state (eg. CA).", "Which state?"),
        ("Was it broken? Return only the Id of the article or None if no violation is found.", "Was it broken?"),
        ("Who? Please return only the Id.", "Who?"),
        ("Is version 3.5 best? Respond with only the Id, such as 1.5 or 2.", "Is version 3.5 best?"),
        ("Who? If no agent fits, return None.", "Who?"),
        ("How do I return only one tent?", "How do I return only one tent?"),
        ("Show the tent I bought a week back Return only the Id of the product.", "Show the tent I bought a week back"),
        ("Which tent?\n- return only the Id", "Which tent?\n-"),
        (
            "Which agent? Return only the Id of the agent.\n\n## Given Case\n- Case Subject: Tent torn",
            "Which agent?\n\nGiven Case:\n- Case Subject: Tent torn",
        ),
    ],
)
def test_the_answer_format_is_left_to_the_answer_box(query: str, question: str) -> None:
    assert question_for_people(query) == question


def test_definitions_stay_without_their_today() -> None:
    text = "## Handle Time Policy\n- Definition: from opening to closing\n- Today's date: 2021-04-10"
    assert definitions_for_people(text) == "Handle Time Policy:\n- Definition: from opening to closing"


def test_a_today_is_read_from_the_text() -> None:
    assert str(today_in("no", "- Today's date: 2021-04-10")[0]) == "2021-04-10"
    assert today_in("- Today's date: 2021-02-30") == (None, "2021-02-30")
    assert today_in("Ordered on 2021-04-10") == (None, "")


def test_the_persona_is_stored_and_never_shown() -> None:
    persona = "You are impatient and write in capitals."
    data = json.dumps(
        [{"task": "handle_time", "query": "Who?", "answer": None, "persona": persona, "reward_metric": "exact_match"}]
    )
    (found,) = [item for item in parse(data) if isinstance(item, Record)]
    assert found.persona == persona
    for shown in (found.question, found.definitions, found.role, found.asks):
        assert persona not in shown
        assert "You are" not in shown
    assert found.asks == "Your director asks:"
