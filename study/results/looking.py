"""What the analysis says at a look, without what it says it from."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.bundle import read_bundle
from analysis.context import context_of
from analysis.planning.course import Course, available, courses, look_at
from analysis.planning.stopping import StoppingRule, rule_of


@dataclass(frozen=True)
class Said:
    arm: str
    raters: int
    analysed: int
    enough: bool


def verdicts(bundle: Path, done: Mapping[str, Sequence[int]]) -> list[Said]:
    """The looks of each arm in ``done`` that can be taken now, beyond those done, up to the first "enough"."""
    context = context_of(read_bundle(bundle))
    rule = rule_of(context.promised)
    if rule is None:
        return []
    found = sorted(courses(context, rule), key=lambda one: one.arm)
    by_arm = {arm: list(groups) for arm, groups in itertools.groupby(found, key=lambda one: one.arm)}
    return [said for arm in done for said in _of_arm(rule, arm, by_arm.get(arm, []), done[arm])]


def _of_arm(rule: StoppingRule, arm: str, groups: Sequence[Course], done: Sequence[int]) -> list[Said]:
    most = available(groups)
    said: list[Said] = []
    for n in rule.planned:
        if n > max(done, default=0) and n <= most and not (said and said[-1].enough):
            said.append(Said(arm, n, most, look_at(rule, groups, n).verdict == "enough"))
    return said
