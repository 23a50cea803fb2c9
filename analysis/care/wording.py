"""Rules from the boxes of a rating. Which box it was, and what was rated how, is not looked at."""

from __future__ import annotations

import pandas as pd

from analysis.care.texts import FEW_WORDS, SHORT, content_words, is_copied, near_duplicates, prompt_shingles
from analysis.context import Context

Where = tuple[set[str], set[str]]
FEWEST_BOXES = 2
PASTED = 0.5
OWN_WORDS = ("rating", "wording", "orientation")
"""Blocks of the protocol whose texts stand on the pages."""


def from_texts(context: Context) -> dict[str, Where]:
    """Short or empty reasons, the same again, the page's own words, and pasted ones."""
    notes = context.bundle.frames["rationales"]
    notes = notes[notes["text"] != ""].reset_index(drop=True)
    people = notes["visit"].map(context.visits["participant"]) if len(notes) else notes["visit"]
    several = {str(visit) for visit, n in notes["visit"].value_counts().items() if n >= FEWEST_BOXES}
    short = notes["text"].str.strip().str.len() < SHORT
    thin = notes["text"].map(lambda text: len(content_words(text)) < FEW_WORDS).astype(bool)
    prompts = prompt_shingles(context.bundle.protocol.get(name) for name in OWN_WORDS)
    copied = notes["text"].map(lambda text: is_copied(text, prompts)).astype(bool)
    everybody = set(notes["visit"])
    return {
        "short_reasons": (several, _half(notes, short) & several),
        "few_words": (several, _half(notes, thin) & several),
        "copied_prompt": (everybody if prompts else set(), set(notes.loc[copied, "visit"])),
        "pasted": _pasted(notes),
        **_same(notes, people, several),
    }


def _half(notes: pd.DataFrame, marked: pd.Series[bool]) -> set[str]:
    share = marked.groupby(notes["visit"].to_numpy()).mean()
    return {str(visit) for visit in share.index[share >= 0.5]}


def _same(notes: pd.DataFrame, people: pd.Series[str], several: set[str]) -> dict[str, Where]:
    """Near-duplicates in other ratings of one visit, and in those of other people."""
    visit, person = notes["visit"].to_numpy(), people.to_numpy()
    place = (notes["kind"] + "|" + notes["target"]).to_numpy()
    own: set[str] = set()
    shared: dict[str, set[int]] = {}
    for i, j in near_duplicates(notes["text"].tolist()):
        if visit[i] == visit[j] and place[i] != place[j]:
            own.add(str(visit[i]))
        elif person[i] != person[j]:
            shared.setdefault(str(visit[i]), set()).add(int(i))
            shared.setdefault(str(visit[j]), set()).add(int(j))
    others = {name for name, boxes in shared.items() if len(boxes) >= FEWEST_BOXES}
    return {"same_text": (several, own), "same_as_others": (several, others & several)}


def _pasted(notes: pd.DataFrame) -> Where:
    """Share of all characters of a visit that were pasted, where it is known."""
    known = notes[notes["pasted_share"].notna()]
    length = known["text"].str.len().astype(float)
    by = known["visit"].to_numpy()
    total = length.groupby(by).sum()
    share = (length * known["pasted_share"].astype(float)).groupby(by).sum() / total
    return set(map(str, total.index)), set(map(str, share.index[share >= PASTED]))
