"""Sets worked out again, people who were lost, and what the estimate would be with them."""

from __future__ import annotations

from typing import Any

import bundles
import carebench
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from analysis.blocks import Earlier, care, losses
from analysis.care.headline import counted
from analysis.care.lost import tipping_point, with_lost
from analysis.care.sets import disagreements, limits_of, sets_by_arm, sets_by_rule
from analysis.clusters import mean_objects_ci

LIMITS = limits_of(carebench.PROTOCOL["analysis"])
FIRST = "P-0000.1"


def rule_of(made: bundles.Tables) -> Any:
    assert LIMITS is not None
    return sets_by_rule(carebench.bundle(made), LIMITS).loc[FIRST]


def by_hand(made: bundles.Tables, minutes: int, ended: int) -> bundles.Tables:
    for row in made["visits"]:
        row["work_active_s"] = minutes * 60
    made["attempts"] = [row for row in made["attempts"] if row["position"] <= ended]
    return made


@pytest.mark.parametrize(("minutes", "ended", "exposed"), [(20, 0, True), (19, 2, False), (0, 0, False), (25, 2, True)])
def test_exposed_is_enough_minutes_or_enough_questions(minutes: int, ended: int, exposed: bool) -> None:
    found = rule_of(by_hand(bundles.tables(), minutes, ended))
    assert (bool(found["exposed"]), bool(found["analysed"])) == (exposed, exposed)


def test_a_question_left_when_time_was_up_did_not_end_by_the_person() -> None:
    made = by_hand(bundles.tables(), 0, 2)
    made["attempts"] = [
        row | {"position": p, "outcome": "skipped"} for row in made["attempts"] for p in (row["position"],)
    ]
    third = made["attempts"][0] | {"position": 3}
    assert rule_of({**made, "attempts": [*made["attempts"], third]})["exposed"]
    third = third | {"outcome": "time_up"}
    assert not rule_of({**made, "attempts": [*made["attempts"], third]})["exposed"]


@pytest.mark.parametrize(
    ("target", "blank", "analysed"),
    [("Case", "cannot_judge", True), ("Case", "rather_not_say", True), ("Case", "not_reached", False),
     ("Org", "cannot_judge", False), ("Case", "not_asked", True)],
)  # fmt: skip
def test_analysed_counts_cards_answered_and_wants_the_org_rated(target: str, blank: str, analysed: bool) -> None:
    """Of three cards two are under three quarters; one not asked of this person is not counted at all."""
    made = bundles.tables()
    for row in made["ratings"]:
        if row["visit"] == FIRST and row["target"] == target:
            row.update(first=None, final=None, first_blank=blank, final_blank=blank)
    assert bool(rule_of(made)["analysed"]) == analysed


def test_a_stored_flag_that_the_rule_does_not_give_is_counted_and_kept() -> None:
    made = bundles.tables()
    made["visits"][0]["work_active_s"] = 60
    made["visits"][1].update(exposed=False, analysed=False)
    made["participants"][1].update(exposed=False, analysed=False)
    given = carebench.bundle(made)
    assert LIMITS is not None
    exposed, analysed = disagreements(given, sets_by_rule(given, LIMITS))
    assert (exposed["stored_not_by_rule"], exposed["by_rule_not_stored"], exposed["visits"]) == (1, 1, 6)
    assert (analysed["stored_not_by_rule"], analysed["by_rule_not_stored"]) == (1, 1)
    # Nothing is put right: the estimates still use the stored flags.
    assert carebench.context(given).groups[0].ratings["analysed"].sum() == 5 * 4
    said = str(care.sections({"care": care.compute(carebench.context(given), Earlier()).data}))
    assert "exposed: 1 visits are in it and not by the rule, 1 the other way round, of 6" in said


def test_who_is_still_rating_is_not_analysed_yet() -> None:
    """Every card has an answer, nothing is locked and the person is still there: it may all change."""
    made = bundles.tables()
    made["participants"][0].update(end="", stage="rating")
    made["visits"][0].update(end_state="rating")
    assert bool(rule_of(made)["enough_rated"])
    assert not rule_of(made)["analysed"]
    made["visits"][0]["locked_at"] = bundles.START
    assert rule_of(made)["analysed"]


def test_somebody_left_out_or_removed_is_not_analysed_by_the_rule() -> None:
    made = bundles.tables()
    made["participants"][0]["exclusion_reason"] = "conflict"
    assert not rule_of(made)["analysed"]
    made = bundles.tables()
    for row in made["ratings"]:
        if row["visit"] == FIRST:
            row.update(first=None, final=None, first_blank="removed", final_blank="removed")
    found = rule_of(made)
    assert (bool(found["gone"]), bool(found["analysed"])) == (True, False)


