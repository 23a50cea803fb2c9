"""Approval averaged over raters: against plain counts and against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.ordinal import marginal_approval, marginal_difference, score_table
from analysis.ordinal.marginal import ONE_SIDE, approval_of_rater


def crossover(raters: int, seed: int, effect: float = 1.0) -> tuple[np.ndarray, ...]:
    """Every rater rates six objects of Org a and of Org b, b less realistic: scores, raters, objects, Orgs."""
    generator = np.random.default_rng(seed)
    people, objects, orgs = (grid.ravel() for grid in np.meshgrid(range(raters), range(6), range(2), indexing="ij"))
    latent = 0.6 + generator.normal(0, 1.0, raters)[people] - effect * orgs + np.linspace(-0.5, 0.5, 6)[objects]
    scores = np.digitize(latent + generator.logistic(size=len(people)), [-3, -1.5, 0, 2]) + 1.0
    return scores, people, objects, np.where(orgs == 1, "b", "a")


def test_marginal_approval_is_near_the_share_counted() -> None:
    scores, raters, objects, _ = crossover(60, 1, 0.0)
    table = score_table(scores, raters, objects)
    found = marginal_approval(table.fit(), table.rows())
    assert found.estimate == pytest.approx((scores >= 4).mean(), abs=0.02)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < found.estimate < found.high < 1


def test_marginal_odds_ratio_is_nearer_to_one_than_the_conditional() -> None:
    table = score_table(*crossover(80, 2))
    fit = table.fit()
    value, _ = fit.combined(table.row(table.objects[0], "b") - table.row(table.objects[0], "a"))
    found = marginal_difference(fit, table.rows("b"), table.rows("a"))
    assert value is not None
    assert found.odds_ratio is not None
    assert found.estimate is not None
    assert np.exp(value) < found.odds_ratio < 1
    assert found.odds_low is not None
    assert found.odds_high is not None
    assert found.odds_low < found.odds_ratio < found.odds_high < 1
    assert found.estimate == pytest.approx((found.a.estimate or 0) - (found.b.estimate or 0))


def test_the_difference_covers_the_truth() -> None:
    """The truth by 20,000 raters; 19 of 20 intervals would hold it, 10 of 12 must."""
    scores, _, _, orgs = crossover(20_000, 3)
    truth = (scores[orgs == "b"] >= 4).mean() - (scores[orgs == "a"] >= 4).mean()
    inside = 0
    for seed in range(12):
        table = score_table(*crossover(20, 100 + seed))
        found = marginal_difference(table.fit(), table.rows("b"), table.rows("a"))
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= truth <= found.high
    assert inside >= 10


def test_an_effect_that_differs_between_raters_needs_them_as_clusters() -> None:
    """Each rater reacts to Org b in their own way: the model's own errors are too small, those over raters are not."""
    values, errors = [], []
    for seed in range(16):
        generator = np.random.default_rng(seed)
        people, objects, orgs = (grid.ravel() for grid in np.meshgrid(range(20), range(6), range(2), indexing="ij"))
        reaction = generator.normal(1.0, 1.2, 20)
        latent = 0.6 + generator.normal(0, 1.0, 20)[people] - reaction[people] * orgs + 0.1 * objects
        scores = np.digitize(latent + generator.logistic(size=len(people)), [-3, -1.5, 0, 2]) + 1.0
        table = score_table(scores, people, objects, np.where(orgs == 1, "b", "a"))
        fit = table.fit()
        (value, own), (_, over_raters) = (fit.combined(table.row("", "b"), robust) for robust in (False, True))
        values.append(value)
        errors.append((own, over_raters))
    own, over_raters = np.mean(np.array(errors, dtype=float), axis=0)
    spread = np.std(np.array(values, dtype=float), ddof=1)
    assert own < 0.85 * spread
    assert 0.8 * spread < over_raters < 1.3 * spread


def test_a_milder_rater_approves_more() -> None:
    table = score_table(*crossover(40, 4)[:3])
    fit = table.fit()
    severe, typical, mild = (approval_of_rater(fit, table.rows(), place) for place in (-1, 0, 1))
    assert severe is not None
    assert typical is not None
    assert mild is not None
    assert severe < typical < mild


def test_no_threshold_of_approval_no_share() -> None:
    """P-33: all ratings are 4 or 5, so the model has nothing to part approval from."""
    scores, raters, objects, _ = crossover(20, 5)
    table = score_table(np.where(scores >= 4, 5.0, 4.0), raters, objects)
    found = marginal_approval(table.fit(), table.rows())
    assert (found.estimate, found.reason) == (None, ONE_SIDE)
    assert marginal_difference(table.fit(), table.rows(), table.rows()).reason == ONE_SIDE
    assert approval_of_rater(table.fit(), table.rows(), 0) is None
