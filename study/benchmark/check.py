"""Every answer three times: as stored, by its rule, and by pandas on the exported tables; and its numbers twice."""

from __future__ import annotations

import datetime
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from study.benchmark.grading import answer_keys
from study.benchmark.models import Instance
from study.benchmark.recheck.answers import RECHECKS
from study.benchmark.recheck.tables import Ranked, read_tables
from study.benchmark.rules import RULES, Answer, RuleError, answer_by_rule
from study.benchmark.table_files import write_tables
from study.sandbox.engine.errors import QueryError
from study.sandbox.engine.snapshot import Snapshot


@dataclass(frozen=True)
class Difference:
    """One instance whose three answers are not one."""

    task: str
    idx: str
    stored: list[str | None]
    by_rule: list[str | None] | str
    by_recheck: list[str | None] | str
    # Where the answers are one: a candidate whose number is not.
    scores: str = ""

    def __str__(self) -> str:
        return (
            f"{self.task} {self.idx}: stored {_said(self.stored)}, rule {_said(self.by_rule)}, "
            f"recheck {_said(self.by_recheck)}{self.scores}"
        )


@dataclass
class CheckReport:
    """By task: instances whose answers agree, differ, or have no rule; ``unclear`` ones agree with a narrow lead."""

    agree: Counter[str] = field(default_factory=Counter)
    differ: Counter[str] = field(default_factory=Counter)
    no_rule: Counter[str] = field(default_factory=Counter)
    unclear: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    @property
    def tasks(self) -> list[str]:
        return sorted({*self.agree, *self.differ, *self.no_rule})


def check_instances(
    instances: Iterable[Instance], snapshot: Snapshot, *, progress: Callable[[int], None] | None = None
) -> CheckReport:
    """Work out every answer that has a rule twice and compare both with the stored one."""
    report = CheckReport()
    with tempfile.TemporaryDirectory(prefix="realia-recheck-") as folder:
        write_tables(snapshot, Path(folder))
        tables = read_tables(Path(folder))
    for n, instance in enumerate(instances, 1):
        _check_one(instance, snapshot, tables, report)
        if progress:
            progress(n)
    return report


def _check_one(instance: Instance, snapshot: Snapshot, tables: Mapping[str, pd.DataFrame], report: CheckReport) -> None:
    if not instance.rule:
        report.no_rule[instance.task] += 1
        return
    today = instance.today or snapshot.last_day
    found = _by_rule(instance, snapshot, today)
    by_rule = found if isinstance(found, str) else found.as_list()
    by_recheck = _by_recheck(instance, tables, today, snapshot.zone)
    answers = [instance.answer, by_rule, by_recheck]
    one = not any(isinstance(a, str) for a in answers) and len({answer_keys(a, instance.task) for a in answers}) == 1
    scores = _scores_differ(instance.task, found, by_recheck) if one else ""
    if not one or scores:
        report.differ[instance.task] += 1
        name = instance.idx or instance.key[:8]
        report.differences.append(Difference(instance.task, name, instance.answer, by_rule, by_recheck, scores))
        return
    report.agree[instance.task] += 1
    if isinstance(found, Answer) and not found.clear:
        report.unclear.append(f"{instance.task} {instance.idx or instance.key[:8]}")


def _scores_differ(task: str, found: Answer | str, by_recheck: list[str | None] | str) -> str:
    """The first candidate with one number by the rule and another by the recheck, in words; empty if there is none.

    A wrong rule may well give the right answer where the winner is clear, and clear winners are what is asked for.
    """
    if not isinstance(found, Answer) or not isinstance(by_recheck, Ranked):
        return ""
    by_rule, again = (
        {answer_keys([name], task): n for name, n in s.items()} for s in (found.scores, by_recheck.scores)
    )
    for key in sorted({*by_rule, *again}, key=sorted):
        first, second = by_rule.get(key), again.get(key)
        if first is None or second is None or not math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9):
            return f"; {', '.join(sorted(key))} has {first} by the rule, {second} by the recheck"
    return ""


def _by_rule(instance: Instance, snapshot: Snapshot, today: datetime.date) -> Answer | str:
    """What the rule finds; a text where it cannot be applied."""
    if instance.rule not in RULES:
        return f"there is no rule {instance.rule!r}"
    try:
        return answer_by_rule(instance.rule, snapshot, instance.params, today)
    except (RuleError, QueryError) as error:
        return str(error)


def _by_recheck(
    instance: Instance, tables: Mapping[str, pd.DataFrame], today: datetime.date, zone: str
) -> list[str | None] | str:
    recheck = RECHECKS.get(instance.rule)
    if recheck is None:
        return f"there is no recheck of {instance.rule!r}"
    try:
        return recheck(tables, instance.params, pd.Timestamp(today), zone)
    except (KeyError, TypeError, ValueError) as error:
        return f"cannot be worked out: {type(error).__name__} {error}"


def _said(answer: Any) -> str:
    return answer if isinstance(answer, str) else ", ".join(value or "None" for value in answer)
