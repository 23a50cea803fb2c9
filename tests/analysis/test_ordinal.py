"""Cumulative link models against R's ordinal and MASS, and what they refuse to estimate."""

from __future__ import annotations

import csv
import os
import time
from pathlib import Path

import numpy as np
import pytest

from analysis.ordinal import FEWEST_RATERS, binary_fits, fit_cumulative, score_table, severities
from analysis.ordinal.fitting import NODES, ONE_CATEGORY
from analysis.ordinal.likelihood import hermite_nodes

# ordinal::wine (Randall 1989): 72 ratings of bitterness, nine judges of eight bottles each; per judge four cold then
# four warm, of each two without and two with contact.
RATINGS = "233444551213235423325544323232532343333332322454112223232223333412323244"
WINE = np.array([int(point) for point in RATINGS])
DESIGN = np.column_stack([np.tile([0, 0, 0, 0, 1, 1, 1, 1], 9), np.tile([0, 0, 1, 1], 18)]).astype(float)
JUDGES = [str(judge) for judge in np.repeat(np.arange(1, 10), 8)]
NAMES = ("temp", "contact")


def simulated(raters: int, objects: int, severity: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, raters and objects in long form."""
    generator = np.random.default_rng(seed)
    latent = generator.normal(0, 0.5, objects) + generator.normal(0, severity, (raters, 1))
    scores = np.digitize(latent + generator.logistic(size=(raters, objects)), [-3, -1.5, -0.3, 1.5]) + 1.0
    return scores.ravel(), np.repeat(np.arange(raters), objects), np.tile(np.arange(objects), raters)


def test_wine_without_random_effect() -> None:
    # R: ordinal::clm(rating ~ temp + contact, data = wine)
    fit = fit_cumulative(WINE, DESIGN, NAMES)
    assert fit.beta == pytest.approx([2.5031, 1.5278], abs=1e-4)
    assert fit.errors[4:] == pytest.approx([0.5287, 0.4766], abs=1e-4)
    assert fit.thresholds == pytest.approx([-1.3444, 1.2508, 3.4669, 5.0064], abs=1e-4)
    assert fit.log_likelihood == pytest.approx(-86.4919, abs=1e-4)


def test_wine_with_judges() -> None:
    # R: ordinal::clmm(rating ~ temp + contact + (1 | judge), data = wine, nAGQ = 10)
    fit = fit_cumulative(WINE, DESIGN, NAMES, JUDGES)
    assert fit.beta == pytest.approx([3.0619, 1.8334], abs=1e-4)
    assert fit.errors[4:6] == pytest.approx([0.5951, 0.5122], abs=1e-4)
    assert fit.thresholds == pytest.approx([-1.6235, 1.5128, 4.2271, 6.0862], abs=1e-4)
    assert fit.sigma**2 == pytest.approx(1.2877, abs=2e-4)
    assert fit.log_likelihood == pytest.approx(-81.5325, abs=1e-4)
    assert (fit.raters, fit.n, fit.values) == (9, 72, (1, 2, 3, 4, 5))


@pytest.mark.shared
def test_housing() -> None:
    # R: MASS::polr(Sat ~ Infl + Type + Cont, weights = Freq, data = housing)
    shared = Path(os.environ.get("REALIA_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    with (shared / "oracles" / "housing.csv").open() as file:
        rows = list(csv.DictReader(file))
    columns = [("Infl", "Medium"), ("Infl", "High"), ("Type", "Apartment"), ("Type", "Atrium"), ("Type", "Terrace"),
               ("Cont", "High")]  # fmt: skip
    times = [int(row["Freq"]) for row in rows]
    scores = np.repeat([{"Low": 1, "Medium": 2, "High": 3}[row["Sat"]] for row in rows], times)
    design = np.repeat([[float(row[name] == level) for name, level in columns] for row in rows], times, axis=0)
    fit = fit_cumulative(scores, design, [level for _, level in columns])
    assert fit.beta == pytest.approx([0.56639, 1.28882, -0.57235, -0.36619, -1.09101, 0.36028], abs=1e-5)
    assert fit.thresholds == pytest.approx([-0.49614, 0.69071], abs=1e-5)


def test_statsmodels_gives_the_same_without_random_effect() -> None:
    ordinal_model = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    theirs = ordinal_model.OrderedModel(WINE, DESIGN, distr="logit").fit(method="bfgs", disp=False)
    fit = fit_cumulative(WINE, DESIGN, NAMES)
    assert fit.beta == pytest.approx(np.asarray(theirs.params)[:2], abs=1e-3)
    assert fit.log_likelihood == pytest.approx(theirs.llf, abs=1e-5)


def test_the_gradient_is_that_of_the_likelihood() -> None:
    fit = fit_cumulative(WINE, DESIGN, NAMES, JUDGES)
    assert fit.ordinal is not None
    nodes = hermite_nodes(NODES, np.zeros(9), np.ones(9))
    place = fit.parameters + 0.3 * np.arange(len(fit.parameters))
    slope = [
        (fit.ordinal.log_likelihood(place + step, nodes)[0] - fit.ordinal.log_likelihood(place - step, nodes)[0]) / 2e-6
        for step in 1e-6 * np.eye(len(place))
    ]
    assert fit.ordinal.log_likelihood(place, nodes)[1] == pytest.approx(slope, abs=1e-6)


def test_a_scale_used_in_part_is_fitted_on_what_was_used() -> None:
    """P-32 of a model: points nobody chose have no threshold; the effects do not depend on what they are called."""
    squeezed = fit_cumulative(np.where(WINE == 1, 2, WINE), DESIGN, NAMES, JUDGES)
    assert squeezed.values == (2, 3, 4, 5)
    assert squeezed.reason == ""
    renamed = fit_cumulative(np.where(WINE == 1, 2, WINE) * 10, DESIGN, NAMES, JUDGES)
    assert renamed.beta == pytest.approx(squeezed.beta, abs=1e-6)


def test_everyone_agrees_and_there_is_no_model() -> None:
    """P-29."""
    fit = fit_cumulative(np.full(72, 4), DESIGN, NAMES, JUDGES)
    assert fit.reason == ONE_CATEGORY


def test_nobody_has_no_model() -> None:
    """P-30."""
    table = score_table([], [], [])
    assert "0 raters" in table.against()
    assert fit_cumulative(np.zeros(0), np.zeros((0, 0)), ()).reason == ONE_CATEGORY


def test_under_eight_raters_there_is_no_model() -> None:
    scores, raters, objects = simulated(FEWEST_RATERS - 1, 6, 1.0, 2)
    assert "at least 8" in score_table(scores, raters, objects).against()
    scores, raters, objects = simulated(FEWEST_RATERS, 6, 1.0, 2)
    assert score_table(scores, raters, objects).against() == ""
    assert "rated two objects" in score_table(scores, np.arange(len(scores)), objects).against()


def test_separation_is_said_and_not_estimated() -> None:
    """A group whose ratings all lie above those of the other has no finite effect."""
    scores, raters, objects = simulated(12, 6, 0.5, 3)
    apart = np.where(raters < 6, np.minimum(scores, 3), 5.0)
    table = score_table(apart, raters, objects, np.where(raters < 6, "a", "b"))
    fit = table.fit()
    assert fit.reason or fit.combined(table.row("", "b")) == (None, None)


def test_an_object_at_one_end_is_left_out_and_nothing_else_moves() -> None:
    """The fit without it is the limit of the fit with an ever larger effect for it."""
    scores, raters, objects = simulated(20, 6, 1.0, 4)
    scores = np.where(objects == 2, 5.0, scores)
    table = score_table(scores, raters, objects)
    assert table.left_out == ("2",)
    fit = table.fit()
    design = np.column_stack([objects == name for name in (1, 2, 3, 4, 5)]).astype(float)
    fixed = fit_cumulative(scores, design, tuple("12345"), [str(name).zfill(2) for name in raters])
    others = [place for place in range(5) if place != 1]
    assert fixed.beta[1] > 10
    assert fit.beta == pytest.approx(fixed.beta[others], abs=1e-3)
    value, se = fit.combined(table.object_weights("0", table.objects))
    assert value is not None
    assert se is not None


def test_the_spread_of_raters_is_found_again() -> None:
    sigmas = []
    for seed in range(6):
        table = score_table(*simulated(60, 9, 0.9, 100 + seed))
        sigmas.append(table.fit().sigma)
    assert np.mean(sigmas) == pytest.approx(0.9, abs=0.12)


def test_raters_who_differ_by_chance_only_have_a_spread_of_zero() -> None:
    found = [score_table(*simulated(15, 8, 0.0, seed)).fit() for seed in range(6)]
    at_bound = [fit for fit in found if fit.sigma == 0]
    assert at_bound
    for fit in at_bound:
        assert "estimated as 0" in fit.note
        assert fit.sigma_se is None
        assert severities(fit) == []
        assert fit.errors[:-1].min() > 0


def test_severities_are_modes_ordered_and_shrunk() -> None:
    table = score_table(*simulated(30, 9, 1.0, 5))
    fit = table.fit()
    found = severities(fit)
    assert len(found) == 30
    assert [one.mode for one in found] == sorted(one.mode for one in found)
    assert all(0 < one.se < fit.sigma for one in found)
    means = {name: table.scores[table.raters == name].mean() for name in np.unique(table.raters)}
    assert np.corrcoef([one.mode for one in found], [means[one.rater] for one in found])[0, 1] > 0.95
    # At the mode the slope of log-likelihood plus log density is zero: moving there and back changes nothing.
    assert fit.ordinal is not None
    assert sum(one.mode for one in found) == pytest.approx(0, abs=0.3 * 30**0.5)


def test_the_severest_judge_of_wine_gave_the_lowest_scores() -> None:
    """The design is balanced, so modes stand in the order of the judges' sums."""
    found = severities(fit_cumulative(WINE, DESIGN, NAMES, JUDGES))
    sums = [int(WINE[np.array(JUDGES) == one.rater].sum()) for one in found]
    assert sums == sorted(sums)


def test_binary_fits_agree_with_the_ordinal_one_under_proportional_odds() -> None:
    scores, raters, objects = simulated(60, 6, 0.8, 6)
    table = score_table(scores, raters, objects)
    found = binary_fits(table, table.fit())
    assert len(found.effects) >= 15
    assert sum(one.apart for one in found.effects) <= 2


def test_binary_fits_see_an_effect_that_is_not_proportional() -> None:
    """An Org that moves people from the middle to both ends has opposite effects at the cuts."""
    scores, raters, objects = simulated(80, 5, 0.5, 7)
    other = np.random.default_rng(8).choice([1.0, 5.0], size=len(scores))
    spread = np.where(raters < 40, np.clip(scores, 2, 4), np.where(np.arange(len(scores)) % 3 == 0, scores, other))
    table = score_table(spread, raters, objects, np.where(raters < 40, "a", "b"))
    found = binary_fits(table, table.fit())
    of_group = {one.cut: one for one in found.effects if one.kind == "group"}
    assert of_group[3].binary < 0 < of_group[4].binary
    assert of_group[3].apart
    assert (5, "b") in found.not_estimable


def test_it_is_quick() -> None:
    """Bounds are generous: what takes a second here must not take a minute."""
    for raters, objects, seconds in ((75, 20, 6.0), (60, 9, 2.0)):
        table = score_table(*simulated(raters, objects, 1.0, 9))
        began = time.perf_counter()
        assert table.fit().reason == ""
        assert time.perf_counter() - began < seconds


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one row per rating"):
        fit_cumulative([1, 2], [[1.0]], ("a",))
    with pytest.raises(ValueError, match="missing values"):
        fit_cumulative([1, np.nan], [[1.0], [0.0]], ("a",))
