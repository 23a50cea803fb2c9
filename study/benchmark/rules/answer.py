"""What an answer rule hands back: the answer, how it was found, and how clear it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from django.utils.translation import gettext as _

from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.snapshot import Result, Snapshot

# A winner is clear from this lead on: a tenth for means, two for counts (docs/tasks.md).
CLEAR_SHARE = 0.10
CLEAR_COUNT = 2
# Two means that differ only in the last bits are the same mean.
SAME = 1e-9
SHOWN_ROWS = 20


class RuleError(ValueError):
    """The parameters of an instance do not fit its rule; the text says which and what is needed."""


class Step(NamedTuple):
    """One query of a rule: what it is for, its canonical JSON, the first rows and the number of all rows."""

    sentence: str
    spec: str
    rows: tuple[tuple[Any, ...], ...]
    total: int


@dataclass(frozen=True)
class Answer:
    """``values`` is empty where no record fits, and also where the first place is shared (``tie``).

    ``margin`` is how far the winner is ahead of the runner-up: in counts, or as a share of the smaller of both
    values for means; None where there is no second.
    """

    values: tuple[str, ...]
    steps: tuple[Step, ...]
    margin: float | None = None
    runner_up: str | None = None
    measure: Literal["count", "mean", ""] = ""
    tie: bool = False

    @property
    def clear(self) -> bool:
        """Whether the answer may be asked for: no tie, and a winner far enough ahead."""
        if self.tie:
            return False
        if self.margin is None or not self.values:
            return True
        return self.margin >= (CLEAR_COUNT if self.measure == "count" else CLEAR_SHARE)

    def as_list(self) -> list[str | None]:
        """As an instance stores it: [None] where no record fits."""
        return list(self.values) or [None]


class Working:
    """Runs the queries of one rule and remembers each with its sentence."""

    def __init__(self, snapshot: Snapshot, today: Any) -> None:
        self.snapshot, self.today = snapshot, today
        self.steps: list[Step] = []

    def run(self, sentence: str, spec: QuerySpec) -> list[tuple[Any, ...]]:
        """All rows of ``spec``. Raises RuleError if the engine kept some back: half a table gives no answer."""
        result: Result = self.snapshot.run(spec, self.today)
        if result.truncated:
            words = _("A query of this rule has more rows than the engine returns: %(why)s")
            raise RuleError(words % {"why": sentence})
        rows = [tuple(row) for row in result.rows]
        self.steps.append(Step(sentence, spec.to_json(), tuple(rows[:SHOWN_ROWS]), len(rows)))
        return rows

    def nothing(self) -> Answer:
        return Answer((), tuple(self.steps))

    def best(self, values: Mapping[str, float], *, highest: bool, measure: Literal["count", "mean"]) -> Answer:
        """The key with the highest (or lowest) value; a shared first place is a tie."""
        if not values:
            return self.nothing()
        ranked = sorted(values, key=lambda key: (-values[key] if highest else values[key], key))
        steps = tuple(self.steps)
        if len(ranked) == 1:
            return Answer((ranked[0],), steps, measure=measure)
        first, second = values[ranked[0]], values[ranked[1]]
        gap = abs(first - second)
        if gap <= SAME * max(1.0, abs(first)):
            return Answer((), steps, 0.0, ranked[1], measure, tie=True)
        smaller = min(abs(first), abs(second))
        share = gap / smaller if smaller else float("inf")
        return Answer((ranked[0],), steps, gap if measure == "count" else share, ranked[1], measure)


RuleFunction = Callable[[Snapshot, Mapping[str, Any], Any], Answer]


def needed(params: Mapping[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    """A parameter that must be there. Raises RuleError with its name."""
    value = params.get(name)
    if value is None or not isinstance(value, kind) or isinstance(value, bool):
        wanted = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
        raise RuleError(_("The rule needs the parameter %(name)s (%(kind)s).") % {"name": name, "kind": wanted})
    return value


def wants_highest(params: Mapping[str, Any], default: str = "max") -> bool:
    extremum = params.get("extremum", default)
    if extremum not in ("min", "max"):
        raise RuleError(_("The parameter extremum is min or max, not %(value)s.") % {"value": extremum})
    return bool(extremum == "max")


def ids(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)
