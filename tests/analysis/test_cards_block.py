"""The block of cards: anchors, reference cards and pairs, apart from the headline."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import bundles
import carebench
import pytest

from analysis.blocks import Earlier, Found, approval, cards, comparisons
from analysis.context import Options, context_of
from analysis.document import Figure
from analysis.estimates import Estimate, group_estimates
from analysis.plain_json import plain_json

CONTROL = "c" * 64
SHORT = Options(replicates=100)


def block(made: bundles.Tables) -> Found:
    return cards.compute(carebench.context(carebench.bundle(made)), Earlier())


def arm_of(made: bundles.Tables) -> dict[str, Any]:
    found: dict[str, Any] = plain_json(block(made).data)["arms"][0]
    return found


def graded(rater: int, card: int, grade: int) -> int | None:
    """Half a point less for a severe rater's cards, a point for each size of the fault."""
    return max(1, 5 - rater % 2 - grade)


def reference(made: bundles.Tables, score: Callable[[int, int, int], int | None]) -> bundles.Tables:
    with_cards = carebench.with_anchors(made, score)
    for row in with_cards["cards"]:
        row.update(kind="reference", card_set="reference/v1")
    return with_cards


def pairs(made: bundles.Tables, takes: Callable[[int, int], bool]) -> bundles.Tables:
    """Two pairs a rater; the Org's record stands first in the first. takes(rater, pair): it was preferred."""
    made["cards"] = []
    for number, visit in enumerate(row["id"] for row in made["visits"]):
        for place in (1, 2):
            name, own = f"pairs_{place}", place
            for side, position in (("first", 1), ("second", 2)):
                made["cards"].append(
                    {"visit": visit, "module": "pairs", "position": place, "target": name, "kind": "pairs",
                     "side": side, "org_hash": bundles.ORG if position == own else CONTROL,
                     "control": position != own, "object": "Case"}
                )  # fmt: skip
            choice = own if takes(number, place) else 3 - own
            made["ratings"].append(
                {"visit": visit, "kind": "pair", "target": name, "dimension": "overall", "position": place,
                 "first": choice, "final": choice}
            )  # fmt: skip
    return made


def test_anchors_by_hand() -> None:
    """Six clean cards at 5 or 4, broken ones lower by their size 1, 2, 3, twice each: two points on average."""
    found = arm_of(carebench.with_anchors(carebench.tables(), graded))
    (one,) = found["anchors"]
    assert (one["clean"], one["broken"], one["raters"]) == (6, 6, 8)
    assert (one["difference"]["mean"], one["auc"]["mean"], one["slope"]["mean"]) == (2.0, 1.0, -1.0)
    assert one["p"] == 2 / 2**8
    assert [row["mean"] for row in one["grades"]] == [4.5, 3.5, 2.5, 1.5]
    assert one["single"] == {"at_most_half": 0, "three_quarters": 8}


def test_single_raters_are_judged_by_six_cards_of_either_kind_only() -> None:
    (one,) = arm_of(carebench.with_anchors(carebench.tables(), graded, each=3))["anchors"]
    assert one["single"] is None


def test_severity_on_the_reference_cards() -> None:
    """Mean of the twelve: 3.5 and 2.5 in turn, without a number of any single person's code."""
    (one,) = arm_of(reference(carebench.tables(), graded))["reference"]
    assert (one["cards"], one["complete_set"], one["complete_raters"]) == (12, True, 8)
    assert one["severity"]["mean"] == pytest.approx(3.5)
    assert one["by_rater"] == pytest.approx([3.0] * 4 + [4.0] * 4)
    assert one["complete"]["mean"] == pytest.approx(3.5)


def test_a_card_somebody_could_not_judge_moves_no_severity() -> None:
    """Who passes over the most broken card is no milder for it."""

    def skips(rater: int, card: int, grade: int) -> int | None:
        return None if rater == 0 and grade == 3 else graded(rater, card, grade)

    (one,) = arm_of(reference(carebench.tables(), skips))["reference"]
    assert one["complete_raters"] == 7
    assert one["severity"]["mean"] == pytest.approx(3.5, abs=0.06)


def test_pairs_say_what_was_preferred_and_what_the_place_did() -> None:
    """All take the Org's record when it stands first, every other one when it stands second."""
    found = arm_of(pairs(carebench.tables(), lambda rater, pair: pair == 1 or rater % 2 == 0))["pairs"]
    assert (found["preferred"]["k"], found["preferred"]["n"], found["preferred"]["estimate"]) == (12, 16, 0.75)
    assert (found["org_first"]["estimate"], found["org_second"]["estimate"]) == (1.0, 0.5)
    assert found["chose_first"]["k"] == 12
    assert found["d_prime"] == pytest.approx(0.9539, abs=1e-4)
    assert found["control"] is True
    # Eight raters are too few to tell three quarters from a half.
    assert found["reading"] == "undecided"


