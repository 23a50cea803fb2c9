"""A letter's plain text as HTML: paragraphs, bullets, addresses as links, and its own link as a button.

Mail programs drop style sheets, so styles stand on the elements. Text and ground have no colour of their own: each
program's light or dark stays as its reader has it. Only the button brings both, and keeps them.
"""

from __future__ import annotations

import re

from django.utils.html import escape

from study.people.language import direction
from study.protocols.markup import BULLET

ADDRESS = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
FONT = "font:16px/1.6 -apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
BODY = f"margin:0;padding:24px 16px;{FONT}"
PARAGRAPH = "margin:0 0 16px"
BUTTON = (
    "display:inline-block;padding:12px 20px;border-radius:6px;background-color:#17594A;color:#FFFFFF;"
    "text-decoration:none;font-weight:600"
)
SMALL = "margin:0 0 16px;font-size:13px;line-height:1.5;word-break:break-all"
FOOT = "margin:32px 0 0;padding-top:12px;border-top:1px solid #7C8985;font-size:13px;line-height:1.5"


def letter_html(subject: str, text: str, *, language: str, link: str = "", button: str = "", foot: str = "") -> str:
    """The whole document. ``link`` on a line of its own becomes a button called ``button``, with the address below."""
    chunks = [chunk for chunk in re.split(r"\n\s*\n", text.strip()) if chunk.strip()]
    inner = "\n".join(_chunk(chunk.split("\n"), link, button) for chunk in chunks)
    if foot:
        inner += f'\n<p style="{FOOT}">{_lines(foot.strip().split(chr(10)))}</p>'
    lang = escape(language or "en")
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}" dir="{direction(language or "en")}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="supported-color-schemes" content="light dark">\n'
        f'<title>{escape(subject)}</title>\n</head>\n<body style="{BODY}">\n'
        f'<div style="max-width:600px;margin:0 auto">\n{inner}\n</div>\n</body>\n</html>\n'
    )


def _chunk(lines: list[str], link: str, button: str) -> str:
    """What stands between two blank lines: prose, then bullets, then prose, as the lines come."""
    found: list[str] = []
    prose: list[str] = []
    bullets: list[str] = []

    def close() -> None:
        if prose:
            found.append(f'<p style="{PARAGRAPH}">{_lines(prose)}</p>')
        if bullets:
            items = "".join(f"<li>{_linked(one)}</li>" for one in bullets)
            found.append(f'<ul style="{PARAGRAPH};padding-left:24px;padding-right:0">{items}</ul>')
        prose.clear()
        bullets.clear()

    for line in lines:
        if match := BULLET.match(line):
            if prose:
                close()
            bullets.append(match.group(1).strip())
        elif link and line.strip() == link:
            close()
            found.append(_button(link, button))
        elif line.strip():
            if bullets:
                close()
            prose.append(line.strip())
    close()
    return "\n".join(found)


def _button(link: str, button: str) -> str:
    href = escape(link)
    return (
        f'<p style="{PARAGRAPH}"><a href="{href}" style="{BUTTON}">{escape(button) or href}</a></p>\n'
        f'<p style="{SMALL}"><a href="{href}" dir="ltr">{href}</a></p>'
    )


def _lines(lines: list[str]) -> str:
    return "<br>\n".join(_linked(line) for line in lines)


def _linked(text: str) -> str:
    """Escaped, with web and mail addresses that can be pressed."""
    parts: list[str] = []
    end = 0
    for match in ADDRESS.finditer(text):
        shown = escape(match[0])
        href = shown if match[0].startswith("http") else f"mailto:{shown}"
        parts += [escape(text[end : match.start()]), f'<a href="{href}">{shown}</a>']
        end = match.end()
    return "".join([*parts, escape(text[end:])])
