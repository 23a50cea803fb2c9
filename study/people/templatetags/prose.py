"""Protocol texts as HTML: paragraphs at blank lines, bullets where each line of a block begins with "- "."""

from __future__ import annotations

import re

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def prose(text: str) -> SafeString:
    """Everything is escaped; the only elements are ``p``, ``ul`` and ``li``."""
    out = mark_safe("")  # noqa: S308 an empty start for joining escaped pieces
    for block in re.split(r"\n[ \t]*\n", text.strip()):
        lines = [line.strip() for line in block.strip().split("\n")]
        if all(line.startswith("- ") for line in lines):
            out += format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((line[2:],) for line in lines)))
        else:
            out += format_html("<p>{}</p>", " ".join(lines))
    return out
