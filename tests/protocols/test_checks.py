"""Each check, with a file that triggers it: the problem stands on the line that causes it and says what helps."""

from __future__ import annotations

import re

import pytest

from study.protocols.library import builtin_text
from study.protocols.problems import Problem
from study.protocols.reading import Reading, read

HOUR = builtin_text("realia-hour")
PRO = builtin_text("crmarena-pro")


def changed(text: str, old: str, new: str) -> tuple[str, int]:
    """The text with the first ``old`` replaced, and the line on which ``new`` begins."""
    assert old in text, old
    at = text.index(old)
    return text[:at] + new + text[at + len(old) :], text[:at].count("\n") + 1


def found(reading: Reading, line: int, *, level: str = "error") -> Problem:
    here = [problem for problem in reading.problems if problem.line == line and problem.level == level]
    assert here, [str(problem) for problem in reading.problems]
    assert all(problem.message and problem.remedy for problem in here)
    return here[0]


# (what is changed, what into, text of the line on which it is reported, words of the message)
IN_THE_HOUR = [
    ("at_least: 60", "at_leest: 60", "at_leest", "not a key"),
    ("paid: 75}", "paid: 60}", "paid: 60}", "paid for 60"),
    ("at_least: 60,", "at_least: 90,", "at_least: 90", "shortest"),
    ("\n  work: 45\n", "\n  work: 90\n", "paid: 75}", "add up to 118"),
    ("  rotating: 2", "  rotating: 1", "count: 5", "quotas"),
    ("  rotating: 2", "  rotating: 4", "rotating: 4", "3 strata"),
    ("quota: 1\n      tasks: [named", "quota: 2\n      tasks: [named", "quota: 2", "which has 2"),
    ("[top_issue_identification,", "[knowledge_qa,", "[knowledge_qa,", "here twice"),
    ("code: service_agent", "code: service_manager", "service_manager", "here twice"),
    ("rate: [Account, Case", "rate: [Account, Account", "rate: [Account", "here twice"),
    ("rate: [Account, Case", "rate: [Acount, Case", "rate: [Acount", "no texts"),
    ("orient: [Account, Contact,", "orient: [Contact,", "rate: [Account", "not named in the orientation"),
    ("  - api: Case\n", "  - api: Account\n", "- api: Account", "here twice"),
    ("- id: S3\n", "- id: S2\n", "- id: S2", "here twice"),
    ("{code: never, text: Never}", "{code: less_often, text: Never}", "text: Never", "here twice"),
    ("{code: never, text: Never}", "{code: never, text: Less often}", "code: never", "here twice"),
    ("{code: never, text: Never}", "{code: rather_not_say, text: Never}", "rather_not_say", "kind of blank"),
    ("type: texts\n      count: 3", "type: single\n      count: 3", "- id: S7", "fewer than two"),
    ("type: single\n      use: rule", "type: text\n      use: rule", "options:", "has no options"),
    ("        step: 10", "        step: 7", "- id: confidence", "steps"),
    ("        step: 10", "        step: 1", "- id: confidence", "small screen"),
    ("text: A few times a week}", "text: A few times a week, alone: true}", "alone: true", "stands alone"),
    ("{item: S9, in:", "{item: S99, in:", "item: S99", "no item of the screener"),
    ("in: [several_times_a_day, about_once", "in: [twice_a_day, about_once", "twice_a_day", "no option"),
    ("    object: Issue__c", "    object: Account", "object: Account", "rates"),
    ("    object: Issue__c", "    object: Campaign", "object: Campaign", "no texts"),
    ("      - id: none\n", "      - id: records\n", "- id: records", "here twice"),
    ("{id: voluntary,", "{id: informed,", "{id: informed, text: I take", "here twice"),
    ("{id: quotations,", "{id: informed,", "{id: informed, text: Sent", "here twice"),
    ("{code: unclear, text", "{code: too_long, text", "The question is unclear", "here twice"),
    ("- {code: not_enough, text: What", "- {code: not_seen, text: What", "code: not_seen", "With a look"),
    ("n_max: 40", "n_max: 10", "n_max: 10", "aimed at"),
    ("exposed_attempts: 3", "exposed_attempts: 9", "exposed_attempts: 9", "attempts"),
    ("rule: precision", "rule: fixed", "first_look: 15", "fixed rule"),
    ("    every: 5\n", "", "stopping:", "needs every"),
    ("  - id: origin\n", "  - id: after_each\n", "- id: after_each", "here twice"),
    ("Compared with the {objects}", "Compared with the {objectz}", "stem: >", "not filled in"),
    ("How often do you work", "How often do <b>you</b> work", "<b>", "as typed"),
    ("        field: Status\n", "", "- id: filter", "needs field"),
    ("        related: Case\n", "        related: Case\n        field: Status\n", "field: Status", "needs related"),
    ("kind: find\n        object: Contact\n", "kind: find\n        object: Lead\n", "Lead", "does not name"),
    ("      - id: follow\n", "      - id: find\n", "- id: find", "here twice"),
    ("and open the record.", "and open {it}.", "{it}", "not filled in"),
    ("realia: 1", "realia: 2", "realia: 2", "possible"),
    ("  name: realia-hour", "  name: Realia Hour", "Realia Hour", "written"),
    ("meta:\n  name: realia-hour", "meta:\n  nam: realia-hour", "nam:", "not a key"),
    ('version: "1"', "version: 1", "version: 1", "must be a text"),
    ("n_target: 20", 'n_target: "20"', "n_target", "whole number"),
    ("n_target: 20", "n_target: 0", "n_target", "too small"),
    ("analysed_cards_share: 0.75", "analysed_cards_share: 75", "analysed_cards_share", "too large"),
    ("answer: true", "answer: yes", "answer: yes", "true or false"),
    ("disclosure: origin_after", "disclosure: later", "disclosure: later", "possible"),
    ("    label: Case\n", "    label: [Case]\n", "label: [Case]", "must be a text"),
    ("      text: Your age\n", "      text: ''\n", "text: ''", "empty"),
    ("      text: Your age\n", f"      text: {'a' * 401}\n", "aaaa", "too long"),
    ("  title: Ready to lock?", '  title: "Ready\\nto lock?"', "Ready", "one line"),
    ("email: study-team@example.test", "email: nobody", "email: nobody", "written"),
    ("    - {code: too_long", "    - !!python/name:os.system {code: too_long", "!!python", "Tags"),
]


