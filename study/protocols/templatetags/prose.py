"""Shows protocol texts on pages."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from study.protocols.markup import blocks

register = template.Library()


@register.filter
def prose(text: str) -> SafeString:
    """Paragraphs and bullet lists as escaped HTML: ``{{ protocol.consent.intro|prose }}``."""
    parts = []
    for block in blocks(text or ""):
        if block.bullets:
            items = format_html_join("", "<li>{}</li>", ((line,) for line in block.lines))
            parts.append(format_html("<ul>{}</ul>", items))
        else:
            parts.append(format_html("<p>{}</p>", block.lines[0]))
    return format_html_join("\n", "{}", ((part,) for part in parts))
