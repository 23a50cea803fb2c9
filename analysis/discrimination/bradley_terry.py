"""Bradley and Terry's (1952) model of paired comparisons, by the minorise–maximise steps of Hunter (2004)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph

Floats = NDArray[np.float64]
PRIOR = 0.1
TOLERANCE = 1e-10
STEPS = 10_000


@dataclass(frozen=True)
class Abilities:
    """Log abilities, the first one 0. low, high: by bootstrap of raters, None without raters or for the first one."""

    estimates: tuple[float, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    raters: int
    replicates: int
    note: str = ""


def bradley_terry(wins: ArrayLike, prior: float = 0.0) -> Floats:
    """Log abilities with the first at 0, shape (..., items), from wins of row over column, shape (..., items, items).

    P(i over j) = π_i/(π_i + π_j); π_i = W_i/Σ_j n_ij/(π_i + π_j). A tie is half a win for each. prior: half-won
    comparisons of every pair added to either side. Raises ValueError where the estimates are not finite without it.
    """
    w = np.asarray(wins, dtype=float)
    if w.ndim < 2 or w.shape[-1] != w.shape[-2] or w.shape[-1] < 2 or not np.isfinite(w).all() or (w < 0).any():
        raise ValueError("wins must be a square table of counts, two items or more")
    items = w.shape[-1]
    w = (w + prior) * (1 - np.eye(items))
    if prior == 0 and not all(connected(one) for one in w.reshape(-1, items, items)):
        raise ValueError("not every item has won and lost, even by way of others; give a prior such as 0.1")
    met, won = w + np.swapaxes(w, -1, -2), w.sum(axis=-1)
    ability = np.ones(w.shape[:-1])
    for _ in range(STEPS):
        weight = (met / (ability[..., :, None] + ability[..., None, :])).sum(axis=-1)
        new = won / weight
        new /= np.exp(np.log(new).mean(axis=-1, keepdims=True))
        done = float(np.abs(new / ability - 1).max()) < TOLERANCE
        ability = new
        if done:
            break
    logs = np.log(ability)
    result: Floats = logs - logs[..., :1]
    return result


def connected(wins: ArrayLike) -> bool:
    """Whether from each item there is a chain of wins to each other one, so that finite estimates exist."""
    parts, _ = csgraph.connected_components(np.asarray(wins) > 0, directed=True, connection="strong")
    return int(parts) == 1


def abilities(wins: ArrayLike, rng: np.random.Generator, replicates: int = 2_000, level: float = 0.95) -> Abilities:
    """Abilities over all raters with percentile intervals; wins: shape (raters, items, items), ties as halves.

    A graph that is not strongly connected gets a prior of 0.1 for every pair, which is said.
    """
    w = np.asarray(wins, dtype=float)
    total = w.sum(axis=0)
    whole = connected(total * (1 - np.eye(len(total))))
    prior, note = (0.0, "") if whole else (PRIOR, "regularised: some items never won or never lost; 0.1 of a win added")
    logs = bradley_terry(total, prior)
    raters, items = len(w), len(total)
    if raters < 2:
        return Abilities(tuple(logs.tolist()), (None,) * items, (None,) * items, raters, 0, note)
    counts = rng.multinomial(raters, np.full(raters, 1 / raters), replicates).astype(float)
    # Resamples may be disconnected although the whole is not, so all of them carry the prior.
    drawn = bradley_terry(np.tensordot(counts, w, axes=1), PRIOR)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    ends = [[None, *(float(v) for v in side[1:])] for side in (low, high)]
    return Abilities(tuple(logs.tolist()), tuple(ends[0]), tuple(ends[1]), raters, replicates, note)
