"""The block `approval`: what stands beside the headline, on every input, and what a report shows of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bundles
import pytest

from analysis.blocks import Earlier
from analysis.blocks.approval import BLOCK
from analysis.bundle import read_bundle
from analysis.context import Options, context_of
from analysis.document import Figure, Heading, Paragraph, Section, Table
from analysis.estimates import Estimate, group_estimates
from analysis.plain import read_plain
from analysis.plain_json import plain_json
from analysis.proportions import clopper_pearson, jeffreys, wilson

SECTIONS = ["intervals", "objects-together", "cannot-judge", "informed", "snapshots"]


def looked_at(folder: Path, made: bundles.Tables, **study: Any) -> tuple[list[dict[str, Any]], list[Estimate]]:
    """The block's entries as results.json has them, and the rows they stand beside."""
    bundles.write(folder, made, **study)
    context = context_of(read_bundle(folder), Options(replicates=400))
    rows = [row for group in context.groups for row in group_estimates(group)]
    found = BLOCK.compute(context, Earlier(estimates=list(rows)))
    assert not found.estimates, "the intervals of record are the estimates'; nothing is added to their list"
    entries: list[dict[str, Any]] = json.loads(json.dumps(plain_json(found.data), allow_nan=False))
    return entries, rows


def shown(entries: Sequence[Mapping[str, Any]]) -> list[Section]:
    sections = list(BLOCK.sections({"approval": entries}))
    tables = [part for section in sections for part in section.parts if isinstance(part, Table)]
    assert len({table.name for table in tables}) == len(tables)
    for table in tables:
        assert table.data is not None
        assert {len(row) for row in table.rows} <= {len(table.head)}
        assert {len(row) for row in table.data} == {len(table.data[0])}
    return sections


def words(sections: Sequence[Section]) -> str:
    parts = [part for section in sections for part in section.parts]
    text = [part.text for part in parts if isinstance(part, Paragraph)]
    cells = [str(cell) for part in parts if isinstance(part, Table) for row in part.rows for cell in row]
    return " ".join([*text, *cells, *(part.note for part in parts if isinstance(part, Table))])


def orgs(number: int) -> tuple[str, ...]:
    return tuple(f"{place:064x}" for place in range(number))


def test_every_interval_stands_beside_the_one_of_record(tmp_path: Path) -> None:
    entries, rows = looked_at(tmp_path / "b", bundles.tables(12))
    org, mean, pooled = entries[0]["headlines"]
    record = {row.estimand: row for row in rows if row.target in ("Org", "objects")}
    for head in (org, mean, pooled):
        row = record[head["estimand"]]
        assert (head["low"], head["high"]) == pytest.approx((row.low, row.high), abs=1e-8)
    assert [one["estimator"] for one in org["others"]] == ["Jeffreys", "Clopper-Pearson"]
    limits = [(one["low"], one["high"]) for one in org["others"]]
    assert limits[0] == pytest.approx(jeffreys(org["k"], 12), abs=1e-8)
    assert limits[1] == pytest.approx(clopper_pearson(org["k"], 12), abs=1e-8)
    for head in (mean, pooled):
        assert [one["estimator"] for one in head["others"]] == [
            "logit-t", "Clopper-Pearson on the effective n", "cluster bootstrap, t-expanded percentile",
        ]  # fmt: skip
        assert all(one["low"] < head["estimate"] < one["high"] for one in head["others"])


def test_the_same_options_give_the_same_numbers_and_another_seed_does_not(tmp_path: Path) -> None:
    bundles.write(tmp_path / "b", bundles.tables(12))
    found = []
    for seed in (1, 1, 2):
        context = context_of(read_bundle(tmp_path / "b"), Options(seed=seed, replicates=400))
        rows = [row for group in context.groups for row in group_estimates(group)]
        found.append(json.dumps(plain_json(BLOCK.compute(context, Earlier(estimates=rows)).data)))
    assert found[0] == found[1]
    assert found[0].replace('"seed": 1', '"seed": 2') != found[2]


