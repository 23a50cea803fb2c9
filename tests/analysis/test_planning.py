"""How many raters, and what they see: precision, power, equivalence, Org approval, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize, samplesize_confint_proportion

from analysis.cli import main
from analysis.clusters import mean_objects_ci, pooled_share_ci
from analysis.planning.assumptions import Assumptions, draw, severities
from analysis.planning.binomial import exact_non_inferiority, exact_superiority, two_shares_n
from analysis.planning.equivalence import tost_n, tost_power, tost_power_normal, warning
from analysis.planning.many_studies import mean_objects_many, pooled_share_many
from analysis.planning.plan import Question, plan
from analysis.planning.power import power, smallest_difference, standard_error
from analysis.planning.precision import inflated, precision, precision_n, wilson_half_width, wilson_n

BUILTIN = Path(__file__).resolve().parents[2] / "study/protocols/builtin/realia-hour.yaml"
# The published grid is of complete ratings of twenty objects.
GRID = Assumptions(objects=20, cannot_judge=0.0)

# Raters for a Wilson half-width at most h. Checked with a search over statsmodels
# proportion_confint(p*n, n, method="wilson"); at p = .5 Wald gives 96.04 for .10 and 384.15 for .05.
WILSON = {
    0.20: (21, 19, 14, 10), 0.15: (39, 36, 26, 17), 0.125: (58, 53, 38, 24),
    0.10: (93, 84, 60, 37), 0.075: (167, 152, 108, 64), 0.05: (381, 347, 245, 141),
}  # fmt: skip


@pytest.mark.parametrize("half_width", WILSON)
def test_raters_for_a_wilson_width(half_width: float) -> None:
    assert tuple(wilson_n(half_width, p) for p in (0.5, 0.65, 0.8, 0.9)) == WILSON[half_width]


def test_one_rater_fewer_is_too_few() -> None:
    n = wilson_n(0.10, 0.65)
    assert wilson_half_width(0.65, n) <= 0.10 < wilson_half_width(0.65, n - 1)
    assert n < samplesize_confint_proportion(0.65, 0.10) < n + 5, "Wald asks for a few more"


@pytest.mark.parametrize("wrong", [0.0, 0.5, -1.0])
def test_a_width_that_cannot_be_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 0\.5"):
        wilson_n(wrong, 0.5)


def test_loss_makes_more_people_begin() -> None:
    assert (inflated(20, 0.15), inflated(17, 0.15), inflated(0, 0.15), inflated(20, 0.0)) == (24, 20, 0, 20)
    with pytest.raises(ValueError, match="under 1"):
        inflated(20, 1.0)


def test_many_studies_have_the_interval_of_each() -> None:
    """The vectorised interval is the report's own, also for all alike, an object nobody judged and one rater."""
    rng = np.random.default_rng(5)
    assumed = Assumptions(objects=4, cannot_judge=0.3, severity_sd=1.2)
    approvals, valid = draw(rng, assumed, severities(rng, 40, 7)[0], 0.65)
    valid[0] = approvals[0] = True
    approvals[1] = False
    valid[2, :, 1] = approvals[2, :, 1] = False
    for many, one in ((mean_objects_many, mean_objects_ci), (pooled_share_many, None)):
        found = many(approvals, valid)
        for study in range(40):
            y, m = approvals[study].astype(float), valid[study].astype(float)
            expected = one(y, m) if one else pooled_share_ci(y.sum(axis=1), m.sum(axis=1))
            got = (found.estimate[study], found.low[study], found.high[study])
            assert got == pytest.approx((expected.estimate, expected.low, expected.high), abs=1e-12)
    alone = mean_objects_many(approvals[:, :1], valid[:, :1])
    assert (alone.low.max(), alone.high.min()) == (0.0, 1.0)


def test_shares_are_what_is_assumed_whatever_the_severity() -> None:
    rng = np.random.default_rng(2)
    for assumed in (Assumptions(severity_sd=1.2, object_sd=0.8), Assumptions(severity_sd=0.0, share=0.9)):
        approvals, valid = draw(rng, assumed, severities(rng, 400, 30)[0], assumed.share)
        assert approvals.sum() / valid.sum() == pytest.approx(assumed.share, abs=0.008)
        assert valid.mean() == pytest.approx(1 - assumed.cannot_judge, abs=0.005)


# Expected half-widths of cluster Wilson, mean over objects (simulated coverage, 2,000 studies a cell).
@pytest.mark.parametrize(
    ("objects", "sd", "n", "width"),
    [(20, 0.7, 20, 0.080), (20, 1.2, 20, 0.104), (8, 0.7, 20, 0.100), (8, 1.2, 10, 0.170), (8, 0.0, 20, 0.087)],
)
def test_expected_widths_are_the_simulated_ones(objects: int, sd: float, n: int, width: float) -> None:
    assumed = Assumptions(objects=objects, severity_sd=sd, cannot_judge=0.15, object_sd=0.3)
    found = precision(assumed, n, np.random.default_rng(1), 500)
    assert found.half_width == pytest.approx(width, abs=0.005)
    assert 0.92 < found.coverage < 0.995


