"""The answers of each group of a study, with the rater and the cluster they belong to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.bundle import Bundle
from analysis.context import Context
from analysis.estimates import Group

DECLINED = "rather_not_say"
UNASKED = ("not_asked", "not_reached", "removed")
"""Blanks of what nobody was asked, or what is no longer there."""


@dataclass(frozen=True)
class Party:
    """The people of one group. visits: indexed by visit, columns rater, cluster, analysed, left_out.

    nested: snapshots are the outer clusters (M4). left_out: excluded by a rule of the protocol, or answers taken out.
    """

    arm: str
    scope: str
    level: float
    nested: bool
    visits: pd.DataFrame

    def rows(self, frame: pd.DataFrame, *, everyone: bool = False) -> pd.DataFrame:
        """Rows of the frame that belong to the group, with rater and cluster; the analysed set unless everyone.

        everyone: all who were given questions, except who was left out by a rule of the protocol.
        """
        chosen = self.visits[~self.visits["left_out"]] if everyone else self.visits[self.visits["analysed"]]
        own = frame[frame["visit"].isin(chosen.index)]
        of_visit = chosen.reindex(own["visit"])
        return own.assign(rater=of_visit["rater"].to_numpy(), cluster=of_visit["cluster"].to_numpy())


def parties(context: Context) -> tuple[Party, ...]:
    """One per group of the context, in its order. A visit without ratings is in the group its Org belongs to."""
    visits = _visits(context.bundle)
    found = []
    for group in context.groups:
        keys = zip(visits["arm"], visits["condition"], visits["period"], strict=True)
        own = visits[np.array([_belongs(group.arm, *key) for key in keys], dtype=bool)]
        rated = group.ratings
        nested = bool((rated["cluster"] != rated["rater"]).any())
        cluster = dict(zip(rated["visit"], rated["cluster"], strict=True))
        unrated = own["org_hash"] if nested else own["rater"]
        clusters = [cluster.get(visit, other) for visit, other in zip(own["visit"], unrated, strict=True)]
        own = own.assign(cluster=pd.Series(clusters, own.index, dtype=str))
        frame = own.set_index("visit")[["rater", "cluster", "analysed", "left_out"]]
        found.append(Party(group.arm, group.scope, group.level, nested, frame))
    return tuple(found)


def _visits(bundle: Bundle) -> pd.DataFrame:
    visits = bundle.frames["visits"]
    out = left_out(bundle)
    return pd.DataFrame(
        {
            "visit": visits["id"],
            "rater": visits["participant"],
            "arm": visits["arm"],
            "condition": visits["condition"],
            "period": visits["period"],
            "org_hash": visits["org_hash"],
            "analysed": visits["analysed"].fillna(False).astype(bool),
            "left_out": visits["participant"].isin(out),
        }
    )


def left_out(bundle: Bundle) -> set[str]:
    """Participants left out by a rule of the protocol or at their own wish; complete and not usable in a release."""
    people = bundle.frames["participants"]
    unusable = people["complete"].fillna(False).astype(bool) & ~people["usable"].fillna(True).astype(bool)
    named = (people["exclusion_reason"] != "") | (people["end"] == "excluded")
    return set(people.loc[named | unusable, "code"])


def _belongs(group: str, arm: str, condition: str, period: object) -> bool:
    """Whether a visit is one of the group, by the names `analysis.groups` gives."""
    return group in (arm, f"{arm}, {condition}", f"{arm}, visit {period}")


def closing(bundle: Bundle, pattern: str) -> pd.DataFrame:
    """Rows of closing whose whole item fits the pattern: visit, item, value, blank; the named parts as columns.

    A question that was not asked at a visit (of a crossover many wait for the last one), not reached, or whose answer
    was removed has a row in the bundle and none here: nobody was asked.
    """
    rows = bundle.frames["closing"]
    rows = rows[rows["item"].str.fullmatch(pattern) & ~rows["value_blank"].isin(UNASKED)]
    frame = pd.DataFrame(
        {"visit": rows["visit"], "item": rows["item"], "value": rows["value"], "blank": rows["value_blank"]}
    )
    return frame.join(rows["item"].str.extract(pattern)) if "(?P<" in pattern else frame


def counted(values: pd.Series[Any], order: Sequence[str] = ()) -> dict[str, int]:
    """How often each value was given, those of the order first and also when nobody gave them."""
    counts = values.value_counts()
    names = [*order, *sorted(set(counts.index) - set(order) - {""})]
    return {str(name): int(counts.get(name, 0)) for name in names}


def several(value: str) -> list[str]:
    """The codes of an answer that may have more than one: a JSON list, or one code alone."""
    if not value.startswith("["):
        return [value] if value else []
    try:
        given = json.loads(value)
    except ValueError:
        return [value]
    return [str(one) for one in given]


def screened(context: Context, use: str, item: str) -> dict[str, list[str]]:
    """What each participant answered to the screener item the protocol uses so, else to `item`: code to answers.

    A replication asks about people after the ratings; then their first answer there counts.
    """
    names = [entry["id"] for entry in items_of(context.bundle.protocol) if entry.get("use") == use] or [item]
    found: dict[str, list[str]] = {}
    for code, answers in zip(context.people["code"], context.people["screener"], strict=True):
        given = next((answers[name] for name in names if name in answers), None) if isinstance(answers, dict) else None
        if given is not None and not isinstance(given, dict):
            found[str(code)] = [str(one) for one in given] if isinstance(given, list) else [str(given)]
    later = context.bundle.frames["closing"]
    later = later[later["item"].isin(names) & (later["value"] != "")]
    for visit, value in zip(later["visit"], later["value"], strict=True):
        found.setdefault(str(context.visits.at[visit, "participant"]), several(value))
    return found


def items_of(protocol: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Every item of the screener and of the modules, as the protocol has them."""
    blocks = [protocol.get("screener"), *(protocol.get("modules") or [])]
    listed = [block.get("items") or [] for block in blocks if isinstance(block, dict)]
    return [item for items in listed for item in items if isinstance(item, dict) and item.get("id")]


def labels_of_codes(bundle: Bundle, item: str) -> dict[str, str]:
    """The words of each answer code, as the codebook has them; item as `closing.…` or `screener.…` names it."""
    book = bundle.frames["codebook"]
    for values in book.loc[book["column"].isin([item, f"screener.{item}"]), "values"]:
        pairs = (part.partition("=") for part in values.split("|") if part)
        if found := {code: words or code for code, _, words in pairs}:
            return found
    return {}


def group_of(context: Context, arm: str) -> Group:
    return next(group for group in context.groups if group.arm == arm)
