"""The forms of an instance: what its requester knows, and how the question opens where part of it is withheld.

All forms are written from the same facts. ``none`` withholds nothing; ``policy`` withholds the rule by which the
answer is found, ``definitions`` what the words of the question mean, ``diagnosis`` what is the matter. Whatever the
style of the requester, a needed fact that is asked for twice has been given in full (benchmark/requester).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from study.generator.instances.words import Said

PARTS = ("policy", "definitions", "diagnosis")


def forms(
    question: str, facts: Sequence[Said], spare: Sequence[Mapping[str, str]], openings: Mapping[str, str]
) -> dict[str, Any]:
    """``openings`` has the first sentence for each form beside ``none`` and ``policy``, which open with the question.

    A form is left out where nothing belongs to its part.
    """
    known = [_entry(fact) for fact in facts] + [_entry(Said(one["topic"], one["text"], part="")) for one in spare]
    needed = [place for place, fact in enumerate(facts) if fact.part]
    made = {"none": {"opening": question, "told": needed, "withheld": []}}
    for part in PARTS:
        withheld = [place for place in needed if facts[place].part == part]
        opening = question if part == "policy" else openings.get(part)
        if withheld and opening:
            told = [place for place in needed if place not in withheld]
            made[part] = {"opening": opening, "told": told, "withheld": withheld}
    return {"facts": known, "forms": made}


def _entry(fact: Said) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "topic": fact.topic, "text": fact.text, "needed": bool(fact.part), "stage": fact.stage
    }  # fmt: skip
    if fact.short and fact.short != fact.text:
        entry["short"] = fact.short
    if fact.wrong:
        entry["wrong"] = fact.wrong
    return entry
