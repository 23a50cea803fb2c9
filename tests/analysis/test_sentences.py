"""What a report may say: built from scope, people and kind, and three claims that are never made."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import bundles
import pytest

from analysis.bundle import read_bundle
from analysis.comparing.wording import M5, difference_sentence, equivalence_sentence, kind_sentence
from analysis.context import Options
from analysis.document import Bullets, Card, Cards, Definitions, Document, Heading, Paragraph, Table
from analysis.methods import methods_text
from analysis.number_words import minus, p_words
from analysis.pages import document
from analysis.results import results
from analysis.sentences import claims, insensitive, kinds_line, people_words, points

NEVER = ("experts agree", "validated", "indistinguishable")
ROW: dict[str, Any] = {
    "id": "main.arm_difference", "estimand": "mean_over_objects", "kind": "within rater", "a": "one", "b": "two",
    "estimate": 0.031, "low": -0.04, "high": 0.10, "level": 0.95, "n": 20, "raters_a": 20, "raters_b": 20, "note": "",
    "p": 0.2, "test": "sign-flip permutation",
}  # fmt: skip
PAIR: dict[str, Any] = {
    "a": "one", "b": "two", "kind": "within rater", "why": "the same people rated both", "same_orgs": False,
    "one_order": False, "a_first": 10, "b_first": 10, "left_out": 0,
}  # fmt: skip
STUDY: dict[str, Any] = {"simulated": False, "channels": ["a panel"], "plain": False}
GROUP: dict[str, Any] = {
    "arm": "main", "scope": "this Org", "control": "", "snapshots": [], "objects": [{"n": 20}] * 8,
}  # fmt: skip


def headline(estimate: float | None = 0.667, n: int = 20) -> dict[str, dict[str, Any]]:
    row = {"k": 16, "n": n, "raters": n, "level": 0.95, "low": 0.47, "high": 0.82, "estimate": estimate}
    return {"org_approval": row, "mean_over_objects": row}


def words_of(made: Document) -> str:
    """All that people read in a document, tables included."""
    found = [*made.first, *made.notes]
    for section in made.sections:
        found.append(section.title)
        for part in section.parts:
            match part:
                case Paragraph() | Heading():
                    found.append(part.text)
                case Bullets():
                    found += part.items
                case Definitions():
                    found += [f"{term}: {said}" for term, said in part.rows]
                case Cards():
                    found += [one.text for one in part.cards if isinstance(one, Card)]
                case Table():
                    found += [part.caption, part.note, *(str(cell) for row in part.rows for cell in row)]
    return "\n".join(found)


def test_a_claim_names_counts_people_channel_scope_and_interval() -> None:
    said = " ".join(claims({"study": STUDY}, GROUP, headline()))
    assert said == (
        "16 of 20 professionals recruited through a panel rated this Org Realistic or Very Realistic as a whole. Over "
        "the eight objects the mean approval was 66.7% (95% interval 47 to 82, 20 raters)."
    )


@pytest.mark.parametrize(
    ("study", "who"),
    [
        ({"simulated": True, "channels": ["a panel"]}, "simulated experts"),
        ({"simulated": False, "channels": []}, "raters"),
        ({"simulated": False, "channels": ["mail", "Panel"]}, "professionals recruited through mail and Panel"),
    ],
)
def test_simulated_experts_are_never_called_professionals(study: dict[str, Any], who: str) -> None:
    assert people_words(study, 20) == who


def test_a_claim_never_goes_beyond_its_orgs() -> None:
    """M4: two Orgs are two Orgs; a control is called one."""
    few = GROUP | {"scope": "these 2 Orgs, no claim beyond them", "snapshots": [{}, {}]}
    said = " ".join(claims({"study": STUDY}, few, headline()))
    assert "rated these 2 Orgs Realistic" in said
    assert "20 raters, 2 Orgs" in said
    assert said.endswith("Nothing is claimed beyond these Orgs.")
    assert "a control Org (shuffled)" in " ".join(claims({"study": STUDY}, GROUP | {"control": "shuffled"}, headline()))


def test_under_five_raters_a_claim_has_no_percentage() -> None:
    said = " ".join(claims({"study": STUDY}, GROUP, headline(None, 3)))
    assert "16 of 3" in said
    assert "%" not in said


def test_the_sentence_about_sensitivity_stands_once_and_only_where_the_block_has_it() -> None:
    """M5; when the block has it is tested beside the block."""
    ways = [{"m5": M5}, {"m5": ""}, {"m5": M5}]
    assert insensitive({"realism": {"ways": ways}}) == [M5]
    assert insensitive({"realism": {"ways": ways[1:2]}}) == []


@pytest.mark.parametrize("kind", ["within rater", "randomised", "not randomised", "historical"])
def test_only_two_kinds_may_be_read_as_an_effect(kind: str) -> None:
    """M1, in the sentence about the kind and in that about the difference."""
    said = kind_sentence(PAIR | {"kind": kind})
    causal = kind in ("within rater", "randomised")
    assert ("may be read as an effect" in said) == causal
    assert ("can't be put down to the Orgs" in said) == (not causal)
    assert ("effect of the Org" in difference_sentence(PAIR | {"kind": kind}, ROW | {"kind": kind}, 8)) == causal


def test_one_order_or_the_same_orgs_are_no_effect_even_within_raters() -> None:
    for odd in ({"same_orgs": True}, {"one_order": True, "b_first": 0}):
        assert "effect" not in difference_sentence(PAIR | odd, ROW, 8)
        assert "may be read as an effect" not in kind_sentence(PAIR | odd)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"p": 0.012, "equivalent": True, "promised": True}, "Equivalent within ±10 points ("),
        ({"p": 0.3, "equivalent": False, "promised": True}, "Equivalence within ±10 points is not shown ("),
        ({"p": 0.012, "equivalent": True, "promised": False}, "equivalence is not claimed"),
        ({"p": None, "equivalent": False, "promised": True, "note": "one rater"}, "can't be tested: one rater"),
        ({"p": None, "equivalent": False, "promised": False}, ""),
    ],
)
def test_equivalence_is_said_only_where_both_tests_say_so(found: dict[str, Any], said: str) -> None:
    sentence = equivalence_sentence({"margin": 0.1, "alpha": 0.05, "low": -0.02, "high": 0.08} | found, ROW)
    assert said in sentence
    assert ("Equivalent" in sentence) == (found["promised"] and found["equivalent"])
    assert equivalence_sentence(None, ROW) == ""


def test_numbers_are_signed_and_rounded_as_people_do() -> None:
    assert [points(value) for value in (0.125, -0.125, 0.0, 0.001, -0.001)] == ["+13", "−13", "0", "0", "0"]
    assert [p_words(p) for p in (0.0002, 0.001, 0.0123, 1.0)] == ["p < .001", "p = .001", "p = .012", "p = 1.000"]
    assert [minus(value, 1) for value in (-0.04, -1.25, 0.3)] == ["0.0", "−1.2", "0.3"]


def test_the_first_lines_name_every_kind_of_comparison() -> None:
    assert kinds_line([]) == "Nothing is compared."
    said = kinds_line([ROW, ROW | {"kind": "historical"}])
    assert (
        said == "Comparisons in it: within rater and historical. Only within rater may be read as an effect of the Org."
    )
    assert "None of them" in kinds_line([ROW | {"kind": "historical"}])


def test_no_result_makes_a_report_say_what_it_never_may() -> None:
    """M23, over a grid of kinds, intervals, equivalence and sizes: the claims that realism studies like to make."""
    for kind, estimate, p, promised in itertools.product(
        ("within rater", "randomised", "not randomised", "historical"),
        (None, -0.4, 0.0, 0.4),
        (None, 0.0, 1.0),
        (True, False),
    ):
        row, pair = ROW | {"kind": kind, "estimate": estimate}, PAIR | {"kind": kind}
        test = {"margin": 0.1, "alpha": 0.05, "low": -0.02, "high": 0.08, "p": p, "equivalent": p == 0.0,
                "promised": promised, "note": "one rater"}  # fmt: skip
        said = kind_sentence(pair) + difference_sentence(pair, row, 8) + equivalence_sentence(test, row)
        assert not [words for words in NEVER if words in said.lower()]


@pytest.mark.parametrize(("experts", "score"), [(0, None), (2, 5), (8, 5), (8, 1), (8, None)])
def test_no_report_says_it_either(tmp_path: Path, experts: int, score: int | None) -> None:
    bundles.write(tmp_path / "b", bundles.tables(experts, score=score))
    found = results(read_bundle(tmp_path / "b"), Options(replicates=100))
    said = (words_of(document(found)) + methods_text(found) + json.dumps(found)).lower()
    assert not [words for words in NEVER if words in said]
    assert "convenience sample" in said


def test_the_methods_paragraph_has_its_numbers_filled_in(tmp_path: Path) -> None:
    bundles.write(tmp_path / "b", bundles.tables(7), channels=["mail"])
    found = results(read_bundle(tmp_path / "b"), Options(seed=11, replicates=150))
    said = methods_text(found)
    for words in (
        "recruited through mail", "7 eligible, 7 started, 7 exposed, 7 analysed and 7 complete",
        "seed 11 and 150 replicates",
        found["bundle"], f"numpy {found['versions']['numpy']}", "0 deviations from the protocol and 0 incidents",
        "(95% interval ", "7 raters)", "estimated, not tested",
    ):  # fmt: skip
        assert words in said
