"""Patterns in answers, times and texts: against R's careless package, constructed rows, and the edges."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from analysis.care.patterns import irv, longstring, person_total, robust_z
from analysis.care.texts import content_words, is_copied, jaccard, near_duplicates, prompt_shingles, tokens
from analysis.care.times import closing_pages, fast_pages, rating_pages
from analysis.care.unusual import beyond, mahalanobis, outfit, unusual

NONE = float("nan")


def careless() -> np.ndarray:
    shared = Path(os.environ.get("REALIA_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    with (shared / "oracles" / "careless.csv").open() as file:
        return np.array([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])


@pytest.mark.shared
def test_longstring_of_r_careless() -> None:
    """R careless 1.2.2: longstring(careless_dataset); first ten and the mean."""
    found = [longstring(row) for row in careless()]
    assert found[:10] == [6, 4, 3, 3, 3, 2, 5, 4, 6, 5]
    assert np.mean(found) == pytest.approx(5.87)


@pytest.mark.shared
def test_irv_of_r_careless() -> None:
    """R careless 1.2.2: irv(careless_dataset); first five and the mean."""
    found = [irv(row) for row in careless()]
    assert found[:5] == pytest.approx([0.86307471, 1.03509834, 0.96890428, 0.96489399, 1.16916157], abs=1e-8)
    assert np.mean(found) == pytest.approx(1.0052523, abs=1e-7)


@pytest.mark.shared
def test_mahalanobis_of_r_careless() -> None:
    """R careless 1.2.2: mahad(careless_dataset, flag = TRUE, confidence = 0.99); first four, and 23 flagged."""
    found = mahalanobis(careless())
    assert found[:4] == pytest.approx([44.05238, 40.08368, 49.12763, 39.91097], abs=1e-5)
    far = beyond(found, np.full(len(found), 50))
    assert far.count(True) == 23
    assert all(either for either, one in zip(unusual(careless()), far, strict=True) if one)


def test_outfit_is_that_of_a_regression_with_internally_studentised_residuals() -> None:
    """statsmodels: OLS on dummies of raters and objects, get_influence().resid_studentized_internal."""
    rng = np.random.default_rng(3)
    x = rng.integers(1, 6, (7, 5)).astype(float)
    x[0, 1] = x[3, 4] = NONE
    rows, columns = np.nonzero(np.isfinite(x))
    design = np.hstack([np.eye(7)[rows], np.eye(5)[columns][:, 1:]])
    z = sm.OLS(x[rows, columns], design).fit().get_influence().resid_studentized_internal
    assert outfit(x) == pytest.approx([float((z[rows == rater] ** 2).mean()) for rater in range(7)])


def test_outfit_does_where_there_are_too_few_people_for_the_distance() -> None:
    """As many people as objects: no covariance; who answers at random among people of one mind stands out."""
    rng = np.random.default_rng(1)
    x = np.clip(np.array([2, 4, 3, 5, 2, 4, 3, 4]) + rng.integers(-1, 1, (8, 1)), 1, 5).astype(float)
    x[0] = [5, 1, 5, 1, 5, 1, 5, 1]
    assert mahalanobis(x) == [None] * 8
    assert unusual(x) == [True] + [False] * 7
    assert unusual(6 - x) == unusual(x)


@pytest.mark.parametrize("x", [np.full((8, 4), 4.0), np.full((3, 4), NONE), np.ones((4, 4)) * [[1], [2], [3], [4]]])
def test_nobody_is_unusual_where_all_are_alike_or_few(x: np.ndarray) -> None:
    assert mahalanobis(x) == outfit(x) == unusual(x) == [None] * len(x)


def test_ten_ones_and_then_alternating_is_a_run_of_ten() -> None:
    assert longstring([1] * 10 + [0, 1] * 5) == 10
    assert longstring([0, 1] * 5 + [1] * 9) == 10


def test_a_gap_breaks_no_run() -> None:
    assert longstring([4, 4, NONE, 4, 2]) == 3


def test_nothing_answered_is_none_and_all_the_same_has_no_spread() -> None:
    assert longstring([NONE, NONE]) is None
    assert irv([NONE, NONE]) is None
    assert irv([3]) is None
    assert irv([3, 3, 3, NONE]) == 0
    assert longstring([3, 3, 3, NONE]) == 3


def test_person_total_correlates_with_the_others_only() -> None:
    """numpy.corrcoef of each row with the mean of the other rows."""
    x = np.array([[1, 2, 3, 4, 5], [2, 2, 3, 5, 4], [5, 4, 3, 2, 1], [1, 3, 3, 4, 4]], dtype=float)
    found = person_total(x)
    for row in range(4):
        expected = np.corrcoef(x[row], np.delete(x, row, axis=0).mean(axis=0))[0, 1]
        assert found[row] == pytest.approx(expected)
    assert found[2] is not None
    assert found[2] < 0


def test_person_total_is_none_where_it_is_not_defined() -> None:
    x = np.array([[3, 3, 3, 3], [1, 2, NONE, NONE], [NONE] * 4, [1, 2, 4, 5]], dtype=float)
    assert person_total(x)[:3] == [None, None, None]
    # Everybody else is flat on what is shared, so that there is nothing to correlate with.
    assert person_total(np.array([[1, 2, 3], [4, 4, 4], [2, 2, 2]], dtype=float))[0] is None
    assert person_total(np.array([[1.0, 2.0, 3.0]])) == [None]


def test_mirroring_the_scale_changes_no_pattern() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(1, 6, (12, 8)).astype(float)
    for row in x:
        assert longstring(6 - row) == longstring(row)
        assert irv(6 - row) == pytest.approx(irv(row))
    assert person_total(6 - x) == pytest.approx(person_total(x))


def test_robust_z_is_about_the_median() -> None:
    z = robust_z([1, 2, 3, 4, 100, NONE])
    assert z[2] == 0
    assert z[4] == pytest.approx(97 / 1.4826)
    assert np.isnan(z[5])
    assert robust_z([2, 2, 2, 9]).tolist() == [0, 0, 0, 0]
    assert len(robust_z([])) == 0


def ratings(rows: list[tuple[str, int, float]]) -> pd.DataFrame:
    """visit, second at which the page was shown, seconds until the last choice."""
    start = pd.Timestamp("2026-03-02", tz="UTC")
    shown = [start + pd.Timedelta(seconds=at) for _, at, _ in rows]
    final = [a + pd.Timedelta(seconds=s) for a, (_, _, s) in zip(shown, rows, strict=True)]
    return pd.DataFrame({"visit": [v for v, _, _ in rows], "shown_at": shown, "final_at": final})


CLOSING = pd.DataFrame(
    {
        "visit": ["a"] * 6,
        "item": ["own_Case", "own_Order", "umux_1", "umux_2", "hoped", "use_answers"],
        "value": ["4", "4", "5", "5", "", "yes"],
        "value_blank": [""] * 6,
        "shown_at": pd.to_datetime([0, 0, 3, 3, 9, 10], unit="s", utc=True),
    }
)


def test_a_matrix_is_one_page_and_a_page_without_a_time_of_its_own_is_left_out() -> None:
    pages = rating_pages(ratings([("a", 0, 3.0), ("a", 0, 5.0), ("a", 60, 1.0), ("b", 0, 0.0)]))
    assert pages[["visit", "items", "seconds"]].to_numpy().tolist() == [["a", 2, 5.0], ["a", 1, 1.0]]


def test_closing_pages_last_until_the_next_and_what_nobody_answered_is_no_page() -> None:
    pages = closing_pages(CLOSING)
    assert pages[["items", "seconds"]].to_numpy().tolist() == [[2, 3.0], [2, 6.0]]
    assert closing_pages(CLOSING, {"own"})["items"].tolist() == [1, 2]


def test_fast_pages_are_counted_by_visit() -> None:
    quick = ratings([("a", 0, 1.5), ("a", 10, 1.9), ("a", 20, 2.0), ("b", 0, 30.0)])
    found = fast_pages(quick, CLOSING.head(0))
    assert found.loc["a"].tolist() == [3, 2]
    assert found.loc["b"].tolist() == [1, 0]
    assert fast_pages(quick.head(0), CLOSING.head(0)).empty


def test_words_of_any_script_are_told_apart() -> None:
    assert tokens("Two words, TWO!") == ["two", "words", "two"]
    assert content_words("of it 12 345 fine") == {"fine"}
    assert len(content_words("记录看起来很真实")) == 8
    assert content_words("السجلات تبدو حقيقية") == {"السجلات", "تبدو", "حقيقية"}


def test_jaccard_of_nothing_is_none() -> None:
    assert jaccard(set(), set()) is None
    assert jaccard({"a", "b"}, {"b", "c"}) == pytest.approx(1 / 3)


def test_near_duplicates_share_four_fifths_of_their_words() -> None:
    texts = [
        "the dates and amounts fit together well", "the dates and amounts fit together nicely",
        "The dates, and amounts, fit together well!", "nothing alike stands here", "ok", "ok", "",
    ]  # fmt: skip
    found = {tuple(pair) for pair in near_duplicates(texts).tolist()}
    assert found == {(0, 2)}
    assert {tuple(pair) for pair in near_duplicates(texts, 0.7).tolist()} == {(0, 1), (0, 2), (1, 2)}
    assert near_duplicates([]).shape == (0, 2)
    assert near_duplicates(["ok", ""]).shape == (0, 2)


def test_a_text_that_is_the_pages_own_is_found() -> None:
    prompts = prompt_shingles([{"stem": "Judge the records, not the screens.", "more": ["What looked right"]}, None])
    assert is_copied("judge the records not the screens", prompts)
    assert not is_copied("judge the records", prompts)
    assert not is_copied("I judge these by the ones at work, and they fit", prompts)
