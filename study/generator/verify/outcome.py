"""What a check found: how much it looked at, what it found, how much is allowed, and where to look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

EXAMPLES = 5


@dataclass(frozen=True)
class Check:
    """One named check. It passes where ``found`` is at most ``limit``, or with ``least`` at least that.

    ``unit`` is empty for counted faults, ``%`` for shares. A check with ``skipped`` was not made; the text says why.
    """

    name: str
    about: str
    looked_at: int
    found: float
    limit: float
    unit: str = ""
    least: bool = False
    examples: tuple[str, ...] = ()
    skipped: str = ""

    @property
    def passed(self) -> bool:
        if self.skipped:
            return True
        return self.found >= self.limit if self.least else self.found <= self.limit

    @property
    def verdict(self) -> str:
        return "not checked" if self.skipped else "pass" if self.passed else "FAIL"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"examples": list(self.examples), "passed": self.passed}


@dataclass
class Tally:
    """Counts what is looked at and what is wrong, and keeps the first few examples.

    ``share``: the percentage of faults that is allowed; without it none is.
    """

    name: str
    about: str
    share: float | None = None
    looked_at: int = 0
    faults: int = 0
    examples: list[str] = field(default_factory=list)

    def seen(self, n: int = 1) -> None:
        self.looked_at += n

    def fault(self, record_id: str, what: str = "") -> None:
        self.faults += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(f"{record_id} {what}".strip())

    def check(self) -> Check:
        shown = tuple(self.examples)
        if self.share is None:
            return Check(self.name, self.about, self.looked_at, self.faults, 0, examples=shown)
        found = percent(self.faults, self.looked_at)
        return Check(self.name, self.about, self.looked_at, found, self.share, "%", examples=shown)


def left_out(name: str, about: str, why: str) -> Check:
    return Check(name, about, 0, 0, 0, skipped=why)


def percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def measured(
    name: str, about: str, looked_at: int, found: float, limit: float, *, unit: str = "%", least: bool = False,
    examples: Iterable[str] = (),
) -> Check:  # fmt: skip
    return Check(name, about, looked_at, round(found, 3), limit, unit, least, tuple(examples)[:EXAMPLES])
