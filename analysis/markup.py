"""A document as one HTML page: no script, no link out, landmarks, captions, and figures that follow the theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

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
    Section,
    Table,
)
from analysis.draw import THEMES, TOKENS, dressed
from analysis.writing_figures import Drawn

STYLE = (Path(__file__).parent / "report.css").read_text("utf-8")
WORDS = 24  # letters of a cell that can be no number
PROPERTIES = {name: f"var(--g-{name})" for name in TOKENS}


def page(document: Document, figures: Mapping[str, Drawn]) -> str:
    """The whole page. figures: `writing_figures.drawn` of the same document."""
    title = escape(document.title)
    sections = "\n".join(_section(section, figures) for section in document.sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{title}: report</title>\n'
        f"<style>\n{STYLE}{_tokens()}</style>\n</head>\n<body>\n"
        f"{_head(document)}\n{_contents(document)}\n<main>\n{sections}\n</main>\n</body>\n</html>\n"
    )


def _tokens() -> str:
    """The colours of figures as properties; paper is always light."""
    light, dark = (" ".join(f"--g-{name}: {tone};" for name, tone in THEMES[theme].items()) for theme in THEMES)
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _head(document: Document) -> str:
    first = "".join(f"<p class=first>{escape(words)}</p>" for words in document.first)
    facts = "".join(f"<dt>{escape(term)}</dt><dd>{_code(said)}</dd>" for term, said in document.facts)
    notes = "".join(f"<p class=note role=note>{escape(words)}</p>" for words in document.notes)
    return f"<header>{first}<h1>{escape(document.title)}</h1><dl class=facts>{facts}</dl>{notes}</header>"


def _code(said: str) -> str:
    """A long hash in a fixed pitch, so that it can break anywhere."""
    words = [f"<code>{escape(word)}</code>" if len(word) >= 32 else escape(word) for word in said.split(" ")]
    return " ".join(words)


def _contents(document: Document) -> str:
    lines = []
    for chapter, sections in document.chapters():
        links = "".join(f'<li><a href="#{escape(one.name)}">{escape(one.title)}</a></li>' for one in sections)
        lines.append(f"<li>{escape(chapter)}<ol>{links}</ol></li>" if chapter else links)
    return f"<nav aria-labelledby=contents><h2 id=contents>Contents</h2><ol class=chapters>{''.join(lines)}</ol></nav>"


def _section(section: Section, figures: Mapping[str, Drawn]) -> str:
    name = escape(section.name)
    parts = "\n".join(
        f"<div class=quotes>{words}</div>" if quoted else words
        for quoted, words in (
            (quoted, "\n".join(_part(part, section, figures) for part in run))
            for quoted, run in groupby(section.parts, key=lambda part: isinstance(part, Quotation))
        )
    )
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(section.title)}</h2>\n'
        f"{parts}</section>"
    )


def _part(part: Part, section: Section, figures: Mapping[str, Drawn]) -> str:
    match part:
        case Paragraph():
            return _paragraph(part)
        case Bullets():
            return "<ul>" + "".join(f"<li>{escape(words)}</li>" for words in part.items) + "</ul>"
        case Table():
            return table(part, section.title)
        case Figure():
            return _figure(figures[part.name])
        case Definitions():
            rows = "".join(f"<dt>{escape(term)}</dt><dd>{escape(said)}</dd>" for term, said in part.rows)
            return f"<dl>{rows}</dl>"
        case Quotation():
            return _quotation(part)
        case Cards():
            return _cards(part, figures)
        case Heading():
            return f"<h3>{escape(part.text)}</h3>"


def _paragraph(part: Paragraph) -> str:
    kind = {"": "", "note": " class=note role=note", "facts": " class=facts"}[part.kind]
    return f"<p{kind}>{escape(part.text)}</p>"


def table(part: Table, within: str = "") -> str:
    """A table with its caption that scrolls inside its own frame. Everything is escaped; None is an empty cell."""
    own = ["" if place == 0 or place in part.words else " class=n" for place in range(len(part.head))]
    heads = "".join(
        f"<th scope=col{kind}>{escape(title)}</th>" if title else "<td></td>"
        for kind, title in zip(own, part.head, strict=True)
    )
    spans = _spans(part.rows)
    lines = "\n".join(_line(row, own, span) for row, span in zip(part.rows, spans, strict=True))
    caption = escape(part.caption)
    label = escape(f"{part.caption}, {within}" if within else part.caption)
    note = f"<p class=facts>{escape(part.note)}</p>" if part.note else ""
    return (
        f'<div class=scroll tabindex=0 role=group aria-label="{label}"><table><caption>{caption}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{lines}\n</tbody></table></div>{note}"
    )


def _spans(rows: Sequence[Sequence[object]]) -> list[int]:
    """How many rows each row's head stands for: an empty one belongs to the head above it, and has 0 of its own."""
    spans: list[int] = []
    for number, row in enumerate(rows):
        if number and row and row[0] in ("", None):
            spans[max(place for place, span in enumerate(spans) if span)] += 1
            spans.append(0)
        else:
            spans.append(1)
    return spans


def _line(row: Sequence[object], own: Sequence[str], span: int) -> str:
    first, *rest = ("" if value is None else escape(str(value)) for value in row)
    cells = "".join(f"<td{_kind(kind, text)}>{text}</td>" for kind, text in zip(own[1:], rest, strict=True))
    if span == 0:
        return f"<tr>{cells}</tr>"
    over = f" rowspan={span}" if span > 1 else ""
    return f"<tr>{f'<th scope=row{over}>{first}</th>' if first else '<td></td>'}{cells}</tr>"


def _kind(kind: str, text: str) -> str:
    """Numbers stay on one line; a reason where a number would stand may break."""
    return ' class="n long"' if kind and len(text) > WORDS else kind


def _figure(drawn: Drawn) -> str:
    wide = dressed(drawn.wide, PROPERTIES)
    kind = f" class={drawn.figure.kind}" if drawn.figure.kind else ""
    if drawn.narrow is None:
        return f"<figure{kind}>{wide}</figure>"
    narrow = dressed(drawn.narrow, PROPERTIES)
    return f"<figure{kind}><div class=wide>{wide}</div><div class=narrow>{narrow}</div></figure>"


def _quotation(part: Quotation) -> str:
    """Someone's words with their line breaks, in their own direction, and who said them of what."""
    about = f"<footer>{escape(part.about)}</footer>"
    return f"<blockquote><p class=words dir=auto>{escape(part.text)}</p>{about}</blockquote>"


def _cards(part: Cards, figures: Mapping[str, Drawn]) -> str:
    lines = []
    for card in part.cards:
        unit = f"<i>{escape(card.unit)}</i>" if card.unit else ""
        interval = f" <small>{escape(card.interval)}</small>" if card.interval else ""
        drawing = "" if card.figure is None else _figure(figures[card.figure.name])
        lines.append(
            f"<div><h3>{escape(card.title)}</h3><p class=big>{escape(card.big)}{unit}{interval}</p>{drawing}"
            f"<p>{escape(card.text)}</p></div>"
        )
    return f"<div class=heads>{''.join(lines)}</div>"
