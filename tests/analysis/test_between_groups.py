"""Two groups compared: estimates, intervals, adjusted p, equivalence, crossover, and what is never said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bundles
import groups_of_two as two
import numpy as np
import pytest

from analysis.bundle import read_bundle
from analysis.comparing.multiplicity import benjamini_hochberg, holm
from analysis.comparing.ranks import rank_biserial
from analysis.comparing.signs import sign_flip
from analysis.comparing.two_by_two import mcnemar, newcombe_independent, newcombe_paired
from analysis.comparisons import signed_rank
from analysis.context import Options
from analysis.figures_comparisons import dumbbell_svg
from analysis.plain import read_plain

OTHER = "d" * 64
ORGS = (two.ORG, OTHER)
PAIR = "cross, x − cross, y"


def scores(seed: int, shift: float = 0.8, missing: float = 0.0, own: float = 0.7) -> two.Score:
    """Severe and mild people; the first Org better by `shift`; what a rater could not judge is None."""
    rng = np.random.default_rng(seed)
    severity = {code: rng.normal(0, own) for code in two.codes(80)}
    drawn: dict[tuple[str, str, str], float] = {}

    def score(code: str, org: str, target: str) -> int | None:
        value = drawn.setdefault((code, org, target), float(rng.normal()))
        if rng.random() < missing:
            return None
        latent = 3.2 + severity[code] + (shift if org == two.ORG else 0.0) + value
        return int(min(5, max(1, round(latent))))

    return score


def approvals(score: Callable[..., Any], people: int, org: str) -> np.ndarray[Any, Any]:
    return np.array([[score(code, org, name) >= 4 for name in two.OBJECTS] for code in two.codes(people)], dtype=float)


def test_within_raters_the_numbers_are_those_of_the_raters_differences() -> None:
    score = scores(1)
    found = two.found_in(two.bundle_of(two.crossover(12, score, ORGS)))
    row = two.row(found, f"{PAIR}.arm_difference")
    d = approvals(score, 12, two.ORG).mean(axis=1) - approvals(score, 12, OTHER).mean(axis=1)
    assert row["kind"] == "within rater"
    assert row["estimate"] == pytest.approx(d.mean())
    half = 2.200985 * d.std(ddof=1) / 12**0.5  # t of 11 degrees of freedom
    assert (row["low"], row["high"]) == pytest.approx((d.mean() - half, d.mean() + half), abs=1e-6)
    assert row["p"] == pytest.approx(sign_flip(d).p)
    assert (row["n"], row["raters_a"], row["raters_b"], row["seed"]) == (12, 12, 12, None)


def test_org_approval_and_its_score_within_raters() -> None:
    score = scores(2)
    found = two.found_in(two.bundle_of(two.crossover(14, score, ORGS)))
    given = np.array([[score(code, org, "Org") for org in ORGS] for code in two.codes(14)])
    a, b = given[:, 0] >= 4, given[:, 1] >= 4
    row = two.row(found, f"{PAIR}.arm_difference_org")
    cells = (int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum()))
    by_hand = newcombe_paired(*cells)
    assert (row["estimate"], row["low"], row["high"]) == pytest.approx((by_hand.estimate, by_hand.low, by_hand.high))
    assert row["p"] == pytest.approx(mcnemar(cells[1], cells[2]).p)
    row = two.row(found, f"{PAIR}.arm_difference_org_score")
    assert row["p"] == pytest.approx(signed_rank((given[:, 0] - given[:, 1]).tolist()).p)
    assert row["effect"] == pytest.approx(rank_biserial(given[:, 0] - given[:, 1]))


def test_between_groups_of_people_it_is_welch_and_a_permutation() -> None:
    score = scores(3)
    made = two.arms({"x": (two.ORG, 9), "y": (OTHER, 7)}, score, allocation="randomised")
    found = two.found_in(two.bundle_of(made))
    row = two.row(found, "x − y.arm_difference")
    a = approvals(score, 16, two.ORG)[:9].mean(axis=1)
    b = approvals(score, 16, OTHER)[9:].mean(axis=1)
    assert row["kind"] == "randomised"
    assert row["estimate"] == pytest.approx(a.mean() - b.mean())
    assert row["estimator"] == "Welch t"
    assert "permutation" in row["test"]
    whole = two.row(found, "x − y.arm_difference_org")
    k = [sum(score(c, o, "Org") >= 4 for c in people)  # type: ignore[operator]
         for o, people in ((two.ORG, two.codes(9)), (OTHER, two.codes(7, 9)))]  # fmt: skip
    by_hand = newcombe_independent(k[0], 9, k[1], 7)
    assert (whole["low"], whole["high"]) == pytest.approx((by_hand.low, by_hand.high))
    assert whole["test"] == "Boschloo"


def test_each_object_is_adjusted_within_its_family() -> None:
    found = two.found_in(two.bundle_of(two.crossover(16, scores(4), ORGS)))
    rows = [row for row in found["comparisons"] if row["estimand"] == "arm_difference_object"]
    assert len(rows) == 4
    p = [row["p"] for row in rows]
    assert [row["p_adjusted"] for row in rows] == pytest.approx(holm(p))
    assert {row["adjustment"] for row in rows} == {"Holm"}
    assert {row["family"] for row in rows} == {f"4 objects, {PAIR}"}
    listed = found["between_groups"]["pairs"][0]["objects"]
    assert [entry["benjamini_hochberg"] for entry in listed] == pytest.approx(benjamini_hochberg(p))


@pytest.mark.parametrize(("seed", "missing"), [(5, 0.0), (6, 0.3)])
def test_no_p_without_an_estimate_and_an_interval(seed: int, missing: float) -> None:
    for made in (
        two.crossover(10, scores(seed, missing=missing), ORGS),
        two.arms({"x": (two.ORG, 7), "y": (OTHER, 6)}, scores(seed, missing=missing)),
    ):
        found = two.found_in(two.bundle_of(made))
        assert found["comparisons"]
        for row in found["comparisons"]:
            if row["p"] is not None:
                assert None not in (row["estimate"], row["low"], row["high"])
                assert row["low"] <= row["estimate"] <= row["high"]
                assert row["test"]


def test_equal_ratings_are_no_difference_to_test() -> None:
    """P-34: everybody gives 4 everywhere: an estimate of 0, no interval, no p, and a reason."""
    found = two.found_in(two.bundle_of(two.crossover(8, lambda *_: 4, ORGS)))
    row = two.row(found, f"{PAIR}.arm_difference")
    assert (row["estimate"], row["low"], row["p"]) == (0.0, None, None)
    assert "all differences are equal" in row["note"]
    org = two.row(found, f"{PAIR}.arm_difference_org")
    assert (org["p"], org["note"]) == (1.0, "no discordant pairs")
    assert org["low"] < 0 < org["high"]


def test_balanced_ratings_with_many_ties_show_no_difference() -> None:
    """P-34: as many up by one as down by one, the rest equal: p is 1."""

    def score(code: str, org: str, target: str) -> int:
        step = {0: 1, 1: -1}.get(int(code[2:]) % 10, 0)
        return 3 + (step if org == two.ORG else 0)

    found = two.found_in(two.bundle_of(two.crossover(40, score, ORGS)))
    assert two.row(found, f"{PAIR}.arm_difference_org_score")["p"] == pytest.approx(1.0)
    assert two.row(found, f"{PAIR}.arm_difference_score")["p"] == pytest.approx(1.0)


def test_under_five_raters_there_are_counts_and_no_difference() -> None:
    for people in (0, 1, 2, 4):
        made = two.crossover(people, scores(7), ORGS)
        found = two.found_in(two.bundle_of(made))
        for row in found["comparisons"]:
            assert (row["estimate"], row["p"]) == (None, None)
        two.words(found)
    assert "4 raters rated both: too few" in two.words(found)


def test_what_a_rater_could_not_judge_moves_nothing_else() -> None:
    """One object fails everywhere; half could not judge it in one Org. The plain mean of each rater would favour it."""

    def score(code: str, org: str, target: str) -> int | None:
        if target == "Lead":
            return None if org == two.ORG and int(code[2:]) % 2 else 1
        return 5

    found = two.found_in(two.bundle_of(two.crossover(10, score, ORGS)))
    assert two.row(found, f"{PAIR}.arm_difference")["estimate"] == pytest.approx(0.0)


def test_only_objects_rated_on_both_sides_are_compared() -> None:
    made = two.empty()
    for code in two.codes(6):
        two.add_visit(made, code, "x", two.ORG, lambda *_: 4, objects=("Account", "Case"))
    for code in two.codes(6, 10):
        two.add_visit(made, code, "y", OTHER, lambda *_: 2, objects=("Case", "Lead"))
    found = two.found_in(two.bundle_of(made))
    assert found["between_groups"]["pairs"][0]["sides"]["objects"] == ["Case"]
    assert two.row(found, "x − y.arm_difference")["estimate"] == 1.0


def test_no_object_in_common_is_said() -> None:
    made = two.empty()
    for number, code in enumerate(two.codes(12)):
        org, arm, name = ((two.ORG, "x", "Account"), (OTHER, "y", "Case"))[number % 2]
        two.add_visit(made, code, arm, org, lambda *_: 4, objects=(name,))
    found = two.found_in(two.bundle_of(made))
    row = two.row(found, "x − y.arm_difference")
    assert (row["estimate"], row["raters_a"]) == (None, 0)
    assert "no object" in row["note"]
    two.words(found)


def two_by_order(made: Any, org: str, people: slice) -> float:
    """Mean approval of one Org's objects among the people of one order."""
    visits = {
        row["id"] for row in made["visits"] if row["org_hash"] == org and row["participant"] in two.codes(24)[people]
    }
    given = [row["final"] for row in made["ratings"] if row["visit"] in visits and row["kind"] == "object"]
    return float(np.mean([score >= 4 for score in given]))


