"""The stopping rule: what a look says, what following it does to the interval, and whether a study followed it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import bundles
import numpy as np
import pytest

from analysis.blocks import Earlier
from analysis.blocks.stopping import compute, sections
from analysis.bundle import read_bundle, write_bundle
from analysis.clusters import mean_objects_ci, pooled_share_ci
from analysis.context import context_of
from analysis.document import Figure, Paragraph, Section, Table
from analysis.plain import read_plain
from analysis.plain_json import plain_json
from analysis.planning.assumptions import Assumptions, draw, severities
from analysis.planning.operating import operating_characteristics
from analysis.planning.spending import bounds
from analysis.planning.stopping import StoppingRule, look, rule_of
from analysis.proportions import wilson

DEFAULT = StoppingRule("precision", 20, 40, first_look=15, every=5, half_width=0.10)
PROMISED: dict[str, Any] = {
    "n_target": 20, "n_max": 40, "primary": "mean_over_objects", "level": 0.95,
    "stopping": {"rule": "precision", "first_look": 15, "every": 5, "half_width": 0.10},
}  # fmt: skip


def ratings(raters: int = 40, share: float = 0.65, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y, m = draw(rng, Assumptions(), severities(rng, 1, raters)[0], share)
    return y[0].astype(float), m[0].astype(float)


def test_the_planned_looks() -> None:
    assert DEFAULT.planned == (15, 20, 25, 30, 35, 40)
    assert replace(DEFAULT, most=38).planned == (15, 20, 25, 30, 35)
    assert StoppingRule("fixed", 10, 14).planned == ()
    assert StoppingRule("alpha_spending", 20, 40, looks=3, spending="pocock", against=0.5).planned == (7, 14, 20)


@pytest.mark.parametrize("estimand", ["mean_over_objects", "pooled_share", "org_approval"])
def test_a_look_is_the_width_of_the_reports_own_interval(estimand: Any) -> None:
    y, m = ratings()
    if estimand == "org_approval":
        y, m = y[:, :1], m[:, :1]
        low, high = wilson(y[:20].sum(), m[:20].sum())
    elif estimand == "pooled_share":
        found = pooled_share_ci(y[:20].sum(axis=1), m[:20].sum(axis=1))
        low, high = found.low, found.high
    else:
        found = mean_objects_ci(y[:20], m[:20])
        low, high = found.low, found.high
    assert low is not None
    assert high is not None
    half = (high - low) / 2
    rule = replace(DEFAULT, estimand=estimand)
    assert look(replace(rule, half_width=half + 1e-9), 20, y, m).verdict == "enough"
    assert look(replace(rule, half_width=half - 1e-9), 20, y, m).verdict == "not yet"
    assert look(rule, 20, y, m).half_width == pytest.approx(half)


def test_a_look_takes_the_first_raters_only() -> None:
    """Whoever locks later changes nothing about a look that was taken, so it can be found again."""
    y, m = ratings()
    changed = y.copy()
    changed[20:] = 0
    assert look(DEFAULT, 20, y, m) == look(DEFAULT, 20, changed, m)
    assert look(DEFAULT, 20, y, m) == look(DEFAULT, 20, y[:20], m[:20])
    with pytest.raises(ValueError, match="as many rows"):
        look(DEFAULT, 20, y[:19], m[:19])


def test_looks_where_nothing_can_be_estimated() -> None:
    """P-33: nobody could judge, or all agree; never a width of zero, never a NaN."""
    nothing = np.zeros((15, 8))
    assert look(DEFAULT, 15, nothing, nothing).verdict == "not yet"
    assert look(DEFAULT, 15, nothing, nothing).half_width is None
    ones = np.ones((15, 8))
    alike = look(DEFAULT, 15, ones, ones)
    assert alike.half_width == pytest.approx((1 - wilson(15, 15)[0]) / 2)
    empty = StoppingRule("alpha_spending", 15, 15, looks=2, spending="pocock", against=0.5)
    assert look(empty, 15, nothing, nothing).verdict == "not yet"


def test_snapshots_as_outer_clusters_make_a_look_wider() -> None:
    y, m = ratings()
    of_snapshot = np.arange(40) % 5
    assert look(DEFAULT, 20, y, m, of_snapshot).half_width != look(DEFAULT, 20, y, m).half_width
    summed_y = np.array([y[:20][of_snapshot[:20] == one].sum(axis=0) for one in range(5)])
    summed_m = np.array([m[:20][of_snapshot[:20] == one].sum(axis=0) for one in range(5)])
    found = mean_objects_ci(summed_y, summed_m)
    assert found.low is not None
    assert found.high is not None
    assert look(DEFAULT, 20, y, m, of_snapshot).half_width == pytest.approx((found.high - found.low) / 2)


def test_a_sequence_asks_for_more_raters_than_an_interval() -> None:
    y, m = ratings()
    sequence = replace(DEFAULT, kind="confidence_sequence", half_width=0.15)
    interval = replace(DEFAULT, half_width=0.15)
    assert look(sequence, 15, y, m).verdict == "not yet"
    assert look(interval, 15, y, m).verdict == "enough"
    assert look(sequence, 40, y, m).verdict == "enough"


def test_alpha_spending_stops_at_its_bound() -> None:
    rule = StoppingRule("alpha_spending", 30, 40, looks=3, spending="obrien_fleming", against=0.5)
    assert rule.critical == pytest.approx(dict(zip((10, 20, 30), bounds([1 / 3, 2 / 3, 1]).z, strict=True)))
    y, m = ratings(share=0.85)
    found = look(rule, 20, y, m)
    assert found.z is not None
    assert found.critical == pytest.approx(2.5114, abs=1e-4)
    assert found.verdict == ("enough" if abs(found.z) >= found.critical else "not yet") == "enough"
    near = look(replace(rule, against=0.83), 20, y, m)
    assert near.verdict == "not yet"


# M13's default rule covered .938 to .975 with 15 to 33 raters on average (3,000 studies a cell).
@pytest.mark.parametrize("sd", [0.0, 0.7, 1.2])
@pytest.mark.parametrize("share", [0.55, 0.65, 0.80])
def test_stopping_on_width_is_nearly_free(sd: float, share: float) -> None:
    assumed = Assumptions(severity_sd=sd, share=share)
    found = operating_characteristics(DEFAULT, assumed, np.random.default_rng(6), 600)
    error = 2 * (0.05 * 0.95 / 600) ** 0.5
    assert 0.938 - error <= found.coverage <= 0.975 + error
    assert 15 <= found.mean_n <= 34
    assert abs(found.bias) <= 0.007 + 0.008


def test_characteristics_are_of_a_rule_that_looks_at_widths() -> None:
    with pytest.raises(ValueError, match="rule precision"):
        operating_characteristics(StoppingRule("fixed", 10, 14), Assumptions(), np.random.default_rng(1), 100)
    narrow = replace(DEFAULT, half_width=0.01, most=20)
    found = operating_characteristics(narrow, Assumptions(), np.random.default_rng(1), 100)
    assert (found.reached, found.mean_n) == (0.0, 20.0)


@pytest.mark.parametrize(
    ("promised", "said"),
    [
        ({"n_target": 20, "n_max": 10, "stopping": {"rule": "fixed"}}, "n_target"),
        ({"n_target": 20, "n_max": 40, "stopping": {"rule": "precision"}}, "needs first_look"),
        ({"n_target": 20, "n_max": 40, "stopping": {"rule": "whenever"}}, "unknown rule"),
        ({"n_target": 20, "n_max": None, "stopping": {"rule": "fixed"}}, "can't be read"),
    ],
)
def test_half_a_promise_is_no_rule(promised: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rule_of(promised)


def test_no_promise_is_no_rule() -> None:
    assert rule_of({}) is None
    assert rule_of({"n_target": 3}) is None
    assert rule_of(PROMISED) == DEFAULT


# --- the block -------------------------------------------------------------------------------------------------------


def course(
    folder: Path,
    raters: int = 22,
    *,
    promised: dict[str, Any] | None = PROMISED,
    spread: bool = False,
    last_late: int = 0,
    made: bundles.Tables | None = None,
) -> dict[str, Any]:
    """What the block finds in a bundle of raters who agree (or not), an hour apart; the last ones begin days later."""
    made = made or bundles.tables(raters)
    for row in made["ratings"]:
        number = int(row["visit"].split("-")[1].split(".")[0])
        if row["kind"] == "object" and not spread:
            row["final"] = 4 if (number + len(row["target"])) % 10 else 2
    for number, row in enumerate(made["visits"]):
        row["locked_at"] = row["begun"] + timedelta(hours=1.5)
        if number >= len(made["visits"]) - last_late:
            row["begun"] += timedelta(days=9)
            row["locked_at"] += timedelta(days=9)
    protocol = "name: own\n" + (f"analysis: {json.dumps(promised)}\n" if promised else "")
    write_bundle(
        folder, made, protocol_yaml=protocol, orgs_json=[{"hash": bundles.ORG, "name": "demo"}], study=bundles.STUDY
    )
    context = context_of(read_bundle(folder))
    found: dict[str, Any] = plain_json(compute(context, Earlier()).data)
    return found


def shown(data: dict[str, Any]) -> list[Section]:
    made = list(sections({"stopping": data}))
    names = [part.name for one in made for part in one.parts if isinstance(part, (Table, Figure))]
    assert len(names) == len(set(names))
    for one in made:
        for part in one.parts:
            if isinstance(part, Table):
                assert all(len(row) == len(part.head) for row in part.rows)
                assert part.data is not None
            if isinstance(part, Figure):
                for width in (part.wide, part.narrow or 320):
                    assert 'role="img"' in part.draw("dark", width)
    return made


def words(data: dict[str, Any]) -> str:
    return " ".join(part.text for one in shown(data) for part in one.parts if isinstance(part, Paragraph))


def test_a_rule_that_was_followed(tmp_path: Path) -> None:
    data = course(tmp_path / "b", 15)
    (arm,) = data["arms"]
    assert (arm["analysed"], arm["stop_at"], arm["late"], arm["state"]) == (15, 15, 0, "followed")
    assert [one["verdict"] for one in arm["looks"]] == ["enough"]
    assert "The rule was followed" in words(data)


def test_whoever_had_begun_counts_and_whoever_began_later_is_told(tmp_path: Path) -> None:
    """Raters begin an hour apart and lock after one and a half: one has begun when the fifteenth locks."""
    data = course(tmp_path / "b", 16)
    (arm,) = data["arms"]
    assert (arm["stop_at"], arm["late"], arm["began_later"], arm["state"]) == (15, 1, 0, "followed")
    late = course(tmp_path / "c", 18, last_late=2)["arms"][0]
    assert (late["stop_at"], late["late"], late["began_later"], late["state"]) == (15, 3, 2, "went on")
    assert "2 people began after that" in late["sentence"]


def test_a_study_that_ended_before_its_rule_said_so(tmp_path: Path) -> None:
    data = course(tmp_path / "b", 22, spread=True)
    (arm,) = data["arms"]
    assert ([one["n"] for one in arm["looks"]], arm["state"]) == ([15, 20], "ended early")
    assert "had not said enough" in words(data)
    before = course(tmp_path / "c", 9)["arms"][0]
    assert (before["looks"], before["state"]) == ([], "before the first look")


def test_the_maximum_stops_without_a_look_that_says_enough(tmp_path: Path) -> None:
    small = {**PROMISED, "n_target": 6, "n_max": 8, "stopping": {**PROMISED["stopping"], "first_look": 5, "every": 2}}
    (arm,) = course(tmp_path / "b", 8, spread=True, promised=small)["arms"]
    assert (arm["stop_at"], arm["state"]) == (8, "followed")
    assert "maximum" in arm["sentence"]


@pytest.mark.parametrize(("raters", "state"), [(10, "followed"), (7, "short of the number"), (13, "went on")])
def test_a_fixed_number(tmp_path: Path, raters: int, state: str) -> None:
    fixed = {**PROMISED, "n_target": 10, "n_max": 14, "stopping": {"rule": "fixed"}}
    data = course(tmp_path / "b", raters, promised=fixed, last_late=2 if raters == 13 else 0)
    (arm,) = data["arms"]
    assert (arm["state"], arm["looks"]) == (state, [])
    assert "no looks" in words(data)


@pytest.mark.parametrize(
    "rule",
    [
        {"rule": "confidence_sequence", "first_look": 10, "every": 5, "half_width": 0.3},
        {"rule": "alpha_spending", "looks": 2, "spending": "pocock", "against": 0.5},
    ],
)
def test_the_other_rules(tmp_path: Path, rule: dict[str, Any]) -> None:
    data = course(tmp_path / "b", 22, promised={**PROMISED, "stopping": rule})
    assert data["arms"][0]["looks"]
    assert data["arms"][0]["state"] in ("followed", "went on")
    words(data)


def test_a_crossover_asks_the_org_and_not_its_control(tmp_path: Path) -> None:
    """Both conditions are shown; the control's width holds nobody up."""
    control = "1" * 64
    made = bundles.tables(15)
    second = bundles.tables(15, score=None, orgs=(control,))
    for row in second["visits"]:
        row |= {"id": row["id"].replace(".1", ".2"), "period": 2, "condition": "shuffled"}
    for row in made["visits"]:
        row["condition"] = "org"
    for number, row in enumerate(second["ratings"]):
        row["visit"] = row["visit"].replace(".1", ".2")
        row["final"] = 1 + 4 * (number % 2) if row["kind"] == "object" else row["final"]
    for row in made["ratings"]:
        row["final"] = 4
    made["visits"] += second["visits"]
    made["ratings"] += second["ratings"]
    made["objects"] += second["objects"]
    for row in made["visits"]:
        row["locked_at"] = row["begun"] + timedelta(hours=row["period"])
    orgs = [{"hash": bundles.ORG, "name": "demo"}, {"hash": control, "parent": bundles.ORG, "recipe": "shuffled"}]
    write_bundle(
        tmp_path / "b", made, protocol_yaml=f"analysis: {json.dumps(PROMISED)}\n", orgs_json=orgs, study=bundles.STUDY
    )
    data = plain_json(compute(context_of(read_bundle(tmp_path / "b")), Earlier()).data)
    (arm,) = data["arms"]
    assert [group["group"] for group in data["groups"]] == ["main, org", "main, shuffled"]
    assert [group["control"] for group in data["groups"]] == [False, True]
    widths = {group["group"]: group["half_width"] for group in arm["looks"][0]["groups"]}
    assert widths["main, org"] < 0.13 < widths["main, shuffled"]
    assert "Arm" not in words(data)


