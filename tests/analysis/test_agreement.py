"""Agreement against published values; nothing is invented where it is not defined."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.agreement import NO_VARIATION, TOO_FEW, krippendorff_alpha, weighted_kappa

NAN = float("nan")
# Krippendorff (2011), Computing Krippendorff's alpha-reliability: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.mark.parametrize(
    ("measure", "value"), [("nominal", 0.74342), ("ordinal", 0.81539), ("interval", 0.84911), ("ratio", 0.79740)]
)
def test_missing_ratings_are_not_a_category(measure: str, value: float) -> None:
    """P-31: the published example with gaps; the unit with one rating is dropped and counted."""
    found = krippendorff_alpha(OBSERVERS, measure)
    assert found.value == pytest.approx(value, abs=1e-5)
    assert (found.units, found.dropped, found.raters) == (11, 1, 4)


def test_three_raters_who_agree_wherever_they_meet() -> None:
    """P-31: blanks as a category would give 0.33."""
    assert krippendorff_alpha([[1, 1, 2], [1, 1, NAN], [NAN, 1, 2]], "nominal").value == pytest.approx(1.0)


@pytest.mark.parametrize("measure", ["nominal", "ordinal", "interval", "ratio"])
def test_random_ratings_agree_by_chance_only(measure: str) -> None:
    """P-31: 2,000 objects, five independent random ratings each."""
    ratings = np.random.default_rng(1).integers(1, 6, size=(5, 2000)).astype(float)
    assert krippendorff_alpha(ratings, measure).value == pytest.approx(0, abs=0.02)


def test_everyone_agrees_and_alpha_is_not_defined() -> None:
    """P-29: all 12 experts give 4 to every object: no number, the reason, and 100 % agreement beside it."""
    found = krippendorff_alpha(np.full((12, 8), 4.0))
    assert found.value is None
    assert found.reason == NO_VARIATION == "not defined – ratings do not vary"
    assert found.percent == 1.0


@pytest.mark.parametrize("ratings", [np.zeros((0, 0)), [[4, 5, 3]], [[4, NAN], [NAN, 3]]])
def test_too_little_for_agreement(ratings: object) -> None:
    """P-30: nobody, one rater, or no object with two ratings."""
    found = krippendorff_alpha(ratings)  # type: ignore[arg-type]
    assert found.value is None
    assert found.reason == TOO_FEW
    assert found.percent is None


def test_uneven_raters_are_handled() -> None:
    """P-30: three raters on one object, five on the other; both count, neither is padded."""
    ratings = [[4, 5], [4, 4], [3, 5], [NAN, 5], [NAN, 4]]
    found = krippendorff_alpha(ratings)
    assert found.value is not None
    assert (found.units, found.dropped, found.raters) == (2, 0, 5)


def test_weighted_kappa_keeps_true_distances() -> None:
    """P-32: squeezing out the points nobody chose would give 0.769."""
    a, b = [1, 1, 2, 2, 5, 5, 5, 2, 1, 5], [1, 2, 2, 1, 5, 2, 5, 2, 1, 5]
    assert weighted_kappa(a, b).value == pytest.approx(0.811, abs=5e-4)
    squeezed = {1: 1, 2: 2, 5: 3}
    assert weighted_kappa([squeezed[x] for x in a], [squeezed[x] for x in b]).value == pytest.approx(0.769, abs=5e-4)


def test_weighted_kappa_of_vcd() -> None:
    # R vcd: Kappa(SexualFun, weights = "Fleiss-Cohen"), quadratic .33205
    counts = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
    pairs = [(i + 1, j + 1) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    first, second = zip(*pairs, strict=True)
    assert weighted_kappa(first, second, (1, 2, 3, 4)).value == pytest.approx(0.33205, abs=1e-5)


def test_weighted_kappa_without_variation_is_not_defined() -> None:
    found = weighted_kappa([4, 4], [4, 4])
    assert (found.value, found.reason, found.percent) == (None, NO_VARIATION, 1.0)


def test_a_value_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="not one of the categories"):
        krippendorff_alpha([[3.5, 4], [4, 4]])
    with pytest.raises(ValueError, match="nominal, ordinal, interval or ratio"):
        krippendorff_alpha([[3, 4], [4, 4]], "cardinal")


@pytest.mark.parametrize("measure", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_equals_another_implementation(measure: str) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    ratings = np.random.default_rng(6).integers(1, 6, size=(9, 14)).astype(float)
    ratings[np.random.default_rng(7).random(ratings.shape) < 0.2] = NAN
    theirs = krippendorff.alpha(ratings, value_domain=[1, 2, 3, 4, 5], level_of_measurement=measure)
    assert krippendorff_alpha(ratings, measure).value == pytest.approx(theirs, abs=1e-12)
