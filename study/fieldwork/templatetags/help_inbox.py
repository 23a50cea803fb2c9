"""How many requests for help wait, for the navigation."""

from __future__ import annotations

from django import template

from study.accounts.models import Study
from study.fieldwork import helping

register = template.Library()


@register.simple_tag
def help_count(study: Study) -> int:
    return helping.waiting_of(study).count()