@pytest.mark.parametrize(("old", "new", "on", "words"), IN_THE_HOUR)
def test_a_fault_is_reported_where_it_stands(old: str, new: str, on: str, words: str) -> None:
    text, _line = changed(HOUR, old, new)
    reading = read(text)
    assert not reading.ok
    said = [problem for problem in reading.errors if words in problem.message]
    assert said, [str(problem) for problem in reading.problems]
    lines = text.split("\n")
    assert any(on in lines[problem.line - 1] for problem in said), [str(problem) for problem in said]
    assert all(problem.remedy for problem in reading.problems)


def test_a_misspelt_key_gets_the_right_one_offered() -> None:
    text, line = changed(HOUR, "  refusal: |", "  refusel: |")
    problem = found(read(text), line)
    assert problem.remedy == "Did you mean “refusal”?"
    assert problem.path == "screener.refusel"


def test_a_missing_key_is_named_at_its_section() -> None:
    text, _ = changed(HOUR, "  n_max: 40\n", "")
    problem = next(problem for problem in read(text).errors if problem.path == "analysis.n_max")
    assert problem.line == HOUR[: HOUR.index("analysis:")].count("\n") + 1
    assert "missing" in problem.message


@pytest.mark.parametrize("key", ["n_target", "n_max", "primary", "sets", "stopping"])
def test_a_study_without_its_promises_is_refused(key: str) -> None:
    """M13: N, N_max, the primary estimand and the analysis sets have to be there."""
    text, count = re.subn(rf"^  {key}:.*\n(    .*\n)*", "", HOUR, flags=re.MULTILINE)
    assert count == 1
    assert [problem.path for problem in read(text).errors] == [f"analysis.{key}"]


@pytest.mark.parametrize(
    "word",
    ["synthetic", "generated", "artificial", "fake", "simulated", "AI", "LLM", "GPT", "benchmark", "CRMArena", "LLMs"],
)
def test_no_word_of_the_list_before_the_lock(word: str) -> None:
    text, line = changed(HOUR, "Now the records themselves.", f"Now the {word} records.")
    problem = found(read(text), line - 1)
    assert f"“{word}”" in problem.message
    assert problem.path == "rating.intro"
    open_study, _ = changed(text, "disclosure: origin_after", "disclosure: open")
    assert read(open_study).ok


def test_words_are_whole_and_may_come_after_the_lock() -> None:
    text, _ = changed(HOUR, "Now the records themselves.", "Now the email and the paid, regenerated maize.")
    assert read(text).ok
    text, _ = changed(HOUR, "None of the records you saw was", "No AI, and none of the records you saw was")
    assert read(text).ok


@pytest.mark.parametrize("place", ["No record fits", "What looked off", "Your gender", "Less often", "The hour itself"])
def test_every_kind_of_text_is_searched_by_its_position(place: str) -> None:
    text, _ = changed(HOUR, place, "A benchmark")
    assert read(text).ok == (place == "The hour itself")


