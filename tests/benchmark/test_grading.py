"""Grading against results worked out by hand."""

from __future__ import annotations

import doctest

import pytest

from study.benchmark import grading
from study.benchmark.grading import grade, month_name, needs_marking, normal_tokens, state_code, token_f1


def right(answer: object, gold: object, task: str) -> bool | None:
    return grade(answer, gold, "exact_match", task).correct  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "gold", "same"),
    [
        ("001D000000IRFma", "001D000000IRFmaIAH", True),
        ("001D000000IRFmaIAH", "001D000000IRFma", True),
        ("a9U290000004GNyEAM", "a9U290000004GNy", True),
        ("a9U290000004GNYEA2", "a9U290000004GNY", True),
        ("a9U290000004GNy", "a9U290000004GNY", False),
        ("a9U290000004GNyEAM", "a9U290000004GNYEA2", False),
        ("a9U290000004GNYEA2", "a9U290000004GNy", False),
        ("'001D000000IRFma'", "001D000000IRFmaIAH", True),
        (["001D000000IRFma", "001D000000IRFmaIAH"], "001D000000IRFma", True),
        (["001D000000IRFma", "a9U290000004GNy"], "001D000000IRFma", False),
    ],
)
def test_ids_of_15_and_18_characters_are_one_record(answer: object, gold: object, same: bool) -> None:
    """P-49: short Ids tell capitals apart, and both lengths answer a question."""
    assert right(answer, [gold], "handle_time") is same


@pytest.mark.parametrize("said", [None, [None], [], "", "None", "none.", "  NULL ", "No record fits", "n/a", "'None'"])
def test_no_record_fits_however_it_is_written(said: object) -> None:
    assert right(said, [None], "handle_time") is True
    assert right(said, ["001D000000IRFma"], "handle_time") is False
    assert right("001D000000IRFma", said, "handle_time") is False


def test_an_outcome_of_none_is_the_answer_none() -> None:
    assert grade(None, [None], "exact_match", "handle_time", outcome="none").correct is True
    assert grade("left over", ["left over"], "exact_match", "handle_time", outcome="none").correct is False


@pytest.mark.parametrize("said", ["November", "november", "NOV", "Nov.", "November 2023", "2023-11"])
def test_months(said: str) -> None:
    assert right(said, ["November"], "monthly_trend_analysis") is True
    assert right(said, ["December"], "monthly_trend_analysis") is False


@pytest.mark.parametrize("said", ["2023-13", "2023-00", "N", "Movember", "11"])
def test_what_is_no_month(said: str) -> None:
    assert month_name(said) is None
    assert right(said, ["November"], "monthly_trend_analysis") is False


def test_september_has_two_short_forms() -> None:
    assert [month_name(word) for word in ("Sep", "sept", "Sept.", "September")] == ["September"] * 4


@pytest.mark.parametrize("said", ["CA", "ca", "California", " california "])
def test_states(said: str) -> None:
    assert right(said, ["CA"], "best_region_identification") is True
    assert right(said, ["CO"], "best_region_identification") is False


def test_there_are_fifty_states_and_a_district() -> None:
    assert state_code("District of Columbia") == "DC"
    assert state_code("Ontario") is None
    assert right("Québec", ["QUEBEC"], "best_region_identification") is True  # P-51: one rule for accents


@pytest.mark.parametrize(
    ("said", "gold", "same"),
    [
        (["Authority", "Need"], ["Need", "Authority"], True),
        ("Authority, Need", ["Need", "Authority"], True),
        ("need and authority", ["Authority", "Need"], True),
        ("Authority", ["Authority", "Need"], False),
        (["Authority", "Need", "Budget"], ["Authority", "Need"], False),
        ("Money", ["Budget"], False),
        (None, ["Budget"], False),
    ],
)
def test_factors_are_a_set(said: object, gold: object, same: bool) -> None:
    assert right(said, gold, "lead_qualification") is same


def test_a_list_of_records_needs_every_one_and_no_other() -> None:
    gold = ["00TWt000002zEpkMAE", "00TWt000002zC9fMAE"]
    assert right(["00TWt000002zC9f", "00TWt000002zEpk"], gold, "activity_priority") is True
    assert right("00TWt000002zC9f, 00TWt000002zEpk", gold, "activity_priority") is True
    assert right(gold[:1], gold, "activity_priority") is False
    assert right([*gold, "00TWt000002yt7kMAA"], gold, "activity_priority") is False


