"""Gwet's coefficients, Brennan–Prediger, Fleiss and Cohen against published values."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.agreement import (
    NO_VARIATION,
    TOO_FEW,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    weighted_kappa,
)

NAN = float("nan")
# Krippendorff (2011), Computing Krippendorff's alpha-reliability; also R irrCAC's raw4raters (Gwet 2014).
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
# Fleiss (1971), as Wikipedia prints it: 14 raters, 10 subjects, 5 categories.
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def rows_of(table: list[list[int]]) -> np.ndarray:
    """A two-rater table as ratings of shape (2, units)."""
    pairs = [(i + 1, j + 1) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return np.array(pairs, dtype=float).T


def fleiss_ratings() -> np.ndarray:
    return np.array([np.repeat(np.arange(1, 6), counts) for counts in FLEISS], dtype=float).T


# R irrCAC: gwet.ac1.raw(raw4raters, weights = "unweighted" | "linear" | "quadratic" | "ordinal")
@pytest.mark.parametrize(
    ("weights", "value", "se"),
    [
        ("identity", 0.77544, 0.14295),
        ("linear", 0.85874, 0.11733),
        ("quadratic", 0.91400, 0.10396),
        ("ordinal", 0.89894, 0.10690),
    ],
)
def test_gwet_with_missing_ratings(weights: str, value: float, se: float) -> None:
    found = gwet_ac(OBSERVERS, weights)
    assert found.value == pytest.approx(value, abs=1e-5)
    assert found.unit_se == pytest.approx(se, abs=1e-5)
    assert (found.units, found.dropped, found.raters) == (11, 1, 4)


def test_the_published_interval_of_ac1_takes_units_as_the_sample() -> None:
    # R irrCAC: gwet.ac1.raw(raw4raters), conf.int (0.461, 1)
    found = gwet_ac(OBSERVERS, "identity")
    assert (found.unit_low, found.unit_high) == (pytest.approx(0.46081, abs=1e-5), 1.0)
    assert found.interval.startswith("jackknife over raters")
    assert found.low is not None
    assert found.low != pytest.approx(found.unit_low)


def test_fleiss_and_brennan_prediger_with_missing_ratings() -> None:
    # R irrCAC: fleiss.kappa.raw, bp.coeff.raw on raw4raters
    assert fleiss_kappa(OBSERVERS).value == pytest.approx(0.76117, abs=1e-5)
    assert fleiss_kappa(OBSERVERS, "ordinal").value == pytest.approx(0.85021, abs=1e-5)
    assert brennan_prediger(OBSERVERS).value == pytest.approx(0.77273, abs=1e-5)


def test_fleiss_of_1971() -> None:
    assert fleiss_kappa(fleiss_ratings()).value == pytest.approx(0.20993, abs=1e-5)
    assert gwet_ac(fleiss_ratings(), "identity").value == pytest.approx(0.22561, abs=1e-5)


def test_fleiss_equals_statsmodels_where_nothing_is_missing() -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    assert fleiss_kappa(fleiss_ratings()).value == pytest.approx(inter_rater.fleiss_kappa(np.array(FLEISS)))


def test_prevalence_paradox() -> None:
    """Feinstein and Cicchetti (1990): 85 % agreement in both; only the shares of the categories differ."""
    even, skewed = rows_of([[40, 9], [6, 45]]), rows_of([[80, 10], [5, 5]])
    two = (1, 2)
    for ratings, kappa, ac1, alpha in ((even, 0.700, 0.701, 0.701), (skewed, 0.318, 0.808, 0.318)):
        found = gwet_ac(ratings, "identity", two)
        assert found.percent == pytest.approx(0.85)
        assert found.value == pytest.approx(ac1, abs=5e-4)
        assert weighted_kappa(*ratings, two, "identity").value == pytest.approx(kappa, abs=5e-4)
        assert krippendorff_alpha(ratings, "nominal", two).value == pytest.approx(alpha, abs=1e-3)
        assert brennan_prediger(ratings, "identity", two).value == pytest.approx(0.700, abs=5e-4)


def test_the_scale_is_fixed_whatever_was_chosen() -> None:
    """P-32: leaving out the points nobody chose would change the weights and with them AC2."""
    ratings = [[4, 5, 4, 3, 5, 5], [4, 4, 4, 3, 5, 4], [5, 5, 4, 4, 5, 5]]
    assert gwet_ac(ratings).value != pytest.approx(gwet_ac(ratings, "ordinal", (3, 4, 5)).value or 0.0, abs=0.02)
    assert gwet_ac(ratings).value == gwet_ac(ratings, "ordinal", (1, 2, 3, 4, 5)).value


# R vcd: confint(Kappa(SexualFun)), Kappa(SexualFun, weights = "Equal-Spacing" | "Fleiss-Cohen")
@pytest.mark.parametrize(
    ("weights", "value", "se"),
    [("identity", 0.12933, 0.0686), ("linear", 0.23738, 0.0783), ("quadratic", 0.33205, 0.0973)],
)
def test_cohen_with_its_asymptotic_standard_error(weights: str, value: float, se: float) -> None:
    ratings = rows_of([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]])
    found = weighted_kappa(*ratings, (1, 2, 3, 4), weights)
    assert found.value == pytest.approx(value, abs=1e-5)
    assert found.se == pytest.approx(se, abs=5e-5)
    assert found.low == pytest.approx(value - 1.959964 * (found.se or 0), abs=1e-5)


def test_cohen_equals_statsmodels() -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    table = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
    theirs = inter_rater.cohens_kappa(np.array(table), wt="quadratic")
    ours = weighted_kappa(*rows_of(table), (1, 2, 3, 4), "quadratic")
    assert (ours.value, ours.se) == (pytest.approx(theirs.kappa), pytest.approx(theirs.std_kappa))


def test_everyone_agrees_beyond_alpha() -> None:
    """P-29: with a fixed scale AC and Brennan–Prediger are 1; Fleiss is not defined; nobody gets an interval of 0."""
    same = np.full((12, 8), 4.0)
    for found in (gwet_ac(same), gwet_ac(same, "identity"), brennan_prediger(same)):
        assert (found.value, found.percent) == (1.0, 1.0)
        assert (found.low, found.high) == (None, None)
        assert "interval not estimable" in found.note
    kappa = fleiss_kappa(same)
    assert (kappa.value, kappa.reason, kappa.percent) == (None, NO_VARIATION, 1.0)


@pytest.mark.parametrize("coefficient", [gwet_ac, brennan_prediger, fleiss_kappa])
@pytest.mark.parametrize("ratings", [np.zeros((0, 0)), [[4, 5, 3]], [[4, NAN], [NAN, 3]]])
def test_too_little_for_any_coefficient(coefficient: object, ratings: object) -> None:
    """P-30: nobody, one rater, or no object with two ratings."""
    found = coefficient(ratings)  # type: ignore[operator]
    assert (found.value, found.reason, found.percent) == (None, TOO_FEW, None)


def test_one_object_and_uneven_raters_have_a_value() -> None:
    """P-30: one object only; and three raters on one object, five on the other."""
    assert gwet_ac([[4], [4], [5]]).value is not None
    uneven = gwet_ac([[4, 5], [4, 4], [3, 5], [NAN, 5], [NAN, 4]])
    assert (uneven.units, uneven.raters) == (2, 5)
    assert uneven.value is not None


def test_unknown_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="identity, linear, quadratic or ordinal"):
        gwet_ac(OBSERVERS, "cubic")
    with pytest.raises(ValueError, match="at least two categories"):
        gwet_ac([[1, 1], [1, 1]], "identity", (1,))


@pytest.mark.parametrize("coefficient", [gwet_ac, brennan_prediger, fleiss_kappa, krippendorff_alpha])
def test_names_and_order_of_raters_and_objects_do_not_matter(coefficient: object) -> None:
    generator = np.random.default_rng(12)
    ratings = generator.integers(1, 6, size=(7, 10)).astype(float)
    ratings[generator.random(ratings.shape) < 0.2] = NAN
    mixed = ratings[generator.permutation(7)][:, generator.permutation(10)]
    first, second = coefficient(ratings), coefficient(mixed)  # type: ignore[operator]
    assert second.value == pytest.approx(first.value, abs=1e-12)
    assert (second.low, second.high) == (pytest.approx(first.low), pytest.approx(first.high))
    assert -1 <= first.low <= first.value <= first.high <= 1


@pytest.mark.parametrize("coefficient", [gwet_ac, brennan_prediger, fleiss_kappa])
def test_random_ratings_are_near_zero_by_every_chance_term(coefficient: object) -> None:
    """P-31: weights stand in the chance term as well, else random ratings would seem to agree."""
    ratings = np.random.default_rng(1).integers(1, 6, size=(5, 2000)).astype(float)
    for weights in ("identity", "linear", "quadratic", "ordinal"):
        found = coefficient(ratings, weights)  # type: ignore[operator]
        assert found.value == pytest.approx(0, abs=0.02)
