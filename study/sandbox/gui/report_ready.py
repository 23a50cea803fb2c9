"""Reports that come ready-made with every Org: what its objects offer, read off their fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.gui.criteria import Pairs
from study.sandbox.gui.fieldpaths import FieldPath
from study.sandbox.gui.measuring import TIMES, Over, early

MOST = 5
_ENDS = ("ClosedDate", "CompletedDateTime", "EndDateTime", "CloseDate", "EndTime", "EndDate")
_STATUS = ("Status", "StageName")
_SUMS = frozenset({"Amount", "AnnualRevenue", "ExpectedRevenue", "GrandTotal", "Price"})
_MANY = frozenset({"Account", "Contact", "User", "Case", "Order", "Opportunity", "Lead", "Quote"})


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
    kind, about = _kind(item), _about(registry, item)
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
    over = _amount(item)
    if over and (by := kind or about or owner):
        words = _("%(amount)s by %(field)s") % {"amount": over.label, "field": _lower(by)}
        found.append((words, [("m", "sum"), ("mf", over.text), ("g", by.name)]))
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


def _kind(item: ObjectDef) -> FieldDef | None:
    """The picklist people sort such records by: their status or stage, else the first."""
    listed = [f for f in item.fields if f.type == "picklist"]
    return next((f for f in listed if f.name in _STATUS), listed[0] if listed else None)


def _about(registry: Registry, item: ObjectDef) -> FieldDef | None:
    """What such records are about: an issue, a product; a customer only where there is nothing else."""
    lookups = [f for f in item.fields if f.type == "reference" and f.name != "OwnerId"]
    known = [f for f in lookups if any(registry.has(name) for name in f.targets)]
    return next((f for f in known if not _MANY.intersection(f.targets)), known[0] if known else None)


def _amount(item: ObjectDef) -> Over | None:
    """Money that may be added up: an amount, or price times quantity."""
    paths = {f.name: FieldPath(f.name, f, item) for f in item.fields if f.type == "number"}
    if "Quantity" in paths and "UnitPrice" in paths:
        return Over(paths["Quantity"], TIMES, paths["UnitPrice"])
    sums = (path for name, path in paths.items() if name in _SUMS or name.startswith("Total"))
    return next((Over(path) for path in sums), None)


def _lower(field: FieldDef) -> str:
    """A label inside a sentence: capitals only where the whole is one, as in "SLA"."""
    return field.label if field.label.isupper() else field.label[:1].lower() + field.label[1:]
