"""Texts laid out for reading: mail with quoted parts folded, chats in turns, articles in paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Object -> the text its reader shows.
CHATS = {"LiveChatTranscript": "Body", "VoiceCallTranscript__c": "Body__c"}
ARTICLES = {"Knowledge__kav": "FAQ_Answer__c"}
MAIL, MAIL_BODY, MAIL_PARENT, MAIL_DATE = "EmailMessage", "TextBody", "ParentId", "MessageDate"
READERS = {**CHATS, **ARTICLES, MAIL: MAIL_BODY}

_QUOTE_HEAD = re.compile(
    r"^\s*(?:-{2,}\s*(?:Original|Forwarded) Message\s*-{2,}|On .{4,120} wrote:|From: .+)\s*$", re.IGNORECASE
)
_TURN = re.compile(
    r"^\s*(?:[\[(]\s*(?P<at>[\d:.,hms ]{1,20})\s*[\])]\s*)?"
    r"(?P<who>[^\W\d_][^:\n]{0,49}?)\s*(?:[\[(]\s*(?P<then>[\d:.,hms apAPmM]{1,20})\s*[\])])?\s*:\s+(?P<said>\S.*)$"
)
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+(?P<hash>.+)|\*\*(?P<bold>[^*]{2,90})\*\*:?)\s*$")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(?P<text>.+)$")


@dataclass(frozen=True)
class Part:
    """A stretch of a mail: what was written, or what was only quoted."""

    text: str
    quoted: bool


@dataclass(frozen=True)
class Turn:
    """One turn of a chat. ``side`` is 0 for whoever spoke first, 1 for everybody else."""

    who: str
    at: str
    text: str
    side: int


@dataclass(frozen=True)
class Block:
    """A piece of an article: heading, paragraph or list."""

    kind: str
    lines: tuple[str, ...]


def mail_parts(text: str) -> list[Part]:
    """Own text and quoted text in order; everything below a reply's head is quoted."""
    lines: list[tuple[str, bool]] = []
    below = False
    for place, line in enumerate(text.splitlines()):
        below = below or (place > 0 and _QUOTE_HEAD.match(line) is not None)
        lines.append((line, below or line.lstrip().startswith(">")))
    parts: list[Part] = []
    for line, quoted in lines:
        if parts and (parts[-1].quoted == quoted or not line.strip()):
            parts[-1] = Part(f"{parts[-1].text}\n{line}", parts[-1].quoted)
        else:
            parts.append(Part(line, quoted))
    return [Part(part.text.strip("\n"), part.quoted) for part in parts if part.text.strip()]


def turns(text: str) -> list[Turn]:
    """The turns of a chat. A line without a speaker goes on with the turn before it."""
    found: list[Turn] = []
    first = ""
    for line in text.splitlines():
        match = _TURN.match(line)
        if match:
            who = match["who"].strip()
            first = first or who
            at = (match["at"] or match["then"] or "").strip()
            found.append(Turn(who, at, match["said"].strip(), 0 if who == first else 1))
        elif line.strip() and found:
            found[-1] = Turn(found[-1].who, found[-1].at, f"{found[-1].text}\n{line.strip()}", found[-1].side)
        elif line.strip():
            found.append(Turn("", "", line.strip(), 1))
    return found


def blocks(text: str) -> list[Block]:
    """Headings, paragraphs and lists of an article."""
    found: list[Block] = []
    for line in text.splitlines():
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        if not line.strip():
            found.append(Block("gap", ()))
        elif heading:
            found.append(Block("heading", (heading["hash"] or heading["bold"],)))
        elif bullet:
            _onto(found, "list", bullet["text"])
        else:
            _onto(found, "text", line.strip())
    return [block for block in found if block.kind != "gap"]


def _onto(found: list[Block], kind: str, line: str) -> None:
    if found and found[-1].kind == kind:
        found[-1] = Block(kind, (*found[-1].lines, line))
    else:
        found.append(Block(kind, (line,)))
