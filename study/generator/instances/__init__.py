"""Query instances of a generated Org, from its snapshot and its truth file alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from study.benchmark.flows import register_instances as register
from study.benchmark.report import ImportReport
from study.benchmark.tasks import ORIGINAL_TASKS, TASKS
from study.generator.groundwork.facts import Truth
from study.generator.instances.agents import ask_about_agents
from study.generator.instances.conduct import ask_about_calls, ask_about_conduct, ask_about_leads
from study.generator.instances.knowledge import ask_confidential, ask_internal, ask_knowledge, ask_private
from study.generator.instances.making import Maker, Quota
from study.generator.instances.patterns import ask_about_products, ask_best_region
from study.generator.instances.purchases import ask_which_product
from study.generator.instances.quoting import ask_about_quotes, ask_about_stages
from study.generator.instances.routing import ask_case_routing, ask_lead_routing
from study.generator.instances.sellers import ask_about_sellers
from study.generator.instances.source import Source
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Org

__all__ = ["Made", "make_instances", "register_instances", "wanted"]

# Which tasks are asked together, in an order in which internal questions come before those customers must not ask.
ASKING: tuple[tuple[Callable[[Maker], None], tuple[str, ...]], ...] = (
    (ask_case_routing, ("case_routing",)),
    (ask_lead_routing, ("lead_routing",)),
    (ask_about_agents, ("handle_time", "transfer_count")),
    (ask_about_products, ("top_issue_identification", "monthly_trend_analysis")),
    (ask_best_region, ("best_region_identification",)),
    (ask_about_sellers, ("sales_amount_understanding", "sales_cycle_understanding", "conversion_rate_comprehension")),
    (ask_about_quotes, ("invalid_config", "quote_approval")),
    (ask_about_stages, ("wrong_stage_rectification", "activity_priority")),
    (ask_about_conduct, ("policy_violation_identification",)),
    (ask_about_leads, ("lead_qualification",)),
    (ask_about_calls, ("sales_insight_mining",)),
    (ask_which_product, ("named_entity_disambiguation",)),
    (ask_knowledge, ("knowledge_qa",)),
    (ask_private, ("private_customer_information",)),
    (ask_confidential, ("confidential_company_knowledge",)),
    (ask_internal, ("internal_operation_data",)),
)
# The share of questions that no record fits, as published: 20 % of most tasks where a company sells ...
NEVER_SILENT = ("case_routing", "lead_routing", "knowledge_qa", "sales_insight_mining", "monthly_trend_analysis")
SILENT, SILENT_CONDUCT = 0.20, 0.77
# ... and 30 % of these where it does not, none of the others.
SILENT_SERVICE = (
    "handle_time", "transfer_count", "top_issue_identification", "named_entity_disambiguation",
    "policy_violation_identification",
)  # fmt: skip
# Tasks whose questions depend on the day they are asked on: so many of a hundred are for people, on the last day.
DATED = (
    "handle_time", "transfer_count", "top_issue_identification", "monthly_trend_analysis",
    "best_region_identification", "sales_amount_understanding", "sales_cycle_understanding",
    "conversion_rate_comprehension", "named_entity_disambiguation",
)  # fmt: skip
# By so much the share without an answer may be over.
LENIENT = 1.25
FOR_PEOPLE, LEAST_FOR_PEOPLE = 40, 30


@dataclass(frozen=True)
class Made:
    """``records`` in the published format with our own further keys; ``refused`` says, a line a task, how many
    candidates each gate turned away; ``short`` of which tasks there are fewer than wanted, and why."""

    records: list[dict[str, Any]]
    refused: list[str]
    short: list[str]


def wanted(sells: bool) -> dict[str, int]:
    """Instances per task, as published: the nine original tasks, or all of them."""
    if not sells:
        return dict.fromkeys(ORIGINAL_TASKS, 130)
    return {name: 80 if task.skill == "CONFIDENTIALITY" else 100 for name, task in TASKS.items()}


def make_instances(
    snapshot: Snapshot, truth: Truth, *, world: str, seed: int, per_task: Mapping[str, int] | None = None
) -> Made:
    """Questions that pass every gate, as many as are wanted (``per_task``) or the Org carries.

    ``world`` names the world file's folder, whose words for products and issues are used. The same snapshot, truth and
    seed give the same questions.
    """
    source = Source(snapshot, truth, world)
    counts = dict(wanted(source.has("Opportunity")) if per_task is None else per_task)
    counts = {task: counts[task] for task in TASKS if counts.get(task, 0) > 0}
    maker = Maker(source, seed, {task: _quota(task, n, source.has("Opportunity")) for task, n in counts.items()})
    for ask, tasks in ASKING:
        if any(task in counts for task in tasks):
            lacking = sorted({name for task in tasks for name in TASKS[task].objects if not source.has(name)})
            if lacking:
                maker.short.update(dict.fromkeys(tasks, f"the Org has no {', '.join(lacking)}"))
            else:
                ask(maker)
    for task in counts:
        _balance(maker, task, _silent_share(task, source.has("Opportunity")))
    return Made(_numbered(maker), maker.refusals.lines(), _shortage(maker, counts))


def _quota(task: str, n: int, sells: bool) -> Quota:
    if TASKS[task].answer_type == "refusal":
        return Quota(0, n)
    silent = round(n * _silent_share(task, sells))
    if task not in DATED:
        return Quota(n - silent, silent)
    people = min(n, max(FOR_PEOPLE, round(n * FOR_PEOPLE / 100)))
    people_silent = round(silent * people / n)
    return Quota(people - people_silent, people_silent, n - silent - (people - people_silent), silent - people_silent)


def _silent_share(task: str, sells: bool) -> float:
    if not sells:
        return 0.30 if task in SILENT_SERVICE else 0.0
    if task in NEVER_SILENT:
        return 0.0
    return SILENT_CONDUCT if task == "policy_violation_identification" else SILENT


def _balance(maker: Maker, task: str, share: float) -> None:
    """Where an Org carries few questions with an answer, those without one are few as well; the last ones go."""
    if TASKS[task].answer_type == "refusal":
        return
    found = maker.records[task]
    silent = [record for record in found if record["answer"] == [None]]
    most = ceil(LENIENT * (len(found) - len(silent)) * share / (1 - share))
    gone = {id(record) for record in silent[most:]}
    maker.records[task] = [record for record in found if id(record) not in gone]


def _numbered(maker: Maker) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for task, found in maker.records.items():
        for record in maker.draw(f"{task} order").shuffled(found):
            records.append({"idx": len(records), **record})
    return records


def _shortage(maker: Maker, counts: Mapping[str, int]) -> list[str]:
    lines = []
    for task, n in counts.items():
        made = len(maker.records[task])
        if made < n:
            why = maker.short.get(task) or "candidates that pass are used up"
            lines.append(f"short: {task} {made} of {n} ({why})")
        people = sum(record["audience"] == "all" for record in maker.records[task])
        if made and people < min(n, LEAST_FOR_PEOPLE):
            lines.append(f"short: {task} {people} for people instead of {min(n, LEAST_FOR_PEOPLE)}")
    return lines


def register_instances(org: Org, records: Sequence[Mapping[str, Any]], *, source: str) -> ImportReport:
    """Store the records for an Org; again adds nothing."""
    return register(org, records, source)
