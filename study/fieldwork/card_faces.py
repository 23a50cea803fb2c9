"""What a card shows of a record: its name, its facts, its fields in the Org's own layout, and what stands beside it.

Plain texts, kept as they are shown: a card leads nowhere, needs no desk, and never changes with the Org's software.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from study.sandbox.engine.registry import FieldDef, ObjectDef, Section
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.gui.naming import names_of
from study.sandbox.sheets import related, shown

Face = dict[str, Any]
"""{"object", "label", "name", "facts": [[label, value]], "sections": [[title, [[label, value, wide]]]],
"beside": [[label, name, [[label, value]]]], "lines": [[title, [column], [[value]]]]}"""
Names = Mapping[str, tuple[str, str]]
BESIDE = ("AccountId", "ContactId")
# Lines, and the lookup to what they are lines of.
LINES = {"OrderItem": "OrderId", "OpportunityLineItem": "OpportunityId", "QuoteLineItem": "QuoteId"}
MOST_FACTS = 5
WIDE = 60


def face(snapshot: Snapshot, item: ObjectDef, record: Mapping[str, Any]) -> Face:
    """A record as a card shows it; ``record`` may be an altered copy of one of the Org."""
    names = _names(snapshot, item, record)
    return {
        "object": item.name,
        "label": item.label,
        "name": _name(item, record),
        "facts": _facts(item, record, names),
        "sections": [[title, fields] for title, fields in _sections(item, record, names) if fields],
        "beside": [one for name in BESIDE if (one := _beside(snapshot, item, record, name))],
        "lines": _lines(snapshot, item, str(record.get("Id") or "")),
    }


def _names(snapshot: Snapshot, item: ObjectDef, record: Mapping[str, Any]) -> Names:
    wanted = [record.get(one.name) for one in item.fields if one.type == "reference"]
    return {key: ("", name) for key, name in names_of(snapshot, wanted).items()}


def _name(item: ObjectDef, record: Mapping[str, Any]) -> str:
    """Its own name; a kind of record that is known by its Id has none here."""
    kind = item.field(item.name_field).type
    return str(record.get(item.name_field) or "") if kind not in ("id", "reference") else ""


def _facts(item: ObjectDef, record: Mapping[str, Any], names: Names) -> list[list[str]]:
    wanted = [name for name in item.highlights if item.has(name)]
    wanted = wanted or [
        one.name for one in item.fields if one.type not in ("id", "text") and one.name != item.name_field
    ]
    fields = [item.field(name) for name in wanted[:MOST_FACTS]]
    return [[one.label, shown(one, record.get(one.name), names)] for one in fields]


def _sections(item: ObjectDef, record: Mapping[str, Any], names: Names) -> list[tuple[str, list[list[Any]]]]:
    """Titled blocks as on the record's page; fields that no section names come last."""
    named = {name for section in item.sections for name in section.fields}
    rest = tuple(one.name for one in item.fields if one.name not in named)
    blocks = [*item.sections, *([Section(_("More") if item.sections else _("Details"), rest)] if rest else [])]
    return [
        (block.title, [_field(item.field(name), record, names) for name in block.fields if _is_shown(item, name)])
        for block in blocks
    ]


def _is_shown(item: ObjectDef, name: str) -> bool:
    return item.has(name) and item.field(name).type != "id"


def _field(one: FieldDef, record: Mapping[str, Any], names: Names) -> list[Any]:
    value = shown(one, record.get(one.name), names)
    return [one.label, value, one.type == "text" or len(value) > WIDE]


def _beside(snapshot: Snapshot, item: ObjectDef, record: Mapping[str, Any], name: str) -> list[Any] | None:
    """The account and the person a record names, with their first facts: who belongs to whom can be seen."""
    value = str(record.get(name) or "")
    target = snapshot.registry.object_for_id(value) if item.has(name) and value else None
    parent = snapshot.record(target.name, value) if target else None
    if target is None or parent is None:
        return None
    facts = [pair for pair in _facts(target, parent, _names(snapshot, target, parent)) if pair[1]]
    return [item.field(name).label, _name(target, parent), facts]


def _lines(snapshot: Snapshot, item: ObjectDef, record_id: str) -> list[list[Any]]:
    found = []
    for child, one in snapshot.registry.references_to(item.name):
        if LINES.get(child.name) == one.name and (table := related(snapshot, child, one.name, record_id)) is not None:
            found.append([table.title, list(table.columns), [list(row) for row in table.rows]])
    return found
