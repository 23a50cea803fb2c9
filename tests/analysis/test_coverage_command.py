"""The coverage of the intervals is measured, and the measurement can fail."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from analysis.cli import main
from analysis.clusters import mean_objects_ci, pooled_share_ci
from analysis.estimates import FEWEST
from analysis.many_studies import (
    cluster_clopper_pearson,
    cluster_wilson,
    logit_t,
    naive_wilson,
    over_objects,
    pooled,
    t_of_rater_means,
)
from analysis.proportions import clopper_pearson, wilson
from analysis.proving import judging, measuring, methods
from analysis.proving.command import SEED, coverage
from analysis.proving.measuring import RATERS, SETTINGS, Amount, Cell, measure, measure_one
from analysis.proving.resampled import percentile_limits, resampled_means, resampling_counts
from analysis.proving.studies import Setting, draw_studies, missing_shares, object_logits, true_shares
from analysis.proving.telling import measured, measured_at, use_line

DOCS = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
SMALL = Amount(1_500, 0, 0)
HARD = Setting(1.2, 0.65, 20)


def strange_studies() -> tuple[np.ndarray, np.ndarray]:
    """Studies of four raters and three objects with everything that happens: blanks, nobody, all alike."""
    stream = np.random.default_rng(3)
    rated = (stream.random((400, 4, 3)) < 0.6).astype(float)
    approved = (stream.random((400, 4, 3)) < stream.random((400, 1, 1))) * rated
    rated[:5] = approved[:5] = 0
    rated[5:9] = 1
    approved[5:7], approved[7:9] = 1, 0
    rated[9:12, 1:] = approved[9:12, 1:] = 0
    return approved, rated


def test_each_study_has_the_interval_of_the_package() -> None:
    """Vectorised over studies and one by one are the same numbers, blank raters and objects included."""
    approved, rated = strange_studies()
    many = {"mean": cluster_wilson(over_objects(approved, rated)), "pooled": cluster_wilson(pooled(approved, rated))}
    without = 0
    for place, (y, m) in enumerate(zip(approved, rated, strict=True)):
        for name, one in {
            "mean": mean_objects_ci(y, m), "pooled": pooled_share_ci(y.sum(axis=1), m.sum(axis=1)),
        }.items():  # fmt: skip
            limits = many[name]
            assert limits.given[place] == (one.low is not None)
            if one.low is None:
                without += 1
                continue
            assert (limits.low[place], limits.high[place]) == pytest.approx((one.low, one.high), abs=1e-10)
    assert without >= 10


@pytest.mark.parametrize("objects", [1, 8])
def test_drawn_studies_have_the_interval_of_the_package(objects: int) -> None:
    studies = draw_studies(Setting(0.7, 0.9, objects), 6, 60, np.random.default_rng(5))
    limits = cluster_wilson(studies.over_objects)
    for place in range(studies.count):
        one = mean_objects_ci(studies.approved[place], studies.rated[place])
        assert (limits.low[place], limits.high[place]) == pytest.approx((one.low, one.high), abs=1e-10)


def test_intervals_beside_are_their_formulas() -> None:
    """The oracle of R survey 4.1, svyciprop(method = "logit") on apiclus1, and formulas by hand."""
    k = [2, 3, 1, 3, 1, 0, 0, 0, 0, 3, 2, 0, 5, 1, 2]
    m = [13, 34, 4, 13, 16, 2, 1, 4, 12, 21, 9, 11, 37, 2, 4]
    y, n = np.array(k, dtype=float)[None, :, None], np.array(m, dtype=float)[None, :, None]
    logit = logit_t(pooled(y, n))
    assert (logit.low[0], logit.high[0]) == pytest.approx((0.08777938, 0.17678197), abs=1e-7)
    exact, one = cluster_clopper_pearson(pooled(y, n)), pooled_share_ci(k, m)
    assert one.estimate is not None
    assert one.n_effective is not None
    by_hand = clopper_pearson(one.estimate * one.n_effective, one.n_effective)
    assert (exact.low[0], exact.high[0]) == pytest.approx(by_hand)
    naive = naive_wilson(y, n)
    assert (naive.low[0], naive.high[0]) == pytest.approx(wilson(sum(k), sum(m)))
    own = np.array(k) / np.array(m)
    half = special.stdtrit(14, 0.975) * own.std(ddof=1) / np.sqrt(15)
    means = t_of_rater_means(y, n)
    assert (means.low[0], means.high[0]) == pytest.approx((own.mean() - half, own.mean() + half))


def test_resampled_means_are_those_of_one_study_at_a_time() -> None:
    studies = draw_studies(Setting(0.7, 0.65, 8), 6, 7, np.random.default_rng(8))
    counts = resampling_counts(6, 50, np.random.default_rng(9))
    assert (counts.sum(axis=1) == 6).all()
    means = resampled_means(studies.approved, studies.rated, counts)
    for place in range(7):
        for draw in (0, 17, 49):
            again = np.repeat(np.arange(6), counts[draw].astype(int))
            n = studies.rated[place][again].sum(axis=0)
            k = studies.approved[place][again].sum(axis=0)
            assert means[draw, place] == pytest.approx((k[n > 0] / n[n > 0]).mean())
    limits = percentile_limits(means, 0.025)
    assert limits.low[3] == pytest.approx(np.quantile(means[:, 3], 0.025))


def test_the_truth_is_the_share_of_very_many_raters() -> None:
    setting = Setting(1.2, 0.65, 8)
    assert true_shares(setting)["mean_over_objects"] == pytest.approx(0.65, abs=1e-9)
    stream = np.random.default_rng(11)
    one = draw_studies(setting, 100_000, 1, stream)
    assert one.over_objects.share[0] == pytest.approx(0.65, abs=0.006)
    assert one.pooled.share[0] == pytest.approx(one.truth["pooled_share"], abs=0.006)
    assert one.org_approved.sum() / one.org_rated.sum() == pytest.approx(one.truth["org_approval"], abs=0.006)
    # The oddest object is passed over most, so the two shares differ.
    assert one.truth["pooled_share"] > 0.655
    assert missing_shares(setting).mean() == pytest.approx(0.15)
    assert (np.diff(object_logits(setting)) > 0).all()


@pytest.mark.parametrize("bad", [{"severity": -1}, {"approval": 1}, {"objects": 0}, {"missing": 0.8}])
def test_impossible_settings_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="give"):
        replace(HARD, **bad)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_table_and_a_part_the_same_numbers() -> None:
    amount = Amount(60, 20, 40)
    both = measure(amount, 4, (Setting(0, 0.9, 8), HARD), (6, 8))
    assert measure_one(HARD, 8, amount, 4) == [one for one in both if one.setting == HARD and one.raters == 8]
    assert measure_one(HARD, 8, amount, 5) != measure_one(HARD, 8, amount, 4)


# --- it must be able to fail


def test_the_primary_interval_passes_and_the_naive_one_is_as_bad_as_told(capsys: pytest.CaptureFixture[str]) -> None:
    settings = (Setting(0, 0.9, 8), Setting(0.7, 0.65, 20), HARD)
    assert coverage(1, settings=settings, raters=(6, 20), amount=Amount(1_500, 40, 100)) == 0
    said = capsys.readouterr().out
    assert "short nowhere" in said
    assert re.search(r"naive Wilson on ratings +6\d\.\d±", said)


def test_the_naive_interval_in_the_place_of_the_primary_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    naive = methods.METHODS[methods.NAIVE]
    monkeypatch.setitem(methods.METHODS, methods.PRIMARY, replace(naive, estimand="mean_over_objects"))
    assert coverage(1, settings=(HARD,), raters=(6, 20), amount=SMALL) == 1
    said = capsys.readouterr().out
    assert "do not use it" in said
    assert "is short" in said


def test_an_interval_that_says_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """From nought to one covers always: over 97 % where the documentation says 93 to 97."""
    whole = replace(
        methods.METHODS[methods.PRIMARY],
        limits=lambda studies, level: replace(
            cluster_wilson(studies.over_objects), low=np.zeros(studies.count), high=np.ones(studies.count)
        ),
    )
    monkeypatch.setitem(methods.METHODS, methods.PRIMARY, whole)
    assert coverage(1, settings=(HARD,), raters=(20,), amount=SMALL) == 1


def test_a_simulation_without_severity_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If raters were all alike the naive interval would look good, and the whole table would prove nothing."""
    drawn = draw_studies

    def mild(setting: Setting, raters: int, count: int, stream: np.random.Generator) -> object:
        return drawn(replace(setting, severity=0.0), raters, count, stream)

    monkeypatch.setattr(measuring, "draw_studies", mild)
    assert coverage(1, settings=(HARD,), raters=(20,), amount=SMALL) == 1
    assert "naive Wilson on ratings covers 9" in capsys.readouterr().out


