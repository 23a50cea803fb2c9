"""The path of a record: the steps of its status, how far it came, and where it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from study.sandbox.engine.registry import FieldDef, ObjectDef

_FIELDS = ("StageName", "Status")
# Steps of the published objects. What ends a way early stands beside the step it comes instead of.
_ENDINGS: dict[str, dict[str, str]] = {
    "Quote": {"Rejected": "Approved", "Denied": "Accepted"},
    "Contract": {
        "Signature Declined": "Signed", "Rejected": "Awaiting Signature", "Canceled": "Activated",
        "Contract Terminated": "",
    },
    "Task": {"Deferred": "Completed"},
}  # fmt: skip
MOST_STEPS = 12


@dataclass(frozen=True)
class Path:
    """Steps as (name, done|now|ahead) in the order of the field's values."""

    label: str
    steps: tuple[tuple[str, str], ...]

    @property
    def now(self) -> str:
        return next(name for name, state in self.steps if state == "now")

    @property
    def place(self) -> int:
        return next(place for place, (_name, state) in enumerate(self.steps, 1) if state == "now")


def path_of(item: ObjectDef, values: dict[str, Any]) -> Path | None:
    """The path of a record; None where its status has no known order or is empty or unknown."""
    field = next((item.field(name) for name in _FIELDS if item.has(name)), None)
    now = values.get(field.name) if field else None
    if field is None or not isinstance(now, str):
        return None
    ladder = steps_of(item, field, now)
    if now not in ladder or not 2 <= len(ladder) <= MOST_STEPS:
        return None
    here = ladder.index(now)
    states = ("done" if place < here else "now" if place == here else "ahead" for place in range(len(ladder)))
    return Path(field.label, tuple(zip(ladder, states, strict=True)))


def steps_of(item: ObjectDef, field: FieldDef, now: str) -> list[str]:
    """The steps in order. A record that ended early shows its ending as the last one, and nothing behind it."""
    endings = {ending: instead for ending, instead in _ENDINGS.get(item.name, {}).items() if ending in field.values}
    ladder = [value for value in field.values if value not in endings]
    if now not in endings:
        return ladder
    instead = endings[now]
    before = ladder[: ladder.index(instead)] if instead in ladder else ladder
    return [*before, now]
