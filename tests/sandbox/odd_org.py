"""All 27 published objects with a few records each and every odd case a record page may meet.

Lines with and without product, list price and currency; a record with parents that are not in the
Org; two people of one name; a text of 40,000 characters; emoji, right-to-left, O'Dell; tasks and
events before and after the today; a busy user with ``busy`` cases.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.published import published_registry
from study.sandbox.engine.published_fields import FIELDS
from study.sandbox.engine.registry import FieldDef, Registry

TODAY = date(2024, 3, 31)
LONG = "First words. " + "The rain in Évora stays mainly in the plain, says Ana. " * 740 + "\nLast needle."
MISSING_ACCOUNT = make_id("001", 999_999)
CALL = (
    "Agent: Good morning, this is Zoë.\nCustomer: Hi. Our budget is 40,000 euros 🎒.\n"
    "Agent: Who decides about the budget?\nCustomer: I do. The Budget is fixed."
)
MAIL = "Thanks.\nIt works.\n\nOn 4 Jan 2024, Ann wrote:\n> Try the other battery.\n> Bye"
ARTICLE = (
    "## Returns\nWithin 30 days, unworn.\n\n- keep the box\n- keep the slip\n\n**Refunds**\nA refund takes a week."
)


def odd_registry(**changes: Any) -> Registry:
    """The published registry; quotes, their lines and opportunities carry a currency."""
    registry = published_registry(tuple(FIELDS), **({"company": "Northgate Gear"} | changes))
    coined = {"Opportunity", "Quote", "QuoteLineItem"}
    currency = FieldDef("CurrencyIsoCode", "picklist", "Currency", values=("EUR", "USD", "GBP"))
    objects = [
        replace(item, fields=(*item.fields, currency)) if item.name in coined else item for item in registry.objects
    ]
    return replace(registry, objects=tuple(objects))


PREFIXES = {item.name: item.key_prefix for item in odd_registry().objects}


def odd_id(name: str, n: int) -> str:
    return make_id(PREFIXES[name], n)


def _at(days: int, hour: int = 9) -> datetime:
    return datetime(2024, 3, 31, hour, 15, tzinfo=UTC) + timedelta(days=days)


def odd_tables(busy: int = 12) -> dict[str, list[dict[str, Any]]]:
    """Records of every object; ``busy`` cases belong to the first user and the first account."""
    first = ("Ana", "Ana", "Zoë", "Fred")
    last = ("O'Dell", "O'Dell", "Álvarez", "van der Berg")
    owner, account, contact = odd_id("User", 0), odd_id("Account", 0), odd_id("Contact", 0)
    chance, quote = odd_id("Opportunity", 0), odd_id("Quote", 0)
    rows: dict[str, list[dict[str, Any]]] = {
        "User": [
            {"FirstName": first[n], "LastName": last[n], "Email": f"u{n}@example.test", "Alias": f"u{n}"}
            for n in range(4)
        ],
        "Account": [
            {"FirstName": first[n], "LastName": last[n], "PersonEmail": f"a{n}@example.test", "ShippingState": "KS"}
            for n in range(4)
        ],
        "Contact": [
            {"FirstName": first[n], "LastName": last[n], "Email": f"c{n}@example.test", "AccountId": account}
            for n in range(4)
        ],
        "Product2": [{"Name": f"Tent {n}", "IsActive": True, "Description": "Sleeps two."} for n in range(3)],
        "ProductCategory": [{"Name": "Tents"}],
        "ProductCategoryProduct": [
            {"ProductCategoryId": odd_id("ProductCategory", 0), "ProductId": odd_id("Product2", 0)}
        ],
        "Pricebook2": [{"Name": "Standard", "IsActive": True, "ValidFrom": _at(-300)}],
        "PricebookEntry": [
            {"Pricebook2Id": odd_id("Pricebook2", 0), "Product2Id": odd_id("Product2", n), "UnitPrice": 100.0 + n}
            for n in range(3)
        ],
        "Order": [{"AccountId": account, "Status": "Activated", "EffectiveDate": date(2024, 2, 1), "OwnerId": owner}],
        "OrderItem": [
            {"OrderId": odd_id("Order", 0), "Product2Id": odd_id("Product2", n) if n < 2 else None,
             "PriceBookEntryId": odd_id("PricebookEntry", n) if n < 2 else None, "Quantity": n + 1.0, "UnitPrice": 99.5}
            for n in range(3)
        ],
        "Issue__c": [{"Name": "Zip stuck", "Description__c": "The zip."}],
        "Knowledge__kav": [
            {"Title": "Returning a tent", "Summary": "Returns", "FAQ_Answer__c": ARTICLE, "UrlName": "returns"},
            {"Title": "Warranty of tents", "Summary": LONG, "FAQ_Answer__c": "", "UrlName": "warranty"},
        ],
        "Case": [_case(n, owner if n < busy else odd_id("User", 2), account, contact) for n in range(busy + 4)],
        "CaseHistory__c": [
            {"CaseId__c": odd_id("Case", 0), "Field__c": change, "OldValue__c": old, "NewValue__c": new,
             "CreatedDate": _at(-20 + n)}
            for n, (change, old, new) in enumerate((
                ("Case Creation", None, None), ("Owner Assignment", None, odd_id("User", 2)),
                ("Owner Assignment", odd_id("User", 2), owner), ("Case Closed", None, None),
            ))
        ],
        "EmailMessage": [
            {"Subject": f"Re: zip {n}", "TextBody": MAIL, "FromAddress": "c0@example.test", "ToIds": owner,
             "MessageDate": _at(-9 + 4 * n), "ParentId": odd_id("Case", 0) if n < 3 else None,
             "RelatedToId": odd_id("Case", 0) if n < 3 else chance}
            for n in range(5)
        ],
        "LiveChatTranscript": [
            {"Body": CALL, "EndTime": _at(-3), "CaseId": odd_id("Case", 0), "AccountId": account, "ContactId": contact,
             "OwnerId": owner}
        ],
        "Lead": [
            {"FirstName": "Łukasz", "LastName": "Ng", "Company": "حقائب الشمال", "Title": "Buyer 🎒",
             "Status": ("New", "Qualified", "Closed")[n], "CreatedDate": _at(-30 - n), "OwnerId": owner,
             "IsConverted": n == 2, "ConvertedAccountId": account if n == 2 else None}
            for n in range(3)
        ],
        "Opportunity": [
            {"Name": "Tents for the north " + "and the far north " * 20, "StageName": "Negotiation", "Amount": 1234.5,
             "Probability": 60.0, "CreatedDate": _at(-60), "CloseDate": date(2024, 5, 1), "AccountId": account,
             "ContactId": contact, "OwnerId": owner, "ContractID__c": odd_id("Contract", 0), "CurrencyIsoCode": "EUR"},
            {"Name": "Lost in the post", "StageName": "Closed", "Amount": None, "AccountId": MISSING_ACCOUNT,
             "OwnerId": owner, "CreatedDate": _at(-90)},
        ],
        "OpportunityLineItem": [
            {"OpportunityId": chance, "Product2Id": odd_id("Product2", n),
             "PricebookEntryId": odd_id("PricebookEntry", n), "Quantity": 2.0, "TotalPrice": 180.0 + n}
            for n in range(2)
        ],
        "Quote": [
            {"Name": "Quote A", "Status": "In Review", "CreatedDate": _at(-14), "ExpirationDate": _at(30),
             "OpportunityId": chance, "AccountId": account, "ContactId": contact, "CurrencyIsoCode": "EUR"},
            {"Name": "Quote B", "Status": "Rejected", "CreatedDate": _at(-24), "OpportunityId": chance},
        ],
        "QuoteLineItem": [
            {"QuoteId": quote, "Product2Id": odd_id("Product2", 0), "PricebookEntryId": odd_id("PricebookEntry", 0),
             "Quantity": 3.0, "UnitPrice": 100.0, "Discount": 10.0, "TotalPrice": 270.0, "CurrencyIsoCode": "EUR"},
            {"QuoteId": quote, "Product2Id": odd_id("Product2", 1), "PricebookEntryId": odd_id("PricebookEntry", 1),
             "Quantity": 1.0, "UnitPrice": 101.0, "Discount": 0.0, "TotalPrice": 101.0, "CurrencyIsoCode": "EUR"},
            {"QuoteId": quote, "Quantity": 2.0, "UnitPrice": 20.0, "TotalPrice": 40.0, "CurrencyIsoCode": "GBP"},
        ],
        "Contract": [
            {"AccountId": account, "Status": "Signed", "StartDate": date(2024, 1, 15), "ContractTerm": 12,
             "CustomerSignedDate": date(2024, 1, 10), "CompanySignedDate": date(2024, 1, 12)}
        ],
        "VoiceCallTranscript__c": [
            {"Body__c": CALL, "CreatedDate": _at(-6), "EndTime__c": _at(-6, 10), "LeadId__c": odd_id("Lead", 1)},
            {"Body__c": CALL, "CreatedDate": _at(-5), "EndTime__c": _at(-5, 10), "OpportunityId__c": chance},
        ],
        "Task": [
            {"Subject": f"Call back {n}", "Status": status, "Priority": "High", "ActivityDate": _at(days),
             "WhatId": chance, "OwnerId": owner}
            for n, (status, days) in enumerate((
                ("Not Started", 3), ("Not Started", -3), ("Completed", -8), ("Completed", 2), ("In Progress", 0),
            ))
        ],
        "Event": [
            {"Subject": f"Visit {n}", "StartDateTime": _at(days), "DurationInMinutes": 60, "Location": "Évora",
             "IsAllDayEvent": False, "WhatId": chance, "OwnerId": owner}
            for n, days in enumerate((5, -5))
        ],
        "Territory2": [{"Name": "Plains", "Description": "MO,KS, OK"}, {"Name": "Nowhere", "Description": None}],
        "UserTerritory2Association": [
            {"UserId": odd_id("User", n), "Territory2Id": odd_id("Territory2", 0)} for n in (0, 2)
        ],
    }  # fmt: skip
    return {
        name: [{"Id": odd_id(name, n), **row} for n, row in enumerate(rows[name])] for name in FIELDS if name in rows
    }


def _case(n: int, owner: str, account: str, contact: str) -> dict[str, Any]:
    subjects = (
        "Zip stuck on O'Dell's tent 🎒",
        "حقيبة الظهر: حزام مقطوع",
        "Zip " + "very " * 60 + "stuck",
        "Zip <b>stuck</b>",
    )
    return {
        "Subject": subjects[n % 4], "Description": LONG if n == 0 else f"Zip {n}.",
        "Priority": ("Low", "High", None)[n % 3],
        "Status": ("Working", "Closed", "New")[n % 3], "CreatedDate": _at(-(n % 200) - 1), "AccountId": account,
        "ClosedDate": _at(-(n % 200)) if n % 3 == 1 else None, "ContactId": contact, "OwnerId": owner,
        "IssueId__c": odd_id("Issue__c", 0), "OrderItemId__c": odd_id("OrderItem", 0) if n % 2 else None,
    }  # fmt: skip
