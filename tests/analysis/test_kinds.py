"""Which kind a comparison is, from who came to which visit (M1)."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import bundles
import groups_of_two as two
import pytest

from analysis.comparing.kinds import relations, study_kind, visits_by_group
from analysis.comparing.wording import EFFECT
from analysis.groups import groups
from analysis.sentences import comparison_sentence, effect_kinds, kinds_line

OTHER = "d" * 64


def plain_score(code: str, org: str, target: str) -> int:
    return (int(code[2:]) * 5 + len(target)) % 5 + 1


@pytest.mark.parametrize(
    ("visit", "kind"),
    [
        ({"allocation": "randomised"}, "randomised"),
        ({"allocation": "fixed"}, "not randomised"),
    ],
)
def test_different_people_are_randomised_only_when_chance_gave_them_their_arm(visit: dict[str, str], kind: str) -> None:
    bundle = two.bundle_of(two.arms({"x": (two.ORG, 6), "y": (OTHER, 6)}, plain_score, **visit))
    assert [one.kind for one in relations(bundle).values()] == [kind]
    assert study_kind(bundle) == kind


def test_chance_within_different_cohorts_is_no_randomisation_between_them() -> None:
    """CRMArena-Pro's two Orgs had separate people; drawn or not, cohort and Org are one thing."""
    made = two.empty()
    for number, code in enumerate(two.codes(12)):
        org, cohort = ((two.ORG, "north"), (OTHER, "south"))[number % 2]
        two.add_visit(made, code, cohort, org, plain_score, allocation="randomised", cohort=cohort)
    bundle = two.bundle_of(made)
    assert study_kind(bundle) == "not randomised"
    assert "cohorts" in next(iter(relations(bundle).values())).why


def test_the_same_people_in_both_are_within_rater() -> None:
    bundle = two.bundle_of(two.crossover(8, plain_score, (two.ORG, OTHER)))
    (found,) = relations(bundle).values()
    assert (found.kind, len(found.both), found.left_out) == ("within rater", 8, 0)
    assert (found.a_first, found.b_first, found.one_order) == (4, 4, False)
    assert study_kind(bundle) == "within rater"


def test_partly_paired_uses_the_paired_and_says_who_was_left_out() -> None:
    made = two.crossover(8, plain_score, (two.ORG, OTHER))
    gone = {row["id"] for row in made["visits"] if row["period"] == 2 and row["participant"] in two.codes(3)}
    made["visits"] = [row for row in made["visits"] if row["id"] not in gone]
    made["ratings"] = [row for row in made["ratings"] if row["visit"] not in gone]
    bundle = two.bundle_of(made)
    (found,) = relations(bundle).values()
    assert (found.kind, len(found.both), found.left_out) == ("within rater", 5, 3)
    data = two.found_in(bundle)
    assert two.row(data, "cross, x − cross, y.arm_difference")["n"] == 5
    assert "3 people who were in one of the two only were left out" in two.words(data)


def test_a_few_who_know_both_do_not_make_two_groups_paired() -> None:
    made = two.arms({"x": (two.ORG, 10), "y": (OTHER, 10)}, plain_score)
    for code in two.codes(2):
        two.add_visit(made, code, "y", OTHER, plain_score, period=2)
    bundle = two.bundle_of(made)
    (found,) = relations(bundle).values()
    assert (found.kind, found.left_out) == ("not randomised", 2)
    row = two.row(two.found_in(bundle), "x − y.arm_difference")
    assert (row["raters_a"], row["raters_b"]) == (8, 10)


def test_half_of_the_smaller_group_in_both_is_paired() -> None:
    made = two.arms({"x": (two.ORG, 14), "y": (OTHER, 10)}, plain_score)
    for code in two.codes(10, 4):  # with those of y, twenty people there, of whom ten were in x
        two.add_visit(made, code, "y", OTHER, plain_score, period=2)
    (found,) = relations(two.bundle_of(made)).values()
    assert (found.kind, len(found.both), found.left_out) == ("within rater", 10, 14)


