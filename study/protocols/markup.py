"""The simple markup of protocol texts: paragraphs and bullet lists. Plain text, never HTML.

A blank line ends a paragraph; lines that begin with a hyphen and a blank are
bullets; other line ends are blanks. ``{name}`` places are filled by plain
replacement, so a text can't reach into the values it is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
BULLET = re.compile(r"^\s*[-•]\s+(.*)$")


@dataclass(frozen=True)
class Block:
    """A paragraph (one line) or a bullet list (one line per bullet)."""

    lines: tuple[str, ...]
    bullets: bool = False


def blocks(text: str) -> tuple[Block, ...]:
    """The paragraphs and lists of a text, in order."""
    found: list[Block] = []
    for chunk in re.split(r"\n\s*\n", text.strip()):
        lines: list[str] = []
        bullets = False
        for line in chunk.split("\n"):
            match = BULLET.match(line)
            if match:
                if lines and not bullets:
                    found.append(Block((" ".join(lines),)))
                    lines = []
                bullets = True
                lines.append(match.group(1).strip())
            elif bullets:
                lines[-1] += " " + line.strip()
            elif line.strip():
                lines.append(line.strip())
        if lines:
            found.append(Block(tuple(lines), True) if bullets else Block((" ".join(lines),)))
    return tuple(found)


def fill(text: str, **values: object) -> str:
    """The text with each ``{name}`` for which a value is given replaced; others stay as they are."""
    return PLACE.sub(lambda m: str(values[m.group(1)]) if m.group(1) in values else m.group(0), text)


def places(text: str) -> tuple[str, ...]:
    """The names in braces, in order."""
    return tuple(PLACE.findall(text))
