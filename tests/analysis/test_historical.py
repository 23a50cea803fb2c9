"""Published studies beside one's own: which, on what, how uncertain, and what is never said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import groups_of_two as two
import pytest
from scipy import stats

from analysis.comparing.fitting import common_objects, fitting, same_source
from analysis.comparing.historical import RHOS, baseline_variance
from analysis.comparing.wording import EFFECT
from analysis.context import Options
from analysis.figures_comparisons import beside_svg
from analysis.published import FOLDER, published

RATED = ("Opportunity", "Quote", "QuoteLineItem", "Task", "Event", "Account", "Lead", "VoiceCallTranscript__c")
PRO = "Huang et al. (2025), CRMArena-Pro, arXiv 2505.18878, section 3.4 and appendix E."
FIRST = "Huang et al. (2024), CRMArena, arXiv 2411.02305, section 2.5 and appendix F."


def score(code: str, org: str, target: str) -> int:
    return 2 + (int(code[2:]) * 3 + len(target) * 2) % 4


def protocol(cited: str = "", **arm: Any) -> dict[str, Any]:
    meta = {"name": "demo", **({"replicates": {"citation": cited}} if cited else {})}
    return {"meta": meta, "arms": [{"code": "main", "orgs": ["name:demo"], **arm}]}


def study(
    arm: str = "main", cited: str = PRO, people: int = 14, objects: tuple[str, ...] = RATED, **more: Any
) -> dict[str, Any]:
    made = two.empty()
    for code in two.codes(people):
        two.add_visit(made, code, arm, two.ORG, score, objects=objects)
    said = protocol(cited, code=arm, **more)
    return two.found_in(two.bundle_of(made, protocol=said))


def test_a_replications_arm_stands_beside_the_arm_of_its_name() -> None:
    for arm in ("b2b", "b2c"):
        (entry,) = study(arm)["published"]["beside"]
        assert (entry["study"], entry["arm"].casefold(), len(entry["common"])) == ("crmarena-pro", arm, 8)
    (entry,) = study("main", orgs=["name:crmarena-pro-b2c"])["published"]["beside"]
    assert entry["arm"] == "B2C"
    assert [one["arm"] for one in study("main")["published"]["beside"]] == ["B2B", "B2C"]


def test_a_visit_of_a_crossover_stands_beside_the_arm_of_its_own_org() -> None:
    made = two.empty()
    for code in two.codes(8):
        for period, name in enumerate(("b2b", "other"), start=1):
            two.add_visit(made, code, "cross", name[0] * 64, score, period=period, condition=name, objects=RATED)
    visits = [{"code": "b2b", "orgs": ["name:x"]}, {"code": "other", "orgs": ["name:crmarena-pro-b2c"]}]
    found = two.found_in(two.bundle_of(made, protocol=protocol(PRO, code="cross", orgs=[], visits=visits)))
    assert [(one["group"], one["arm"]) for one in found["published"]["beside"]] == [
        ("cross, b2b", "B2B"), ("cross, other", "B2C"),
    ]  # fmt: skip


def test_an_object_that_only_people_outside_the_set_judged_is_not_in_common() -> None:
    """Both sides are the mean over the same objects: one that no analysed person judged is in neither."""
    made = two.empty()
    for number, code in enumerate(two.codes(8)):
        last = number == 7

        def given(code: str, org: str, target: str, last: bool = last) -> int | None:
            return 4 if target != "Lead" or last else None

        two.add_visit(made, code, "b2b", two.ORG, given, objects=RATED, analysed=not last)
    (entry,) = two.found_in(two.bundle_of(made, protocol=protocol(PRO, code="b2b")))["published"]["beside"]
    assert len(entry["common"]) == 7
    without_lead = (70 + 70 + 70 + 60 + 500 / 9 + 70 + 60) / 7
    assert entry["published"][0]["share"] * 100 == pytest.approx(without_lead)


def test_bands_are_those_of_the_within_rater_correlation() -> None:
    # 66.7 % of 78 ratings by 10 raters: cluster Wilson 54-77, 50-80, 47-82, 45-83 at rho 0, .1, .2, .3
    (entry,) = study("b2b")["published"]["beside"]
    bands = [(round(band["low"] * 100), round(band["high"] * 100)) for band in entry["published"][0]["bands"]]
    assert bands == [(54, 77), (50, 80), (47, 82), (45, 83)]


def test_both_b2c_figures_are_shown_and_that_they_disagree() -> None:
    found = study("b2c")
    (entry,) = found["published"]["beside"]
    assert [round(one["share"], 3) for one in entry["published"]] == [0.523, 0.623]
    assert [one["printed"] for one in entry["published"]] == [False, True]
    said = two.words(found)
    assert "52.3%" in said
    assert "62.3%" in said
    assert "does not follow from its own figure" in said
    assert len(study("b2b")["published"]["beside"][0]["published"]) == 1


def test_the_difference_carries_both_uncertainties() -> None:
    (entry,) = study("b2b")["published"]["beside"]
    own, dial = entry["own"], entry["published"][0]["dial"]
    assert [one["rho"] for one in dial] == list(RHOS)
    assert {one["df"] for one in dial} == {9}  # min(14 - 1, 10 - 1)
    p = 2 / 3
    own_variance = dial[0]["se"] ** 2 - p * (1 - p) / 78
    assert own_variance >= own["estimate"] * (1 - own["estimate"]) / own["n"] - 1e-9
    for one in dial:
        base = (1 + (7.8 - 1) * one["rho"]) * p * (1 - p) / 78
        assert one["se"] ** 2 == pytest.approx(own_variance + base, abs=1e-6)
        assert one["estimate"] == pytest.approx(own["estimate"] - p)
        half = float(stats.t.ppf(0.975, 9)) * one["se"]
        assert (one["low"], one["high"]) == pytest.approx((one["estimate"] - half, one["estimate"] + half), abs=1e-7)
        assert one["p"] == pytest.approx(2 * float(stats.t.sf(abs(one["estimate"]) / one["se"], 9)))
    widths = [one["high"] - one["low"] for one in dial]
    assert widths == sorted(widths)
    row = two.row(study("b2b"), "b2b.historical_difference.crmarena-pro.B2B")
    assert (row["kind"], row["p"]) == ("historical", pytest.approx(dial[2]["p"], abs=1e-7))


def test_a_fixed_share_is_tested_for_org_approval_only_and_labelled() -> None:
    found = study("b2b")
    (entry,) = found["published"]["beside"]
    org = entry["org"]
    assert org["fixed"][0]["p"] == pytest.approx(stats.binomtest(org["k"], org["n"], 0.667).pvalue)
    said = two.words(found)
    assert "as if that number were known without error" in said
    assert "another quantity" in said


def test_the_first_study_has_an_org_approval_and_no_objects() -> None:
    found = study(cited=FIRST)
    entry = found["published"]["beside"][0]  # and CRMArena-Pro, whose objects these are
    assert (entry["study"], entry["common"]) == ("crmarena", [])
    row = two.row(found, "main.historical_difference_org.crmarena.Org")
    assert row["estimate"] == pytest.approx(entry["org"]["k"] / 14 - 0.9)
    assert row["low"] < row["estimate"] < row["high"]


def test_historical_is_never_an_effect() -> None:
    said = two.words(study("b2b"))
    assert "other screens, people and year" in said
    assert "Kind: historical" in said
    assert EFFECT not in said


def test_what_fits_nowhere_is_said() -> None:
    own = study(cited="", objects=two.OBJECTS)
    assert own["published"]["beside"] == []
    assert "of the 8 objects of CRMArena-Pro only 2 were rated here" in two.words(own)
    assert "which is not among the published studies given" in two.words(study(cited="Doe (1999), A study"))
    assert "No published study rated any" in two.words(study(cited="", objects=("Shipment",)))


def test_half_of_the_objects_is_enough_without_a_replication() -> None:
    found = study(cited="", objects=RATED[:4])
    assert [(one["arm"], len(one["common"])) for one in found["published"]["beside"]] == [("B2B", 4), ("B2C", 4)]
    # The printed mean is over eight objects; beside four it would be another quantity.
    assert all(not one["printed"] for entry in found["published"]["beside"] for one in entry["published"])


def test_names_and_citations_are_matched_without_suffix_and_wording() -> None:
    arm = published()[1].arms[0]
    assert common_objects(arm, ["VoiceCallTranscript__c", "Lead", "Case"]) == {
        "VoiceCallTranscript__c": "VoiceCallTranscript", "Lead": "Lead",
    }  # fmt: skip
    assert same_source("X, arXiv 2505.18878, sec. 3", "Huang, arXiv:2505.18878v2")
    assert not same_source("X, arXiv 2505.18878", "Y, arXiv 2411.02305")
    assert same_source("Doe  (2020), A study", "doe 2020 a study")
    assert fitting([], {}, "", "main", ["Lead"]) == ([], "No published study rated any of these objects.")


def test_control_orgs_and_few_raters_get_no_difference() -> None:
    few = study("b2b", people=4)
    (entry,) = few["published"]["beside"]
    assert entry["own"]["estimate"] is None
    assert entry["published"][0]["dial"] == []
    assert all(row["estimate"] is None for row in few["comparisons"])
    two.words(few)
    made = two.empty()
    for code in two.codes(8):
        two.add_visit(made, code, "b2b", two.CONTROL, score, objects=RATED)
    controls = {two.CONTROL: "shuffled"}
    found = two.found_in(two.bundle_of(made, controls=controls, protocol=protocol(PRO)))
    assert found["published"]["beside"] == []
    assert "control Org" in two.words(found)


def test_all_ratings_alike_still_leave_the_own_side_uncertain() -> None:
    """P-33: everybody approves of everything; the own variance is not 0, as if 100 % were known."""
    made = two.empty()
    for code in two.codes(10):
        two.add_visit(made, code, "b2b", two.ORG, lambda *_: 5, objects=RATED)
    found = two.found_in(two.bundle_of(made, protocol=protocol(PRO)))
    dial = found["published"]["beside"][0]["published"][0]["dial"]
    assert dial[0]["se"] ** 2 > baseline_variance(2 / 3, 78, 10, 0.0) + 0.001


def test_a_researchers_own_study_stands_beside_theirs(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "id: pilot\ntitle: Our pilot\nyear: 2025\ncitation: Doe (2025), A pilot\nprovenance: Table 2.\nraters: 8\n"
        "arms:\n  - id: one\n    printed:\n      - {value: 62.5, estimand: mean_over_objects, text: both objects}\n"
        "    objects:\n      - {object: Lead, n: 8, shares: [0, 25, 25, 25, 25]}\n"
        "      - {object: Case, n: 8, shares: [0, 12.5, 12.5, 50, 25]}\n"
    )
    made = two.arms({"main": (two.ORG, 9)}, score)
    bundle = two.bundle_of(made, protocol=protocol("Doe (2025), A pilot."))
    found = two.found_in(bundle, Options(baselines=(FOLDER, tmp_path), replicates=200))
    (entry,) = found["published"]["beside"]
    assert (entry["study"], entry["published"][0]["share"]) == ("pilot", 0.625)
    assert [pair[0] for pair in entry["common"]] == ["Case", "Lead"]


def test_a_replication_stands_beside_a_given_study_too_and_claims_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "id: pilot\ntitle: Our pilot\nyear: 2025\ncitation: A pilot\nprovenance: Table 2.\nraters: 8\narms:\n"
        "  - id: one\n    objects:\n      - {object: Lead, n: 8, shares: [0, 25, 25, 25, 25]}\n"
    )
    made = two.empty()
    for code in two.codes(9):
        two.add_visit(made, code, "b2b", two.ORG, score, objects=RATED)
    bundle = two.bundle_of(made, protocol=protocol(PRO, code="b2b"))
    found = two.found_in(bundle, Options(baselines=(FOLDER, tmp_path), replicates=200))
    assert [(one["study"], one["arm"]) for one in found["published"]["beside"]] == [
        ("crmarena-pro", "B2B"), ("pilot", "one"),
    ]  # fmt: skip
    third = found["realism"]["claims"][2]
    assert [row["id"] for row in third["rows"]] == ["b2b.historical_difference.crmarena-pro.B2B"]


def test_the_figure_shows_own_interval_bands_and_the_printed_number() -> None:
    rows: list[dict[str, Any]] = [
        {"label": "b2c", "estimate": 0.49, "low": 0.39, "high": 0.59, "own": True, "printed": False},
        {"label": "figure, rho 0.2", "estimate": 0.523, "low": 0.34, "high": 0.7, "own": False, "printed": False},
        {"label": "printed", "estimate": 0.623, "low": 0.43, "high": 0.78, "own": False, "printed": True},
        {"label": "few", "estimate": None, "low": None, "high": None, "own": True, "printed": False},
    ]
    for width in (872, 320):
        drawn = beside_svg(rows, "dark", width)
        assert "b2c 49.0 (39 to 59); figure, rho 0.2 52.3 (34 to 70)" in drawn
        assert "no percentage" in drawn