def test_each_object_alone_at_once_and_pooled(tmp_path: Path) -> None:
    made = bundles.tables(12)
    entry = looked_at(tmp_path / "b", made)[0][0]
    assert {row["target"] for row in entry["objects"]} == set(bundles.OBJECTS)
    for row in entry["objects"]:
        assert (row["low"], row["high"]) == pytest.approx(wilson(row["k"], row["n"]), abs=1e-8)
        assert row["band"]["low"] < row["low"]
        assert row["band"]["high"] > row["high"]
        assert row["band"]["low"] <= row["joint_band"]["low"]
        assert row["pooled"] is None
    assert "needs 5" in entry["pooling"]["note"]
    assert entry["bands"]["bonferroni"]["family"] == 3


def six_objects(experts: int) -> bundles.Tables:
    """Everybody approves three objects; of three more some approve, each by others."""
    made = bundles.tables(experts, score=4)
    for place, name in enumerate(("Lead", "Quote", "Contact")):
        copies = [row for row in made["ratings"] if row["target"] == "Case"]
        made["ratings"] += [
            {**row, "target": name, "final": 4 if number < 3 + 3 * place else 2} for number, row in enumerate(copies)
        ]
    return made


def test_six_objects_are_pooled_towards_their_mean(tmp_path: Path) -> None:
    entry = looked_at(tmp_path / "b", six_objects(10))[0][0]
    centre = entry["pooling"]["mean"]
    for row in entry["objects"]:
        assert row["pooled"] is not None
        assert abs(row["pooled"]["estimate"] - centre) < abs(row["estimate"] - centre)
    text = words(shown([entry]))
    assert re.search(r"Partial pooling: objects centre on \d+%", text)
    assert "Objects differ in approval by more than chance" in text


def test_nothing_is_pooled_from_four_raters(tmp_path: Path) -> None:
    """P-30: enough objects, too few raters: no mean of theirs in results.json either."""
    entry = looked_at(tmp_path / "b", six_objects(4))[0][0]
    assert (entry["pooling"]["mean"], entry["pooling"]["note"]) == (None, "under five raters: counts alone")
    assert {row["pooled"] is None for row in entry["objects"]} == {True}


def test_can_t_judge_stands_with_both_bounds_in_one_row(tmp_path: Path) -> None:
    """3 of 10 can't judge Case, the others approve: 70 to 100 % whatever they would have said."""
    made = bundles.tables(10, score=4)
    for row in [row for row in made["ratings"] if row["target"] == "Case"][:3]:
        row |= {"final": None, "final_blank": "cannot_judge"}
    entry = looked_at(tmp_path / "b", made)[0][0]
    row = next(row for row in entry["cannot_judge"] if row["target"] == "Case")
    assert (row["share"]["k"], row["share"]["n"]) == (3, 10)
    assert (row["worst"]["estimate"], row["approval"]["estimate"], row["best"]["estimate"]) == (0.7, 1.0, 1.0)
    table = next(p for s in shown([entry]) for p in s.parts if isinstance(p, Table) and p.name == "cannot-judge-main")
    cells = next(cells for cells in table.rows if cells[0] == "Case label")
    assert cells[1:3] == ["3 of 10", "30% (11 to 60)"]
    assert [cell[:4] for cell in map(str, cells[3:])] == ["100%", "70% ", "100%"]


def test_informed_approval_stands_beside_approval(tmp_path: Path) -> None:
    made = bundles.tables(10, score=4)
    for row in made["ratings"][:8]:
        row |= {"opened_work": 0, "opened_look": 0}
    entry = looked_at(tmp_path / "b", made)[0][0]
    assert [(row["all"]["n"], row["informed"]["n"]) for row in entry["informed"]] == [(10, 8), (30, 24), (30, 24)]
    assert "informed" in [section.name for section in shown([entry])]


def test_without_opened_records_there_is_no_informed_approval(tmp_path: Path) -> None:
    made = bundles.tables(10)
    for row in made["ratings"]:
        row |= {"opened_work": None, "opened_look": None}
    entry = looked_at(tmp_path / "b", made)[0][0]
    assert entry["informed"] == []
    assert "informed" not in [section.name for section in shown([entry])]


