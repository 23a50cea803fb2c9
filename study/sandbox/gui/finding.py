"""Finding words in a text that is on the page: where they stand, without regard to capitals and accents."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlencode

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from study.sandbox.engine.folding import fold

LONGEST = 100
MOST_HITS = 500


@dataclass
class Finder:
    """Marks every place of one wanted text in the texts of a page and numbers them in reading order.

    Blank text finds nothing. Blanks in it are any blanks; nothing in it is an operator (P-45).
    """

    wanted: str
    count: int = field(default=0)

    def __post_init__(self) -> None:
        self.wanted = " ".join(self.wanted.split())[:LONGEST]

    def html(self, text: str) -> SafeString:
        """The text, escaped, with each hit in a mark of its own number."""
        parts: list[str] = []
        done = 0
        for start, end in places(text, self.wanted):
            if self.count >= MOST_HITS:
                break
            self.count += 1
            parts.append(conditional_escape(text[done:start]))
            parts.append(format_html('<mark id="hit-{}">{}</mark>', self.count, text[start:end]))
            done = end
        parts.append(conditional_escape(text[done:]))
        return mark_safe("".join(parts))


@dataclass(frozen=True)
class Finding:
    """The box of a page on which a text was looked for: how many hits, at which one stands, the ways to the others."""

    wanted: str
    hits: int
    at: int

    @classmethod
    def of(cls, finder: Finder, asked: str) -> Finding:
        """``asked`` is the hit of the address, from 1; when all of the page was read by the finder."""
        at = int(asked) if asked.isdecimal() and len(asked) < 6 else 1
        return cls(finder.wanted, finder.count, min(max(at, 1), finder.count))

    @property
    def earlier(self) -> str:
        return self._url((self.at - 2) % self.hits + 1)

    @property
    def next(self) -> str:
        return self._url(self.at % self.hits + 1)

    def _url(self, at: int) -> str:
        return f"?{urlencode({'find': self.wanted, 'at': at})}#hit-{at}"


def places(text: str, wanted: str) -> list[tuple[int, int]]:
    """Start and end of every hit, left to right, never overlapping."""
    needle = fold(wanted)
    if not needle.strip():
        return []
    folded, origin = _folded(text)
    found, start = [], 0
    while (at := folded.find(needle, start)) >= 0:
        start = at + len(needle)
        found.append((origin[at], origin[start - 1] + 1) if origin else (at, start))
    return found


def _folded(text: str) -> tuple[str, list[int]]:
    """The comparable text, and for each of its characters the place in the original (none where they are equal)."""
    if text.isascii():
        return text.lower().translate(_BLANKS), []
    letters: list[str] = []
    origin: list[int] = []
    for place, char in enumerate(text):
        folded = " " if char.isspace() else _letter(char)
        letters.append(folded)
        origin += [place] * len(folded)
    return "".join(letters), origin


_BLANKS = str.maketrans("\n\r\t\f\v", "     ")


@lru_cache(maxsize=4096)
def _letter(char: str) -> str:
    return fold(char)
