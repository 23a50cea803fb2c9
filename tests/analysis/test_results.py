"""From bundle to results: counted a second time by hand, and every small or strange study."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import bundles
import pytest

from analysis.bundle import read_bundle
from analysis.context import Options
from analysis.proportions import wilson
from analysis.results import results, results_text

FIELDS = [
    "id", "estimand", "estimator", "scope", "arm", "target", "estimate", "low", "high", "level", "k", "n", "raters",
    "deff", "cannot_judge", "seed", "note",
]  # fmt: skip


def found_in(folder: Path, made: bundles.Tables, **study: Any) -> dict[str, Any]:
    bundles.write(folder, made, **study)
    return results(read_bundle(folder), Options(replicates=199))


def row(found: dict[str, Any], estimand: str, target: str | None = None, arm: str = "main") -> dict[str, Any]:
    chosen = [
        r
        for r in found["estimates"]
        if r["estimand"] == estimand and r["arm"] == arm and (target is None or r["target"] == target)
    ]
    assert len(chosen) == 1, (estimand, target, len(chosen))
    return chosen[0]


def test_estimates_carry_the_fields_of_the_format(bundle_dir: Path) -> None:
    found = results(read_bundle(bundle_dir))
    assert all(list(r) == FIELDS for r in found["estimates"])
    ids = [r["id"] for r in found["estimates"]]
    assert len(ids) == len(set(ids))


def test_the_csv_module_alone_counts_the_same(tmp_path: Path) -> None:
    made = bundles.tables(20)
    for number in (1, 5, 9):
        made["ratings"][number] |= {"final": None, "final_blank": "cannot_judge"}
    found = found_in(tmp_path / "b", made)
    with (tmp_path / "b" / "ratings.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    finals = [(r["target"], int(r["final"])) for r in rows if r["final"]]
    org = [score >= 4 for target, score in finals if target == "Org"]
    assert (row(found, "org_approval")["k"], row(found, "org_approval")["n"]) == (sum(org), len(org))
    shares = []
    for name in bundles.OBJECTS:
        own = [score >= 4 for target, score in finals if target == name]
        entry = row(found, "object_approval", name)
        assert (entry["k"], entry["n"]) == (sum(own), len(own))
        assert (entry["low"], entry["high"]) == pytest.approx(wilson(sum(own), len(own)), abs=1e-8)
        shares.append(sum(own) / len(own))
    assert row(found, "mean_over_objects")["estimate"] == pytest.approx(sum(shares) / len(shares), abs=1e-8)
    parts = [score >= 4 for target, score in finals if target != "Org"]
    assert row(found, "pooled_share")["estimate"] == pytest.approx(sum(parts) / len(parts), abs=1e-8)


def test_can_t_judge_is_left_out_of_n_shown_and_bounded(tmp_path: Path) -> None:
    made = bundles.tables(10, score=4)
    for number in range(3):
        made["ratings"][number * 4] |= {"final": None, "final_blank": "cannot_judge"}
    made["ratings"][12] |= {"final": None, "final_blank": "rather_not_say"}
    found = found_in(tmp_path / "b", made)
    org = row(found, "org_approval")
    assert (org["k"], org["n"], org["cannot_judge"]) == (6, 6, 3)
    assert (row(found, "worst_org_approval")["k"], row(found, "worst_org_approval")["n"]) == (6, 9)
    assert (row(found, "best_org_approval")["k"], row(found, "best_org_approval")["n"]) == (9, 9)
    share = row(found, "cannot_judge_share", "Org")
    assert (share["k"], share["n"]) == (3, 9)


def test_informed_approval_needs_an_opened_record(tmp_path: Path) -> None:
    made = bundles.tables(10, score=5)
    for entry in made["ratings"][:8]:
        entry |= {"opened_work": 0, "opened_look": 0}
    found = found_in(tmp_path / "b", made)
    assert row(found, "org_approval")["n"] == 10
    assert row(found, "informed_org_approval")["n"] == 8
    assert row(found, "informed_object_approval", "Case")["n"] == 8


def test_only_the_analysed_set_counts_and_everyone_is_a_sensitivity_row(tmp_path: Path) -> None:
    made = bundles.tables(12, score=4)
    made["participants"][0]["analysed"] = made["visits"][0]["analysed"] = False
    found = found_in(tmp_path / "b", made)
    assert row(found, "org_approval")["n"] == 11
    assert row(found, "everyone_org_approval")["n"] == 12
    assert found["groups"][0]["set"].startswith("analysed")


def test_first_choice_is_kept_beside_the_last(tmp_path: Path) -> None:
    made = bundles.tables(10, score=5)
    for entry in made["ratings"][::4]:
        entry["first"] = 2
    found = found_in(tmp_path / "b", made)
    assert row(found, "org_approval")["k"] == 10
    assert row(found, "first_choice_org_approval")["k"] == 0
    assert row(found, "five_only_org_approval")["k"] == 10


@pytest.mark.parametrize("experts", [0, 1, 2, 4])
def test_too_few_people_give_counts_and_no_percentage(tmp_path: Path, experts: int) -> None:
    """P-30: none, one, two: everything loads, n is shown, and it says too few."""
    found = found_in(tmp_path / "b", bundles.tables(experts))
    org = row(found, "org_approval") if experts else found["estimates"][0]
    assert (org["n"], org["estimate"], org["low"]) == (experts, None, None)
    assert ("too few for a percentage" if experts else "no ratings") in org["note"]
    assert "NaN" not in results_text(found)


def test_one_object_and_uneven_raters(tmp_path: Path) -> None:
    """P-30: three raters on one object, five on the other."""
    made = bundles.tables(5, score=4)
    made["ratings"] = [
        r for r in made["ratings"] if r["target"] != "Order" and not (r["target"] == "Case" and r["visit"] > "P-0002.1")
    ]
    found = found_in(tmp_path / "b", made)
    assert row(found, "object_approval", "Account")["estimate"] == 1.0
    case = row(found, "object_approval", "Case")
    assert (case["n"], case["estimate"]) == (3, None)
    assert row(found, "mean_over_objects")["n"] == 8


def test_everyone_agrees(tmp_path: Path) -> None:
    """P-29: all 12 give 4: agreement not defined with its reason and 100 %; the file stays valid JSON."""
    found = found_in(tmp_path / "b", bundles.tables(12, score=4))
    for entry in found["groups"][0]["agreement"]:
        assert entry["value"] is None
        assert entry["reason"] == "not defined – ratings do not vary"
        assert entry["percent_agreement"] == 1.0
    mean = row(found, "mean_score", "Org")
    assert (mean["estimate"], mean["low"]) == (4.0, None)
    assert "interval not estimable" in mean["note"]
    assert json.loads(results_text(found), parse_constant=lambda name: pytest.fail(name)) == found


def test_all_five_points_are_there_when_only_two_were_chosen(tmp_path: Path) -> None:
    """P-32: a cohort that used only 4 and 5 still has five counts, zeros included."""
    made = bundles.tables(8, score=4)
    made["ratings"][0]["final"] = 5
    found = found_in(tmp_path / "b", made)
    assert found["groups"][0]["org"]["counts"] == [0, 0, 0, 7, 1]
    assert all(len(entry["counts"]) == 5 for entry in found["groups"][0]["objects"])


def test_shares_at_the_edge_have_width(tmp_path: Path) -> None:
    """P-33: 10 of 10 is 72 to 100, in the pooled share too, where raters are the n."""
    found = found_in(tmp_path / "b", bundles.tables(10, score=4))
    for estimand in ("org_approval", "mean_over_objects", "pooled_share"):
        entry = row(found, estimand)
        assert (entry["low"], entry["high"]) == (pytest.approx(0.7225, abs=1e-4), 1.0)


@pytest.mark.parametrize(
    ("orgs", "scope"), [(1, "this Org"), (3, "these 3 Orgs, no claim beyond them"), (6, "Orgs made by this generator")]
)
def test_the_scope_is_what_was_sampled(tmp_path: Path, orgs: int, scope: str) -> None:
    hashes = tuple(str(number) * 64 for number in range(orgs))
    found = found_in(tmp_path / "b", bundles.tables(12, orgs=hashes))
    assert row(found, "org_approval")["scope"].startswith(scope)
    assert len(found["groups"][0]["snapshots"]) == (orgs if orgs > 1 else 0)
    nested = "snapshots as outer clusters" in row(found, "org_approval")["estimator"]
    assert nested == (orgs >= 5)


def test_each_arm_has_its_own_rows_and_the_comparison_its_kind(tmp_path: Path) -> None:
    made = bundles.tables(12)
    for visit in made["visits"][6:]:
        visit["arm"] = "control"
    found = found_in(tmp_path / "a", made)
    assert {r["arm"] for r in found["estimates"]} == {"main", "control"}
    assert row(found, "org_approval")["n"] == row(found, "org_approval", arm="control")["n"] == 6
    assert found["comparison"] == "not randomised"
    for visit in made["visits"]:
        visit["allocation"] = "randomised"
    assert found_in(tmp_path / "b", made)["comparison"] == "randomised"


def test_two_visits_of_one_person_are_two_groups(tmp_path: Path) -> None:
    made = bundles.tables(6)
    for visit, ratings in zip(
        list(made["visits"]), [made["ratings"][n * 4 : n * 4 + 4] for n in range(6)], strict=True
    ):
        again = visit["id"].replace(".1", ".2")
        made["visits"].append({**visit, "id": again, "period": 2})
        made["ratings"] += [{**rating, "visit": again} for rating in ratings]
    found = found_in(tmp_path / "b", made)
    assert [group["arm"] for group in found["groups"]] == ["main, visit 1", "main, visit 2"]
    assert row(found, "org_approval", arm="main, visit 2")["raters"] == 6


def test_a_crossovers_groups_are_its_orgs_whatever_the_order(tmp_path: Path) -> None:
    """M1: both orders together; the visit only divides where no condition is told."""
    made = bundles.tables(6)
    firsts = list(made["visits"])
    for number, visit in enumerate(firsts):
        again = visit["id"].replace(".1", ".2")
        conditions = ("north", "south") if number % 2 else ("south", "north")
        ratings = [row for row in made["ratings"] if row["visit"] == visit["id"]]
        made["visits"].append({**visit, "id": again, "period": 2, "condition": conditions[1]})
        visit["condition"] = conditions[0]
        made["ratings"] += [{**rating, "visit": again} for rating in ratings]
    found = found_in(tmp_path / "b", made)
    assert [group["arm"] for group in found["groups"]] == ["main, north", "main, south"]
    assert row(found, "org_approval", arm="main, north")["raters"] == 6


def test_the_flow_adds_up(tmp_path: Path) -> None:
    made = bundles.tables(10)
    for number, (stage, end) in enumerate(
        [("joined", "screened_out"), ("consented", "withdrawn"), ("working", ""), ("done", "excluded")]
    ):
        made["participants"][number] |= {"stage": stage, "end": end, "complete": False}
    flow = found_in(tmp_path / "b", made)["flow"]
    assert flow[0]["reached"] == 10
    for this, following in zip(flow, [*(entry["reached"] for entry in flow[1:]), flow[-1]["complete"]], strict=True):
        assert this["reached"] == following + sum(this["lost"].values()) + this["waiting"]
    assert (flow[-1]["complete"], flow[-1]["lost"]) == (6, {"excluded": 1})


def test_characteristics_are_margins_without_small_cells(tmp_path: Path) -> None:
    made = bundles.tables(20)
    for number, person in enumerate(made["participants"]):
        person["screener"] = {"S3": "3–5" if number < 13 else "over 10" if number < 18 else f"rare {number}"}
    cells = found_in(tmp_path / "b", made)["characteristics"][0]["cells"]
    assert [cell["count"] for cell in cells] == [13, 7]
    assert not [cell for cell in cells if "rare" in cell["answer"]]
    assert sum(cell["count"] for cell in cells) == 20


def test_success_counts_graded_attempts_only(tmp_path: Path) -> None:
    made = bundles.tables(10)
    made["attempts"][0] |= {"outcome": "skipped", "correct": None, "answer": None}
    made["attempts"][2] |= {"correct": None}
    task = next(r for r in found_in(tmp_path / "b", made)["tasks"] if r["task"] == "handle_time")
    assert (task["assigned"], task["attempted"], task["graded"]) == (10, 9, 8)


def test_a_blind_bundle_has_no_ratings_and_says_so(tmp_path: Path) -> None:
    made = bundles.tables(10)
    made["ratings"], made["rationales"] = [], []
    found = found_in(tmp_path / "b", made, blind=True)
    assert found["study"]["blind"] is True
    assert found["estimates"][0]["n"] == 0
