"""A document as PDF: typeset offline, tagged for screen readers, the same bytes for the same document.

Texts reach the typesetter as data, never as markup. Letters that its own fonts do not have take the fonts of the
system; what no font has is printed as its code point, so that one sign never costs the whole file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typst

from analysis.document import (
    Bullets,
    Cards,
    Definitions,
    Document,
    Figure,
    Heading,
    Paragraph,
    Part,
    Quotation,
    Table,
)
from analysis.writing_figures import Drawn

LAYOUT = Path(__file__).with_name("report.typ")
# Latin, Greek, Cyrillic, general punctuation, arrows and mathematics stand in the fonts that the typesetter carries.
BEYOND = re.compile(r"[^\n\u0020-\u052f\u1e00-\u206f\u20a0-\u20bf\u2100-\u214f\u2190-\u21ff\u2200-\u22ff]")
OWN = ("Libertinus Serif", "New Computer Modern", "DejaVu Sans Mono")
SYSTEM = ("Libertinus Serif", "Noto Naskh Arabic", "Noto Sans Arabic", "Amiri", "DejaVu Sans", "Noto Sans CJK JP")
NO_GLYPH = ("could not be displayed", "glyph", "codepoint")  # how the typesetter says that no font has a letter
LONG = 28  # letters of a cell from which on its column shares the width that is left


def pdf(document: Document, figures: Mapping[str, Drawn]) -> bytes:
    """The document as a tagged PDF (PDF/UA-1). figures: `writing_figures.drawn` of the same document."""
    data = json.dumps(_content(document, figures), ensure_ascii=False)
    if not BEYOND.search(data):
        return _compiled(data, OWN)
    try:
        return _compiled(data, SYSTEM)
    except typst.TypstError as problem:
        if not any(words in str(problem) for words in NO_GLYPH):
            raise
        return _compiled(BEYOND.sub(lambda found: f"[U+{ord(found[0]):04X}]", data), OWN)


def _compiled(data: str, fonts: Sequence[str]) -> bytes:
    content = json.loads(data) | {"fonts": list(fonts)}
    made = typst.compile(
        LAYOUT.read_bytes(),
        format="pdf",
        ignore_system_fonts=fonts is OWN,
        sys_inputs={"document": json.dumps(content, ensure_ascii=False)},
        pdf_standards=["ua-1"],
    )
    return bytes(made)


def _content(document: Document, figures: Mapping[str, Drawn]) -> dict[str, Any]:
    return {
        "title": document.title,
        "first": list(document.first),
        "facts": [[term, said] for term, said in document.facts],
        "notes": list(document.notes),
        "foot": f"{document.title}. {document.facts[0][0]} {document.facts[0][1][:16]}" if document.facts else "",
        "sections": [
            {"title": section.title, "parts": [_part(part, figures) for part in section.parts]}
            for section in document.sections
        ],
    }


def _part(part: Part, figures: Mapping[str, Drawn]) -> dict[str, Any]:
    match part:
        case Paragraph():
            return {"kind": part.kind or "paragraph", "text": part.text}
        case Heading():
            return {"kind": "heading", "text": part.text}
        case Bullets():
            return {"kind": "bullets", "items": list(part.items)}
        case Definitions():
            return {"kind": "definitions", "rows": [list(row) for row in part.rows]}
        case Quotation():
            return {"kind": "quotation", "text": part.text, "about": part.about}
        case Figure():
            return {"kind": part.kind or "figure", **_drawing(part, figures)}
        case Table():
            return _table(part)
        case Cards():
            return {"kind": "cards", "cards": [_card(card, figures) for card in part.cards]}


def _drawing(figure: Figure, figures: Mapping[str, Drawn]) -> dict[str, str]:
    return {"svg": figures[figure.name].svg("light"), "sentence": figure.sentence}


def _card(card: Any, figures: Mapping[str, Drawn]) -> dict[str, Any]:
    drawing = None if card.figure is None else _drawing(card.figure, figures)
    return {"title": card.title, "big": card.big, "unit": card.unit, "interval": card.interval, "text": card.text,
            "figure": drawing}  # fmt: skip


def _table(table: Table) -> dict[str, Any]:
    rows = [["" if cell is None else str(cell) for cell in row] for row in table.rows]
    wide = [any(len(row[place]) > LONG for row in rows) for place in range(len(table.head))]
    return {
        "kind": "table",
        "caption": table.caption,
        "head": [str(title) for title in table.head],
        "rows": rows,
        "note": table.note,
        "align": ["" if place == 0 or place in table.words else "n" for place in range(len(table.head))],
        "widths": [int(one) for one in wide],
    }
