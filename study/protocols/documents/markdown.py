"""A document as Markdown. Characters that Markdown would read as markup are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.protocols.documents.parts import Block, Bullets, Document, Facts, Gap, Heading, Paragraph, Table, Words
from study.protocols.markup import blocks as prose_blocks

SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$&])")
LIST_START = re.compile(r"^(\s*)(\d+)([.)])(\s)|^(\s*)([-+=])")


def plain(text: str) -> str:
    """The text on one line, shown as it is typed."""
    line = SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return LIST_START.sub(lambda m: f"{m[1]}{m[2]}\\{m[3]}{m[4]}" if m[2] else f"{m[5]}\\{m[6]}", line)


def markdown(document: Document) -> str:
    lines = [f"# {plain(document.title)}", "", plain(document.about), ""]
    for block in document.blocks:
        lines += [*_lines(block), ""]
    return "\n".join([*lines, "---", "", plain(document.foot), ""])


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"{'#' * (block.level + 1)} {plain(block.text)}"
        case Paragraph():
            yield plain(block.text)
        case Words():
            for n, part in enumerate(prose_blocks(block.text)):
                if n:
                    yield ">"
                yield from (f"> - {plain(line)}" if part.bullets else f"> {plain(line)}" for line in part.lines)
        case Bullets():
            yield from (f"- {plain(item)}" for item in block.items)
        case Facts():
            yield from (f"- **{plain(name)}:** {plain(value)}" for name, value in block.pairs)
        case Table():
            yield "| " + " | ".join(plain(cell) for cell in block.head) + " |"
            yield "|" + "---|" * len(block.head)
            yield from ("| " + " | ".join(plain(cell) for cell in row) + " |" for row in block.rows)
        case Gap():
            yield f"**[{plain(_('still empty'))}: {plain(block.label)} (`{block.key}`)]**"
