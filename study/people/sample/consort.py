"""The flow of people as trials report it: assessed, allocated, started, completed, analysed, and who was lost where.

Each step says what became of everybody at it, in parts that add up to it (a test draws histories and adds). Previews
and the pilot are no part of it (P-14, M14). The bars of the monitor and of the board read the same courses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from study.people.models import End, ParticipantQuerySet, Stage, StageEvent
from study.people.withdrawal import TAKE_OUT

ORDER = {stage: n for n, stage in enumerate(Stage.values)}
TOO_LITTLE, TAKEN_OUT, RULE = "too_little", "taken_out", "rule:"


@dataclass(frozen=True)
class Course:
    """How far one person came, and how it ended."""

    furthest: str
    """The furthest stage ever reached: a second visit sets the stage back, this stays."""
    end: str = ""
    joined: bool = False
    arm: str = ""
    analysed: bool | None = None
    exclusion: str = ""
    taken_out: bool = False

    def reached(self, stage: str) -> bool:
        return ORDER[self.furthest] >= ORDER[stage]

    @property
    def assessed(self) -> bool:
        return self.joined or self.reached(Stage.JOINED)

    @property
    def in_analysis(self) -> bool:
        return bool(self.analysed) and not self.exclusion

    @property
    def not_analysed(self) -> str:
        """Why somebody who started is not analysed; empty when they are, or when that is not settled."""
        if self.exclusion:
            return RULE + self.exclusion
        if self.in_analysis or self.analysed is None:
            return ""
        if self.taken_out:
            return TAKEN_OUT
        return self.end if self.end not in ("", End.COMPLETE) else TOO_LITTLE


def courses(people: ParticipantQuerySet) -> list[Course]:
    """One for each of these people, in two queries."""
    rows = people.values_list(
        "pk", "stage", "end", "joined_at", "arm", "analysed", "exclusion", "excluded_at", "data_choice"
    )
    furthest: dict[int, str] = {}
    events = StageEvent.objects.filter(participant__in=people.order_by().values("pk")).order_by()
    for pk, stage in events.values_list("participant_id", "stage").distinct():
        if ORDER[stage] > ORDER[furthest.get(pk, Stage.INVITED)]:
            furthest[pk] = stage
    return [
        Course(
            furthest=max(stage, furthest.get(pk, stage), key=lambda name: ORDER[name]),
            end=end,
            joined=joined is not None,
            arm=arm,
            analysed=analysed,
            exclusion=(exclusion or "other") if excluded else "",
            taken_out=choice == TAKE_OUT,
        )
        for pk, stage, end, joined, arm, analysed, exclusion, excluded, choice in rows
    ]


@dataclass(frozen=True)
class Step:
    """``n`` = ``on`` + ``here`` + all ``lost``: who went on, who is still at it, who was lost by which reason."""

    n: int
    on: int
    here: int
    lost: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Flow:
    """``allocated`` and what follows can also be told arm by arm; ``analysed`` divides those who started.

    Whoever left after enough was rated is analysed and not complete: ``analysed_left`` says how many.
    """

    approached: Step
    assessed: Step
    allocated: Step
    started: Step
    analysed: Step
    analysed_left: int
    arms: dict[str, Flow] = field(default_factory=dict)


def step(people: list[Course], on: list[Course]) -> Step:
    """Those not among ``on`` are here while they have not ended, else lost by their end."""
    gone = Counter(one.end for one in people) - Counter(one.end for one in on)
    here = gone.pop("", 0)
    return Step(len(people), len(on), here, dict(sorted(gone.items())))


def flow(people: Iterable[Course], *, by_arm: bool = True) -> Flow:
    """The flow of these people. Nothing about a rating is in it."""
    everybody = list(people)
    assessed = [one for one in everybody if one.assessed]
    allocated = [one for one in assessed if one.reached(Stage.CONSENTED)]
    started = [one for one in allocated if one.reached(Stage.WORKING)]
    complete = [one for one in started if one.end == End.COMPLETE]
    analysed = [one for one in started if one.in_analysis]
    reasons = Counter(one.not_analysed for one in started if one.not_analysed)
    settled = Step(
        len(started), len(analysed), len(started) - len(analysed) - reasons.total(), dict(sorted(reasons.items()))
    )
    arms = sorted({one.arm for one in allocated}) if by_arm else []
    return Flow(
        approached=step(everybody, assessed),
        assessed=step(assessed, allocated),
        allocated=step(allocated, started),
        started=step(started, complete),
        analysed=settled,
        analysed_left=sum(1 for one in analysed if one.end not in ("", End.COMPLETE)),
        arms={arm: flow([one for one in allocated if one.arm == arm], by_arm=False) for arm in arms},
    )
