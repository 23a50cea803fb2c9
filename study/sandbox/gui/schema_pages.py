"""The schema as people who write queries read it: an object's fields, where they lead, and who looks up to it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.gui.rooms import Room
from study.sandbox.soql.names import step_name

_TYPES = {
    "id": _("Id"), "reference": _("lookup"), "string": _("text"), "text": _("long text"), "picklist": _("picklist"),
    "datetime": _("date and time"), "date": _("date"), "boolean": _("true or false"), "number": _("number"),
    "integer": _("whole number"),
}  # fmt: skip
FIRST_FIELDS = 6


@dataclass(frozen=True)
class FieldRow:
    """A field in the words of the schema. ``relationship`` is the step a path takes over it."""

    field: FieldDef
    type: str
    targets: tuple[ObjectDef, ...]
    relationship: str


@dataclass(frozen=True)
class ChildRow:
    """A child relationship: its name, the child and the child's lookup."""

    name: str
    child: ObjectDef
    lookup: FieldDef


class SchemaPage:
    """One object of the schema."""

    def __init__(self, room: Room, item: ObjectDef) -> None:
        self.room = room
        self.item = item

    @property
    def fields(self) -> list[FieldRow]:
        registry = self.room.registry
        return [
            FieldRow(
                field, str(_TYPES[field.type]),
                tuple(registry.object(name) for name in field.targets if registry.has(name)),
                step_name(field) if field.type == "reference" and field.targets else "",
            )
            for field in self.item.fields
        ]  # fmt: skip

    @property
    def children(self) -> list[ChildRow]:
        known = self.room.registry.child_relationships(self.item.name)
        return [ChildRow(name, child, lookup) for name, (child, lookup) in sorted(known.items())]

    @property
    def query(self) -> str:
        """A first query over the object."""
        names = [field.name for field in self.item.fields if field.type != "text"][:FIRST_FIELDS]
        return f"SELECT {', '.join(names)} FROM {self.item.name} LIMIT 20"
