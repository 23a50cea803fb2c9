"""The rows of results.json for one pair of groups, and what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from analysis.comparing.effects import cohen_dz, hedges_g
from analysis.comparing.equivalence import Equivalence, tost
from analysis.comparing.means import Difference, paired_t, welch
from analysis.comparing.multiplicity import benjamini_hochberg, holm
from analysis.comparing.permutation import cluster_permutation
from analysis.comparing.ranks import brunner_munzel, mann_whitney, paired_delta, rank_biserial
from analysis.comparing.signs import sign_flip
from analysis.comparing.two_by_two import boschloo, mcnemar, miettinen_nurminen, newcombe_independent, newcombe_paired
from analysis.comparing.two_groups import Floats, Sides, Two, Units, object_sides, of_object, org_sides, units
from analysis.comparisons import signed_rank
from analysis.contrasts import Contrast
from analysis.estimates import FEWEST

MARGIN = 0.10  # plan 7: ± 10 points, where the protocol names no margin
SNAPSHOTS = "snapshots as units"


@dataclass(frozen=True)
class Compared:
    """rows: contrasts of one pair; data: what stands beside them, JSON-ready."""

    rows: list[Contrast]
    data: dict[str, Any]


def compared(two: Two) -> Compared:
    """Every contrast of a pair: approval over objects first, then Org approval, scores, and each object."""
    objects, whole = object_sides(two), org_sides(two)
    primary, size = mean_row(two, objects, "", approval=True)
    score, _ = mean_row(two, objects, "_score", approval=False)
    org, org_beside = org_row(two, whole)
    org_score, org_score_beside = org_score_row(two, whole)
    per_object, listed = object_rows(two, objects)
    equal = equivalence(two, size)
    if equal is not None and promised(two.context.promised):  # a margin nobody froze claims nothing
        primary = replace(primary, margin=equal.margin, equivalence_p=equal.p)
    data = {
        "rows": {"objects": primary.id, "org": org.id, "score": score.id, "org_score": org_score.id},
        "sides": _sides(objects, size),
        "objects": listed,
        "equivalence": None if equal is None else {**asdict(equal), "promised": promised(two.context.promised)},
        "beside": {"org": org_beside, "org_score": org_score_beside, **_sizes(size)},
    }
    return Compared([primary, org, score, org_score, *per_object], data)


def mean_row(two: Two, sides: Sides, part: str, approval: bool) -> tuple[Contrast, Units | None]:
    """Mean over objects of a − b: t interval, sign-flip p within raters; Welch and permutation between raters."""
    row = blank_row(two, two.row_id(part), f"{two.estimand}{part}", sides)
    if sides.fewest < FEWEST or not sides.objects:
        return too_few(row, sides), None
    return by_unit(two, row, sides, approval)


def by_unit(two: Two, row: Contrast, sides: Sides, approval: bool) -> tuple[Contrast, Units]:
    """A row filled from one value per rater, or per snapshot where raters are nested in snapshots."""
    found = units(sides, approval)
    rng = two.context.stream(f"contrast {row.id}")
    difference = t_interval(found, two.context.level)
    tested: Any
    if found.differences is not None:
        tested = sign_flip(found.differences, rng, two.context.options.replicates)
        effect, effect_name = paired_delta(found.differences), "Cliff's delta of rater means, within raters"
    else:
        tested = cluster_permutation(found.a, found.b, rng, two.context.options.replicates)
        effect, effect_name = brunner_munzel(found.a, found.b, two.context.level, rng).delta, "Cliff's delta"
    row = filled(row, difference, tested.p, tested.test, 1.0 if approval else 4.0)
    row = replace(row, effect=effect, effect_name=effect_name, note=joined(row.note, SNAPSHOTS if found.nested else ""))
    if row.p is not None and not tested.exact:
        row = replace(row, seed=two.context.options.seed, replicates=two.context.options.replicates)
    return row, found


def t_interval(found: Units, level: float) -> Difference:
    return paired_t(found.differences, level) if found.differences is not None else welch(found.a, found.b, level)


def org_row(two: Two, sides: Sides) -> tuple[Contrast, dict[str, Any]]:
    """Org approval of a − b: McNemar and Newcombe's paired interval, or Newcombe's and Boschloo's test."""
    row = blank_row(two, two.row_id("_org"), f"{two.estimand}_org", sides)
    if sides.fewest < FEWEST:
        return too_few(row, sides), {}
    return one_target_row(two, row, sides)


