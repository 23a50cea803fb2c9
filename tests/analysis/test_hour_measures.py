"""The statistics of the hour by themselves: against printed values, other software, and by hand."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.hour.adjusted import within_strata_difference
from analysis.hour.calibration import EDGES, brier, calibration
from analysis.hour.groupings import cells_of, thirds
from analysis.hour.means import cluster_mean, rank_correlation, ratio, spread, welch, within_slopes
from analysis.hour.richness import chao1, chao2, kinds_of
from analysis.hour.telling import slug

# R survey 4.1, apiclus1, sch.wide == "No": svymean = .12568306, SE = .02056424, 15 clusters.
APICLUS_K = [2, 3, 1, 3, 1, 0, 0, 0, 0, 3, 2, 0, 5, 1, 2]
APICLUS_M = [13, 34, 4, 13, 16, 2, 1, 4, 12, 21, 9, 11, 37, 2, 4]


def test_a_ratio_has_the_standard_error_of_survey_software() -> None:
    found = ratio(APICLUS_K, APICLUS_M)
    half = stats.t.ppf(0.975, 14) * 0.02056424
    assert found.estimate == pytest.approx(0.12568306, abs=1e-8)
    assert found.high is not None
    assert found.high - 0.12568306 == pytest.approx(half, abs=1e-7)
    assert (found.n, found.clusters) == (183, 15)


def test_one_value_each_is_the_t_interval() -> None:
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = cluster_mean(values, range(6))
    assert (found.low, found.high) == pytest.approx(tuple(expected))


def test_clusters_are_those_of_a_regression_with_clustered_errors() -> None:
    """statsmodels: ols("y ~ 1").fit(cov_type="cluster", cov_kwds={"groups": g}, use_t=True)."""
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(9), [1, 2, 3, 4, 5, 1, 2, 3, 4])
    values = rng.normal(size=9)[clusters] + rng.normal(size=len(clusters))
    frame = pd.DataFrame({"y": values})
    model = smf.ols("y ~ 1", frame).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    found = cluster_mean(values, clusters)
    assert (found.low, found.high) == pytest.approx(tuple(model.conf_int().iloc[0]))


@pytest.mark.parametrize(
    ("values", "clusters", "words"),
    [([], [], "nothing"), ([2.0], [1], "one rater"), ([2.0, 2.0, 2.0], [1, 2, 3], "all alike")],
)
def test_a_mean_without_spread_says_why_it_has_no_interval(
    values: list[float], clusters: list[int], words: str
) -> None:
    """P-33: no interval of width nought, and no NaN."""
    found = cluster_mean(values, clusters)
    assert (found.low, found.high) == (None, None)
    assert words in found.note


def test_people_who_obtained_nothing_still_asked() -> None:
    """Questions ÷ facts: somebody with two questions and no fact makes a fact dearer."""
    assert ratio([2, 3, 2], [1, 3, 0]).estimate == pytest.approx(7 / 4)
    assert ratio([1, 0], [0, 0]).estimate is None


def test_welch_is_that_of_scipy() -> None:
    a, b = [0.1, 0.5, 0.9, 0.4, 0.6], [0.9, 0.8, 1.0, 0.7, 0.95, 0.85]
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    found = welch(a, b)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert welch([1.0], b).low is None
    assert "all alike" in welch([1.0, 1.0], [2.0, 2.0]).note


def test_rank_correlation_with_ties_and_bonett_and_wrights_interval() -> None:
    x, y = [1, 2, 2, 4, 5, 6, 7], [2, 1, 3, 3, 6, 5, 7]
    rho = float(stats.spearmanr(x, y).statistic)
    found = rank_correlation(x, y)
    assert found.estimate == pytest.approx(rho)
    half = 1.959963985 * math.sqrt((1 + rho**2 / 2) / 4)
    assert found.high == pytest.approx(math.tanh(math.atanh(rho) + half))
    assert rank_correlation(x, [3] * 7).note.startswith("not defined")
    assert rank_correlation(x, x).low is None
    assert "too few" in rank_correlation([1, 2], [2, 1]).note


def test_slopes_are_those_within_each_rater() -> None:
    x = [1, 2, 3, 1, 2, 3, 5]
    y = [2.0, 4.0, 6.0, 9.0, 8.0, 4.0, 1.0]
    raters = ["a", "a", "a", "b", "b", "b", "c"]
    expected = [np.polyfit(x[:3], y[:3], 1)[0], np.polyfit(x[3:6], y[3:6], 1)[0]]
    assert within_slopes(x, y, raters) == pytest.approx(expected)
    assert len(within_slopes([], [], [])) == 0


def test_quartiles_are_linear_between_order_statistics() -> None:
    found = spread([1, 2, 3, 10])
    assert (found.quartile_1, found.median, found.quartile_3, found.mean) == (1.75, 2.5, 4.75, 4.0)
    assert spread([]).median is None


# Calibration


def test_brier_by_hand() -> None:
    """Two at .8 with one right, two at .2 with none: score (.04 + .64 + .04 + .04)/4."""
    found = brier([0.8, 0.8, 0.2, 0.2], [1, 0, 0, 0])
    assert found.score == pytest.approx(0.19)
    assert found.reliability == pytest.approx((2 * 0.3**2 + 2 * 0.2**2) / 4)
    assert found.resolution == pytest.approx((2 * 0.25**2 + 2 * 0.25**2) / 4)
    assert found.uncertainty == pytest.approx(0.25 * 0.75)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 1)), min_size=1, max_size=60))
def test_the_three_parts_add_up_to_the_score(pairs: list[tuple[int, int]]) -> None:
    found = brier([step / 10 for step, _ in pairs], [right for _, right in pairs])
    assert found.reliability - found.resolution + found.uncertainty == pytest.approx(found.score)
    assert min(found.reliability, found.resolution, found.uncertainty) >= 0


def test_those_who_are_right_as_often_as_they_think_have_no_unreliability() -> None:
    confidence = np.repeat([0.2, 0.5, 0.8], 10)
    right = np.concatenate([[1] * 2 + [0] * 8, [1] * 5 + [0] * 5, [1] * 8 + [0] * 2])
    found = calibration(confidence, right, np.arange(30), np.arange(30))
    assert found.brier is not None
    assert found.brier.reliability == pytest.approx(0)
    assert found.overconfidence.estimate == pytest.approx(0)
    assert found.overconfidence.low is not None
    assert found.overconfidence.low < 0
    assert [row.n for row in found.bins] == [10, 0, 10, 10, 0]
    assert found.bins[3].share == pytest.approx(0.8)


def test_overconfidence_is_confidence_minus_share_right_with_raters_as_clusters() -> None:
    """Each of six raters answers alike four times: there are six observations, not 24."""
    each = np.array([1, 1, 0, 1, 0, 0])
    confidence, right = np.full(24, 0.9), np.repeat(each, 4)
    raters = np.repeat(np.arange(6), 4)
    found = calibration(confidence, right, raters, raters).overconfidence
    alone = cluster_mean(0.9 - each, range(6))
    assert found.estimate == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


@pytest.mark.parametrize("step", range(11))
def test_every_step_of_ten_has_its_bin(step: int) -> None:
    bins = calibration([step / 10] * 5, [1, 0, 1, 1, 0], range(5), range(5)).bins
    place = next(number for number, row in enumerate(bins) if row.n)
    assert place == (0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4)[step]
    assert len(bins) == len(EDGES) - 1


def test_where_raters_are_nested_the_outer_clusters_carry_overconfidence() -> None:
    confidence, right = np.repeat([0.9, 0.5, 0.7, 0.6], 5), np.tile([1, 0, 1, 1, 0], 4)
    people, orgs = np.arange(20), np.repeat(["a", "b", "c", "d"], 5)
    found = calibration(confidence, right, people, orgs).overconfidence
    nested = cluster_mean(confidence - right, orgs)
    assert (found.clusters, found.low, found.high) == (4, nested.low, nested.high)


def test_few_people_have_no_interval_and_no_answers_no_score() -> None:
    few = calibration([0.5, 0.6], [1, 0], [1, 2], [1, 2])
    assert few.overconfidence.low is None
    assert "too few" in few.note
    assert all(row.share is None for row in few.bins)
    assert calibration([], [], [], []).brier is None
    with pytest.raises(ValueError, match="divide by 100"):
        brier([50, 80], [0, 1])


# Kinds nobody named


@pytest.mark.parametrize(
    ("once", "twice", "observed", "n", "printed"),
    [
        # R iNEXT, ChaoRichness(spider): Girdled, then Logged; estimator, s.e., lower and upper limit.
        (12, 4, 26, 168, (43.893, 14.306, 30.511, 96.971)),
        (14, 4, 37, 252, (61.403, 18.532, 43.502, 128.583)),
    ],
)
def test_chao1_is_that_of_r(
    once: int, twice: int, observed: int, n: int, printed: tuple[float, float, float, float]
) -> None:
    middle = [3] * (observed - once - twice - 1)
    counts = [1] * once + [2] * twice + middle + [n - once - 2 * twice - sum(middle)]
    found = chao1(counts)
    assert (found.observed, found.units) == (observed, n)
    assert (found.estimate, found.error, found.low, found.high) == pytest.approx(printed, abs=5e-4)


def test_chao2_is_that_of_r() -> None:
    """R vegan, specpool(BCI): 225 species in 50 plots, 21 in one and 19 in two; chao 236.3732, chao.se 6.54361."""
    found = chao2([1] * 21 + [2] * 19 + [9] * 185, 50)
    assert found.estimate == pytest.approx(236.3732, abs=5e-5)
    assert found.error == pytest.approx(6.54361, abs=5e-6)


def test_without_a_kind_seen_twice_the_bias_corrected_form_is_taken() -> None:
    found = chao1([1, 1, 1, 5])
    assert found.estimate == pytest.approx(4 + 7 / 8 * 3 * 2 / 2)
    assert found.low is not None
    assert found.low > 4


@pytest.mark.parametrize(
    ("counts", "words"),
    [([], "nothing was named"), ([3, 4], "seen more than once"), ([1, 4], "once and none twice"), ([1], "one unit")],
)
def test_where_nothing_can_be_said_of_the_unseen_it_says_so(counts: list[int], words: str) -> None:
    found = chao1(counts)
    assert found.low is None
    assert words in found.note


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=25))
def test_the_bound_is_never_below_what_was_seen(counts: list[int]) -> None:
    found = chao1(counts)
    if found.estimate is not None:
        assert found.estimate >= found.observed == sum(count > 0 for count in counts)
    if found.low is not None and found.high is not None and found.estimate is not None:
        assert found.observed <= found.low <= found.estimate <= found.high


def test_people_and_episodes_of_a_kind_are_counted_apart() -> None:
    episodes, people = kinds_of([("a", "routing"), ("a", "routing"), ("b", "routing"), ("b", "trend")])
    assert (episodes, people) == ({"routing": 3, "trend": 1}, {"routing": 2, "trend": 1})
    with pytest.raises(ValueError, match="of all people asked"):
        chao2([3], 2)


# What withholding costs


def test_the_difference_within_tasks_is_that_of_a_regression_with_task_effects() -> None:
    """statsmodels: ols("y ~ x + C(task)").fit(cov_type="cluster", cov_kwds={"groups": raters}, use_t=True)."""
    rng = np.random.default_rng(8)
    raters = np.repeat(np.arange(20), 5)
    task, x = rng.integers(0, 6, 100), rng.integers(0, 2, 100)
    y = (rng.random(100) < 0.4 + 0.1 * (task / 6) - 0.2 * x + 0.2 * (raters % 2)).astype(float)
    frame = pd.DataFrame({"y": y, "x": x, "task": task})
    model = smf.ols("y ~ x + C(task)", frame).fit(cov_type="cluster", cov_kwds={"groups": raters}, use_t=True)
    low, high = model.conf_int().loc["x"]
    found = within_strata_difference(y, x, task, raters)
    assert (found.estimate, found.low, found.high) == pytest.approx((-model.params["x"], -high, -low))
    assert (found.n, found.clusters) == (100, 20)


def test_a_hard_task_asked_one_way_alone_does_not_pass_for_a_loss() -> None:
    """Within each task nothing is lost; taken together, withholding would seem to cost a third."""
    easy, hard = ([1.0] * 8, [0.0] * 4)
    y, task = np.array(easy + hard), np.repeat(["easy", "hard"], [8, 4])
    x = np.array([0, 0, 0, 0, 0, 0, 1, 1] + [1] * 4)
    found = within_strata_difference(y, x, task, range(12))
    assert y[x == 0].mean() - y[x == 1].mean() > 0.5
    assert (found.estimate, found.n) == (0.0, 8)


def test_nothing_to_compare_is_said() -> None:
    assert "both ways" in within_strata_difference([1, 0], [0, 1], ["a", "b"], [1, 2]).note
    assert within_strata_difference([], [], [], []).estimate is None


# Cells of people


def test_ordered_cells_merge_with_their_neighbour() -> None:
    answers = {f"p{n}": ["low"] for n in range(3)} | {f"q{n}": ["mid"] for n in range(4)}
    answers |= {f"r{n}": ["high"] for n in range(6)} | {"s": ["top"]}
    cells = cells_of(answers, ("low", "mid", "high", "top"), several=False)
    assert [(name, len(people)) for name, people in cells] == [("low · mid", 7), ("high · top", 7)]


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.text("abcdefgh", min_size=1, max_size=3), st.lists(st.sampled_from("vwxyz"), min_size=1, max_size=3),
        max_size=25,
    ),
    st.booleans(),
)  # fmt: skip
def test_no_cell_has_under_five_people(answers: dict[str, list[str]], several: bool) -> None:
    """M20: small cells could tell who somebody is."""
    given_answers = answers if several else {person: codes[:1] for person, codes in answers.items()}
    for _, people in cells_of(given_answers, "vwxyz", several=several):
        assert len(people) >= 5
        assert people <= set(answers)


def test_groups_of_different_names_have_different_tables() -> None:
    """Names that differ in case, signs or script alone; a table's name is a file's name."""
    names = [
        "",
        "main",
        "Main",
        "main, org",
        "main_org",
        "main-org",
        "main, visit 2",
        "组一",
        "组二",
        "a" * 300,
        "a" * 301,
    ]
    assert len({slug(name).casefold() for name in names}) == len(names)
    assert [slug(name) for name in names[1:5:2]] == ["main", "main-org"]
    assert all(re.fullmatch(r"[a-z0-9_-]{1,90}", slug(name)) for name in names)


def test_thirds_keep_ties_together() -> None:
    assert thirds([1, 2, 3, 4, 5, 6]).tolist() == [0, 0, 1, 1, 2, 2]
    assert thirds([7, 7, 7]).tolist() == [0, 0, 0]
