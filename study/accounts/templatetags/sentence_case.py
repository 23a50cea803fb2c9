"""``{{ field.label|sentence_case }}``: labels that come in title case, in the case of this house."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def sentence_case(text: object) -> str:
    """Words after the first begin small, unless they are written in capitals.

    >>> sentence_case("New Password (again)"), sentence_case("TOTP Code"), sentence_case("Email")
    ('New password (again)', 'TOTP code', 'Email')
    """
    first, *rest = str(text).split(" ")
    return " ".join([first, *(word if word.isupper() else word.lower() for word in rest)])
