"""Many tests at once: Holm, Benjamini and Hochberg, and a fixed sequence of claims."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p: Sequence[float]) -> list[float]:
    """Holm's (1979) adjusted p, in the order given: the running maximum of (m − i + 1)·p_(i), at most 1."""
    values, order = _ordered(p)
    m = len(values)
    adjusted = np.maximum.accumulate(values[order] * (m - np.arange(m)))
    return _back(np.minimum(adjusted, 1.0), order)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's (1995) adjusted p, in the order given: the running minimum from above of m·p_(i)/i."""
    values, order = _ordered(p)
    m = len(values)
    scaled = values[order] * m / np.arange(1, m + 1)
    adjusted = np.minimum.accumulate(scaled[::-1])[::-1]
    return _back(np.minimum(adjusted, 1.0), order)


def fixed_sequence(passed: Sequence[bool | None]) -> list[str]:
    """What each claim of a fixed order comes to: passed; failed; not tested, after the first that failed.

    None is a claim the study can't make: it is passed over and said to be no part of it.
    """
    said, stopped = [], False
    for one in passed:
        if one is None:
            said.append("not part of this study")
        elif stopped:
            said.append("not tested")
        else:
            said.append("passed" if one else "failed")
            stopped = not one
    return said


def _ordered(p: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    values = np.asarray(p, dtype=float)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p-values must lie between 0 and 1; leave out what was not tested")
    return values, np.argsort(values, kind="stable")


def _back(adjusted: NDArray[np.float64], order: NDArray[np.intp]) -> list[float]:
    found = np.empty_like(adjusted)
    found[order] = adjusted
    return [float(value) for value in found]