def one_target_row(two: Two, row: Contrast, sides: Sides) -> tuple[Contrast, dict[str, Any]]:
    """Approval of the Org or of one object. Raters who share a snapshot are not independent: then by snapshot."""
    if sides.nested:
        return by_unit(two, row, sides, approval=True)[0], {"a": _count(sides.a), "b": _count(sides.b)}
    return share_row(row, sides.a[:, 0] >= 4, sides.b[:, 0] >= 4, sides.paired, two.context.level)


def share_row(
    row: Contrast, yes_a: np.ndarray[Any, Any], yes_b: np.ndarray[Any, Any], paired: bool, level: float
) -> tuple[Contrast, dict[str, Any]]:
    """A row of the difference of two shares, and the counts and tests beside it."""
    k_a, n_a, k_b, n_b = int(yes_a.sum()), len(yes_a), int(yes_b.sum()), len(yes_b)
    counts = {"a": {"k": k_a, "n": n_a}, "b": {"k": k_b, "n": n_b}}
    if paired:
        first, second = int((yes_a & ~yes_b).sum()), int((~yes_a & yes_b).sum())
        share = newcombe_paired(int((yes_a & yes_b).sum()), first, second, int((~yes_a & ~yes_b).sum()), level)
        tested = mcnemar(first, second)
        p, test, note = tested.p, "McNemar, exact", tested.note
        beside = {**counts, "only_a": first, "only_b": second, "mid_p": tested.mid_p}
    else:
        share = newcombe_independent(k_a, n_a, k_b, n_b, level)
        p, test, note = boschloo(k_a, n_a, k_b, n_b), "Boschloo", ""
        score = miettinen_nurminen(k_a, n_a, k_b, n_b, level)
        beside = {**counts, "miettinen_nurminen": [score.low, score.high]}
    row = replace(row, estimator=share.estimator, estimate=share.estimate, low=share.low, high=share.high, p=p)
    return replace(row, test=test, note=joined(row.note, note)), beside


def org_score_row(two: Two, sides: Sides) -> tuple[Contrast, dict[str, Any]]:
    """Score of the Org: signed-rank within raters, Brunner–Munzel between them, each beside a t interval."""
    row = blank_row(two, two.row_id("_org_score"), f"{two.estimand}_org_score", sides)
    if sides.fewest < FEWEST:
        return too_few(row, sides), {}
    if sides.nested:
        return by_unit(two, row, sides, approval=False)[0], {}
    a, b, level = sides.a[:, 0], sides.b[:, 0], two.context.level
    if sides.paired:
        ranked = signed_rank((a - b).tolist())
        row = filled(row, paired_t(a - b, level), ranked.p, ranked.method, 4.0)
        row = replace(row, effect=rank_biserial(a - b), effect_name="matched rank-biserial")
        return row, {"v": ranked.v, "zeros": ranked.zeros}
    rng = two.context.stream(f"contrast {row.id}")
    found = brunner_munzel(a, b, level, rng, two.context.options.replicates)
    row = filled(row, welch(a, b, level), found.p, found.test, 4.0)
    row = replace(row, effect=found.delta, effect_name="Cliff's delta")
    return row, {"a": found.a, "low": found.low, "high": found.high, "mann_whitney_p": mann_whitney(a, b).p}


