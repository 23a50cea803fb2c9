"""What the check says of arms with several visits and of allocation: on its line, with a remedy."""

import pytest

from study.protocols.library import builtin_text
from study.protocols.reading import read
from tests.fieldwork.arms import AGAIN, CROSSOVER, protocol_with, single

SOUTH = '{code: south, orgs: ["name:second"]}'


def problems(text):
    return [(one.line, one.path, one.message) for one in read(text).problems if one.level == "error"]


def test_a_crossover_and_a_retest_are_fine():
    more = "\nallocation: {blocks: [1], cells: [S3, S4]}\n"
    assert problems(protocol_with(CROSSOVER + AGAIN + single("plain"), more)) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("code: south", "code: north", "here twice"),
        ("repeats: first", "repeats: third", "no earlier visit"),
        ("repeats: first", "repeats: retest", "no earlier visit"),
        ("repeats: first, same_tasks", "same_tasks", "same tasks belong"),
        (SOUTH, SOUTH.replace("]}", "], rate: [Case, Lead]}"), "no texts"),
        (SOUTH, SOUTH.replace("]}", "], orient: [Account]}"), "not named in the orientation"),
        ("code: retest, repeats", 'code: retest, orgs: ["name:other"], repeats', "never used"),
        ("    visits:\n      - {code: first}", "    order: counterbalanced\n    visits:\n      - {code: first}", None),
        ("cells: [S3]", "cells: [S7]", "no item of the screener with options"),
        ("cells: [S3]", "cells: [S99]", "no item of the screener with options"),
        ("cells: [S3]", "cells: [S3, S3]", "here twice"),
    ],
)
def test_each_slip_is_said_where_it_is(old, new, words):
    text = protocol_with(CROSSOVER + AGAIN, "\nallocation: {blocks: [1], cells: [S3]}\n")
    assert old in text
    changed = text.replace(old, new, 1)
    line = text[: text.index(old)].count("\n") + 1
    found = problems(changed)
    if words is None:
        assert found == []
        return
    assert any(words in message and at == line for at, _path, message in found), found


def test_one_visit_cannot_be_counterbalanced():
    text = protocol_with(single("plain") + "    order: counterbalanced\n")
    assert [message for _line, path, message in problems(text) if "order" in path] == [
        "Arm plain has one visit, so there is no order to balance."
    ]


def test_a_replication_sees_each_person_once():
    """M2: the published studies had no second visit."""
    text = builtin_text("crmarena-pro")
    start = text.index("\narms:\n") + len("\narms:\n")
    label = text.index("    label:", start)
    end = text.index("\n", label) + 1
    changed = text[:end] + "    visits:\n      - {code: one}\n      - {code: two, repeats: one}\n" + text[end:]
    assert any("saw each person once" in message for _line, _path, message in problems(changed))
    assert not any("saw each person once" in message for _line, _path, message in problems(text))


def test_no_word_of_origin_is_asked_between_two_visits():
    """M7: after the first visit the ratings of the second are still to come."""
    text = protocol_with(CROSSOVER).replace(
        "    title: How the records came about\n    visits: last\n", "    title: X\n", 1
    )
    assert any("before the ratings are locked" in message for _line, _path, message in problems(text))
