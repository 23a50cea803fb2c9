"""Simulated studies through everything: a bundle in, results.json out, and the truth inside the intervals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bundles
import minds
import pytest
import test_truth

from analysis.bundle import read_bundle
from analysis.context import Options
from analysis.results import results
from analysis.writing import write_bundle
from study.fieldwork.simulation.run import simulate
from study.results.exporting import write_study
from tests.fieldwork.hour import make_cohort, make_small_org

RATERS = test_truth.RATERS


# --- the whole way, from a bundle


@pytest.fixture(scope="module", params=(11, 12))
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[minds.MindStudy, Any]:
    study = minds.mind_study(request.param, RATERS)
    folder: Path = tmp_path_factory.mktemp("minds") / "bundle"
    write_bundle(
        folder, minds.tables_of(study), protocol_yaml="name: realia-hour\n", orgs_json=minds.ORGS,
        study=bundles.STUDY | {"simulated": True},
    )  # fmt: skip
    return study, results(read_bundle(folder), Options(replicates=400))


def test_a_report_has_the_intervals_that_were_tried(whole: tuple[minds.MindStudy, Any]) -> None:
    """What covers in hundreds of studies is what results.json prints, number by number."""
    study, found = whole
    estimates = {row["id"]: row for row in found["estimates"]}
    for name, interval in {
        "mean_over_objects": test_truth.mean_over_objects, "gap": test_truth.gap_within,
        "coverage": test_truth.coverage,
    }.items():  # fmt: skip
        row = estimates[f"cross, org.{name}"]
        assert (row["low"], row["high"]) == pytest.approx(interval(study), abs=1e-8), name
        assert row["raters"] == RATERS
    (contrast,) = [row for row in found["comparisons"] if row["estimand"] == "sensitivity"]
    assert contrast["kind"] == "within rater"
    assert (contrast["low"], contrast["high"]) == pytest.approx(test_truth.sensitivity(study), abs=1e-8)


def test_the_values_of_one_study_lie_inside(whole: tuple[minds.MindStudy, Any]) -> None:
    """Seeded studies of which all four do; with 95 % intervals one in five studies misses one."""
    study, found = whole
    rows = {row["estimand"]: row for row in found["estimates"] if row["id"].startswith("cross, org.")}
    rows |= {row["estimand"]: row for row in found["comparisons"]}
    for name, true in study.truth.items():
        assert rows[name]["low"] <= true <= rows[name]["high"], name


def test_a_study_through_the_flows_holds_its_truth(db: None, study: Any, settings: Any, tmp_path: Path) -> None:
    """Twelve experts go through the hour, the study is exported and analysed; the truth file says what is true."""
    cohort = make_cohort(study, make_small_org())
    cohort.target = 12
    cohort.save()
    outcome = simulate(study, cohort, count=12, seed=5, rates=minds.RATES, through="flows")
    assert (outcome.problems, outcome.ends) == ([], {"completed": 12})
    file = settings.REALIA_VAR / f"truth-{study.code}.json"
    told = json.loads(file.read_text(encoding="utf-8"))
    # Studies of other tests have the same code, and earlier runs would stand in their truth.
    file.unlink()
    (settings.REALIA_VAR / f"ledger-{study.code}.jsonl").unlink(missing_ok=True)
    effects = [effect for name, effect in told["object_effects"].items() if name != "Org"]
    assert len(effects) == 8
    true = minds.true_values(effects)
    write_study(study, tmp_path / "bundle", blind=False)
    found = results(read_bundle(tmp_path / "bundle"), Options(replicates=400))
    rows = {row["id"]: row for row in found["estimates"]}
    for name in ("mean_over_objects", "gap", "coverage"):
        row = rows[f"main.{name}"]
        assert row["raters"] == 12
        assert row["low"] <= true[name] <= row["high"], name
    # The same experts without a database think the same.
    assert rows["main.mean_over_objects"]["k"] == approvals_of(minds.make_experts(12, 5, minds.RATES), told)


def approvals_of(experts: list[minds.Expert], told: dict[str, Any]) -> int:
    rated = [minds.rated(one, told["object_effects"]) for one in experts]
    return sum(score is not None and score >= 4 for one in rated for name, score in one.items() if name != "Org")
