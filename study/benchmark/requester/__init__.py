"""What the requester of an instance says when asked: the scripted part of its forms (docs/tasks.md).

An instance keeps in ``forms`` the facts its requester knows: topic, text, needed, stage, and where they
differ ``short`` and ``wrong``. What all requesters share, by topic, stands in topics.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

Style = Literal["full", "terse", "vague", "mistaken", "unknowing"]
STYLES: tuple[Style, ...] = get_args(Style)
WITHHOLD = ("none", "policy", "definitions", "diagnosis")
# What each style says the first time; the second time everybody gives the full text.
_FIRST = {"full": "text", "terse": "short", "vague": "vague", "mistaken": "wrong", "unknowing": "unknown"}


@lru_cache
def topics() -> Mapping[str, Mapping[str, Any]]:
    """By topic the ``cues`` that ask for it, and the words of a ``vague`` and an ``unknown``-ing requester."""
    text = (Path(__file__).resolve().parent / "topics.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def reply(fact: Mapping[str, Any], style: Style, *, asked_before: bool = False, mistaken_before: bool = False) -> str:
    """What a requester says about a fact. Whoever asks twice has it in full; a mistake is made once at most."""
    if asked_before or (style == "mistaken" and mistaken_before):
        return str(fact["text"])
    name = _FIRST[style]
    said = fact.get(name) or topics().get(fact["topic"], {}).get(name) or fact["text"]
    return str(said)


def withheld(forms: Mapping[str, Any], withhold: str) -> list[Mapping[str, Any]]:
    """The facts a form keeps back, in the order in which they are told. KeyError if there is no such form."""
    facts = [forms["facts"][place] for place in forms["forms"][withhold]["withheld"]]
    return sorted(facts, key=lambda fact: fact["stage"])
