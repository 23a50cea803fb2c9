"""Record Ids of 15 and 18 characters.

A 15-character Id is case-sensitive. The 18-character form adds three characters,
each telling which of five characters are capitals, so it survives programs that
ignore case.
"""

from __future__ import annotations

import re
import string

_SUFFIX = string.ascii_uppercase + "012345"
_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
# Which of five characters are capitals, as ones and noughts, and the character that says so.
_CAPITALS = bytes(49 if 65 <= code <= 90 else 48 for code in range(256))
_SUFFIXES = {format(place, "05b")[::-1].encode(): char for place, char in enumerate(_SUFFIX)}
_ID15 = re.compile(r"[0-9A-Za-z]{15}")
_ID18 = re.compile(r"[0-9A-Za-z]{15}[A-Za-z0-5]{3}")


def suffix15to18(id15: str) -> str:
    """The 18-character form of a 15-character Id. ValueError if it is not one."""
    if not _ID15.fullmatch(id15):
        raise ValueError(f"{id15!r} is not an Id of 15 letters and digits.")
    return id15 + _suffix(id15)


def normal_id(text: str | None) -> str | None:
    """The 18-character form of an Id given with 15 or 18 characters, else None.

    An 18-character Id that lost its capitals (all lower or all upper case) is
    repaired from its suffix; one whose suffix contradicts its letters is not an Id.
    """
    text = (text or "").strip()
    if _ID15.fullmatch(text):
        return text + _suffix(text)
    if not _ID18.fullmatch(text):
        return None
    body, suffix = text[:15], text[15:].upper()
    if _suffix(body) == suffix:
        return body + suffix
    if text in (text.lower(), text.upper()):
        return _restored(body, suffix)
    return None


def make_id(prefix: str, n: int) -> str:
    """The n-th 18-character Id under a key prefix of three characters; n counts from 0."""
    if not re.fullmatch(r"[0-9A-Za-z]{3}", prefix):
        raise ValueError(f"{prefix!r} is not a key prefix of three letters or digits.")
    if n < 0 or n >= 62**9:
        raise ValueError(f"{n} is outside the nine characters that count records.")
    counter = ""
    while n:
        n, digit = divmod(n, 62)
        counter = _DIGITS[digit] + counter
    return suffix15to18(prefix + "Hy0" + counter.rjust(9, "0"))


def _suffix(body: str) -> str:
    capitals = body.encode().translate(_CAPITALS)
    return _SUFFIXES[capitals[:5]] + _SUFFIXES[capitals[5:10]] + _SUFFIXES[capitals[10:15]]


def _restored(body: str, suffix: str) -> str | None:
    capitals = [bool(_SUFFIX.index(suffix[place // 5]) >> place % 5 & 1) for place in range(15)]
    letters = [char.upper() if capital else char.lower() for char, capital in zip(body, capitals, strict=True)]
    restored = "".join(letters)
    return restored + suffix if _suffix(restored) == suffix else None
