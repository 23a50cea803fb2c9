"""The rules of selling in words: what articles say where they have a slot."""

from __future__ import annotations

from study.generator.groundwork.material import SellingRules
from study.generator.groundwork.plan import Plan


def slots_of(plan: Plan) -> dict[str, str]:
    """Slot -> words. A world that does not sell has none."""
    if not plan.sells:
        return {}
    rules, names = plan.material.selling, {line.code: line.name for line in plan.material.product_lines}
    bant = rules.raw["bant"]
    slots = {
        "limits": limits(rules, names),
        "exclusions": exclusions(rules, names),
        "requirements": requirements(rules, names),
        "steps": steps(rules),
        "stages": stages(rules),
        "amount": f"{int(bant['amount']):,}",
        "months": _WORDS.get(int(bant["months"]), str(bant["months"])),
    }
    for competitor in rules.competitors:
        for code in _codes_of(plan, competitor.name):
            slots[f"{code} strengths"] = " and ".join(competitor.strengths)
            slots[f"{code} weaknesses"] = " and ".join(competitor.weaknesses)
    return slots


_WORDS = {3: "three", 4: "four", 6: "six", 9: "nine", 12: "twelve"}


def _codes_of(plan: Plan, competitor: str) -> list[str]:
    """The code of the article on a competitor, as its head names it."""
    heads = (line for line in plan.material.text("knowledge.txt").split("\n") if line.startswith("## "))
    return [head[3:].split(" | ")[0].strip() for head in heads if f"competitor={competitor}" in head]


def limits(rules: SellingRules, names: dict[str, str]) -> str:
    return "\n".join(f"- {names[code]} ({code}): no more than {most}" for code, most in rules.limits.items())


def exclusions(rules: SellingRules, names: dict[str, str]) -> str:
    return "\n".join(f"- {names[one]} ({one}) not with {names[other]} ({other})" for one, other in rules.exclusions)


def requirements(rules: SellingRules, names: dict[str, str]) -> str:
    return "\n".join(
        f"- {names[code]} ({code}): one {names[needs]} ({needs}) for {_each(each)}"
        for code, needs, each in rules.requirements
    )


def _each(each: int) -> str:
    return "every piece" if each == 1 else f"every {each} pieces or part thereof"


def steps(rules: SellingRules) -> str:
    return "\n".join(f"- from {step.least} pieces: up to {step.percent:g} percent" for step in rules.steps)


def stages(rules: SellingRules) -> str:
    return "\n".join(f"{stage}: {'; '.join(phrases)}." for stage, phrases in rules.stages.items())
