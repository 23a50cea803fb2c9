"""How much a pair of near answers counts as agreement: 1 on the diagonal, 0 between the ends of the scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.agreement.matrix import Floats


def agreement_weights(kind: str, categories: Sequence[int]) -> Floats:
    """Weights of shape (categories, categories): identity, linear, quadratic or ordinal (Gwet 2014, chapter 3).

    Linear and quadratic go by the values of the categories, ordinal by their places:
    w_kl = 1 − C(|k − l| + 1, 2)/C(q, 2). Raises ValueError for another kind or fewer than two categories.
    """
    values = np.asarray(categories, dtype=float)
    if len(values) < 2:
        raise ValueError("a scale has at least two categories")
    apart = np.abs(values[:, None] - values[None, :])
    if kind == "identity":
        return np.eye(len(values))
    if kind == "linear":
        return np.asarray(1 - apart / apart.max())
    if kind == "quadratic":
        return np.asarray(1 - (apart / apart.max()) ** 2)
    if kind == "ordinal":
        places = np.arange(len(values), dtype=float)
        steps = np.abs(places[:, None] - places[None, :])
        return np.asarray(1 - (steps + 1) * steps / (len(values) * (len(values) - 1)))
    raise ValueError(f"weights are {kind!r}; give identity, linear, quadratic or ordinal")