def test_who_judged_nothing_on_one_side_is_no_pair() -> None:
    """Two people could judge no object in one Org: their visits are there, a difference of theirs is not."""

    def score(code: str, org: str, target: str) -> int | None:
        return None if org == OTHER and target != "Org" and code in two.codes(2) else plain_score(code, org, target)

    found = two.found_in(two.bundle_of(two.crossover(10, score, (two.ORG, OTHER))))
    row = two.row(found, "cross, x − cross, y.arm_difference")
    assert (row["n"], row["raters_a"], row["raters_b"]) == (8, 8, 8)
    assert two.row(found, "cross, x − cross, y.arm_difference_org")["n"] == 10


def test_every_pair_has_its_own_kind_and_the_study_the_weakest() -> None:
    made = two.crossover(6, plain_score, (two.ORG, OTHER))
    for code in two.codes(6, 50):
        two.add_visit(made, code, "later", "e" * 64, plain_score)
    bundle = two.bundle_of(made)
    kinds = {pair: one.kind for pair, one in relations(bundle).items()}
    assert kinds[("cross, x", "cross, y")] == "within rater"
    assert kinds[("cross, x", "later")] == kinds[("cross, y", "later")] == "not randomised"
    assert study_kind(bundle) == "not randomised"


def test_the_same_org_twice_is_no_comparison_of_orgs() -> None:
    made = two.empty()
    for code in two.codes(6):
        for period in (1, 2):
            two.add_visit(made, code, "main", two.ORG, plain_score, period=period)
    bundle = two.bundle_of(made)
    assert study_kind(bundle) == "none"
    said = two.words(two.found_in(bundle))
    assert "Both rated the same Orgs" in said
    assert EFFECT not in said


def test_one_order_for_all_is_said_and_is_no_effect() -> None:
    bundle = two.bundle_of(two.crossover(8, plain_score, (two.ORG, OTHER), a_first=8))
    said = two.words(two.found_in(bundle))
    assert "Nobody had another order than “cross, x” first" in said
    assert EFFECT not in said


def test_a_blind_bundle_knows_the_kind_before_the_ratings() -> None:
    made = two.crossover(6, plain_score, (two.ORG, OTHER))
    made["ratings"] = []
    bundle = two.bundle_of(made, blind=True)
    assert study_kind(bundle) == "within rater"
    found = two.found_in(bundle)
    assert found["comparisons"] == []
    assert two.words(found) == ""


def test_names_and_division_are_those_of_the_groups() -> None:
    made = two.crossover(6, plain_score, (two.ORG, OTHER))
    for code in two.codes(3, 50):
        for period in (1, 2):
            two.add_visit(made, code, "again", two.ORG, plain_score, period=period)
    two.add_visit(made, "P-0099", "single", two.ORG, plain_score)
    bundle = two.bundle_of(made)
    visits = visits_by_group(bundle)
    assert list(visits) == [group.arm for group in groups(bundle)]
    for group in groups(bundle):
        assert set(visits[group.arm]["id"]) == set(group.ratings["visit"])


def test_only_within_rater_and_randomised_speak_of_an_effect() -> None:
    """M1: of the three kinds of a study two may; the third must not, in any sentence."""
    for made, may in (
        (two.crossover(8, plain_score, (two.ORG, OTHER)), True),
        (two.arms({"x": (two.ORG, 8), "y": (OTHER, 8)}, plain_score, allocation="randomised"), True),
        (two.arms({"x": (two.ORG, 8), "y": (OTHER, 8)}, plain_score), False),
    ):
        said = two.words(two.found_in(two.bundle_of(made)))
        assert (EFFECT in said) is may
        assert "mean approval" in said


def test_one_group_has_no_pair(tmp_path: Path) -> None:
    bundles.write(tmp_path / "b")
    from analysis.bundle import read_bundle

    bundle = read_bundle(tmp_path / "b")
    assert study_kind(bundle) == "none"
    assert list(combinations(visits_by_group(bundle), 2)) == []


