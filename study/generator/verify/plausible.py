"""Whether amounts, stages, loads and hours are such as a working company has."""

from __future__ import annotations

from collections.abc import Iterator

from study.generator.verify.asked import Asked, asked
from study.generator.verify.outcome import Check, Tally, left_out, measured, percent
from study.generator.verify.source import Source

_LONGEST_CASE = 180
"""Days a case may be open before it closes."""
_HEAVIEST_DAY = 60
"""Cases one person is given on one day."""
_CENT = 0.011


def _line(name: str, parent: str, entry: str) -> tuple[Asked, ...]:
    """What holds of every kind of line: order products, opportunity products, quote lines."""
    return (
        Asked(
            f"plausible.{name.lower()}_quantity", "quantities are whole and at least one", name, (f"{name}.Quantity",),
            f"SELECT Id, Quantity FROM {name} WHERE Quantity < 1 OR Quantity != round(Quantity) OR Quantity IS NULL",
        ),
        Asked(
            f"plausible.{name.lower()}_price_book", "the entry of the price book is one of the line's product", name,
            (f"{name}.{entry}", f"{name}.Product2Id", "PricebookEntry.Product2Id"),
            f"SELECT l.Id, 'the entry is of ' || e.Product2Id FROM {name} l JOIN PricebookEntry e ON e.Id = l.{entry} "
            "WHERE e.Product2Id IS NOT l.Product2Id",
        ),
        Asked(
            f"plausible.{name.lower()}_any", f"no line without its {parent.lower()}", name, (f"{name}.{parent}Id",),
            f"SELECT Id, '' FROM {name} WHERE {parent}Id IS NULL",
        ),
    )  # fmt: skip


LINES = (
    *_line("OrderItem", "Order", "PriceBookEntryId"),
    *_line("OpportunityLineItem", "Opportunity", "PricebookEntryId"),
    *_line("QuoteLineItem", "Quote", "PricebookEntryId"),
)

MONEY = (
    Asked(
        "plausible.prices_positive", "entries of price books cost something", "PricebookEntry",
        ("PricebookEntry.UnitPrice",),
        "SELECT Id, UnitPrice FROM PricebookEntry WHERE UnitPrice <= 0 OR UnitPrice IS NULL",
    ),
    Asked(
        "plausible.order_price_from_price_book", "ordered at the price of the entry; by contract up to half off",
        "OrderItem", ("OrderItem.UnitPrice", "OrderItem.PriceBookEntryId", "Order.ContractId"),
        "SELECT i.Id, i.UnitPrice || ', listed ' || e.UnitPrice FROM OrderItem i JOIN PricebookEntry e "
        'ON e.Id = i.PriceBookEntryId JOIN "Order" o ON o.Id = i.OrderId '
        f"WHERE i.UnitPrice IS NULL OR i.UnitPrice > e.UnitPrice + {_CENT} "
        f"OR i.UnitPrice < e.UnitPrice * CASE WHEN o.ContractId IS NULL THEN 1 ELSE 0.5 END - {_CENT}",
    ),
    Asked(
        "plausible.order_price_of_entry", "ordered at the price of the entry", "OrderItem",
        ("OrderItem.UnitPrice", "OrderItem.PriceBookEntryId"),
        "SELECT i.Id, i.UnitPrice || ', listed ' || e.UnitPrice FROM OrderItem i JOIN PricebookEntry e "
        f"ON e.Id = i.PriceBookEntryId WHERE i.UnitPrice IS NULL OR abs(i.UnitPrice - e.UnitPrice) > {_CENT}",
    ),
    Asked(
        "plausible.order_book_of_entry", "an order uses entries of its own price book", "OrderItem",
        ("OrderItem.PriceBookEntryId", "Order.Pricebook2Id", "PricebookEntry.Pricebook2Id"),
        "SELECT i.Id, 'entry of ' || e.Pricebook2Id FROM OrderItem i JOIN PricebookEntry e "
        'ON e.Id = i.PriceBookEntryId JOIN "Order" o ON o.Id = i.OrderId WHERE e.Pricebook2Id IS NOT o.Pricebook2Id',
    ),
    Asked(
        "plausible.quote_price_of_entry", "quoted at the price of the entry", "QuoteLineItem",
        ("QuoteLineItem.UnitPrice", "QuoteLineItem.PricebookEntryId"),
        "SELECT q.Id, q.UnitPrice || ', listed ' || e.UnitPrice FROM QuoteLineItem q JOIN PricebookEntry e "
        f"ON e.Id = q.PricebookEntryId WHERE q.UnitPrice IS NULL OR abs(q.UnitPrice - e.UnitPrice) > {_CENT}",
    ),
    Asked(
        "plausible.discounts", "discounts lie between nothing and all of it", "QuoteLineItem",
        ("QuoteLineItem.Discount",),
        "SELECT Id, Discount FROM QuoteLineItem WHERE Discount < 0 OR Discount > 100",
    ),
    Asked(
        "plausible.quote_line_total", "a quoted line's total is quantity times price less discount", "QuoteLineItem",
        ("QuoteLineItem.TotalPrice", "QuoteLineItem.Discount", "QuoteLineItem.UnitPrice"),
        "SELECT Id, TotalPrice FROM QuoteLineItem WHERE TotalPrice IS NULL OR "
        f"abs(TotalPrice - Quantity * UnitPrice * (1 - coalesce(Discount, 0) / 100)) > {_CENT}",
    ),
    Asked(
        "plausible.opportunity_line_total", "a line costs at most quantity times list price", "OpportunityLineItem",
        ("OpportunityLineItem.TotalPrice", "OpportunityLineItem.PricebookEntryId"),
        "SELECT l.Id, l.TotalPrice FROM OpportunityLineItem l JOIN PricebookEntry e ON e.Id = l.PricebookEntryId "
        f"WHERE l.TotalPrice IS NULL OR l.TotalPrice <= 0 OR l.TotalPrice > l.Quantity * e.UnitPrice + {_CENT}",
    ),
    Asked(
        "plausible.order_total", "an order's amount is the sum of its lines", "Order", ("Order.TotalAmount",),
        "SELECT o.Id, o.TotalAmount || ', lines ' || s.total FROM \"Order\" o JOIN (SELECT OrderId, "
        "round(sum(Quantity * UnitPrice), 2) AS total FROM OrderItem GROUP BY OrderId) s ON s.OrderId = o.Id "
        f"WHERE abs(o.TotalAmount - s.total) > {_CENT}",
    ),
    Asked(
        "plausible.opportunity_amount", "an opportunity's amount is the sum of its lines", "Opportunity",
        ("Opportunity.Amount", "OpportunityLineItem.TotalPrice"),
        "SELECT o.Id, o.Amount || ', lines ' || s.total FROM Opportunity o JOIN (SELECT OpportunityId, "
        "round(sum(TotalPrice), 2) AS total FROM OpportunityLineItem GROUP BY OpportunityId) s "
        f"ON s.OpportunityId = o.Id WHERE abs(o.Amount - s.total) > {_CENT}",
    ),
    Asked(
        "plausible.orders_have_lines", "no order without a line", "Order", ("OrderItem.OrderId",),
        "SELECT Id, '' FROM \"Order\" WHERE NOT EXISTS (SELECT 1 FROM OrderItem WHERE OrderId = \"Order\".Id)",
        share=2.0,
    ),
)  # fmt: skip