def test_raters_for_an_expected_width() -> None:
    n = precision_n(Assumptions(), 0.10, 1, 200)
    assert n is not None
    assert 19 <= n <= 23
    assert precision_n(Assumptions(severity_sd=3.0), 0.02, 1, 100, most=60) is None


# Power to see a difference, complete ratings of 20 objects, shares .65 ± d/2, alpha .05 (4,000 studies a cell).
CELLS = [
    (True, 0.7, 10, 0.10, 0.39), (True, 0.7, 30, 0.05, 0.36), (True, 0.7, 20, 0.10, 0.70),
    (True, 1.2, 20, 0.10, 0.58), (True, 1.2, 30, 0.05, 0.27), (False, 0.7, 10, 0.20, 0.67),
    (False, 0.7, 30, 0.10, 0.59), (False, 0.7, 20, 0.15, 0.75), (False, 1.2, 30, 0.15, 0.66),
    (False, 1.2, 60, 0.10, 0.62),
]  # fmt: skip


@pytest.mark.parametrize(("paired", "sd", "n", "difference", "expected"), CELLS)
def test_power_to_see_a_difference(paired: bool, sd: float, n: int, difference: float, expected: float) -> None:
    assumed = replace(GRID, severity_sd=sd)
    found = power(assumed, n, difference, np.random.default_rng(3), 1500, paired=paired)
    # Two Monte Carlo errors of both tables, and the second decimal that was printed.
    assert found == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize("paired", [True, False])
def test_nothing_is_found_where_nothing_is(paired: bool) -> None:
    found = power(replace(GRID, severity_sd=1.2), 20, 0.0, np.random.default_rng(3), 3000, paired=paired)
    assert found == pytest.approx(0.05, abs=0.015)


def test_the_smallest_difference_has_the_wanted_power() -> None:
    seen = smallest_difference(Assumptions(), 30, 1, 1500, paired=True)
    assert seen is not None
    assert power(Assumptions(), 30, seen, np.random.default_rng(9), 3000, paired=True) == pytest.approx(0.8, abs=0.03)
    unpaired = smallest_difference(Assumptions(), 30, 1, 1500, paired=False)
    assert unpaired is not None
    assert unpaired > seen
    assert smallest_difference(Assumptions(share=0.98), 5, 1, 300, paired=False) is None


# TOST ± 10 points at a true difference of 0, complete ratings of 20 objects: paired 20 .55, 30 .85; unpaired 30 .37,
# 60 .86 (normal approximation with standard errors read off the power grid, hence the tolerance).
@pytest.mark.parametrize(
    ("paired", "n", "expected"), [(True, 20, 0.55), (True, 30, 0.85), (False, 30, 0.37), (False, 60, 0.86)]
)
def test_power_of_equivalence(paired: bool, n: int, expected: float) -> None:
    simulated = tost_power(GRID, n, 0.10, np.random.default_rng(4), 2000, paired=paired)
    normal = tost_power_normal(standard_error(GRID, n, paired=paired), 0.10)
    assert simulated == pytest.approx(expected, abs=0.08)
    assert normal == pytest.approx(simulated, abs=0.08)


def test_eight_objects_need_twice_the_raters_for_equivalence() -> None:
    """The number that is enough with twenty complete objects is far too small with eight: the planner says so first."""
    assert tost_power(Assumptions(), 30, 0.10, np.random.default_rng(4), 1000, paired=True) < 0.45
    assert tost_n(Assumptions(), 0.10, paired=True) > 2 * tost_n(GRID, 0.10, paired=True)
    said = warning(0.34, 30, 0.10, 57, paired=True)
    assert "34 %" in said
    assert "57" in said
    assert "widen the margin" in said
    assert warning(0.86, 30, 0.10, 25, paired=True) == ""
    with pytest.raises(ValueError, match="ten points"):
        tost_power_normal(0.03, 10)


def test_a_true_difference_at_the_margin_is_called_equivalent_at_most_at_alpha() -> None:
    found = tost_power(GRID, 30, 0.10, np.random.default_rng(4), 3000, paired=True, difference=0.10)
    assert found == pytest.approx(0.05, abs=0.02)


