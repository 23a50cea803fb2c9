"""Published studies: what follows from their own figures, and files that contradict themselves."""

from __future__ import annotations

import csv
import os
import shutil
from pathlib import Path

import pytest

from analysis.bundle import BundleError
from analysis.cli import main
from analysis.published import FOLDER, BaselineError, agrees, collected, counts_from, published


def test_the_command_prints_all_four_numbers_and_that_they_do_not_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baselines"]) == 0
    said = capsys.readouterr().out
    for number in ("66.7", "52.3", "53.2", "62.3", "47% to 82%", "9 of 10", "more than 77%"):
        assert number in said
    assert "62.3%  does not agree with its own figure" in said
    assert "66.7%  agrees with its own figure" in said


def test_only_the_printed_b2c_figure_does_not_follow() -> None:
    verdicts = {
        (study.id, arm.id): agrees(printed, arm)
        for study in published()
        for arm in study.arms
        for printed in arm.printed
    }
    assert verdicts == {("crmarena", "Org"): True, ("crmarena-pro", "B2B"): True, ("crmarena-pro", "B2C"): False}


def test_recomputed_shares() -> None:
    b2b, b2c = published()[1].arms
    assert b2b.recomputed() == pytest.approx({"mean_over_objects": 0.66667, "pooled_share": 52 / 78}, abs=1e-4)
    assert b2c.recomputed() == pytest.approx({"mean_over_objects": 0.52292, "pooled_share": 41 / 77}, abs=1e-4)


@pytest.mark.shared
def test_counts_are_those_of_the_reference_file() -> None:
    shared = Path(os.environ.get("REALIA_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    with (shared / "oracles" / "crmarena_pro_figure4.csv").open() as file:
        reference = {(r["org"], r["object"]): tuple(int(n) for n in list(r.values())[3:]) for r in csv.DictReader(file)}
    ours = {(arm.id, entry.name): entry.counts for arm in published()[1].arms for entry in arm.objects}
    assert ours == reference


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[0, 11.1, 33.3, 33.3, 22.2]", "[0, 12.1, 33.3, 33.3, 22.2]", "Event: 12.1% of 9 is 1.089, not a whole"),
        ("[10, 10, 10, 40, 30]", "[10, 10, 10, 40, 20]", "Opportunity: the counts .* sum to 9, not to n = 10"),
        ("[10, 10, 10, 40, 30]", "[10, 10, 10, 70]", "Opportunity: 4 shares for 5 scale points"),
        ("Lead, n: 9", "Lead, n: 11", "Lead: 11 ratings by 10 raters"),
        ("or_n: 4", "or_n: 6", "QuoteLineItem: 25% of 6 is 1.500"),
    ],
)
def test_a_file_that_fails_its_arithmetic_exits_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    """The check can fail: one number changed on purpose."""
    text = (FOLDER / "crmarena-pro.yaml").read_text()
    assert old in text
    (tmp_path / "x.yaml").write_text(text.replace(old, new, 1))
    with pytest.raises(BaselineError, match=said):
        published(tmp_path)
    assert main(["baselines", "--data", str(tmp_path)]) == 1
    assert "arithmetic:" in capsys.readouterr().err


def test_a_folder_that_holds_none_or_a_broken_file_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baselines", "--data", str(tmp_path)]) == 2
    shutil.copy(FOLDER / "crmarena.yaml", tmp_path / "a.yaml")
    (tmp_path / "b.yaml").write_text("id: x\n")
    assert main(["baselines", "--data", str(tmp_path)]) == 2
    assert "b.yaml" in capsys.readouterr().err


