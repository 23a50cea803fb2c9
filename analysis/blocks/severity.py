"""The ordinal model: how severe each rater is, objects on the log-odds scale, and the effect of the Org."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.comparing.kinds import relations
from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.estimates import FEWEST, Estimate, Group
from analysis.groups import labels_of
from analysis.ordinal import CumulativeFit, ScoreTable, binary_fits, marginal_approval, marginal_difference, severities
from analysis.ordinal import score_table as table_of
from analysis.ordinal.fitting import SEPARATED
from analysis.ordinal.marginal import approval_of_rater
from analysis.ordinal.proportional import CUTS
from analysis.ordinal.table import ONE_END
from analysis.severity_tables import sections

KEY = "severity"
NO_RATINGS = "no ratings of objects"
NO_COMMON = "the groups have no object in common"
LOGISTIC = math.pi**2 / 3  # variance of the standard logistic distribution


def compute(context: Context, earlier: Earlier) -> Found:
    """data: groups with the model of each, or the reason why there is none; between, one entry per pair of groups."""
    labels = labels_of(context.bundle)
    groups = [_group(group, labels) for group in context.groups]
    between = _between(context)
    rows = [row for group, found in zip(context.groups, groups, strict=True) for row in _estimates(group, found)]
    contrasts = [row for entry in between for row in _contrasts(entry, context)]
    return Found({"groups": groups, "between": between}, rows, contrasts)


def _rated(group: Group) -> pd.DataFrame:
    """Ratings of objects in the primary set, with a score."""
    rows = group.ratings
    return rows[rows["analysed"] & (rows["kind"] == "object") & rows["score"].notna()]


def _group(group: Group, labels: Mapping[str, str]) -> dict[str, Any]:
    rated = _rated(group)
    scores = rated["score"].to_numpy(dtype=float)
    table = table_of(scores, rated["rater"].to_numpy(), rated["target"].to_numpy())
    head = {
        "arm": group.arm,
        "level": group.level,
        "n": len(table.scores),
        "raters": table.rater_count,
        "snapshots": int(rated["org_hash"].nunique()),
        "left_out": list(table.left_out),
    }
    reason = table.against() if len(rated) else NO_RATINGS
    fit = None if reason else table.fit()
    if fit is None or fit.reason:
        return head | {"reason": reason or (fit.reason if fit else "")}
    return head | {"reason": "", **_model(table, fit, group.level, labels)}


def _model(table: ScoreTable, fit: CumulativeFit, level: float, labels: Mapping[str, str]) -> dict[str, Any]:
    z = fit.reach(level)
    return {
        "estimator": fit.estimator,
        "note": fit.note,
        "log_likelihood": fit.log_likelihood,
        "categories": list(fit.values),
        "thresholds": [
            {"under": under, "over": over, "value": value, "se": se}
            for under, over, value, se in zip(
                fit.values, fit.values[1:], fit.thresholds, fit.errors[: fit.cuts], strict=False
            )
        ],
        "spread": _spread(fit, z),
        "approval": _approval(marginal_approval(fit, table.rows(), level)),
        "severe": approval_of_rater(fit, table.rows(), -1.0),
        "mild": approval_of_rater(fit, table.rows(), 1.0),
        "objects": list(_objects(table, fit, level, labels)),
        "proportional": _proportional(table, fit),
        "severities": [
            {"rater": one.rater, "mode": one.mode, "se": one.se, "n": one.n, "low": one.mode - z * one.se,
             "high": one.mode + z * one.se}
            for one in severities(fit)
        ],
    }  # fmt: skip


def _spread(fit: CumulativeFit, z: float) -> dict[str, Any]:
    """σ with its interval by the logarithm, and the share of the latent variance that lies between raters."""
    se = fit.sigma_se
    wide = None if se is None or se > fit.sigma else math.exp(z * se / fit.sigma)
    return {
        "estimate": fit.sigma,
        "se": se,
        "low": None if wide is None else fit.sigma / wide,
        "high": None if wide is None else fit.sigma * wide,
        "latent_share": fit.sigma**2 / (fit.sigma**2 + LOGISTIC),
        "note": fit.note or ("" if wide else "interval not estimable – the spread is not told from 0"),
    }


def _approval(found: Any) -> dict[str, Any]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "reason": found.reason}


def _objects(
    table: ScoreTable, fit: CumulativeFit, level: float, labels: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Each object against the mean of the objects in the model, in log odds; then those left out, with the reason."""
    z = fit.reach(level)
    for name in table.objects:
        value, se = fit.combined(table.object_weights(name, table.objects))
        row = {"target": name, "label": labels.get(name, name), **_odds(value, se, z)}
        yield row | {"approval": _approval(marginal_approval(fit, table.row(name), level))}
    for name in table.left_out:
        empty = _odds(None, None, z) | {"reason": ONE_END}
        approval = {"estimate": None, "low": None, "high": None, "reason": ONE_END}
        yield {"target": name, "label": labels.get(name, name), **empty, "approval": approval}


def _odds(value: float | None, se: float | None, z: float) -> dict[str, Any]:
    """A log odds ratio with its interval, and the odds ratio."""
    if value is None or se is None:
        return dict.fromkeys(("effect", "se", "low", "high", "odds_ratio", "odds_low", "odds_high")) | {
            "reason": SEPARATED
        }
    low, high = value - z * se, value + z * se
    return {
        "effect": value, "se": se, "low": low, "high": high, "odds_ratio": math.exp(value), "odds_low": math.exp(low),
        "odds_high": math.exp(high), "reason": "",
    }  # fmt: skip