def test_few_who_came_back_leave_a_crossover_within_raters() -> None:
    """Compared as different people they would be the ones who left, and still be called randomised."""
    made = two.crossover(20, plain_score, (two.ORG, OTHER))
    stayed = {*two.codes(3), *two.codes(3, 10)}
    gone = {row["id"] for row in made["visits"] if row["period"] == 2 and row["participant"] not in stayed}
    made["visits"] = [row for row in made["visits"] if row["id"] not in gone]
    made["ratings"] = [row for row in made["ratings"] if row["visit"] not in gone]
    bundle = two.bundle_of(made)
    (found,) = relations(bundle).values()
    assert (found.kind, found.both, found.left_out) == ("within rater", tuple(sorted(stayed)), 14)
    data = two.found_in(bundle)
    assert two.row(data, "cross, x − cross, y.arm_difference")["n"] == 6
    first = two.row(data, "cross, x − cross, y.arm_difference_first_visit")
    assert (first["kind"], first["raters_a"], first["raters_b"]) == ("randomised", 10, 10)


def test_leaving_people_out_ends_the_randomisation() -> None:
    made = two.arms({"x": (two.ORG, 10), "y": (OTHER, 10)}, plain_score, allocation="randomised")
    for code in two.codes(2):
        two.add_visit(made, code, "y", OTHER, plain_score, period=2, allocation="randomised")
    bundle = two.bundle_of(made)
    (found,) = relations(bundle).values()
    assert (found.kind, found.left_out) == ("not randomised", 2)
    assert EFFECT not in two.words(two.found_in(bundle))


def test_a_retest_over_several_orgs_is_none_of_orgs_whoever_is_lost() -> None:
    """Everybody rates their Org twice; nobody comes back for two of the Orgs. It isn't K2 either."""
    made = two.empty()
    for number, code in enumerate(two.codes(14)):
        for period in (1, 2):
            if period == 1 or number % 7 < 5:
                two.add_visit(made, code, "main", f"{number % 7}" * 64, plain_score, period=period,
                              allocation="randomised")  # fmt: skip
    bundle = two.bundle_of(made)
    assert study_kind(bundle) == "none"
    found = two.found_in(bundle)
    assert {row["estimand"].split("_")[0] for row in found["comparisons"]} == {"retest"}
    assert [claim["rows"] for claim in found["realism"]["claims"]] == [[], [], []]
    assert found["between_groups"]["pairs"][0]["crossover"] is None
    assert EFFECT not in two.words(found)


def test_arms_of_the_same_orgs_stay_that_when_an_org_is_lost_with_its_people() -> None:
    """Two skins on the same ten Orgs: a difference is one between skins, also when one of them misses an Org."""
    made = two.empty()
    for number, code in enumerate(two.codes(20)):
        if number != 19:
            two.add_visit(made, code, "xy"[number % 2], f"{number // 2}" * 64, plain_score, allocation="randomised")
    (found,) = relations(two.bundle_of(made)).values()
    assert (found.kind, found.same_orgs) == ("randomised", True)


def test_an_order_that_is_the_arms_own_was_not_drawn() -> None:
    """A cohort over two arms is randomised; the visits of the one arm come in the same order for all of it."""
    made = two.crossover(8, plain_score, (two.ORG, OTHER), a_first=8)
    crossed = two.found_in(two.bundle_of(made))["between_groups"]["pairs"][0]["crossover"]
    assert crossed["order_drawn"] is False


def test_no_first_line_calls_one_order_or_a_retest_an_effect() -> None:
    """M1: the line above a whole report says no more than the sentences of its pairs."""
    retest = two.empty()
    for code in two.codes(8):
        for period in (1, 2):
            two.add_visit(retest, code, "main", two.ORG, plain_score, period=period)
    one_order = two.crossover(8, plain_score, (two.ORG, OTHER), a_first=8)
    for made in (retest, one_order):
        bundle = two.bundle_of(made)
        found = two.found_in(bundle)
        assert "None of them can be read as an effect" in kinds_line(found["comparisons"], effect_kinds(found))
        assert "may be read" not in comparison_sentence(study_kind(bundle), effect_kinds(found))
    found = two.found_in(two.bundle_of(two.crossover(8, plain_score, (two.ORG, OTHER))))
    assert "None" not in kinds_line(found["comparisons"], effect_kinds(found))
    assert "may be read" in comparison_sentence("within rater", effect_kinds(found))
