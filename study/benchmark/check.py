"""Every answer three times: as stored, by its rule, and by pandas on the exported tables."""

from __future__ import annotations

import datetime
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
from study.benchmark.recheck.tables import read_tables
from study.benchmark.rules import RULES, RuleError, answer_by_rule
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

    def __str__(self) -> str:
        return (
            f"{self.task} {self.idx}: stored {_said(self.stored)}, rule {_said(self.by_rule)}, "
            f"recheck {_said(self.by_recheck)}"
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
    by_rule, clear = _by_rule(instance, snapshot, today)
    by_recheck = _by_recheck(instance, tables, today, snapshot.zone)
    answers = [instance.answer, by_rule, by_recheck]
    if any(isinstance(answer, str) for answer in answers) or len({answer_keys(a, instance.task) for a in answers}) > 1:
        report.differ[instance.task] += 1
        report.differences.append(
            Difference(instance.task, instance.idx or instance.key[:8], instance.answer, by_rule, by_recheck)
        )
        return
    report.agree[instance.task] += 1
    if not clear:
        report.unclear.append(f"{instance.task} {instance.idx or instance.key[:8]}")


def _by_rule(instance: Instance, snapshot: Snapshot, today: datetime.date) -> tuple[list[str | None] | str, bool]:
    """The rule's answer and whether its lead is clear; a text where the rule cannot be applied."""
    if instance.rule not in RULES:
        return f"there is no rule {instance.rule!r}", False
    try:
        answer = answer_by_rule(instance.rule, snapshot, instance.params, today)
    except (RuleError, QueryError) as error:
        return str(error), False
    return answer.as_list(), answer.clear


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
