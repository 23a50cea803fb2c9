"""Alpha spending: published bounds, and the level that they keep."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from analysis.planning.spending import bounds, obrien_fleming, pocock

FIVE = (0.2, 0.4, 0.6, 0.8, 1.0)

# One-sided .025 (Reboussin, DeMets, Kim and Lan 2000; R ldBounds: ldBounds(t, iuse = 1 or 2, alpha = .025, sides = 1)).
PRINTED = [
    (FIVE, "obrien_fleming", (4.8769, 3.3570, 2.6803, 2.2898, 2.0310)),
    (FIVE, "pocock", (2.4380, 2.4268, 2.4102, 2.3966, 2.3860)),
    ((0.5, 1.0), "obrien_fleming", (2.9626, 1.9686)),
    ((1 / 3, 2 / 3, 1.0), "obrien_fleming", (3.7103, 2.5114, 1.9930)),
]


@pytest.mark.parametrize(("information", "function", "printed"), PRINTED)
def test_printed_bounds(information: tuple[float, ...], function: str, printed: tuple[float, ...]) -> None:
    assert bounds(information, function).z == pytest.approx(printed, abs=1e-4)


@pytest.mark.parametrize("function", ["obrien_fleming", "pocock"])
def test_the_level_is_kept(function: str) -> None:
    """P(never above a bound) by the multivariate normal distribution is 1 − α."""
    times = np.array([0.4, 0.7, 1.0])
    z = bounds(times.tolist(), function).z
    covariance = np.sqrt(np.minimum.outer(times, times) / np.maximum.outer(times, times))
    stays = multivariate_normal.cdf(np.array(z), cov=covariance, rng=np.random.default_rng(1), abseps=1e-7)
    assert 1 - stays == pytest.approx(0.025, abs=2e-6)


def test_all_is_spent_at_the_end_and_one_look_is_the_plain_test() -> None:
    assert obrien_fleming(1.0, 0.025) == pytest.approx(0.025)
    assert pocock(1.0, 0.025) == pytest.approx(0.025)
    assert bounds([1.0]).z[0] == pytest.approx(1.959964, abs=1e-5)
    assert bounds([0.5]).spent[-1] < 0.025


@pytest.mark.parametrize(
    ("information", "function", "alpha", "said"),
    [
        ([], "pocock", 0.025, "must rise"), ([0.5, 0.5], "pocock", 0.025, "must rise"),
        ([0.5, 1.2], "pocock", 0.025, "up to 1"), ([1.0], "haybittle", 0.025, "give one of"),
        ([1.0], "pocock", 0.6, "between 0 and 0.5"),
    ],
)  # fmt: skip
def test_what_cannot_be_spent(information: list[float], function: str, alpha: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bounds(information, function, alpha)
