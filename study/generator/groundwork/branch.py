"""A branch: the part of a world that is made in one piece, in memory.

A world of scale 1 or less is one branch. A larger one has as many as its scale, all with the same catalogue, knowledge
and territories; each is made from its own streams of chance, so that they can be made anywhere and in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.facts import Fact
from study.generator.groundwork.ids import Ids
from study.generator.groundwork.things import Item, Member, Party, Row

if TYPE_CHECKING:
    from study.generator.groundwork.plan import Plan


@dataclass(frozen=True)
class Shared:
    """What all branches have in common. Ids by code: issues, articles (of knowledge.yaml), categories, territories."""

    items: tuple[Item, ...]
    books: tuple[str, ...]
    categories: Mapping[str, str]
    issues: Mapping[str, str]
    articles: Mapping[str, str]
    territories: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @cached_property
    def by_code(self) -> dict[str, Item]:
        """Products by their code."""
        return {item.code: item for item in self.items}


@dataclass
class Branch:
    """Everything the parts of one branch share. ``counts`` says exactly how many records of each object to make."""

    plan: Plan
    shared: Shared
    seed: int
    number: int
    counts: Mapping[str, int]
    members: list[Member] = field(default_factory=list)
    parties: list[Party] = field(default_factory=list)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    _ids: dict[str, Ids] = field(default_factory=dict)

    def draw(self, purpose: str) -> Draw:
        """The stream of chance of one part of this branch."""
        return Draw(self.seed, f"{self.plan.name} {purpose} {self.number}")

    def new_id(self, object_name: str) -> str:
        """The next Id of an object: in the order they are asked for, so ask in the order of time."""
        if object_name not in self._ids:
            self._ids[object_name] = Ids(self.seed, object_name, branch=self.number)
        return self._ids[object_name].next()

    def add(self, object_name: str, rows: Iterable[Row]) -> None:
        """More records of an object; fields that are left out are empty."""
        self.tables.setdefault(object_name, []).extend(rows)

    def tell(self, kind: str, of: str, evidence: Iterable[tuple[str, str]] = (), **values: Any) -> None:
        """Remember a fact for the truth file (kinds in facts.py)."""
        self.facts.append(Fact(kind, of, values, tuple(evidence)))

    @property
    def first_day(self) -> date:
        return self.plan.first_day

    @property
    def today(self) -> date:
        return self.plan.today

    @property
    def now(self) -> datetime:
        """The moment on the last day after which nothing is recorded any more."""
        return self.plan.now

    def sellers(self) -> list[Member]:
        return [member for member in self.members if member.team == "sales"]

    def carers(self) -> list[Member]:
        return [member for member in self.members if member.team == "service"]
