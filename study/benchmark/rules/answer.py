"""What an answer rule hands back: the answer, how it was found, and how clear it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from django.utils.translation import gettext as _

from study.sandbox.engine.queryspec import And, Compare, CompareFormula, Condition, Period, QuerySpec
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


Kind = Literal["count", "mean", "share", "sum", ""]
Evidence = Callable[[], tuple[str, ...]]


def no_records() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Answer:
    """``values`` is empty where no record fits, and also where the first place is shared (``tie``).

    ``margin`` is how far the winner is ahead of the runner-up: in counts, or as a share of the smaller of both
    values for means, shares and sums; None where there is no second. ``others`` are what a careless reading might take
    instead, best first: candidates that were beaten, rules that are kept, tasks that fit. ``scores`` are the numbers
    the decision rests on, by candidate; empty where nothing was counted.

    ``evidence`` are the Ids of the records that decide. Where ``reading`` is true a person opens them one by one; else
    they are those counted for the winner, which a list or a report counts. They are looked up when first asked for.
    """

    values: tuple[str, ...]
    steps: tuple[Step, ...]
    margin: float | None = None
    runner_up: str | None = None
    measure: Kind = ""
    tie: bool = False
    others: tuple[str, ...] = ()
    reading: bool = False
    scores: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)
    find_evidence: Evidence = field(default=no_records, compare=False, repr=False)

    @cached_property
    def evidence(self) -> tuple[str, ...]:
        return self.find_evidence()

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
        """All rows of ``spec``, remembered as a step of the rule."""
        rows = self.rows(sentence, spec)
        self.steps.append(Step(sentence, spec.to_json(), tuple(rows[:SHOWN_ROWS]), len(rows)))
        return rows

    def rows(self, sentence: str, spec: QuerySpec) -> list[tuple[Any, ...]]:
        """All rows of ``spec``. Raises RuleError if the engine kept some back: half a table gives no answer."""
        result: Result = self.snapshot.run(spec, self.today)
        if result.truncated:
            words = _("A query of this rule has more rows than the engine returns: %(why)s")
            raise RuleError(words % {"why": sentence})
        return [tuple(row) for row in result.rows]

    def counted(self, spec: QuerySpec) -> Callable[[str], tuple[str, ...]]:
        """The records behind one group of a grouped query of one group: Ids, by the value of the group."""
        (group,) = spec.groups

        def records(value: str) -> tuple[str, ...]:
            same: Condition = Compare(group.field, "eq", value)
            if group.by is not None:
                same = CompareFormula(Period(group.field, group.by), "eq", value)
            where = same if spec.where is None else And(spec.where, same)
            rows = self.rows(_("The records counted"), QuerySpec(spec.object, select=("Id",), where=where))
            return ids([row[0] for row in rows])

        return records

    def nothing(self, others: Sequence[str] = ()) -> Answer:
        return Answer((), tuple(self.steps), others=tuple(others))

    def best(
        self,
        values: Mapping[str, float],
        *,
        highest: bool,
        measure: Kind,
        counted: Callable[[str], tuple[str, ...]] | None = None,
    ) -> Answer:
        """The key with the highest (or lowest) value; a shared first place is a tie.

        ``counted`` finds the records that were counted for a key.
        """
        if not values:
            return self.nothing()
        ranked = sorted(values, key=lambda key: (-values[key] if highest else values[key], key))
        steps, winner, others = tuple(self.steps), ranked[0], tuple(ranked[1:])
        evidence = (lambda: counted(winner)) if counted else no_records
        if not others:
            return Answer((winner,), steps, measure=measure, scores=dict(values), find_evidence=evidence)
        first, second = values[winner], values[others[0]]
        gap = abs(first - second)
        if gap <= SAME * max(1.0, abs(first)):
            return Answer((), steps, 0.0, others[0], measure, tie=True, others=others, scores=dict(values))
        smaller = min(abs(first), abs(second))
        share = gap / smaller if smaller else float("inf")
        margin = gap if measure == "count" else share
        return Answer(
            (winner,), steps, margin, others[0], measure, others=others, scores=dict(values), find_evidence=evidence
        )


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
