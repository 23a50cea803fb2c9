"""The objects of the service world: the published fields and what any used CRM has beside them."""

from __future__ import annotations

from dataclasses import replace

from study.generator.world.material import company
from study.sandbox.engine.published import SERVICE_OBJECTS, registry_from_schema
from study.sandbox.engine.published_fields import FIELDS
from study.sandbox.engine.registry import ObjectDef, Registry

LEFT_OUT = {"Account": {"Industry", "Description", "NumberOfEmployees"}}
MORE: dict[str, tuple[str, ...]] = {
    "User": ("Title", "Department", "IsActive"),
    "Account": ("CreatedDate",),
    "Contact": ("Phone",),
    "Case": ("CaseNumber", "Origin"),
    "Order": ("OrderNumber", "TotalAmount"),
    "EmailMessage": ("ToAddress",),
    "Knowledge__kav": ("PublishStatus", "Language", "LastModifiedDate"),
}
COLUMNS = {
    "Case": (
        "CaseNumber",
        "Subject",
        "Status",
        "Priority",
        "AccountId",
        "IssueId__c",
        "OwnerId",
        "CreatedDate",
        "ClosedDate",
    ),
    "Order": ("OrderNumber", "AccountId", "Status", "EffectiveDate", "TotalAmount", "OwnerId"),
    "User": ("Name", "Title", "Email", "Phone", "IsActive"),
    "Contact": ("Name", "AccountId", "Email", "Phone", "Account.ShippingState"),
}
SECTIONS = {"Order": ("OrderNumber",), "Case": (), "User": ("Title", "Department", "IsActive")}
PICKLISTS = {
    ("Case", "Origin"): ("Email", "Chat", "Web", "Phone"),
    ("Case", "Priority"): ("Low", "Medium", "High"),
    ("Knowledge__kav", "Language"): ("en_US",),
}


def service_registry() -> Registry:
    schema = []
    for name in SERVICE_OBJECTS:
        kept = [field for field in FIELDS[name] if field not in LEFT_OUT.get(name, ())]
        schema.append({"object": name, "fields": dict.fromkeys((*kept, *MORE.get(name, ())), "")})
    registry = registry_from_schema(schema, zone="UTC", company=company()[0])
    return replace(registry, objects=tuple(_dressed(item) for item in registry.objects))


def _dressed(item: ObjectDef) -> ObjectDef:
    """Our own columns, running numbers at the top of the page, money as a number, picklists in order."""
    fields = tuple(
        replace(field, type="number")
        if field.name == "TotalAmount"
        else replace(field, values=PICKLISTS[item.name, field.name])
        if (item.name, field.name) in PICKLISTS
        else field
        for field in item.fields
    )
    sections, first = list(item.sections), SECTIONS.get(item.name, ())
    if first:
        rest = [replace(s, fields=tuple(f for f in s.fields if f not in first)) for s in sections]
        head = replace(rest[0], fields=(*first, *rest[0].fields))
        sections = [s for s in (head, *rest[1:]) if s.fields]
    return replace(item, fields=fields, columns=COLUMNS.get(item.name, item.columns), sections=tuple(sections))
