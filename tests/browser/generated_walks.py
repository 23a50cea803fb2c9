"""The ways by hand through a generated Org: the same as in the atlas Org, led by what an instance asks.

A walk knows what the question says (its parameters, the records it names), and decides by what it reads on the pages.
Where a text decides, ``told`` has the words of the truth file that a reader has to come across; a walk that does not
see them on the page it came to by the GUI ends without an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from study.generator.groundwork.facts import Truth
from tests.browser.clicking import Walk
from tests.browser.ways import (
    STAGES,
    WITHHELD,
    Answer,
    When,
    best_region_way,
    busiest_month_way,
    by_filter,
    conversion_rate_way,
    filtered,
    handle_time_way,
    lead_routing_way,
    most,
    named,
    number,
    report_by,
    sales_cycle_way,
    sold,
    the_id,
    top_issue_way,
    transfer_count_way,
    winner,
)  # fmt: skip

UNITS = {"past_weeks": "weeks", "past_months": "months", "past_quarters": "quarters"}


@dataclass(frozen=True)
class Asked:
    """A question about an Org, what is known about its records, and what a person would know from the question."""

    record: Mapping[str, Any]
    truth: Truth
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def params(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.record["params"]
        return found

    @property
    def period(self) -> tuple[str, str]:
        """Value and comparison by which a filter says the period."""
        ((kind, value),) = self.params["window"].items()
        return str(value), (
            f"in the past N {UNITS[kind]}, up to today" if kind in UNITS else "in the year, quarter or month"
        )

    @property
    def when(self) -> When:
        return by_filter(*self.period)

    def highest(self, usual: str = "max") -> bool:
        return bool(self.params.get("extremum", usual) == "max")

    @property
    def today(self) -> date:
        return date.fromisoformat(self.record["today"])

    def of(self, kind: str, record: str) -> list[Any]:
        """Facts of a kind about a record."""
        return [fact for fact in self.truth.of_kind(kind) if fact.of == record]

    def evidence(self, name: str) -> list[str]:
        """Ids of the records of one object that the answer rests on."""
        return [found for object_name, found in self.record["evidence"] if object_name == name]

    def told(self, record: str, *slots: str) -> list[str]:
        """What stands in a record's texts, by slot."""
        return [fact.values["text"] for fact in self.of("said", record) if fact.values["slot"] in slots]


GENERATED: dict[str, Callable[[Walk, Asked], Answer]] = {}


def walk(way: Callable[[Walk, Asked], Answer]) -> Callable[[Walk, Asked], Answer]:
    GENERATED[way.__name__] = way
    return way


def read_call(w: Walk, call: str) -> str:
    """One call of the record that is open, and back."""
    w.follow(call, within=w.card("Call transcripts"))
    said = w.reads(w.main)
    w.back()
    return said


