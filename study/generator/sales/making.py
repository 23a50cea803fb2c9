"""All of selling in one go: leads, deals, quotes, contracts, orders, tasks and events, and the plans of calls."""

from __future__ import annotations

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.things import Lead, Sales
from study.generator.sales.activities import Events, Tasks, write_activities
from study.generator.sales.calls import CallPlans
from study.generator.sales.closing import Closing
from study.generator.sales.hours import Hours
from study.generator.sales.leads import LeadBook
from study.generator.sales.numbering import Numbering
from study.generator.sales.owners import Owners
from study.generator.sales.pipeline import Life, Pipeline
from study.generator.sales.quote_plans import plan_quotes
from study.generator.sales.quotes import Quoting
from study.generator.sales.remarks import Remarks
from study.generator.sales.rivals import Rivals
from study.generator.sales.rows import add_rows, number_calls, number_everything
from study.generator.sales.rulebook import Rulebook
from study.generator.sales.sentences import Sentences
from study.generator.sales.telling import tell_competitors, tell_deals, tell_leads
from study.generator.sales.words import Words


def make_sales(branch: Branch) -> Sales:
    """Everything about selling but the words of calls and letters: rows and facts go into the branch, the things that
    others need are handed back. Exactly as many records of each object as ``branch.counts`` says; the calls are only
    planned, and whoever writes their words adds them.
    """
    plan = branch.plan
    calendar, owners, words = Calendar(plan), Owners(branch), Words(plan.material)
    rules = Rulebook(plan.material.selling, branch.shared)
    progress = LeadBook(branch, calendar, owners, words).made()
    leads = [entry.lead for entry in progress]
    lives = Pipeline(branch, calendar, owners, words, leads).made()
    Quoting(branch, calendar, rules).fill(lives, plan_quotes(branch, lives))
    closing, numbering = Closing(branch, Hours(branch, calendar)), Numbering(branch)
    closing.sign(lives)
    number_everything(branch, leads, lives, numbering)
    closing.order(lives, numbering)
    rivals, calls = Rivals(branch, words), CallPlans(branch, calendar)
    for life in lives:
        rivals.meet(life)
    planned = calls.plan_leads(progress)
    calls.plan_deals(lives, branch.counts.get("VoiceCallTranscript__c", 0) - planned)
    remarks = Remarks(branch, rivals)
    for life in lives:
        remarks.plan(life)
    Tasks(branch, calendar, owners, words).plan(lives)
    Events(branch, calendar, words).plan(lives)
    _write(branch, leads, lives, words)
    deals = [life.deal for life in lives]
    tell_deals(branch, deals, rules)
    tell_leads(branch, leads)
    tell_competitors(branch, rivals)
    for life in lives:
        rivals.tell(life)
        remarks.tell(life)
    return Sales(deals, leads, closing.bought)


def _write(branch: Branch, leads: list[Lead], lives: list[Life], words: Words) -> None:
    """Ids of calls, words and rows of everything else."""
    sentences = Sentences(branch, words)
    for life in lives:
        deal = life.deal
        deal.name, deal.description = sentences.name(life), sentences.deal(life)
        for place, quote in enumerate(deal.quotes):
            quote.name, quote.description = sentences.quote(life, quote, place)
        if deal.contract is not None:
            deal.contract.description = sentences.contract(life, deal.contract)
    number_calls(branch, [c for lead in leads for c in lead.calls] + [c for life in lives for c in life.deal.calls])
    add_rows(branch, leads, lives)
    write_activities(branch, lives, sentences, words)
