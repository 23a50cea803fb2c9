"""The values of a replay: rows of the log, visits as stored, what else a draw needs, and a difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from study.assignment import design
from study.assignment.allocation import Slot
from study.assignment.giving import Ask

ACTIVE, COMPLETED, RELEASED = "active", "completed", "released"
FIXED, RANDOMISED = "fixed", "randomised"


@dataclass(frozen=True)
class Entry:
    """One row of the log; ``person`` is the code of whoever the visit belongs to."""

    sequence: int
    event: str
    at: datetime
    visit: int | None = None
    person: str = ""
    instance: int | None = None
    position: int = 0
    seed: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class VisitRow:
    """A visit as it is stored; ``places`` are position, stratum, task, instance and state."""

    visit: int
    person: str
    period: int
    arm: str
    condition: str
    org: str
    protocol: int
    seed: int
    allocation: str
    block: str
    objects: tuple[str, ...]
    boxes: tuple[str, ...]
    places: tuple[tuple[int, str, str, int, str], ...]

    @property
    def called(self) -> str:
        return f"{self.person}, visit {self.visit}"


@dataclass(frozen=True)
class Given:
    """What somebody was given by a draw, as their allocation is stored and as the log tells it."""

    person: str
    cohort: str
    cell: str
    number: int
    block: int
    arm: str
    order: tuple[str, ...]
    seed: int


class World(Protocol):
    """What neither log nor rows hold: the frozen protocols, the cohorts' seeds, the instances as they were at a moment.

    Each raises LookupError for what there is not.
    """

    def pool(self, protocol: int, org: str, benched: frozenset[int], at: datetime, mark: str) -> design.Pool: ...

    def ask(self, protocol: int, arm: str, condition: str) -> Ask: ...

    def seed(self, cohort: str, cell: str) -> int: ...

    def slot(self, cohort: str, seed: int, number: int) -> Slot: ...


@dataclass(frozen=True)
class Difference:
    """The first thing that is not as the seeds and the log make it."""

    sequence: int | None
    who: str
    what: str
    expected: object
    found: object

    def __str__(self) -> str:
        where = "in the rows" if self.sequence is None else f"at row {self.sequence} of the log"
        who = f" ({self.who})" if self.who else ""
        return f"{where}{who}: {self.what}; expected {self.expected}, found {self.found}"


class Differs(Exception):
    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


def who(entry: Entry) -> str:
    if entry.visit is not None:
        return f"{entry.person}, visit {entry.visit}"
    return str(entry.detail.get("participant", "")) or (f"question {entry.instance}" if entry.instance else "")