def test_org_approval_of_two_groups() -> None:
    """From .65, power .80: .45 needs 96 a group, .50 169, .55 375 (statsmodels NormalIndPower().solve_power)."""
    for other, printed in ((0.45, 96), (0.50, 169), (0.55, 375)):
        effect = proportion_effectsize(0.65, other)
        expected = NormalIndPower().solve_power(effect, power=0.8, alpha=0.05, alternative="two-sided")
        assert two_shares_n(0.65, other) == pytest.approx(expected, rel=1e-5)  # it adds the other tail
        assert round(two_shares_n(0.65, other)) == printed
    # Telling the two published shares apart: 1,855 a group by the formula without a transformation.
    assert two_shares_n(0.667, 0.623) == pytest.approx(1855, rel=0.02)
    with pytest.raises(ValueError, match="equal"):
        two_shares_n(0.6, 0.6)


@pytest.mark.parametrize(
    ("n", "powers"), [(20, (0.21, 0.40, 0.68)), (30, (0.26, 0.52, 0.82)), (60, (0.58, 0.89, 0.99))]
)
def test_exact_power_against_a_fixed_share(n: int, powers: tuple[float, ...]) -> None:
    """Against .667 at true .80, .85, .90 (R: sum of dbinom over the rejection region of binom.test)."""
    found = [exact_superiority(n, 0.667, true).power for true in (0.80, 0.85, 0.90)]
    assert found == pytest.approx(powers, abs=0.006)


@pytest.mark.parametrize(
    ("n", "critical", "expected"), [(20, 16, 0.63), (30, 22, 0.87), (40, 29, 0.91), (60, 41, 0.99)]
)
def test_exact_non_inferiority(n: int, critical: int, expected: float) -> None:
    """Margin ten points under .667, one-sided .05, true .80."""
    found = exact_non_inferiority(n, 0.667, 0.10, 0.80)
    assert (found.critical, round(found.power, 2)) == (critical, expected)
    assert exact_superiority(2, 0.667, 0.9).critical is None, "two raters can never reject"


def test_the_same_question_gives_the_same_plan() -> None:
    question = Question(numbers=(10, 20), replicates=200)
    assert plan(question) == plan(question)
    assert plan(replace(question, seed=1)) != plan(question)


def test_the_command_prints_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--replicates", "200", "--n", "10,20"]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 100
    for words in ("severity SD 0.7", "8 objects", "can't judge 10 %", "lost 15 %", "seed 20260", "First look at 15"):
        assert words in " ".join(said.split()), words
    assert "test of equivalence" in said, "the warning comes before a margin is frozen"
    assert [line.split()[:2] for line in said.splitlines() if line.startswith(("  10 ", "  20 "))] == [
        ["10", "12"], ["20", "24"],
    ]  # fmt: skip


def test_the_command_reads_a_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    """Number, rule and objects come from the file; what is given beside it wins."""
    call = ["plan", "--protocol", str(BUILTIN), "--json", "--replicates", "100", "--n", "20", "--severity", "1.2"]
    assert main(call) == 0
    found = json.loads(capsys.readouterr().out)
    asked = found["question"]
    assert (asked["rule"]["first_look"], asked["rule"]["target"], asked["rule"]["most"]) == (15, 20, 40)
    assert (asked["assumed"]["severity_sd"], asked["assumed"]["lost"]) == (1.2, 0.15)
    assert found["rows"][0]["precision"]["n"] == 20
    assert 0 < found["rows"][0]["equivalence_paired"] < 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--share", "65"], "between 0 and 1"),
        (["--n", "ten"], "whole numbers"),
        (["--n", "1"], "at least 2"),
        (["--margin", "10"], "ten points"),
        (["--replicates", "10"], "at least 100"),
        (["--replicates", "10000000"], "at most"),
        (["--lost", "1"], "under 1"),
        (["--objects", "0"], "at least 1"),
        (["--first-look", "1"], "at least 2"),
        (["--protocol", "nowhere.yaml"], "can't be read"),
    ],
)
def test_what_cannot_be_planned_ends_with_2_and_a_remedy(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", *options]) == 2
    caught = capsys.readouterr()
    assert said in caught.err
    assert caught.out == ""


@pytest.mark.parametrize("text", ["[", "a: 1", "", "analysis: 3"])
def test_a_file_that_is_no_protocol(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    assert main(["plan", "--protocol", str(path)]) == 2
    assert "own.yaml" in capsys.readouterr().err


def test_a_protocol_with_half_a_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("analysis: {n_target: 20, n_max: 40, primary: pooled_share, stopping: {rule: precision, every: 5}}")
    assert main(["plan", "--protocol", str(path)]) == 2
    assert "needs first_look, half_width" in capsys.readouterr().err
    path.write_text("analysis: {n_target: 12, n_max: 20, primary: org_approval, stopping: {rule: fixed}}")
    assert main(["plan", "--protocol", str(path), "--replicates", "100", "--n", "12"]) == 0
    assert "fixed number: 12" in capsys.readouterr().out
