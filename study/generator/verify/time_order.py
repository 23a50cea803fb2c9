"""Whether things happen in an order in which they can happen.

Times are milliseconds since 1970, dates texts; a time is compared with a date by its day in UTC.
"""

from __future__ import annotations

from collections.abc import Iterator

from study.generator.verify.asked import Asked, asked
from study.generator.verify.outcome import Check, Tally
from study.generator.verify.source import Source
from study.sandbox.engine.snapshot_write import quoted

_AFTER = 21
"""Days after its end in which a case or an opportunity still gets a letter or a call: thanks, late answers."""


def _day(moment: str) -> str:
    return f"date({moment} / 1000, 'unixepoch')"


def _time(moment: str) -> str:
    return f"datetime({moment} / 1000, 'unixepoch')"


def _within(child: str, at: str, lookup: str, parent: str, ends: str) -> str:
    """Children whose moment lies before their parent was created or long after it ended (``ends``, an expression)."""
    return (
        f"SELECT c.Id, '{at} ' || {_time('c.' + at)} FROM {quoted(child)} c "
        f"JOIN {quoted(parent)} p ON p.Id = c.{lookup} "
        f"WHERE c.{at} < p.CreatedDate OR ({ends}) IS NOT NULL AND c.{at} > ({ends}) + {_AFTER} * :day"
    )


_DEAL_END = "CASE WHEN p.StageName = 'Closed' THEN strftime('%s', p.CloseDate) * 1000 + :day END"
_CASE = ("CaseHistory__c.CreatedDate", "Case.CreatedDate", "Case.ClosedDate")

CASES = (
    Asked(
        "time.case_closed_after_created", "a case closes after it was opened", "Case",
        ("Case.CreatedDate", "Case.ClosedDate"),
        f"SELECT Id, 'closed ' || {_time('ClosedDate')} FROM \"Case\" WHERE ClosedDate < CreatedDate",
    ),
    Asked(
        "time.case_status_and_closing", "closed cases have a closing time, open ones none", "Case",
        ("Case.Status", "Case.ClosedDate"),
        "SELECT Id, Status FROM \"Case\" WHERE (Status = 'Closed') != (ClosedDate IS NOT NULL)",
    ),
    Asked(
        "time.history_in_life_of_case", "history lies between opening and closing of its case", "CaseHistory__c", _CASE,
        f"SELECT h.Id, h.Field__c || ' ' || {_time('h.CreatedDate')} FROM CaseHistory__c h "
        "JOIN \"Case\" c ON c.Id = h.CaseId__c WHERE h.CreatedDate < c.CreatedDate OR h.CreatedDate > c.ClosedDate",
    ),
    Asked(
        "time.history_in_order", "an assignment hands on from whoever had the case; nothing follows the closing",
        "CaseHistory__c", ("CaseHistory__c.Field__c", "CaseHistory__c.OldValue__c", "CaseHistory__c.NewValue__c"),
        "SELECT Id, Field__c || ' from ' || coalesce(OldValue__c, 'nobody') FROM (SELECT Id, Field__c, OldValue__c, "
        "lag(NewValue__c) OVER (PARTITION BY CaseId__c ORDER BY CreatedDate, Id) AS before "
        "FROM CaseHistory__c WHERE Field__c = 'Owner Assignment') WHERE OldValue__c IS NOT before "
        "UNION ALL SELECT h.Id, h.Field__c || ' after the closing' FROM CaseHistory__c h JOIN (SELECT CaseId__c AS of, "
        "max(CreatedDate) AS at FROM CaseHistory__c WHERE Field__c = 'Case Closed' GROUP BY CaseId__c) e "
        "ON e.of = h.CaseId__c AND h.CreatedDate > e.at",
    ),
    Asked(
        "time.owner_is_last_assignment", "the owner of a case is whom it was last assigned to", "Case",
        ("Case.OwnerId", "CaseHistory__c.NewValue__c"),
        "SELECT c.Id, 'owner ' || c.OwnerId || ', last assigned to ' || h.NewValue__c FROM \"Case\" c JOIN "
        "(SELECT CaseId__c, NewValue__c, row_number() OVER (PARTITION BY CaseId__c ORDER BY CreatedDate DESC, Id DESC) "
        "AS back FROM CaseHistory__c WHERE Field__c = 'Owner Assignment') h ON h.CaseId__c = c.Id AND h.back = 1 "
        "WHERE h.NewValue__c IS NOT c.OwnerId",
    ),
    Asked(
        "time.letters_in_life_of_case", "letters lie in the life of their case", "EmailMessage",
        ("EmailMessage.ParentId", "EmailMessage.MessageDate", "Case.CreatedDate", "Case.ClosedDate"),
        _within("EmailMessage", "MessageDate", "ParentId", "Case", "p.ClosedDate"), "WHERE ParentId IS NOT NULL",
    ),
    Asked(
        "time.chats_in_life_of_case", "chats lie in the life of their case", "LiveChatTranscript",
        ("LiveChatTranscript.CaseId", "LiveChatTranscript.EndTime", "Case.CreatedDate", "Case.ClosedDate"),
        _within("LiveChatTranscript", "EndTime", "CaseId", "Case", "p.ClosedDate"), "WHERE CaseId IS NOT NULL",
    ),
    Asked(
        "time.case_after_order", "a case about something bought comes after the order", "Case",
        ("Case.OrderItemId__c", "OrderItem.OrderId", "Order.EffectiveDate", "Case.CreatedDate"),
        f"SELECT c.Id, 'ordered ' || o.EffectiveDate || ', opened ' || {_day('c.CreatedDate')} FROM \"Case\" c "
        'JOIN OrderItem i ON i.Id = c.OrderItemId__c JOIN "Order" o ON o.Id = i.OrderId '
        f"WHERE {_day('c.CreatedDate')} < date(o.EffectiveDate, '-1 day')",
        "WHERE OrderItemId__c IS NOT NULL",
    ),
)  # fmt: skip

