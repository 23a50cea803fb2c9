"""Sensitivity (M5): Org against control by visits, arms and dossiers; the ladder; the claims in their order."""

from __future__ import annotations

from typing import Any

import bundles
import groups_of_two as two
import numpy as np
import pytest

from analysis.blocks import Earlier, realism
from analysis.comparing.claims import Claim, in_order
from analysis.comparing.signs import sign_flip
from analysis.comparing.wording import M5
from analysis.context import context_of
from analysis.contrasts import Contrast
from analysis.sentences import insensitive

SENTENCE = (
    "Experts did not rate the Org above the same records with their connections destroyed; approval here is no "
    "evidence about how the records hang together."
)


def scores(seed: int, drop: float) -> two.Score:
    """What a control loses, in points of the scale."""
    rng = np.random.default_rng(seed)

    def score(code: str, org: str, target: str) -> int:
        latent = 3.9 + rng.normal(0, 0.9) - (0 if org == two.ORG else drop)
        return int(min(5, max(1, round(latent))))

    return score


def dossiers(made: Any, visit: str, given: list[tuple[bool, int | None]]) -> None:
    """Dossiers of one visit: (from the control, score)."""
    for place, (control, score) in enumerate(given, start=1):
        name = f"dossiers_{place}"
        org = two.CONTROL if control else two.ORG
        made["cards"].append({"visit": visit, "module": "dossiers", "position": place, "target": name,
                              "kind": "dossiers", "org_hash": org, "control": control})  # fmt: skip
        rating = bundles.rating(visit, name, place, score, "" if score else "cannot_judge")
        made["ratings"].append({**rating, "kind": "record"})


def test_visits_within_raters_are_the_sensitivity_of_the_arm() -> None:
    bundle = two.bundle_of(two.crossover(14, scores(1, 1.2)), controls={two.CONTROL: "shuffled"})
    found = two.found_in(bundle)
    row = two.row(found, "cross, x.sensitivity.visits")
    assert (row["estimand"], row["kind"], row["a"], row["b"]) == ("sensitivity", "within rater", "cross, x", "cross, y")
    assert row["low"] > 0
    assert two.row(found, "cross, x.sensitivity_score.visits")["estimate"] > 0.5
    (way,) = found["realism"]["ways"]
    assert (way["how"], way["recipe"], way["above_zero"], way["m5"]) == ("visits", "shuffled", True, "")
    assert SENTENCE not in two.words(found)
    assert "the same raters, on another visit" in two.words(found)


def test_the_org_is_the_first_side_whatever_the_names() -> None:
    """The control's condition comes first in the alphabet; the difference is still Org − control."""
    bundle = two.bundle_of(
        two.crossover(12, scores(2, 1.2), (two.CONTROL, two.ORG)), controls={two.CONTROL: "shuffled"}
    )
    assert two.row(two.found_in(bundle), "cross, y.sensitivity.visits")["estimate"] > 0


def test_randomised_arms_are_named_as_such() -> None:
    made = two.arms({"org": (two.ORG, 14), "zero": (two.CONTROL, 14)}, scores(3, 1.5), allocation="randomised")
    found = two.found_in(two.bundle_of(made, controls={two.CONTROL: "shuffled"}))
    row = two.row(found, "org.sensitivity.arms")
    assert (row["kind"], row["raters_a"], row["raters_b"]) == ("randomised", 14, 14)
    assert "other raters, in another arm" in two.words(found)
    assert not [one for one in found["comparisons"] if one["estimand"] == "arm_difference"]


def test_an_interval_with_zero_says_so_in_the_data_and_on_the_page() -> None:
    """M5: the exact sentence, whenever the interval does not lie above zero; and not otherwise."""
    assert M5 == SENTENCE
    for drop, said in ((0.0, True), (1.5, False), (-1.5, True)):
        made = two.crossover(14, scores(5, drop))
        found = two.found_in(two.bundle_of(made, controls={two.CONTROL: "shuffled"}))
        row = two.row(found, "cross, x.sensitivity.visits")
        assert (row["low"] <= 0) is said
        assert (found["realism"]["ways"][0]["m5"] == SENTENCE) is said
        assert (SENTENCE in two.words(found)) is said