def cell(coverage: float, raters: int, studies: int = 20_000, method: str = methods.PRIMARY) -> Cell:
    return Cell(method, Setting(0.7, 0.65, 8), raters, studies, coverage, 0.1, 0)


@pytest.mark.parametrize(
    ("covered", "studies", "said"),
    [
        (0.95, 20_000, judging.AS_STATED),
        (0.926, 20_000, judging.AS_STATED),  # 0.4 points short, and three standard errors are 0.55
        (0.92, 20_000, judging.SHORT),
        (0.92, 2_000, judging.AS_STATED),  # few studies cannot tell
        (0.98, 20_000, judging.CONSERVATIVE),
        (1.0, 20_000, judging.CONSERVATIVE),
    ],
)
def test_a_cell_is_outside_when_it_is_so_beyond_its_monte_carlo_error(covered: float, studies: int, said: str) -> None:
    assert judging.judged(cell(covered, 20, studies)) == said


def test_the_line_names_the_number_of_raters_found() -> None:
    """Computed from the cells: one bad number of raters moves it above that number."""
    good = [cell(0.95, raters) for raters in (6, 12, 20)]
    assert use_line(judging.verdict(good)).startswith(
        "short nowhere; 93 to 97 % within the error in every setting from 6"
    )
    few = judging.verdict([cell(0.90, 6), *good[1:]])
    assert few.use_from == 12
    assert use_line(few).startswith("do not use it under 12 raters")
    assert len(few.problems) == 1
    wide = judging.verdict([cell(0.99, 6), cell(0.99, 12), good[2]])
    assert (wide.use_from, wide.as_stated_from, wide.problems) == (6, 20, ())
    never = judging.verdict([*good, cell(0.8, 60)])
    assert never.use_from is None
    assert use_line(never) == "short even with the most raters tried: do not use it."
    with pytest.raises(ValueError, match="measure it"):
        judging.verdict([cell(0.95, 20, method="another")])


