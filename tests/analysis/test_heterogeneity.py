"""Differences between objects and between snapshots, against enumeration and simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.heterogeneity import between_snapshots, objects_differ, permuted_approvals

Floats = NDArray[np.float64]


def every_table(y: Floats, m: Floats) -> list[Floats]:
    """All equally likely tables: each rater's approvals on every subset of the objects judged."""
    of_rater = []
    for row, judged in zip(y, m, strict=True):
        places = np.flatnonzero(judged)
        of_rater.append([np.isin(np.arange(len(row)), chosen).astype(float)
                         for chosen in itertools.combinations(places, int(row.sum()))])  # fmt: skip
    return [np.array(rows) for rows in itertools.product(*of_rater)]


Y = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]], dtype=float)
M = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1]], dtype=float)


def test_the_permutation_test_is_that_of_every_arrangement() -> None:
    """216 arrangements, enumerated: the drawn p lies within its own error of the exact one."""
    tables = every_table(Y, M)
    assert len(tables) == 6 * 3 * 4 * 3

    def spread(table: Floats) -> float:
        shares = table.sum(axis=0) / M.sum(axis=0)
        return float(((shares - shares.mean()) ** 2).sum())

    exact = np.mean([spread(table) >= spread(Y) - 1e-12 for table in tables])
    found = objects_differ(Y, M, 20_000, np.random.default_rng(1))
    assert found.statistic == pytest.approx(spread(Y))
    assert found.p == pytest.approx(exact, abs=0.01)
    assert found.expected == pytest.approx(np.mean([spread(table) for table in tables]), abs=0.003)


def test_every_subset_is_drawn_alike() -> None:
    """Selection sampling: two approvals among four judged objects, six pairs of the same probability."""
    y, m = np.array([[1.0, 1, 0, 0, 0]]), np.array([[1.0, 1, 1, 0, 1]])
    drawn = permuted_approvals(y, m, 30_000, np.random.default_rng(2))
    pairs, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(pairs) == 6
    assert (drawn[:, 3] == 0).all()
    assert (drawn.sum(axis=1) == 2).all()
    assert counts / 30_000 == pytest.approx(np.full(6, 1 / 6), abs=0.01)


def test_p_is_about_uniform_where_only_raters_differ() -> None:
    """Severity differs widely, objects do not: 5 % of 300 studies are under .05."""
    generator = np.random.default_rng(4)
    found = []
    for _ in range(300):
        m = (generator.random((12, 8)) < 0.85).astype(float)
        y = m * (generator.random((12, 8)) < generator.random((12, 1)))
        found.append(objects_differ(y, m, 199, generator).p)
    values = np.array([p for p in found if p is not None])
    assert np.mean(values <= 0.05) < 0.09
    assert values.mean() == pytest.approx(0.5, abs=0.06)


def test_an_object_that_everybody_doubts_is_found() -> None:
    generator = np.random.default_rng(4)
    y = (generator.random((20, 8)) < 0.8).astype(float)
    y[:, 3] = (generator.random(20) < 0.2).astype(float)
    found = objects_differ(y, np.ones_like(y), 999, generator)
    assert found.p == pytest.approx(1 / 1000)
    assert (found.objects, found.raters, found.replicates) == (8, 20, 999)


@pytest.mark.parametrize(
    ("y", "m", "why"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3)), "fewer than two objects"),
        (np.ones((5, 1)), np.ones((5, 1)), "fewer than two objects"),
        (np.ones((5, 3)), np.ones((5, 3)), "no rater's answers vary"),
        (np.eye(3), np.eye(3), "no rater's answers vary"),
    ],
)
def test_nothing_to_test_says_so(y: Floats, m: Floats, why: str) -> None:
    """P-30: nobody, one object, all alike, one object a rater: no p, no warning."""
    found = objects_differ(y, m, 99, np.random.default_rng(1))
    assert (found.p, found.statistic) == (None, None)
    assert why in found.note


def test_two_ratings_of_one_object_by_one_rater_are_refused() -> None:
    for y, m in ((np.array([[1.0, 0]]), np.array([[2.0, 1]])), (np.array([[1.0]]), np.array([[0.0]]))):
        with pytest.raises(ValueError, match="0 or 1"):
            objects_differ(y, m, 9, np.random.default_rng(1))


def test_between_snapshots_by_hand() -> None:
    """Means 1, 4 and 4 with two raters each: MSB = 6, MSW = 2, n₀ = 2, so √2."""
    found = between_snapshots([0, 2, 3, 5, 3, 5], ["a", "a", "b", "b", "c", "c"])
    assert found.sd == pytest.approx(2**0.5)
    assert found.within == pytest.approx(2**0.5)
    assert (found.snapshots, found.raters, found.raters_each) == (3, 6, pytest.approx(2.0))


def test_uneven_snapshots_have_the_n_of_the_method_of_moments() -> None:
    """n₀ = (R − ΣR²/R)/(S − 1) for 1, 2 and 3 raters: (6 − 14/6)/2."""
    found = between_snapshots([1, 2, 3, 4, 5, 9], ["a", "b", "b", "c", "c", "c"])
    assert found.raters_each == pytest.approx((6 - 14 / 6) / 2)


def test_a_negative_variance_is_nought_and_keeps_an_upper_limit() -> None:
    found = between_snapshots([0, 10, 1, 9, 0, 10], ["a", "a", "b", "b", "c", "c"])
    assert (found.sd, found.low) == (0.0, 0.0)
    assert found.note == "no more than between raters of one snapshot"
    assert between_snapshots([0, 4, 9, 1, 3, 8], ["a", "a", "b", "b", "c", "c"]).high is not None


@pytest.mark.parametrize(
    ("values", "names", "why"),
    [
        ([], [], "one snapshot"), ([1.0, 2], ["a", "a"], "one snapshot"),
        ([1.0, 2, 3], ["a", "b", "c"], "can't be told apart"), ([4.0] * 6, list("aabbcc"), "all raters are alike"),
    ],
)  # fmt: skip
def test_a_spread_that_cannot_be_told_says_why(values: list[float], names: list[str], why: str) -> None:
    """P-30, P-33: no SD from one snapshot, from one rater each, or from raters who are all alike."""
    found = between_snapshots(values, names)
    assert (found.sd, found.low, found.high) == (None, None, None)
    assert why in found.note


@pytest.mark.parametrize(("snapshots", "each", "sd"), [(5, 3, 0.0), (5, 3, 10.0), (12, 3, 10.0)])
def test_the_interval_of_the_sd_covers(snapshots: int, each: int, sd: float) -> None:
    generator = np.random.default_rng(7)
    names = np.repeat([f"s{place}" for place in range(snapshots)], each).tolist()
    held = 0
    for _ in range(400):
        values = np.repeat(sd * generator.normal(size=snapshots), each) + 20 * generator.normal(size=snapshots * each)
        found = between_snapshots(values, names)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= sd <= found.high
    assert held / 400 >= 0.92
