"""Reports that come ready-made with every Org: what its objects offer, read off their fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from study.sandbox.criteria import Pairs
from study.sandbox.fieldpaths import FieldPath
from study.sandbox.measuring import MeasureChoice, Over, early
from study.sandbox.registry import FieldDef, ObjectDef, Registry

MOST = 5
_ENDS = ("ClosedDate", "CompletedDateTime", "EndDateTime", "CloseDate", "EndTime", "EndDate")


@dataclass(frozen=True)
class Ready:
    """A report under a name, with the query string of its address."""

    name: str
    query: str


@lru_cache(maxsize=256)
def ready_made(registry: Registry, item: ObjectDef) -> tuple[Ready, ...]:
    """By month, by owner with the time it took, by kind, by what it is about, amounts."""
    found: list[tuple[str, Pairs]] = []
    start, end = _start(item), _end(item)
    owner = next((f for f in item.fields if f.name == "OwnerId"), None)
    kind = next((f for f in item.fields if f.type == "picklist"), None)
    about = next((f for f in item.fields if f.type == "reference" and f is not owner and _known(registry, f)), None)
    said = {"plural": item.plural}
    if start:
        found.append((_("%(plural)s by month") % said, [("g", start.name)]))
    if owner:
        found.append(_by_owner(item, owner, start, end))
    if kind:
        found.append((_("%(plural)s by %(field)s") % (said | {"field": _lower(kind)}), [("g", kind.name)]))
    if kind and start:
        words = _("%(plural)s by %(field)s and quarter") % (said | {"field": _lower(kind)})
        found.append((words, [("g", kind.name), ("x", start.name), ("xby", "quarter")]))
    amount = next((f for f in item.fields if _money(item, f)), None)
    if amount and (by := kind or owner or about):
        words = _("%(amount)s by %(field)s") % {"amount": amount.label, "field": _lower(by)}
        found.append((words, [("m", "sum"), ("mf", amount.name), ("g", by.name)]))
    elif about:
        found.append((_("%(plural)s by %(field)s") % (said | {"field": _lower(about)}), [("g", about.name)]))
    return tuple(Ready(name, urlencode(pairs, safe="*/:")) for name, pairs in found[:MOST])


def _by_owner(item: ObjectDef, owner: FieldDef, start: FieldDef | None, end: FieldDef | None) -> tuple[str, Pairs]:
    said = {"plural": item.plural, "field": _lower(owner)}
    if start is None or end is None:
        return _("%(plural)s by %(field)s") % said, [("g", owner.name)]
    words = _("%(plural)s by %(field)s, days from %(start)s to %(end)s")
    pairs = [("m", "avg"), ("mf", f"{end.name}~{start.name}"), ("g", owner.name)]
    return words % (said | {"start": _lower(start), "end": _lower(end)}), pairs


def _start(item: ObjectDef) -> FieldDef | None:
    dated = [f for f in item.fields if f.type in {"date", "datetime"}]
    return next((f for f in dated if early(f)), dated[0] if dated else None)


def _end(item: ObjectDef) -> FieldDef | None:
    return next((item.field(name) for name in _ENDS if item.has(name) and item.field(name) is not _start(item)), None)


def _known(registry: Registry, field: FieldDef) -> bool:
    return any(registry.has(name) for name in field.targets)


def _money(item: ObjectDef, field: FieldDef) -> bool:
    return field.type == "number" and MeasureChoice(1, "sum", Over(FieldPath(field.name, field, item))).amount


def _lower(field: FieldDef) -> str:
    """A label inside a sentence: capitals only where the whole is one, as in "SLA"."""
    return field.label if field.label.isupper() else field.label[:1].lower() + field.label[1:]
