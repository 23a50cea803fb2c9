"""Sensitivity (M5): approval of an Org less that of its control, by visits, arms or dossiers; and the claims' order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.blocks import Block, Earlier, Found
from analysis.comparing.claims import Claim, in_order
from analysis.comparing.controls import SHUFFLED, Controlled, control_groups, controlled, relation_of
from analysis.comparing.dossiers import dossier_rows, rated_dossiers
from analysis.comparing.fitting import REPLICATED
from analysis.comparing.pairs import pair_of
from analysis.comparing.realism_parts import claims_section, realism_section
from analysis.comparing.wording import M5
from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.document import Section
from analysis.estimates import FEWEST

KEY = "realism"
NONE = "This study has no control Org and no dossiers, so that whether approval is sensitive isn't known."
NO_RATINGS = "no ratings: sensitivity isn't computed"


def compute(context: Context, earlier: Earlier) -> Found:
    """data: ways (each one estimate of sensitivity), ladder (other recipes), claims in the plan's order, note."""
    if context.ratings.empty:
        return Found({"ways": [], "ladder": [], "claims": [], "note": NO_RATINGS})
    ways: list[dict[str, Any]] = []
    ladder: list[dict[str, Any]] = []
    rows: list[Contrast] = []
    used: set[str] = set()
    for pair in controlled(context):
        entry, found = _pair(context, pair, used)
        rows += found
        (ways if entry["recipe"] in (SHUFFLED, "") else ladder).append(entry)
    for entry, found in _dossiers(context):
        rows += found
        ways.append(entry)
    order = ("visits", "arms", "dossiers")
    ways.sort(key=lambda way: order.index(way["how"]))
    claims = in_order(_claims(context, earlier, ways, rows), context.level)
    note = "" if ways or ladder else NONE
    return Found({"ways": ways, "ladder": ladder, "claims": claims, "note": note}, contrasts=rows)


def _pair(context: Context, pair: Controlled, used: set[str]) -> tuple[dict[str, Any], list[Contrast]]:
    """One group beside a control of its Orgs. Ids are <arm>.sensitivity.<how>, or <arm>.ablation.<recipe>.<how>."""
    groups = {group.arm: group for group in context.groups}
    org, control = groups[pair.org], groups[pair.control]
    estimand = "sensitivity" if pair.recipe in (SHUFFLED, "") else "ablation"
    how = "visits" if relation_of(context, org, control).paired else "arms"
    tail = f".{how}" if estimand == "sensitivity" else f".{pair.recipe}.{how}"
    if f"{pair.org}.{estimand}{tail}" in used:
        tail += f".{pair.control}"  # a second control of the same recipe
    used.add(f"{pair.org}.{estimand}{tail}")
    found = pair_of(context, org, control, estimand, pair.org or "all", tail)
    return {**found.data, "how": how, "recipe": pair.recipe, **_said(found.rows[0], pair.recipe)}, found.rows


def _dossiers(context: Context) -> list[tuple[dict[str, Any], list[Contrast]]]:
    rated = rated_dossiers(context)
    found = []
    for arm in sorted(set(rated["arm"])):
        own = rated[rated["arm"] == arm]
        rows, counts = dossier_rows(context, str(arm), own)
        made = {context.controls[code][1] for code in set(own["org_hash"]) if code in context.controls}
        recipe = " and ".join(sorted(made - {""}))
        entry = {
            "a": rows[0].a, "b": rows[0].b, "arm": arm, "kind": rows[0].kind, "how": "dossiers",
            "recipe": recipe, "counts": counts,
            "rows": {"objects": rows[0].id, "score": rows[1].id}, **_said(rows[0], recipe),
        }  # fmt: skip
        found.append((entry, rows))
    return found


def _said(row: Contrast, recipe: str) -> dict[str, Any]:
    """Whether the interval lies above 0; and the sentence of M5 where it doesn't, or where the test says no (K1)."""
    if row.low is None and not (row.estimate == 0 and row.n >= FEWEST):
        return {"above_zero": None, "m5": ""}
    # Enough people who all rated both alike give no interval, and no sign of sensitivity either.
    above = row.low is not None and row.low > 0
    noticed = above and row.p is not None and row.p <= 1 - row.level
    return {"above_zero": above, "m5": "" if noticed or recipe not in (SHUFFLED, "") else M5}


def _claims(
    context: Context, earlier: Earlier, ways: Sequence[Mapping[str, Any]], rows: Sequence[Contrast]
) -> list[Claim]:
    """K1: sensitivity, the first way there is (visits, arms, dossiers); K2: arms without controls; K3: published."""
    by_id = {row.id: row for row in [*earlier.contrasts, *rows]}
    first = [by_id[way["rows"]["objects"]] for way in ways if way["how"] == ways[0]["how"]]
    controls = control_groups(context)
    arms = [row for row in earlier.contrasts if row.estimand == "arm_difference" and not {row.a, row.b} & controls]
    published = [row for row in earlier.contrasts if row.id in _promised(earlier)]
    return [Claim("K1", first, above=True), Claim("K2", arms), Claim("K3", published)]


def _promised(earlier: Earlier) -> set[str]:
    """Rows beside the study that the protocol replicates; beside every other one only where it replicates none."""
    beside = earlier.data.get("published", {}).get("beside", [])
    cited = [entry for entry in beside if entry["why"] == REPLICATED]
    own = {row_id for entry in cited or beside for row_id in entry.get("rows", ())}
    return {row.id for row in earlier.contrasts if row.id in own and row.estimand == "historical_difference"}


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """Sensitivity, always, since its absence is told too; the claims where there is one."""
    found = results.get(KEY) or {}
    if not found or found["note"] == NO_RATINGS or results["study"]["plain"]:
        return ()
    rows = {row["id"]: row for row in results.get("comparisons", ())}
    own = [realism_section(found, rows)]
    if any(claim["rows"] for claim in found["claims"]):
        own.append(claims_section(found["claims"], rows))
    return tuple(own)


BLOCK = Block(KEY, compute, sections)
