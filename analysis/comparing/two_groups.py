"""Two groups of a study, object by object and rater by rater: from ratings to the arrays that tests take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.comparing.kinds import Relation
from analysis.comparing.rater_means import RaterMeans, by_cluster, rater_means
from analysis.context import Context, matrix_of
from analysis.estimates import SNAPSHOTS_FOR_GENERATOR, Group, scope_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Two:
    """a − b. name: how rows of the pair begin (`id`); estimand: of its primary contrast; tail: what ends its ids.

    Rows are named `<name>.<estimand><part><tail>`: part is empty for the primary contrast, `_org` for Org approval,
    `_score` for the mean score over objects, `_org_score` for the score of the Org, `_object` per object.
    """

    context: Context
    a: Group
    b: Group
    relation: Relation
    name: str
    estimand: str
    tail: str = ""

    def row_id(self, part: str, target: str = "") -> str:
        return f"{self.name}.{self.estimand}{part}{self.tail}" + (f".{target}" if target else "")

    @property
    def scope(self) -> str:
        """What the difference is about: these Orgs, unless there are enough of them for more (M4)."""
        hashes = {*_hashes(self.a), *_hashes(self.b)}
        if len(hashes) < SNAPSHOTS_FOR_GENERATOR:
            return scope_of(sorted(hashes))
        return f"{self.a.arm}: {self.a.scope}; {self.b.arm}: {self.b.scope}"


def _hashes(group: Group) -> list[str]:
    return [str(code) for code in analysed(group)["org_hash"]]


def analysed(group: Group) -> pd.DataFrame:
    return group.ratings[group.ratings["analysed"].astype(bool)]


@dataclass(frozen=True)
class Sides:
    """Scores of both sides on the objects rated on both. a, b: shape (raters, objects), NaN where there is none.

    Within raters the rows of a and b are the same people in the same order. clusters: of the rows, where raters are
    nested in snapshots.
    """

    a: Floats
    b: Floats
    raters_a: list[str]
    raters_b: list[str]
    objects: list[str]
    paired: bool
    clusters_a: list[str]
    clusters_b: list[str]

    @property
    def nested(self) -> bool:
        """Whether several raters of a side share a snapshot, so that snapshots are the units."""
        return len(set(self.clusters_a)) < len(self.raters_a) or len(set(self.clusters_b)) < len(self.raters_b)

    @property
    def fewest(self) -> int:
        return min(len(self.raters_a), len(self.raters_b))


def object_sides(two: Two) -> Sides:
    """Object scores of the people and objects that can be compared: who rated both, or different people."""
    a, raters_a, objects_a = matrix_of(analysed(two.a))
    b, raters_b, objects_b = matrix_of(analysed(two.b))
    common = [name for name in objects_a if name in objects_b]
    a, b = a[:, [objects_a.index(name) for name in common]], b[:, [objects_b.index(name) for name in common]]
    return _comparable(two, a, b, raters_a, raters_b, common)


def org_sides(two: Two) -> Sides:
    """The rating of the Org as a whole, as one column."""
    a, raters_a = _whole(two.a)
    b, raters_b = _whole(two.b)
    return _comparable(two, a, b, raters_a, raters_b, ["Org"])


def _whole(group: Group) -> tuple[Floats, list[str]]:
    rows = analysed(group)
    rows = rows[(rows["kind"] == "org") & rows["score"].notna()].sort_values("rater")
    return rows["score"].to_numpy(dtype=float).reshape(-1, 1), [str(code) for code in rows["rater"]]


def _comparable(two: Two, a: Floats, b: Floats, raters_a: list[str], raters_b: list[str], objects: list[str]) -> Sides:
    """Leave out, until nothing changes: raters without a rating, raters of the wrong side, objects of one side only."""
    both = set(two.relation.both)
    keep_a = np.array([(rater in both) == two.relation.paired for rater in raters_a], dtype=bool)
    keep_b = np.array([(rater in both) == two.relation.paired for rater in raters_b], dtype=bool)
    columns = np.ones(len(objects), dtype=bool)
    while True:
        given_a, given_b = _given(a, keep_a, columns), _given(b, keep_b, columns)
        if two.relation.paired:
            names = _named(raters_a, given_a) & _named(raters_b, given_b)
            given_a &= np.array([rater in names for rater in raters_a], dtype=bool)
            given_b &= np.array([rater in names for rater in raters_b], dtype=bool)
        rated = columns & np.isfinite(a[given_a]).any(axis=0) & np.isfinite(b[given_b]).any(axis=0)
        if (given_a == keep_a).all() and (given_b == keep_b).all() and (rated == columns).all():
            break
        keep_a, keep_b, columns = given_a, given_b, rated
    used_a = [rater for rater, kept in zip(raters_a, keep_a, strict=True) if kept]
    used_b = [rater for rater, kept in zip(raters_b, keep_b, strict=True) if kept]
    names_of = [name for name, kept in zip(objects, columns, strict=True) if kept]
    return Sides(
        a[keep_a][:, columns], b[keep_b][:, columns], used_a, used_b, names_of, two.relation.paired,
        _clusters(two.a, used_a), _clusters(two.b, used_b),
    )  # fmt: skip


def of_object(sides: Sides, place: int) -> Sides:
    """One object alone, with the raters who judged it; within raters those who judged it on both sides."""
    a, b = sides.a[:, place], sides.b[:, place]
    rated_a, rated_b = np.isfinite(a), np.isfinite(b)
    if sides.paired:
        rated_a = rated_b = rated_a & rated_b

    def kept(names: Sequence[str], rated: NDArray[np.bool_]) -> list[str]:
        return [name for name, one in zip(names, rated, strict=True) if one]

    return Sides(
        a[rated_a, None], b[rated_b, None], kept(sides.raters_a, rated_a), kept(sides.raters_b, rated_b),
        [sides.objects[place]], sides.paired, kept(sides.clusters_a, rated_a), kept(sides.clusters_b, rated_b),
    )  # fmt: skip


def _given(scores: Floats, rows: NDArray[np.bool_], columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = rows & np.isfinite(scores[:, columns]).any(axis=1)
    return found


def _named(raters: Sequence[str], kept: NDArray[np.bool_]) -> set[str]:
    return {rater for rater, one in zip(raters, kept, strict=True) if one}


def _clusters(group: Group, raters: Sequence[str]) -> list[str]:
    rows = analysed(group).drop_duplicates("rater").set_index("rater")["cluster"]
    return [str(name) for name in rows.reindex(list(raters))]


@dataclass(frozen=True)
class Units:
    """What a test takes: differences within raters, or one value per rater and side; of snapshots where nested."""

    estimate: float
    mean_a: RaterMeans
    mean_b: RaterMeans
    differences: Floats | None
    a: Floats
    b: Floats
    nested: bool


def units(sides: Sides, approval: bool) -> Units:
    """Object-adjusted means of raters, of approval (a score of 4 or 5) or of the score itself."""
    one, other = (_approvals(scores) if approval else scores for scores in (sides.a, sides.b))
    mean_a, mean_b = rater_means(one), rater_means(other)
    estimate = float(mean_a.values.mean() - mean_b.values.mean())
    if sides.paired:
        clusters = sides.clusters_a if len(set(sides.clusters_a)) < len(sides.raters_a) else sides.clusters_b
        d = by_cluster(mean_a.values - mean_b.values, clusters if sides.nested else sides.raters_a)
        return Units(estimate, mean_a, mean_b, d, mean_a.values, mean_b.values, sides.nested)
    own_a, own_b = by_cluster(mean_a.values, sides.clusters_a), by_cluster(mean_b.values, sides.clusters_b)
    return Units(estimate, mean_a, mean_b, None, own_a, own_b, sides.nested)


def _approvals(scores: Floats) -> Floats:
    return np.where(np.isfinite(scores), (np.nan_to_num(scores) >= 4).astype(float), np.nan)
