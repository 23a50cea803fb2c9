"""From the published wording to what people read: no answer format, no persona, no today in the text (M8, M9)."""

from __future__ import annotations

import datetime
import re
import textwrap

# An instruction begins a sentence, or with a capital where the full stop before it was forgotten; "How do I return only
# one?" is none. It runs to its full stop; what stands in brackets ("(eg. CA)") or has no blank after it ("3.5") is
# inside.
_ASKED = r"(?:return|respond with|answer with|reply with|output|provide|give)"
_FORMAT = re.compile(
    rf"(?:(?:^|(?<=[.?!:;)\"'”’*\n-]))\s*(?i:(?:please\s+)?{_ASKED})"
    rf"|\s*\b(?:[Pp]lease\s+{_ASKED}|(?=[A-Z])(?i:{_ASKED})))"
    r"\s+only\b(?:\([^)]*\)|[^.(\n]|\.(?=\w))*\.?"
)
_NONE_FORMAT = re.compile(
    r"\s*\bif\s+(?:no|there)\b[^.\n]*\b(?:return|respond with|answer)\s+['\"]?none\b['\"]?\.?", re.IGNORECASE
)
_TODAY = re.compile(r"today['’]?s?\s*(?:date)?\s*(?:is)?\s*:?\s*(\d{4}-\d{2}-\d{2})", re.IGNORECASE)
_TODAY_LINE = re.compile(r"^[\s#*-]*today['’]?s?\b[^\n]*\d{4}-\d{2}-\d{2}[^\n]*$", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*#+[ \t]*(.+?)[ \t:.]*$", re.MULTILINE)


def question_for_people(query: str) -> str:
    """The question without instructions on how to write the answer; everything else stays, Ids too."""
    text = _NONE_FORMAT.sub("", _FORMAT.sub("", query))
    return _tidy(_TODAY_LINE.sub("", text))


def definitions_for_people(required: str) -> str:
    """The policy or context that goes with the question, as plain lines, without today's line."""
    text = _TODAY_LINE.sub("", textwrap.dedent(required.expandtabs(4)))
    return _tidy(_NONE_FORMAT.sub("", _FORMAT.sub("", text)))


def today_in(*texts: str) -> tuple[datetime.date | None, str]:
    """The first "Today's date: YYYY-MM-DD", and the words of one that is no date of the calendar."""
    for text in texts:
        if found := _TODAY.search(text):
            try:
                return datetime.date.fromisoformat(found[1]), ""
            except ValueError:
                return None, found[1]
    return None, ""


def _tidy(text: str) -> str:
    # A heading such as "Lead's region: AZ" already says what it holds.
    text = _HEADING.sub(lambda found: found[1] if ":" in found[1] else found[1] + ":", text)
    lines = [line.rstrip() for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", textwrap.dedent("\n".join(lines))).strip()
