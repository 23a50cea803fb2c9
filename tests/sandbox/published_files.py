"""SQLite files of our own in the three published layouts (facts as far as they are known), with the odd habits
such files have: text numbers, floats for whole numbers, missing and extra columns, empty texts."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.published import KEY_PREFIXES

AT = "2022-03-16T15:15:00.000+0000"
LATER = "2022-03-17T08:00:00.000+0000"

# Columns of the first published database; all TEXT but those with a type.
ORIGINAL = {
    "User": "Id FirstName LastName Email Phone:REAL Username Alias EmailEncodingKey LanguageLocaleKey LocaleSidKey "
    "TimeZoneSidKey",
    "Account": "Id FirstName LastName PersonEmail Phone:REAL RecordTypeId ShippingCity ShippingState",
    "Contact": "Id FirstName LastName Email AccountId OwnerId",
    "Case": "Id Subject Description Priority Status CreatedDate ClosedDate AccountId ContactId OwnerId IssueId__c "
    "OrderItemId__c",
    "Knowledge__kav": "Id Title Summary FAQ_Answer__c UrlName",
    "ProductCategory": "Id Name CatalogId",
    "Product2": "Id Name Description IsActive:INTEGER External_ID__c",
    "ProductCategoryProduct": "Id ProductCategoryId ProductId",
    "Pricebook2": "Id Name Description IsActive:INTEGER ValidFrom ValidTo",
    "PricebookEntry": "Id Pricebook2Id Product2Id UnitPrice",
    "Order": "Id AccountId Pricebook2Id Status EffectiveDate",
    "OrderItem": "Id OrderId Product2Id PriceBookEntryId Quantity UnitPrice",
    "EmailMessage": "Id Subject TextBody FromAddress ToIds MessageDate ParentId",
    "LiveChatTranscript": "Id Body EndTime CaseId AccountId ContactId OwnerId LiveChatVisitorId",
    "Issue__c": "Id Name",
    "CaseHistory__c": "Id CaseId__c Field__c OldValue__c NewValue__c CreatedDate",
}
ADDED = {
    "Opportunity": "Id Name Description StageName Probability Amount CreatedDate CloseDate AccountId ContactId OwnerId "
    "ContractID__c",
    "OpportunityLineItem": "Id OpportunityId Product2Id PricebookEntryId Quantity TotalPrice",
    "Quote": "Id Name Description Status CreatedDate ExpirationDate OpportunityId AccountId ContactId",
    "QuoteLineItem": "Id QuoteId OpportunityLineItemId Product2Id PricebookEntryId Quantity UnitPrice Discount "
    "TotalPrice",
    "Contract": "Id AccountId Status StartDate CustomerSignedDate CompanySignedDate Description ContractTerm",
    "VoiceCallTranscript__c": "Id Body__c CreatedDate EndTime__c LeadId__c OpportunityId__c",
    "Task": "Id Subject Description Status Priority ActivityDate WhatId OwnerId",
    "Event": "Id Subject Description StartDateTime DurationInMinutes:INTEGER Location IsAllDayEvent:INTEGER WhatId "
    "OwnerId",
    "Territory2": "Id Name Description",
    "UserTerritory2Association": "Id UserId Territory2Id",
    "Lead": "Id FirstName LastName Email Phone Company Title Status CreatedDate IsConverted:BIGINT ConvertedDate "
    "ConvertedAccountId ConvertedContactId OwnerId",
}
B2B = ORIGINAL | ADDED | {
    "Account": "Id Name Industry Description NumberOfEmployees:REAL Phone ShippingState",
    "Contact": "Id FirstName LastName Email AccountId",
    "Order": ORIGINAL["Order"] + " OwnerId",
    "EmailMessage": ORIGINAL["EmailMessage"] + " RelatedToId",
    "Issue__c": "Id Name Description__c",
}  # fmt: skip
B2C = B2B | {
    "Account": "Id FirstName LastName PersonEmail Description Name Phone ShippingState",
    "Contact": "Id AccountId",
    "OrderItem": "Id OrderId Product2Id PricebookEntryId Quantity UnitPrice",
    "Contract": "Id AccountId Status StartDate CustomerSignedDate Description ContractTerm",
    "Lead": "Id FirstName LastName Email Phone Status CreatedDate IsConverted:BIGINT ConvertedDate ConvertedAccountId "
    "ConvertedContactId OwnerId",
}
LAYOUTS = {"original": ORIGINAL, "b2b": B2B, "b2c": B2C}

_PARENTS = {
    "AccountId": "Account", "ConvertedAccountId": "Account", "ContactId": "Contact", "ConvertedContactId": "Contact",
    "OwnerId": "User", "UserId": "User", "NewValue__c": "User", "OldValue__c": "User", "CaseId": "Case",
    "CaseId__c": "Case", "ParentId": "Case", "RelatedToId": "Case", "IssueId__c": "Issue__c",
    "OrderItemId__c": "OrderItem", "OrderId": "Order", "Product2Id": "Product2", "ProductId": "Product2",
    "ProductCategoryId": "ProductCategory", "Pricebook2Id": "Pricebook2", "PricebookEntryId": "PricebookEntry",
    "PriceBookEntryId": "PricebookEntry", "OpportunityId": "Opportunity", "OpportunityId__c": "Opportunity",
    "QuoteId": "Quote", "OpportunityLineItemId": "OpportunityLineItem", "ContractID__c": "Contract",
    "LeadId__c": "Lead", "Territory2Id": "Territory2", "WhatId": "Opportunity",
}  # fmt: skip
_NUMBERS = {"Quantity": "2.0", "UnitPrice": "19.99", "TotalPrice": "39.98", "Discount": "5.0", "Amount": "12000.5",
            "Probability": "60.0", "ContractTerm": "12.0"}  # fmt: skip
_MOMENTS = {"CreatedDate", "MessageDate", "EndTime", "EndTime__c", "ValidFrom", "ValidTo", "ExpirationDate",
            "ActivityDate", "StartDateTime"}  # fmt: skip
_DAYS = {"EffectiveDate", "CloseDate", "StartDate", "CustomerSignedDate", "CompanySignedDate", "ConvertedDate"}
# Orgs differ in the prefixes of custom objects.
PREFIXES = KEY_PREFIXES | {"Issue__c": "a3s", "CaseHistory__c": "a4t", "VoiceCallTranscript__c": "a5u"}


def published_file(path: Path, layout: str, rows: int = 6) -> Path:
    """A database in one of the published layouts, every object with a few records."""
    with sqlite3.connect(path) as connection:
        for table, columns in LAYOUTS[layout].items():
            named = [column.partition(":")[::2] for column in columns.split()]
            made = ", ".join(f'"{name}" {kind or "TEXT"}' for name, kind in named)
            connection.execute(f'CREATE TABLE "{table}" ({made})')
            marks = ", ".join("?" * len(named))
            values = ([_value(table, name, kind, n) for name, kind in named] for n in range(rows))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', values)
    connection.close()
    return path


def published_schema(path: Path, layout: str) -> Path:
    """The schema file of a layout, as published: no Id in the first one."""
    schema = [
        {"object": table, "fields": {c.partition(":")[0]: _description(c) for c in columns.split() if c != "Id"}}
        for table, columns in LAYOUTS[layout].items()
    ]
    path.write_text(json.dumps(schema))
    return path


def _description(column: str) -> str:
    parent = _PARENTS.get(column)
    return f"References {parent} object" if parent else "A field"


def _value(table: str, name: str, kind: str, n: int) -> object:
    if name == "Id":
        return make_id(PREFIXES[table], n + 1)
    if name in _PARENTS:
        # Every third is empty, as an empty text; half the tasks belong to a case.
        parent = "Case" if (table, name) == ("Task", "WhatId") and n % 2 else _PARENTS[name]
        return make_id(PREFIXES[parent], n + 1) if n % 3 else ""
    if name in {"RecordTypeId", "CatalogId", "LiveChatVisitorId"}:
        return make_id("012", n)
    if name in _MOMENTS:
        return AT
    if name == "ClosedDate":
        return LATER if n % 2 else None
    if name in _DAYS:
        return "2022-03-16"
    if name in _NUMBERS:
        return _NUMBERS[name]
    if kind in {"INTEGER", "BIGINT"}:
        return n % 2
    if kind == "REAL":
        return 5551230000.0 + n if name == "Phone" else 100.0 * n
    return f"{name} {n}"