def test_period_effect_and_order_in_a_crossover_with_more_of_one_order() -> None:
    """Everybody approves of more on the second visit, the Orgs are alike; three quarters see x first."""
    rng = np.random.default_rng(8)
    made = two.empty()
    for number, code in enumerate(two.codes(24)):
        for place, condition in enumerate(("x", "y")):
            period = place + 1 if number < 18 else 2 - place

            def score(code: str, org: str, target: str, second: bool = period == 2) -> int:
                return 5 if rng.random() < (0.8 if second else 0.3) else 2

            two.add_visit(made, code, "cross", ORGS[place], score, period=period, condition=condition,
                          allocation="randomised")  # fmt: skip
    found = two.found_in(two.bundle_of(made))
    effect = two.row(found, f"{PAIR}.arm_difference_period")
    adjusted = two.row(found, f"{PAIR}.arm_difference_order_adjusted")
    paired = two.row(found, f"{PAIR}.arm_difference")
    assert effect["low"] < 0.5 < effect["high"]
    later = [
        two_by_order(made, OTHER, place) - two_by_order(made, two.ORG, place) for place in (slice(18), slice(18, 24))
    ]
    assert effect["estimate"] == pytest.approx((later[0] - later[1]) / 2)
    assert adjusted["estimate"] == pytest.approx(-(later[0] + later[1]) / 2)
    assert effect["low"] > 0.2
    assert adjusted["low"] < 0 < adjusted["high"]
    assert paired["estimate"] < adjusted["estimate"]
    crossed = found["between_groups"]["pairs"][0]["crossover"]
    assert (crossed["a_first"], crossed["b_first"], crossed["order_drawn"]) == (18, 6, True)
    first = two.row(found, f"{PAIR}.arm_difference_first_visit")
    assert (first["kind"], first["raters_a"], first["raters_b"]) == ("randomised", 18, 6)
    assert "18 had “cross, x” first and 6" in two.words(found)
    assert (effect["a"], effect["b"]) == ("later visit", "earlier visit")  # of three visits, not always 2 and 1