@pytest.mark.parametrize("experts", [0, 1, 2, 4])
def test_too_few_raters_give_counts_and_no_percentage(tmp_path: Path, experts: int) -> None:
    """P-30: no page breaks, and no percentage stands anywhere under five raters."""
    entries, _ = looked_at(tmp_path / "b", bundles.tables(experts))
    sections = shown(entries)
    assert not re.search(r"\d%", words(sections).replace("95%", ""))
    assert (sections == []) == (experts == 0)
    for entry in entries:
        assert all(not head["others"] for head in entry["headlines"])
        assert all(row["band"] is None and row["pooled"] is None for row in entry["objects"])


@pytest.mark.parametrize("score", [1, 4])
def test_all_alike_has_intervals_with_a_width_and_reasons_for_the_rest(tmp_path: Path, score: int) -> None:
    """P-33: 12 people who all say the same: never 100 to 100, never NaN, and why the logit has no interval."""
    entry = looked_at(tmp_path / "b", bundles.tables(12, score=score))[0][0]
    for head in entry["headlines"]:
        for one in head["others"]:
            assert one["low"] is None or one["high"] - one["low"] > 0.15
            assert one["low"] is not None or "not defined" in one["note"]
    assert entry["heterogeneity"]["p"] is None
    assert (entry["mean_score"]["estimate"], entry["mean_score"]["low"]) == (score, None)
    assert "interval not estimable" in words(shown([entry]))


def test_a_blind_bundle_and_one_that_nobody_could_judge_show_no_numbers(tmp_path: Path) -> None:
    made = bundles.tables(10)
    made["ratings"], made["rationales"] = [], []
    entries, _ = looked_at(tmp_path / "a", made, blind=True)
    assert shown(entries) == []
    made = bundles.tables(10)
    for row in made["ratings"]:
        row |= {"final": None, "final_blank": "cannot_judge"}
    entries, _ = looked_at(tmp_path / "b", made)
    assert "cannot-judge" in [section.name for section in shown(entries)]
    assert "Nobody gave a score" in words(shown(entries))


def test_only_the_org_or_only_one_object(tmp_path: Path) -> None:
    for name, kept in (("org", ("Org",)), ("one", ("Org", "Case")), ("no_org", bundles.OBJECTS)):
        made = bundles.tables(10)
        made["ratings"] = [row for row in made["ratings"] if row["target"] in kept]
        entries, _ = looked_at(tmp_path / name, made)
        assert shown(entries)


def test_an_object_nobody_could_judge_is_in_no_family_and_loses_no_draw(tmp_path: Path) -> None:
    made = bundles.tables(10)
    for row in made["ratings"]:
        if row["target"] == "Case":
            row |= {"final": None, "final_blank": "cannot_judge"}
    entry = looked_at(tmp_path / "b", made)[0][0]
    assert entry["bands"]["bonferroni"]["family"] == 2
    assert entry["draws_without_an_object"] == 0
    assert entry["objects"][-1]["band"] is None


@pytest.mark.parametrize(("number", "scope"), [(2, "these 2 Orgs, no claim"), (4, "these 4 Orgs, no claim")])
def test_two_to_four_snapshots_show_their_spread_and_claim_nothing_beyond(
    tmp_path: Path, number: int, scope: str
) -> None:
    """M4: a row each, no SD, raters as clusters."""
    entry = looked_at(tmp_path / "b", bundles.tables(20, orgs=orgs(number)))[0][0]
    assert (len(entry["snapshots"]["rows"]), entry["snapshots"]["approval"], entry["unit"]) == (number, None, "rater")
    text = words(shown([entry]))
    assert scope in text
    assert "theirs alone" in text
    assert "SD between" not in text


