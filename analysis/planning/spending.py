"""Group-sequential bounds by alpha spending (Lan and DeMets 1983): a few planned looks, tested, at one overall level.

Z at information t_k = n_k/N is a Brownian motion at t_k divided by √t_k. The bound at each look is such that the
probability of crossing for the first time there is what the spending function gives it (recursion of Armitage,
McPherson and Rowe 1969, by Simpson's rule).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Spending = Callable[[float, float], float]
POINTS = 801  # of the grid that carries the density from look to look
FAR = 9.0


def obrien_fleming(t: float, alpha: float) -> float:
    """α(t) = 2 − 2Φ(z_{α/2}/√t), α one-sided: almost nothing early."""
    return float(2 * special.ndtr(-special.ndtri(1 - alpha / 2) / math.sqrt(t)))


def pocock(t: float, alpha: float) -> float:
    """α(t) = α·ln(1 + (e − 1)·t): about the same at each look."""
    return alpha * math.log1p((math.e - 1) * t)


FUNCTIONS: dict[str, Spending] = {"obrien_fleming": obrien_fleming, "pocock": pocock}


@dataclass(frozen=True)
class Bounds:
    """One-sided bounds of Z at each look, and the alpha spent up to it. Two-sided tests use them on both sides."""

    information: tuple[float, ...]
    z: tuple[float, ...]
    spent: tuple[float, ...]


def bounds(information: Sequence[float], function: str = "obrien_fleming", alpha: float = 0.025) -> Bounds:
    """Bounds for looks at these shares of the final information (rising, the last one at most 1), one-sided alpha.

    A two-sided test at .05 is one-sided .025 on each side.
    """
    if function not in FUNCTIONS:
        raise ValueError(f"function is {function!r}; give one of {', '.join(FUNCTIONS)}")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha is {alpha}; give a number between 0 and 0.5, such as 0.025")
    times = tuple(float(t) for t in information)
    if not times or times[0] <= 0 or times[-1] > 1 or any(b <= a for a, b in pairwise(times)):
        raise ValueError("information must rise and lie above 0 and up to 1, such as 0.2, 0.4, 0.6, 0.8, 1")
    spent = [FUNCTIONS[function](t, alpha) for t in times]
    found: list[float] = []
    grid, density = np.zeros(1), np.ones(1)  # of the Brownian motion before the first look: at 0
    before = 0.0
    for t, step in zip(times, np.diff([0.0, *spent]), strict=True):
        deviation = math.sqrt(t - before)
        bound = _bound(grid, density, deviation, float(step), FAR * math.sqrt(t))
        found.append(bound / math.sqrt(t))
        grid, density = _carried(grid, density, deviation, bound, t)
        before = t
    return Bounds(times, tuple(found), tuple(spent))


def _bound(grid: Floats, density: Floats, deviation: float, wanted: float, far: float) -> float:
    """The value that the motion exceeds at this look with probability `wanted`, by bisection."""
    low, high = -far, far
    for _ in range(80):
        middle = (low + high) / 2
        above = float((density * special.ndtr((grid - middle) / deviation)).sum())
        low, high = (middle, high) if above > wanted else (low, middle)
    return (low + high) / 2


def _carried(grid: Floats, density: Floats, deviation: float, bound: float, t: float) -> tuple[Floats, Floats]:
    """The motion's distribution at this look among those that did not cross, as masses on a new grid."""
    points = np.linspace(-FAR * math.sqrt(t), bound, POINTS)
    weights = np.full(POINTS, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    step = (points[1] - points[0]) / 3
    kernel = np.exp(-0.5 * ((points[:, None] - grid) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))
    return points, kernel @ density * weights * step
