"""Pieces of HTML: a table with its caption, a figure, a quotation. Everything from the data is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], words: Sequence[int] = ()) -> str:
    """An HTML table with a caption. The first column heads its row; the others are numbers and stand right.

    words: places of columns with words, which stand left. Everything is escaped; None is an empty cell.
    """
    own = ["" if place == 0 or place in words else " class=n" for place in range(len(head))]
    heads = "".join(f"<th scope=col{kind}>{escape(title)}</th>" for kind, title in zip(own, head, strict=True))
    lines = "\n".join(_line(row, own) for row in rows)
    name = escape(caption)
    return (
        f'<div class=scroll tabindex=0 role=region aria-label="{name}"><table><caption>{name}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{lines}\n</tbody></table></div>"
    )


def _line(row: Sequence[object], own: Sequence[str]) -> str:
    first, *rest = ("" if value is None else escape(str(value)) for value in row)
    cells = "".join(f"<td{kind}>{text}</td>" for kind, text in zip(own[1:], rest, strict=True))
    return f"<tr><th scope=row>{first}</th>{cells}</tr>"


def figure(svg: str, name: str) -> str:
    return f"<figure class={name}>{svg}</figure>"


def quotation(text: str, about: str) -> str:
    """Someone's words with their line breaks, in their own direction, and who said them of what."""
    return f"<blockquote><p class=words dir=auto>{escape(text)}</p><footer>{escape(about)}</footer></blockquote>"
