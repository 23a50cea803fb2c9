"""What is known about an Org because it was made so: the truth file, kept apart from the Org and never served.

One JSON object per line: ``{"kind", "of", "values", "evidence"}``, where ``of`` is a record Id (or empty for the whole
world) and ``evidence`` lists [object, record Id] pairs. docs/generator.md names the kinds.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KINDS = {
    "world": "settings of the world that questions need: {stages: {stage: [phrases]}, rules: […], zone, today}",
    "latent": "a latent variable of a record: {name, …}; its value never enters the Org",
    "violation": "of a Case: {article: Id or null}; evidence: the letters or chat in which it shows",
    "bant": "of a Lead: {missing: [factors]}; evidence: the calls in which it is said",
    "configuration": "of a Quote: {article: Id or null, rule}; evidence: the quote lines",
    "discount": "of a Quote: {article: Id or null}; evidence: the quote lines",
    "stage": "of an Opportunity: {true, recorded}; evidence: tasks and events",
    "priority": "of an Opportunity: {unfit: [Task Ids]}",
    "insight": "of an Opportunity: {call, subtopic, sentiment, competitor}; one per remark",
    "article": "of a Knowledge__kav: {question, answer, confidential}; the answer stands word for word in the article",
    "said": "of a record: {object, field, slot, text}; the text stands word for word in the field",
}


@dataclass(frozen=True, slots=True)
class Fact:
    kind: str
    of: str
    values: Mapping[str, Any]
    evidence: tuple[tuple[str, str], ...] = ()

    def line(self) -> str:
        entry = {"kind": self.kind, "of": self.of, "values": self.values, "evidence": self.evidence}
        return json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass
class Truth:
    """The facts of one Org by kind, for those who ask questions about it or check it."""

    facts: dict[str, list[Fact]] = field(default_factory=lambda: defaultdict(list))

    def of_kind(self, kind: str) -> list[Fact]:
        return self.facts.get(kind, [])

    def world(self) -> Mapping[str, Any]:
        """The settings of the world; empty for an Org without any."""
        found = self.of_kind("world")
        return found[0].values if found else {}

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> Truth:
        truth = cls()
        for fact in facts:
            truth.facts[fact.kind].append(fact)
        return truth


def write_facts(path: Path, facts: Iterable[Fact], *, more: bool = False) -> int:
    """Write a truth file (gzip, same bytes for the same facts), or ``more`` of one; tells how many there were.

    Truth files put one after the other are one truth file: so does gzip read them.
    """
    count = 0
    with (
        path.open("ab" if more else "wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=5) as file,
    ):
        for fact in facts:
            file.write(fact.line().encode() + b"\n")
            count += 1
    return count


def read_facts(path: Path, kinds: frozenset[str] | None = None) -> Iterator[Fact]:
    """The facts of a truth file, all or of some kinds. ValueError naming the line that cannot be read."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
                fact = Fact(entry["kind"], entry["of"], entry["values"], tuple((o, i) for o, i in entry["evidence"]))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path.name}, line {number}: not a fact ({error}).") from None
            if kinds is None or fact.kind in kinds:
                yield fact
