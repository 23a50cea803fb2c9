"""Confidence sequences for a share of yes and no: intervals that hold at every n at once (Ville 1939; Robbins 1970).

A fixed-n interval looked at after each person excludes the truth sooner or later far more often than it says. A
sequence may be looked at whenever one likes, and stopped on; it is about one and a half times as wide. It needs people
who come one after another from the same kind of population: a change of channel breaks it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
EDGE = 1e-12
HALVINGS = 60


def beta_mixture(
    k: ArrayLike, n: ArrayLike, level: float = 0.95, *, a: float = 1.0, b: float = 1.0
) -> tuple[Floats, Floats]:
    """The shares p that the beta mixture does not yet refute: B(a+k, b+n−k)/B(a, b)/(p^k·(1−p)^(n−k)) < 1/α.

    k approvals of n, each a number or an array; a, b: the prior, uniform unless given. For n = 0: 0 to 1.
    """
    yes, total = _counts(k, n)
    return _roots(lambda p: mixture_log_ratio(p, yes, total, a, b), yes, total, level)


def robust_beta_binomial(
    k: ArrayLike, n: ArrayLike, level: float = 0.95, *, tightest_at: float = 100.0
) -> tuple[Floats, Floats]:
    """Howard and Ramdas's beta-binomial sequence: the prior is Beta(c·p, c·(1 − p)), centred on each tested share.

    c = max(t/(2·ln(1/α) + ln(1 + 2·ln(1/α))) − 1, .001) makes the interval tightest at n = t (`tightest_at`).
    """
    yes, total = _counts(k, n)
    bits = 2 * math.log(1 / _alpha(level))
    c = max(tightest_at / (bits + math.log1p(bits)) - 1, 0.001)

    def log_ratio(p: Floats) -> Floats:
        mixed = special.betaln(c * p + yes, c * (1 - p) + total - yes) - special.betaln(c * p, c * (1 - p))
        return np.asarray(mixed - special.xlogy(yes, p) - special.xlog1py(total - yes, -p))

    return _roots(log_ratio, yes, total, level)


def running(low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats]:
    """The running intersection along the last axis: what was once refuted stays refuted."""
    lows = np.maximum.accumulate(np.asarray(low, dtype=float), axis=-1)
    highs = np.minimum.accumulate(np.asarray(high, dtype=float), axis=-1)
    return lows, highs


def ever_excluded(
    p: float, most: int, level: float = 0.95, *, a: float = 1.0, b: float = 1.0,
    refutes: Callable[[Floats, Floats], NDArray[np.bool_]] | None = None,
) -> float:  # fmt: skip
    """Exact probability that the truth p is ever refuted for n = 1 … `most`, by dynamic programming over k.

    refutes(k, n): which counts refute p; the beta mixture's with prior a, b unless given. Whoever refutes once is
    counted and leaves.
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; give a number between 0 and 1")
    limit = math.log(1 / _alpha(level))

    def mixture(k: Floats, n: Floats) -> NDArray[np.bool_]:
        return np.asarray(mixture_log_ratio(p, k, n, a, b) >= limit)

    ask = refutes or mixture
    inside = np.array([1.0])
    for n in range(1, most + 1):
        inside = np.append(inside * (1 - p), 0.0) + np.append(0.0, inside * p)
        inside[ask(np.arange(n + 1.0), np.full(n + 1, float(n)))] = 0.0
    return float(1 - inside.sum())


def mixture_log_ratio(p: Floats | float, k: Floats, n: Floats, a: float, b: float) -> Floats:
    """ln of B(a+k, b+n−k)/B(a, b) over p^k·(1−p)^(n−k): how far the counts speak against p."""
    mixed = special.betaln(a + k, b + n - k) - special.betaln(a, b)
    return np.asarray(mixed - special.xlogy(k, p) - special.xlog1py(n - k, -np.asarray(p)))


def _alpha(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a number between 0 and 1, such as 0.95")
    return 1 - level


def _counts(k: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    yes, total = np.broadcast_arrays(np.asarray(k, dtype=float), np.asarray(n, dtype=float))
    if not (np.isfinite(yes).all() and np.isfinite(total).all() and (yes >= 0).all() and (yes <= total).all()):
        raise ValueError("k must lie between 0 and n; give counts without gaps")
    return yes, total


def _roots(log_ratio: Callable[[Floats], Floats], yes: Floats, total: Floats, level: float) -> tuple[Floats, Floats]:
    """Where the log ratio, smallest near k/n, crosses ln(1/α) below and above it; 0 and 1 where it never does."""
    limit = math.log(1 / _alpha(level))
    peak = np.clip(np.where(total > 0, yes / np.maximum(total, 1), 0.5), EDGE, 1 - EDGE)

    def crossing(outside: float) -> Floats:
        out, within = np.full_like(peak, outside), peak.copy()
        for _ in range(HALVINGS):
            middle = (out + within) / 2
            holds = log_ratio(middle) < limit
            within, out = np.where(holds, middle, within), np.where(holds, out, middle)
        never = log_ratio(np.full_like(peak, outside)) < limit
        return np.where(never, float(round(outside)), (out + within) / 2)

    return crossing(EDGE), crossing(1 - EDGE)
