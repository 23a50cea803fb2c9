"""A report before it is a page or a file: sections of paragraphs, tables, figures, definitions and quotations.

Everything is plain text; the writers escape it. One document gives HTML, PDF, CSV and LaTeX, so that they can't differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

Cell = str | int | None


@dataclass(frozen=True)
class Paragraph:
    """kind: plain words; `note`, a warning that stands out; `facts`, small print such as hashes and versions."""

    text: str
    kind: Literal["", "note", "facts"] = ""


@dataclass(frozen=True)
class Bullets:
    items: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table with its caption. The first column heads its row; other columns are numbers and stand right.

    name: of its files, lower case with hyphens, once in a report. words: places of columns with words, which stand
    left. Cells are what people read; `data` is what the CSV holds, header first, where that is more exact (shares 0
    to 1, all decimals); without it the CSV has the cells.
    """

    name: str
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: Sequence[int] = ()
    data: Sequence[Sequence[str | int | float | None]] | None = None
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A drawing. draw(theme, width) gives an SVG with role=img and a sentence; theme light or dark, width in pixels.

    The same numbers stand in a table of the same section, so that nobody needs the drawing. narrow: its width on a
    phone, None for a drawing that has one form.
    """

    name: str
    draw: Callable[[str, int], str]
    sentence: str
    wide: int = 872
    narrow: int | None = 320
    kind: Literal["", "strip"] = ""


@dataclass(frozen=True)
class Definitions:
    """Terms and what is said of each."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Quotation:
    """Somebody's words, line breaks kept, and who said them of what."""

    text: str
    about: str


@dataclass(frozen=True)
class Card:
    """A headline number: its title, the big figure with unit and interval, a drawing, and how it came about."""

    title: str
    big: str
    unit: str
    interval: str
    figure: Figure | None
    text: str


@dataclass(frozen=True)
class Cards:
    cards: Sequence[Card]


@dataclass(frozen=True)
class Heading:
    """A heading within a section, one level under its title."""

    text: str


Part = Paragraph | Bullets | Table | Figure | Definitions | Quotation | Cards | Heading


@dataclass(frozen=True)
class Section:
    """name: anchor, lower case with hyphens, once in a report. chapter: under which the contents list it."""

    name: str
    title: str
    parts: Sequence[Part]
    chapter: str = ""


@dataclass(frozen=True)
class Document:
    """first: the line above the title. facts: bundle, protocol and Orgs. notes: warnings that come before all else."""

    title: str
    first: Sequence[str]
    facts: Sequence[tuple[str, str]]
    notes: Sequence[str]
    sections: Sequence[Section] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        """Raises ValueError when two sections, tables or figures have one name: they would share a file."""
        for what in ([one.name for one in self.sections], [one.name for one in self.tables()],
                     [one.name for one in self.figures()]):  # fmt: skip
            twice = sorted({name for name in what if what.count(name) > 1})
            if twice:
                raise ValueError(f"{', '.join(twice)}: used twice in a report; put a slug of the arm into the name")

    def chapters(self) -> list[tuple[str, list[Section]]]:
        """Sections under their chapters, in the order of the page."""
        found: list[tuple[str, list[Section]]] = []
        for section in self.sections:
            if not found or found[-1][0] != section.chapter:
                found.append((section.chapter, []))
            found[-1][1].append(section)
        return found

    def tables(self) -> list[Table]:
        return [part for section in self.sections for part in section.parts if isinstance(part, Table)]

    def figures(self) -> list[Figure]:
        """Every drawing, those of headline cards too."""
        found: list[Figure] = []
        for section in self.sections:
            for part in section.parts:
                if isinstance(part, Figure):
                    found.append(part)
                elif isinstance(part, Cards):
                    found += [card.figure for card in part.cards if card.figure is not None]
        return found
