"""Intraclass correlations against Shrout and Fleiss, and what they do with gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.agreement import NO_VARIATION, intraclass, jackknife, spearman_brown
from analysis.agreement.intraclass import BELOW_CHANCE, FORMS, NO_RECTANGLE

NAN = float("nan")
# Shrout and Fleiss (1979), Table 2: six targets, four judges.
SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float).T
VALUES = dict(zip(FORMS, (0.16574, 0.28976, 0.71484, 0.44280, 0.62005, 0.90932), strict=True))


@pytest.mark.parametrize("form", FORMS)
def test_shrout_and_fleiss(form: str) -> None:
    # Table 4 of the paper: .17 .29 .71 .44 .62 .91; R psych: ICC(sf)
    found = intraclass(SHROUT)[form]
    assert found.value == pytest.approx(VALUES[form], abs=1e-5)
    assert (found.objects, found.raters) == (6, 4)


def test_interval_of_the_mean_of_k_raters() -> None:
    # R psych: ICC(sf), ICC2k lower .071, upper .927
    found = intraclass(SHROUT)["ICC(2,k)"]
    assert (found.f_low, found.f_high) == (pytest.approx(0.071, abs=5e-4), pytest.approx(0.927, abs=5e-4))
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < VALUES["ICC(2,k)"] < found.high <= 1


@pytest.mark.filterwarnings("ignore")  # of the other package, about its own use of pandas
def test_pingouin_gives_the_same() -> None:
    pingouin = pytest.importorskip("pingouin")
    ratings = np.random.default_rng(4).integers(1, 6, size=(7, 9)).astype(float)
    ratings += ratings.mean(axis=0).round()
    long = pd.DataFrame(ratings).stack().rename("score").rename_axis(["rater", "object"]).reset_index()
    theirs = pingouin.intraclass_corr(long, targets="object", raters="rater", ratings="score")["ICC"].to_list()
    assert [found.value for found in intraclass(ratings).values()] == pytest.approx(theirs, abs=1e-9)


def test_spearman_brown() -> None:
    assert spearman_brown(VALUES["ICC(2,1)"], 4) == pytest.approx(VALUES["ICC(2,k)"], abs=2e-5)
    assert spearman_brown(0.5, 1) == pytest.approx(0.5)
    assert spearman_brown(-0.5, 3) is None
    with pytest.raises(ValueError, match="at least one rater"):
        spearman_brown(0.5, 0)


@pytest.mark.parametrize("form", ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)"])
def test_each_replicate_is_the_form_without_that_rater(form: str) -> None:
    ratings = np.random.default_rng(8).integers(1, 6, size=(6, 9)).astype(float)
    whole = intraclass(ratings)[form]
    without = [intraclass(np.delete(ratings, rater, axis=0))[form].value for rater in range(6)]
    expected = jackknife(whole.value or 0.0, np.array(without, dtype=float))
    assert (whole.low, whole.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_gaps_leave_the_larger_rectangle() -> None:
    """P-30: by where ratings are, whatever they say; nothing is filled in."""
    gap = SHROUT.copy()
    gap[0, 0] = NAN
    found = intraclass(gap)["ICC(3,1)"]
    assert (found.objects, found.raters, found.kept) == (5, 4, "objects that all raters rated")
    assert found.value == intraclass(SHROUT[:, 1:])["ICC(3,1)"].value
    row = np.vstack([SHROUT, [9, NAN, NAN, NAN, NAN, NAN]])
    found = intraclass(row)["ICC(3,1)"]
    assert (found.objects, found.raters, found.kept) == (6, 4, "raters who rated all objects")


def test_no_rectangle_has_no_reliability() -> None:
    """P-30: nobody, one rater, one object, or ratings that never meet."""
    for ratings in (np.zeros((0, 0)), [[4.0, 5.0]], [[4.0], [5.0]], [[4, NAN], [NAN, 3]]):
        for found in intraclass(ratings).values():
            assert (found.value, found.reason) == (None, NO_RECTANGLE)


def test_all_equal_has_no_reliability() -> None:
    """P-29."""
    for found in intraclass(np.full((12, 8), 4.0)).values():
        assert (found.value, found.reason) == (None, NO_VARIATION)


def test_objects_that_differ_less_than_raters_have_no_mean_reliability() -> None:
    crossed = intraclass([[1.0, 5.0], [5.0, 1.0]])
    assert crossed["ICC(3,1)"].value == pytest.approx(-1)
    assert (crossed["ICC(3,k)"].value, crossed["ICC(3,k)"].reason) == (None, BELOW_CHANCE)


def test_perfect_raters_have_no_interval() -> None:
    """P-33: 1 with a width of zero would claim certainty."""
    found = intraclass([[1, 3, 5], [1, 3, 5], [1, 3, 5]])["ICC(2,k)"]
    assert found.value == pytest.approx(1.0)
    assert (found.low, found.f_low) == (None, None)
    assert "interval not estimable" in found.note