def test_equivalence_is_claimed_only_at_a_margin_the_protocol_names() -> None:
    rng = np.random.default_rng(9)

    def score(code: str, org: str, target: str) -> int:
        return 4 if rng.random() < 0.98 else 3

    made = two.crossover(30, score, ORGS)
    named = {"meta": {"name": "demo"}, "analysis": {"margin": 0.1}}
    with_margin = two.found_in(two.bundle_of(made, protocol=named))
    without = two.found_in(two.bundle_of(made))
    row = two.row(with_margin, f"{PAIR}.arm_difference")
    assert row["margin"] == 0.1
    assert row["equivalence_p"] < 0.05
    assert "Equivalent within ±10 points" in two.words(with_margin)
    assert two.row(without, f"{PAIR}.arm_difference")["margin"] is None
    assert "Equivalent" not in two.words(without)
    assert without["between_groups"]["pairs"][0]["equivalence"]["margin"] == 0.1


def test_a_large_p_is_never_equivalence() -> None:
    named = {"meta": {"name": "demo"}, "analysis": {"margin": 0.1}}
    made = two.crossover(8, scores(11, shift=0.0, own=1.2), ORGS)
    found = two.found_in(two.bundle_of(made, protocol=named))
    assert two.row(found, f"{PAIR}.arm_difference")["p"] > 0.05
    assert "is not shown" in two.words(found)
    assert "Equivalent" not in two.words(found)


