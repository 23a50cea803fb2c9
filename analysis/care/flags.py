"""Flags of care: which rule met whose visit. A flag moves nobody out of a set; the sensitivity rows use them (M22)."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.care import evidence, wording
from analysis.care.rules import BY_CODE, ENOUGH_STRONG, OF_PERSON, RULES
from analysis.context import Context

COLUMNS = ("participant", "visit", "rule", "strength")


@dataclass(frozen=True)
class Checked:
    """One rule: where it could be applied, and where it met. Visits, or participants for the rules about persons."""

    rule: str
    of: frozenset[str]
    met: frozenset[str]


_KEPT: dict[int, tuple[Checked, ...]] = {}


def checked(context: Context) -> tuple[Checked, ...]:
    """Every rule in the order of `rules.RULES`; worked out once per context."""
    place = id(context)
    if place not in _KEPT:
        found = {**_of_visits(context), **_of_people(context)}
        _KEPT[place] = tuple(
            Checked(rule.code, frozenset(of), frozenset(met))
            for rule in RULES
            for of, met in [found.get(rule.code, (set(), set()))]
        )
        weakref.finalize(context, _KEPT.pop, place, None)
    return _KEPT[place]


def flags(context: Context) -> pd.DataFrame:
    """One row per flag: participant, visit (empty for a rule about the person), rule, strength; sorted.

    Empty where the bundle has nothing to look at (a plain file, a bundle from a study still blind).
    """
    person = dict(zip(context.visits.index, context.visits["participant"], strict=True))
    rows = [
        (place, "", one.rule) if one.rule in OF_PERSON else (person[place], place, one.rule)
        for one in checked(context)
        for place in one.met
    ]
    frame = pd.DataFrame(sorted(rows), columns=list(COLUMNS[:3]), dtype="str")
    return frame.assign(strength=[BY_CODE[code].strength for code in frame["rule"]])


def with_strong_flags(context: Context, least: int = ENOUGH_STRONG) -> set[str]:
    """Participants with so many different strong rules or more, over all their visits."""
    found = flags(context)
    strong = found[found["strength"] == "strong"]
    counts = strong.groupby("participant")["rule"].nunique()
    return {str(code) for code in counts[counts >= least].index}


Where = tuple[set[str], set[str]]


def _of_visits(context: Context) -> dict[str, Where]:
    # A plain file names nobody twice and knows no pages, reasons or cards: only what the scores alone tell is left.
    return {
        **evidence.from_scores(context),
        **evidence.from_pages(context),
        **evidence.from_work(context),
        **wording.from_texts(context),
        "do_not_use": _self_report(context.bundle.frames["closing"]),
    }


def _self_report(closing: pd.DataFrame) -> Where:
    asked = closing[(closing["item"] == "use_answers") & (closing["value"] != "")]
    return set(asked["visit"]), set(asked.loc[asked["value"] == "no", "visit"])


def _of_people(context: Context) -> dict[str, Where]:
    """Rules from the screener, for those who came as far as a visit."""
    visited = set(context.visits["participant"])
    people = context.people[context.people["code"].isin(visited)]
    answers = {code: given for code, given in zip(people.index, people["screener"], strict=True) if given}
    items = list(_screener_items(context))
    return {
        "overclaim": _overclaim(answers, items),
        "knowledge": _knowledge(answers, items),
        "knows_other": (
            set(people.index[people["knows_other"] != ""]),
            set(people.index[~people["knows_other"].isin(["", "no"])]),
        ),
    }


def _screener_items(context: Context) -> Iterator[tuple[str, dict[str, set[str]]]]:
    """Items of the screener with their option codes by the flag the protocol gives them."""
    screener = context.bundle.protocol.get("screener")
    for item in (screener.get("items") or []) if isinstance(screener, dict) else []:
        by_flag: dict[str, set[str]] = {}
        for option in item.get("options") or []:
            if option.get("flag"):
                by_flag.setdefault(str(option["flag"]), set()).add(str(option["code"]))
        yield str(item.get("id")), by_flag


def _chosen(value: Any) -> set[str]:
    """Codes somebody ticked; none for a blank. An answer with a "which one?" beside it keeps its choice."""
    if isinstance(value, dict):
        return _chosen(value.get("choice"))
    return (
        {str(one) for one in value} if isinstance(value, list) else {str(value)} if value not in (None, "") else set()
    )


def _overclaim(answers: dict[str, Any], items: list[tuple[str, dict[str, set[str]]]]) -> Where:
    of, met = set(), set()
    for name, by_flag in items:
        wrong = by_flag.get("overclaim", set())
        for code, given in answers.items() if wrong else ():
            ticked = _chosen(given.get(name))
            of |= {code} if ticked else set()
            met |= {code} if ticked & wrong else set()
    return of, met


def _knowledge(answers: dict[str, Any], items: list[tuple[str, dict[str, set[str]]]]) -> Where:
    right = {name: by_flag["correct"] for name, by_flag in items if "correct" in by_flag}
    of, met = set(), set()
    for code, given in answers.items():
        ticked = {name: _chosen(given.get(name)) for name in right}
        known = [bool(chosen & right[name]) for name, chosen in ticked.items() if chosen]
        of |= {code} if known else set()
        met |= {code} if known and not any(known) else set()
    return of, met
