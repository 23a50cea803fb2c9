"""Mean scores and the signed-rank test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.comparisons import NO_DIFFERENCES, NOT_ESTIMABLE, mean_score, signed_rank


def test_balanced_differences_with_many_ties_show_no_difference() -> None:
    """P-34: 15 up, 40 equal, 15 down; the rule for ties and zeros is named."""
    found = signed_rank([1] * 15 + [0] * 40 + [-1] * 15)
    assert found.p == pytest.approx(1.0)
    assert found.zeros == 40
    assert "Pratt" in found.method


def test_all_equal_has_nothing_to_test() -> None:
    """P-34: no p-value is made up; two objects with identical ratings are such a case."""
    ratings = np.array([4, 5, 3, 2])
    for differences in ([0] * 70, ratings - ratings, []):
        found = signed_rank(differences)  # type: ignore[arg-type]
        assert found.p is None
        assert found.note == NO_DIFFERENCES == "no differences to test"


def test_the_library_agrees_on_balanced_ties() -> None:
    """P-34: pins what this version of scipy does, so that an update that changes it is seen."""
    data = [1] * 15 + [0] * 40 + [-1] * 15
    for rule in ("pratt", "wilcox", "zsplit"):
        assert stats.wilcoxon(data, zero_method=rule, method="asymptotic").pvalue == pytest.approx(1.0)


def test_depression_data_of_hollander_and_wolfe() -> None:
    # R ?wilcox.test: wilcox.test(x, y, paired = TRUE, alternative = "greater"): V = 40, p = 0.01953
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = signed_rank([a - b for a, b in zip(x, y, strict=True)])
    assert found.v == 40
    assert found.p == pytest.approx(2 * 0.01953, abs=1e-5)


def test_exact_p_equals_the_library_without_ties() -> None:
    data = [0.3, -0.9, 1.7, 2.2, -0.1, 4.0, 0.7, -1.5, 2.9, 3.3]
    assert signed_rank(data).p == pytest.approx(stats.wilcoxon(data, method="exact").pvalue)


def test_constant_scores_have_a_mean_and_no_interval() -> None:
    """P-33: 12 people all rating 4: not 4.0 to 4.0, as if certain, and not NaN."""
    found = mean_score([4] * 12)
    assert (found.estimate, found.low, found.high) == (4.0, None, None)
    assert found.note == NOT_ESTIMABLE
    assert "interval not estimable" in found.note


def test_mean_score_is_a_t_interval() -> None:
    found = mean_score([1, 2, 4, 5, 5, 3])
    reference = stats.ttest_1samp([1, 2, 4, 5, 5, 3], 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high))


def test_mean_score_of_few() -> None:
    assert mean_score([]).estimate is None
    assert (mean_score([5]).estimate, mean_score([5]).low) == (5.0, None)


def test_differences_must_be_numbers() -> None:
    with pytest.raises(ValueError, match="finite"):
        signed_rank([1.0, float("nan")])
