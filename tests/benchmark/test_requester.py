"""The scripted requester: any text gets a reply, and everything needed can be had by asking."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.benchmark.requester import STYLES, WITHHOLD, topics
from study.benchmark.requester.hearing import hear, words_of
from study.benchmark.requester.measures import measured, opening, shown_definitions
from study.benchmark.requester.talking import ENOUGH, Lines, Talk, Telling, Turn, has_form
from tests.benchmark.requester_forms import FACTS, FORMS, QUESTION

LINES = Lines("I did not get that.", "That is all I know.")
HIDDEN = ("policy", "definitions")


def talked(withhold: str, style: str, *questions: str, forms=FORMS) -> list[Turn]:
    earlier: list[Telling] = []
    turns = []
    for question in questions:
        turn = Talk(forms, withhold, style, earlier).ask(question, LINES)
        # What is kept is JSON.
        earlier += [Telling(*one) for one in json.loads(json.dumps([[t.place, t.manner] for t in turn.tellings]))]
        turns.append(turn)
    return turns


def kinds(turns: list[Turn]) -> list[str]:
    return [turn.kind for turn in turns]


@settings(max_examples=60)
@given(
    st.lists(st.text(max_size=60) | st.sampled_from([c for t in topics().values() for c in t["cues"]]), max_size=6),
    st.sampled_from(HIDDEN),
    st.sampled_from(STYLES),
)
def test_any_text_gets_a_reply_made_of_facts_and_set_lines_only(questions, withhold, style) -> None:
    said = {LINES.not_understood, LINES.nothing_more}
    words = [str(fact.get(name, "")) for fact in FACTS for name in ("text", "short", "wrong")]
    words += [topics()[fact["topic"]][name] for fact in FACTS for name in ("vague", "unknown")]
    for turn in talked(withhold, style, *questions):
        assert turn.reply
        rest = turn.reply
        for one in sorted(words, key=len, reverse=True):
            rest = rest.replace(one, "") if one else rest
        assert not rest.strip() or turn.reply in said, turn.reply
        assert turn.kind in ("needed", "given", "not_needed", "other")
        # One turn never tells of two stages of what was held back, and never of the second before the first is told.
        hidden = FORMS["forms"][withhold]["withheld"]
        assert len({FACTS[one.place]["stage"] for one in turn.tellings if one.place in hidden}) <= 1
    assert sum(one.manner == "wrong" for t in talked(withhold, style, *questions) for one in t.tellings) <= 1


def ask_until_told(forms, withhold: str, style: str) -> set[int]:
    """What somebody has who asks for each topic by its first words, again where the answer was no answer."""
    facts, hidden = forms["facts"], forms["forms"][withhold]["withheld"]
    plain = [topics()[facts[place]["topic"]]["cues"][0] for place in hidden]
    turns = talked(withhold, style, *[one for cue in plain for one in (cue, cue)] * 2, forms=forms)
    return {one.place for turn in turns for one in turn.tellings if one.manner in ENOUGH}


@pytest.mark.parametrize(("withhold", "style"), list(product(HIDDEN, STYLES)))
def test_every_needed_fact_can_be_had_from_every_style_by_asking_plainly(withhold: str, style: str) -> None:
    assert ask_until_told(FORMS, withhold, style) >= set(FORMS["forms"][withhold]["withheld"])


@pytest.mark.parametrize("style", STYLES)
def test_asking_twice_gives_the_full_text(style: str) -> None:
    once, twice, again = talked("definitions", style, "For which period?", "Sorry, which period?", "The period?")
    assert twice.reply == again.reply == "The past six weeks."
    assert once.kind == "needed"
    # What was given in short is given; vague, wrong and unknown words gave nothing.
    assert twice.kind == ("given" if style in ("full", "terse") else "needed")
    assert again.kind == "given"


def test_a_mistake_is_made_once() -> None:
    turns = talked("definitions", "mistaken", "Which period and how many cases?", "Highest or lowest?", "period", "bar")
    assert [turn.reply for turn in turns] == [
        "The past month. More than 4 cases.", "The longest average.", "The past six weeks.", "More than 4 cases.",
    ]  # fmt: skip


def test_the_second_stage_waits_for_the_first() -> None:
    first, then, last = talked(
        "policy", "full", "What about cases handed on?", "Who counts, which agents?", "And those handed on?"
    )
    assert (first.reply, first.kind) == ("Handle time runs from opened to closed.", "needed")
    assert then.reply == "Number of cases is how many were given."
    assert last.reply == "A case that was handed on is left out."


def test_each_question_is_classed() -> None:
    turns = talked(
        "definitions", "full", "Since WHEN?", "when, please", "By when do you need it?", "What for?", "Is it raining?",
        "How is handle time measured?", "By when, again?",
    )  # fmt: skip
    assert kinds(turns) == ["needed", "given", "not_needed", "not_needed", "other", "given", "given"]
    assert turns[4].reply == LINES.not_understood
    assert turns[5].reply == FACTS[0]["text"]


def test_anything_else_brings_the_next_thing_and_in_the_end_nothing_more() -> None:
    turns = talked("definitions", "vague", "Which period?", *["Anything else?"] * 6)
    assert [turn.reply for turn in turns[1:]] == [
        "The past six weeks.", topics()["bar"]["vague"], "More than 4 cases.", topics()["direction"]["vague"],
        "The longest average.", LINES.nothing_more,
    ]  # fmt: skip
    assert kinds(turns[1:]) == ["other"] * 6


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("At least how many?", ("bar",)),
        ("PÉRIODS? and the lowest or the highest", ("period", "direction")),
        ("What's the mini­mum — the mínimum?", ("bar",)),
        ("by when", ("deadline",)),
        ("sometimes", ()),
        ("", ()),
        ("\u0000\ud83d\ude00 when\u0301?", ("period",)),
    ],
)
def test_capitals_accents_plurals_and_longer_cues(question: str, found: tuple[str, ...]) -> None:
    assert set(hear(question, [fact["topic"] for fact in FACTS]).topics) == set(found)


def test_a_very_long_question_is_read_whole() -> None:
    turn = talked("definitions", "full", "blah " * 4000 + "period?")[0]
    assert turn.topics == ("period",)


def test_what_a_form_withholds_is_not_in_its_opening_or_its_definitions() -> None:
    definitions = " ".join(fact["text"] for fact in FACTS[:6]) + " Product: Lamp (01tXX0000000001AAA)."
    assert shown_definitions(FORMS, "none", definitions) == definitions
    policy = shown_definitions(FORMS, "policy", definitions)
    assert [word in policy for word in ("Handle time", "Lamp", "six weeks")] == [False, True, True]
    hidden = shown_definitions(FORMS, "definitions", definitions)
    assert [word in hidden for word in ("Handle time", "Lamp", "six weeks")] == [True, False, False]
    assert opening(FORMS, "definitions", QUESTION) == "Which agent stands out?"
    assert opening(FORMS, "policy", "with records") == opening(FORMS, "none", "with records") == "with records"
    assert [has_form({}, name) for name in WITHHOLD] == [False] * 4
    assert [has_form(FORMS, name) for name in WITHHOLD] == [False, True, True, False]


def test_measures_count_kinds_needed_and_obtained() -> None:
    turns = talked("definitions", "vague", "Which period?", "period", "By when?", "hello", "Highest or lowest?")
    got = measured(FORMS, "definitions", [(turn.kind, turn.tellings) for turn in turns])
    assert got == {
        "questions_needed": 3, "questions_repeated": 0, "questions_unneeded": 1, "questions_other": 1,
        "facts_needed": 3, "facts_obtained": 1,
    }  # fmt: skip
    assert set(measured({}, "none", []).values()) == {0}


def test_every_topic_is_asked_for_by_its_own_cues() -> None:
    for topic, known in topics().items():
        assert all(topic in hear(cue, [topic]).topics for cue in known["cues"]), topic
        assert all(words_of(known[name]) for name in ("vague", "unknown"))
