"""Answer rules: named functions of (snapshot, parameters, today) that read data only by running QuerySpecs.

docs/tasks.md states each so that a professional can follow it by hand.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from study.benchmark.rules.agents import handle_time, transfer_count
from study.benchmark.rules.answer import Answer, RuleError, RuleFunction, Step
from study.benchmark.rules.patterns import (
    best_region_identification,
    monthly_trend_analysis,
    top_issue_identification,
)
from study.benchmark.rules.purchases import named_entity_disambiguation
from study.benchmark.rules.quotes import invalid_config, quote_approval
from study.benchmark.rules.routing import case_routing, lead_routing
from study.benchmark.rules.sales import (
    conversion_rate_comprehension,
    sales_amount_understanding,
    sales_cycle_understanding,
)
from study.benchmark.rules.stages import activity_priority, wrong_stage_rectification
from study.sandbox.engine.snapshot import Snapshot

__all__ = ["RULES", "Answer", "RuleError", "Step", "answer_by_rule"]

RULES: dict[str, RuleFunction] = {
    "handle_time": handle_time,
    "transfer_count": transfer_count,
    "top_issue_identification": top_issue_identification,
    "monthly_trend_analysis": monthly_trend_analysis,
    "best_region_identification": best_region_identification,
    "case_routing": case_routing,
    "named_entity_disambiguation": named_entity_disambiguation,
    "lead_routing": lead_routing,
    "invalid_config": invalid_config,
    "quote_approval": quote_approval,
    "wrong_stage_rectification": wrong_stage_rectification,
    "activity_priority": activity_priority,
    "sales_amount_understanding": sales_amount_understanding,
    "sales_cycle_understanding": sales_cycle_understanding,
    "conversion_rate_comprehension": conversion_rate_comprehension,
}


def answer_by_rule(rule: str, snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The answer of a named rule. Raises RuleError for an unknown rule or parameters that do not fit it."""
    if rule not in RULES:
        raise RuleError(f"There is no rule {rule!r}; known are {', '.join(RULES)}.")
    return RULES[rule](snapshot, params, today)
