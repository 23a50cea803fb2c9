"""Own approval beside a published one: both uncertain, never as if the published number were known (`historical`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from scipy import special, stats

from analysis.cluster_sums import cluster_sums
from analysis.clusters import (
    ClusterInterval,
    Linearised,
    apriori_deff,
    cluster_wilson,
    mean_over_objects,
    published_band,
)
from analysis.comparing.fitting import Fit
from analysis.comparing.two_by_two import newcombe_independent
from analysis.comparing.two_groups import analysed
from analysis.contrasts import Contrast
from analysis.estimates import FEWEST, Group, top_two
from analysis.proportions import wilson
from analysis.published import RHO, Printed, PublishedArm, agrees

RHOS = (0.0, 0.1, 0.2, 0.3)
ESTIMAND = "historical_difference"
OTHERS = "other screens, people and year"


@dataclass(frozen=True)
class Own:
    """The group's mean over the common objects: interval as in the headline, variance with the floor of its deff."""

    interval: ClusterInterval
    variance: float | None
    raters: int
    units: int


def own_on(group: Group, objects: list[str]) -> Own:
    """objects: own names of the common objects."""
    rows = analysed(group)
    rows = rows[(rows["kind"] == "object") & rows["target"].isin(objects)]
    sums = cluster_sums(rows, top_two)
    found = mean_over_objects(sums.values, sums.valid, sums.unit)
    return Own(cluster_wilson(found, group.level), own_variance(found), sums.raters, found.raters)


def own_variance(found: Linearised) -> float | None:
    """max(V, p(1 − p)/M), as in the interval; with all ratings alike p is first drawn to (R·p + 1)/(R + 2), M = R."""
    if found.share is None or found.variance is None:
        return None
    if found.alike:
        return _binomial(_drawn_in(found.share, found.raters), found.raters)
    return max(found.variance, _binomial(found.share, found.n))


def baseline_variance(share: float, ratings: float, raters: int, rho: float) -> float:
    """deff·p(1 − p)/n with the design effect 1 + (n/R − 1)·rho of ratings by R raters."""
    p = _drawn_in(share, raters) if share in (0.0, 1.0) else share
    return apriori_deff(ratings / raters, rho) * _binomial(p, ratings)


def _binomial(p: float, n: float) -> float:
    return p * (1 - p) / n


def _drawn_in(share: float, raters: int) -> float:
    return (share * raters + 1) / (raters + 2)


def dial(own: Own, share: float, ratings: int, raters: int, level: float) -> list[dict[str, Any]]:
    """own − published at each rho: SE² = V_own + V_published, t on min(R − 1, R_published − 1) degrees of freedom."""
    if own.interval.estimate is None or own.variance is None:
        return []
    d, df = own.interval.estimate - share, min(own.units - 1, raters - 1)
    found = []
    for rho in RHOS:
        se = math.sqrt(own.variance + baseline_variance(share, ratings, raters, rho))
        half = float(special.stdtrit(df, 0.5 + level / 2)) * se
        p = min(1.0, 2 * float(special.stdtr(df, -abs(d / se))))
        low, high = max(-1.0, d - half), min(1.0, d + half)
        found.append({"rho": rho, "estimate": d, "se": se, "df": df, "low": low, "high": high, "p": p})
    return found


def beside(group: Group, fit: Fit) -> tuple[list[Contrast], dict[str, Any]]:
    """Rows and data of one group beside one published arm."""
    data: dict[str, Any] = {
        "group": group.arm, "study": fit.study.id, "title": fit.study.title, "year": fit.study.year,
        "citation": fit.study.citation, "arm": fit.arm.id, "raters": fit.arm.raters, "why": fit.why,
        "common": [[own, published] for own, published in sorted(fit.common.items())],
        "published_objects": len(fit.arm.objects),
    }  # fmt: skip
    rows: list[Contrast] = []
    if fit.common:
        found, rows = _on_objects(group, fit)
        data |= found
    org, org_rows = _on_org(group, fit)
    return [*rows, *org_rows], {**data, "org": org}


