"""The 27 objects of the published benchmark, and registries made from its schema files.

A published schema names objects and fields and describes the fields in words. The
rest is known here: types, lookups, key prefixes, labels. Unknown objects and fields
get what their names and descriptions tell. Layouts stand in layouts.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.layouts import lay_out
from study.sandbox.engine.published_fields import CHILDREN, FIELDS
from study.sandbox.engine.published_layouts import LAYOUTS
from study.sandbox.engine.registry import FieldDef, FieldType, ObjectDef, Registry

KEY_PREFIXES = {
    "User": "005", "Account": "001", "Contact": "003", "Case": "500", "Knowledge__kav": "ka0",
    "ProductCategory": "0ZG", "Product2": "01t", "ProductCategoryProduct": "0ZR", "Pricebook2": "01s",
    "PricebookEntry": "01u", "Order": "801", "OrderItem": "802", "EmailMessage": "02s",
    "LiveChatTranscript": "570", "Issue__c": "a03", "CaseHistory__c": "a04", "Opportunity": "006",
    "OpportunityLineItem": "00k", "Quote": "0Q0", "QuoteLineItem": "0QL", "Contract": "800",
    "VoiceCallTranscript__c": "a05", "Task": "00T", "Event": "00U", "Territory2": "0MI",
    "UserTerritory2Association": "0MA", "Lead": "00Q",
}  # fmt: skip
"""Key prefixes of the 27 objects. Those of custom objects differ from one Org to the next."""

SERVICE_OBJECTS = (
    "User", "Account", "Contact", "Case", "Knowledge__kav", "ProductCategory", "Product2", "ProductCategoryProduct",
    "Pricebook2", "PricebookEntry", "Order", "OrderItem", "EmailMessage", "LiveChatTranscript", "Issue__c",
    "CaseHistory__c",
)  # fmt: skip
"""The 16 objects of the first published Org."""

_UNSETTLED = {"ProductCategory", "ProductCategoryProduct", "UserTerritory2Association", "Territory2"}

# Lookups whose target is not told by the description, or told by halves. Empty: outside the Org.
_TARGETS: dict[str, tuple[str, ...]] = {
    "AccountId": ("Account",), "ContactId": ("Contact",), "OwnerId": ("User",), "CaseId": ("Case",),
    "CaseId__c": ("Case",), "IssueId__c": ("Issue__c",), "OrderItemId__c": ("OrderItem",), "OrderId": ("Order",),
    "Product2Id": ("Product2",), "ProductId": ("Product2",), "ProductCategoryId": ("ProductCategory",),
    "Pricebook2Id": ("Pricebook2",), "PricebookEntryId": ("PricebookEntry",), "PriceBookEntryId": ("PricebookEntry",),
    "OpportunityId": ("Opportunity",), "OpportunityId__c": ("Opportunity",), "QuoteId": ("Quote",),
    "OpportunityLineItemId": ("OpportunityLineItem",), "ContractID__c": ("Contract",), "LeadId__c": ("Lead",),
    "ContractId": ("Contract",),
    "UserId": ("User",), "Territory2Id": ("Territory2",), "ConvertedAccountId": ("Account",),
    "ConvertedContactId": ("Contact",), "ParentId": ("Case",), "RelatedToId": ("Case", "Opportunity"),
    "WhatId": ("Opportunity",), "OldValue__c": ("User",), "NewValue__c": ("User",),
    "RecordTypeId": (), "CatalogId": (), "ProfileId": (), "LiveChatVisitorId": (),
}  # fmt: skip

_TYPES: dict[FieldType, frozenset[str]] = {
    "text": frozenset({
        "Description", "Description__c", "IssueDescription__c", "Summary", "FAQ_Answer__c", "TextBody", "Body",
        "Body__c", "TranscriptBody__c",
    }),
    "datetime": frozenset({
        "CreatedDate", "ClosedDate", "MessageDate", "EndTime", "EndTime__c", "ValidFrom", "ValidTo",
        "ExpirationDate", "ActivityDate", "StartDateTime", "LastModifiedDate",
    }),
    "date": frozenset({
        "EffectiveDate", "CloseDate", "ConvertedDate", "StartDate", "CustomerSignedDate", "CompanySignedDate",
    }),
    "boolean": frozenset({
        "IsActive", "IsConverted", "IsAllDayEvent",
    }),
    "number": frozenset({
        "UnitPrice", "Quantity", "TotalPrice", "Discount", "Amount", "Probability",
    }),
    "integer": frozenset({
        "NumberOfEmployees", "DurationInMinutes", "ContractTerm",
    }),
    "picklist": frozenset({
        "Status", "Priority", "StageName", "Industry", "Field__c", "PublishStatus", "Language", "Origin", "Type",
    }),
}  # fmt: skip
_TYPE_OF: dict[str, FieldType] = {name: kind for kind, names in _TYPES.items() for name in names}
_EXCEPTIONS: dict[tuple[str, str], FieldType] = {("Territory2", "Description"): "string"}

# Picklists in the order people meet them; values found in data but not here come after, in alphabetical order.
PICKLISTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("Case", "Status"): ("New", "Working", "Waiting on Customer", "Escalated", "Closed"),
    ("Case", "Priority"): ("Low", "Medium", "High", "Critical"),
    ("Order", "Status"): ("Draft", "Activated"),
    ("CaseHistory__c", "Field__c"): ("Case Creation", "Owner Assignment", "Case Closed"),
    ("Knowledge__kav", "PublishStatus"): ("Draft", "Online", "Archived"),
    ("Opportunity", "StageName"): ("Qualification", "Discovery", "Quote", "Negotiation", "Closed"),
    ("Quote", "Status"): (
        "Draft", "Needs Review", "In Review", "Approved", "Rejected", "Presented", "Accepted", "Denied",
    ),
    ("Contract", "Status"): (
        "Draft", "Negotiating", "In approval Process", "Awaiting Signature", "Signature Declined", "Signed",
        "Activated", "Rejected", "Canceled", "Contract Terminated",
    ),
    ("Task", "Status"): ("Not Started", "In Progress", "Waiting", "Deferred", "Completed"),
    ("Task", "Priority"): ("Low", "Medium", "High", "Urgent"),
    ("Lead", "Status"): ("New", "Contacted", "Qualified", "Proposal", "Negotiation", "Closed"),
}  # fmt: skip

_LABELS = {
    "Id": "Id", "AccountId": "Account", "ContactId": "Contact", "OwnerId": "Owner", "CaseId": "Case",
    "CaseId__c": "Case", "IssueId__c": "Issue", "OrderItemId__c": "Order product", "OrderId": "Order",
    "Product2Id": "Product", "ProductId": "Product", "ProductCategoryId": "Category", "CatalogId": "Catalog",
    "Pricebook2Id": "Price book", "PricebookEntryId": "Price book entry", "PriceBookEntryId": "Price book entry",
    "OpportunityId": "Opportunity", "OpportunityId__c": "Opportunity", "QuoteId": "Quote",
    "OpportunityLineItemId": "Opportunity product", "ContractID__c": "Contract", "LeadId__c": "Lead",
    "ContractId": "Contract",
    "UserId": "User", "Territory2Id": "Territory", "ConvertedAccountId": "Converted account",
    "ConvertedContactId": "Converted contact", "ParentId": "Case", "RelatedToId": "Related to", "WhatId": "Related to",
    "RecordTypeId": "Record type", "ProfileId": "Profile", "LiveChatVisitorId": "Chat visitor",
    "CreatedDate": "Created", "ClosedDate": "Closed", "MessageDate": "Sent", "EndTime": "Ended",
    "EndTime__c": "Ended", "EffectiveDate": "Start date", "ValidFrom": "Valid from", "ValidTo": "Valid to",
    "ActivityDate": "Due", "StartDateTime": "Start", "ExpirationDate": "Expires", "CloseDate": "Close date",
    "ConvertedDate": "Converted on", "StartDate": "Start date", "CustomerSignedDate": "Customer signed",
    "CompanySignedDate": "Company signed", "ContractTerm": "Term (months)", "StageName": "Stage",
    "FAQ_Answer__c": "Answer", "UrlName": "URL name", "TextBody": "Text", "FromAddress": "From", "ToIds": "To",
    "ToAddress": "To address", "Body": "Transcript", "Body__c": "Transcript", "TranscriptBody__c": "Transcript",
    "Field__c": "Change", "OldValue__c": "Old value", "NewValue__c": "New value", "PersonEmail": "Email",
    "ShippingCity": "City", "ShippingState": "State", "NumberOfEmployees": "Employees",
    "DurationInMinutes": "Duration (minutes)", "IsAllDayEvent": "All-day event", "IsActive": "Active",
    "IsConverted": "Converted", "External_ID__c": "External Id", "UnitPrice": "Unit price",
    "TotalPrice": "Total price", "IssueDescription__c": "Description", "Description__c": "Description",
    "Username": "User name", "EmailEncodingKey": "Email encoding", "LanguageLocaleKey": "Language",
    "LocaleSidKey": "Locale", "TimeZoneSidKey": "Time zone", "PublishStatus": "Publication status",
}  # fmt: skip


def label_from_name(name: str) -> str:
    """``OwnerId__c`` -> Owner, ``FirstName`` -> First name."""
    bare = re.sub(r"(?<=.)(?:Id|ID)?(?:__c|__kav)?$", "", name, count=1)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", bare.replace("_", " ")).split()
    return " ".join([words[0], *(word if word.isupper() else word.lower() for word in words[1:])]) if words else name


def field_from_description(object_name: str, name: str, description: str, objects: Iterable[str]) -> FieldDef:
    """A field as far as its name and published description tell it."""
    label = _LABELS.get(name, label_from_name(name))
    if name == "Id":
        return FieldDef("Id", "id", label, help=description)
    known = set(objects)
    named = re.search(r"References (\w+)(?: and (\w+))? objects?", description)
    if name in _TARGETS or named or re.search(r"[a-z](?:Id|ID)(?:__c)?$", name):
        targets = _TARGETS.get(name) or tuple(part for part in (named.groups() if named else ()) if part)
        inside = tuple(target for target in targets if target in known)
        children = CHILDREN.get((object_name, name), "")
        return FieldDef(name, "reference", label, help=description, targets=inside, children=children)
    kind = _EXCEPTIONS.get((object_name, name)) or _TYPE_OF.get(name) or _kind(name, description)
    values = _listed(description) if kind == "picklist" else ()
    return FieldDef(name, kind, label, help=description, values=PICKLISTS.get((object_name, name)) or values)


def _kind(name: str, description: str) -> FieldType:
    if "DDTHH:MM:SSZ" in description:
        return "datetime"
    if "YYYY-MM-DD" in description:
        return "date"
    if description.startswith("Boolean"):
        return "boolean"
    if "One of [" in description:
        return "picklist"
    if re.search(r"(?:Body|Description|Notes|Comments?)(?:__c)?$", name):
        return "text"
    return "string"


def _listed(description: str) -> tuple[str, ...]:
    found = re.search(r"One of \[(.*?)\]", description)
    return tuple(re.findall(r"'([^']*)'", found.group(1))) if found else ()


def bare_object(name: str, fields: Mapping[str, str], objects: Iterable[str]) -> ObjectDef:
    """An object of a published schema without layout: its fields in the order of the schema, Id first.

    People get a Name made of their first and last name where the schema has none.
    """
    names = ["Id", *(field for field in fields if field != "Id")]
    objects = tuple(objects)
    made = [field_from_description(name, field, fields.get(field, ""), objects) for field in names]
    if "Name" not in fields and {"FirstName", "LastName"} <= set(fields):
        joined = FieldDef("Name", "string", "Name", help="First and last name", joined=("FirstName", "LastName"))
        made.insert(1, joined)
    return ObjectDef(name, name, name, KEY_PREFIXES.get(name, ""), tuple(made), name_field="Id")


def registry_from_schema(schema: Sequence[Mapping[str, Any]], *, zone: str = "UTC", company: str = "") -> Registry:
    """The registry of a published schema: a list of ``{"object": name, "fields": {name: description}}``.

    Fields whose description is null are padding and left out. SnapshotError for another form.
    """
    entries: dict[str, dict[str, str]] = {}
    try:
        for entry in schema:
            described = {str(k): str(v) for k, v in dict(entry["fields"]).items() if v is not None}
            if entry["object"] in entries:
                raise SnapshotError(f"The schema names {entry['object']} twice.")
            entries[str(entry["object"])] = described
    except (TypeError, KeyError, ValueError) as error:
        raise SnapshotError("A schema is a list of objects, each with its name and its fields.") from error
    bare = {name: bare_object(name, fields, entries) for name, fields in entries.items()}
    objects = tuple(lay_out(item, bare, LAYOUTS.get(name), label_from_name(name)) for name, item in bare.items())
    registry = Registry(objects, zone=zone, company=company)
    registry.check()
    return registry


def is_known_field(object_name: str, name: str) -> bool:
    """Whether a published object's field of this name has a settled meaning."""
    return object_name in FIELDS and any(
        name in names for names in (FIELDS[object_name], _TARGETS, _TYPE_OF, _LABELS, ("Name",))
    )


def prefix_is_settled(object_name: str) -> bool:
    """Whether an object's key prefix is the same in every Org."""
    return object_name in KEY_PREFIXES and "__" not in object_name and object_name not in _UNSETTLED


def published_registry(objects: Sequence[str] = SERVICE_OBJECTS, *, zone: str = "UTC", company: str = "") -> Registry:
    """A registry of published objects with all the fields we know of, for Orgs of our own."""
    schema = [{"object": name, "fields": dict.fromkeys(FIELDS[name], "")} for name in objects]
    return registry_from_schema(schema, zone=zone, company=company)
