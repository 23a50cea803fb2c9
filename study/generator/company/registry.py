"""The objects of a world: the published fields and what any used CRM has beside them."""

from __future__ import annotations

from dataclasses import replace

from study.generator.groundwork.plan import Plan
from study.sandbox.engine.published import KEY_PREFIXES, SERVICE_OBJECTS, registry_from_schema
from study.sandbox.engine.published_fields import FIELDS
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry

_PERSON = {"FirstName", "LastName", "PersonEmail", "RecordTypeId"}
_COMPANY = {"Industry", "Description", "NumberOfEmployees"}
MORE: dict[str, tuple[str, ...]] = {
    "User": ("Title", "Department", "IsActive"),
    "Account": ("CreatedDate",),
    "Contact": ("Phone",),
    "Case": ("CaseNumber", "Origin"),
    "Order": ("OrderNumber", "TotalAmount"),
    "EmailMessage": ("ToAddress",),
    "Knowledge__kav": ("PublishStatus", "Language", "LastModifiedDate"),
    "Quote": ("QuoteNumber",),
    "Contract": ("ContractNumber",),
    "Lead": ("State", "LeadSource"),
    "Task": ("CreatedDate",),
    "Event": ("CreatedDate",),
}
COLUMNS: dict[str, tuple[str, ...]] = {
    "Case": (
        "CaseNumber", "Subject", "Status", "Priority", "AccountId", "IssueId__c", "OwnerId", "CreatedDate",
        "ClosedDate",
    ),
    "Order": ("OrderNumber", "AccountId", "Status", "EffectiveDate", "TotalAmount", "OwnerId"),
    "User": ("Name", "Title", "Email", "Phone", "IsActive"),
    "Contact": ("Name", "AccountId", "Email", "Phone", "Account.ShippingState"),
    "Quote": ("QuoteNumber", "Name", "Status", "OpportunityId", "AccountId", "CreatedDate", "ExpirationDate"),
    "Contract": ("ContractNumber", "AccountId", "Status", "StartDate", "CompanySignedDate", "ContractTerm"),
    "Lead": ("Name", "Status", "State", "Email", "OwnerId", "CreatedDate", "IsConverted"),
}  # fmt: skip
_HEADS = {"Order": ("OrderNumber",), "Quote": ("QuoteNumber",), "Contract": ("ContractNumber",)}
SECTIONS: dict[str, tuple[str, ...]] = {**_HEADS, "User": ("Title", "Department", "IsActive")}
PICKLISTS = {
    ("Case", "Origin"): ("Email", "Chat", "Web", "Phone"),
    ("Case", "Priority"): ("Low", "Medium", "High"),
    ("Knowledge__kav", "Language"): ("en_US",),
    ("Lead", "LeadSource"): (
        "Web", "Phone Inquiry", "Showroom", "Trade Show", "Home Show", "Webinar", "Social Media", "Magazine",
        "Advertisement", "Referral", "Partner", "Purchased List",
    ),
}  # fmt: skip


def world_registry(plan: Plan) -> Registry:
    """Companies have a name, an industry and a size; households are people."""
    schema = []
    for name in KEY_PREFIXES if plan.sells else SERVICE_OBJECTS:
        left_out = _left_out(plan, name)
        fields = [field for field in (*FIELDS[name], *_more(plan, name)) if field not in left_out]
        schema.append({"object": name, "fields": dict.fromkeys(fields, "")})
    registry = registry_from_schema(schema, zone=plan.zone, company=plan.company)
    return replace(registry, objects=tuple(_dressed(item) for item in registry.objects))


def _left_out(plan: Plan, name: str) -> set[str]:
    if name == "Account":
        kept = {"Description"} if plan.sells else set()
        return _COMPANY - kept if plan.consumer else _PERSON
    return {"Company", "Title"} if name == "Lead" and plan.consumer else set()


def _more(plan: Plan, name: str) -> tuple[str, ...]:
    more = MORE.get(name, ())
    if name == "Account" and not plan.consumer:
        return ("Name", *more)
    if name == "Contact" and not plan.consumer:
        return (*more, "Title")
    return (*more, "ContractId") if name == "Order" and plan.sells else more


def _dressed(item: ObjectDef) -> ObjectDef:
    """Our own columns, running numbers at the top of the page, money as a number, picklists in order."""
    sections, first = list(item.sections), SECTIONS.get(item.name, ())
    if first:
        rest = [replace(s, fields=tuple(f for f in s.fields if f not in first)) for s in sections]
        head = replace(rest[0], fields=(*first, *rest[0].fields))
        sections = [s for s in (head, *rest[1:]) if s.fields]
    fields = tuple(_typed(item.name, field) for field in item.fields)
    return replace(item, fields=fields, columns=COLUMNS.get(item.name, item.columns), sections=tuple(sections))


def _typed(object_name: str, field: FieldDef) -> FieldDef:
    if field.name == "TotalAmount":
        return replace(field, type="number")
    values = PICKLISTS.get((object_name, field.name))
    return replace(field, type="picklist", values=values) if values else field
