"""What an import did, counted for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from study.benchmark.assignability import Obstacle
from study.benchmark.problems import Problem
from study.benchmark.records import Record


@dataclass
class ImportReport:
    """Counts over the readable records of one file, and what is wrong with it."""

    source: str
    org: str
    new: int = 0
    unchanged: int = 0
    replaced: int = 0
    total: int = 0
    with_today: int = 0
    none: int = 0
    assignable: int = 0
    tasks: Counter[str] = field(default_factory=Counter)
    none_by_task: Counter[str] = field(default_factory=Counter)
    assignable_by_task: Counter[str] = field(default_factory=Counter)
    skills: Counter[str] = field(default_factory=Counter)
    metrics: Counter[str] = field(default_factory=Counter)
    obstacles: Counter[str] = field(default_factory=Counter)
    changed: dict[str, list[str]] = field(default_factory=dict)
    twins: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def count(self, record: Record, obstacle: Obstacle | None) -> None:
        self.total += 1
        self.tasks[record.task] += 1
        self.skills[record.skill or "(none)"] += 1
        self.metrics[record.metric] += 1
        self.with_today += record.today is not None
        if record.answer == (None,):
            self.none += 1
            self.none_by_task[record.task] += 1
        if obstacle:
            # A missing record is named with its instance; here they are counted together.
            self.obstacles["records" if obstacle.kind == "records" else obstacle.text] += 1
        else:
            self.assignable += 1
            self.assignable_by_task[record.task] += 1

    @property
    def left_out(self) -> list[Problem]:
        return [problem for problem in self.problems if not problem.kept]

    @property
    def remarks(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.kept]

    def grouped_remarks(self) -> Iterator[tuple[str, list[str]]]:
        """Remarks of one kind together, with the idx (or place) of each."""
        groups: dict[str, list[str]] = {}
        for remark in self.remarks:
            kind = f"{remark.field} {remark.message.split(' (')[0]}. {remark.remedy}"
            groups.setdefault(kind, []).append(remark.idx or remark.where)
        yield from groups.items()