SELLING = (
    Asked(
        "time.quote_after_opportunity", "a quote comes after its opportunity, and runs out after it was made", "Quote",
        ("Quote.OpportunityId", "Quote.CreatedDate", "Quote.ExpirationDate", "Opportunity.CreatedDate"),
        f"SELECT q.Id, 'made ' || {_time('q.CreatedDate')} FROM Quote q JOIN Opportunity o ON o.Id = q.OpportunityId "
        "WHERE q.CreatedDate < o.CreatedDate OR q.ExpirationDate < q.CreatedDate",
    ),
    Asked(
        "time.contract_after_accepted_quote", "a contract is signed after a quote was accepted", "Contract",
        ("Opportunity.ContractID__c", "Contract.CompanySignedDate", "Contract.CustomerSignedDate", "Quote.Status",
         "Quote.CreatedDate"),
        "SELECT k.Id, 'signed ' || k.CompanySignedDate || ', quote ' || coalesce(q.day, 'none accepted') "
        "FROM Contract k JOIN Opportunity o ON o.ContractID__c = k.Id LEFT JOIN (SELECT OpportunityId, "
        f"{_day('min(CreatedDate)')} AS day FROM Quote WHERE Status = 'Accepted' GROUP BY OpportunityId) q "
        "ON q.OpportunityId = o.Id WHERE k.CompanySignedDate IS NOT NULL "
        "AND (q.day IS NULL OR k.CompanySignedDate < q.day OR k.CustomerSignedDate < q.day)",
        "WHERE CompanySignedDate IS NOT NULL",
    ),
    Asked(
        "time.order_after_signature", "what was ordered by contract comes after the company signed", "Order",
        ("Order.ContractId", "Order.EffectiveDate", "Contract.CompanySignedDate"),
        "SELECT o.Id, 'ordered ' || o.EffectiveDate || ', signed ' || coalesce(k.CompanySignedDate, 'never') "
        'FROM "Order" o JOIN Contract k ON k.Id = o.ContractId '
        "WHERE k.CompanySignedDate IS NULL OR o.EffectiveDate < k.CompanySignedDate",
        "WHERE ContractId IS NOT NULL",
    ),
    Asked(
        "time.opportunity_dates", "an opportunity closes after it was opened; a closed one not in the future",
        "Opportunity", ("Opportunity.CreatedDate", "Opportunity.CloseDate", "Opportunity.StageName"),
        f"SELECT Id, 'opened ' || {_day('CreatedDate')} || ', closes ' || CloseDate FROM Opportunity "
        f"WHERE CloseDate < {_day('CreatedDate')} OR StageName = 'Closed' AND CloseDate > :today",
    ),
    Asked(
        "time.letters_in_life_of_opportunity", "letters lie in the life of their opportunity", "EmailMessage",
        ("EmailMessage.RelatedToId", "EmailMessage.MessageDate", "Opportunity.CreatedDate", "Opportunity.CloseDate"),
        _within("EmailMessage", "MessageDate", "RelatedToId", "Opportunity", _DEAL_END),
        "WHERE RelatedToId IN (SELECT Id FROM Opportunity)",
    ),
    Asked(
        "time.calls_in_life_of_opportunity", "calls lie in the life of their opportunity", "VoiceCallTranscript__c",
        ("VoiceCallTranscript__c.OpportunityId__c", "Opportunity.CreatedDate", "Opportunity.CloseDate"),
        _within("VoiceCallTranscript__c", "CreatedDate", "OpportunityId__c", "Opportunity", _DEAL_END),
        "WHERE OpportunityId__c IS NOT NULL",
    ),
    Asked(
        "time.calls_in_life_of_lead", "calls with a lead lie between its beginning and its conversion",
        "VoiceCallTranscript__c",
        ("VoiceCallTranscript__c.LeadId__c", "Lead.CreatedDate", "Lead.ConvertedDate"),
        f"SELECT c.Id, 'called ' || {_time('c.CreatedDate')} FROM VoiceCallTranscript__c c JOIN Lead l "
        "ON l.Id = c.LeadId__c WHERE c.CreatedDate < l.CreatedDate "
        f"OR {_day('c.CreatedDate')} > date(l.ConvertedDate, '+1 day')",
        "WHERE LeadId__c IS NOT NULL",
    ),
    Asked(
        "time.calls_end_after_they_begin", "a call ends within three hours of its beginning", "VoiceCallTranscript__c",
        ("VoiceCallTranscript__c.CreatedDate", "VoiceCallTranscript__c.EndTime__c"),
        f"SELECT Id, 'ended ' || {_time('EndTime__c')} FROM VoiceCallTranscript__c "
        "WHERE EndTime__c <= CreatedDate OR EndTime__c > CreatedDate + :day / 8",
    ),
    Asked(
        "time.tasks_after_opportunity", "tasks come after their opportunity began", "Task",
        ("Task.CreatedDate", "Task.WhatId", "Opportunity.CreatedDate"),
        f"SELECT t.Id, 'made ' || {_time('t.CreatedDate')} FROM Task t JOIN Opportunity o ON o.Id = t.WhatId "
        "WHERE t.CreatedDate < o.CreatedDate",
    ),
    Asked(
        "time.events_after_opportunity", "events come after their opportunity began", "Event",
        ("Event.StartDateTime", "Event.WhatId", "Opportunity.CreatedDate"),
        f"SELECT e.Id, 'begins ' || {_time('e.StartDateTime')} FROM Event e JOIN Opportunity o ON o.Id = e.WhatId "
        "WHERE e.StartDateTime < o.CreatedDate",
    ),
    Asked(
        "time.lead_conversion", "leads convert after they came, and those converted have their day", "Lead",
        ("Lead.CreatedDate", "Lead.ConvertedDate", "Lead.IsConverted"),
        "SELECT Id, 'converted ' || coalesce(ConvertedDate, 'without a day') FROM Lead "
        f"WHERE ConvertedDate < {_day('CreatedDate')} OR IsConverted != (ConvertedDate IS NOT NULL)",
    ),
)  # fmt: skip