def test_the_same_seed_gives_the_same_rows_and_another_seed_another_p() -> None:
    bundle = two.bundle_of(two.crossover(26, scores(12, shift=0.2), ORGS))
    first, again = two.found_in(bundle), two.found_in(bundle)
    assert first == again
    row = two.row(first, f"{PAIR}.arm_difference")
    assert (row["seed"], row["replicates"]) == (20_260, 500)
    other = two.row(two.found_in(bundle, Options(seed=1, replicates=500)), f"{PAIR}.arm_difference")
    assert other["estimate"] == row["estimate"]
    assert other["p"] != row["p"]


def test_raters_of_one_snapshot_are_one_unit() -> None:
    """Five snapshots with three raters each on either side: the test has ten units, not thirty."""
    made = two.empty()
    score = scores(13)
    for side, arm in enumerate(("x", "y")):
        for number, code in enumerate(two.codes(15, 20 * side)):
            two.add_visit(made, code, arm, f"{side}{number % 5}" * 32, score, allocation="randomised")
    found = two.found_in(two.bundle_of(made))
    row = two.row(found, "x − y.arm_difference")
    assert "snapshots as units" in row["note"]
    assert "exact" in row["test"]  # 10 units in 252 divisions
    assert row["raters_a"] == 15


def test_org_and_objects_of_shared_snapshots_are_compared_by_snapshot_too() -> None:
    """Everybody judges by the snapshot alone: three raters of one are one voice, so five against five say little."""

    def score(code: str, org: str, target: str) -> int:
        return 5 if (org[0] == "0" and org[1] in "0123") or org[:2] == "10" else 2

    made = two.empty()
    for side, arm in enumerate(("x", "y")):
        for number, code in enumerate(two.codes(15, 20 * side)):
            two.add_visit(made, code, arm, f"{side}{number % 5}" * 32, score, allocation="randomised")
    found = two.found_in(two.bundle_of(made))
    for row_id in ("x − y.arm_difference_org", "x − y.arm_difference_object.Case", "x − y.arm_difference_org_score"):
        row = two.row(found, row_id)
        assert "snapshots as units" in row["note"]
        assert row["p"] > 0.1  # 4 of 5 snapshots against 1 of 5; Boschloo on 12 of 15 and 3 of 15 people: .001
        assert row["low"] < 0
    org = two.row(found, "x − y.arm_difference_org")
    assert (org["estimate"], org["raters_a"], org["raters_b"]) == (pytest.approx(0.6), 15, 15)


def test_carry_over_spoils_the_paired_difference_and_not_the_first_visits() -> None:
    """Who had the good Org first judges the other more severely: half of the difference is carried over."""
    rng = np.random.default_rng(31)
    made = two.empty()
    for number, code in enumerate(two.codes(60)):
        for place, condition in enumerate(("x", "y")):
            period = place + 1 if number < 30 else 2 - place
            share = 0.7 - 0.2 * place - (0.2 if place == 1 and number < 30 else 0.0)

            def score(code: str, org: str, target: str, share: float = share) -> int:
                return 5 if rng.random() < share else 2

            two.add_visit(made, code, "cross", ORGS[place], score, period=period, condition=condition,
                          allocation="randomised")  # fmt: skip
    found = two.found_in(two.bundle_of(made))
    first = two.row(found, f"{PAIR}.arm_difference_first_visit")
    assert first["low"] < 0.2 < first["high"]
    assert two.row(found, f"{PAIR}.arm_difference")["estimate"] == pytest.approx(0.3, abs=0.06)


def test_a_plain_file_and_a_study_of_one_group_compare_nothing(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("participant,object,rating\np1,Org,4\np1,Account,5\np2,Account,3\n")
    bundles.write(tmp_path / "b")
    for bundle in (read_plain(tmp_path / "ratings.csv"), read_bundle(tmp_path / "b")):
        found = two.found_in(bundle)
        assert found["between_groups"]["pairs"] == []
        assert "one group" in found["between_groups"]["note"]


def test_the_figure_has_every_object_and_no_share_of_too_few() -> None:
    rows: list[dict[str, Any]] = [
        {"label": "Account", "a": {"k": 7, "n": 10}, "b": {"k": 3, "n": 10}, "estimate": 0.4, "low": -0.02,
         "high": 0.68},
        {"label": "An object with a very long name", "a": {"k": 1, "n": 3}, "b": {"k": 2, "n": 3}, "estimate": None,
         "low": None, "high": None},
    ]  # fmt: skip
    for width in (872, 320):
        for theme in ("light", "dark"):
            drawn = dumbbell_svg(rows, "north", "south", theme, width)
            assert 'role="img"' in drawn
            assert "Account 7 of 10 and 3 of 10" in drawn
            assert "too few" in drawn
            assert drawn.count("40 (") == 1