def _on_objects(group: Group, fit: Fit) -> tuple[dict[str, Any], list[Contrast]]:
    own = own_on(group, list(fit.common))
    arm = _restricted(fit.arm, set(fit.common.values()))
    share = arm.recomputed()["mean_over_objects"]
    enough = own.raters >= FEWEST
    published = [_published(arm, share, arm.n, "mean of the common objects, from its figure", False, group.level)]
    if len(arm.objects) == len(fit.arm.objects):
        published += [_published(arm, one.value / 100, arm.n, "as printed", True, group.level)
                      for one in _not_following(fit.arm)]  # fmt: skip
    for one in published:
        one["dial"] = dial(own, one["share"], arm.n, arm.raters, group.level) if enough else []
    rows = [_row(group, fit, own, one) for one in published]
    interval = own.interval
    told = {
        "estimate": interval.estimate if enough else None, "low": interval.low if enough else None,
        "high": interval.high if enough else None, "k": interval.k, "n": interval.n, "raters": own.raters,
        "note": interval.note if enough else f"{own.raters} raters: too few for a percentage",
    }  # fmt: skip
    return {"own": told, "published": published, "rows": [row.id for row in rows]}, rows


def _restricted(arm: PublishedArm, names: set[str]) -> PublishedArm:
    return replace(arm, objects=tuple(one for one in arm.objects if one.name in names))


def _not_following(arm: PublishedArm) -> list[Printed]:
    """Printed means over objects that do not follow from the arm's own counts."""
    return [one for one in arm.printed if one.estimand == "mean_over_objects" and not agrees(one, arm)]


def _published(arm: PublishedArm, share: float, ratings: int, what: str, printed: bool, level: float) -> dict[str, Any]:
    bands = [{"rho": rho, "low": low, "high": high} for rho in RHOS
             for low, high in [published_band(share, ratings, arm.raters, rho, level)]]  # fmt: skip
    return {"share": share, "ratings": ratings, "raters": arm.raters, "what": what, "printed": printed, "bands": bands}


def _row(group: Group, fit: Fit, own: Own, published: dict[str, Any]) -> Contrast:
    """One row at rho = .2; the whole dial is in the block's data."""
    tail = ".printed" if published["printed"] else ""
    name = f"{fit.study.title} {fit.arm.id}, {published['what']}"
    row = Contrast(
        f"{group.arm or 'all'}.{ESTIMAND}.{fit.study.id}.{fit.arm.id}{tail}",
        "historical_difference_printed" if published["printed"] else ESTIMAND, "historical",
        group.arm or "this study", name, group.scope, f"both variances, rho {RHO:g}, t", None, None, None, group.level,
        own.interval.n, own.raters, published["raters"],
    )  # fmt: skip
    at = next((one for one in published["dial"] if one["rho"] == RHO), None)
    if at is None:
        return replace(row, note=f"{own.raters} raters: too few for a difference")
    values = {key: at[key] for key in ("estimate", "low", "high", "p")}
    return replace(row, **values, test=f"t with both variances, rho {RHO:g}, {at['df']} df", note=OTHERS)


def _on_org(group: Group, fit: Fit) -> tuple[dict[str, Any] | None, list[Contrast]]:
    """Org approval: beside the published one where it is known, and against a fixed share, labelled as such."""
    rows = analysed(group)
    scores = rows[(rows["kind"] == "org") & rows["score"].notna()]["score"]
    k, n = int((scores >= 4).sum()), len(scores)
    if n < FEWEST:
        return ({"k": k, "n": n, "fixed": [], "note": f"{n} raters: too few"} if n else None), []
    fixed = [
        {"share": one.value / 100, "estimand": one.estimand, "p": float(stats.binomtest(k, n, one.value / 100).pvalue)}
        for one in fit.arm.printed
        if 0 < one.value < 100
    ]
    contrasts = []
    if fit.arm.org:
        known = newcombe_independent(k, n, *fit.arm.org, group.level)
        contrasts.append(Contrast(
            f"{group.arm or 'all'}.{ESTIMAND}_org.{fit.study.id}.{fit.arm.id}", f"{ESTIMAND}_org", "historical",
            group.arm or "this study", f"{fit.study.title} {fit.arm.id}", group.scope, known.estimator, known.estimate,
            known.low, known.high, group.level, n + fit.arm.org[1], n, fit.arm.org[1], note=OTHERS,
        ))  # fmt: skip
    low, high = wilson(k, n, group.level)
    told = {"k": k, "n": n, "estimate": k / n, "low": low, "high": high, "fixed": fixed, "note": ""}
    return {**told, "rows": [row.id for row in contrasts]}, contrasts
