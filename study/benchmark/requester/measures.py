"""What a talk amounts to: questions by kind, facts needed, facts obtained (M19). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from study.benchmark.requester import withheld
from study.benchmark.requester.talking import ENOUGH, Kind, Telling, has_form

COLUMN: Mapping[Kind, str] = {
    "needed": "questions_needed",
    "given": "questions_repeated",
    "not_needed": "questions_unneeded",
    "other": "questions_other",
}
COLUMNS = (*COLUMN.values(), "facts_needed", "facts_obtained")


def measured(
    forms: Mapping[str, Any], withhold: str, turns: Iterable[tuple[Kind, Iterable[Telling]]]
) -> dict[str, int]:
    """The columns of one attempt. Where nothing is withheld every count is 0.

    A fact counts as obtained once it was told in full or in short; vague, wrong or unknown words are none. The
    number of questions is not a measure of skill: the share obtained is.
    """
    counts = dict.fromkeys(COLUMNS, 0)
    got = set()
    for kind, tellings in turns:
        counts[COLUMN[kind]] += 1
        got |= {one.place for one in tellings if one.manner in ENOUGH}
    if has_form(forms, withhold):
        needed = {p for p in forms["forms"][withhold]["withheld"] if forms["facts"][p]["needed"]}
        counts["facts_needed"] = len(needed)
        counts["facts_obtained"] = len(needed & got)
    return counts


def shown_definitions(forms: Mapping[str, Any], withhold: str, definitions: str) -> str:
    """The definitions that go with a question without what its form withholds."""
    if not has_form(forms, withhold):
        return definitions
    if withhold == "policy":
        # The question itself is whole, and so are the records it names.
        for fact in withheld(forms, withhold):
            definitions = definitions.replace(str(fact["text"]), "") if fact["text"] else definitions
        return " ".join(definitions.split())
    told = [str(forms["facts"][place]["text"]) for place in forms["forms"][withhold]["told"]]
    return " ".join(text for text in told if text and text in definitions)


def opening(forms: Mapping[str, Any], withhold: str, question: str) -> str:
    """The question as a form opens it; ``question`` where it is whole."""
    if not has_form(forms, withhold):
        return question
    first, whole = (str(forms["forms"][name]["opening"]) for name in (withhold, "none"))
    return question if first == whole else first
