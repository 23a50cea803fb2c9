"""Themes of the rationales: how alike coders coded, and how often each theme stands with which object and side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from analysis.agreement import code_agreement
from analysis.blocks import Block, Earlier, Found
from analysis.coding import Coding, Rationale, read_codes, settle
from analysis.context import Context
from analysis.groups import labels_of
from analysis.themes_tables import sections

KEY = "themes"
NO_FILE = "no codes were given"
NO_RATIONALES = "the bundle holds no rationales"
ONE_CODER = "one coder: agreement is not defined, and no code counts that was not settled"


def compute(context: Context, earlier: Earlier) -> Found:
    """data: reason; or coders, codes with their agreement, how codes were settled, and themes with their rationales.

    Raises CodingError for a file that can't be used.
    """
    path = context.options.codes
    if path is None:
        return Found({"reason": NO_FILE})
    known = _rationales(context)
    coding = read_codes(path, known or None)
    if not known:
        return Found({"reason": NO_RATIONALES})
    writers = {str(visit): str(code) for visit, code in context.visits["participant"].items()}
    settled = settle(coding)
    groups = {str(visit): group.arm for group in context.groups for visit in group.ratings["visit"]}
    analysed = set(context.visits.index[context.visits["analysed"].fillna(False).astype(bool)])
    counted = {key: codes for key, codes in settled.codes.items() if key[0] in analysed}
    return Found(
        {
            "reason": "",
            "level": context.level,
            "coders": [{"coder": name, "read": len(coding.given[name])} for name in coding.coders],
            "note": ONE_CODER if len(coding.coders) == 1 else "",
            "rationales": len(known),
            "coded": len(coding.rationales),
            "settled": {
                "by_resolution": settled.by_resolution,
                "by_all": settled.by_all,
                "alone": settled.alone,
                "disputed": settled.disputed,
                "not_analysed": len(settled.codes) - len(counted),
                "without_code": sum(not codes for codes in counted.values()),
            },
            "codes": [_code(coding, code, writers, context.level) for code in coding.codes],
            "themes": _themes(coding.codes, counted, writers, groups, labels_of(context.bundle)),
        }
    )


def _rationales(context: Context) -> list[Rationale]:
    rows = context.bundle.frames["rationales"]
    rows = rows[rows["text_blank"] == ""]
    return [
        (str(visit), str(kind), str(target), str(side))
        for visit, kind, target, side in zip(rows["visit"], rows["kind"], rows["target"], rows["side"], strict=True)
    ]


def _code(coding: Coding, code: str, writers: Mapping[str, str], level: float) -> dict[str, Any]:
    """Agreement of the coders on one code; texts are the rationales that two coders read."""
    texts = [key for key in coding.rationales if any(key in coding.given[name] for name in coding.coders)]
    given = np.full((len(coding.coders), len(texts)), np.nan)
    for row, name in enumerate(coding.coders):
        read = coding.given[name]
        given[row] = [float(code in read[key]) if key in read else np.nan for key in texts]
    counts, found = code_agreement(given, [writers[key[0]] for key in texts], level)
    return {"code": code, **asdict(counts), "agreement": [asdict(one) for one in found]}


def _themes(
    codes: Sequence[str], counted: Mapping[Rationale, frozenset[str]], writers: Mapping[str, str],
    groups: Mapping[str, str], labels: Mapping[str, str],
) -> list[dict[str, Any]]:  # fmt: skip
    """Per code its rationales, and counts by group, object and side; the most frequent first."""
    found = []
    for code in codes:
        keys = sorted(key for key, given in counted.items() if code in given)
        places: dict[tuple[str, str, str, str], list[Rationale]] = {}
        for key in keys:
            visit, kind, target, side = key
            places.setdefault((groups.get(visit, ""), kind, target, side), []).append(key)
        rows = [
            {
                "arm": arm, "kind": kind, "target": target, "side": side,
                "label": "The Org as a whole" if kind == "org" else labels.get(target, target),
                "n": len(own), "participants": len({writers[key[0]] for key in own}),
            }
            for (arm, kind, target, side), own in sorted(places.items())
        ]  # fmt: skip
        rationales = [dict(zip(("visit", "kind", "target", "side"), key, strict=True)) for key in keys]
        participants = len({writers[key[0]] for key in keys})
        found.append(
            {"code": code, "n": len(keys), "participants": participants, "counts": rows, "rationales": rationales}
        )
    return sorted(found, key=lambda theme: (-theme["n"], theme["code"]))


BLOCK = Block(KEY, compute, sections)
