"""Records of selling, in the order of time, and the Ids of everything that has none yet."""

from __future__ import annotations

from collections.abc import Sequence

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import Call, Deal, Lead, Quote, Row
from study.generator.sales.numbering import Numbering
from study.generator.sales.pipeline import Life


def number_everything(branch: Branch, leads: Sequence[Lead], lives: Sequence[Life], numbering: Numbering) -> None:
    """Ids of leads, deals, lines, quotes, contracts and calls, each in the order they came into being."""
    for lead in sorted(leads, key=lambda lead: lead.created):
        lead.id = branch.new_id("Lead")
    deals = [life.deal for life in lives]
    for deal in deals:
        deal.id = branch.new_id("Opportunity")
        for line in deal.lines:
            line.id = branch.new_id("OpportunityLineItem")
    quotes = sorted((quote for deal in deals for quote in deal.quotes), key=lambda quote: quote.created)
    for quote in quotes:
        quote.id, quote.number = branch.new_id("Quote"), numbering.next("quote")
        for quoted in quote.lines:
            quoted.id = branch.new_id("QuoteLineItem")
    for life in sorted((life for life in lives if life.deal.contract), key=lambda life: life.end):
        if life.deal.contract is not None:
            life.deal.contract.id, life.deal.contract.number = branch.new_id("Contract"), numbering.next("contract")


def number_calls(branch: Branch, calls: Sequence[Call]) -> None:
    for call in sorted(calls, key=lambda call: call.start):
        call.id = branch.new_id("VoiceCallTranscript__c")


def lead_rows(branch: Branch, leads: Sequence[Lead]) -> list[Row]:
    consumer, gaps = branch.plan.consumer, branch.plan.ingredients.gaps
    draw, rows = branch.draw("lead gaps"), []
    for lead in sorted(leads, key=lambda lead: lead.id):
        row: Row = {
            "Id": lead.id, "FirstName": lead.first, "LastName": lead.last, "Email": lead.email, "Phone": lead.phone,
            "State": lead.state, "LeadSource": None if gaps and draw.chance(0.07) else lead.source,
            "Status": lead.status, "CreatedDate": lead.created, "IsConverted": lead.converted is not None,
            "ConvertedDate": lead.converted, "ConvertedAccountId": lead.party.id if lead.party else None,
            "ConvertedContactId": lead.person.id if lead.person else None, "OwnerId": lead.owner.id,
        }  # fmt: skip
        if not consumer:
            row["Company"], row["Title"] = lead.company, lead.title or None
        rows.append(row)
    return rows


def deal_row(deal: Deal) -> Row:
    return {
        "Id": deal.id, "Name": deal.name, "Description": deal.description or None, "StageName": deal.stage,
        "Probability": float(deal.probability), "Amount": deal.amount, "CreatedDate": deal.created,
        "CloseDate": deal.closes, "AccountId": deal.party.id, "ContactId": deal.person.id, "OwnerId": deal.owner.id,
        "ContractID__c": deal.contract.id if deal.contract else None,
    }  # fmt: skip


def deal_line_rows(deal: Deal) -> list[Row]:
    return [
        {
            "Id": line.id, "OpportunityId": deal.id, "Product2Id": line.item.id, "PricebookEntryId": line.entry,
            "Quantity": float(line.quantity), "TotalPrice": line.total,
        }
        for line in deal.lines
    ]  # fmt: skip


def quote_row(deal: Deal, quote: Quote) -> Row:
    return {
        "Id": quote.id, "QuoteNumber": quote.number, "Name": quote.name, "Description": quote.description or None,
        "Status": quote.status, "CreatedDate": quote.created, "ExpirationDate": quote.expires,
        "OpportunityId": deal.id, "AccountId": deal.party.id, "ContactId": deal.person.id,
    }  # fmt: skip


def quote_line_rows(quote: Quote) -> list[Row]:
    return [
        {
            "Id": line.id, "QuoteId": quote.id, "OpportunityLineItemId": line.deal_line.id,
            "Product2Id": line.item.id, "PricebookEntryId": line.entry, "Quantity": float(line.quantity),
            "UnitPrice": line.unit_price, "Discount": line.discount, "TotalPrice": line.total,
        }
        for line in quote.lines
    ]  # fmt: skip


def contract_row(deal: Deal) -> Row:
    contract = deal.contract
    if contract is None:
        raise ValueError(f"{deal.id} has no contract.")
    return {
        "Id": contract.id, "ContractNumber": contract.number, "AccountId": deal.party.id, "Status": contract.status,
        "StartDate": contract.start, "CustomerSignedDate": contract.customer_signed,
        "CompanySignedDate": contract.company_signed, "Description": contract.description or None,
        "ContractTerm": contract.months,
    }  # fmt: skip


def add_rows(branch: Branch, leads: Sequence[Lead], lives: Sequence[Life]) -> None:
    """Everything but orders, tasks and events."""
    deals = [life.deal for life in lives]
    branch.add("Lead", lead_rows(branch, leads))
    branch.add("Opportunity", [deal_row(deal) for deal in deals])
    branch.add("OpportunityLineItem", [row for deal in deals for row in deal_line_rows(deal)])
    quotes = sorted(((deal, quote) for deal in deals for quote in deal.quotes), key=lambda pair: pair[1].id)
    branch.add("Quote", [quote_row(deal, quote) for deal, quote in quotes])
    branch.add("QuoteLineItem", [row for _, quote in quotes for row in quote_line_rows(quote)])
    signed = sorted(
        ((deal.contract.id, deal) for deal in deals if deal.contract is not None), key=lambda pair: pair[0]
    )  # fmt: skip
    branch.add("Contract", [contract_row(deal) for _, deal in signed])
