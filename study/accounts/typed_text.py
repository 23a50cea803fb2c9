"""What is kept of a text that somebody typed or pasted, and how long it is for the eye. One rule for every text (P-15).

Kept as typed: every script, emoji with their joiners, combining marks, and the marks that set a direction. Nothing is
normalised, and markup is text like any other. Changed: every way to end a line becomes a line feed. Left out, since
they cannot be seen and break databases, spreadsheets or XML: NUL and the other control characters but line feed and
tab, halves of a surrogate pair, and the two codes that are no characters (U+FFFE, U+FFFF).

Direction marks such as U+202E turn round what follows them within their own paragraph. They are kept, since mixed
texts need them; each place that shows a text isolates it (``dir="auto"``), so they reach no further.
"""

from __future__ import annotations

import re
import unicodedata

KEPT_CONTROLS = {"\n", "\t"}
# Word writes a line break within a paragraph as a vertical tab, a page break as a form feed.
LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
NO_CHARACTERS = {"\ufffe", "\uffff"}
JOINER = "\u200d"


def visible_text(text: str) -> str:
    """The text as it is kept."""
    return "".join(c for c in LINE_ENDS.sub("\n", text) if not _left_out(c))


def left_out(text: str) -> int:
    """How many characters of a text are not kept, so that whoever typed it can be told."""
    return sum(1 for c in LINE_ENDS.sub("\n", text) if _left_out(c))


def _left_out(c: str) -> bool:
    return c in NO_CHARACTERS or (c not in KEPT_CONTROLS and unicodedata.category(c) in {"Cc", "Cs"})


def seen_length(text: str) -> int:
    """Characters as the eye counts them: a family emoji is one, a letter with its accents is one."""
    return sum(1 for _one in _starts(text))


def first_seen(text: str, most: int) -> str:
    """The first ``most`` characters as the eye counts them; none is ever cut through (P-16)."""
    for number, start in enumerate(_starts(text)):
        if number == most:
            return text[:start]
    return text


def _starts(text: str) -> list[int]:
    """Where each character that the eye sees begins: marks, joiners, skin tones and flags hang on what is before."""
    starts: list[int] = []
    flags = 0  # regional letters before this one, in a row: two make a flag
    for n, c in enumerate(text):
        before = text[n - 1] if n else ""
        regional = "\U0001f1e6" <= c <= "\U0001f1ff"
        hangs = bool(before) and (
            (_extends(c) and before not in KEPT_CONTROLS)
            or (before == JOINER and unicodedata.category(c) == "So")
            or (regional and flags % 2 == 1)
            or _jamo(before, c)
        )
        flags = flags + 1 if regional else 0
        if not hangs:
            starts.append(n)
    return starts


def _extends(c: str) -> bool:
    return (
        unicodedata.category(c) in {"Mn", "Me", "Mc"}
        or c in (JOINER, "\u200c")
        or "\U0001f3fb" <= c <= "\U0001f3ff"
        or "\U000e0020" <= c <= "\U000e007f"
    )


def _jamo(before: str, c: str) -> bool:
    """Korean letters that were typed one by one stand in one block."""
    lead, vowel, tail = "\u1100" <= before <= "\u115f", "\u1160" <= c <= "\u11a7", "\u11a8" <= c <= "\u11ff"
    if vowel:
        return lead or "\u1160" <= before <= "\u11a7"
    return tail and ("\u1160" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3")
