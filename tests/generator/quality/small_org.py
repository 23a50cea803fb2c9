"""A small Org of 27 objects with its truth, to be damaged and written."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from study.generator.build import Built
from study.generator.groundwork.facts import Fact, write_facts
from study.generator.recipe import GENERATOR
from study.generator.verify.report import Report
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo, open_snapshot, write_snapshot

Row = dict[str, Any]


@dataclass
class SmallOrg:
    """Rows and facts that belong to this test alone."""

    built: Built
    tables: dict[str, list[Row]]
    facts: list[Fact]

    @classmethod
    def of(cls, built: Built) -> SmallOrg:
        tables = {name: [dict(row) for row in rows] for name, rows in built.tables.items()}
        return cls(built, tables, list(built.facts))

    def first(self, name: str, **wanted: Any) -> Row:
        """The first record of an object with these values (``...`` for any value but none)."""
        return self.all(name, **wanted)[0]

    def all(self, name: str, **wanted: Any) -> list[Row]:
        def fits(row: Row, field: str, value: Any) -> bool:
            return row.get(field) not in (None, "") if value is ... else row.get(field) == value

        found = [row for row in self.tables[name] if all(fits(row, *pair) for pair in wanted.items())]
        assert found, (name, wanted)
        return found

    def row(self, name: str, record_id: str) -> Row:
        return self.first(name, Id=record_id)

    def fact(self, kind: str, **wanted: Any) -> Fact:
        """The first fact of a kind with these values (``...`` for any value but none)."""
        for fact in self.facts:
            if fact.kind == kind and all(
                fact.values.get(k) if v is ... else fact.values.get(k) == v for k, v in wanted.items()
            ):
                return fact
        raise AssertionError((kind, wanted))

    def tell_instead(self, old: Fact, **values: Any) -> None:
        self.facts[self.facts.index(old)] = replace(old, values={**old.values, **values})

    def write(self, folder: Path, **extra: Any) -> tuple[Snapshot, Path]:
        plan = self.built.plan
        about = {"world": plan.name, "scale": self.built.scale, "company": plan.company} | extra
        info = write_snapshot(
            folder / "org.sqlite", self.built.registry, self.tables, today=plan.today, generator=GENERATOR,
            seed=self.built.seed, extra=about,
        )  # fmt: skip
        truth = folder / "truth.jsonl.gz"
        write_facts(truth, self.facts)
        return open_snapshot(info.path), truth


def failed(report: Report) -> dict[str, list[str]]:
    """Names of the checks that failed, with their examples."""
    found: dict[str, list[str]] = {}
    for check in report.failed:
        found.setdefault(check.name, []).extend(check.examples)
    return found


def write_info(snapshot: Snapshot) -> SnapshotInfo:
    """A copy of an Org's file as something that can be registered."""
    copy = snapshot.path.with_name("copy.sqlite")
    shutil.copy(snapshot.path, copy)
    again = open_snapshot(copy)
    return SnapshotInfo(again.hash, again.counts, again.last_day, copy, "", again.manifest)
