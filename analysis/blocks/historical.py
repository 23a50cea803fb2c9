"""Published studies beside this one: same objects, both uncertainties, kind `historical` (M23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.blocks import Block, Earlier, Found
from analysis.comparing.controls import control_groups
from analysis.comparing.fitting import fitting
from analysis.comparing.historical import beside
from analysis.comparing.historical_parts import historical_section
from analysis.comparing.two_groups import analysed
from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.document import Section
from analysis.published import collected

KEY = "published"
NO_RATINGS = "no ratings: nothing stands beside published studies"


def compute(context: Context, earlier: Earlier) -> Found:
    """data: beside (one entry per group and published arm) and nothing (per group, why no study fits).

    Raises published.BaselineError and BundleError for a researcher's file that is at fault.
    """
    studies = collected(context.options.baselines)
    if context.ratings.empty:
        return Found({"beside": [], "nothing": [], "note": NO_RATINGS})
    entries: list[dict[str, Any]] = []
    nothing: list[dict[str, Any]] = []
    contrasts: list[Contrast] = []
    controls = control_groups(context)
    for group in context.groups:
        if group.arm in controls:
            nothing.append({"group": group.arm, "why": "It rated a control Org, which no published study did."})
            continue
        rows = analysed(group)
        rated = rows[(rows["kind"] == "object") & rows["score"].notna()]["target"]
        fits, why = fitting(studies, context.bundle.protocol, cited(context), group.arm, sorted(set(rated)))
        if why:
            nothing.append({"group": group.arm, "why": why})
        for fit in fits:
            found, data = beside(group, fit)
            contrasts += found
            entries.append(data)
    return Found({"beside": entries, "nothing": nothing, "note": ""}, contrasts=contrasts)


def cited(context: Context) -> str:
    """The study the protocol replicates, as it cites it; empty for none."""
    meta = context.bundle.protocol.get("meta")
    replicates = meta.get("replicates") if isinstance(meta, dict) else None
    citation = replicates.get("citation") if isinstance(replicates, dict) else context.bundle.study.get("replicates")
    return " ".join(str(citation or "").split())


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """Nothing without ratings; otherwise what stands beside, or why nothing does."""
    found = results.get(KEY) or {}
    if not found or found["note"]:
        return ()
    rows = {row["id"]: row for row in results.get("comparisons", ())}
    return (historical_section(found, rows),)


BLOCK = Block(KEY, compute, sections)