STATES = (
    Asked(
        "plausible.probability", "0 or 100 when closed, between when open", "Opportunity",
        ("Opportunity.Probability", "Opportunity.StageName"),
        "SELECT Id, StageName || ', ' || Probability FROM Opportunity WHERE Probability IS NULL OR "
        "(StageName = 'Closed') != (Probability IN (0, 100)) OR Probability < 0 OR Probability > 100",
    ),
    Asked(
        "plausible.won_has_contract", "what was won has a contract that the company signed", "Opportunity",
        ("Opportunity.ContractID__c", "Opportunity.Probability", "Contract.CompanySignedDate"),
        "SELECT o.Id, 'no signed contract' FROM Opportunity o LEFT JOIN Contract k ON k.Id = o.ContractID__c "
        "WHERE o.StageName = 'Closed' AND o.Probability = 100 AND k.CompanySignedDate IS NULL",
        "WHERE StageName = 'Closed' AND Probability = 100",
    ),
    Asked(
        "plausible.contact_of_account", "the contact of a case belongs to its account", "Case",
        ("Case.ContactId", "Case.AccountId", "Contact.AccountId"),
        "SELECT c.Id, 'contact of ' || coalesce(p.AccountId, 'no account') FROM \"Case\" c JOIN Contact p "
        "ON p.Id = c.ContactId WHERE p.AccountId IS NOT c.AccountId",
    ),
    Asked(
        "plausible.order_of_account", "the order a case is about is the account's own", "Case",
        ("Case.OrderItemId__c", "Order.AccountId", "OrderItem.OrderId"),
        "SELECT c.Id, 'order of ' || o.AccountId FROM \"Case\" c JOIN OrderItem i ON i.Id = c.OrderItemId__c "
        'JOIN "Order" o ON o.Id = i.OrderId WHERE o.AccountId IS NOT c.AccountId',
    ),
    Asked(
        "plausible.account_of_opportunity", "quotes belong to the account of their opportunity", "Quote",
        ("Quote.AccountId", "Opportunity.AccountId", "Quote.OpportunityId"),
        "SELECT q.Id, 'quoted to ' || q.AccountId FROM Quote q JOIN Opportunity o ON o.Id = q.OpportunityId "
        "WHERE q.AccountId IS NOT o.AccountId",
    ),
    Asked(
        "plausible.converted_leads", "converted leads name the account they became", "Lead",
        ("Lead.IsConverted", "Lead.ConvertedAccountId"),
        "SELECT Id, '' FROM Lead WHERE IsConverted != (ConvertedAccountId IS NOT NULL)",
    ),
    Asked(
        "plausible.cases_close_in_time", f"cases close within {_LONGEST_CASE} days", "Case",
        ("Case.CreatedDate", "Case.ClosedDate"),
        "SELECT Id, (ClosedDate - CreatedDate) / :day || ' days' FROM \"Case\" "
        f"WHERE ClosedDate - CreatedDate > {_LONGEST_CASE} * :day", share=0.5,
    ),
    Asked(
        "plausible.agents_load", f"nobody is given more than {_HEAVIEST_DAY} cases on one day", "User",
        ("CaseHistory__c.NewValue__c",),
        "SELECT NewValue__c, count(*) || ' cases on ' || date(CreatedDate / 1000, 'unixepoch') FROM CaseHistory__c "
        "WHERE Field__c = 'Owner Assignment' GROUP BY NewValue__c, CreatedDate / :day "
        f"HAVING count(*) > {_HEAVIEST_DAY}",
    ),
)  # fmt: skip