def object_rows(two: Two, sides: Sides) -> tuple[list[Contrast], list[dict[str, Any]]]:
    """Each object by itself; p adjusted by Holm within the family of these objects, Benjamini–Hochberg beside."""
    rows, listed = [], []
    family = f"{len(sides.objects)} objects, {two.name}"
    for place, name in enumerate(sides.objects):
        one = of_object(sides, place)
        row = replace(blank_row(two, two.row_id("_object", name), f"{two.estimand}_object", one), family=family)
        beside: dict[str, Any] = {"a": _count(one.a), "b": _count(one.b)}
        if one.fewest >= FEWEST:
            row, beside = one_target_row(two, row, one)
        else:
            row = replace(row, note=f"{len(one.a)} and {len(one.b)} raters: too few for a difference")
        rows.append(row)
        listed.append({"target": name, "id": row.id, **beside})
    return _adjusted(rows, listed)


def _count(scores: Floats) -> dict[str, int]:
    return {"k": int((scores >= 4).sum()), "n": len(scores)}


def _adjusted(rows: list[Contrast], listed: list[dict[str, Any]]) -> tuple[list[Contrast], list[dict[str, Any]]]:
    tested = [place for place, row in enumerate(rows) if row.p is not None]
    p = [float(rows[place].p or 0.0) for place in tested]
    for place, by_holm, by_bh in zip(tested, holm(p), benjamini_hochberg(p), strict=True):
        rows[place] = replace(rows[place], p_adjusted=by_holm, adjustment="Holm")
        listed[place]["benjamini_hochberg"] = by_bh
    return rows, listed


def equivalence(two: Two, found: Units | None) -> Equivalence | None:
    """Two one-sided tests of the primary contrast at `margin_of` the protocol."""
    if found is None:
        return None
    return tost(t_interval(found, two.context.level), margin_of(two.context.promised), 1 - two.context.level)


def margin_of(said: Mapping[str, Any]) -> float:
    """The margin of the protocol's block `analysis`, a share; 10 points where it has none."""
    return float(said["margin"]) if promised(said) else MARGIN


def promised(said: Mapping[str, Any]) -> bool:
    margin = said.get("margin")
    return isinstance(margin, (int, float)) and 0 < margin < 1


def _sides(sides: Sides, found: Units | None) -> dict[str, Any]:
    if found is None:
        return {"objects": sides.objects}
    return {"a": found.mean_a.estimate, "b": found.mean_b.estimate, "objects": sides.objects,
            "ratings_a": found.mean_a.ratings, "ratings_b": found.mean_b.ratings}  # fmt: skip


def _sizes(found: Units | None) -> dict[str, Any]:
    if found is None:
        return {}
    if found.differences is not None:
        return {"cohen_dz": cohen_dz(found.differences)}
    return {"hedges_g": hedges_g(found.a, found.b)}


def blank_row(two: Two, row_id: str, estimand: str, sides: Sides) -> Contrast:
    n_a, n_b = len(sides.raters_a), len(sides.raters_b)
    n = n_a if sides.paired else n_a + n_b
    return Contrast(
        row_id, estimand, two.relation.kind, two.a.arm, two.b.arm, two.scope, "", None, None, None, two.context.level,
        n, n_a, n_b,
    )  # fmt: skip


def too_few(row: Contrast, sides: Sides) -> Contrast:
    if not sides.objects:
        return replace(row, note="no object was rated on both sides by people who can be compared")
    if sides.paired:
        return replace(row, note=f"{len(sides.raters_a)} raters rated both: too few for a difference")
    return replace(row, note=f"{len(sides.raters_a)} and {len(sides.raters_b)} raters: too few for a difference")


def filled(row: Contrast, found: Difference, p: float | None, test: str, reach: float) -> Contrast:
    """With estimate and interval, and p only where there is an interval. reach: the largest possible difference."""
    if found.low is None or found.high is None:
        return replace(row, estimator=found.estimator, estimate=found.estimate, note=joined(row.note, found.note))
    low, high = max(-reach, found.low), min(reach, found.high)
    row = replace(row, estimator=found.estimator, estimate=found.estimate, low=low, high=high)
    return replace(row, p=p, test=test if p is not None else "")


def joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