def test_report_and_claim_agree_on_sensitivity() -> None:
    """Five people, five differences above 0: the interval lies above 0, sign flips can't reach .05 (2 of 32)."""

    def score(code: str, org: str, target: str) -> int:
        worse = {"Account": True, "Case": int(code[2:]) % 2 == 0}.get(target, False)
        return 2 if org == two.CONTROL and worse else 4

    found = two.found_in(two.bundle_of(two.crossover(5, score), controls={two.CONTROL: "shuffled"}))
    row = two.row(found, "cross, x.sensitivity.visits")
    assert row["low"] > 0
    assert row["p"] == pytest.approx(2 / 32)
    assert found["realism"]["claims"][0]["outcome"] == "failed"
    assert found["realism"]["ways"][0]["m5"] == SENTENCE  # plan 14: K1 fails, the sentence follows
    assert insensitive(found) == [SENTENCE]


def test_differences_without_spread_are_not_called_a_failed_claim() -> None:
    """Everybody approves of everything in the Org and of nothing in its control: no interval, no p, and no failure."""
    made = two.crossover(8, lambda code, org, target: 4 if org == two.ORG else 2)
    found = two.found_in(two.bundle_of(made, controls={two.CONTROL: "shuffled"}))
    assert two.row(found, "cross, x.sensitivity.visits")["p"] is None
    assert found["realism"]["claims"][0]["outcome"] == "can't be tested"
    assert SENTENCE not in two.words(found)


def test_the_sentence_is_in_the_headline_without_an_interval_too() -> None:
    found = two.found_in(two.bundle_of(two.crossover(8, lambda *_: 4), controls={two.CONTROL: "shuffled"}))
    assert insensitive(found) == [SENTENCE]


def test_everybody_rating_both_alike_is_no_sign_of_sensitivity_either() -> None:
    """No interval can be had (P-33), and the sentence still follows; of two people nothing is said."""
    for people, said in ((8, True), (2, False)):
        found = two.found_in(two.bundle_of(two.crossover(people, lambda *_: 4), controls={two.CONTROL: "shuffled"}))
        (way,) = found["realism"]["ways"]
        assert two.row(found, "cross, x.sensitivity.visits")["low"] is None
        assert (way["m5"] == SENTENCE, way["above_zero"]) == (said, False if said else None)


def test_dossiers_are_counted_per_rater() -> None:
    made = two.empty()
    given: dict[str, list[tuple[bool, int | None]]] = {
        "P-0000": [(False, 5), (False, 4), (False, 2), (True, 2), (True, 1), (True, 4)],
        "P-0001": [(False, 5), (False, None), (False, 4), (True, 1), (True, 1), (True, None)],
        "P-0002": [(False, 4), (True, 4)],
        "P-0003": [(False, 4), (False, 3), (True, 3), (True, 2)],
        "P-0004": [(False, 5), (False, 5), (True, 5), (True, 1)],
        "P-0005": [(False, 5), (True, None)],
    }
    for code, cards in given.items():
        dossiers(made, two.add_visit(made, code, "main", two.ORG, lambda *_: 4), cards)
    found = two.found_in(two.bundle_of(made, controls={two.CONTROL: "shuffled"}))
    row = two.row(found, "main.sensitivity.dossiers")
    d = [2 / 3 - 1 / 3, 1.0, 0.0, 0.5, 0.5]
    assert (row["kind"], row["n"]) == ("within rater", 5)
    assert row["estimate"] == pytest.approx(np.mean(d))
    assert row["p"] == pytest.approx(sign_flip(d).p)
    (way,) = found["realism"]["ways"]
    assert (way["counts"]["raters"], way["counts"]["left_out"], way["recipe"]) == (5, 1, "shuffled")
    assert way["counts"]["org"] == {"k": 8, "n": 10}  # fmt: skip
    assert "dossiers, in one visit" in two.words(found)


def test_the_sentence_about_connections_is_not_said_of_another_recipe() -> None:
    made = two.empty()
    for code in two.codes(6):
        dossiers(made, two.add_visit(made, code, "main", two.ORG, lambda *_: 4), [(False, 4), (True, 4)])
    for recipe, said in (("shuffled", SENTENCE), ("flat", "")):
        found = two.found_in(two.bundle_of(made, controls={two.CONTROL: recipe}))
        assert found["realism"]["ways"][0]["m5"] == said


def test_dossiers_of_a_visit_outside_the_analysed_set_do_not_count() -> None:
    made = two.empty()
    for number, code in enumerate(two.codes(6)):
        visit = two.add_visit(made, code, "main", two.ORG, lambda *_: 4, analysed=number < 5)
        dossiers(made, visit, [(False, 4 + number % 2), (True, 1 + number % 3 * 2)])
    assert two.row(two.found_in(two.bundle_of(made)), "main.sensitivity.dossiers")["n"] == 5


