"""What a typed question asks for: topics by their cues, or "anything else?". Pure; nothing here knows an answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from study.benchmark.requester import topics

WORD = re.compile(r"[^\W_]+")
# Asks for more without saying what: the requester goes on where they stopped.
MORE = (
    "anything else", "something else", "what else", "anything more", "any more", "tell me more", "know more",
    "say more", "more about", "more information", "more info", "more detail", "further detail", "any detail",
    "any other detail",
    "go on", "explain", "elaborate", "clarify", "be more specific", "be more precise", "be specific", "be precise",
    "what do you mean", "what does that mean", "what exactly", "exactly what", "how do you mean", "can you check",
    "could you check", "please check", "look it up", "find out", "are you sure", "what do you know",
)  # fmt: skip


@dataclass(frozen=True)
class Heard:
    """``topics`` in the order asked for; ``more``: something is asked for, no topic is named."""

    topics: tuple[str, ...]
    more: bool = False


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text so that capitals, accents, apostrophes and plurals do not count.

    >>> words_of("Which CASES? What's the périod?")
    ('which', 'case', 'what', 'the', 'period')
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c) and c not in "'’‘`´")
    return tuple(_singular(word) for word in WORD.findall(plain))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=2048)
def _cue(text: str) -> tuple[str, ...]:
    return words_of(text)


def hear(question: str, among: Iterable[str]) -> Heard:
    """The topics of ``among`` a question asks for.

    Longer cues are taken first and use up their words ("at least" is not "least"); words that are a cue of several
    topics ask for all of them.
    """
    said = words_of(question)
    cues: dict[tuple[str, ...], list[str]] = {}
    for topic in dict.fromkeys(among):
        for cue in topics().get(topic, {}).get("cues", (topic,)):
            cues.setdefault(_cue(cue), []).append(topic)
    free = [True] * len(said)
    found: list[tuple[int, str]] = []
    for cue in sorted(cues, key=len, reverse=True):
        for start in _places(said, cue, free):
            free[start : start + len(cue)] = [False] * len(cue)
            found += [(start, topic) for topic in cues[cue]]
    heard = tuple(dict.fromkeys(topic for _start, topic in sorted(found, key=lambda one: one[0])))
    everywhere = [True] * len(said)
    return Heard(heard, not heard and any(_places(said, _cue(phrase), everywhere) for phrase in MORE))


def _places(said: tuple[str, ...], cue: tuple[str, ...], free: list[bool]) -> list[int]:
    """Where a cue stands in words not used up yet, without overlaps."""
    size, found, start = len(cue), [], 0
    while cue and start + size <= len(said):
        if said[start : start + size] == cue and all(free[start : start + size]):
            found.append(start)
            start += size
        else:
            start += 1
    return found
