"""From what a live org says about its objects to a registry. Pure: describe results in, definitions out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from study.sandbox.engine.layouts import lay_out
from study.sandbox.engine.published import KEY_PREFIXES
from study.sandbox.engine.published_layouts import LAYOUTS
from study.sandbox.engine.registry import FieldDef, FieldType, ObjectDef, Registry, is_name

Description = Mapping[str, Any]

_TYPES: dict[str, FieldType] = {
    "id": "id", "reference": "reference", "boolean": "boolean", "date": "date", "datetime": "datetime",
    "int": "integer", "long": "integer", "double": "number", "currency": "number", "percent": "number",
    "picklist": "picklist", "string": "string", "email": "string", "phone": "string", "url": "string",
    "combobox": "string", "multipicklist": "string", "encryptedstring": "string", "time": "string",
    "anyType": "string", "textarea": "text",
}  # fmt: skip
_NOT_TAKEN = {"address": "a compound field", "location": "a compound field", "base64": "binary content"}
_LONGEST_STRING = 255


@dataclass(frozen=True)
class Described:
    """The registry, the fields to ask for per object, and what was left out and why."""

    registry: Registry
    asked: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]


def choosable(overview: Description) -> list[str]:
    """Objects of a global describe that hold records people work with."""
    return [
        str(item["name"])
        for item in overview["sobjects"]
        if item.get("queryable") and not item.get("deprecatedAndHidden") and not item.get("customSetting")
        and item.get("keyPrefix") and is_name(str(item["name"]), table=True)
    ]  # fmt: skip


def usual_choice(names: Sequence[str]) -> list[str]:
    """The published objects that are there, and every custom one."""
    return [name for name in names if name in KEY_PREFIXES or name.endswith(("__c", "__kav"))]


def registry_of(descriptions: Sequence[Description], *, zone: str, company: str, fiscal_start: int = 1) -> Described:
    """The registry of described objects; lookups to objects that were not chosen lead out of it."""
    chosen = {str(item["name"]) for item in descriptions}
    children = _children(descriptions)
    bare: dict[str, ObjectDef] = {}
    notes: list[str] = []
    prefixes: set[str] = set()
    for described in descriptions:
        name, prefix = str(described["name"]), str(described.get("keyPrefix") or "")
        fields = _fields(described, chosen, children, notes)
        bare[name] = ObjectDef(name, name, name, "" if prefix in prefixes else prefix, fields, name_field="Id")
        prefixes.add(prefix)
    objects = tuple(_laid_out(bare[str(d["name"])], d, bare) for d in descriptions)
    registry = Registry(objects, zone=zone, company=company, fiscal_start=fiscal_start)
    registry.check()
    asked = {item.name: tuple(field.name for field in item.fields) for item in objects}
    return Described(registry, asked, tuple(notes))


def _children(descriptions: Sequence[Description]) -> dict[tuple[str, str], str]:
    """(child object, its lookup) -> what the parent calls the children."""
    return {
        (str(one["childSObject"]), str(one["field"])): str(one["relationshipName"])
        for described in descriptions
        for one in described.get("childRelationships") or ()
        if one.get("relationshipName") and not one.get("deprecatedAndHidden")
    }


def _fields(
    described: Description, chosen: set[str], children: Mapping[tuple[str, str], str], notes: list[str]
) -> tuple[FieldDef, ...]:
    name, found = str(described["name"]), []
    for field in described["fields"]:
        kind = str(field["type"])
        if reason := _reason_against(field):
            notes.append(f"{name}.{field['name']}: {reason}; it is not taken.")
            continue
        made = FieldDef(
            str(field["name"]),
            _type(field),
            _label(field),
            help=str(field.get("inlineHelpText") or ""),
            length=int(field["length"]) or None if kind in {"string", "textarea"} and field.get("length") else None,
            values=tuple(str(one["value"]) for one in field.get("picklistValues") or () if kind == "picklist"),
            targets=tuple(target for target in field.get("referenceTo") or () if target in chosen),
            children=children.get((name, str(field["name"])), ""),
        )
        found.append(made)
    return tuple(sorted(found, key=lambda made: made.name != "Id"))


def _reason_against(field: Description) -> str:
    kind, name = str(field["type"]), str(field["name"])
    if field.get("deprecatedAndHidden"):
        return "a deleted field"
    if kind in _NOT_TAKEN:
        return _NOT_TAKEN[kind]
    if kind not in _TYPES:
        return f"a field of type {kind}"
    return "" if is_name(name) else "a name that cannot be kept"


def _type(field: Description) -> FieldType:
    kind = _TYPES[str(field["type"])]
    if kind == "text" and 0 < int(field.get("length") or 0) <= _LONGEST_STRING:
        return "string"
    if kind == "string" and int(field.get("length") or 0) > _LONGEST_STRING and field["type"] != "multipicklist":
        return "text"
    return kind


def _label(field: Description) -> str:
    label = str(field.get("label") or field["name"])
    # "Account ID" is what the field holds; "Account" is what a person reads there.
    return re.sub(r"(?<=\S) ID$", "", label) if field["type"] == "reference" else label


def _laid_out(item: ObjectDef, described: Description, objects: Mapping[str, ObjectDef]) -> ObjectDef:
    label = str(described.get("label") or item.name)
    made = lay_out(item, objects, LAYOUTS.get(item.name), label)
    named = next((str(f["name"]) for f in described["fields"] if f.get("nameField") and item.has(str(f["name"]))), "")
    plural = str(described.get("labelPlural") or made.plural)
    return replace(made, label=label, plural=plural, name_field=named or made.name_field)