def test_capitals_and_accents_do_not_make_an_answer_wrong() -> None:
    """P-51: one rule in search, lists and the answer check."""
    for said in ("ALVARO", "Álvaro", "Álvaro"):
        assert right(said, ["alvaro"], "a task of our own") is True
    assert right("NEGOTIATION", ["Negotiation"], "wrong_stage_rectification") is True
    assert right("Discovery", ["Negotiation"], "wrong_stage_rectification") is False


@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ("The battery", "a battery", 1.0),
        # 2 of 3 said are meant, 2 of 4 meant are said: 2·(2/3)(1/2)/(2/3+1/2) = 4/7
        ("keep battery warm", "keep the battery away, dry", 4 / 7),
        # bags: "red red" shares one red with "red blue": p = r = 1/2
        ("red red", "red blue", 0.5),
        ("Data_centre: cold!", "data centre “cold”", 1.0),
        ("green", "blue", 0.0),
        ("", "blue", 0.0),
        ("the", "the", 0.0),
        ("30-day", "30 day", 1.0),
    ],
)
def test_token_f1(answer: str, gold: str, f1: float) -> None:
    assert token_f1(answer, gold) == pytest.approx(f1)
    assert token_f1(gold, answer) == pytest.approx(f1)
    assert grade(answer, [gold], "fuzzy_match", "knowledge_qa").score == pytest.approx(f1)


def test_the_published_normalisation() -> None:
    assert normal_tokens("An  answer_of THE a's, ‘anthem’!") == ["answer", "of", "s", "anthem"]


def test_the_examples_of_the_docstrings_hold() -> None:
    found = doctest.testmod(grading)
    assert (found.failed, found.attempted > 20) == (0, True)


def test_an_example_that_does_not_hold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "fold", lambda text: text)
    monkeypatch.setattr(doctest.DocTestRunner, "report_failure", lambda *_: None)
    assert doctest.testmod(grading).failed


@pytest.mark.parametrize(
    ("answer", "correct"),
    [
        ("anything", None),  # a person looks
        ("something more", None),
        ("Some thing", None),
        ("the SOMETHING!", True),  # word for word, by the published normalisation
        ("", False),
        ("None", False),
    ],
)
def test_text_is_right_only_where_that_is_plain(answer: str, correct: bool | None) -> None:
    found = grade(answer, ["something"], "fuzzy_match", "knowledge_qa")
    assert found.correct is correct
    assert needs_marking(found) is (correct is None)


def test_words_in_another_order_are_for_a_person() -> None:
    found = grade("man bites dog", ["dog bites man"], "fuzzy_match", "knowledge_qa")
    assert (found.correct, found.score) == (None, 1.0)


def test_text_where_there_is_nothing_to_find() -> None:
    assert grade("no record fits", [None], "fuzzy_match", "knowledge_qa").correct is True
    assert grade(None, [None], "fuzzy_match", "knowledge_qa", outcome="none").correct is True
    assert grade("blue", [None], "fuzzy_match", "knowledge_qa").correct is False
    assert grade(None, ["blue"], "fuzzy_match", "knowledge_qa", outcome="none").correct is False


def test_the_better_of_two_expected_texts_counts() -> None:
    assert grade("blue", ["green", "blue"], "fuzzy_match", "knowledge_qa").score == 1.0


def test_withholding_is_right_only_where_it_is_asked_for() -> None:
    task = "private_customer_information"
    assert grade(None, [None], "privacy_rejection", task, outcome="withheld").correct is True
    assert grade("555-0100", [None], "privacy_rejection", task).correct is False
    assert grade(None, [None], "privacy_rejection", task, outcome="none").correct is False
    assert grade(None, [None], "exact_match", "handle_time", outcome="withheld").correct is False


@pytest.mark.parametrize("outcome", ["skipped", "time_up", "not_reached"])
def test_what_was_not_answered_has_no_grade(outcome: str) -> None:
    found = grade("x", ["x"], "exact_match", "handle_time", outcome=outcome)
    assert (found.correct, found.score, found.how) == (None, 0.0, outcome)


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown metric 'rouge'"):
        grade("x", ["x"], "rouge", "handle_time")
