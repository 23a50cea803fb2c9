"""The ratings an ordinal model is fitted to: objects as fixed effects, and groups (Orgs, arms) where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.ordinal.fitting import CumulativeFit, fit_cumulative
from analysis.ordinal.likelihood import Floats

FEWEST_RATERS = 8
ONE_END = "not estimable – every rating is at the same end of the scale"


@dataclass(frozen=True)
class ScoreTable:
    """Ratings in long form, all of shape (ratings,).

    left_out: objects whose ratings are all at one end of the scale. Their effect is infinite and they tell nothing of
    the rest, so the fit without them is the limit of the fit with them.
    """

    scores: Floats
    raters: NDArray[np.str_]
    targets: NDArray[np.str_]
    groups: NDArray[np.str_]
    left_out: tuple[str, ...] = ()

    @property
    def objects(self) -> list[str]:
        return [str(name) for name in np.unique(self.targets)]

    @property
    def group_names(self) -> list[str]:
        return [str(name) for name in np.unique(self.groups)]

    @property
    def rater_count(self) -> int:
        return len(np.unique(self.raters))

    @property
    def names(self) -> list[str]:
        """Effects of the design: every object and every group but the first."""
        return [f"object {name}" for name in self.objects[1:]] + [f"group {name}" for name in self.group_names[1:]]

    def design(self) -> Floats:
        """Indicator columns, shape (ratings, effects)."""
        of_objects = self.targets[:, None] == np.array(self.objects[1:], dtype=str)
        of_groups = self.groups[:, None] == np.array(self.group_names[1:], dtype=str)
        return np.hstack([of_objects, of_groups]).astype(float)

    def row(self, target: str, group: str = "") -> Floats:
        """The design row of an object in a group, shape (effects,)."""
        objects, groups = self.objects[1:], self.group_names[1:]
        return np.array([float(name == target) for name in objects] + [float(name == group) for name in groups])

    def rows(self, group: str = "") -> Floats:
        """The design rows of all objects in a group, shape (objects, effects)."""
        return np.array([self.row(name, group) for name in self.objects])

    def object_weights(self, target: str, among: Sequence[str]) -> Floats:
        """Weights on the effects that give an object's distance from the mean of some objects."""
        rows = np.array([self.row(name) for name in among])
        return np.asarray(self.row(target) - rows.mean(axis=0), dtype=float)

    def against(self) -> str:
        """Why the model is not fitted to these ratings; empty when nothing speaks against it."""
        people, ratings = np.unique(self.raters, return_counts=True)
        if len(people) < FEWEST_RATERS:
            number = f"{len(people)} rater" + ("" if len(people) == 1 else "s")
            return f"{number}: the spread of raters needs at least {FEWEST_RATERS}"
        if int((ratings >= 2).sum()) < FEWEST_RATERS or len(self.objects) < 2:
            return f"fewer than {FEWEST_RATERS} raters rated two objects that differ: no model"
        return ""

    def fit(self) -> CumulativeFit:
        """The model with a random intercept per rater; ask `against` first."""
        return fit_cumulative(self.scores, self.design(), self.names, [str(name) for name in self.raters])

    def at_cut(self, point: int) -> ScoreTable:
        """The same ratings as 1 (the point or higher) and 0."""
        binary = (self.scores >= point).astype(float)
        return score_table(binary, self.raters, self.targets, self.groups)


def score_table(
    scores: ArrayLike, raters: ArrayLike, targets: ArrayLike, groups: ArrayLike | None = None
) -> ScoreTable:
    """Ratings as the model takes them: NaN left out, then objects with all ratings at one end of the scale.

    scores, raters, targets, groups: shape (ratings,). Leaving an object out may empty a category, so it is repeated.
    """
    points = np.asarray(scores, dtype=float)
    given = ~np.isnan(points)
    points = points[given]
    people = np.asarray(raters).astype(str)[given]
    objects = np.asarray(targets).astype(str)[given]
    parts = np.asarray(groups).astype(str)[given] if groups is not None else np.full(len(points), "")
    left_out: list[str] = []
    while len(points):
        odd = _at_one_end(points, objects)
        if not odd:
            break
        left_out += odd
        kept = ~np.isin(objects, odd)
        points, people, objects, parts = points[kept], people[kept], objects[kept], parts[kept]
    return ScoreTable(points, people, objects, parts, tuple(sorted(left_out)))


def _at_one_end(points: Floats, objects: NDArray[np.str_]) -> list[str]:
    lowest, highest = points.min(), points.max()
    if lowest == highest:
        # Ratings that do not vary at all are the fit's own affair.
        return []
    found = []
    for name in np.unique(objects):
        own = points[objects == name]
        if (own == lowest).all() or (own == highest).all():
            found.append(str(name))
    return found
