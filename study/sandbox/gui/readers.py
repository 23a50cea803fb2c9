"""The reader of a record page: mail, conversation or article with what was looked for marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.finding import Finder
from study.sandbox.gui.reading import ARTICLES, CHATS, MAIL, MAIL_BODY, blocks, mail_parts, turns


@dataclass(frozen=True)
class TurnShown:
    who: str
    at: str
    side: int
    html: SafeString


@dataclass(frozen=True)
class PartShown:
    """A stretch of a mail; a quoted one stands open where it holds what was looked for."""

    html: SafeString
    quoted: bool
    opened: bool


@dataclass(frozen=True)
class BlockShown:
    kind: str
    lines: tuple[SafeString, ...]


@dataclass(frozen=True)
class Reader:
    """What the page reads out: exactly one of the three is filled. ``field`` is the text it came from."""

    field: str
    turns: tuple[TurnShown, ...] = ()
    parts: tuple[PartShown, ...] = ()
    blocks: tuple[BlockShown, ...] = ()


def reader_of(item: ObjectDef, values: dict[str, Any], finder: Finder) -> Reader | None:
    """The reader of a record; None for objects without one and where its text is empty."""
    if name := CHATS.get(item.name, ""):
        text = values.get(name)
        shown = tuple(
            TurnShown(turn.who, turn.at, turn.side, finder.html(turn.text)) for turn in turns(str(text or ""))
        )
        return Reader(name, turns=shown) if text else None
    if name := ARTICLES.get(item.name, ""):
        text = values.get(name)
        read = tuple(BlockShown(b.kind, tuple(finder.html(line) for line in b.lines)) for b in blocks(str(text or "")))
        return Reader(name, blocks=read) if text else None
    if item.name == MAIL and values.get(MAIL_BODY):
        return Reader(MAIL_BODY, parts=mail_shown(str(values[MAIL_BODY]), finder))
    return None


def mail_shown(text: str, finder: Finder) -> tuple[PartShown, ...]:
    """The parts of a mail with hits marked."""
    found = []
    for part in mail_parts(text):
        before = finder.count
        html = finder.html(part.text)
        found.append(PartShown(html, part.quoted, finder.count > before))
    return tuple(found)
