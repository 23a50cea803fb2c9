"""The settings of a world that questions, rules and checks need, with record Ids in place of codes."""

from __future__ import annotations

from typing import Any

from study.generator.groundwork.branch import Shared
from study.generator.groundwork.facts import Fact
from study.generator.groundwork.plan import Plan


def world_fact(plan: Plan, shared: Shared) -> Fact:
    """The first fact of a truth file. Worlds that do not sell have empty stages, rules, competitors and subtopics."""
    values: dict[str, Any] = {
        "world": plan.name,
        "company": plan.company,
        "consumer": plan.consumer,
        "sells": plan.sells,
        "zone": plan.zone,
        "first_day": plan.first_day.isoformat(),
        "today": plan.today.isoformat(),
        "articles": dict(shared.articles),
        "issues": dict(shared.issues),
        "stages": {},
        "rules": {},
        "competitors": [],
        "subtopics": [],
        "bant": {},
    }
    if plan.sells:
        selling = plan.material.selling
        values |= {
            "stages": {stage: list(phrases) for stage, phrases in selling.stages.items()},
            "rules": selling_rules(plan, shared),
            "competitors": [competitor.name for competitor in selling.competitors],
            "subtopics": list(selling.subtopics),
            "bant": dict(selling.raw["bant"]),
        }
    return Fact("world", "", values)


def selling_rules(plan: Plan, shared: Shared) -> dict[str, Any]:
    """Limits, exclusions, requirements and steps as the rules of study.benchmark take them.

    ValueError for a rule about a product or an article that the world has not.
    """
    selling, ids = plan.material.selling, {code: item.id for code, item in shared.by_code.items()}
    try:
        named = {rule: shared.articles[code] for rule, code in selling.articles.items()}
        return {
            "limits": [
                {"article": named["limits"], "product": ids[code], "most": most}
                for code, most in selling.limits.items()
            ],
            "exclusions": [
                {"article": named["exclusions"], "one": ids[one], "other": ids[other]}
                for one, other in selling.exclusions
            ],
            "requirements": [
                {"article": named["requirements"], "product": ids[code], "needs": ids[needs], "each": each}
                for code, needs, each in selling.requirements
            ],
            "steps": {
                "article": named["steps"],
                "steps": [[step.least, step.percent] for step in selling.steps],
            },
        }
    except KeyError as error:
        what = f"selling.yaml names {error.args[0]}, which is no product or article of {plan.name}."
        raise ValueError(what) from None
