"""``{% study_pages as pages %}``: the navigation of the study whose page this is."""

from __future__ import annotations

from typing import Any

from django import template

from study.accounts.navigation import Navigation, navigation

register = template.Library()


@register.simple_tag(takes_context=True)
def study_pages(context: dict[str, Any]) -> Navigation:
    study, role = context["study"], getattr(context["request"], "role", "")
    return navigation(study.code, role, str(context.get("tab", "")))
