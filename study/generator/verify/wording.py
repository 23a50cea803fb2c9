"""Texts taken apart: what somebody wrote themselves, its sentences, their skeletons."""

from __future__ import annotations

import re
from collections.abc import Collection

from study.sandbox.gui.reading import CHATS, MAIL, MAIL_BODY, mail_parts, turns

_SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+|\n+")
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*|[#$]?\d[\w,.:/-]*%?")
_GREETING = re.compile(
    r"^\W*(?:dear|hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|morning|afternoon|evening|"
    r"to whom it may concern|welcome|"
    r"thanks? (?:you )?for (?:the call|calling|contacting|reaching|chatting|getting in touch))\b",
    re.IGNORECASE,
)
_HOW_ARE_YOU = re.compile(
    r"^(?:(?:i'm |we're |all |very |pretty |quite )*(?:good|great|fine|well|not (?:too )?bad|can't complain)\b"
    r"[^.?!]{0,30}\bthank(?:s| you)\b.{0,20}|how(?:'s| are| is| have)\b.{0,40}\?)$",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"^[\w'’. &-]{2,60},$")
_CALENDAR_WORDS = """
    january february march april may june july august september october november december jan feb mar apr jun
    jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri
    sat sun am pm
"""
_CALENDAR = frozenset(_CALENDAR_WORDS.split())
_LONG_GREETING = 25
"""The same for a turn at the beginning of a chat or call."""
_SHORT_TURN = 16
"""Words up to which the first turn of either side is one, however it begins."""
_SHORT_GREETING = 9
"""Words up to which a line that begins like a greeting is one; a longer one says something besides."""


def written(object_name: str, text: str) -> list[str]:
    """What was written in a text, line by line: without quoted parts, names of speakers and lines of greeting."""
    if object_name == MAIL:
        lines = "\n".join(part.text for part in mail_parts(text) if not part.quoted).splitlines()
    elif object_name in CHATS:
        spoken = turns(text)
        # Both sides greet before they say what it is about.
        for _ in range(2):
            if len(spoken) > 1 and _greeting_turn(spoken[0].text):
                spoken = spoken[1:]
        lines = [line for turn in spoken for line in turn.text.splitlines()]
    else:
        return [line.strip() for line in text.splitlines() if line.strip()]
    kept = [line.strip() for line in lines if line.strip()]
    while kept and _greets(kept[0]):
        kept = kept[1:]
    return kept


def _greeting_turn(said: str) -> bool:
    length = len(said.split())
    return length <= _SHORT_TURN or (length <= _LONG_GREETING and bool(_GREETING.match(said)))


def _greets(line: str) -> bool:
    if _ADDRESSED.match(line) and len(line.split()) <= 5:
        return True
    return bool(_GREETING.match(line)) and len(line.split()) <= _SHORT_GREETING


def sentences(lines: Collection[str]) -> list[str]:
    """The sentences of lines, in order; a greeting before the first one in its line is left out."""
    return [part.strip() for line in lines for part in _SENTENCE.split(line) if part and part.strip()]


def opening(found: list[str]) -> str:
    """The first sentence that says something, in small letters; one or two words ("Sure.") say nothing."""
    for sentence in found:
        length = len(sentence.split())
        greets = length <= _SHORT_GREETING and (_GREETING.match(sentence) or _HOW_ARE_YOU.match(sentence))
        if length > 2 and not greets:
            return sentence.lower()
    return found[0].lower() if found else ""


def words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def skeleton(sentence: str, names: Collection[str]) -> str:
    """A sentence without what fills it: numbers, dates, Ids and names are one mark each, runs of marks one mark.

    A word is a name if it is one of ``names`` (small letters) or a capitalised word within the sentence.
    """
    kept: list[str] = []
    for place, word in enumerate(_WORD.findall(sentence)):
        small = word.lower()
        slot = (
            not word[0].isalpha()
            or any(char.isdigit() for char in word)
            or small in _CALENDAR
            or (word[0].isupper() and (small in names or (place > 0 and word != "I" and "'" not in word)))
        )
        if slot:
            if not kept or kept[-1] != "_":
                kept.append("_")
        else:
            kept.append(small)
    return " ".join(kept)


def stands(said: str, text: str) -> bool:
    """Whether something stands in a text as whole words; of a product there may be several."""
    return re.search(rf"(?<!\w){re.escape(said)}(?:e?s)?(?!\w)", text, re.IGNORECASE) is not None


def written_by(object_name: str, field_name: str, text: str) -> str:
    """What the writer of a letter wrote; a quoted particular was said by someone else. Other texts as they are."""
    if (object_name, field_name) != (MAIL, MAIL_BODY):
        return text
    return "\n".join(part.text for part in mail_parts(text) if not part.quoted)
