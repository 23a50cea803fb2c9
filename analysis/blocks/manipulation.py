"""What people guessed: where the records came from, what the study hoped for; and how the hour was (M7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.context import Context
from analysis.document import Paragraph, Part, Section, Table
from analysis.estimates import FEWEST, Estimate
from analysis.hour.cells import by_cell, rater_means
from analysis.hour.means import cluster_mean, welch
from analysis.hour.reading import (
    DECLINED,
    Party,
    closing,
    counted,
    group_of,
    labels_of_codes,
    parties,
    several,
)
from analysis.hour.shares import mean_row, share_row
from analysis.hour.telling import (
    Row,
    counts_table,
    ends,
    estimates,
    heading,
    number,
    one,
    share_table,
    slug,
)

KEY = "manipulation"
GUESSES = ("copied_changed", "written_by_people", "rules_program", "ai_model", "mix", "cannot_say")
MODEL = "ai_model"
CONFIDENCES = ("low", "medium", "high")
CELLS = ("Guessed “made by an AI model”", "Guessed anything else, or can't say")
DISCLOSED = {
    "open": "People were told at consent how the records were made.",
    "origin_after": "People were told at consent that nobody in the records is real; how they were made, at the end.",
}


def compute(context: Context, earlier: Earlier) -> Found:
    """The analysed set of each group. Texts are counted, not coded."""
    groups: list[dict[str, Any]] = []
    rows: list[Estimate] = []
    everybody = _guesses(context, None)
    for party in parties(context):
        guesses, rushed = _guesses(context, party), _item(context, party, "rushed")
        rows += [*_guess_rows(party, guesses), *_rushed_row(party, rushed)]
        hoped, use = _item(context, party, "hoped"), _item(context, party, "use_answers")
        helped = _item(context, party, "help_used")
        groups.append(
            {
                "arm": party.arm,
                "level": party.level,
                "asked": len(guesses),
                "guesses": _by_confidence(guesses),
                "approval": _approval(context, party, guesses, everybody),
                "hoped": {"asked": len(hoped), "written": int((hoped["value"].str.strip() != "").sum())},
                "rushed": counted(rushed["answer"], ("1", "2", "3", "4", "5", DECLINED)),
                "use_answers": counted(use["answer"], ("yes", "no", DECLINED)),
                "help": {"asked": len(helped), "used": counted(helped["value"].map(several).explode().dropna())},
            }
        )
    data = {
        "asked": any(group["asked"] or sum(group["rushed"].values()) for group in groups),
        "disclosure": str(context.bundle.protocol.get("disclosure", "")),
        "words": labels_of_codes(context.bundle, "origin_guess"),
        "help_words": labels_of_codes(context.bundle, "help_used"),
        "groups": groups,
    }
    return Found(data, rows)


def _item(context: Context, party: Party, item: str) -> pd.DataFrame:
    rows = party.rows(closing(context.bundle, item))
    return rows.assign(answer=rows["value"].where(rows["value"] != "", rows["blank"]))


def _guesses(context: Context, party: Party | None) -> pd.DataFrame:
    """One guess per rater, the last: rater, cluster, guess, confidence. Without a party: of everybody."""
    both = closing(context.bundle, "origin_(?P<part>guess|confidence)")
    if party is None:
        both = both.assign(rater=both["visit"].map(context.visits["participant"]), cluster="")
    else:
        both = party.rows(both)
    columns = ["rater", "cluster", "guess", "confidence"]
    if both.empty:
        return pd.DataFrame(columns=columns)
    answer = both["value"].where(both["value"] != "", both["blank"])
    wide = both.assign(answer=answer).pivot(index=["visit", "rater", "cluster"], columns="part", values="answer")
    wide = wide.reindex(columns=["guess", "confidence"]).fillna("").reset_index()
    order = context.visits["period"].fillna(0)
    wide = wide[wide["guess"] != ""].sort_values("visit", key=lambda visit: visit.map(order), kind="stable")
    return wide.drop_duplicates("rater", keep="last").sort_values("rater")[columns]


def _guess_rows(party: Party, guesses: pd.DataFrame) -> Iterator[Estimate]:
    given = guesses[guesses["guess"] != DECLINED]
    for code in dict.fromkeys([*GUESSES, *sorted(set(given["guess"]))]):
        yield share_row(party, "origin_guess", code, given["guess"] == code, given)


def _by_confidence(guesses: pd.DataFrame) -> dict[str, dict[str, int]]:
    """How sure those were who guessed so."""
    codes = dict.fromkeys([*GUESSES, *sorted(set(guesses["guess"]))])
    sure = (*CONFIDENCES, DECLINED)
    return {code: counted(guesses.loc[guesses["guess"] == code, "confidence"], sure) for code in codes}


def _rushed_row(party: Party, rushed: pd.DataFrame) -> Iterator[Estimate]:
    given = rushed[rushed["value"].str.fullmatch("[1-5]")]
    found = cluster_mean(given["value"].astype(float), given["cluster"].astype(str), party.level)
    yield mean_row(party, "rushed", "raters", found, int(given["rater"].nunique()), note="1 not at all, 5 very much")


def _approval(context: Context, party: Party, guesses: pd.DataFrame, everybody: pd.DataFrame) -> dict[str, Any]:
    """Approval by the guess; of people asked at another visit alone, by that. Exploratory: nobody was given a guess."""
    ratings = group_of(context, party.arm).ratings
    ratings = ratings[ratings["analysed"]]
    later = everybody[~everybody["rater"].isin(guesses["rater"])]
    known = pd.concat([guesses, later]) if len(guesses) else later
    known = known[known["rater"].isin(ratings["rater"]) & (known["guess"] != DECLINED)]
    sides = [set(known.loc[known["guess"] == MODEL, "rater"]), set(known.loc[known["guess"] != MODEL, "rater"])]
    means = rater_means(ratings)
    first, second = (means[means.index.isin(people)] for people in sides)
    difference = welch(first, second, party.level)
    bare = min(len(first), len(second)) < FEWEST
    cells = by_cell(ratings, list(zip(CELLS, sides, strict=True)), party.level)
    return {
        "cells": cells,
        "difference": None if bare else vars(difference),
        "note": "too few people on a side" if bare else difference.note,
    }


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """From results.json alone."""
    found = results.get(KEY) or {}
    if not found.get("asked"):
        return ()
    told = DISCLOSED.get(found["disclosure"])
    parts: list[Part] = [Paragraph(told)] if told else []
    for group in found["groups"]:
        parts += heading(group["arm"], found["groups"])
        parts += _group(results, found, group)
    return (Section("guesses", "What people guessed, and how the hour was", parts),)


def _group(results: Mapping[str, Any], found: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    arm, name = group["arm"], slug(group["arm"])
    parts: list[Part] = []
    if group["asked"]:
        parts += [_guess_table(results, found, group), *_exploratory(group)]
    hoped = group["hoped"]
    if hoped["asked"]:
        parts.append(
            Paragraph(
                f"{hoped['written']} of {hoped['asked']} wrote what the study hoped to find; texts are not coded."
            )
        )
    parts.append(Paragraph(_rushed_words(results, arm, group)))
    use = group["use_answers"]
    if sum(use.values()):
        parts.append(Paragraph(f"“Should we use your answers?” Yes {use['yes']}, no {use['no']}. It excludes nobody."))
    if group["help"]["asked"]:
        caption = f"Help used, of {group['help']['asked']} asked; several may apply"
        parts.append(counts_table(f"help-{name}", caption, "Help", group["help"]["used"], found["help_words"]))
    return parts


def _guess_table(results: Mapping[str, Any], found: Mapping[str, Any], group: Mapping[str, Any]) -> Table:
    arm = group["arm"]
    rows = [(found["words"].get(row["target"], row["target"].replace("_", " ")), row)
            for row in estimates(results, arm, "origin_guess")]  # fmt: skip
    base = share_table(f"origin-{slug(arm)}", "How people think the records came about", "Guess", rows)
    sure = [group["guesses"].get(row["target"], {}) for _, row in rows]
    cells = [
        (*line, *(counts.get(code, 0) for code in CONFIDENCES)) for line, counts in zip(base.rows, sure, strict=True)
    ]
    data = [(*line, *(counts.get(code, 0) for code in CONFIDENCES))
            for line, counts in zip((base.data or ())[1:], sure, strict=True)]  # fmt: skip
    head = (*base.head, "not very sure", "fairly", "very")
    declined = sum(group["guesses"].get(DECLINED, {}).values())
    note = f"Rather not say: {declined}." if declined else ""
    columns = (*(base.data or ((),))[0], *CONFIDENCES)
    return Table(base.name, base.caption, head, cells, data=[columns, *data], note=note)


def _exploratory(group: Mapping[str, Any]) -> list[Part]:
    approval = group["approval"]
    caption = f"Exploratory: approval by the guess, mean over objects ({group['level']:.0%} intervals)"
    table = share_table(f"approval-by-guess-{slug(group['arm'])}", caption, "People", approval["cells"], of="ratings")
    difference: Row | None = approval["difference"]
    if difference is None:
        words = f"Their difference is not estimated: {approval['note']}."
    else:
        points = {key: None if difference[key] is None else difference[key] * 100 for key in ("low", "high")}
        interval = f" ({ends(points, 0, signed=True)})" if difference["low"] is not None else ""
        apart = number(difference["estimate"] * 100, 0, signed=True)
        words = f"Mean approval per rater, those who guessed an AI model minus the others: {apart} points{interval}."
    end = "A guess may follow from the rating as well as lead it, and nobody was given one by chance."
    return [table, Paragraph(f"{words} {end}")]


def _rushed_words(results: Mapping[str, Any], arm: str, group: Mapping[str, Any]) -> str:
    row = one(results, arm, "rushed", "raters")
    if row is None or row["estimate"] is None:
        return "Nobody said whether they felt rushed."
    words = ends(row, 1)
    interval = f" ({group['level']:.0%} interval {words})" if words else ""
    return f"“I felt rushed”, 1 to 5: mean {number(row['estimate'])}{interval}, {row['raters']} raters."


BLOCK = Block(KEY, compute, sections)
