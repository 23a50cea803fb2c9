"""How numbered conditions hang together: ``(1 OR 2) AND NOT 3``.

AND, OR and NOT in any case, with parentheses wherever AND meets OR, as people know it from filter logic.
Conditions that are not named must hold as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from django.utils.translation import gettext as _

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.queryspec import And, Condition, Not, Or

PLACE = "logic"
LONGEST = 2000
DEEPEST = 9
_TOKEN = re.compile(r"\s*(?:([0-9]+)|(AND|OR|NOT)\b|([()])|(\S))", re.IGNORECASE)


@dataclass(frozen=True)
class Joined:
    """Several parts with AND or OR between them, or one with NOT before it."""

    word: str
    parts: tuple[Tree, ...]


Tree: TypeAlias = int | Joined
_Token: TypeAlias = tuple[str, int]


def parse(text: str, most: int) -> Tree | None:
    """The tree of a logic over conditions 1 to ``most``; None for no text. QueryError names the place of a fault."""
    if not text.strip():
        return None
    if len(text) > LONGEST:
        raise _fault(_("A logic has at most %(most)s characters.") % {"most": LONGEST})
    reader = _Reader(_tokens(text), most, len(text))
    return reader.whole()


def _tokens(text: str) -> list[_Token]:
    found = []
    for match in _TOKEN.finditer(text):
        number, word, bracket, other = match.groups()
        place = match.start(match.lastindex or 0) + 1
        if other:
            raise _fault(
                _("“%(sign)s” at character %(place)s is not part of a logic.") % {"sign": other, "place": place}
            )
        found.append(((number or word or bracket).upper(), place))
    return found


def _fault(message: str) -> QueryError:
    example = _("Write it like (1 OR 2) AND NOT 3.")
    return QueryError(MALFORMED_QUERY, f"{message} {example}", PLACE)


@dataclass
class _Reader:
    """Reads tokens from left to right."""

    tokens: list[_Token]
    most: int
    end: int
    at: int = 0

    @property
    def now(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    @property
    def place(self) -> int:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else self.end + 1

    def whole(self) -> Tree:
        tree = self.joined(0)
        if self.now:
            raise _fault(
                _("“%(sign)s” at character %(place)s has nothing before it that it belongs to.") % self._said()
            )
        return tree

    def _said(self) -> dict[str, object]:
        return {"sign": self.now, "place": self.place, "most": self.most}

    def joined(self, depth: int) -> Tree:
        parts = [self.part(depth)]
        word = ""
        while self.now in {"AND", "OR"}:
            if word and self.now != word:
                raise _fault(
                    _("AND and OR meet at character %(place)s; put one of them into parentheses.") % self._said()
                )
            word = self.now
            self.at += 1
            parts.append(self.part(depth))
        return Joined(word, tuple(parts)) if word else parts[0]

    def part(self, depth: int) -> Tree:
        if depth > DEEPEST:
            raise _fault(_("Parentheses and NOTs may be %(deepest)s deep.") % {"deepest": DEEPEST})
        if self.now == "NOT":
            self.at += 1
            return Joined("NOT", (self.part(depth + 1),))
        if self.now == "(":
            opened = self.place
            self.at += 1
            tree = self.joined(depth + 1)
            if self.now != ")":
                raise _fault(_("The parenthesis at character %(place)s is not closed.") % {"place": opened})
            self.at += 1
            return tree
        return self.number()

    def number(self) -> int:
        if not self.now:
            raise _fault(_("The logic ends at character %(place)s where a number is missing.") % self._said())
        if not self.now.isdecimal():
            raise _fault(_("“%(sign)s” at character %(place)s stands where a number is missing.") % self._said())
        if len(self.now) > 4 or not 1 <= int(self.now) <= self.most:
            message = _("There is no condition %(sign)s (character %(place)s); they are numbered 1 to %(most)s.")
            raise _fault(message % self._said())
        number = int(self.now)
        self.at += 1
        return number


def numbers(tree: Tree | None) -> set[int]:
    """The conditions a logic names."""
    if tree is None:
        return set()
    return {tree} if isinstance(tree, int) else set().union(*(numbers(part) for part in tree.parts))


def plain(tree: Tree | None) -> bool:
    """Whether a logic only says that conditions must hold, as they must without it."""
    if tree is None or isinstance(tree, int):
        return True
    return tree.word == "AND" and all(plain(part) for part in tree.parts)


def condition(tree: Tree, conditions: Sequence[Condition]) -> Condition:
    """The condition tree of a logic."""
    if isinstance(tree, int):
        return conditions[tree - 1]
    parts = [condition(part, conditions) for part in tree.parts]
    if tree.word == "NOT":
        return Not(parts[0])
    return And(*parts) if tree.word == "AND" else Or(*parts)


def without(tree: Tree | None, number: int) -> Tree | None:
    """The logic after a condition was taken away, with the later ones numbered anew."""
    if tree is None or tree == number:
        return None
    if isinstance(tree, int):
        return tree - 1 if tree > number else tree
    parts = tuple(kept for part in tree.parts if (kept := without(part, number)) is not None)
    if not parts:
        return None
    return Joined(tree.word, parts) if tree.word == "NOT" or len(parts) > 1 else parts[0]


def words(tree: Tree | None) -> str:
    """The logic as an address writes it."""
    if tree is None:
        return ""
    if isinstance(tree, int):
        return str(tree)
    if tree.word == "NOT":
        return f"NOT {_bracketed(tree.parts[0])}"
    return f" {tree.word} ".join(_bracketed(part) for part in tree.parts)


def _bracketed(tree: Tree) -> str:
    plain = isinstance(tree, int) or tree.word == "NOT"
    return words(tree) if plain else f"({words(tree)})"
