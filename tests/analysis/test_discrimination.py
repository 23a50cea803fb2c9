"""Detection, forced choice, areas, anchors and Bradley–Terry against published numbers."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path

import numpy as np
import pytest

from analysis.discrimination.anchors import auc, difference, dose_response, known_groups
from analysis.discrimination.bradley_terry import abilities, bradley_terry, connected
from analysis.discrimination.signal import (
    across_raters,
    detection,
    equivalence_reading,
    forced_choice_d,
    forced_choice_power,
)  # fmt: skip

RNG = np.random.default_rng(5)


def test_stanislaw_and_todorov() -> None:
    """Stanislaw and Todorov (1999), by CPAN Statistics::SDT: 50 of 50 hits, 17 of 25 false alarms."""
    found = detection(50, 50, 17, 25, "1/(2N)")
    assert found.d_prime == pytest.approx(1.85865, abs=1e-5)
    assert found.criterion == pytest.approx(-1.40, abs=0.005)
    assert found.a_z == pytest.approx(0.91, abs=0.005)
    assert detection(50, 50, 17, 25).d_prime == pytest.approx(1.88534, abs=1e-5)


def test_nobody_is_perfect_after_the_correction_and_nothing_judged_is_none() -> None:
    perfect = detection(6, 6, 0, 6)
    assert perfect.d_prime is not None
    assert math.isfinite(perfect.d_prime)
    assert detection(3, 6, 3, 6).d_prime == 0
    assert detection(0, 0, 1, 3).d_prime is None
    with pytest.raises(ValueError, match="counts that fit"):
        detection(7, 6, 0, 6)


def test_variance_of_d_is_that_of_gourevitch_and_galanter() -> None:
    """H = .8, F = .3 of 100 each, by hand: .16/(100·.27996²) + .21/(100·.34769²) with the corrected rates close by."""
    found = detection(80, 100, 30, 100)
    assert found.variance == pytest.approx(0.8 * 0.2 / (100 * 0.27996**2) + 0.3 * 0.7 / (100 * 0.34769**2), rel=0.01)


@pytest.mark.parametrize(("share", "d"), [(0.5, 0.0), (0.76, 0.9989), (0.9, 1.8124)])
def test_forced_choice_table(share: float, d: float) -> None:
    """√2·z(pc); published tables have 1.00 for .76."""
    assert forced_choice_d(share) == pytest.approx(d, abs=1e-4)


def test_forced_choice_at_the_ends_is_not_defined() -> None:
    assert forced_choice_d(1.0) is None
    assert forced_choice_d(0.0) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        forced_choice_d(1.1)


@pytest.mark.parametrize(("trials", "power"), [(40, 0.44), (60, 0.56), (100, 0.83)])
def test_power_of_forced_choice_at_sixty_five_per_cent(trials: int, power: float) -> None:
    """Exact binomial against ½, two-sided .05, independent trials."""
    assert forced_choice_power(0.65, trials) == pytest.approx(power, abs=0.005)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.42, 0.58, "within the margin of chance"), (0.55, 0.8, "told apart"), (0.2, 0.45, "told apart"),
     (0.45, 0.7, "undecided"), (0.51, 0.59, "within the margin of chance")],
)  # fmt: skip
def test_equivalence_is_read_off_the_whole_interval(low: float, high: float, said: str) -> None:
    assert equivalence_reading(low, high) == said


def test_across_raters_is_wider_than_pooled_counts_would_be() -> None:
    values = RNG.normal(1.0, 0.8, 15)
    found = across_raters(values, np.random.default_rng(1), 2_000)
    assert found.mean.low is not None
    assert found.mean.high is not None
    assert found.bootstrap_low is not None
    assert found.bootstrap_low == pytest.approx(found.mean.low, abs=0.12)
    assert across_raters([1.0, 1.0, 1.0], np.random.default_rng(1)).bootstrap_low is None
    assert across_raters([], np.random.default_rng(1)).mean.estimate is None


def test_area_of_hollander_and_wolfe() -> None:
    """R ?wilcox.test, permeability constants: W = 35 of 50 pairs."""
    x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    y = [1.15, 0.88, 0.90, 0.74, 1.21]
    assert auc(x, y) == pytest.approx(0.70)


def test_ties_count_half_and_an_empty_side_is_none() -> None:
    assert auc([3, 3], [3, 3, 3]) == 0.5
    assert auc([5, 4], [1, float("nan")]) == 1.0
    assert auc([float("nan")], [2]) is None
    assert difference([5, 4], [1, float("nan")]) == 3.5
    assert difference([], [1]) is None


# Share of raters answering five points at random whose area is .75 or more, by cards of either kind (20,000 drawn).
CHANCE = [(2, 0.27), (3, 0.16), (4, 0.14), (6, 0.07), (8, 0.05)]


@pytest.mark.parametrize(("cards", "share"), CHANCE)
def test_how_often_a_random_responder_passes(cards: int, share: float) -> None:
    rng = np.random.default_rng(11)
    clean, broken = rng.integers(1, 6, (2, 20_000, cards))
    areas = (np.sign(clean[:, :, None] - broken[:, None, :]) + 1).mean(axis=(1, 2)) / 2
    assert (areas >= 0.75).mean() == pytest.approx(share, abs=0.012)
    # The vectorised areas are those of `auc`.
    assert areas[:50].tolist() == pytest.approx([auc(x, y) for x, y in zip(clean[:50], broken[:50], strict=True)])


def test_known_groups_by_rater() -> None:
    found = known_groups([[5, 4], [4, 4], [3], []], [[1, 2], [4, 4], [2], [3]], RNG)
    assert found.raters == 3
    assert found.difference.estimate == pytest.approx((3 + 0 + 1) / 3)
    assert found.area.estimate == pytest.approx((1 + 0.5 + 1) / 3)
    assert found.p == 0.5


def test_dose_response_goes_by_rater() -> None:
    raters, grades = [0, 0, 0, 1, 1, 1, 2], [0, 1, 2, 0, 1, 2, 0]
    found = dose_response(raters, grades, [5, 4, 3, 4, 3, 2, 1])
    assert [(one.grade, one.mean.n, one.ratings) for one in found.grades] == [(0, 3, 3), (1, 2, 2), (2, 2, 2)]
    # The third rater met one size only, so has no slope.
    assert (found.slope.estimate, found.slope.n) == (-1.0, 2)
    assert dose_response([], [], []).slope.estimate is None


@pytest.mark.shared
def test_baseball() -> None:
    """Agresti's American League, R BradleyTerry2 vignette: BTm(cbind(home.wins, away.wins), ..., refcat Baltimore)."""
    shared = Path(os.environ.get("REALIA_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    with (shared / "oracles" / "baseball.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = sorted({row["home.team"] for row in rows})
    wins = np.zeros((len(names), len(names)))
    for row in rows:
        home, away = names.index(row["home.team"]), names.index(row["away.team"])
        wins[home, away] += int(row["home.wins"])
        wins[away, home] += int(row["away.wins"])
    assert names[0] == "Baltimore"
    expected = [0, 1.1077, 0.6839, 1.4364, 1.5814, 1.2476, 1.2945]
    assert bradley_terry(wins).tolist() == pytest.approx(expected, abs=5e-5)


STIGLER = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]


def test_stiglers_citations() -> None:
    """Stigler (1994), R BradleyTerry2 `citations`: Biometrika, Communications, JASA, JRSS-B; first at 0."""
    assert bradley_terry(STIGLER).tolist() == pytest.approx([0, -2.94907, -0.47957, 0.26895], abs=1e-5)


def test_an_item_that_only_wins_needs_a_prior() -> None:
    wins = [[0, 3], [0, 0]]
    assert not connected(wins)
    with pytest.raises(ValueError, match="give a prior"):
        bradley_terry(wins)
    assert bradley_terry(wins, 0.1)[1] == pytest.approx(math.log(0.1 / 3.1))
    found = abilities([wins, wins, wins], np.random.default_rng(1), 100)
    assert "regularised" in found.note


def test_abilities_come_with_an_interval_over_raters() -> None:
    rng = np.random.default_rng(4)
    wins = np.stack([rng.binomial(4, 0.7, (2, 2)) * (1 - np.eye(2)) for _ in range(12)])
    wins[:, 1, 0] = 4 - wins[:, 0, 1]
    found = abilities(wins, np.random.default_rng(1), 400)
    assert found.low[1] is not None
    assert found.high[1] is not None
    assert found.low[1] < found.estimates[1] < found.high[1] < 0
    assert found.low[0] is None
    assert abilities(wins[:1], np.random.default_rng(1)).low == (None, None)
