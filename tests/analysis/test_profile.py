"""The realism profile: seven points, what other blocks found and nothing else, never averaged."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import bundles
import pytest

from analysis.blocks import Earlier
from analysis.blocks.profile import POINTS, compute, sections
from analysis.bundle import Bundle, read_bundle
from analysis.context import Options, context_of
from analysis.contrasts import Contrast
from analysis.estimates import Estimate
from analysis.figures_profile import interval_of, profile_svg, value_of
from analysis.results import results

CONTROL = "1" * 64


def estimate(estimand: str, target: str, value: float | None, arm: str = "main", note: str = "") -> Estimate:
    low, high = (None, None) if value is None else (value - 0.1, value + 0.1)
    return Estimate(f"{arm}.{estimand}", estimand, "t", "this Org", arm, target, value, low, high, 0.95, None, 9, 9,
                    None, 0, None, note)  # fmt: skip


def contrast(name: str, estimand: str, value: float, a: str = "main", b: str = "control") -> Contrast:
    return Contrast(
        name, estimand, "within rater", a, b, "this Org", "t", value, value - 0.1, value + 0.1, 0.95, 9, 9, 9
    )


def bundle_with_control(folder: Path) -> Bundle:
    """Six people of arm main, and six of arm control, who rated a control Org."""
    made = bundles.tables(12, orgs=(bundles.ORG, CONTROL))
    for visit in made["visits"]:
        visit["arm"] = "control" if visit["org_hash"] == CONTROL else "main"
    bundles.write(folder / "b", made)
    orgs = [{"hash": bundles.ORG}, {"hash": CONTROL, "parent": bundles.ORG, "recipe": "shuffled"}]
    return replace(read_bundle(folder / "b"), orgs=orgs)


def rows_of(bundle: Bundle, *, estimates: list[Estimate] = (), contrasts: list[Contrast] = ()) -> dict[str, Any]:  # type: ignore[assignment]
    earlier = Earlier(estimates=list(estimates), contrasts=list(contrasts))
    data = compute(context_of(bundle, Options(replicates=100)), earlier).data
    return {row["arm"]: row | {"points": {point["key"]: point for point in row["points"]}} for row in data["rows"]}


def test_there_are_seven_points_and_no_mean_of_them(tmp_path: Path) -> None:
    bundles.write(tmp_path / "b", bundles.tables(6))
    found = results(read_bundle(tmp_path / "b"), Options(replicates=100))
    (row,) = found["profile"]["rows"]
    assert [point["key"] for point in row["points"]] == [point.key for point in POINTS]
    assert len(POINTS) == 7
    assert set(row) == {"arm", "control", "scope", "raters", "points"}


def test_every_number_is_the_number_of_its_own_block(tmp_path: Path) -> None:
    bundles.write(tmp_path / "b", bundles.tables(6))
    found = results(read_bundle(tmp_path / "b"), Options(replicates=100))
    (mark,) = found["profile"]["rows"][0]["points"][0]["marks"]
    (own,) = (row for row in found["estimates"] if row["id"] == "main.mean_over_objects")
    assert {name: mark[name] for name in ("estimate", "low", "high", "n", "raters")} == {
        name: own[name] for name in ("estimate", "low", "high", "n", "raters")
    }


def test_each_org_has_a_row_and_a_control_is_marked(tmp_path: Path) -> None:
    given = bundle_with_control(tmp_path)
    estimates = [estimate("gap", "objects", 0.4), estimate("gap", "Case", 0.9), estimate("coverage", "episodes", 0.6),
                 estimate("task_coverage", "episodes", 0.5), estimate("task_realism", "tasks", 0.7),
                 estimate("task_realism", "service", 0.1),
                 estimate("coverage", "episodes", 0.3, "control")]  # fmt: skip
    loss = "elicitation_loss"
    contrasts = [contrast("main.sensitivity.arms", "sensitivity", 0.2), contrast(f"main.{loss}.policy", loss, 0.1),
                 contrast(f"main.{loss}.diagnosis", loss, 0.3)]  # fmt: skip
    rows = rows_of(given, estimates=estimates, contrasts=contrasts)
    assert {arm: row["control"] for arm, row in rows.items()} == {"main": "", "control": "shuffled"}
    own = rows["main"]["points"]
    assert [(key, [(mark["label"], mark["estimate"]) for mark in point["marks"]]) for key, point in own.items()] == [
        ("fidelity", []), ("sensitivity", [("arms", 0.2)]), ("gap", [("gap", 0.4)]),
        ("coverage", [("coverage", 0.6), ("task coverage", 0.5)]), ("task_realism", [("task realism", 0.7)]),
        ("elicitation_loss", [("policy", 0.1), ("diagnosis", 0.3)]), ("agent_gap", []),
    ]  # fmt: skip
    other = rows["control"]["points"]
    assert other["sensitivity"] == {"key": "sensitivity", "marks": [], "note": "this is the control"}
    assert [mark["estimate"] for mark in other["coverage"]["marks"]] == [0.3]


def test_what_was_not_measured_says_so_and_is_no_zero(tmp_path: Path) -> None:
    bundles.write(tmp_path / "b", bundles.tables(6))
    given = read_bundle(tmp_path / "b")
    points = rows_of(given, estimates=[estimate("gap", "objects", None, note="3 people: too few")])["main"]["points"]
    assert {key: point["note"] for key, point in points.items()} == {
        "fidelity": "no ratings", "sensitivity": "no control Org, no dossiers", "gap": "3 people: too few",
        "coverage": "not asked", "task_realism": "not asked", "elicitation_loss": "nothing was withheld",
        "agent_gap": "no agents' results in this bundle",
    }  # fmt: skip
    assert not any(point["marks"] for point in points.values())


@pytest.mark.parametrize("experts", [0, 1, 2, 6])
def test_a_profile_without_a_number_is_no_section(tmp_path: Path, experts: int) -> None:
    """P-30."""
    bundles.write(tmp_path / "b", bundles.tables(experts))
    found = results(read_bundle(tmp_path / "b"), Options(replicates=100))
    assert bool(sections(found)) == (experts == 6)
    assert sections({}) == ()


@pytest.mark.parametrize(
    ("unit", "value", "said"),
    [("share", (0.666, 0.5, 0.8), "67% 50 to 80"), ("points", (-0.031, -0.2, 0.14), "−3 −20 to +14"),
     ("scale", (0.44, -0.02, 1.0), "+0.4 0 to +1.0")],
)  # fmt: skip
def test_each_point_speaks_in_its_own_unit(unit: str, value: tuple[float, float, float], said: str) -> None:
    mark = dict(zip(("estimate", "low", "high"), value, strict=True))
    assert f"{value_of(mark, unit)} {interval_of(mark, unit)}".replace("0.0 to", "0 to") == said


def profile(*, wide: bool = False) -> dict[str, Any]:
    mark = {
        "label": "visits",
        "estimate": 0.2,
        "low": -0.7 if wide else 0.1,
        "high": 0.3,
        "n": 9,
        "raters": 9,
        "note": "",
    }
    points = [{"key": point.key, "marks": [mark], "note": ""} for point in POINTS[:-1]]
    points[5] = {"key": "elicitation_loss", "marks": [mark, {**mark, "label": "policy"}], "note": ""}
    points.append({"key": "agent_gap", "marks": [], "note": "no agents' results in this bundle"})
    rows = [{"arm": arm, "control": kind, "scope": "this Org", "raters": 9, "points": points}
            for arm, kind in (("main", ""), ("<b> arm", "shuffled"))]  # fmt: skip
    return {"points": [vars(point) for point in POINTS], "rows": rows}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [872, 320])
def test_the_figure_says_its_numbers_and_keeps_within_its_board(theme: str, width: int) -> None:
    drawn = profile_svg(profile(), theme, width)
    root = ET.fromstring(drawn)
    label = root.get("aria-label") or ""
    assert "main: Fidelity 20% (10 to 30); Sensitivity +20 (+10 to +30)" in label
    assert "Gap to agents no agents' results in this bundle" in label
    words = " ".join("".join(root.itertext()).split())
    assert "<b> arm (control: shuffled)" in words
    assert min(float(size) for size in re.findall(r'font-size="([\d.]+)px"', drawn)) >= 11
    places = re.findall(r"<text[^>]*translate\(([\d.]+),([\d.]+)\)", drawn)
    assert places
    assert all(float(x) <= width and float(y) <= float(root.get("height") or 0) for x, y in places)


def test_an_axis_opens_when_an_interval_would_leave_it() -> None:
    assert "−50" in profile_svg(profile())
    assert "−100" in profile_svg(profile(wide=True))