def test_sets_by_arm_say_where_one_is_not_within_the_other() -> None:
    made = bundles.tables()
    assert sets_by_arm(carebench.bundle(made)) == [
        {"arm": "main", "eligible": 6, "started": 6, "exposed": 6, "analysed": 6, "complete": 6, "nested": True}
    ]
    made["participants"][0]["exposed"] = False
    assert sets_by_arm(carebench.bundle(made))[0]["nested"] is False


def test_a_protocol_without_limits_is_no_fault() -> None:
    assert limits_of({}) is None
    assert limits_of({"sets": {"exposed_minutes": 20}}) is None


def table_of() -> Any:
    context = carebench.context(carebench.bundle(bundles.tables(10)))
    return counted(context.groups[0].ratings, "mean_over_objects")


def test_lost_people_are_bounded_by_all_and_none_approving() -> None:
    """By hand: every object has 10 ratings; with 5 more the share is (k + 5)/15 and k/15."""
    table = table_of()
    share = table.y.sum(axis=0) / 10
    best, worst = (with_lost(table, "mean_over_objects", 5, approving) for approving in (1.0, 0.0))
    assert best.estimate == pytest.approx(((share * 10 + 5) / 15).mean())
    assert worst.estimate == pytest.approx((share * 10 / 15).mean())
    assert (best.raters, worst.raters) == (15, 15)
    assert with_lost(table, "mean_over_objects", 0, 1.0) == mean_objects_ci(table.y, table.m)


@pytest.mark.parametrize("threshold", [0.3, 0.4, 0.5])
def test_the_tipping_point_is_where_the_estimate_falls_under_the_threshold(threshold: float) -> None:
    table, lost = table_of(), 8
    found = tipping_point(table, "mean_over_objects", lost, threshold)
    assert found.share is not None
    assert found.people is not None
    at = with_lost(table, "mean_over_objects", lost, 1 - found.share).estimate
    assert at == pytest.approx(threshold)

    def with_people(people: int) -> float:
        return float(with_lost(table, "mean_over_objects", lost, 1 - people / lost).estimate or 0)

    assert with_people(found.people) < threshold <= with_people(found.people - 1)


def test_a_tipping_point_that_is_none_says_why() -> None:
    table = table_of()
    assert tipping_point(table, "mean_over_objects", 0, 0.5).note == "nobody was lost"
    assert "not below" in tipping_point(table, "mean_over_objects", 1, 0.01).note
    assert "even if all of them had approved" in tipping_point(table, "mean_over_objects", 1, 0.99).note
    assert table.y.shape == (10, 3)


def lose(made: bundles.Tables, person: int, stage: str) -> None:
    made["participants"][person].update(stage=stage, end="lapsed", analysed=False, complete=False, usable=False)
    made["visits"][person].update(end_state=stage, analysed=False)


def test_loss_is_counted_by_where_people_came_to() -> None:
    made = bundles.tables(12)
    for person, stage in enumerate(("consented", "working", "rating", "locked")):
        lose(made, person, stage)
    made["participants"][4].update(end="", analysed=False, stage="rating")
    made["visits"][4].update(end_state="rating", analysed=False)
    # Locked and counted, with the last pages still open: analysed, and neither lost nor under way.
    made["participants"][5].update(end="", stage="locked", complete=False)
    found = losses.compute(carebench.context(carebench.bundle(made)), Earlier()).data
    arm = found["arms"][0]
    assert [row["k"] for row in arm["stages"]] == [1, 1, 1, 1]
    assert (arm["began"], arm["under_way"], arm["analysed"]) == (12, 1, 7)
    assert (arm["lost"]["k"], arm["lost"]["n"]) == (4, 11)
    # Those who rated before they were lost are not analysed either; the bounds are of all four.
    assert found["groups"][0]["lost"] == 4
    said = str(losses.sections({"losses": found, "comparisons": []}))
    assert "1 people are still under way" in said


def test_arms_are_compared_in_what_they_lost() -> None:
    made = bundles.tables(20)
    for number, row in enumerate(made["visits"]):
        row.update(arm="one" if number % 2 else "two", allocation="randomised")
    lose(made, 0, "working")
    lose(made, 2, "working")
    found = losses.compute(carebench.context(carebench.bundle(made)), Earlier())
    for row in made["visits"][:1]:
        row["allocation"] = "fixed"
    (other,) = losses.compute(carebench.context(carebench.bundle(made)), Earlier()).contrasts
    assert (other.kind, other.estimate) == ("not randomised", found.contrasts[0].estimate)
    (gap,) = found.contrasts
    assert (gap.kind, gap.a, gap.b, gap.estimand) == ("randomised", "one", "two", "loss_difference")
    # Newcombe: statsmodels confint_proportions_2indep(0, 10, 2, 10, method="newcomb").
    expected = confint_proportions_2indep(0, 10, 2, 10, method="newcomb")
    assert (gap.estimate, gap.low, gap.high) == pytest.approx((-0.2, *expected))
