"""Phrases: what the notation means, that wordings vary, and that mistakes in the material are told."""

from __future__ import annotations

import time

import pytest

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.phrases import LEFTOVER, Grammar, Phrases, sentence_case, with_slips

RULES = {
    "greeting": ("[Hello|Hi[ there|]] {first}", "Good [morning|afternoon]"),
    "opening": ("<greeting>, [thanks|thank you[ so much| again|]] for {what}.", "<greeting>."),
}


def phrases(seed: int = 1) -> Phrases:
    return Phrases(Draw(seed, "test"), RULES)


def test_rules_choices_and_slots_are_filled() -> None:
    writer = phrases()
    said = {writer.say("opening", {"first": "Ana", "what": "the call"}) for _ in range(2000)}
    assert "Hi there Ana, thank you so much for the call." in said
    assert "Good morning." in said
    assert len(said) > 15
    assert not any(LEFTOVER.search(text) for text in said)


def test_a_slot_value_is_not_read_as_notation() -> None:
    assert phrases().one_of(["{a} b"], {"a": "[x|y] {z} <w>"}) == "[x|y] {z} <w> b"


def test_same_seed_same_words() -> None:
    slots = {"first": "Ana", "what": "it"}
    assert [phrases(3).say("opening", slots) for _ in range(9)] == [phrases(3).say("opening", slots) for _ in range(9)]


def test_fresh_wordings_come_first() -> None:
    writer = Phrases(Draw(5, "fresh"), {"n": [f"number {chr(97 + n)}" for n in range(10)]})
    first = [writer.say("n", {}) for _ in range(10)]
    assert len(set(first)) >= 7


def test_a_text_does_not_repeat_itself_if_it_need_not() -> None:
    repeated = 0
    for seed in range(60):
        writer = Phrases(Draw(seed, "here"), {"n": ["[a|b] one", "[a|b] two", "[a|b] three", "[a|b] four"]})
        writer.begin()
        one, other = writer.say("n", {}), writer.say("n", {})
        repeated += one[2:] == other[2:]
    assert repeated <= 3


def test_empty_choices_leave_no_gaps() -> None:
    assert phrases().one_of(["so [|] it is [] , [|] {x}"], {"x": "y"}) == "so it is, y"


@pytest.mark.parametrize("broken", ["[a|b", "a]", "a|b", "{not a slot}", "a } b", "<not a rule"])
def test_material_that_cannot_be_read_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match=r"[Bb]racket|cannot be read"):
        phrases().one_of([broken], {})


def test_what_is_missing_is_told() -> None:
    with pytest.raises(KeyError):
        phrases().say("nowhere", {})
    with pytest.raises(KeyError):
        phrases().one_of(["{nobody}"], {})
    with pytest.raises(ValueError, match="names itself"):
        Grammar({"a": ["<a>"]}).options("a")


def test_sentence_case_and_slips() -> None:
    assert sentence_case("yes. i see! so? well\nthen") == "Yes. I see! So? Well\nThen"
    assert (
        sentence_case("ask Hart & Co. about it, not Bell Corp.. she knows")
        == "Ask Hart & Co. about it, not Bell Corp. She knows"
    )
    text = " ".join(["something", "Ordinary", "A-100", "17"] * 50)
    slipped = with_slips(text, Draw(1, "slips"), 0.2)
    assert slipped != text
    assert with_slips(text, Draw(1, "slips"), 0.0) == text
    changed = [(a, b) for a, b in zip(text.split(), slipped.split(), strict=True) if a != b]
    assert changed
    assert {a for a, _ in changed} == {"something"}


def test_a_sentence_costs_little() -> None:
    writer = phrases()
    slots = {"first": "Ana", "what": "the call"}
    began = time.process_time()
    for _ in range(2000):
        writer.say("opening", slots)
    assert (time.process_time() - began) / 2000 < 60e-6
