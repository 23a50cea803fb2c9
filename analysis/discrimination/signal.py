"""Signal detection: d′, criterion and A_z of yes/no answers, and forced choice between two.

Sources: Stanislaw and Todorov (1999) for the measures, Hautus (1995) for the log-linear correction, Gourevitch and
Galanter (1967) for the variance of d′, Macmillan and Creelman (2005) for two-alternative forced choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from analysis.comparisons import Mean, mean_score

Correction = Literal["log-linear", "1/(2N)"]
CHANCE = 0.5
MARGIN = 0.10


@dataclass(frozen=True)
class Detection:
    """One observer: d′, criterion c, area A_z and the variance of d′ (no unit). None for no trials, with a note."""

    d_prime: float | None
    criterion: float | None
    a_z: float | None
    variance: float | None
    signals: int
    noises: int
    note: str = ""


def detection(
    hits: int, signals: int, false_alarms: int, noises: int, correction: Correction = "log-linear"
) -> Detection:
    """Measures of one observer who said yes to `hits` of `signals` and to `false_alarms` of `noises`.

    With H and F corrected, z the normal quantile: d′ = z(H) − z(F); c = −½(z(H) + z(F)); A_z = Φ(d′/√2);
    Var(d′) = H(1−H)/(n_s·φ(z_H)²) + F(1−F)/(n_n·φ(z_F)²).
    """
    if not (0 <= hits <= signals and 0 <= false_alarms <= noises):
        raise ValueError(f"{hits} of {signals} and {false_alarms} of {noises}: give counts that fit their totals")
    if signals == 0 or noises == 0:
        return Detection(None, None, None, None, signals, noises, "not defined: one kind was never judged")
    h, f = _rate(hits, signals, correction), _rate(false_alarms, noises, correction)
    z_h, z_f = float(special.ndtri(h)), float(special.ndtri(f))
    d = z_h - z_f
    variance = h * (1 - h) / (signals * _density(z_h) ** 2) + f * (1 - f) / (noises * _density(z_f) ** 2)
    return Detection(d, -(z_h + z_f) / 2, float(special.ndtr(d / math.sqrt(2))), variance, signals, noises)


def _rate(k: int, n: int, correction: Correction) -> float:
    """log-linear: (k + ½)/(n + 1), always. 1/(2N): only 0 and 1 are moved, by half a trial."""
    if correction == "log-linear":
        return (k + 0.5) / (n + 1)
    return min(max(k / n, 1 / (2 * n)), 1 - 1 / (2 * n))


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


@dataclass(frozen=True)
class AcrossRaters:
    """The mean of one value per rater, by t and by a bootstrap of raters (t-expanded percentile, Hesterberg 2015)."""

    mean: Mean
    bootstrap_low: float | None
    bootstrap_high: float | None
    replicates: int


def across_raters(
    values: ArrayLike, rng: np.random.Generator, replicates: int = 10_000, level: float = 0.95
) -> AcrossRaters:
    """values: shape (raters,), one number each, such as d′. Pooling the counts instead would understate the error."""
    x = np.asarray(values, dtype=float)
    mean = mean_score(x.tolist(), level)
    if mean.low is None:
        return AcrossRaters(mean, None, None, 0)
    n = len(x)
    means = x[rng.integers(0, n, (replicates, n))].mean(axis=1)
    tail = float(special.ndtr(-math.sqrt(n / (n - 1)) * special.stdtrit(n - 1, 0.5 + level / 2)))
    low, high = np.quantile(means, [tail, 1 - tail])
    return AcrossRaters(mean, float(low), float(high), replicates)


def forced_choice_d(share: float) -> float | None:
    """d′ of two-alternative forced choice: √2·z(pc). None at 0 and 1, where it is not finite."""
    if not 0 <= share <= 1:
        raise ValueError(f"a share of {share} is none; give a number between 0 and 1")
    return math.sqrt(2) * float(special.ndtri(share)) if 0 < share < 1 else None


def equivalence_reading(low: float, high: float, margin: float = MARGIN) -> str:
    """Whether an interval of a share of right choices lies within ½ ± margin, leaves out ½, or neither."""
    if CHANCE - margin <= low and high <= CHANCE + margin:
        return "within the margin of chance"
    if low > CHANCE or high < CHANCE:
        return "told apart"
    return "undecided"


def forced_choice_power(share: float, trials: int, alpha: float = 0.05) -> float:
    """Power of the exact two-sided binomial test against ½ with so many independent trials.

    Trials of one rater hang together: multiply the trials needed by the design effect.
    """
    k = np.arange(trials + 1)
    upper = stats.binom.sf(k - 1, trials, CHANCE)
    rejected = np.minimum(1.0, 2 * np.minimum(upper, stats.binom.cdf(k, trials, CHANCE))) <= alpha
    return float(stats.binom.pmf(k, trials, share)[rejected].sum())
