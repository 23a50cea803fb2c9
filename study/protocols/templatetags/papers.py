"""What stands in a protocol's papers, for its page."""

from __future__ import annotations

from django import template

from study.protocols.packs.gaps import told
from study.protocols.schema import ProtocolFile

register = template.Library()


@register.simple_tag
def papers_told(file: ProtocolFile) -> list[tuple[str, list[str]]]:
    """Label and lines of each place that is filled in."""
    return told(file)
