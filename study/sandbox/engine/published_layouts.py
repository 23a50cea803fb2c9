"""Layouts of the published objects, in the order a person would want to read them.

Lookups stand as columns by their own name; pages show the name of the record behind
them. Colours carry a white icon at a contrast of 4.5 or more.
"""

from __future__ import annotations

from study.sandbox.engine.layouts import Layout

_MAIL = ("Subject", "FromAddress", "MessageDate")
_CASE = ("Subject", "Status", "Priority", "CreatedDate", "OwnerId")
_OPPORTUNITY = ("Name", "StageName", "Amount", "CloseDate", "OwnerId")
_QUOTE = ("Name", "Status", "CreatedDate", "ExpirationDate")
_LINE = ("Product2Id", "Quantity", "UnitPrice", "Discount", "TotalPrice")
_CHAT = ("ContactId", "OwnerId", "EndTime")
_TASK = ("Subject", "Status", "Priority", "ActivityDate", "OwnerId")
_EVENT = ("Subject", "StartDateTime", "DurationInMinutes", "Location", "OwnerId")
_ORDER = ("Status", "EffectiveDate", "AccountId", "OwnerId")

LAYOUTS: dict[str, Layout] = {
    "Case": Layout(
        "Case", "Cases", "briefcase", "#A4526B",
        name=("Subject",), second=("Status", "CaseNumber"),
        columns=("Subject", "Status", "Priority", "AccountId", "ContactId", "OwnerId", "CreatedDate", "ClosedDate"),
        highlights=("Status", "Priority", "AccountId", "ContactId", "OwnerId", "CreatedDate"),
        related=(
            ("EmailMessage.ParentId", _MAIL), ("LiveChatTranscript.CaseId", _CHAT),
            ("CaseHistory__c.CaseId__c", ("Field__c", "OldValue__c", "NewValue__c", "CreatedDate")),
        ),
        sections=(
            ("Case", ("Subject", "CaseNumber", "Status", "Priority", "Origin", "Description")),
            ("Customer and product", ("AccountId", "ContactId", "IssueId__c", "OrderItemId__c")),
            ("Dates and owner", ("OwnerId", "CreatedDate", "ClosedDate")),
        ),
    ),
    "Account": Layout(
        "Account", "Accounts", "building-2", "#4E63A6",
        second=("PersonEmail", "Industry", "ShippingState"),
        columns=("Name", "Industry", "PersonEmail", "Phone", "ShippingCity", "ShippingState", "NumberOfEmployees"),
        highlights=("Industry", "PersonEmail", "Phone", "ShippingCity", "ShippingState", "NumberOfEmployees"),
        related=(
            ("Contact.AccountId", ("Name", "Email", "OwnerId")), ("Case.AccountId", _CASE),
            ("Opportunity.AccountId", _OPPORTUNITY), ("Order.AccountId", _ORDER), ("Quote.AccountId", _QUOTE),
            ("Contract.AccountId", ("Status", "StartDate", "ContractTerm")), ("LiveChatTranscript.AccountId", _CHAT),
        ),
        sections=(
            ("Account", ("Name", "FirstName", "LastName", "Industry", "NumberOfEmployees", "Description")),
            ("How to reach them", ("PersonEmail", "Phone", "ShippingCity", "ShippingState")),
        ),
    ),
    "Contact": Layout(
        "Contact", "Contacts", "contact", "#7A5A9E",
        second=("Email", "AccountId"),
        columns=("Name", "AccountId", "Email", "Account.ShippingState", "OwnerId"),
        highlights=("AccountId", "Email", "OwnerId"),
        related=(
            ("Case.ContactId", _CASE), ("Opportunity.ContactId", _OPPORTUNITY), ("Quote.ContactId", _QUOTE),
            ("LiveChatTranscript.ContactId", ("CaseId", "OwnerId", "EndTime")),
        ),
        sections=(("Contact", ("Name", "FirstName", "LastName", "AccountId")), ("How to reach them", ("Email",))),
    ),
    "User": Layout(
        "User", "Users", "circle-user-round", "#3F6C7D",
        second=("Email", "Alias"),
        columns=("Name", "Alias", "Email", "Phone", "Username"), highlights=("Email", "Phone", "Alias"),
        related=(
            ("Case.OwnerId", ("Subject", "Status", "Priority", "AccountId", "CreatedDate")),
            ("Opportunity.OwnerId", ("Name", "StageName", "Amount", "CloseDate")),
            ("Lead.OwnerId", ("Name", "Company", "Status", "CreatedDate")),
            ("UserTerritory2Association.UserId", ("Territory2Id", "Territory2.Description")),
            ("Task.OwnerId", ("Subject", "Status", "Priority", "ActivityDate")),
            ("Event.OwnerId", ("Subject", "StartDateTime", "Location")), ("Order.OwnerId", _ORDER),
        ),
        sections=(
            ("User", ("Name", "FirstName", "LastName", "Alias", "Username")), ("How to reach them", ("Email", "Phone")),
            ("Settings", ("ProfileId", "TimeZoneSidKey", "LocaleSidKey", "LanguageLocaleKey", "EmailEncodingKey")),
        ),
    ),
    "Lead": Layout(
        "Lead", "Leads", "user-plus", "#8A5A2B",
        second=("Company", "Email"),
        columns=("Name", "Company", "Title", "Status", "Email", "OwnerId", "CreatedDate"),
        highlights=("Company", "Status", "Email", "Phone", "OwnerId"),
        related=(("VoiceCallTranscript__c.LeadId__c", ("CreatedDate", "EndTime__c")),),
        sections=(
            ("Lead", ("Name", "FirstName", "LastName", "Company", "Title", "Status", "OwnerId", "CreatedDate")),
            ("How to reach them", ("Email", "Phone")),
            ("Conversion", ("IsConverted", "ConvertedDate", "ConvertedAccountId", "ConvertedContactId")),
        ),
    ),
    "Knowledge__kav": Layout(
        "Knowledge article", "Knowledge", "book-open", "#2F7686",
        name=("Title",), second=("UrlName",),
        columns=("Title", "UrlName", "Id"), highlights=("UrlName", "PublishStatus", "Language"),
        sections=(("Article", ("Title", "Summary", "FAQ_Answer__c")), ("Publication", ("UrlName",))),
    ),
    "Product2": Layout(
        "Product", "Products", "package", "#86661B",
        second=("External_ID__c",),
        columns=("Name", "External_ID__c", "IsActive"), highlights=("External_ID__c", "IsActive"),
        related=(
            ("ProductCategoryProduct.ProductId", ("ProductCategoryId",)),
            ("PricebookEntry.Product2Id", ("Pricebook2Id", "UnitPrice")),
            ("OrderItem.Product2Id", ("OrderId", "Order.EffectiveDate", "Quantity", "UnitPrice")),
        ),
        sections=(("Product", ("Name", "External_ID__c", "IsActive", "Description")),),
    ),
    "ProductCategory": Layout(
        "Product category", "Product categories", "tags", "#6E6424",
        columns=("Name", "CatalogId"), highlights=("CatalogId",),
        related=(("ProductCategoryProduct.ProductCategoryId", ("ProductId", "Product.IsActive")),),
    ),
    "ProductCategoryProduct": Layout(
        "Category product", "Category products", "boxes", "#6B6F76",
        name=("Id",), second=("ProductId",),
        columns=("ProductCategoryId", "ProductId", "Id"), highlights=("ProductCategoryId", "ProductId"),
    ),
    "Pricebook2": Layout(
        "Price book", "Price books", "book-marked", "#6A5F95",
        columns=("Name", "IsActive", "ValidFrom", "ValidTo"), highlights=("IsActive", "ValidFrom", "ValidTo"),
        related=(("PricebookEntry.Pricebook2Id", ("Product2Id", "UnitPrice")), ("Order.Pricebook2Id", _ORDER)),
        sections=(("Price book", ("Name", "IsActive", "ValidFrom", "ValidTo", "Description")),),
    ),
    "PricebookEntry": Layout(
        "Price book entry", "Price book entries", "badge-dollar-sign", "#5D6B8A",
        name=("Id",), second=("Product2Id",),
        columns=("Product2Id", "Pricebook2Id", "UnitPrice", "Id"),
        highlights=("Product2Id", "Pricebook2Id", "UnitPrice"),
    ),
    "Order": Layout(
        "Order", "Orders", "shopping-cart", "#3E7D57",
        name=("OrderNumber", "Id"), second=("AccountId",),
        columns=("Id", "AccountId", "Status", "EffectiveDate", "Pricebook2Id", "OwnerId"),
        highlights=("AccountId", "Status", "EffectiveDate", "Pricebook2Id", "OwnerId"),
        related=(("OrderItem.OrderId", ("Product2Id", "Quantity", "UnitPrice", "Id")),),
        sections=(("Order", ("AccountId", "Status", "EffectiveDate", "Pricebook2Id", "OwnerId")),),
    ),
    "OrderItem": Layout(
        "Order product", "Order products", "list-ordered", "#3B7A6C",
        name=("Id",), second=("Product2Id",),
        columns=("Id", "OrderId", "Product2Id", "Quantity", "UnitPrice", "Order.AccountId"),
        highlights=("OrderId", "Product2Id", "Quantity", "UnitPrice"),
        related=(("Case.OrderItemId__c", ("Subject", "Status", "IssueId__c", "CreatedDate")),),
    ),
    "EmailMessage": Layout(
        "Email", "Emails", "mail", "#5B6F8C",
        name=("Subject",), second=("FromAddress",),
        columns=("Subject", "FromAddress", "ToIds", "ParentId", "MessageDate"),
        highlights=("FromAddress", "ToIds", "MessageDate", "ParentId", "RelatedToId"),
        sections=(("Email", ("Subject", "FromAddress", "ToIds", "MessageDate", "ParentId", "TextBody")),),
    ),
    "LiveChatTranscript": Layout(
        "Chat transcript", "Chat transcripts", "messages-square", "#4F6F9B",
        name=("Id",), second=("CaseId", "ContactId"),
        columns=("Id", "CaseId", "ContactId", "AccountId", "OwnerId", "EndTime"),
        highlights=("CaseId", "ContactId", "AccountId", "OwnerId", "EndTime"),
        sections=(("Chat", ("CaseId", "AccountId", "ContactId", "OwnerId", "EndTime", "LiveChatVisitorId", "Body")),),
    ),
    "Issue__c": Layout(
        "Issue", "Issues", "bug", "#A0522D",
        columns=("Name", "Id"),
        related=(("Case.IssueId__c", ("Subject", "Status", "OrderItemId__c", "OwnerId", "CreatedDate")),),
        sections=(("Issue", ("Name", "Description__c", "IssueDescription__c")),),
    ),
    "CaseHistory__c": Layout(
        "Case history", "Case history", "history", "#6B6F76",
        name=("Field__c",), second=("CreatedDate",),
        columns=("Field__c", "CaseId__c", "OldValue__c", "NewValue__c", "CreatedDate"),
        highlights=("CaseId__c", "OldValue__c", "NewValue__c", "CreatedDate"),
    ),
    "Opportunity": Layout(
        "Opportunity", "Opportunities", "target", "#A8492F",
        second=("StageName", "AccountId"),
        columns=("Name", "AccountId", "StageName", "Amount", "Probability", "CloseDate", "OwnerId", "CreatedDate"),
        highlights=("AccountId", "StageName", "Amount", "CloseDate", "OwnerId"),
        related=(
            ("OpportunityLineItem.OpportunityId", ("Product2Id", "Quantity", "TotalPrice")),
            ("Quote.OpportunityId", _QUOTE), ("Task.WhatId", _TASK), ("Event.WhatId", _EVENT),
            ("VoiceCallTranscript__c.OpportunityId__c", ("CreatedDate", "EndTime__c")),
            ("EmailMessage.RelatedToId", _MAIL),
        ),
        sections=(
            ("Opportunity", ("Name", "StageName", "Amount", "Probability", "Description")),
            ("Customer", ("AccountId", "ContactId", "ContractID__c")),
            ("Dates and owner", ("OwnerId", "CreatedDate", "CloseDate")),
        ),
    ),
    "OpportunityLineItem": Layout(
        "Opportunity product", "Opportunity products", "list", "#8C5A3C",
        name=("Id",), second=("Product2Id",),
        columns=("OpportunityId", "Product2Id", "Quantity", "TotalPrice", "Id"),
        highlights=("OpportunityId", "Product2Id", "Quantity", "TotalPrice"),
    ),
    "Quote": Layout(
        "Quote", "Quotes", "file-text", "#6F5E9E",
        second=("Status", "AccountId"),
        columns=("Name", "Status", "OpportunityId", "AccountId", "CreatedDate", "ExpirationDate"),
        highlights=("Status", "OpportunityId", "AccountId", "ContactId", "ExpirationDate"),
        related=(("QuoteLineItem.QuoteId", _LINE),),
        sections=(
            ("Quote", ("Name", "Status", "Description", "CreatedDate", "ExpirationDate")),
            ("Customer", ("OpportunityId", "AccountId", "ContactId")),
        ),
    ),
    "QuoteLineItem": Layout(
        "Quote line item", "Quote line items", "list-checks", "#7A6397",
        name=("Id",), second=("Product2Id",),
        columns=("QuoteId", *_LINE, "Id"), highlights=("QuoteId", *_LINE),
    ),
    "Contract": Layout(
        "Contract", "Contracts", "signature", "#54714A",
        name=("ContractNumber", "Id"), second=("AccountId",),
        columns=("Id", "AccountId", "Status", "StartDate", "ContractTerm", "CompanySignedDate"),
        highlights=("AccountId", "Status", "StartDate", "ContractTerm", "CompanySignedDate"),
        related=(("Opportunity.ContractID__c", _OPPORTUNITY), ("Order.ContractId", _ORDER)),
        sections=(
            ("Contract", ("AccountId", "Status", "StartDate", "ContractTerm", "Description")),
            ("Signatures", ("CustomerSignedDate", "CompanySignedDate")),
        ),
    ),
    "VoiceCallTranscript__c": Layout(
        "Call transcript", "Call transcripts", "phone-call", "#30738C",
        name=("Id",), second=("CreatedDate",),
        columns=("Id", "LeadId__c", "OpportunityId__c", "CreatedDate", "EndTime__c"),
        highlights=("LeadId__c", "OpportunityId__c", "CreatedDate", "EndTime__c"),
    ),
    "Task": Layout(
        "Task", "Tasks", "square-check", "#3B7752",
        name=("Subject",), second=("Status",),
        columns=("Subject", "WhatId", "Status", "Priority", "ActivityDate", "OwnerId"),
        highlights=("WhatId", "Status", "Priority", "ActivityDate", "OwnerId"),
    ),
    "Event": Layout(
        "Event", "Events", "calendar", "#8F5579",
        name=("Subject",), second=("StartDateTime",),
        columns=("Subject", "WhatId", "StartDateTime", "DurationInMinutes", "Location", "OwnerId"),
        highlights=("WhatId", "StartDateTime", "DurationInMinutes", "Location", "OwnerId"),
    ),
    "Territory2": Layout(
        "Territory", "Territories", "map", "#5C6B3C",
        second=("Description",),
        columns=("Name", "Description"), highlights=("Description",),
        related=(("UserTerritory2Association.Territory2Id", ("UserId", "User.Email")),),
    ),
    "UserTerritory2Association": Layout(
        "Territory member", "Territory members", "users", "#6B6F76",
        name=("Id",), second=("UserId",),
        columns=("UserId", "Territory2Id", "Id"), highlights=("UserId", "Territory2Id"),
    ),
}  # fmt: skip
