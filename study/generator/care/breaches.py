"""In which cases an agent breaks a rule of customer care, and where agents keep one and say so."""

from __future__ import annotations

from dataclasses import dataclass, field

from study.generator.care.case import Case
from study.generator.care.choosing import chosen
from study.generator.care.matters import Matters, Policy
from study.generator.groundwork.branch import Branch

KEPT = 0.6
"""Share of cases in which an agent names a rule and keeps it."""
KEPT_BESIDE = 0.3
SECOND = 0.2


@dataclass
class Conduct:
    """The rules that come up in one case: at most one broken, others kept."""

    broken: Policy | None = None
    kept: list[Policy] = field(default_factory=list)


def conduct_of(branch: Branch, cases: list[Case], matters: Matters, answered: list[bool]) -> list[Conduct]:
    """One for each case. Exactly the share of closed cases that the world sets holds a breach, as far as agents write.

    ``answered``: whether an agent writes or chats in the case at all. Who knows little of an issue slips more often.
    """
    draw, causes = branch.draw("conduct"), branch.plan.ingredients.causes
    share = float(branch.plan.latent("IssueSolution", "violations", 0.23))
    conduct = [Conduct() for _ in cases]
    applying = [matters.policies_for(case.issue, case.line.item) for case in cases]
    weights = []
    for case, spoke, policies in zip(cases, answered, applying, strict=True):
        fits = case.closed is not None and spoke and bool(policies)
        lacks = 1.15 - case.owner.skill.get(case.issue.code, 0.5) if causes else 1.0
        weights.append(round(lacks * lacks, 6) if fits else 0.0)
    closed = sum(case.closed is not None and spoke for case, spoke in zip(cases, answered, strict=True))
    breaking = chosen(draw, weights, min(round(share * closed), sum(weight > 0 for weight in weights)))
    used: dict[str, int] = {}
    for place in draw.shuffled(breaking):
        options = applying[place]
        fewest = min(used.get(policy.code, 0) for policy in options)
        policy = draw.pick([policy for policy in options if used.get(policy.code, 0) <= fewest + 1])
        used[policy.code] = used.get(policy.code, 0) + 1
        conduct[place].broken = policy
    for place, found in enumerate(conduct):
        options = [policy for policy in applying[place] if policy is not found.broken]
        if options and answered[place] and draw.chance(KEPT_BESIDE if found.broken else KEPT):
            found.kept = draw.some(options, 2 if draw.chance(SECOND) else 1)
    return conduct
