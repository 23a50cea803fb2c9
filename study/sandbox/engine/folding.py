"""How texts are made comparable: capitals, accents and look-alike marks do not count (P-51).

One rule everywhere: filters, sorting, grouping, look-up boxes and global search.
"""

from __future__ import annotations

import unicodedata

# Letters that Unicode does not take apart, and the apostrophes and quotes that
# word processors put in place of the plain ones.
_WHOLE = {
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
    "þ": "th", "Þ": "Th", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ħ": "h", "Ħ": "H",
    "ı": "i", "ŧ": "t", "Ŧ": "T", "ß": "ss", "ẞ": "SS",
}  # fmt: skip
_MARKS = {"‘": "'", "’": "'", "ʼ": "'", "′": "'", "“": '"', "”": '"', "„": '"', "\u00ad": ""}
_TABLE = str.maketrans(_WHOLE | _MARKS)


def fold(text: str) -> str:
    """The comparable form of a text: casefolded, without accents, compatibility forms made plain."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.translate(_TABLE).casefold())
    return "".join(char for char in parts if not unicodedata.combining(char)).translate(_TABLE)


class _Letters(dict[int, str]):
    """Letter by letter, so that a text keeps its number of words and snippets find their place."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = char
        if code > 127 and char.isalpha():
            plain = _WHOLE.get(char) or "".join(
                part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part)
            )
            if plain.isalpha():
                folded = plain
        self[code] = folded
        return folded


_LETTERS = _Letters()


def search_letters(text: str) -> str:
    """A text for the word index: letters made plain, everything between them untouched."""
    return text if text.isascii() else text.translate(_LETTERS)


def clean_text(text: str) -> str:
    """A text as it may be stored: without NUL characters (P-15), unpaired surrogates replaced."""
    if text.isascii():
        return text.replace("\0", "")
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
