"""Every pair of groups compared, with the kind of the comparison (M1). An Org against its control: `realism`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from analysis.blocks import Block, Earlier, Found
from analysis.comparing.controls import control_groups, controlled, relation_of
from analysis.comparing.page_parts import pair_parts, rows_of
from analysis.comparing.pairs import pair_of
from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.document import Paragraph, Part, Section

KEY = "between_groups"
ESTIMAND, RETEST = "arm_difference", "retest_difference"
"""The same people on the same Orgs again have an estimand of their own: it says nothing about Orgs."""
NO_RATINGS = "no ratings: nothing is compared"


def compute(context: Context, earlier: Earlier) -> Found:
    """data: pairs, each with kind, rows by their ids, objects, equivalence and crossover; note where there is none."""
    if context.ratings.empty:
        return Found({"pairs": [], "note": NO_RATINGS})
    own = {frozenset((pair.org, pair.control)) for pair in controlled(context)}
    controls = control_groups(context)
    pairs: list[dict[str, Any]] = []
    rows: list[Contrast] = []
    for a, b in combinations(context.groups, 2):
        if frozenset((a.arm, b.arm)) in own:
            continue
        estimand = RETEST if relation_of(context, a, b).retest else ESTIMAND
        found = pair_of(context, a, b, estimand, f"{a.arm} − {b.arm}")
        pairs.append({**found.data, "with_control": bool({a.arm, b.arm} & controls)})
        rows += found.rows
    note = "" if len(context.groups) > 1 else "one group: nothing is compared"
    return Found({"pairs": pairs, "note": note}, contrasts=rows)


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """One section for all pairs; nothing where a study has one group."""
    found = results.get(KEY) or {}
    if not found.get("pairs"):
        return ()
    rows = rows_of(results)
    lead = (
        "Differences are a − b. The mean over objects is taken over the objects rated on both sides. One number per "
        "rater goes into each test. Nothing was tested first to choose between the rows."
    )
    parts: list[Part] = [Paragraph(lead)]
    for number, pair in enumerate(found["pairs"], start=1):
        parts += pair_parts(pair, rows, f"comparison-{number}")
    return (Section("comparisons", "Comparisons and their kind", parts),)


BLOCK = Block(KEY, compute, sections)
