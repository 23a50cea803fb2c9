"""Pieces of HTML: a table with its caption, a figure, a quotation. Everything from the data is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], numbers: int = 1) -> str:
    """An HTML table with a caption; columns from `numbers` on stand right. Everything is escaped; None is blank."""

    def cell(place: int, value: object) -> str:
        words = "" if value is None else escape(str(value))
        if place == 0:
            return f"<th scope=row>{words}</th>"
        return f"<td class=n>{words}</td>" if place >= numbers else f"<td>{words}</td>"

    heads = "".join(
        f"<th scope=col{' class=n' if place >= numbers else ''}>{escape(words)}</th>"
        for place, words in enumerate(head)
    )
    lines = "\n".join("<tr>" + "".join(cell(*pair) for pair in enumerate(row)) + "</tr>" for row in rows)
    return (
        f'<div class=scroll tabindex=0 role=region aria-label="{escape(caption)}"><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{heads}</tr></thead><tbody>\n{lines}\n</tbody></table></div>"
    )


def figure(svg: str, name: str) -> str:
    return f"<figure class={name}>{svg}</figure>"


def quotation(text: str, about: str) -> str:
    """Someone's words with their line breaks, in their own direction, and who said them of what."""
    return f"<blockquote><p class=words dir=auto>{escape(text)}</p><footer>{escape(about)}</footer></blockquote>"
