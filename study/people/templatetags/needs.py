"""What waits, for the navigation and for the board of cohorts."""

from __future__ import annotations

from typing import Any

from django import template

from study.accounts.models import Study
from study.people import needs_me

register = template.Library()
SHOWN = 8


@register.simple_tag
def needs_count(study: Study) -> int:
    """How many cases wait for a coordinator of this study."""
    return len(needs_me.needs(study))


@register.inclusion_tag("people/staff/_waiting.html")
def waiting(study: Study) -> dict[str, Any]:
    """The two lists under the board: who has gone quiet, and all else that waits."""
    found = needs_me.needs(study)
    quiet = [need for need in found if need.kind == "quiet"]
    other = [need for need in found if need.kind != "quiet"]
    return {
        "study": study,
        "quiet": quiet[:SHOWN],
        "quiet_n": len(quiet),
        "other": other[:SHOWN],
        "other_n": len(other),
        "more": max(len(quiet), len(other)) > SHOWN,
    }
