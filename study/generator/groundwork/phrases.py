"""Sentences from small rules: ``<name>`` is a rule, ``[a|b]`` picks one (nested if need be), ``{slot}`` is filled in.

Phrases are parsed once. What is chosen comes first, the slots last: a draft is a sentence with its slots still open (a
skeleton), so that counting which were used finds the same wording with other names in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TypeAlias

from study.generator.groundwork.draw import Draw

_TOKEN = re.compile(r"[\[\]|]|<\w+>")
_SLOT = re.compile(r"\{[A-Za-z_]\w*\}")
_START = re.compile(r"[.!?][\"”]?\s+(?:«\w+:)?[a-z]|\n[a-z]")
# The dot of a company's name ("Co.") ends no sentence; where it does, there are two until ``sentence_case`` is done.
_NO_END = ("Co", "Corp", "Inc", "Ltd", "..")
_TWO_DOTS = re.compile(r"(?<!\.)\.\.(?!\.)")
_GAPS = re.compile(r"\s+([,.;!?])|([ ]) +")
LEFTOVER = re.compile(r"[\[\]{}<>|]")

Slots = Mapping[str, str]
# A phrase is a row of parts: plain text, or what to pick from. What is plain text alone is kept as a string.
Part: TypeAlias = "str | tuple[Line, ...]"
Line: TypeAlias = "str | tuple[Part, ...]"


class Grammar:
    """Rules by name, each phrase parsed when it is first needed. May be shared by many writers."""

    def __init__(self, rules: Mapping[str, Sequence[str]]) -> None:
        self.rules = rules
        self._lines: dict[str, Line] = {}
        self._options: dict[str, tuple[Line, ...]] = {}
        self._sums: dict[str, list[int]] = {}

    def options(self, rule: str) -> tuple[Line, ...]:
        """The phrases of a rule. KeyError if there is none of that name."""
        found = self._options.get(rule)
        if found is None:
            self._options[rule] = ()  # a rule that names itself finds nothing to pick, and says so
            try:
                found = self._options[rule] = tuple(self.line(text) for text in self.rules[rule])
            except (KeyError, ValueError):
                del self._options[rule]
                raise
        return found

    def sums(self, rule: str) -> list[int]:
        """Running sums of weights for the phrases of a rule: a phrase that can be said in many ways has more."""
        found = self._sums.get(rule)
        if found is None:
            weights = (_ways(line).bit_length() for line in self.options(rule))
            found = self._sums[rule] = list(accumulate(weights))
        return found

    def line(self, text: str) -> Line:
        """One phrase, parsed. ValueError for brackets that do not match or what looks like a slot and is none."""
        found = self._lines.get(text)
        if found is None:
            if LEFTOVER.search(_TOKEN.sub("", _SLOT.sub("", text))):
                raise ValueError(f"This phrase cannot be read: {text!r}")
            tokens = re.split(r"([\[\]|]|<\w+>)", text)
            found, end = self._parsed(tokens, 0, text)
            if end != len(tokens):
                raise ValueError(f"There is a bracket too many in {text!r}")
            self._lines[text] = found
        return found

    def _parsed(self, tokens: list[str], at: int, text: str, inside: bool = False) -> tuple[Line, int]:
        parts: list[Part] = []
        while at < len(tokens):
            token = tokens[at]
            if token == "[":  # noqa: S105 (a bracket)
                choices, at = self._choices(tokens, at + 1, text)
                parts.append(choices)
                continue
            if token in ("]", "|"):
                if not inside:
                    raise ValueError(f"There is a bracket or bar too many in {text!r}")
                return _line(parts), at
            if token.startswith("<"):
                options = self.options(token[1:-1])
                if not options:
                    raise ValueError(f"The rule {token} is empty or names itself.")
                parts.append(options)
            elif token:
                parts.append(token)
            at += 1
        if inside:
            raise ValueError(f"A bracket is not closed in {text!r}")
        return _line(parts), at

    def _choices(self, tokens: list[str], at: int, text: str) -> tuple[tuple[Line, ...], int]:
        choices: list[Line] = []
        while True:
            choice, at = self._parsed(tokens, at, text, inside=True)
            choices.append(choice)
            at += 1
            if tokens[at - 1] == "]":
                return tuple(choices), at


class Phrases:
    """Writes texts with one stream of chance. Of three drafts the least used is kept, and one that the text at hand
    (since ``begin``) does not have yet."""

    def __init__(self, draw: Draw, rules: Mapping[str, Sequence[str]] | Grammar) -> None:
        self.draw = draw
        self.grammar = rules if isinstance(rules, Grammar) else Grammar(rules)
        self._used: dict[str, int] = {}
        self._here: set[int] = set()

    def begin(self) -> None:
        """A new text begins: what the last one said may be said again."""
        self._here.clear()

    def has(self, rule: str) -> bool:
        return rule in self.grammar.rules

    def say(self, rule: str, slots: Slots) -> str:
        """One line of a rule of the grammar. KeyError for a rule that is not there or a slot nobody filled."""
        return self.skeleton(rule).format_map(slots)

    def one_of(self, options: Sequence[str], slots: Slots) -> str:
        """One of some phrases that stand in no rule. KeyError for a slot nobody filled."""
        line = self.grammar.line
        return self._best(tuple(map(line, options))).format_map(slots)

    def skeleton(self, rule: str) -> str:
        """One line with its slots still open."""
        return self._best(self.grammar.options(rule), self.grammar.sums(rule))

    def _best(self, options: tuple[Line, ...], sums: list[int] | None = None) -> str:
        share, used, here = self.draw.share, self._used, self._here
        n = len(options)
        best, fewest, best_line = "", 1 << 30, -1
        at = -1
        for draft_number in range(3):
            # Two drafts of one phrase, then one of another: no phrase is left out because it has few wordings.
            if draft_number != 1:
                at = int(share() * n) if sums is None else bisect_right(sums, int(share() * sums[-1]))
                if id(options[at]) in here:
                    at = int(share() * n)
            line = options[at]
            draft = line if isinstance(line, str) else self._expanded(line)
            uses = used.get(draft, 0)
            if id(line) in here:
                uses += 1 << 20
            if uses < fewest:
                best, fewest, best_line = draft, uses, at
                if not uses:
                    break
        used[best] = used.get(best, 0) + 1
        here.add(id(options[best_line]))
        if "  " in best or " ," in best or " ." in best or " ?" in best:
            return _GAPS.sub(lambda gap: gap[1] or gap[2], best)
        return best

    def _expanded(self, line: tuple[Part, ...]) -> str:
        share, written, here = self.draw.share, "", self._here
        for part in line:
            if isinstance(part, str):
                written += part
                continue
            n = len(part)
            choice = part[int(share() * n)]
            if n > 1 and id(choice) in here:
                choice = part[int(share() * n)]
            if isinstance(choice, str):
                written += choice
                if len(choice) < 2:
                    continue  # the shortest strings are one object wherever they stand
            else:
                written += self._expanded(choice)
            here.add(id(choice))
        return written


def _ways(line: Line) -> int:
    """In how many ways a phrase can be said."""
    if isinstance(line, str):
        return 1
    ways = 1
    for part in line:
        if not isinstance(part, str):
            ways *= sum(_ways(choice) for choice in part)
    return ways


def _line(parts: list[Part]) -> Line:
    if not parts:
        return ""
    first = parts[0]
    return first if len(parts) == 1 and isinstance(first, str) else tuple(parts)


def sentence_case(text: str) -> str:
    """A capital at the start of every sentence; product and place names already have theirs.

    What goes on after "..." or the dot of a company's name has none. A mark («name:) before a sentence is passed over.
    """
    at = 1 if text[:1] in ('"', "“") else text.find(":") + 1 if text[:1] == "«" else 0
    text = text[:at] + text[at : at + 1].upper() + text[at + 1 :]
    return one_dot(_START.sub(_with_capital, text))


def _with_capital(found: re.Match[str]) -> str:
    hit = found[0]
    if hit[0] == "." and found.string.endswith(_NO_END, 0, found.start()):
        return hit
    return hit[:-1] + hit[-1].upper()


def one_dot(text: str) -> str:
    """One dot where a name that ends with one ends a sentence."""
    return _TWO_DOTS.sub(".", text) if ".." in text else text


def with_slips(text: str, draw: Draw, rate: float) -> str:
    """Typing slips: two letters swapped or one left out, in words that are not names, numbers or codes.

    About ``rate`` of the words are hit; which ones is drawn, so that a long text costs no more than its slips.
    """
    words = text.split(" ")
    for _ in range(int(rate * len(words) + draw.share())):
        place = draw.whole(0, len(words) - 1)
        word = words[place]
        if len(word) > 4 and word.isalpha() and word.islower():
            at = draw.whole(1, len(word) - 2)
            swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            words[place] = swapped if draw.chance(0.6) else word[:at] + word[at + 1 :]
    return " ".join(words)
