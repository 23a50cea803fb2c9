"""Losses: who left where, what the estimate could be with them, and how many it takes to tip it (M17)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.care.choices import analysed
from analysis.care.headline import LABELS, Estimand, counted, headline, primary_of
from analysis.care.lost import THRESHOLD, tipping_point, with_lost
from analysis.comparing.two_by_two import newcombe_independent
from analysis.context import Context
from analysis.contrasts import Contrast
from analysis.document import Heading, Paragraph, Part, Section, Table
from analysis.estimates import FEWEST, Group
from analysis.figures import interval_words, percent
from analysis.proportions import wilson
from analysis.tables import STAGES

KEY = "losses"
Data = Mapping[str, Any]
ORDER = {stage: number for number, stage in enumerate(STAGES)}
WHERE = (
    ("before_work", "before the first question", -1, ORDER["working"]),
    ("working", "during the questions", ORDER["working"], ORDER["rating"]),
    ("rating", "during the ratings", ORDER["rating"], ORDER["locked"]),
    ("after_lock", "after the lock, not in the set", ORDER["locked"], len(STAGES)),
)


def compute(context: Context, earlier: Earlier) -> Found:
    if context.bundle.plain:
        return Found({"why": "a plain file does not tell who was lost", "arms": [], "groups": []})
    people = _people(context)
    arms = [_arm(context, name, own) for name, own in people.groupby("arm", sort=True)]
    primary, threshold = primary_of(context.promised), threshold_of(context.promised)
    # While blind there is nothing to bound.
    rated = [group for group in context.groups if len(group.ratings)]
    groups = [_bounds(group, people, primary, threshold) for group in rated]
    data = {"why": "", "primary": primary, "threshold": threshold, "arms": arms, "groups": groups}
    return Found(data, contrasts=_contrasts(context, people))


def threshold_of(promised: Mapping[str, Any]) -> float:
    """Key `threshold` of the protocol's block `analysis`, a share; a half where it names none (plan 16)."""
    named = promised.get("threshold")
    return float(named) if isinstance(named, (int, float)) and 0 < named < 1 else THRESHOLD


def _people(context: Context) -> pd.DataFrame:
    """Everybody who was given a visit: arm, furthest stage of their visits, how it ended, in the set or not yet."""
    visits = context.visits.reset_index(drop=True)
    place = visits.assign(place=visits["end_state"].map(ORDER).fillna(-1)).groupby("participant")
    found = pd.DataFrame({"arm": place["arm"].first(), "place": place["place"].max()})
    own = context.people.reindex(found.index)
    found["analysed"] = own["analysed"].fillna(False).astype(bool)
    found["end"] = own["end"].fillna("")
    found["under_way"] = (found["end"] == "") & ~found["analysed"]
    return found


def _arm(context: Context, name: Any, people: pd.DataFrame) -> dict[str, Any]:
    lost = people[~people["analysed"] & ~people["under_way"]]
    settled = len(people) - int(people["under_way"].sum())
    rows = []
    for key, label, least, below in WHERE:
        here = int(((lost["place"] >= least) & (lost["place"] < below)).sum())
        rows.append({"stage": key, "label": label, **_share(here, settled, context.level)})
    ends = {str(end): int(n) for end, n in lost["end"].value_counts().sort_index().items()}
    return {
        "arm": str(name), "began": len(people), "under_way": len(people) - settled,
        "analysed": int(people["analysed"].sum()), "stages": rows, "ends": ends,
        "lost": _share(len(lost), settled, context.level),
    }  # fmt: skip


def _share(k: int, n: int, level: float) -> dict[str, Any]:
    """k of n people, with Wilson's interval; no percentage under five (nobody asks what 1 of 2 is in per cent)."""
    if n < FEWEST:
        return {"k": k, "n": n, "estimate": None, "low": None, "high": None}
    low, high = wilson(k, n, level)
    return {"k": k, "n": n, "estimate": k / n, "low": low, "high": high}


def _bounds(group: Group, people: pd.DataFrame, primary: Estimand, threshold: float) -> dict[str, Any]:
    """The primary estimate with everybody lost to this group approving, and not approving, of all."""
    rows = analysed(group)
    own = people[people["arm"].isin(set(group.ratings["arm"]))]
    there = set(rows.loc[rows["score"].notna(), "rater"])
    lost = int((~own.index.isin(list(there)) & ~own["under_way"]).sum())
    found = headline(rows, primary, group.level)
    table = counted(rows, primary)
    enough = found.estimate is not None
    sides = {"approving": 1.0, "not_approving": 0.0}
    bounds = {name: _bound(with_lost(table, primary, lost, share, group.level)) for name, share in sides.items()}
    row = {name: getattr(found, name) for name in ("estimate", "low", "high", "n", "raters", "note")}
    return {
        "arm": group.arm, "lost": lost, "estimate": row, **({name: bounds[name] if enough else None for name in sides}),
        "tipping": asdict(tipping_point(table, primary, lost, threshold)) if enough else None,
    }  # fmt: skip


