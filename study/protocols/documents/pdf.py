"""A document as PDF: typeset offline, tagged for screen readers, the same bytes for the same document.

Texts reach the typesetter as data, never as markup. Scripts that the fonts within it do not have take the fonts of the
system; where it has none either, ``NoGlyphs`` says so rather than printing boxes.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import typst
from django.utils.translation import gettext as _

from study.protocols.documents.parts import (
    Block,
    Bullets,
    Document,
    Facts,
    Gap,
    Heading,
    Paragraph,
    Table,
    Words,
    lines_of,
)
from study.protocols.markup import blocks as prose_blocks

LAYOUT = Path(__file__).with_name("paper.typ")
# Latin, Greek, Cyrillic and general punctuation stand in the fonts that the typesetter carries.
BEYOND = re.compile(r"[^\u0000-\u052f\u1e00-\u206f\u20a0-\u20bf\u2100-\u214f\u2190-\u21ff\u2200-\u22ff]")
FONTS = ("Libertinus Serif",)
SYSTEM_FONTS = ("Libertinus Serif", "Noto Naskh Arabic", "Noto Sans Arabic", "Amiri", "DejaVu Sans")


class NoGlyphs(Exception):
    """No font of this machine has the letters of a document."""


def pdf(document: Document) -> bytes:
    """Raises NoGlyphs."""
    foreign = any(BEYOND.search(text) for text in lines_of(document))
    data = {
        "title": document.title,
        "about": document.about,
        "foot": document.foot,
        "lang": document.language.split("-")[0],
        "dir": document.direction,
        "fonts": [*(SYSTEM_FONTS if foreign else FONTS)],
        "blocks": [_block(block) for block in document.blocks],
    }
    try:
        made = typst.compile(
            LAYOUT.read_bytes(),
            format="pdf",
            ignore_system_fonts=not foreign,
            sys_inputs={"document": json.dumps(data, ensure_ascii=False)},
            pdf_standards=["ua-1"],
        )
    except typst.TypstError as error:
        # Its words for a letter that no font has.
        if "could not be displayed" in str(error):
            raise NoGlyphs(_("This machine has no font for the letters of this document.")) from error
        raise
    return bytes(made)


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Heading():
            return {"kind": "heading", "level": block.level, "text": block.text}
        case Paragraph():
            return {"kind": "paragraph", "text": block.text}
        case Words():
            parts = [{"bullets": part.bullets, "lines": list(part.lines)} for part in prose_blocks(block.text)]
            return {"kind": "words", "parts": parts}
        case Bullets():
            return {"kind": "bullets", "items": list(block.items)}
        case Facts():
            return {"kind": "facts", "pairs": [list(pair) for pair in block.pairs]}
        case Table():
            return {"kind": "table", "head": list(block.head), "rows": [list(row) for row in block.rows]}
        case Gap():
            return {"kind": "gap", "label": block.label, "key": block.key, "said": _("Still empty")}
