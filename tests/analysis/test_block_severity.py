"""The block severity: the ordinal model in results.json and in the report, whatever the data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import bundles
import numpy as np
import pytest

from analysis.blocks import Earlier
from analysis.blocks.severity import BLOCK
from analysis.bundle import read_bundle
from analysis.context import context_of
from analysis.document import Figure, Paragraph, Table
from analysis.plain_json import plain_json
from analysis.report import read_input

OTHER = "1" * 64


def crossover(experts: int, effect: float = 1.5) -> bundles.Tables:
    """Each rates Org 0 and, as much less realistic as `effect` says, Org 1."""
    generator = np.random.default_rng(3)
    made = bundles.tables(experts)
    first, made["ratings"] = list(made["visits"]), []
    made["visits"], made["rationales"] = [], []
    made["objects"] += [row | {"org_hash": OTHER} for row in made["objects"]]
    for visit in first:
        mild = generator.normal(0, 1.4)
        for period, (name, org) in enumerate((("org", bundles.ORG), ("shuffled", OTHER)), start=1):
            own = visit | {"id": f"{visit['id']}{period}", "period": period, "org_hash": org, "condition": name}
            made["visits"].append(own)
            for place, target in enumerate(("Org", *bundles.OBJECTS)):
                latent = 1.0 + mild - effect * (period - 1) + 0.4 * place + generator.logistic()
                score = int(np.digitize(latent, [-2, -0.7, 0.7, 2.2])) + 1
                made["ratings"].append(bundles.rating(own["id"], target, place, score))
    made["attempts"], made["opened"] = [], []
    return made


def found_in(folder: Path, made: bundles.Tables, **study: Any) -> Any:
    bundles.write(folder, made, **study)
    return BLOCK.compute(context_of(read_bundle(folder)), Earlier())


def parts_of(found: Any) -> list[Any]:
    data = plain_json(found.data)
    return [part for section in BLOCK.sections({"severity": data}) for part in section.parts]


@pytest.fixture(scope="module")
def two_orgs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return found_in(tmp_path_factory.mktemp("two") / "b", crossover(24))


def test_each_group_has_its_model(two_orgs: Any) -> None:
    data = plain_json(two_orgs.data)
    assert [group["arm"] for group in data["groups"]] == ["main, org", "main, shuffled"]
    for group in data["groups"]:
        assert group["reason"] == ""
        assert (group["raters"], group["n"]) == (24, 72)
        assert group["approval"]["low"] < group["approval"]["estimate"] < group["approval"]["high"]
        assert group["severe"] < group["mild"]
        assert [one["mode"] for one in group["severities"]] == sorted(one["mode"] for one in group["severities"])
        assert {one["rater"] for one in group["severities"]} == {f"P-{number:04d}" for number in range(24)}
        assert sum(row["effect"] for row in group["objects"]) == pytest.approx(0, abs=1e-6)
        values = [row["value"] for row in group["thresholds"]]
        assert values == sorted(values)


def test_the_effect_of_the_org_is_conditional_and_marginal(two_orgs: Any) -> None:
    (entry,) = plain_json(two_orgs.data)["between"]
    assert (entry["a"], entry["b"], entry["kind"]) == ("main, org", "main, shuffled", "within rater")
    assert entry["low"] < 1.5 < entry["high"]
    assert 1 < entry["marginal_odds"]["estimate"] < entry["odds_ratio"]
    assert entry["difference"]["estimate"] == pytest.approx(
        entry["approval_a"]["estimate"] - entry["approval_b"]["estimate"], abs=1e-6
    )
    assert {cut["cut"] for cut in entry["cuts"]} <= {3, 4, 5}
    assert all(cut["odds_ratio"] > 1 for cut in entry["cuts"])
    rows = {row.estimand: row for row in two_orgs.contrasts}
    assert set(rows) == {"org_effect_log_odds", "marginal_approval_difference"}
    assert rows["org_effect_log_odds"].kind == "within rater"


def test_the_report_has_figure_table_and_words(two_orgs: Any) -> None:
    parts = parts_of(two_orgs)
    names = [part.name for part in parts if isinstance(part, Table)]
    assert len(names) == len(set(names))
    assert {"severities-main-org", "ordinal-main-org", "org-effect"} <= set(names)
    for table in (part for part in parts if isinstance(part, Table)):
        assert all(len(row) == len(table.head) for row in table.rows)
        assert table.data
        assert all(len(row) == len(table.data[0]) for row in table.data)
    figure = next(part for part in parts if isinstance(part, Figure))
    assert "24 raters" in figure.sentence
    for theme in ("light", "dark"):
        for width in (872, 320):
            drawn = figure.draw(theme, width)
            assert 'role="img"' in drawn
            assert min(float(size) for size in re.findall(r'font-size="([\d.]+)px"', drawn)) >= 11
            assert "P-0003" in drawn


def test_everyone_agrees_and_there_is_a_reason(tmp_path: Path) -> None:
    """P-29."""
    found = found_in(tmp_path / "b", bundles.tables(12, score=4))
    assert plain_json(found.data)["groups"][0]["reason"] == "not defined – ratings do not vary"
    assert (list(found.estimates), list(found.contrasts)) == ([], [])
    assert any("do not vary" in part.text for part in parts_of(found) if isinstance(part, Paragraph))


@pytest.mark.parametrize("experts", [0, 1, 2, 7])
def test_under_eight_raters_the_block_says_why(tmp_path: Path, experts: int) -> None:
    """P-30."""
    found = found_in(tmp_path / "b", bundles.tables(experts))
    group = plain_json(found.data)["groups"][0]
    assert ("at least 8" in group["reason"]) if experts else (group["reason"] == "no ratings of objects")
    assert not any(isinstance(part, Table) for part in parts_of(found))


def test_severity_of_a_blind_bundle_and_a_plain_file(tmp_path: Path) -> None:
    blind = found_in(tmp_path / "b", bundles.tables(9) | {"ratings": [], "rationales": []}, blind=True)
    assert parts_of(blind) == []
    generator = np.random.default_rng(1)
    lines = [f"r{rater},{name},{generator.integers(1, 6)}" for rater in range(12) for name in "abcdef"]
    plain = tmp_path / "ratings.csv"
    plain.write_text("participant,object,rating\n" + "\n".join(lines) + "\n")
    found = BLOCK.compute(context_of(read_input(str(plain))), Earlier())
    group = plain_json(found.data)["groups"][0]
    assert (group["raters"], group["reason"]) == (12, "")
    assert parts_of(found)


def test_groups_without_a_common_object_or_with_few_raters_are_not_compared(tmp_path: Path) -> None:
    made = crossover(10)
    for row in made["ratings"]:
        if row["visit"].endswith("2") and row["target"] != "Org":
            row["target"] += "__x"
    (entry,) = plain_json(found_in(tmp_path / "b", made).data)["between"]
    assert "no object in common" in entry["reason"]
    few = crossover(10)
    few["visits"] = [row for row in few["visits"] if row["period"] == 1 or row["participant"] < "P-0003"]
    kept = {row["id"] for row in few["visits"]}
    few["ratings"] = [row for row in few["ratings"] if row["visit"] in kept]
    (entry,) = plain_json(found_in(tmp_path / "c", few).data)["between"]
    assert "3 raters" in entry["reason"]


def test_an_org_beyond_all_bounds_is_not_estimable(tmp_path: Path) -> None:
    made = crossover(10)
    for row in made["ratings"]:
        row["final"] = row["first"] = min(row["final"], 4) if row["visit"].endswith("2") else 5
    found = found_in(tmp_path / "b", made)
    (entry,) = plain_json(found.data)["between"]
    assert "not estimable" in entry["reason"]
    assert not [row for row in found.contrasts if row.estimand == "org_effect_log_odds"]
    assert any("not estimable" in str(part) for part in parts_of(found)[-3:])