def _bound(found: Any) -> dict[str, Any]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "raters": found.raters}


def _contrasts(context: Context, people: pd.DataFrame) -> list[Contrast]:
    """Difference in loss between every two arms: people not analysed among those whose visit is over."""
    settled = people[~people["under_way"]]
    drawn = bool((context.visits["allocation"] == "randomised").all())
    found = []
    for a, b in itertools.combinations(sorted(set(settled["arm"])), 2):
        own_a, own_b = (settled.loc[settled["arm"] == name, "analysed"] for name in (a, b))
        if min(len(own_a), len(own_b)) < FEWEST:
            continue
        k_a, k_b = int((~own_a).sum()), int((~own_b).sum())
        gap = newcombe_independent(k_a, len(own_a), k_b, len(own_b), context.level)
        kind = "randomised" if drawn else "not randomised"
        found.append(
            Contrast(
                f"{a} − {b}.loss_difference", "loss_difference", "randomised" if drawn else "not randomised", a, b,
                "people whose visit is over", gap.estimator, gap.estimate, gap.low, gap.high, context.level,
                len(own_a) + len(own_b), len(own_a), len(own_b),
                note=f"share lost, {kind}: {k_a} of {len(own_a)} against {k_b} of {len(own_b)}",
            )
        )  # fmt: skip
    return found


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    found = results.get(KEY)
    if not found or not found["arms"]:
        return ()
    parts: list[Part] = [_stages(found["arms"])]
    waiting = sum(arm["under_way"] for arm in found["arms"])
    if waiting:
        parts.append(Paragraph(f"{waiting} people are still under way; they are not counted as lost."))
    gaps = [row for row in results.get("comparisons", ()) if row["estimand"] == "loss_difference"]
    parts += [Paragraph(_gap(row)) for row in gaps]
    if found["groups"]:
        parts += [Heading("What they could have changed"), _bounds_table(found), *map(Paragraph, _tipping(found))]
    return (Section("losses", "People who were lost", parts),)


def _stages(arms: Sequence[Data]) -> Table:
    rows = [
        (f"{arm['arm']}: {row['label']}", row["k"], row["n"], _percent(row), interval_words(row))
        for arm in arms
        for row in [*arm["stages"], {"label": "all lost", **arm["lost"]}]
    ]
    note = "Of those given a visit and no longer under way. Lost: not in the set analysed, whatever the reason."
    head = ("Arm and stage", "lost", "of", "Share", "Interval")
    return Table("losses", "Where people were lost", head, rows, note=note)


def _percent(row: Data) -> str:
    return "" if row["estimate"] is None else percent(row["estimate"], 1)


def _gap(row: Data) -> str:
    low, high = (f"{row[end] * 100:+.0f}".replace("-", "−") for end in ("low", "high"))
    return (
        f"Loss in {row['a']} less loss in {row['b']}: {row['estimate'] * 100:+.1f} points".replace("-", "−")
        + f" (interval {low} to {high}; {row['note']})."
    )


def _bounds_table(found: Data) -> Table:
    rows = []
    for group in found["groups"]:
        cells = [group["estimate"], group["not_approving"], group["approving"]]
        rows.append((group["arm"] or "all", group["lost"], *(_interval(cell) for cell in cells)))
    head = ("Group", "lost", LABELS[found["primary"]], "all lost not approving", "all lost approving")
    apart = len(found["groups"]) > len(found["arms"])
    note = "Who is analysed at one visit only is lost to the other one." if apart else ""
    return Table("losses-bounds", "The estimate with everybody who was lost", head, rows, words=(2, 3, 4), note=note)


def _interval(row: Data | None) -> str:
    if row is None or row["estimate"] is None:
        return ""
    words = interval_words(row)
    return percent(row["estimate"], 1) + (f" ({words})" if words else "")


def _tipping(found: Data) -> list[str]:
    said = []
    for group in found["groups"]:
        tipping, name = group["tipping"], group["arm"] or "the estimate"
        if tipping is None:
            continue
        threshold = percent(tipping["threshold"])
        if tipping["share"] is None:
            said.append(f"Tipping point of {name} at {threshold}: {tipping['note']}.")
        else:
            said.append(
                f"Tipping point of {name} at {threshold}: {tipping['people']} of {group['lost']} lost people would "
                f"have to disapprove of everything, the others approving (over {percent(tipping['share'])} of them)."
            )
    return said


BLOCK = Block(KEY, compute, sections)
