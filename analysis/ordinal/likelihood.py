"""The marginal likelihood of a cumulative logit model, the rater's intercept integrated out by Gauss–Hermite nodes.

The nodes of each rater can be moved to where that rater's posterior lies (adaptive quadrature, Liu and Pierce 1994;
Pinheiro and Bates 1995). While they stay put the gradient is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TINY = 1e-300


@dataclass(frozen=True)
class Nodes:
    """Points u and log weights of each rater's integral ∫ … φ(u) du, shape (raters, nodes)."""

    points: Floats
    log_weights: Floats


def hermite_nodes(number: int, centres: Floats, widths: Floats) -> Nodes:
    """Gauss–Hermite nodes around each rater's centre. centres, widths: shape (raters,); 0 and 1 for the plain rule."""
    x, weights = np.polynomial.hermite.hermgauss(number)
    points = centres[:, None] + np.sqrt(2) * widths[:, None] * x
    # In logs: log w + x² + log(√2·width) + log φ(u).
    log_weights = np.log(weights) + x**2 + np.log(widths)[:, None] - 0.5 * (points**2 + np.log(np.pi))
    return Nodes(points, log_weights)


def one_node(raters: int) -> Nodes:
    """A single point at 0: the model without a random effect."""
    return Nodes(np.zeros((raters, 1)), np.zeros((raters, 1)))


@dataclass(frozen=True)
class Ordinal:
    """Ratings for the likelihood, sorted by rater.

    category: shape (ratings,), 0 to categories − 1; design: (ratings, effects); rater: (ratings,), 0, 0, …, 1, …;
    starts: where each rater's ratings begin. mixed: whether σ is a parameter.
    Parameters stand in the order thresholds (categories − 1), effects, σ.
    """

    category: Ints
    design: Floats
    rater: Ints
    starts: Ints
    categories: int
    mixed: bool

    @property
    def cuts(self) -> int:
        return self.categories - 1

    @property
    def raters(self) -> int:
        return len(self.starts)

    def parts(self, parameters: Floats) -> tuple[Floats, Floats, float]:
        """Thresholds, effects and σ."""
        effects = self.design.shape[1]
        sigma = float(parameters[-1]) if self.mixed else 0.0
        return parameters[: self.cuts], parameters[self.cuts : self.cuts + effects], sigma

    def log_likelihood(self, parameters: Floats, nodes: Nodes) -> tuple[float, Floats]:
        """The value and its gradient in the parameters."""
        value, slopes = self._slopes(parameters, nodes)
        return value, np.asarray(slopes.sum(axis=0), dtype=float)

    def slopes_by_rater(self, parameters: Floats, nodes: Nodes) -> Floats:
        """Each rater's part of the gradient, shape (raters, parameters)."""
        return np.add.reduceat(self._slopes(parameters, nodes)[1], self.starts, axis=0)

    def _slopes(self, parameters: Floats, nodes: Nodes) -> tuple[float, Floats]:
        """The log-likelihood, and each rating's part of the gradient, shape (ratings, parameters)."""
        upper, lower, difference, scores = self.terms(parameters, nodes)
        value, posterior = self._integrate(difference, nodes)
        weights = posterior[self.rater]
        of_rating = weights * scores
        places = np.arange(self.cuts)
        rising = (weights * upper / difference).sum(axis=1)[:, None] * (self.category[:, None] == places)
        falling = (weights * lower / difference).sum(axis=1)[:, None] * (self.category[:, None] == places + 1)
        parts = [rising - falling, of_rating.sum(axis=1)[:, None] * self.design]
        if self.mixed:
            parts.append((of_rating * nodes.points[self.rater]).sum(axis=1)[:, None])
        return value, np.concatenate(parts, axis=1)

    def posterior_places(self, parameters: Floats, nodes: Nodes) -> tuple[Floats, Floats]:
        """Posterior mean and standard deviation of each rater's standardised intercept, shape (raters,)."""
        *_, difference, _ = self.terms(parameters, nodes)
        _, posterior = self._integrate(difference, nodes)
        mean = (posterior * nodes.points).sum(axis=1)
        spread = (posterior * (nodes.points - mean[:, None]) ** 2).sum(axis=1)
        return mean, np.sqrt(np.maximum(spread, 1e-6))

    def terms(self, parameters: Floats, nodes: Nodes) -> tuple[Floats, Floats, Floats, Floats]:
        """Densities at the upper and lower threshold, probability of the rating, ∂ log p/∂η; (ratings, nodes)."""
        thresholds, effects, sigma = self.parts(parameters)
        ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
        eta = (self.design @ effects)[:, None] + sigma * nodes.points[self.rater]
        above, below = ends[self.category + 1][:, None] - eta, ends[self.category][:, None] - eta
        # Differences of two probabilities near 1 are taken from the other end, where they are small and exact.
        sign = np.where(above + below > 0, -1.0, 1.0)
        high, low = special.expit(sign * above), special.expit(sign * below)
        upper, lower = high * (1 - high), low * (1 - low)
        difference = np.maximum(np.abs(high - low), 1e-12 * np.maximum(upper, lower) + TINY)
        return upper, lower, difference, -sign * (1 - high - low)

    def _integrate(self, difference: Floats, nodes: Nodes) -> tuple[float, Floats]:
        """Log-likelihood, and each rater's posterior weights on the nodes, shape (raters, nodes)."""
        joint = np.add.reduceat(np.log(difference), self.starts, axis=0) + nodes.log_weights
        of_rater = special.logsumexp(joint, axis=1)
        return float(of_rater.sum()), np.exp(joint - of_rater[:, None])
