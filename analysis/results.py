"""Everything a report or a page shows about a bundle, as one JSON-ready mapping: the content of results.json."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import scipy

from analysis import __version__
from analysis.agreement import krippendorff_alpha
from analysis.blocks import Earlier
from analysis.blocks.agreement import unit_matrix
from analysis.blocks.order import BLOCKS
from analysis.bundle import Bundle
from analysis.comparing.kinds import study_kind
from analysis.context import Context, Options, context_of
from analysis.deviations import deviations
from analysis.estimates import Estimate, Group, group_estimates
from analysis.flow import characteristics, participant_flow, set_sizes, success
from analysis.groups import control_recipe, labels_of
from analysis.incidents import incidents
from analysis.plain_json import plain_json

VERSIONS = {
    "analysis": __version__,
    "python": platform.python_version(),
    "numpy": np.__version__,
    "scipy": scipy.__version__,
    "pandas": pd.__version__,
    "vl-convert": version("vl-convert-python"),
    "typst": version("typst"),
}


def results(bundle: Bundle, options: Options | None = None) -> dict[str, Any]:
    """The content of results.json: bundle, versions, estimates, comparisons, and what a page needs beside them.

    groups: one per arm (and condition) with its scope, set, counts of the Org and of each object on all five points,
    and agreement. Every block of `analysis.blocks.order` has an entry of its own.
    """
    context = context_of(bundle, options)
    level, labels = context.level, labels_of(bundle)
    found = context.groups
    rows = {group.arm: group_estimates(group) for group in found}
    earlier = Earlier(estimates=[row for group in found for row in rows[group.arm]])
    for block in BLOCKS:
        part = block.compute(context, earlier)
        earlier.data[block.key] = plain_json(part.data)
        earlier.estimates += part.estimates
        earlier.contrasts += part.contrasts
    return {
        "bundle": bundle.hash,
        "versions": VERSIONS,
        "seed": context.options.seed,
        "replicates": context.options.replicates,
        "estimates": [row.to_json() for row in earlier.estimates],
        "comparisons": [row.to_json() for row in earlier.contrasts],
        "study": study_facts(bundle) | {"promised": plain_json(context.promised)},
        "comparison": comparison_kind(bundle),
        "groups": [_group(group, rows[group.arm], labels, context) for group in found],
        "flow": participant_flow(bundle) if not bundle.plain else [],
        "sets": set_sizes(bundle) if not bundle.plain else {},
        "tasks": _rounded(success(bundle, "task", level)),
        "strata": _rounded(success(bundle, "stratum", level)),
        "characteristics": characteristics(bundle),
        "deviations": deviations(bundle),
        "incidents": incidents(bundle),
        "notes": list(bundle.notes),
        **earlier.data,
    }


def results_text(found: Mapping[str, Any]) -> str:
    """results.json: valid JSON, keys in a fixed order, no NaN."""
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def study_facts(bundle: Bundle) -> dict[str, Any]:
    """What the first lines of a report say; `replication` is True, False, or None when nobody said."""
    facts = dict(bundle.study)
    kind = facts.get("protocol_kind")
    replication = None if kind is None else kind == "replication"
    return {
        "code": str(facts.get("code", "")),
        "title": str(facts.get("title") or facts.get("code") or "Ratings"),
        "plain": bundle.plain,
        "blind": bool(facts.get("blind", False)),
        "simulated": bool(facts.get("simulated", False)) or _any_simulated(bundle),
        "replication": replication,
        "replicates": str(facts.get("replicates") or ""),
        "protocol": str(facts.get("protocol", "")),
        "protocol_sha256": str(facts.get("protocol_sha256", "")),
        "primary": str(facts.get("primary", "")),
        "unknowns": [dict(entry) for entry in facts.get("unknowns") or [] if isinstance(entry, dict)],
        "orgs": sorted(set(bundle.frames["visits"]["org_hash"]) - {""}),
        "participants": len(bundle.frames["participants"]),
        "channels": _channels(bundle),
    }


def _channels(bundle: Bundle) -> list[str]:
    """How those analysed were recruited, in the words of the bundle."""
    people = bundle.frames["participants"]
    return sorted(set(people.loc[people["analysed"].fillna(False).astype(bool), "channel"]) - {""})


def _any_simulated(bundle: Bundle) -> bool:
    return bool(bundle.frames["participants"]["simulated"].fillna(False).any())


def comparison_kind(bundle: Bundle) -> str:
    """How groups may be compared, in one word (M1): the weakest kind among them, or none; each contrast has its own."""
    return study_kind(bundle)


def _group(group: Group, rows: Sequence[Estimate], labels: Mapping[str, str], context: Context) -> dict[str, Any]:
    analysed = group.ratings[group.ratings["analysed"]]
    parts = analysed[analysed["kind"] == "object"]
    names = sorted(set(group.ratings.loc[group.ratings["kind"] == "object", "target"]))
    objects = [
        _counts(parts[parts["target"] == name], name, labels.get(name, name), rows, "object_approval") for name in names
    ]
    # Highest approval first, as the figure says; objects without ratings last, ties by label.
    objects.sort(key=lambda row: (-(row["k"] / row["n"]) if row["n"] else 1.0, row["label"]))
    return {
        "arm": group.arm,
        "scope": group.scope,
        "set": group.set_name,
        "level": group.level,
        "orgs": sorted(set(analysed["org_hash"]) - {""}),
        "control": control_recipe(group, context.controls),
        "raters": int(analysed.loc[analysed["score"].notna() | analysed["cannot_judge"], "rater"].nunique()),
        "ratings": int(analysed["score"].notna().sum()),
        "cannot_judge": int(analysed["cannot_judge"].sum()),
        "org": _counts(analysed[analysed["kind"] == "org"], "Org", "The Org as a whole", rows, "org_approval"),
        "objects": objects,
        "snapshots": _snapshots(analysed),
        "agreement": _agreement(parts, group.level),
    }


def _counts(ratings: pd.DataFrame, target: str, label: str, rows: Sequence[Estimate], estimand: str) -> dict[str, Any]:
    """One target: raters on each of the five points (zeros too), blanks by kind, approval and informed approval."""
    given = ratings["score"].dropna().astype(int)
    counts = [int((given == point).sum()) for point in range(1, 6)]
    own = {row.estimand: row.to_json() for row in rows if row.target == target}
    approval = own[estimand]
    informed = own.get(f"informed_{estimand}")
    blanks = ratings.loc[ratings["blank"] != "", "blank"].value_counts()
    fields = ("estimate", "low", "high", "k", "n", "note")
    return {
        "target": target,
        "label": label,
        "counts": counts,
        **{name: approval[name] for name in fields},
        "cannot_judge": approval["cannot_judge"],
        "blanks": {str(kind): int(number) for kind, number in sorted(blanks.items())},
        "informed": {name: informed[name] for name in fields} if informed else None,
        "mean": {name: own["mean_score"][name] for name in ("estimate", "low", "high", "n", "note")},
    }


def _snapshots(analysed: pd.DataFrame) -> list[dict[str, Any]]:
    """Approval over objects per snapshot, where there is more than one: the spread, without a claim."""
    parts = analysed[(analysed["kind"] == "object") & analysed["score"].notna()]
    if parts["org_hash"].nunique() < 2:
        return []
    return [
        {"org_hash": str(name), "k": int((part["score"] >= 4).sum()), "n": len(part), "raters": part["rater"].nunique()}
        for name, part in parts.groupby("org_hash", sort=True)
    ]


def _agreement(parts: pd.DataFrame, level: float) -> list[dict[str, Any]]:
    """Alpha at two levels with percent agreement; objects are the units, raters the raters."""
    matrix, _ = unit_matrix(parts)
    rows = []
    for measure in ("ordinal", "nominal"):
        found = krippendorff_alpha(matrix, measure, level=level)
        row = {
            "coefficient": found.coefficient,
            "value": found.value,
            "reason": found.reason,
            "percent_agreement": found.percent,
            "units": found.units,
            "dropped_units": found.dropped,
            "raters": found.raters,
            "low": found.low,
            "high": found.high,
            "level": found.level,
        }
        rows.append(row)
    return _rounded(rows)


def _rounded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: round(value, 8) if isinstance(value, float) else value for key, value in row.items()} for row in rows]
