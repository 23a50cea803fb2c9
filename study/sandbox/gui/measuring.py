"""What a report can measure: records, values, numbers, and what is worked out of two fields of a row.

An address writes what is measured as ``mf``: a field path, or two parts with a sign between them:
``ClosedDate~CreatedDate`` (end minus start), ``Quantity*UnitPrice`` or ``Quantity*1.2``, ``TotalPrice/Quantity``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import permutations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.sandbox.engine.errors import INVALID_FIELD, INVALID_VALUE, QueryError
from study.sandbox.engine.queryspec import Difference, Formula, Measure, Product, Quotient
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.gui.fieldpaths import FieldPath, field_path, paths_from
from study.sandbox.gui.terms import Term

FUNCTIONS = {
    "count": gettext_lazy("number of"),
    "count_distinct": gettext_lazy("number of different values of"),
    "avg": gettext_lazy("average of"),
    "sum": gettext_lazy("sum of"),
    "min": gettext_lazy("lowest of"),
    "max": gettext_lazy("highest of"),
    "share": gettext_lazy("share of"),
}
UNITS = {
    "days": gettext_lazy("days"),
    "hours": gettext_lazy("hours"),
    "minutes": gettext_lazy("minutes"),
}
BETWEEN, TIMES, BY = "~", "*", "/"
SIGNS = {BETWEEN: gettext_lazy("minus"), TIMES: gettext_lazy("times"), BY: gettext_lazy("divided by")}
NUMBERS = frozenset({"number", "integer"})
MOST_DIFFERENCES = 30
REACH = 3
MOST_MEASURES = 4
# Numbers that are not money, although they stand on an object with a currency.
_NO_MONEY = re.compile(r"quantity|probability|percent|rate|discount|number|count|score|days|hours|year|sort|line", re.I)
Part = FieldPath | float
Choices = list[tuple[str, list[tuple[str, str, str]]]]


@dataclass(frozen=True)
class Over:
    """What is measured: one field, or two parts with a sign between them; the first part is a field."""

    left: FieldPath
    sign: str = ""
    right: Part | None = None

    @property
    def text(self) -> str:
        """As an address writes it."""
        if self.right is None:
            return self.left.path
        return f"{self.left.path}{self.sign}{_part_text(self.right)}"

    @property
    def label(self) -> str:
        if self.right is None:
            return self.left.label
        right = self.right.label if isinstance(self.right, FieldPath) else f"{self.right:g}"
        said = {
            BETWEEN: _("%(left)s minus %(right)s"),
            TIMES: _("%(left)s times %(right)s"),
            BY: _("%(left)s divided by %(right)s"),
        }
        return said[self.sign] % {"left": self.left.label, "right": right}

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        return (self.left, *((self.right,) if isinstance(self.right, FieldPath) else ()))

    def formula(self, unit: str) -> Formula | None:
        if self.right is None:
            return None
        right = self.right.path if isinstance(self.right, FieldPath) else self.right
        if self.sign == BETWEEN:
            return Difference(self.left.path, str(right), unit)
        return Product(self.left.path, right) if self.sign == TIMES else Quotient(self.left.path, right)


@dataclass(frozen=True)
class MeasureChoice:
    """One measure of a report: a function, what it is over, its unit of time, the only records it takes."""

    place: int
    fn: str
    over: Over | None = None
    unit: str = "days"
    term: Term | None = None

    @property
    def alias(self) -> str:
        return numbered("value", self.place)

    @property
    def measure(self) -> Measure:
        where = self.term.condition() if self.term else None
        formula = self.over.formula(self.unit) if self.over else None
        field = self.over.left.path if self.over and formula is None else None
        return Measure(self.fn, field, self.alias, formula, where)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        found = [("m", self.fn)]
        if self.over:
            found.append(("mf", self.over.text))
            if self.over.sign == BETWEEN and self.unit != "days":
                found.append(("u", self.unit))
        if self.term:
            (_c, path), (_o, op), (_v, value) = self.term.pairs()
            found += [("mc", path), ("mo", op), *([("mv", value)] if value else [])]
        return [(numbered(name, self.place), value) for name, value in found]

    @property
    def timed(self) -> bool:
        return self.over is not None and self.over.sign == BETWEEN

    @property
    def result_type(self) -> str:
        """The type of the number, or value, that comes out."""
        if self.fn in {"count", "count_distinct"}:
            return "integer"
        if self.fn in {"share", "avg", "sum"} or self.over is None or self.over.sign:
            return "number"
        return self.over.left.field.type

    def words(self, item: ObjectDef) -> str:
        """A heading: "Average of Closed minus Created, days", "Number of Cases, where Status is Closed"."""
        said = str(FUNCTIONS[self.fn])
        said = said[:1].upper() + said[1:]
        what = self.over.label if self.over else item.plural
        if self.fn == "count" and self.over:
            said, what = _("Number of %(plural)s with") % {"plural": item.plural}, what
        unit = f", {UNITS[self.unit]}" if self.timed and self.fn not in {"count", "count_distinct"} else ""
        if self.term is None:
            return f"{said} {what}{unit}"
        return f"{said} {what}{unit}, {_('where')} {self.term.path.label} {self.term.words()}"

    def money(self) -> str:
        """The path to the currency of what is measured, where its object has one (P-50); "" otherwise."""
        if self.over is None or self.fn in {"count", "count_distinct", "share"} or self.timed:
            return ""
        for path in self.over.paths:
            if path.owner.has(CURRENCY) and _is_amount(path):
                prefix = path.path.rpartition(".")[0]
                return f"{prefix}.{CURRENCY}" if prefix else CURRENCY
        return ""


CURRENCY = "CurrencyIsoCode"


def _is_amount(path: FieldPath) -> bool:
    return path.field.type == "number" and not _NO_MONEY.search(path.field.name)


def numbered(name: str, place: int) -> str:
    """The parameter of the first, second, … of its kind: ``m``, ``m2``, ``m3``."""
    return name if place == 1 else f"{name}{place}"


def read_over(registry: Registry, item: ObjectDef, text: str, fn: str) -> Over:
    """What ``mf`` names, checked to fit the function. QueryError with a remedy otherwise."""
    sign = next((sign for sign in SIGNS if sign in text), "")
    left_text, _sign, right_text = text.partition(sign) if sign else (text, "", "")
    left = field_path(registry, item, left_text.strip())
    if not sign:
        _check_field(left, fn)
        return Over(left)
    right = _read_part(registry, item, right_text.strip())
    _check_parts(left, sign, right)
    if fn == "count_distinct":
        raise QueryError(INVALID_FIELD, _("Different values are counted of one field, not of two."), text)
    return Over(left, sign, right)


def _read_part(registry: Registry, item: ObjectDef, text: str) -> Part:
    if not text:
        raise QueryError(INVALID_VALUE, _("Choose the second field too, or type a number."), text)
    if not re.match(r"[-+.\d]", text):
        return field_path(registry, item, text)
    return read_number(text)


def read_number(text: str) -> float:
    """A number as people type it. QueryError where it is none."""
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or abs(number) >= 2**53:
        message = _("“%(text)s” is not a number. Write one, such as 25 or 99.50.") % {"text": text[:40]}
        raise QueryError(INVALID_VALUE, message, text)
    return int(number) if number == int(number) else number


def _check_field(path: FieldPath, fn: str) -> None:
    if fn in {"avg", "sum"} and path.field.type not in NUMBERS:
        message = _("%(field)s holds no numbers. Choose a number, or the time between two dates.")
        raise QueryError(INVALID_FIELD, message % {"field": path.label}, path.path)
    if fn in {"count_distinct", "min", "max"} and not path.filterable:
        message = _("%(field)s is a long text; its values cannot be compared.")
        raise QueryError(INVALID_FIELD, message % {"field": path.label}, path.path)


def _check_parts(left: FieldPath, sign: str, right: Part) -> None:
    parts = [part for part in (left, right) if isinstance(part, FieldPath)]
    if sign == BETWEEN:
        wrong = next((part for part in parts if not part.dated), None)
        if wrong is not None or len(parts) < 2:
            field = wrong.label if wrong else _part_text(right)
            raise QueryError(INVALID_FIELD, _("%(field)s is not a date.") % {"field": field}, left.path)
    elif wrong := next((part for part in parts if part.field.type not in NUMBERS), None):
        raise QueryError(INVALID_FIELD, _("%(field)s holds no numbers.") % {"field": wrong.label}, wrong.path)
    if sign == BY and right == 0:
        raise QueryError(INVALID_VALUE, _("Nothing can be divided by 0."), left.path)


def _part_text(part: Part | None) -> str:
    return part.path if isinstance(part, FieldPath) else f"{part!r}"


def default_over(registry: Registry, item: ObjectDef, fn: str) -> Over | None:
    """What is measured where a function was chosen and nothing else: the first that fits."""
    if fn in {"count", "share"}:
        return None
    for _head, listed in choices(registry, item, fn):
        for value, _words, _kind in listed:
            return read_over(registry, item, value, fn)
    message = _("%(plural)s have nothing to measure this way.") % {"plural": item.plural}
    raise QueryError(INVALID_FIELD, message)


def choices(registry: Registry, item: ObjectDef, fn: str = "") -> Choices:
    """(heading, [(value, words, type)]): what can be measured; with ``fn`` only what that function takes."""
    found: Choices = []
    if fn != "count_distinct":
        found.append((_("Time between two dates"), differences(registry, item)))
        numbers = [_option(p) for p in within_reach(registry, item) if p.field.type in NUMBERS]
        found.append((_("Numbers"), numbers))
    if fn not in {"avg", "sum"}:
        rest = [p for p in within_reach(registry, item) if p.field.type not in NUMBERS]
        dated = [_option(p) for p in rest if p.dated]
        other = [_option(p) for p in rest if not p.dated]
        found += [(_("Dates"), dated), (_("Other fields"), other)]
    return [(head, options) for head, options in found if options]


def _option(path: FieldPath) -> tuple[str, str, str]:
    return path.path, path.label, path.field.type


def within_reach(registry: Registry, item: ObjectDef) -> list[FieldPath]:
    """Every field within three lookups that can be grouped, compared and measured, own fields first."""
    found = paths_from(registry, item, REACH)
    return [p for p in found if p.filterable and not (p.steps and p.field.type == "id")]


def differences(registry: Registry, item: ObjectDef) -> list[tuple[str, str, str]]:
    """One date minus another: two of the record itself, or one of a record it looks up and one of its own."""
    near = [p for p in paths_from(registry, item, 1) if p.dated]
    pairs = [(end, start) for end, start in permutations(near, 2) if not (end.steps and start.steps)]
    # What people ask for first: how long it took from the first date of the record to a later one.
    pairs.sort(key=lambda pair: (bool(pair[0].steps or pair[1].steps), early(pair[0].field), not early(pair[1].field)))
    found = [Over(end, BETWEEN, start) for end, start in pairs[:MOST_DIFFERENCES]]
    return [(over.text, over.label, "difference") for over in found]


def early(field: FieldDef) -> bool:
    """Whether a date is where things begin."""
    return field.name in {"CreatedDate", "EffectiveDate", "StartDate", "ValidFrom", "StartDateTime"}