def test_the_command_writes_the_short_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("analysis.proving.command.QUICK", Amount(40, 10, 20))
    out = tmp_path / "coverage.json"
    assert main(["coverage", "--quick", "--seed", "3", "--out", str(out)]) in (0, 1)
    assert "seed 3" in capsys.readouterr().out
    found = json.loads(out.read_text())
    assert (found["seed"], found["studies"]) == (3, 40)
    assert {row["raters"] for row in found["rows"]} == set(RATERS)
    assert len(found["rows"]) == len(RATERS) * (len(methods.METHODS) + 2)
    assert main(["coverage", "--quick", "--seed", "-1"]) == 2
    assert main(["coverage", "--quick", "--out", str(tmp_path / "no" / "file")]) == 2
    assert "can't be written" in capsys.readouterr().err


# --- what is written down


def test_what_is_stored_is_a_full_run_and_agrees_with_the_rule() -> None:
    stored = json.loads((Path(judging.__file__).parent / "coverage.json").read_text(encoding="utf-8"))
    assert (stored["seed"], stored["studies"]) == (SEED, measuring.FULL.studies)
    assert stored["use_from"] <= judging.USE_FROM
    assert stored["as_stated_from"] <= judging.AS_STATED_FROM
    assert min(raters for raters in RATERS if raters >= FEWEST) == judging.USE_FROM
    assert len(SETTINGS) == 12
    found = measured_at(25)
    assert found is not None
    assert found == next(one for one in measured() if one.raters == 20)
    assert measured_at(3) is None


def test_the_documentation_has_the_numbers_that_were_measured() -> None:
    """Every row of the table in docs/statistics.md is the stored one, to a tenth of a point."""
    text = DOCS.read_text(encoding="utf-8").partition("## Proof: coverage and recovered truth")[2]
    text = text.partition("\n## ")[0]
    rows = {
        parts[0]: parts[1:]
        for line in text.splitlines()
        if line.startswith("|") and len(parts := [one.strip(" *") for one in line.strip("|").split("|")]) == 8
    }
    assert [int(number) for number in rows["raters"]] == list(RATERS)
    for name in (*methods.METHODS, methods.PERCENTILE, methods.EXPANDED):
        spans = [f"{100 * one.lowest:.1f}–{100 * one.highest:.1f}" for one in measured(name)]
        assert rows[name] == spans
    assert f"from {judging.AS_STATED_FROM} raters on" in text.lower()
    assert f"from {judging.USE_FROM} raters on" in text
