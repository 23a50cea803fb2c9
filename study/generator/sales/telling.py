"""Facts about deals, quotes and leads for the truth file, worked out from what the records say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import FACTORS, STAGES, Call, Deal, Lead, Quote
from study.generator.sales.rivals import Rivals
from study.generator.sales.rulebook import LATENT, Rulebook

_TOLD = (("amount", "amount"), ("day", "date"), ("quote", "quote"), ("product", "product"), ("rival", "competitor"))
BEGUN = ("In Progress", "Completed")


def tell_said(branch: Branch, object_name: str, record_id: str, text: str, slots: Mapping[str, str]) -> None:
    """The particulars that stand word for word in a description."""
    for slot, name in _TOLD:
        said = slots[slot]
        if said and said in text:
            branch.tell("said", record_id, object=object_name, field="Description", slot=name, text=said)


def tell_deals(branch: Branch, deals: Sequence[Deal], rules: Rulebook) -> None:
    for deal in deals:
        _tell_stage(branch, deal)
        _tell_priority(branch, deal)
        for quote in deal.quotes:
            tell_quote(branch, quote, rules)
        for call in deal.calls:
            _tell_call(branch, call)


def _tell_stage(branch: Branch, deal: Deal) -> None:
    """The furthest stage with a task that was begun, beside the recorded one."""
    begun = [task.stage for task in deal.activities if task.status in BEGUN]
    true = max(begun, key=STAGES.index) if begun else deal.stage
    evidence = [("Task", task.id) for task in deal.activities] + [("Event", event.id) for event in deal.events]
    branch.tell("stage", deal.id, evidence, true=true, recorded=deal.stage)
    if true != deal.stage:
        branch.tell("latent", deal.id, name="WrongStage", true=true, recorded=deal.stage)


def _tell_priority(branch: Branch, deal: Deal) -> None:
    unfit = [task.id for task in deal.activities if task.status == "Not Started" and task.stage != deal.stage]
    evidence = [("Task", task.id) for task in deal.activities]
    branch.tell("priority", deal.id, evidence, unfit=unfit)
    if unfit:
        branch.tell("latent", deal.id, name="WrongPriority", tasks=len(unfit))


def tell_quote(branch: Branch, quote: Quote, rules: Rulebook) -> None:
    """Which article the lines go against, if any; ``Quote.breaks`` is set to the rule."""
    pieces: dict[str, int] = {}
    for line in quote.lines:
        pieces[line.item.code] = pieces.get(line.item.code, 0) + line.quantity
    evidence = [("QuoteLineItem", line.id) for line in quote.lines]
    breaches = rules.breaches(pieces)
    kind = breaches[0].kind if breaches else None
    rule = breaches[0].rule if breaches else None
    too_high = rules.too_high(quote.lines)
    branch.tell("configuration", quote.id, evidence, article=rules.articles[kind] if kind else None, rule=rule)
    branch.tell("discount", quote.id, evidence, article=rules.articles["steps"] if too_high else None)
    if kind:
        quote.breaks = kind
        branch.tell("latent", quote.id, name=LATENT[kind], rule=rule)
    elif too_high:
        quote.breaks = "steps"
        worst = too_high[0]
        branch.tell(
            "latent", quote.id, name=LATENT["steps"], quantity=worst.quantity, discount=worst.discount,
            allowed=rules.allowed(worst.quantity),
        )  # fmt: skip


def _tell_call(branch: Branch, call: Call) -> None:
    minutes = round((call.end - call.start).total_seconds() / 60)
    branch.tell("latent", call.id, name="SalesConversation", topic=call.topic, minutes=minutes)


def tell_leads(branch: Branch, leads: Sequence[Lead]) -> None:
    """BANT of every lead that somebody has spoken with."""
    for lead in leads:
        if lead.missing is None:
            continue
        evidence = [("VoiceCallTranscript__c", call.id) for call in lead.calls]
        branch.tell("bant", lead.id, evidence, missing=[factor for factor in FACTORS if factor in lead.missing])
        for call in lead.calls:
            _tell_call(branch, call)


def tell_competitors(branch: Branch, rivals: Rivals) -> None:
    """Once a world: who is met how often, and what each is strong in."""
    if branch.number:
        return
    for name, weight in zip(rivals.names, rivals.weights, strict=True):
        branch.tell("latent", "", name="Competitors", competitor=name, weight=weight)
        strong = [topic for topic in rivals.topics(name) if rivals.known_for(name, topic) > 0]
        branch.tell("latent", "", name="Strengths", competitor=name, subtopics=strong)