@pytest.mark.parametrize("raters", [0, 1, 2, 4, 5])
def test_few_raters_give_counts_and_no_line(tmp_path: Path, raters: int) -> None:
    """P-30: under five raters no percentage, and every section can still be made."""
    data = course(tmp_path / "b", raters)
    paths = [group["path"] for group in data["groups"] if group["path"]]
    assert bool(paths) == (raters >= 5)
    assert "Promised" in words(data)


def test_all_alike_has_a_band(tmp_path: Path) -> None:
    """P-33: everybody gives 5; the interval takes the raters as n and the sequence ends at 1."""
    data = course(tmp_path / "b", spread=True, made=bundles.tables(12, score=5))
    (group,) = data["groups"]
    assert (group["estimate"], group["high"], group["path"][-1]["high"]) == (1.0, 1.0, 1.0)
    assert 0 < group["path"][-1]["low"] < group["low"] < 1
    words(data)


def test_a_blind_bundle_and_a_protocol_without_a_promise(tmp_path: Path) -> None:
    made = bundles.tables(8)
    for name in ("ratings", "rationales"):
        made[name] = []
    blind = course(tmp_path / "b", made=made)
    assert (blind["arms"], blind["groups"]) == ([], [])
    assert "no ratings" in words(blind)
    nothing = course(tmp_path / "c", 8, promised=None)
    assert nothing["promised"] is None
    assert "promises no stopping rule" in words(nothing)
    half = course(tmp_path / "d", 8, promised={**PROMISED, "stopping": {"rule": "precision"}})
    assert "can't be read" in words(half)


def test_a_plain_file_promises_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    rows = "".join(f"p{n},Account,{1 + n % 5}\np{n},Case,4\n" for n in range(8))
    path.write_text("participant,object,rating\n" + rows)
    data = plain_json(compute(context_of(read_plain(path)), Earlier()).data)
    assert data["promised"] is None
    assert (data["arms"], data["groups"]) == ([], [])
    assert "plain file promises nothing" in words(data)


def test_results_from_before_the_block_have_no_section() -> None:
    assert sections({}) == ()
