"""Which groups rated an Org and which its control (M5)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from analysis.comparing.kinds import Relation, cohorts_of, relation, visits_by_group
from analysis.context import Context
from analysis.estimates import Group

SHUFFLED = "shuffled"


@dataclass(frozen=True)
class Controlled:
    """Two groups of which one rated what was made from the other's Orgs, by which recipe; empty when not told."""

    org: str
    control: str
    recipe: str


def controlled(context: Context) -> list[Controlled]:
    """Every group whose Orgs are all controls beside every group that rated one of their parents."""
    orgs = {name: set(visits["org_hash"]) - {""} for name, visits in visits_by_group(context.bundle).items()}
    known = context.controls
    found = []
    for org, control in permutations(orgs, 2):
        made = [known[code] for code in orgs[control] if code in known]
        if not made or len(made) < len(orgs[control]) or orgs[org] & set(known):
            continue
        if {parent for parent, _ in made} & orgs[org]:
            found.append(Controlled(org, control, " and ".join(sorted({recipe for _, recipe in made if recipe}))))
    return found


def control_groups(context: Context) -> set[str]:
    """Names of the groups that rated controls only."""
    known = set(context.controls)
    orgs = {name: set(visits["org_hash"]) - {""} for name, visits in visits_by_group(context.bundle).items()}
    return {name for name, hashes in orgs.items() if hashes and hashes <= known}


def relation_of(context: Context, a: Group, b: Group) -> Relation:
    visits = visits_by_group(context.bundle)
    return relation(visits[a.arm], visits[b.arm], cohorts_of(context.bundle))