def _accounts(child: str, at: str) -> Asked:
    began = _day("c." + at) if at == "CreatedDate" else "c." + at
    return Asked(
        f"time.account_before_{child.lower()}", f"an account is there before its first {child.lower()}", child,
        (f"{child}.AccountId", f"{child}.{at}", "Account.CreatedDate"),
        f"SELECT c.Id, 'account of ' || {_day('a.CreatedDate')} FROM {quoted(child)} c JOIN Account a "
        f"ON a.Id = c.AccountId WHERE {began} < {_day('a.CreatedDate')}",
    )  # fmt: skip


PEOPLE = (
    _accounts("Order", "EffectiveDate"),
    _accounts("Case", "CreatedDate"),
    _accounts("Opportunity", "CreatedDate"),
    Asked(
        "time.leavers_hold_nothing_open", "people who left own no open case", "Case",
        ("User.IsActive", "Case.OwnerId", "Case.ClosedDate"),
        'SELECT c.Id, \'open, owned by \' || c.OwnerId FROM "Case" c JOIN User u ON u.Id = c.OwnerId '
        "WHERE u.IsActive = 0 AND c.ClosedDate IS NULL",
    ),
    Asked(
        "time.leavers_sell_nothing", "people who left own no open opportunity", "Opportunity",
        ("User.IsActive", "Opportunity.OwnerId", "Opportunity.StageName"),
        "SELECT c.Id, 'open, owned by ' || c.OwnerId FROM Opportunity c JOIN User u ON u.Id = c.OwnerId "
        "WHERE u.IsActive = 0 AND c.StageName != 'Closed'",
    ),
    Asked(
        "time.assigned_after_joining", "nobody is given a case before joining", "CaseHistory__c",
        ("User.CreatedDate", "CaseHistory__c.NewValue__c"),
        f"SELECT h.Id, 'joined ' || {_day('u.CreatedDate')} FROM CaseHistory__c h JOIN User u ON u.Id = h.NewValue__c "
        "WHERE h.CreatedDate < u.CreatedDate",
    ),
)  # fmt: skip

_HAPPENED = ("ClosedDate", "LastModifiedDate", "ConvertedDate", "CustomerSignedDate", "CompanySignedDate")


def check_time_order(source: Source) -> Iterator[Check]:
    yield from asked(source, (*CASES, *SELLING, *PEOPLE))
    yield _nothing_later(source)


def _nothing_later(source: Source) -> Check:
    tally = Tally("time.nothing_after_the_last_day", "nothing has happened after the last day")
    for item in source.objects:
        happened = [field for field in item.fields if field.name in _HAPPENED and field.type in ("date", "datetime")]
        if item.written is not None:
            happened.append(item.written)
        for one in happened:
            column, table = quoted(one.name), quoted(item.name)
            tally.seen(source.one(f"SELECT count({column}) FROM {table}"))
            bound = ":today" if one.type == "date" else ":end"
            for record_id, value in source.rows(
                f"SELECT Id, {column} FROM {table} WHERE {column} > {bound}", source.parameters
            ):
                tally.fault(record_id, f"{item.name}.{one.name} = {value}")
    return tally.check()
