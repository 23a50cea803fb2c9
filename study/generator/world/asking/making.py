"""An instance as a record of the published format with our own further keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from study.benchmark.rules import answer_by_rule
from study.benchmark.tasks import TASKS
from study.generator.world.draw import Draw
from study.generator.world.service import World
from study.sandbox.engine.snapshot import Snapshot

ANSWERED, NO_RECORD = 12, 3
FORMATS = {
    "User": "Return only the Id of the agent.",
    "Issue__c": "Return only the Id of the issue.",
    "Product2": "Return only the Id of the product.",
    "month": "Return only the name of the month.",
    "state": "Return only the two-letter abbreviation of the state.",
}
PERSONAS = (
    "You are brief and come straight to the point.",
    "You are friendly and give some background before you ask.",
    "You are careful and like to see how a number came about.",
    "You are in a hurry and write in short sentences.",
)
PERIODS = (
    "Quarters are those of the calendar: the first runs from January to March. Spring begins on 1 March, summer on "
    "1 June, autumn on 1 September, winter on 1 December; each lasts three months. A past month or quarter reaches "
    "back from today."
)


@dataclass
class Maker:
    """Collects the instances of one world; numbers them and fills in what the task says."""

    world: World
    snapshot: Snapshot
    records: list[dict[str, Any]] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def draw(self, task: str) -> Draw:
        return Draw(self.world.seed, f"instances {task}")

    def by_rule(self, task: str, params: Mapping[str, Any]) -> list[str | None] | None:
        """The answer of the task's rule; None where it leads too narrowly to be asked."""
        found = answer_by_rule(task, self.snapshot, params, self.world.today)
        return found.as_list() if found.clear else None

    def add(
        self,
        task: str,
        *,
        question: str,
        definitions: str,
        answer: list[str | None],
        params: Mapping[str, Any],
        required: str = "",
        asks: str = "",
    ) -> None:
        kind = TASKS[task]
        n = self._counts[task] = self._counts.get(task, 0) + 1
        today = self.world.today.isoformat()
        ending = FORMATS.get(kind.answer_object) or FORMATS.get(kind.answer_type, "Answer in a few words.")
        place = list(TASKS).index(task)
        self.records.append(
            {
                "idx": 100 * place + n,
                "answer": answer,
                "task": task,
                "persona": PERSONAS[(n + place) % len(PERSONAS)],
                "metadata": {
                    "required": "\n".join(part for part in (definitions, required, f"- Today's date: {today}") if part),
                    "optional": PERIODS,
                },
                "reward_metric": kind.metric,
                "query": f"{question} {ending}",
                "question": question,
                "definitions": definitions,
                "role": kind.role,
                "asks": asks or kind.asks,
                "skill": kind.skill,
                "answer_type": kind.answer_type,
                "answer_object": kind.answer_object,
                "minutes_by_hand": kind.minutes_by_hand,
                "rule": "" if task == "knowledge_qa" else task,
                "params": dict(params),
                "today": today,
            }
        )


class Wordings:
    """Hands out the wordings of a question in turn, beginning anywhere."""

    def __init__(self, draw: Draw, options: Sequence[str]) -> None:
        self._options = draw.some(options, len(options))
        self._n = 0

    def next(self, **slots: str) -> str:
        self._n += 1
        text = self._options[self._n % len(self._options)].format(**slots)
        return text[0].upper() + text[1:]


def spread(found: Iterable[tuple[str, Any]], n: int, most: int) -> list[Any]:
    """The first ``n`` of (key, thing) pairs with no key more than ``most`` times."""
    counts: dict[str, int] = {}
    kept: list[Any] = []
    for key, thing in found:
        if len(kept) == n:
            break
        if counts.get(key, 0) < most:
            counts[key] = counts.get(key, 0) + 1
            kept.append(thing)
    return kept
