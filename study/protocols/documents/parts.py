"""What a document is made of. Everything is plain text; nobody's words are markup in any form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Words:
    """What participants read, word for word: paragraphs and bullets as ``markup.blocks`` knows them."""

    text: str


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names with what belongs to each."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Gap:
    """A place that is still empty: what belongs there and the key of the protocol that fills it."""

    label: str
    key: str


Block = Heading | Paragraph | Words | Bullets | Facts | Table | Gap


@dataclass(frozen=True)
class Document:
    """One paper. ``foot`` stands on every page; ``direction`` is ``ltr`` or ``rtl``."""

    name: str
    title: str
    about: str
    foot: str
    language: str
    direction: str
    blocks: tuple[Block, ...]

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Each empty place once, in the order of the paper."""
        return tuple(dict.fromkeys(block for block in self.blocks if isinstance(block, Gap)))


@dataclass
class Sheet:
    """A document being written, block by block."""

    blocks: list[Block] = field(default_factory=list)

    def heading(self, text: str, level: int = 1) -> None:
        """No level is skipped on the way down: readers by ear go by them."""
        last = next((block.level for block in reversed(self.blocks) if isinstance(block, Heading)), 0)
        self.blocks.append(Heading(min(level, last + 1), text))

    def say(self, *texts: str) -> None:
        self.blocks += [Paragraph(text) for text in texts if text]

    def words(self, *texts: str | None) -> None:
        self.blocks += [Words(text) for text in texts if text]

    def bullets(self, items: Iterable[str]) -> None:
        if found := tuple(items):
            self.blocks.append(Bullets(found))

    def facts(self, pairs: Iterable[tuple[str, str]]) -> None:
        if found := tuple(pairs):
            self.blocks.append(Facts(found))

    def table(self, head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        if found := tuple(tuple(row) for row in rows):
            self.blocks.append(Table(tuple(head), found))

    def gap(self, label: str, key: str) -> None:
        self.blocks.append(Gap(label, key))


def lines_of(document: Document) -> Iterator[str]:
    """Every text of a document, to search in."""
    yield from (document.title, document.about, document.foot)
    for block in document.blocks:
        match block:
            case Heading() | Paragraph() | Words():
                yield block.text
            case Bullets():
                yield from block.items
            case Facts():
                yield from (text for pair in block.pairs for text in pair)
            case Table():
                yield from (*block.head, *(cell for row in block.rows for cell in row))
            case Gap():
                yield block.label
