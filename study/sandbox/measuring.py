"""What a report can measure: numbers, and the time between two dates of a record."""

from __future__ import annotations

from itertools import permutations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.sandbox.fieldpaths import FieldPath, field_path, paths_from
from study.sandbox.queryspec import Difference, Measure
from study.sandbox.registry import ObjectDef, Registry

FUNCTIONS = {
    "count": gettext_lazy("number of"),
    "count_distinct": gettext_lazy("number of different values of"),
    "avg": gettext_lazy("average of"),
    "sum": gettext_lazy("sum of"),
    "min": gettext_lazy("lowest of"),
    "max": gettext_lazy("highest of"),
}
UNITS = {
    "days": gettext_lazy("days"),
    "hours": gettext_lazy("hours"),
    "minutes": gettext_lazy("minutes"),
}
BETWEEN = "~"
MOST_DIFFERENCES = 30
Choices = list[tuple[str, list[tuple[str, str]]]]


def choices(registry: Registry, item: ObjectDef, fn: str = "") -> Choices:
    """(heading, [(value, words)]): what can be measured; with ``fn`` only what that function takes."""
    found: Choices = []
    if fn != "count_distinct":
        numbers = [(p.path, p.label) for p in paths_from(registry, item) if p.field.type in {"number", "integer"}]
        found = [(_("Time between two dates"), differences(registry, item)), (_("Numbers"), numbers)]
    if fn in {"", "count_distinct"}:
        distinct = [(p.path, p.label) for p in paths_from(registry, item, 1) if p.filterable and p.field.type != "id"]
        found.append((_("Different values of"), distinct))
    return [(head, options) for head, options in found if options]


def differences(registry: Registry, item: ObjectDef) -> list[tuple[str, str]]:
    """One date minus another: two of the record itself, or one of a record it looks up and one of its own."""
    near = [p for p in paths_from(registry, item, 1) if p.dated]
    pairs = [(end, start) for end, start in permutations(near, 2) if not (end.steps and start.steps)]
    # What people ask for first: how long it took from the first date of the record to a later one.
    pairs.sort(key=lambda pair: (bool(pair[0].steps or pair[1].steps), _early(pair[0]), not _early(pair[1])))
    words = _("%(end)s minus %(start)s")
    return [
        (f"{end.path}{BETWEEN}{start.path}", words % {"end": end.label, "start": start.label})
        for end, start in pairs[:MOST_DIFFERENCES]
    ]


def _early(path: FieldPath) -> bool:
    return path.field.name in {"CreatedDate", "EffectiveDate", "StartDate", "ValidFrom", "StartDateTime"}


def measure(fn: str, over: str, unit: str) -> Measure:
    """The measure of a report, under the alias ``value``."""
    end, between, start = over.partition(BETWEEN)
    if between:
        return Measure(fn, alias="value", formula=Difference(end, start, unit))
    return Measure(fn, over or None, alias="value")


def words(registry: Registry, item: ObjectDef, fn: str, over: str, unit: str) -> str:
    """A heading for the measure: "Average of Closed minus Created, days"."""
    said = str(FUNCTIONS[fn])
    said = said[:1].upper() + said[1:]
    if fn == "count":
        return f"{said} {item.plural}"
    end, between, start = over.partition(BETWEEN)
    if not between:
        return f"{said} {field_path(registry, item, over).label}"
    pair = {"end": field_path(registry, item, end).label, "start": field_path(registry, item, start).label}
    return f"{said} {_('%(end)s minus %(start)s') % pair}, {UNITS[unit]}"