def test_other_recipes_make_a_ladder_and_no_sensitivity() -> None:
    made = two.arms(
        {"org": (two.ORG, 9), "flat": (two.FLAT, 9), "zero": (two.CONTROL, 9)}, scores(6, 1.0), allocation="randomised"
    )
    found = two.found_in(two.bundle_of(made, controls={two.CONTROL: "shuffled", two.FLAT: "flat"}))
    assert [step["recipe"] for step in found["realism"]["ladder"]] == ["flat"]
    assert two.row(found, "org.ablation.flat.arms")["estimand"] == "ablation"
    assert [way["recipe"] for way in found["realism"]["ways"]] == ["shuffled"]
    assert "flat: dates and owners spread evenly" in two.words(found)
    # Two controls beside each other are a comparison of arms, and no claim of the plan.
    assert two.row(found, "flat − zero.arm_difference")["kind"] == "randomised"
    assert not next(claim for claim in found["realism"]["claims"] if claim["claim"] == "K2")["rows"]


def test_a_second_control_of_the_same_recipe_has_an_id_of_its_own() -> None:
    made = two.arms({"org": (two.ORG, 6), "one": (two.CONTROL, 6), "two": (two.FLAT, 6)}, scores(7, 1.0))
    found = two.found_in(two.bundle_of(made, controls={two.CONTROL: "shuffled", two.FLAT: "shuffled"}))
    ids = [row["id"] for row in found["comparisons"]]
    assert len(ids) == len(set(ids))
    assert len([row for row in found["comparisons"] if row["estimand"] == "sensitivity"]) == 2


def test_without_control_and_dossiers_that_is_said() -> None:
    made = two.arms({"main": (two.ORG, 6)}, scores(8, 0))
    found = two.found_in(two.bundle_of(made))
    assert found["realism"]["ways"] == []
    assert "no control Org and no dossiers" in two.words(found)


@pytest.mark.parametrize("people", [0, 1, 2])
def test_few_people_give_notes_and_no_numbers(people: int) -> None:
    made = two.crossover(people, scores(9, 1))
    for visit in [row["id"] for row in made["visits"] if row["period"] == 1]:
        dossiers(made, visit, [(False, 4), (True, 2)])
    found = two.found_in(two.bundle_of(made, controls={two.CONTROL: "shuffled"}))
    assert all(row["estimate"] is None for row in found["comparisons"])
    assert SENTENCE not in two.words(found)


def test_a_blind_bundle_has_no_sensitivity() -> None:
    made = two.crossover(8, scores(10, 1))
    made["ratings"] = []
    bundle = two.bundle_of(made, controls={two.CONTROL: "shuffled"}, blind=True)
    assert realism.BLOCK.compute(context_of(bundle), Earlier()).data["note"].startswith("no ratings")


def contrast(name: str, p: float | None, estimate: float = 0.2) -> Contrast:
    return Contrast(name, "x", "randomised", "a", "b", "", "", estimate, 0.1, 0.3, 0.95, 20, 10, 10, p=p)


def test_claims_come_in_the_plans_order_and_stop_at_the_first_that_fails() -> None:
    said = in_order(
        [Claim("K1", [contrast("s", 0.01)], above=True), Claim("K2", [contrast("d", 0.2)]),
         Claim("K3", [contrast("h", 0.001)])], 0.95,
    )  # fmt: skip
    assert [claim["outcome"] for claim in said] == ["passed", "failed", "not tested"]


def test_a_claim_of_sensitivity_needs_the_right_side_and_several_rows_holm() -> None:
    below = in_order([Claim("K1", [contrast("s", 0.001, estimate=-0.3)], above=True), Claim("K2", [])], 0.95)
    assert [claim["outcome"] for claim in below] == ["failed", "not part of this study"]
    several = in_order([Claim("K2", [contrast("a", 0.03), contrast("b", 0.04)])], 0.95)
    assert several[0]["outcome"] == "failed"  # .03 becomes .06
    assert several[0]["rows"][0]["p"] == pytest.approx(0.06)
    unknown = in_order([Claim("K2", [contrast("a", None)])], 0.95)
    assert unknown[0]["outcome"] == "can't be tested"


def test_the_order_is_in_the_data_and_on_the_page() -> None:
    found = two.found_in(two.bundle_of(two.crossover(14, scores(1, 1.2)), controls={two.CONTROL: "shuffled"}))
    assert [(claim["claim"], claim["outcome"]) for claim in found["realism"]["claims"]] == [
        ("K1", "passed"), ("K2", "not part of this study"), ("K3", "not part of this study"),
    ]  # fmt: skip
    assert "stopping at the first that fails" in two.words(found)
