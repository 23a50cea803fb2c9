"""Codes that people choose for studies and cohorts: they stand in addresses and file names."""

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.utils.translation import gettext as _

LONGEST = 40
TAKEN = frozenset({"new"})
"""Codes whose address is a page already: studies/new/ and cohorts/new/."""


def checked_code(code: str) -> str:
    """The code in lower case. Raises ValidationError with a remedy for one that cannot stand in an address."""
    code = code.strip().lower()
    try:
        validate_slug(code)
    except ValidationError:
        raise ValidationError(
            _("The code “%(code)s” may only have letters, digits, hyphens and underscores.") % {"code": code}
        ) from None
    if len(code) > LONGEST:
        raise ValidationError(_("The code has %(n)s characters; 40 is the most.") % {"n": len(code)})
    if code in TAKEN:
        raise ValidationError(_("The code “%(code)s” is the address of another page. Choose another.") % {"code": code})
    return code
