"""What is worked out of two fields of a row, as an address writes it, to filter by or to show as a column.

``ClosedDate~CreatedDate`` is the time between two dates in days (``~hours`` and the like after it for
another unit), ``Quantity*UnitPrice`` a product, ``TotalPrice/Quantity`` a quotient.
"""

from __future__ import annotations

import math

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.sandbox.engine.errors import INVALID_FIELD, INVALID_VALUE, QueryError
from study.sandbox.engine.formulas import UNITS, Difference, Formula, Product, Quotient
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.gui.fieldpaths import FieldPath, field_path, paths_from

BETWEEN, TIMES, OVER = "~", "*", "/"
UNIT_WORDS = {
    "days": gettext_lazy("days"),
    "hours": gettext_lazy("hours"),
    "minutes": gettext_lazy("minutes"),
    "seconds": gettext_lazy("seconds"),
}
_NUMBERS = frozenset({"number", "integer"})


def any_path(registry: Registry, item: ObjectDef, text: str) -> FieldPath:
    """The field or row formula a text names. QueryError with a remedy where it names none."""
    if BETWEEN in text:
        return _between(registry, item, text)
    if TIMES in text or OVER in text:
        return _worked_out(registry, item, text)
    return field_path(registry, item, text)


def _between(registry: Registry, item: ObjectDef, text: str) -> FieldPath:
    end, start, *rest = text.split(BETWEEN)
    unit = rest[0] if rest else "days"
    if len(rest) > 1 or unit not in UNITS:
        message = _("Write the time between two dates as End~Start, with ~hours, ~minutes or ~seconds after it.")
        raise QueryError(INVALID_FIELD, message, text)
    parts = [field_path(registry, item, part) for part in (end, start)]
    if wrong := next((part for part in parts if not part.dated), None):
        raise QueryError(INVALID_FIELD, _("%(field)s is not a date.") % {"field": wrong.label}, wrong.path)
    said = {"end": parts[0].label, "start": parts[1].label, "unit": str(UNIT_WORDS[unit])}
    written = f"{end}{BETWEEN}{start}" + ("" if unit == "days" else f"{BETWEEN}{unit}")
    label = _("%(end)s minus %(start)s, %(unit)s") % said
    return _formula_path(item, written, label, Difference(end, start, unit, alias=written))


def _worked_out(registry: Registry, item: ObjectDef, text: str) -> FieldPath:
    sign = TIMES if TIMES in text else OVER
    left, _sign, right = text.partition(sign)
    parts = [_part(registry, item, part) for part in (left, right)]
    values = [part.path if isinstance(part, FieldPath) else part for part in parts]
    said = [part.label if isinstance(part, FieldPath) else f"{part:g}" for part in parts]
    if sign == OVER and values[1] == 0:
        raise QueryError(INVALID_VALUE, _("Nothing can be divided by 0."), text)
    formula = (Product if sign == TIMES else Quotient)(values[0], values[1], alias=text)
    words = _("%(left)s times %(right)s") if sign == TIMES else _("%(left)s divided by %(right)s")
    return _formula_path(item, text, words % {"left": said[0], "right": said[1]}, formula)


def _part(registry: Registry, item: ObjectDef, text: str) -> FieldPath | float:
    if text[:1].isalpha():
        found = field_path(registry, item, text)
        if found.field.type not in _NUMBERS:
            message = _("%(field)s holds no numbers.") % {"field": found.label}
            raise QueryError(INVALID_FIELD, message, found.path)
        return found
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or abs(number) >= 2**53:
        message = _("“%(text)s” is neither a field nor a number.") % {"text": text[:40]}
        raise QueryError(INVALID_VALUE, message, text)
    return number


def _formula_path(item: ObjectDef, written: str, label: str, formula: Formula) -> FieldPath:
    return FieldPath(written, FieldDef(written, "number", label), item, formula=formula)


def time_between(registry: Registry, item: ObjectDef) -> list[tuple[str, str]]:
    """The times between two dates of a record's own, for a menu: (text, words); later minus earlier dates first."""
    dates = [path for path in paths_from(registry, item, 0) if path.dated]
    texts = [f"{end.path}{BETWEEN}{start.path}" for start in dates for end in dates if end is not start]
    return [(text, any_path(registry, item, text).label) for text in texts[:12]]