def check_plausible(source: Source) -> Iterator[Check]:
    contracts = source.has("Order.ContractId")
    prices = "plausible.order_price_of_entry" if contracts else "plausible.order_price_from_price_book"
    yield from asked(source, LINES)
    yield from asked(source, (rule for rule in MONEY if rule.name != prices))
    yield from asked(source, STATES)
    yield _stages(source)
    yield _heaviest_share(source)
    yield _open_work(source)
    yield from _hours(source)


def _stages(source: Source) -> Check:
    """The mean probability of open opportunities rises from stage to stage."""
    name, about = "plausible.stages_rise", "the later the stage, the higher the probability"
    if not source.has("Opportunity.StageName", "Opportunity.Probability"):
        return left_out(name, about, "the Org has no opportunities")
    tally = Tally(name, about)
    order = source.snapshot.registry.object("Opportunity").field("StageName").values
    sql = "SELECT StageName, avg(Probability), min(Id), count(*) FROM Opportunity GROUP BY StageName"
    means = {stage: (mean, record_id, n) for stage, mean, record_id, n in source.rows(sql)}
    before = -1.0
    for stage in order:
        if stage == "Closed" or stage not in means or means[stage][2] < 5:
            continue
        mean, record_id, n = means[stage]
        tally.seen(n)
        if mean < before:
            tally.fault(record_id, f"{stage}: {mean:.0f} % on average, {before:.0f} % the stage before")
        before = mean
    return tally.check()


def _heaviest_share(source: Source) -> Check:
    """One person with half of all cases is no team."""
    name, about = "plausible.share_of_the_busiest", "cases owned by the busiest person"
    if not source.has("Case.OwnerId"):
        return left_out(name, about, "the Org has no cases")
    total = source.count("Case")
    sql = 'SELECT OwnerId, count(*) AS n FROM "Case" WHERE OwnerId IS NOT NULL GROUP BY OwnerId ORDER BY n DESC LIMIT 1'
    owner, most = next(source.rows(sql), ("", 0))
    if total < 50:
        return left_out(name, about, "fewer than 50 cases")
    return measured(name, about, total, percent(most, total), 35.0, examples=(f"{owner} {most} cases",))


def _open_work(source: Source) -> Check:
    name, about = "plausible.open_cases", "cases still open on the last day"
    if not source.has("Case.ClosedDate"):
        return left_out(name, about, "the Org has no cases")
    total = source.count("Case")
    still = source.one('SELECT count(*) FROM "Case" WHERE ClosedDate IS NULL')
    return measured(name, about, total, percent(still, total), 40.0)


def _hours(source: Source) -> Iterator[Check]:
    """Only of Orgs made with the rhythms of days and weeks."""
    weekend, office = "plausible.weekends", "plausible.office_hours"
    told = ("cases opened on weekends (two days of seven are 28.6 %)", "letters of our people between 7 and 19 UTC")
    if source.ingredients.get("cycles") is False or not source.has("Case.CreatedDate") or source.count("Case") < 100:
        why = "made without daily rhythms, or fewer than 100 cases"
        yield left_out(weekend, told[0], why)
        yield left_out(office, told[1], why)
        return
    days = "strftime('%w', CreatedDate / 1000, 'unixepoch') IN ('0', '6')"
    yield measured(weekend, told[0], source.count("Case"), _share(source, days, '"Case"'), 24.0)
    if source.own and source.has("EmailMessage.FromAddress", "User.Email"):
        hours = "CAST(strftime('%H', MessageDate / 1000, 'unixepoch') AS INTEGER) BETWEEN 7 AND 18"
        found = _share(source, hours, "EmailMessage WHERE FromAddress IN (SELECT Email FROM User)")
        yield measured(office, told[1], source.count("EmailMessage"), found, 90.0, least=True)
    else:
        yield left_out(office, told[1], "an Org from elsewhere")


def _share(source: Source, what: str, among: str) -> float:
    part, whole = next(source.rows(f"SELECT sum({what}), count(*) FROM {among}"))
    return percent(part or 0, whole)
