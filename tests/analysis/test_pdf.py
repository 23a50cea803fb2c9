"""The report as PDF: tagged, the same bytes twice, and never lost for one letter."""

from __future__ import annotations

import re
import zlib

import pytest

from analysis.document import (
    Bullets,
    Card,
    Cards,
    Definitions,
    Document,
    Figure,
    Heading,
    Paragraph,
    Part,
    Quotation,
    Section,
    Table,
)
from analysis.draw import Board, colours, svg
from analysis.writing_figures import drawn
from analysis.writing_pdf import pdf


def bar(theme: str, width: int) -> str:
    tones = colours(theme)
    board = Board(width, 40, tones["sheet"])
    board.rect(0, 0, width / 2, 20, tones["d5"])
    board.text(0, 30, "Half", tones["ink"])
    return svg(board, "A bar of half the width.", f"bar-{theme}-{width}")


def made(*more: Part, title: str = "A report") -> Document:
    figure = Figure("bar", bar, "A bar of half the width.")
    strip = Figure("strip", bar, "A strip.", wide=272, narrow=None, kind="strip")
    parts: list[Part] = [
        Paragraph("Plain words."), Paragraph("Know this.", "note"), Paragraph("Small print.", "facts"), figure,
        Cards([Card("Approval", "66.7", "%", "47 to 82", strip, "Of 20."), Card("Few", "3 of 4", "", "", None, "")]),
        Heading("Below"), Bullets(["one", "two"]), Definitions([("Term", "said")]), Quotation("two\nlines", "P-1"),
        Table("t", "A table", ("Object", "n"), [("Case", 1), ("", 2)], note="A note."), *more,
    ]  # fmt: skip
    return Document(
        title, ["Not a replication."], [("Bundle", "0" * 64)], ["A warning."], [Section("one", "One", parts)]
    )


def written(document: Document) -> bytes:
    return pdf(document, drawn(document))


def plain(data: bytes) -> bytes:
    """The file with its compressed streams opened, to look for words in."""
    return data + b"".join(_opened(part) for part in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL))


def _opened(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream.strip(b"\r\n"))
    except zlib.error:
        return b""


def test_the_same_document_is_the_same_bytes() -> None:
    assert written(made()) == written(made())


def test_it_is_tagged_and_says_so() -> None:
    """PDF/UA-1: marked, with language, title, alternative texts and no date of the day."""
    data = plain(written(made()))
    for words in (b"/MarkInfo", b"/StructTreeRoot", b"pdfuaid:part", b"/Lang", b"A bar of half the width."):
        assert words in data
    assert b"CreationDate" not in data


def test_what_people_typed_is_never_markup() -> None:
    """A function call of the typesetter and its signs stay words."""
    data = written(made(Quotation("#panic() $x$ *b* @a <b> \\ `c` [d]", "P-2"), Paragraph('#read("/etc/passwd")')))
    assert data.startswith(b"%PDF")


@pytest.mark.parametrize("words", ["عربي", "日本語", "👍🏽", "\U000f0000", "x\u200by"])
def test_a_letter_that_no_font_has_costs_nothing_but_itself(words: str) -> None:
    assert written(made(Paragraph(words))).startswith(b"%PDF")


def test_a_document_without_anything_is_a_file() -> None:
    assert written(Document("Empty", [], [], [], [])).startswith(b"%PDF")


def test_two_tables_of_one_name_are_refused() -> None:
    """They would be one file: the second would silently replace the first."""
    with pytest.raises(ValueError, match="t: used twice"):
        made(Table("t", "Another", ("a",), []))
