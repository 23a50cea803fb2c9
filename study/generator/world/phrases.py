"""Sentences from small rules: ``<name>`` is a rule, ``[a|b]`` picks one, ``{slot}`` is filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from study.generator.world.draw import Draw
from study.generator.world.material import grammar

_RULE = re.compile(r"<(\w+)>")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_START = re.compile(r"(^|[.!?]\s+|\n)([a-z])")
LEFTOVER = re.compile(r"[\[\]{}<>|]")

Slots = Mapping[str, str]


class Phrases:
    """Writes texts for one part of the world; a line that was used is avoided while fresher ones are left."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self._used: dict[str, int] = {}

    def say(self, rule: str, slots: Slots) -> str:
        """One line of a rule of the grammar."""
        return self.one_of(grammar()[rule], slots)

    def one_of(self, options: Sequence[str], slots: Slots) -> str:
        """The least used of three drafts. KeyError for a slot nobody filled."""
        drafts = [self._written(self.draw.pick(options), slots) for _ in range(3)]
        best = min(drafts, key=lambda draft: self._used.get(draft, 0))
        self._used[best] = self._used.get(best, 0) + 1
        return best

    def _written(self, text: str, slots: Slots) -> str:
        while found := _RULE.search(text):
            text = text[: found.start()] + self.draw.pick(grammar()[found[1]]) + text[found.end() :]
        while found := _CHOICE.search(text):
            text = text[: found.start()] + self.draw.pick(found[1].split("|")) + text[found.end() :]
        return _SLOT.sub(lambda slot: slots[slot[1]], text)


def sentence_case(text: str) -> str:
    """A capital at the start of every sentence; product and place names already have theirs."""
    return _START.sub(lambda found: found[1] + found[2].upper(), text)


def with_slips(text: str, draw: Draw, rate: float) -> str:
    """Typing slips: two letters swapped or one left out, in words that are not names, numbers or codes."""
    words = text.split(" ")
    for place, word in enumerate(words):
        if len(word) > 4 and word.isalpha() and word.islower() and draw.chance(rate):
            at = draw.whole(1, len(word) - 2)
            swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            words[place] = swapped if draw.chance(0.6) else word[:at] + word[at + 1 :]
    return " ".join(words)