def test_five_snapshots_are_the_outer_cluster_of_every_row_mean_scores_too(tmp_path: Path) -> None:
    """M4: raters of one snapshot share its faults, whatever is estimated from them."""
    entries, rows = looked_at(tmp_path / "b", bundles.tables(20, orgs=orgs(5)))
    entry = entries[0]
    assert (entry["unit"], entry["clusters"], entry["raters"]) == ("snapshot", 5, 20)
    for row in rows:
        if row.estimate is not None and row.raters > 5:
            assert "snapshots" in row.estimator, row.id
    assert entry["headlines"][0]["others"][0]["estimator"] == "logit-t"
    for row in entry["objects"]:
        assert row["low"] - row["band"]["low"] > 0.01, "the band is by snapshot, as the interval is"
        assert row["band"]["high"] - row["high"] > 0.01
    spread = entry["snapshots"]["approval"]
    assert (spread["snapshots"], spread["raters"], spread["raters_each"]) == (5, 20, 4.0)
    assert spread["low"] <= spread["sd"] <= spread["high"]
    text = words(shown(entries))
    assert "SD between snapshots" in text
    assert "Orgs made by this generator with these settings (5 snapshots)" in text


def test_five_snapshots_of_one_rater_each_leave_the_rater_as_the_cluster(tmp_path: Path) -> None:
    entries, rows = looked_at(tmp_path / "b", bundles.tables(6, orgs=orgs(6)))
    assert entries[0]["unit"] == "rater"
    assert {row.estimator for row in rows if row.estimand == "org_approval"} == {"Wilson"}
    assert "can't be told apart" in words(shown(entries))


def test_a_snapshot_that_nobody_could_judge_adds_nothing_to_the_claim(tmp_path: Path) -> None:
    """M4: five Orgs given out, one with blanks alone: a claim about four."""
    made = bundles.tables(20, orgs=orgs(5))
    lost = {visit["id"] for visit in made["visits"] if visit["org_hash"] == orgs(5)[4]}
    for row in made["ratings"]:
        if row["visit"] in lost:
            row |= {"final": None, "final_blank": "cannot_judge"}
    entry = looked_at(tmp_path / "b", made)[0][0]
    assert entry["scope"].startswith("these 4 Orgs")
    assert entry["unit"] == "rater"


def test_snapshots_that_differ_are_told_from_raters_who_do(tmp_path: Path) -> None:
    """Everybody in two of five Orgs disapproves, everybody elsewhere approves: SD between, none within."""
    made = bundles.tables(20, score=4, orgs=orgs(5))
    bad = {visit["id"] for visit in made["visits"] if visit["org_hash"] in orgs(2)}
    for row in made["ratings"]:
        if row["visit"] in bad:
            row["final"] = 2
    spread = looked_at(tmp_path / "b", made)[0][0]["snapshots"]["approval"]
    assert spread["sd"] == pytest.approx(100 * 0.3**0.5)  # five means 0, 0, 100, 100, 100
    assert spread["within"] == 0


def test_each_arm_has_its_part_and_its_own_tables(tmp_path: Path) -> None:
    made = bundles.tables(24)
    for visit in made["visits"][12:]:
        visit["arm"] = "Main!"
    sections = shown(looked_at(tmp_path / "b", made)[0])
    headings = [part.text for part in sections[0].parts if isinstance(part, Heading)]
    assert headings == ["Arm Main!", "Arm main"]
    assert [section.name for section in sections] == SECTIONS[:4]


@pytest.mark.parametrize("width", [872, 320])
def test_the_figure_says_what_the_table_says(tmp_path: Path, width: int) -> None:
    entries, _ = looked_at(tmp_path / "b", bundles.tables(12))
    figure = next(part for section in shown(entries) for part in section.parts if isinstance(part, Figure))
    for theme in ("light", "dark"):
        drawn = figure.draw(theme, width)
        assert 'role="img"' in drawn
        assert "Account label 42%" in drawn
        assert drawn == figure.draw(theme, width)


def test_a_plain_file_has_the_same_parts(tmp_path: Path) -> None:
    lines = ["participant,object,rating"]
    lines += [f"r{rater},{name},{(rater * 7 + place * 3) % 5 + 1}" for rater in range(9)
              for place, name in enumerate(("Org", "Account", "Case"))]  # fmt: skip
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    context = context_of(read_plain(tmp_path / "ratings.csv"), Options(replicates=100))
    rows = [row for group in context.groups for row in group_estimates(group)]
    entries = plain_json(BLOCK.compute(context, Earlier(estimates=rows)).data)
    assert [section.name for section in shown(entries)] == ["intervals", "objects-together", "cannot-judge"]
