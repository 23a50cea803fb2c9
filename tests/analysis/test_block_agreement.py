"""The block agreement: what results.json and the report say, whatever the data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bundles
import pytest

from analysis.blocks import Earlier
from analysis.blocks.agreement import BLOCK
from analysis.bundle import read_bundle
from analysis.context import context_of
from analysis.document import Paragraph, Table
from analysis.plain_json import plain_json
from analysis.report import read_input

OTHER = "1" * 64
WORDS = ("experts agree", "substantial", "moderate", "almost perfect", "excellent", "poor", "fair ")


def found_in(folder: Path, made: bundles.Tables, **study: Any) -> dict[str, Any]:
    bundles.write(folder, made, **study)
    context = context_of(read_bundle(folder))
    found: dict[str, Any] = plain_json(BLOCK.compute(context, Earlier()).data)
    return found


def second_visits(made: bundles.Tables, org: str = bundles.ORG) -> bundles.Tables:
    """Everybody comes again; of every second rating the answer moves by one point."""
    for visit in list(made["visits"]):
        again = visit | {"id": visit["id"] + "b", "period": 2, "org_hash": org, "condition": "again"}
        visit["condition"] = "first"
        made["visits"].append(again)
        for place, row in enumerate([one for one in made["ratings"] if one["visit"] == visit["id"]]):
            moved = min(5, row["final"] + place % 2)
            made["ratings"].append(row | {"visit": again["id"], "final": moved, "first": moved})
    return made


def test_every_coefficient_has_its_interval_units_and_raters(tmp_path: Path) -> None:
    group = found_in(tmp_path / "b", bundles.tables(9))["groups"][0]
    assert (group["raters"], group["objects"], group["ratings"]) == (9, 3, 27)
    names = [row["coefficient"] for row in group["coefficients"]]
    assert names[:3] == ["Krippendorff's alpha, ordinal", "Gwet's AC2, ordinal weights", "Gwet's AC1, approval"]
    for row in group["coefficients"]:
        assert row["low"] < row["value"] < row["high"]
        assert (row["units"], row["raters"], row["level"]) == (3, 9, 0.95)
    assert [row["form"] for row in group["reliability"]][4] == "ICC(2,k)"


def test_rows_stand_among_the_estimates(tmp_path: Path) -> None:
    bundles.write(tmp_path / "b", bundles.tables(9))
    rows = BLOCK.compute(context_of(read_bundle(tmp_path / "b")), Earlier()).estimates
    assert [row.id for row in rows] == [
        "main.krippendorff_alpha_ordinal", "main.gwet_ac2_ordinal", "main.gwet_ac1_on_approval", "main.icc_2_k",
    ]  # fmt: skip
    assert all(row.estimate is not None and row.low is not None and row.raters == 9 for row in rows[:3])
    assert rows[3].estimate is None
    assert "objects differ less than raters disagree" in rows[3].note


def test_everyone_agrees_in_the_block(tmp_path: Path) -> None:
    """P-29: alpha is not defined and 100 % stands beside it; nothing has an interval of no width."""
    group = found_in(tmp_path / "b", bundles.tables(12, score=4))["groups"][0]
    for row in group["coefficients"]:
        assert row["percent"] == 1.0
        assert row["low"] is None
        if "alpha" in row["coefficient"] or "Fleiss" in row["coefficient"]:
            assert (row["value"], row["reason"]) == (None, "not defined – ratings do not vary")
        else:
            assert row["value"] == 1.0
            assert "interval not estimable" in row["note"]
    said = [part.text for part in sections_of({"groups": [group], "retest": []}) if isinstance(part, Paragraph)]
    assert any("ratings do not vary" in text for text in said)


@pytest.mark.parametrize("experts", [0, 1, 2, 4])
def test_under_five_raters_there_are_counts_only(tmp_path: Path, experts: int) -> None:
    """P-30."""
    found = found_in(tmp_path / "b", bundles.tables(experts))
    group = found["groups"][0]
    assert (group["few"], group["coefficients"], group["raters"]) == (True, [], experts)
    parts = sections_of(found)
    assert not any(isinstance(part, Table) for part in parts)
    if experts:
        assert any("too few for agreement" in part.text for part in parts if isinstance(part, Paragraph))


def test_a_blind_bundle_and_a_plain_file(tmp_path: Path) -> None:
    made = bundles.tables(9) | {"ratings": [], "rationales": []}
    blind = found_in(tmp_path / "b", made, blind=True)
    assert sections_of(blind) == []
    lines = [f"r{rater},{name},{(rater + place) % 5 + 1}" for rater in range(6) for place, name in enumerate("abcd")]
    plain = tmp_path / "ratings.csv"
    plain.write_text("participant,object,rating\n" + "\n".join(lines) + "\n")
    found = plain_json(BLOCK.compute(context_of(read_input(str(plain))), Earlier()).data)
    assert found["groups"][0]["raters"] == 6


def test_the_same_org_twice_is_people_against_themselves(tmp_path: Path) -> None:
    found = found_in(tmp_path / "b", second_visits(bundles.tables(9)))
    (row,) = found["retest"]
    assert (row["n"], row["raters"], row["within_one"]) == (36, 9, 1.0)
    assert 0.5 < row["value"] < 1
    assert row["low"] < row["value"]
    assert row["equal"] == round(row["percent"] * 36)
    table = next(part for part in sections_of(found) if isinstance(part, Table) and part.name == "retest")
    assert len(table.rows) == 1


def test_another_org_is_no_retest(tmp_path: Path) -> None:
    assert found_in(tmp_path / "b", second_visits(bundles.tables(9), OTHER))["retest"] == []
    few = found_in(tmp_path / "c", second_visits(bundles.tables(3)))["retest"][0]
    assert (few["value"], few["percent"], few["n"]) == (None, None, 12)
    assert "too few" in few["reason"]


def test_people_who_rated_different_orgs_form_no_pairs(tmp_path: Path) -> None:
    """The Account of one Org is not the Account of another."""
    group = found_in(tmp_path / "b", bundles.tables(10, orgs=(bundles.ORG, OTHER)))["groups"][0]
    assert (group["objects"], group["snapshots"]) == (6, 2)
    alone = found_in(tmp_path / "c", bundles.tables(6, orgs=tuple(str(n) * 64 for n in range(6))))["groups"][0]
    assert {row["reason"] for row in alone["coefficients"]} == {"not defined – no object has two ratings"}


def test_the_report_gives_no_adjective_and_gates_nothing(tmp_path: Path) -> None:
    found = found_in(tmp_path / "b", second_visits(bundles.tables(9)))
    text = json.dumps([str(part) for part in sections_of(found)]).lower()
    for word in WORDS:
        assert word not in text
    assert "nothing here depends on it" in text


def sections_of(found: dict[str, Any]) -> list[Any]:
    return [part for section in BLOCK.sections({"agreement": found}) for part in section.parts]