def _proportional(table: ScoreTable, fit: CumulativeFit) -> dict[str, Any]:
    """What the binary fits at cuts 3, 4 and 5 say of the common effect."""
    found = binary_fits(table, fit)
    return {
        "cuts": [
            {
                "cut": cut,
                "fitted": cut not in found.unfitted,
                "effects": [
                    {"kind": one.kind, "name": one.name, "binary": one.binary, "se": one.se, "ordinal": one.ordinal,
                     "apart": one.apart}
                    for one in found.effects
                    if one.cut == cut
                ],
                "not_estimable": [name for at, name in found.not_estimable if at == cut],
            }
            for cut in CUTS
        ],
        "compared": len(found.effects),
        "apart": sum(one.apart for one in found.effects),
    }  # fmt: skip


def _between(context: Context) -> list[dict[str, Any]]:
    """Every pair of groups in a model of their own, on the objects both rated."""
    found, related = [], relations(context.bundle)
    for a, b in combinations(context.groups, 2):
        relation = related.get((a.arm, b.arm)) or related.get((b.arm, a.arm))
        kind = relation.kind if relation else "not randomised"
        found.append({"a": a.arm, "b": b.arm, "kind": kind, "level": a.level, **_pair(a, b)})
    return found


def _pair(a: Group, b: Group) -> dict[str, Any]:
    sides = [_rated(a), _rated(b)]
    common = sorted(set(sides[0]["target"]) & set(sides[1]["target"]))
    sides = [side[side["target"].isin(common)] for side in sides]
    raters = [int(side["rater"].nunique()) for side in sides]
    head: dict[str, Any] = {"objects": len(common), "raters_a": raters[0], "raters_b": raters[1]}
    if not common:
        return head | {"n": 0, "reason": NO_COMMON}
    rated = pd.concat(sides)
    groups = np.repeat(["a", "b"], [len(side) for side in sides])
    table = table_of(
        rated["score"].to_numpy(dtype=float), rated["rater"].to_numpy(), rated["target"].to_numpy(), groups
    )
    head |= {"n": len(table.scores), "raters": table.rater_count, "left_out": list(table.left_out)}
    reason = table.against()
    if not reason and min(raters) < FEWEST:
        reason = f"a group has {min(raters)} raters; the effect needs at least {FEWEST} in each"
    if not reason and len(table.group_names) < 2:
        reason = ONE_END
    if reason:
        return head | {"reason": reason}
    fit = table.fit()
    return head | ({"reason": fit.reason} if fit.reason else _effect(table, fit, a.level))


def _effect(table: ScoreTable, fit: CumulativeFit, level: float) -> dict[str, Any]:
    """a against b: the conditional odds ratio, then approvals averaged over raters and their difference."""
    z, first = fit.reach(level, robust=True), table.objects[0]
    value, se = fit.combined(table.row(first, "a") - table.row(first, "b"), robust=True)
    difference = marginal_difference(fit, table.rows("a"), table.rows("b"), level)
    at_cuts = [one for one in binary_fits(table, fit).effects if one.kind == "group"]
    return {
        **_odds(value, se, z),
        "sigma": fit.sigma,
        "note": fit.note,
        "approval_a": _approval(difference.a),
        "approval_b": _approval(difference.b),
        "difference": {"estimate": difference.estimate, "low": difference.low, "high": difference.high},
        "marginal_odds": {"estimate": difference.odds_ratio, "low": difference.odds_low, "high": difference.odds_high},
        "marginal_reason": difference.reason,
        # The binary fits have b against a; here it is a against b throughout.
        "cuts": [
            {"cut": one.cut, **_odds(-one.binary, one.se, z), "apart": one.apart}
            for one in at_cuts
        ],
    }  # fmt: skip


def _estimates(group: Group, found: Mapping[str, Any]) -> Iterator[Estimate]:
    if found["reason"]:
        return
    spread, name = found["spread"], f"{group.arm or 'all'}.rater_spread"
    yield Estimate(
        name, "rater_spread", found["estimator"], group.scope, group.arm, "objects", spread["estimate"], spread["low"],
        spread["high"], group.level, None, found["n"], found["raters"], None, 0, None, spread["note"],
    )  # fmt: skip


def _contrasts(entry: Mapping[str, Any], context: Context) -> Iterator[Contrast]:
    """The Org effect as log odds (conditional) and as a difference of approvals (marginal)."""
    if "difference" not in entry:
        return
    scope = next(group.scope for group in context.groups if group.arm == entry["a"])
    estimator = "cumulative logit, random intercept per rater; sandwich over raters, t"
    wanted: Sequence[tuple[str, Mapping[str, Any]]] = (
        ("org_effect_log_odds", {"estimate": entry["effect"], "low": entry["low"], "high": entry["high"]}),
        ("marginal_approval_difference", entry["difference"]),
    )
    for estimand, row in wanted:
        if row["estimate"] is None:
            continue
        yield Contrast(
            f"{entry['a']} - {entry['b']}.{estimand}", estimand, entry["kind"], entry["a"], entry["b"], scope,
            estimator, row["estimate"], row["low"], row["high"], entry["level"], entry["n"], entry["raters_a"],
            entry["raters_b"], note="objects both groups rated; exploratory, beside the contrasts of the plan",
        )  # fmt: skip


BLOCK = Block(KEY, compute, sections)