def test_counts_allow_for_rounding_only() -> None:
    assert counts_from("x", [0, 11.1, 33.3, 33.3, 22.2], 9) == (0, 1, 3, 3, 2)
    with pytest.raises(BaselineError, match="not a whole number"):
        counts_from("x", [0, 0, 22.2, 55.6, 22.2], 10)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("n: 9, shares: [0, 0, 22.2", "shares: [0, 0, 22.2", "study crmarena-pro, arm B2B, object Lead: n is missing"),
        ("n: 9, shares: [0, 0, 22.2", "n: nine, shares: [0, 0, 22.2", "object Lead: n is 'nine'; give a whole number"),
        (
            "[0, 10, 20, 70, 0]",
            "[0, 10, 20, 170, 0]",
            "QuoteLineItem: shares has 170; give numbers from 0 to 100",
        ),
        ("[0, 10, 20, 70, 0]", "none", "object QuoteLineItem: shares is 'none'; give a list"),
        ("value: 62.3", "value: many", "arm B2C, printed: value has 'many'"),
        ("estimand: mean_over_objects", "estimand: mean", "estimand is mean; give org_approval"),
        ("raters: 10", "raters: 1", "study crmarena-pro: raters is 1; give a whole number from 2 on"),
        ("year: 2025", "year: soon", "year is 'soon'"),
        ("  - id: B2C", "  - name: B2C", "an entry of arms: id is missing"),
    ],
)
def test_a_wrong_file_names_study_arm_object_and_number(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (FOLDER / "crmarena-pro.yaml").read_text()
    assert old in text
    (tmp_path / "x.yaml").write_text(text.replace(old, new, 1))
    with pytest.raises(BundleError) as problem:
        published(tmp_path)
    assert said in str(problem.value)
    assert str(problem.value).startswith("x.yaml")


def test_further_folders_join_the_studies_that_are_there(tmp_path: Path) -> None:
    own = (FOLDER / "crmarena.yaml").read_text().replace("id: crmarena\n", "id: another\n", 1)
    (tmp_path / "own.yaml").write_text(own)
    assert [study.id for study in collected((FOLDER, tmp_path))] == ["another", "crmarena", "crmarena-pro"]
    assert [study.id for study in collected()] == ["crmarena", "crmarena-pro"]
    (tmp_path / "own.yaml").write_text((FOLDER / "crmarena.yaml").read_text())
    with pytest.raises(BaselineError, match="crmarena is there already"):
        collected((tmp_path,))


@pytest.mark.parametrize("text", ["- a\n- b\n", "id: [", "just words", ""])
def test_a_file_that_is_no_study_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.yaml").write_text(text)
    with pytest.raises(BundleError, match=r"odd\.yaml"):
        published(tmp_path)


WHOLE = """
id: pilot
title: Our pilot
year: 2025
citation: A pilot, doi 10.0000/example
provenance: Table 2.
raters: 9
arms:
  - id: one
    org: {k: 6, n: 9}
    printed:
      - {value: 67, estimand: org_approval, text: two thirds}
    objects:
      - {object: Lead, n: 9, shares: [0, 11, 33, 33, 22]}
"""


def test_a_study_that_prints_whole_per_cents_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """11 % of 9 is one rating, and 67 % is 6 of 9: right as far as the study printed them."""
    (tmp_path / "own.yml").write_text(WHOLE)
    with pytest.raises(BaselineError, match="`decimals` says to how many places"):
        published(tmp_path)
    (tmp_path / "own.yml").write_text(WHOLE.replace("raters: 9", "raters: 9\ndecimals: 0"))
    assert main(["baselines", "--data", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "67%  agrees with its own figure" in said
    (tmp_path / "own.yml").write_text(WHOLE.replace("raters: 9", "raters: 9\ndecimals: 0").replace("67,", "66,"))
    assert main(["baselines", "--data", str(tmp_path)]) == 0
    assert "66%  does not agree with its own figure" in capsys.readouterr().out
    assert published(tmp_path)[0].arms[0].objects[0].counts == (0, 1, 3, 3, 2)


def test_the_same_id_twice_is_told_before_a_report_is(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        shutil.copy(FOLDER / "crmarena.yaml", tmp_path / name)
    with pytest.raises(BaselineError, match="a study crmarena is there already"):
        published(tmp_path)