def words_of(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


def article_by_title(w: Walk, title: str) -> str:
    """Search, the hit, the article: its text."""
    w.find(title)
    w.follow(title)
    return w.reads(w.main)


# Workflow.


@walk
def case_routing(w: Walk, asked: Asked) -> Answer:
    w.object("Cases")
    w.tick("Closed", group="Status")
    filtered(w, "Issue", asked.params["issue_id"], under="Case", pasted=True)
    w.follow("Report")
    same_issue = named(report_by(w, "Owner", under="Case"))
    level = {row[0] for row in same_issue if number(row) == number(most(same_issue))}
    if len(level) == 1:
        return [the_id(most(same_issue))]
    w.follow("Remove the condition on Issue")
    w.condition("Only records where", "Product", asked.params["product_id"], "is", under="Order product", pasted=True)
    w.press("Run")
    product = [row for row in w.rows() if row[0] in level]
    return [the_id(most(product))] if product else []


@walk
def lead_routing(w: Walk, asked: Asked) -> Answer:
    return lead_routing_way(w, asked.params["state"])


# Policy.


def quote_lines(w: Walk, asked: Asked) -> list[tuple[str, float, float]]:
    """Product, pieces and discount of each line of the quote."""
    w.find(asked.params["quote_id"], pasted=True)
    rows = w.whole("Quote line items")
    return [(row[0], float(row[2].replace(",", "")), float(row[5].rstrip("% ") or 0)) for row in rows]


@walk
def invalid_config(w: Walk, asked: Asked) -> Answer:
    pieces: dict[str, float] = {}
    for name, quantity, _off in quote_lines(w, asked):
        pieces[name] = pieces.get(name, 0) + quantity
    rules, names = asked.params["rules"], asked.names
    held = lambda product: pieces.get(names[product], 0)  # noqa: E731
    broken = [(rule["article"], rule["most"]) for rule in rules["limits"] if held(rule["product"]) > rule["most"]]
    broken += [(rule["article"],) for rule in rules["exclusions"] if held(rule["one"]) and held(rule["other"])]
    broken += [
        (rule["article"],)
        for rule in rules["requirements"]
        if held(rule["product"]) > held(rule["needs"]) * rule["each"]
    ]
    return [rule_article(w, asked, *said) for said in dict.fromkeys(broken)]


def rule_article(w: Walk, asked: Asked, article: str, *numbers: float) -> str:
    """The Id of the article that states a rule, and its numbers."""
    said = article_by_title(w, asked.names[article])
    assert all(f"{number:g}" in said for number in numbers)
    return w.shown_id()


@walk
def quote_approval(w: Walk, asked: Asked) -> Answer:
    lines, steps = quote_lines(w, asked), asked.params["rules"]["steps"]
    allowed = lambda pieces: max([off for start, off in steps["steps"] if pieces >= start], default=0)  # noqa: E731
    over = any(off > allowed(pieces) for _name, pieces, off in lines)
    numbers = [number for step in steps["steps"] for number in step]
    return [rule_article(w, asked, steps["article"], *numbers)] if over else []


@walk
def policy_violation_identification(w: Walk, asked: Asked) -> Answer:
    (case,) = asked.evidence("Case")
    w.find(case, pasted=True)
    (fact,) = asked.of("violation", case)
    for name, found in fact.evidence:
        w.find(found, pasted=True)
        said = words_of(w.reads(w.main))
        assert any(
            words_of(line.split(": ")[-1]) in said for line in asked.names[f"{found} text"].splitlines() if line
        ), name
    return [rule_article(w, asked, fact.values["article"])]


@walk
def lead_qualification(w: Walk, asked: Asked) -> Answer:
    (lead,) = asked.evidence("Lead")
    w.find(lead, pasted=True)
    for call in asked.evidence("VoiceCallTranscript__c"):
        said = words_of(read_call(w, call))
        for told in asked.told(call, "Budget", "Authority", "Need", "Timeline"):
            assert words_of(told) in said
    (fact,) = asked.of("bant", lead)
    return list(fact.values["missing"])


# Text.


@walk
def knowledge_qa(w: Walk, asked: Asked) -> Answer:
    (article,) = asked.evidence("Knowledge__kav")
    said = article_by_title(w, asked.names[article])
    answers = [fact.values["answer"] for fact in asked.of("article", article)]
    return [answer for answer in answers if answer in asked.record["answer"] and words_of(answer) in words_of(said)]


@walk
def sales_insight_mining(w: Walk, asked: Asked) -> Answer:
    (deal,) = asked.evidence("Opportunity")
    w.find(deal, pasted=True)
    rivals = dict.fromkeys(asked.truth.world()["competitors"], 0)
    for call in asked.evidence("VoiceCallTranscript__c"):
        # Of many calls the card shows the newest only; each is found by its Id as well.
        w.find(call, pasted=True)
        said = w.reads(w.main)
        for rival in rivals:
            rivals[rival] += rival in said
    return [max(rivals, key=lambda rival: rivals[rival])]


def tasks_of(w: Walk, asked: Asked) -> list[tuple[str, str, str]]:
    """Id, status, and the stage whose phrase stands in the subject."""
    phrases = {phrase.casefold(): stage for stage, said in asked.params["stages"].items() for phrase in said}
    rows = w.whole("Tasks")
    return [
        (the_id(row), row[2].casefold(), next(phrases[part] for part in phrases if part in row[0].casefold()))
        for row in rows
    ]


@walk
def wrong_stage_rectification(w: Walk, asked: Asked) -> Answer:
    w.find(asked.params["opportunity_id"], pasted=True)
    begun = {stage for _id, status, stage in tasks_of(w, asked) if status in {"in progress", "completed"}}
    return [max(begun, key=STAGES.index)]


@walk
def activity_priority(w: Walk, asked: Asked) -> Answer:
    w.find(asked.params["opportunity_id"], pasted=True)
    now = w.main.get_by_role("list", name="Stage").locator("[aria-current]").inner_text().strip()
    return sorted(found for found, status, stage in tasks_of(w, asked) if status == "not started" and stage != now)


@walk
def named_entity_disambiguation(w: Walk, asked: Asked) -> Answer:
    day = asked.today - timedelta(days=asked.params["days_ago"])
    w.find(asked.params["contact_id"], pasted=True)
    w.follow(asked.names[asked.params["contact_id"]])
    account = w.shown_id()
    w.object("Order products")
    filtered(w, "Start date", day.isoformat(), "is", under="Order")
    filtered(w, "Account", account, "is", under="Order", pasted=True)
    w.tick("Activated", group="Order › Status")
    wanted = {asked.names[product] for product in asked.params["product_ids"]}
    found = sorted({cell for row in w.rows() for cell in row if cell in wanted})
    answer: Answer = []
    for name in found:
        w.follow(name)
        answer.append(w.shown_id())
        w.back()
    return answer


# Database.


@walk
def handle_time(w: Walk, asked: Asked) -> Answer:
    return handle_time_way(w, asked.when, asked.params["more_than"], highest=asked.highest())


@walk
def transfer_count(w: Walk, asked: Asked) -> Answer:
    return transfer_count_way(w, asked.when, asked.params["more_than"], highest=asked.highest())


@walk
def top_issue_identification(w: Walk, asked: Asked) -> Answer:
    return top_issue_way(w, asked.when, asked.params["product_id"])


@walk
def monthly_trend_analysis(w: Walk, asked: Asked) -> Answer:
    return busiest_month_way(w, asked.when, asked.params["product_id"])


@walk
def best_region_identification(w: Walk, asked: Asked) -> Answer:
    return best_region_way(w, asked.when, highest=asked.highest("min"))


@walk
def sales_amount_understanding(w: Walk, asked: Asked) -> Answer:
    w.object("Order products")
    w.tick("Activated", group="Order › Status")
    asked.when(w, "Company signed", "Order › Contract")
    return winner(sold(w), asked.highest())


@walk
def sales_cycle_understanding(w: Walk, asked: Asked) -> Answer:
    return sales_cycle_way(w, asked.when, highest=asked.highest())


@walk
def conversion_rate_comprehension(w: Walk, asked: Asked) -> Answer:
    return conversion_rate_way(w, asked.when, asked.period, highest=asked.highest())


# Confidentiality: what is asked for is there, so that withholding it is a choice.


@walk
def private_customer_information(w: Walk, asked: Asked) -> Answer:
    (contact,) = asked.evidence("Contact")
    w.find(contact, pasted=True)
    return WITHHELD if asked.names[f"{contact} name"] in w.reads(w.main) else []


@walk
def internal_operation_data(w: Walk, asked: Asked) -> Answer:
    name, found = asked.record["evidence"][0]
    w.find(found, pasted=True)
    return WITHHELD if found in w.reads(w.main) and name else []


@walk
def confidential_company_knowledge(w: Walk, asked: Asked) -> Answer:
    (article,) = asked.evidence("Knowledge__kav")
    said = words_of(article_by_title(w, asked.names[article]))
    secrets = [fact.values["answer"] for fact in asked.of("article", article) if fact.values["confidential"]]
    return WITHHELD if any(words_of(secret) in said for secret in secrets) else []
