"""From a bundle on disk to what a results page shows: the report's own numbers and figures, nothing of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.bundle import read_bundle
from analysis.figures import diverging_svg, headline_svg
from analysis.figures_profile import profile_svg
from analysis.results import results

THEMES = ("light", "dark")
WIDE, NARROW = 1132, 320
PROFILE = "realism-profile"
HEADLINES = ("org_approval", "mean_over_objects", "pooled_share")


def results_of(bundle: Path) -> dict[str, Any]:
    """results.json and its figures by name, for example ``approval-b2c-dark-320``."""
    found = results(read_bundle(bundle))
    figures: dict[str, str] = {}
    for group in found["groups"]:
        for theme in THEMES:
            for width in (WIDE, NARROW):
                name = f"approval-{group['arm']}"
                figures[f"{name}-{theme}-{width}"] = diverging_svg(group["objects"], theme, width, name)
            for row in headlines(found, group["arm"]):
                name = f"{row['estimand']}-{group['arm']}"
                figures[f"{name}-{theme}"] = headline_svg(row, theme, name=name)
    if profile := found.get("profile"):
        for theme in THEMES:
            for width in (WIDE, NARROW):
                figures[f"{PROFILE}-{theme}-{width}"] = profile_svg(profile, theme, width, PROFILE)
    return {"results": found, "figures": figures}


def headlines(found: dict[str, Any], arm: str) -> list[dict[str, Any]]:
    """The three headline estimates of an arm, in the order of claims."""
    rows = {row["estimand"]: row for row in found["estimates"] if row["arm"] == arm}
    return [rows[name] for name in HEADLINES if name in rows]
