"""List views that come with the published objects: a name and the query string of the list's address.

Written as lists write them (criteria.py): ``c o v`` a condition, ``s.`` ticked values,
``w.`` a date window, ``sort``. A view whose fields an Org lacks is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl, urlencode

Pairs = tuple[tuple[str, str], ...]
View = tuple[str, Pairs]


def _is(field: str, op: str, value: str = "") -> Pairs:
    return (("c", field), ("o", op), ("v", value))


def _ticked(field: str, *values: str) -> Pairs:
    return tuple((f"s.{field}", value) for value in values)


def _window(field: str, word: str) -> Pairs:
    return ((f"w.{field}", word),)


def _sort(path: str) -> Pairs:
    return (("sort", path),)


_OPEN = _is("Status", "ne", "Closed")
_CREATED: View = ("Created this month", (*_window("CreatedDate", "this_month"), *_sort("-CreatedDate")))
_UNDONE = _is("Status", "ne", "Completed")

VIEWS: Final[dict[str, tuple[View, ...]]] = {
    "Case": (
        ("All open cases", (*_OPEN, *_sort("-CreatedDate"))),
        ("Open, high priority", (*_OPEN, *_ticked("Priority", "High", "Critical"), *_sort("CreatedDate"))),
        ("Escalated", (*_ticked("Status", "Escalated"), *_sort("-CreatedDate"))),
        _CREATED,
        ("Closed this month", (*_window("ClosedDate", "this_month"), *_sort("-ClosedDate"))),
        ("Without a contact", (*_is("ContactId", "null"), *_sort("-CreatedDate"))),
    ),
    "Account": (
        ("By number of employees", _sort("-NumberOfEmployees")),
        ("By state", _sort("ShippingState")),
        ("Without a phone", _is("Phone", "null")),
    ),
    "Contact": (
        ("By account", _sort("AccountId")),
        ("Without an account", _is("AccountId", "null")),
    ),
    "User": (("By name", _sort("Name")),),
    "Lead": (
        ("Open leads", (*_is("IsConverted", "ne", "true"), *_sort("-CreatedDate"))),
        ("Converted leads", (*_is("IsConverted", "eq", "true"), *_sort("-ConvertedDate"))),
        ("Qualified", (*_ticked("Status", "Qualified"), *_sort("-CreatedDate"))),
        _CREATED,
    ),
    "Opportunity": (
        ("Open opportunities", (*_is("StageName", "ne", "Closed"), *_sort("CloseDate"))),
        ("Closing this month", (*_window("CloseDate", "this_month"), *_sort("CloseDate"))),
        ("Closing this quarter", (*_window("CloseDate", "this_quarter"), *_sort("CloseDate"))),
        ("Largest first", _sort("-Amount")),
        _CREATED,
    ),
    "Quote": (
        ("Waiting for approval", (*_ticked("Status", "Needs Review", "In Review"), *_sort("-CreatedDate"))),
        ("Presented", (*_ticked("Status", "Presented"), *_sort("ExpirationDate"))),
        ("Accepted", (*_ticked("Status", "Accepted"), *_sort("-CreatedDate"))),
        _CREATED,
    ),
    "QuoteLineItem": (("With a discount", (*_is("Discount", "gt", "0"), *_sort("-Discount"))),),
    "OpportunityLineItem": (("Largest first", _sort("-TotalPrice")),),
    "Contract": (
        ("Activated", (*_ticked("Status", "Activated"), *_sort("-StartDate"))),
        ("Waiting for a signature", (*_ticked("Status", "Awaiting Signature"), *_sort("-StartDate"))),
        ("Not signed by us", _is("CompanySignedDate", "null")),
    ),
    "Order": (
        ("Drafts", (*_ticked("Status", "Draft"), *_sort("-EffectiveDate"))),
        ("Activated", (*_ticked("Status", "Activated"), *_sort("-EffectiveDate"))),
        ("Starting this month", (*_window("EffectiveDate", "this_month"), *_sort("-EffectiveDate"))),
    ),
    "OrderItem": (("Highest price first", _sort("-UnitPrice")), ("By product", _sort("Product2Id"))),
    "Product2": (
        ("Active products", (*_is("IsActive", "eq", "true"), *_sort("Name"))),
        ("Inactive products", (*_is("IsActive", "eq", "false"), *_sort("Name"))),
    ),
    "ProductCategory": (("By name", _sort("Name")),),
    "ProductCategoryProduct": (("By category", _sort("ProductCategoryId")),),
    "Pricebook2": (("Active price books", (*_is("IsActive", "eq", "true"), *_sort("Name"))),),
    "PricebookEntry": (("Highest price first", _sort("-UnitPrice")), ("By product", _sort("Product2Id"))),
    "Knowledge__kav": (("By title", _sort("Title")),),
    "Issue__c": (("By name", _sort("Name")),),
    "EmailMessage": (
        ("Sent this month", (*_window("MessageDate", "this_month"), *_sort("-MessageDate"))),
        ("On cases", (*_is("ParentId", "not_null"), *_sort("-MessageDate"))),
    ),
    "LiveChatTranscript": (
        ("Ended this month", (*_window("EndTime", "this_month"), *_sort("-EndTime"))),
        ("Without a case", (*_is("CaseId", "null"), *_sort("-EndTime"))),
    ),
    "CaseHistory__c": (
        ("Owner assignments", (*_ticked("Field__c", "Owner Assignment"), *_sort("-CreatedDate"))),
        ("Case closures", (*_ticked("Field__c", "Case Closed"), *_sort("-CreatedDate"))),
    ),
    "VoiceCallTranscript__c": (
        ("Calls with leads", (*_is("LeadId__c", "not_null"), *_sort("-CreatedDate"))),
        ("Calls on opportunities", (*_is("OpportunityId__c", "not_null"), *_sort("-CreatedDate"))),
        _CREATED,
    ),
    "Task": (
        ("Open tasks", (*_UNDONE, *_sort("ActivityDate"))),
        ("Open, high priority", (*_UNDONE, *_ticked("Priority", "High", "Urgent"), *_sort("ActivityDate"))),
        ("Due this week", (*_UNDONE, *_window("ActivityDate", "this_week"), *_sort("ActivityDate"))),
        ("Completed", (*_ticked("Status", "Completed"), *_sort("-ActivityDate"))),
    ),
    "Event": (
        ("This week", (*_window("StartDateTime", "this_week"), *_sort("StartDateTime"))),
        ("This month", (*_window("StartDateTime", "this_month"), *_sort("StartDateTime"))),
        ("All-day events", (*_is("IsAllDayEvent", "eq", "true"), *_sort("-StartDateTime"))),
    ),
    "Territory2": (("By name", _sort("Name")),),
    "UserTerritory2Association": (("By territory", _sort("Territory2Id")),),
}


def usual_views(fields: Iterable[str]) -> tuple[View, ...]:
    """Views of an object nobody has thought about: by what its fields usually mean."""
    return (_CREATED,) if "CreatedDate" in set(fields) else ()


def query_of(pairs: Pairs) -> str:
    return urlencode(pairs)


def paths_of(query: str) -> list[str]:
    """The field paths that a query string is about."""
    found = []
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key in {"c", "col", "g"}:
            found.append(value)
        elif key == "sort":
            found.append(value.removeprefix("-"))
        elif key[:2] in {"s.", "w."}:
            found.append(key[2:])
    return found