def test_preference_by_the_place_alone_is_no_preference() -> None:
    found = arm_of(pairs(carebench.tables(), lambda rater, pair: pair == 1))["pairs"]
    assert (found["preferred"]["estimate"], found["chose_first"]["estimate"], found["d_prime"]) == (0.5, 1.0, 0.0)


def test_more_than_two_orgs_are_put_on_one_line() -> None:
    """Bradley–Terry over the Org and two others; the one that loses more stands lower."""
    made = pairs(carebench.tables(12), lambda rater, pair: rater % 3 > 0 if rater < 6 else rater % 4 != pair)
    for row in made["cards"]:
        if row["control"] and int(row["visit"][2:6]) < 6:
            row["org_hash"] = "d" * 64
    found = arm_of(made)["pairs"]["abilities"]
    assert found["orgs"] == ["the visit's Org", "c" * 8, "d" * 8]
    assert found["estimates"][0] == 0
    # With the Org in the middle an ability is the log odds of its own pairs: the Org's record was taken 8 times of 12.
    assert found["estimates"][2] == pytest.approx(-math.log(8 / 4))
    assert found["low"][2] < found["estimates"][2] < found["high"][2]


def test_real_records_are_told_from_made_ones_by_rater() -> None:
    """Three records of a real Org and three of ours; whoever gives 4 or 5 takes a card for a real one."""
    made = carebench.with_anchors(
        carebench.tables(), lambda rater, card, grade: 4 if card < 3 else 2 + rater % 3, each=3
    )
    for row in made["cards"]:
        row.update(kind="dossiers", card_set="", org_hash="e" * 64 if row["position"] <= 3 else bundles.ORG)
    given = carebench.bundle(made)
    assert cards.compute(carebench.context(given), Earlier()).data["arms"] == []
    real = replace(given, orgs=[{"hash": "e" * 64, "provenance": "deidentified_real"}])
    found = cards.compute(carebench.context(real), Earlier()).data["arms"][0]["real"]
    # 3 of 3 hits; false alarms 0 of 3, or 3 of 3 for those who give 4 to everything: log-linear 7/8 against 1/8.
    perfect = 2 * 1.150349
    assert found["d_prime"]["mean"] == pytest.approx((6 * perfect + 2 * 0) / 8, abs=1e-5)
    assert found["d_prime"]["n"] == 8
    assert found["bootstrap"][0] < found["d_prime"]["mean"] < found["bootstrap"][1]


def estimates_of(made: bundles.Tables) -> list[Estimate]:
    """The headline estimates and those of the blocks that look at them, with the cards'."""
    context = context_of(carebench.bundle(made), SHORT)
    earlier = Earlier(estimates=[row for group in context.groups for row in group_estimates(group)])
    for module in (approval, comparisons, cards):
        earlier.estimates += module.compute(context, earlier).estimates
    return earlier.estimates


def test_cards_never_count_in_the_headline() -> None:
    """M6: the same headline with cards as without."""
    without, with_cards = map(estimates_of, (carebench.tables(), carebench.with_anchors(carebench.tables(), graded)))
    ids = {row.id for row in without}
    assert "main.mean_over_objects" in ids
    assert {row.id for row in with_cards} - ids == {"main.anchor_difference.small", "main.anchor_auc.small"}
    assert [row for row in with_cards if row.id in ids] == without


def test_people_outside_the_set_do_not_rate_cards() -> None:
    made = carebench.with_anchors(carebench.tables(), graded)
    made["visits"][0]["analysed"] = made["participants"][0]["analysed"] = False
    assert arm_of(made)["anchors"][0]["raters"] == 7


def test_under_five_raters_there_are_no_means() -> None:
    (one,) = arm_of(carebench.with_anchors(carebench.tables(4), graded))["anchors"]
    assert one["difference"]["mean"] is None
    assert one["difference"]["note"] == "4 raters: too few"
    made = pairs(carebench.tables(4), lambda rater, pair: True)
    assert arm_of(made)["pairs"]["preferred"]["estimate"] is None


def test_no_cards_is_a_sentence_and_no_section() -> None:
    found = plain_json(block(carebench.tables()).data)
    assert found["arms"] == []
    assert "no cards" in found["why"]
    assert cards.sections({"cards": found}) == ()


def test_the_figure_says_its_numbers_in_both_forms_and_themes() -> None:
    made = carebench.with_anchors(carebench.tables(), graded)
    found = {"cards": plain_json(block(made).data)}
    (section,) = cards.sections(found)
    (figure,) = [part for part in section.parts if isinstance(part, Figure)]
    assert figure.sentence.endswith("no fault 4.50; size 1 3.50; size 2 2.50; size 3 1.50.")
    drawn = {(theme, width): figure.draw(theme, width) for theme, width in (("light", 872), ("dark", 320))}
    assert len(set(drawn.values())) == 2
    assert all(figure.sentence in text for text in drawn.values())