def test_the_private_name_of_the_study_is_not_met() -> None:
    text, line = changed(HOUR, "Getting your bearings", "Part of Project Marigold")
    assert read(text).ok
    problem = found(read(text, private_names=("project marigold",)), line)
    assert problem.path == "orientation.title"
    assert read(HOUR, private_names=("CRM", "An hour in a CRM")).ok


@pytest.mark.parametrize(("minutes", "warned"), [(14, True), (15, False)])
def test_a_rating_block_that_is_too_short_is_warned_about(minutes: int, warned: bool) -> None:
    """M15: 60 s, 75 s for the Org and each object, 20 s for each look: 14.9 minutes for eight objects."""
    text, line = changed(HOUR, "  ratings: 15", f"  ratings: {minutes}")
    reading = read(text)
    assert reading.ok
    assert any(problem.line == line for problem in reading.warnings) == warned


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('orgs: ["name:demo-service"]', "orgs: []"),
        ("label: Neutral", "label: In between"),
        ("  - api: Issue__c\n", "  - api: Campaign\n    label: C\n    plural: Cs\n    line: L\n  - api: Issue__c\n"),
    ],
)
def test_what_may_be_meant_is_a_warning(old: str, new: str) -> None:
    text, _ = changed(HOUR, old, new)
    reading = read(text)
    assert reading.ok
    assert len(reading.warnings) == 2


def test_other_than_five_tasks_is_a_warning_and_an_error_in_a_replication() -> None:
    text, line = changed(HOUR, "  count: 5\n  rotating: 2", "  count: 4\n  rotating: 1")
    assert read(text).ok
    found(read(text), line, level="warning")
    text, line = changed(PRO, "  count: 5\n  rotating: 1", "  count: 4\n  rotating: 0")
    assert "five tasks" in found(read(text), line).message


@pytest.mark.parametrize("position", ["screener", "before_work", "after_each_task"])
def test_a_replication_adds_nothing_before_the_ratings(position: str) -> None:
    text, line = changed(PRO, "position: after_ratings", f"position: {position}")
    problem = found(read(text), line)
    assert problem.path == "modules[0].position"
    assert "after_ratings" in problem.remedy


REPLICATION = [
    ("label: Neutral", "label: In between", "published label"),
    ("placement: first", "placement: apart", "first"),
    ("  rotating: 1\n", "  load: {at_least: 25, at_most: 32}\n  rotating: 1\n", "no window"),
    ("{rule: fixed}", "{rule: precision, first_look: 5, every: 5, half_width: 0.1}", "fixed number"),
    ("  cannot_judge:\n", "  look: {intro: Look., unfamiliar: Not known}\n  cannot_judge:\n", "at random"),
    ("  role: |\n", "  practice: {object: Product2, question: Q, right: R, other: O}\n  role: |\n", "no practice"),
    (
        "  role: |\n",
        "  check: {intro: I, items: [{id: a, text: T, answer: true, explain: E}]}\n  role: |\n",
        "no check",
    ),
    (
        "  role: |\n",
        "  moves: {intro: I, leave: L, items: [{id: a, kind: find, object: Case, text: T, help: H}]}\n  role: |\n",
        "no moves",
    ),
    ("  skip_reasons:\n", "  notes: true\n  skip_reasons:\n", "no notes"),
    ("  skip_reasons:\n", "  pins: true\n  skip_reasons:\n", "no pins"),
]


@pytest.mark.parametrize(("old", "new", "word"), REPLICATION)
def test_what_a_replication_may_not_have(old: str, new: str, word: str) -> None:
    text, line = changed(PRO, old, new)
    problems = [problem for problem in read(text).errors if word in problem.message]
    assert [problem.line for problem in problems] == [line]


def test_no_more_is_pinned_than_everybody_gets() -> None:
    text, line = changed(HOUR, "  rotating: 2\n", "  pinned: [a, b, c, d]\n  rotating: 2\n")
    assert found(read(text), line).message.startswith("4 instances are pinned")


def test_a_replication_lists_its_unknowns_and_names_its_study() -> None:
    text = PRO[: PRO.index("unknowns:")]
    assert [problem.path for problem in read(text).errors] == ["unknowns"]
    start, end = PRO.index("  replicates:"), PRO.index("disclosure:")
    assert [problem.path for problem in read(PRO[:start] + PRO[end:]).errors] == ["meta"]


def test_without_a_look_there_is_a_reason_for_not_having_seen() -> None:
    text, _ = changed(PRO, "{code: not_seen, text: I did not see any.}", "{code: other, text: Another reason.}")
    assert [problem.path for problem in read(text).errors] == ["rating.object.cannot_judge_reasons"]


def test_comprehension_is_checked_unless_a_study_is_repeated() -> None:
    start, end = HOUR.index("  check:\n"), HOUR.index("\nwork:\n")
    assert [problem.path for problem in read(HOUR[:start] + HOUR[end:]).errors] == ["orientation"]
